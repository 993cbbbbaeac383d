//! The register machine that evaluates guards and updates: variables and constants are registers, conditions are jumps.
//!
//! Chosen over trees of closures by measurement, see `docs/decisions.md`.

use lapidary_base::id;

use crate::word::Word;

id! {
    /// A register: first the variables of the model, then constants, then intermediate values.
    pub struct Register(u32);
    /// An instruction's place in its program.
    pub struct Label(u32);
}

/// One instruction. `Jump...` go to their last operand when the comparison is true, else to the next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    JumpTrue(Register, Label),
    JumpFalse(Register, Label),
    JumpEq(Register, Register, Label),
    JumpNe(Register, Register, Label),
    JumpLt(Register, Register, Label),
    JumpLe(Register, Register, Label),
    Jump(Label),
    Copy {
        to: Register,
        from: Register,
    },
    Add {
        to: Register,
        a: Register,
        b: Register,
    },
    Sub {
        to: Register,
        a: Register,
        b: Register,
    },
    Neg {
        to: Register,
        a: Register,
    },
    Mul {
        to: Register,
        a: Register,
        b: Register,
    },
    Div {
        to: Register,
        a: Register,
        b: Register,
    },
    Mod {
        to: Register,
        a: Register,
        b: Register,
    },
    /// A function on bit-vectors; `b` does not matter where it takes one part.
    Word {
        to: Register,
        a: Register,
        b: Register,
        word: Word,
    },
    /// The register `index` places after `first`; rejects outside `0..len`.
    Load {
        to: Register,
        first: Register,
        len: u32,
        index: Register,
    },
    Store {
        first: Register,
        len: u32,
        index: Register,
        from: Register,
    },
    /// Computes a shared value unless that was done before: `done` holds where to go on, or zero.
    Call {
        done: Register,
        body: Label,
    },
    /// Back to where the shared value is asked for.
    Return(Register),
    /// Forgets that shared values were computed.
    Forget {
        first: Register,
        n: u32,
    },
    /// Back to the head of a loop; pauses there once `left` is used up, of which every time takes `cost`.
    Again {
        left: Register,
        cost: u32,
        head: Label,
    },
    Accept,
    Reject,
}

/// A computation left the 64-bit range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

/// How a program ends, or where it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Accepted,
    Rejected,
    /// At the head of a loop, for more to be left.
    Paused(Label),
}

/// The first instruction of a program.
pub const FIRST: Label = Label(0);

/// Straight from its first instruction to `Accept` or `Reject`. Only calls and loops go back: a call at most once and never
/// to a value that is being computed, a loop for as long as something is left. So it always ends or pauses.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub ops: Vec<Op>,
}

impl Program {
    /// Whether a program without loops accepts. An evaluation without a value rejects.
    #[inline]
    pub fn run(&self, registers: &mut [i64]) -> Result<bool, Overflow> {
        match self.run_from(FIRST, registers)? {
            Ended::Accepted => Ok(true),
            Ended::Rejected => Ok(false),
            Ended::Paused(_) => unreachable!("only loops pause"),
        }
    }

    /// Goes on from the first instruction, or from where it paused.
    #[inline]
    pub fn run_from(&self, from: Label, registers: &mut [i64]) -> Result<Ended, Overflow> {
        let mut at = from.0 as usize;
        loop {
            let op = self.ops[at];
            at += 1;
            match op {
                Op::JumpTrue(a, to) => at = if registers[a.0 as usize] != 0 { to.0 as usize } else { at },
                Op::JumpFalse(a, to) => at = if registers[a.0 as usize] == 0 { to.0 as usize } else { at },
                Op::JumpEq(a, b, to) => {
                    if registers[a.0 as usize] == registers[b.0 as usize] {
                        at = to.0 as usize;
                    }
                }
                Op::JumpNe(a, b, to) => {
                    if registers[a.0 as usize] != registers[b.0 as usize] {
                        at = to.0 as usize;
                    }
                }
                Op::JumpLt(a, b, to) => {
                    if registers[a.0 as usize] < registers[b.0 as usize] {
                        at = to.0 as usize;
                    }
                }
                Op::JumpLe(a, b, to) => {
                    if registers[a.0 as usize] <= registers[b.0 as usize] {
                        at = to.0 as usize;
                    }
                }
                Op::Jump(to) => at = to.0 as usize,
                Op::Call { done, body } => {
                    let done = &mut registers[done.0 as usize];
                    if *done == 0 {
                        *done = at as i64;
                        at = body.0 as usize;
                    }
                }
                Op::Return(done) => at = registers[done.0 as usize] as usize,
                Op::Forget { first, n } => registers[first.0 as usize..][..n as usize].fill(0),
                Op::Again { left, cost, head } => {
                    let left = &mut registers[left.0 as usize];
                    *left -= i64::from(cost);
                    if *left < 0 {
                        return Ok(Ended::Paused(head));
                    }
                    at = head.0 as usize;
                }
                Op::Accept => return Ok(Ended::Accepted),
                Op::Reject => return Ok(Ended::Rejected),
                Op::Load { to, first, len, index } => {
                    let Some(from) = cell(registers, first, len, index) else { return Ok(Ended::Rejected) };
                    registers[to.0 as usize] = registers[from];
                }
                Op::Store { first, len, index, from } => {
                    let Some(to) = cell(registers, first, len, index) else { return Ok(Ended::Rejected) };
                    registers[to] = registers[from.0 as usize];
                }
                Op::Word { to, a, b, word } => {
                    registers[to.0 as usize] = word.value(registers[a.0 as usize], registers[b.0 as usize]);
                }
                Op::Copy { to, from } => registers[to.0 as usize] = registers[from.0 as usize],
                Op::Add { to, a, b } => {
                    let sum = registers[a.0 as usize].checked_add(registers[b.0 as usize]);
                    registers[to.0 as usize] = sum.ok_or(Overflow)?;
                }
                Op::Sub { to, a, b } => {
                    let difference = registers[a.0 as usize].checked_sub(registers[b.0 as usize]);
                    registers[to.0 as usize] = difference.ok_or(Overflow)?;
                }
                Op::Neg { to, a } => {
                    registers[to.0 as usize] = registers[a.0 as usize].checked_neg().ok_or(Overflow)?
                }
                Op::Mul { to, a, b } => {
                    let product = registers[a.0 as usize].checked_mul(registers[b.0 as usize]);
                    registers[to.0 as usize] = product.ok_or(Overflow)?;
                }
                Op::Div { to, a, b } => {
                    let (a, b) = (registers[a.0 as usize], registers[b.0 as usize]);
                    if b == 0 {
                        return Ok(Ended::Rejected);
                    }
                    registers[to.0 as usize] = a.checked_div_euclid(b).ok_or(Overflow)?;
                }
                Op::Mod { to, a, b } => {
                    let (a, b) = (registers[a.0 as usize], registers[b.0 as usize]);
                    if b == 0 {
                        return Ok(Ended::Rejected);
                    }
                    // The remainder of the least number by -1 is 0, although the division itself overflows.
                    registers[to.0 as usize] = a.wrapping_rem_euclid(b);
                }
            }
        }
    }
}

#[inline(always)]
fn cell(registers: &[i64], first: Register, len: u32, index: Register) -> Option<usize> {
    let index = registers[index.0 as usize];
    (0..i64::from(len)).contains(&index).then(|| first.0 as usize + index as usize)
}

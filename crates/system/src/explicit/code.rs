//! A program of a body: it may have loops, which are run within a budget.

use lapidary_base::{Control, Stop};

use crate::bytecode::{Ended, FIRST, Label, Overflow, Program, Register};
use crate::compile::{Compiler, Pool};

/// An execution that takes more instructions than this is given up. An execution that does not end is no step, but nobody
/// can tell such a one from one that takes long.
pub const MAX_INSTRUCTIONS: u64 = 1 << 26;

/// So many instructions are run between two looks at the limits.
pub const INSTRUCTIONS_PER_LOOK: i64 = 1 << 16;

/// Counts instructions, and other work as if it were instructions, between two looks at the limits.
pub struct Looks<'a> {
    pub control: Option<&'a Control>,
    /// The instructions since the last look.
    n_run: usize,
}

impl<'a> Looks<'a> {
    pub fn new(control: Option<&'a Control>) -> Self {
        Self { control, n_run: 0 }
    }

    /// So many instructions more are run.
    #[inline]
    pub fn add(&mut self, n_run: usize) -> Result<(), Stop> {
        self.n_run += n_run;
        if self.n_run < INSTRUCTIONS_PER_LOOK as usize {
            return Ok(());
        }
        self.n_run = 0;
        self.control.map_or(Ok(()), Control::check)
    }
}

#[derive(Default)]
pub struct Code {
    pub program: Program,
    /// Where the rounds of its loops are counted, if it has any. What one execution leaves is there for the next.
    left: Option<Register>,
}

impl Code {
    pub fn new(compiler: Compiler<'_>) -> Self {
        let left = compiler.left();
        Self { program: compiler.finish(), left }
    }

    pub fn link(&mut self, pool: &Pool) {
        pool.link_program(&mut self.program);
    }

    /// Whether it accepts; `spent` grows by what its loops take. Inlined, because nearly all programs end at once.
    #[inline(always)]
    pub fn run(
        &self,
        registers: &mut [i64],
        name: &str,
        control: Option<&Control>,
        spent: &mut u64,
    ) -> Result<bool, Stop> {
        match self.program.run_from(FIRST, registers) {
            Ok(Ended::Accepted) => Ok(true),
            Ok(Ended::Rejected) => Ok(false),
            Ok(Ended::Paused(at)) => self.go_on(at, registers, name, control, spent),
            Err(Overflow) => Err(overflow(name)),
        }
    }

    #[cold]
    #[inline(never)]
    fn go_on(
        &self,
        mut at: Label,
        registers: &mut [i64],
        name: &str,
        control: Option<&Control>,
        spent: &mut u64,
    ) -> Result<bool, Stop> {
        let left = self.left.expect("only loops pause").0 as usize;
        loop {
            control.map_or(Ok(()), Control::check)?;
            registers[left] = INSTRUCTIONS_PER_LOOK;
            match self.program.run_from(at, registers) {
                Ok(Ended::Accepted) => return Ok(true),
                Ok(Ended::Rejected) => return Ok(false),
                Ok(Ended::Paused(head)) => at = head,
                Err(Overflow) => return Err(overflow(name)),
            }
            *spent += INSTRUCTIONS_PER_LOOK.abs_diff(registers[left]);
            within_budget(*spent, name)?;
        }
    }
}

pub fn within_budget(spent: u64, name: &str) -> Result<(), Stop> {
    if spent <= MAX_INSTRUCTIONS {
        return Ok(());
    }
    Err(Stop::Incomplete(format!("an execution of {name} takes more than {MAX_INSTRUCTIONS} instructions")))
}

#[cold]
#[inline(never)]
fn overflow(name: &str) -> Stop {
    Stop::Overflow(format!("in {name}"))
}

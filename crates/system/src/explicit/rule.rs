//! A rule: a program that decides and computes, and a patch that makes the next state.

use lapidary_base::{Control, Stop};
use lapidary_ir::CommandId;
use lapidary_verdict::Layout;

use super::code::Code;
use super::forks::Forks;
use super::patch::Patch;
use super::rows::Machine;
use crate::bytecode::Register;
use crate::compile::Pool;
use crate::successors::Steps;

/// So many combinations of inputs are tried between two looks at the limits.
const INPUTS_PER_LOOK: u32 = 1 << 12;

pub struct Rule {
    pub command: CommandId,
    /// Conjuncts `v = c` of the guard, as tests of whole words.
    pub tests: Vec<WordTest>,
    pub code: Code,
    pub kind: Kind,
    pub patch: Patch,
    /// For stops: the command and its place.
    pub name: String,
}

/// How often the rule is executed in a state.
pub enum Kind {
    Once,
    /// Registers that take every value of a range, all combinations of them.
    Inputs(Vec<(Register, i64, i64)>),
    /// What comes behind the code, once for each choice that is made there.
    Forks(Forks),
}

/// These bits of a word must have these values.
#[derive(Clone, Copy)]
pub struct WordTest {
    pub word: u32,
    pub mask: u64,
    pub value: u64,
}

impl Rule {
    pub fn link(&mut self, pool: &Pool) {
        self.code.link(pool);
        self.patch.link(pool);
        match &mut self.kind {
            Kind::Once => {}
            Kind::Inputs(inputs) => inputs.iter_mut().for_each(|(register, ..)| pool.link(register)),
            Kind::Forks(forks) => forks.link(pool),
        }
    }

    /// Appends the steps of this rule from a state whose variables are in the registers.
    #[inline(always)]
    pub fn fire(&self, state: &[u64], layout: &Layout, out: &mut Steps) -> Result<(), Stop> {
        if self.tests.iter().any(|test| state[test.word as usize] & test.mask != test.value) {
            return Ok(());
        }
        match &self.kind {
            Kind::Once => self.fire_once(state, layout, out),
            Kind::Inputs(inputs) => self.fire_each(inputs, state, layout, out),
            Kind::Forks(forks) => self.fork(forks, state, layout, out),
        }
    }

    #[inline(never)]
    fn fire_each(
        &self,
        inputs: &[(Register, i64, i64)],
        state: &[u64],
        layout: &Layout,
        out: &mut Steps,
    ) -> Result<(), Stop> {
        inputs.iter().for_each(|&(register, lo, _)| out.registers[register.0 as usize] = lo);
        let mut n_fired = 0u32;
        loop {
            self.fire_once(state, layout, out)?;
            n_fired += 1;
            if n_fired.is_multiple_of(INPUTS_PER_LOOK)
                && let Some(control) = &out.control
            {
                control.check()?;
            }
            // The next combination of inputs, the last one counting fastest.
            let step = inputs.iter().rev().find(|&&(register, lo, hi)| {
                let value = &mut out.registers[register.0 as usize];
                let carries = *value == hi;
                *value = if carries { lo } else { *value + 1 };
                !carries
            });
            if step.is_none() {
                return Ok(());
            }
        }
    }

    #[inline(never)]
    fn fire_once(&self, state: &[u64], layout: &Layout, out: &mut Steps) -> Result<(), Stop> {
        if self.code.run(&mut out.registers, &self.name, out.control.as_ref(), &mut 0)? {
            self.push(state, layout, out);
        }
        Ok(())
    }

    #[inline(always)]
    fn push(&self, state: &[u64], layout: &Layout, out: &mut Steps) {
        let start = out.states.len();
        out.states.extend_from_slice(state);
        self.patch.apply(layout, &out.registers, &mut out.states[start..]);
        out.actions.push(self.command);
    }

    #[inline(never)]
    fn fork(&self, forks: &Forks, state: &[u64], layout: &Layout, out: &mut Steps) -> Result<(), Stop> {
        let (control, name) = (out.control.as_ref(), &self.name[..]);
        let mut spent = 0;
        if !self.code.run(&mut out.registers, name, control, &mut spent)? {
            return Ok(());
        }
        let mut machine = Machine::new(forks.row(), &mut out.registers, name, control, &mut out.spare, spent);
        let mut rows = machine.buffer();
        machine.save(&mut rows);
        machine.block(&forks.block, &mut rows)?;
        spent = machine.spent;
        for (i, row) in rows.chunks_exact(forks.row().len()).enumerate() {
            if (i as u32 + 1).is_multiple_of(INPUTS_PER_LOOK) {
                out.control.as_ref().map_or(Ok(()), Control::check)?;
            }
            out.registers[forks.row()].copy_from_slice(row);
            if forks.tail.run(&mut out.registers, name, out.control.as_ref(), &mut { spent })? {
                self.push(state, layout, out);
            }
        }
        rows.clear();
        out.spare.push(rows);
        Ok(())
    }
}

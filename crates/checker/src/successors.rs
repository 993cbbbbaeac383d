//! Collects the packed successors of members until there are enough to look them up together.

use std::mem;

use lapidary_base::{Control, Id, Meter};
use lapidary_ir::model::Raw;
use lapidary_ir::{CommandId, Model};

use crate::Rejection;
use crate::compile::{Test, Truth};
use crate::execute::{Code, Halt, Odd, Right, Write};
use crate::finding;
use crate::layout::{Bits, Codec};
use crate::pool::Pool;
use crate::program::{Distinct, Effect, Program};
use crate::step;

/// The state at hand, in both its forms.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    pub number: usize,
    pub packed: &'a [u64],
    pub values: &'a [Raw],
}

pub struct Successors<'a> {
    model: &'a Model,
    codec: &'a Codec,
    invariant: &'a [Test],
    control: &'a Control,
    /// Those that differ from their origin, one after the other.
    packed: Vec<u64>,
    /// The member and the command that each comes from.
    origins: Vec<(usize, CommandId)>,
    /// How many steps were taken so far, those that change nothing included.
    n_steps: u64,
    /// How many of them are of commands that do more than wait.
    n_moves: u64,
    is_idle: Box<[bool]>,
    written: Vec<usize>,
    /// What is done by closures that follow many states.
    meter: Meter<'a>,
    /// Room for them.
    pool: Pool,
}

impl<'a> Successors<'a> {
    pub fn new(model: &'a Model, codec: &'a Codec, program: &'a Program, control: &'a Control) -> Self {
        let (packed, origins, written) = (Vec::new(), Vec::new(), Vec::new());
        let is_idle = model.commands.iter().map(|command| command.is_idle).collect();
        let invariant = &program.invariant;
        let (meter, pool) = (Meter::new(control), Pool::new(model.vars.len()));
        let (n_steps, n_moves) = (0, 0);
        Self { model, codec, invariant, control, packed, origins, n_steps, n_moves, is_idle, written, meter, pool }
    }

    pub fn len(&self) -> usize {
        self.origins.len()
    }

    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    pub fn n_moves(&self) -> u64 {
        self.n_moves
    }

    pub fn packed(&self) -> &[u64] {
        &self.packed
    }

    pub fn state(&self, position: usize) -> &[u64] {
        let n_words = self.codec.n_words();
        &self.packed[position * n_words..(position + 1) * n_words]
    }

    pub fn origin(&self, position: usize) -> (usize, CommandId) {
        self.origins[position]
    }

    pub fn clear(&mut self) {
        self.packed.clear();
        self.origins.clear();
    }

    /// The successors of a member by a command whose guard is true.
    #[inline]
    pub fn add(&mut self, member: Member<'_>, command: CommandId, effect: &Effect) -> Result<(), Rejection> {
        let added = match effect {
            Effect::Patch { constant, writes, distinct } => {
                self.patch(member, command, constant, writes, *distinct).map_err(Halt::from)
            }
            Effect::Code(code) => self.execute(member, command, code),
        };
        match added {
            Ok(()) => Ok(()),
            Err(Halt::Odd) => self.ask(member, command),
            Err(Halt::Stopped(stop)) => Err(stop.into()),
        }
    }

    #[inline]
    fn patch(
        &mut self,
        member: Member<'_>,
        command: CommandId,
        constant: &Bits,
        writes: &[Write],
        distinct: Distinct,
    ) -> Result<(), Odd> {
        let begin = self.begin(member.packed);
        constant.write(&mut self.packed[begin..]);
        match self.write(begin, member.values, writes, distinct) {
            Ok(true) => {
                self.end(begin, member, command);
                Ok(())
            }
            Ok(false) => {
                self.packed.truncate(begin);
                Ok(())
            }
            Err(Odd) => {
                self.packed.truncate(begin);
                Err(Odd)
            }
        }
    }

    /// Writes to the successor that starts at `begin`; false where that is not a step.
    #[inline]
    fn write(&mut self, begin: usize, values: &[Raw], writes: &[Write], distinct: Distinct) -> Result<bool, Odd> {
        self.written.clear();
        for write in writes {
            let Some(var) = write.to.variable(values)? else { return Ok(false) };
            if distinct == Distinct::Perhaps {
                if self.written.contains(&var) {
                    return Ok(false);
                }
                self.written.push(var);
            }
            let value = match &write.value {
                Right::Constant(value) => *value,
                Right::Value(value) => value(values).ok_or(Odd)?,
                Right::Any(..) | Right::Unbounded => return Err(Odd),
            };
            if !self.codec.admits(var, value) {
                return Ok(false);
            }
            self.codec.put(&mut self.packed[begin..], var, value);
        }
        Ok(true)
    }

    fn execute(&mut self, member: Member<'_>, command: CommandId, code: &Code) -> Result<(), Halt> {
        let mut from = mem::replace(&mut self.pool, Pool::new(member.values.len())).cleared();
        from.push(member.values);
        let ends = code.run(self.codec, &mut self.meter, from)?;
        let (begin, n_origins) = (self.packed.len(), self.origins.len());
        let (n_steps, n_moves) = (self.n_steps, self.n_moves);
        for state in ends.iter() {
            self.meter.add(state.len() as u64)?;
            match self.keeps_invariant(state) {
                Truth::True => self.push(member, command, state),
                Truth::False => {}
                Truth::Odd => {
                    self.packed.truncate(begin);
                    self.origins.truncate(n_origins);
                    self.n_steps = n_steps;
                    self.n_moves = n_moves;
                    return Err(Halt::Odd);
                }
            }
        }
        self.pool = ends;
        Ok(())
    }

    fn keeps_invariant(&self, state: &[Raw]) -> Truth {
        self.invariant.iter().map(|part| part(state)).find(|&truth| truth != Truth::True).unwrap_or(Truth::True)
    }

    /// The interpreter's successors, where closures met something odd.
    #[cold]
    pub fn ask(&mut self, member: Member<'_>, command: CommandId) -> Result<(), Rejection> {
        let found = step::successors_within(self.model, command, member.values, &|| self.control.check());
        let found = found.map_err(|why| finding::trouble(self.model, command, why))?;
        found.iter().for_each(|state| self.push(member, command, state));
        Ok(())
    }

    fn push(&mut self, member: Member<'_>, command: CommandId, state: &[Raw]) {
        let begin = self.begin(member.packed);
        self.codec.encode(state, &mut self.packed[begin..]);
        self.end(begin, member, command);
    }

    /// Opens a successor with the words of its origin.
    #[inline]
    fn begin(&mut self, packed: &[u64]) -> usize {
        let begin = self.packed.len();
        match packed {
            // The usual case, without the call that copying a slice is.
            [word] => self.packed.push(*word),
            _ => self.packed.extend_from_slice(packed),
        }
        begin
    }

    /// Closes a successor. One that equals its origin needs no looking up: the origin is a member.
    #[inline]
    fn end(&mut self, begin: usize, member: Member<'_>, command: CommandId) {
        self.n_steps += 1;
        self.n_moves += u64::from(!self.is_idle[command.index()]);
        if same(&self.packed[begin..], member.packed) {
            self.packed.truncate(begin);
        } else {
            self.origins.push((member.number, command));
        }
    }
}

/// Equality without the call that comparing slices is.
#[inline]
fn same(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}

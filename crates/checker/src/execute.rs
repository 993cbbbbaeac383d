//! Statements as closures: what `step` says, for millions of states.
//!
//! A statement turns the states of one pool into others. Odd outcomes end the whole execution; the interpreter then starts
//! it again. All that is done with a state is counted, so that the limits are looked at within a statement, too.

use std::mem;

use lapidary_base::hash::Set;
use lapidary_base::{Id, Meter, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::{Assignment, Destination, Expr, Model, Rhs, Statement, VarId};

use crate::compile::{Compiler, Test, Truth, Value};
use crate::layout::Codec;
use crate::pool::{Pool, Repeats};
use crate::words;

/// Something that only the interpreter can judge.
#[derive(Debug)]
pub struct Odd;

/// Why an execution is not followed to its end.
#[derive(Debug)]
pub enum Halt {
    Odd,
    Stopped(Stop),
}

impl From<Odd> for Halt {
    fn from(Odd: Odd) -> Self {
        Self::Odd
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

pub enum Code {
    Assume(Condition),
    Assign(Writes),
    Sequence(Box<[Code]>),
    Choice(Box<[Code]>),
    If(Condition, Box<Code>, Box<Code>),
    While(Condition, Box<Code>),
    /// Variables with the values that they have before and after.
    Scope(Box<[(usize, Raw)]>, Box<Code>),
}

/// A condition, and how much work it is to evaluate it.
pub struct Condition {
    test: Test,
    work: u64,
}

/// What an assignment writes, and how much work it is in one state.
pub struct Writes {
    list: Box<[Write]>,
    work: u64,
}

/// So many states are followed through the loops of one execution; more are the interpreter's.
const MOST_TURNS: usize = 1 << 14;

pub struct Write {
    pub to: Place,
    pub value: Right,
}

pub enum Place {
    Var(usize),
    Cell {
        first: usize,
        len: usize,
        index: Value,
    },
    /// A constant index out of bounds.
    Nowhere,
}

pub enum Right {
    Value(Value),
    Constant(Raw),
    /// Every number from the first to the second.
    Any(Raw, Raw),
    /// Every integer, which no pool can hold.
    Unbounded,
}

pub fn code(model: &Model, statement: &Statement, compiler: &mut Compiler<'_>) -> Code {
    let all = |parts: &[Statement], compiler: &mut Compiler<'_>| -> Box<[Code]> {
        parts.iter().map(|part| code(model, part, compiler)).collect()
    };
    match statement {
        Statement::Skip => Code::Sequence(Box::default()),
        Statement::Assume(condition) => Code::Assume(Condition::new(*condition, compiler)),
        Statement::Assign(list) => Code::Assign(Writes::new(model, list, compiler)),
        Statement::Sequence(parts) => Code::Sequence(all(parts, compiler)),
        Statement::Choice(parts) => Code::Choice(all(parts, compiler)),
        Statement::While(condition, body) => {
            let body = code(model, body, compiler);
            Code::While(Condition::new(*condition, compiler), body.into())
        }
        Statement::Scope(locals, body) => {
            let first = |local: &VarId| (local.index(), model.first(model.vars[*local].domain));
            Code::Scope(locals.iter().map(first).collect(), code(model, body, compiler).into())
        }
        Statement::If(condition, then, otherwise) => {
            let (then, otherwise) = (code(model, then, compiler), code(model, otherwise, compiler));
            Code::If(Condition::new(*condition, compiler), then.into(), otherwise.into())
        }
    }
}

pub fn write(model: &Model, assignment: &Assignment, compiler: &mut Compiler<'_>) -> Write {
    let (to, domain) = match assignment.to {
        Destination::Var(var) => (Place::Var(var.index()), model.vars[var].domain),
        Destination::Cell(family, index) => {
            let cells = &model.families[family];
            let (first, len) = (cells.first.index(), cells.len as usize);
            let to = match words::constant(model, index).map(usize::try_from) {
                Some(Ok(index)) if index < len => Place::Var(first + index),
                Some(_) => Place::Nowhere,
                None => Place::Cell { first, len, index: compiler.value(index) },
            };
            // A family without cells has no domain to ask for, and no place either.
            if len == 0 {
                return Write { to: Place::Nowhere, value: Right::Unbounded };
            }
            (to, model.family_domain(family))
        }
    };
    let value = match (assignment.value, model.bounds(domain)) {
        (Rhs::Expr(expr), _) => match words::constant(model, expr) {
            Some(value) => Right::Constant(value),
            None => Right::Value(compiler.value(expr)),
        },
        (Rhs::Any, Some((lo, hi))) => Right::Any(lo, hi),
        (Rhs::Any, None) => Right::Unbounded,
    };
    Write { to, value }
}

impl Place {
    /// The variable that is written; `Ok(None)` where an index is out of bounds.
    #[inline]
    pub fn variable(&self, state: &[Raw]) -> Result<Option<usize>, Odd> {
        match self {
            Self::Var(var) => Ok(Some(*var)),
            Self::Nowhere => Ok(None),
            Self::Cell { first, len, index } => {
                let index = index(state).ok_or(Odd)?;
                Ok(usize::try_from(index).ok().filter(|index| index < len).map(|index| first + index))
            }
        }
    }
}

impl Condition {
    fn new(condition: Expr, compiler: &mut Compiler<'_>) -> Self {
        Self { work: compiler.work(condition), test: compiler.test(condition) }
    }
}

impl Writes {
    pub fn new(model: &Model, list: &[Assignment], compiler: &mut Compiler<'_>) -> Self {
        // Any two destinations are compared.
        let pairs = (list.len() as u64).saturating_mul(list.len() as u64) / 16;
        let work = list.iter().fold(pairs, |sum, one| {
            let index = match one.to {
                Destination::Var(_) => 1,
                Destination::Cell(_, index) => compiler.work(index),
            };
            let value = match one.value {
                Rhs::Any => 1,
                Rhs::Expr(value) => compiler.work(value),
            };
            sum.saturating_add(index).saturating_add(value)
        });
        Self { list: list.iter().map(|one| write(model, one, compiler)).collect(), work }
    }
}

impl Code {
    /// The states in which executions from the states of `from` end, some of them several times.
    pub fn run(&self, codec: &Codec, meter: &mut Meter<'_>, from: Pool) -> Result<Pool, Halt> {
        let (values, any) = (Vec::new(), Vec::new());
        self.go(&mut Course { codec, meter, turns_left: MOST_TURNS, values, any }, from)
    }

    fn go(&self, course: &mut Course<'_, '_>, mut pool: Pool) -> Result<Pool, Halt> {
        if pool.is_empty() {
            return Ok(pool);
        }
        match self {
            Self::Assume(condition) => {
                pool.retain(|state| course.decide(condition, state))?;
                Ok(pool)
            }
            Self::Assign(writes) => course.assign(writes, pool),
            Self::Sequence(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    // Choices in sequence often meet again; without this their number would multiply.
                    if i > 0 {
                        pool = course.each_once(pool)?;
                    }
                    pool = part.go(course, pool)?;
                }
                Ok(pool)
            }
            Self::Choice(parts) => course.choose(parts, pool),
            Self::If(condition, then, otherwise) => {
                let other = course.split(condition, &mut pool)?;
                let ends = then.go(course, pool)?;
                Ok(ends.with(otherwise.go(course, other)?))
            }
            Self::While(condition, body) => course.repeat(condition, body, pool),
            Self::Scope(locals, body) => {
                course.reset(locals, &mut pool)?;
                let mut within = body.go(course, pool)?;
                course.reset(locals, &mut within)?;
                Ok(within)
            }
        }
    }
}

/// What one execution has.
struct Course<'c, 'm> {
    codec: &'c Codec,
    meter: &'c mut Meter<'m>,
    turns_left: usize,
    /// What the assignment at hand writes: single values, and all values of a range.
    values: Vec<(usize, Raw)>,
    any: Vec<(usize, Raw, Raw)>,
}

impl Course<'_, '_> {
    #[inline]
    fn decide(&mut self, condition: &Condition, state: &[Raw]) -> Result<bool, Halt> {
        self.meter.add(condition.work)?;
        match (condition.test)(state) {
            Truth::True => Ok(true),
            Truth::False => Ok(false),
            Truth::Odd => Err(Halt::Odd),
        }
    }

    /// All states are copied or changed.
    fn pass(&mut self, pool: &Pool) -> Result<(), Stop> {
        self.meter.add((pool.len() * pool.width()) as u64)
    }

    fn each_once(&mut self, pool: Pool) -> Result<Pool, Halt> {
        if pool.repeats() == Repeats::Never {
            return Ok(pool);
        }
        let mut once = Pool::new(pool.width());
        let mut seen: Set<&[Raw]> = Set::default();
        for state in pool.iter() {
            self.meter.add(pool.width() as u64)?;
            if seen.insert(state) {
                once.push(state);
            }
        }
        Ok(once)
    }

    fn choose(&mut self, parts: &[Code], pool: Pool) -> Result<Pool, Halt> {
        let Some((last, others)) = parts.split_last() else { return Ok(pool.cleared()) };
        let mut ends = Pool::new(pool.width());
        for part in others {
            self.pass(&pool)?;
            ends = ends.with(part.go(self, pool.clone())?);
        }
        Ok(ends.with(last.go(self, pool)?))
    }

    /// Leaves the states in which the condition is true, and returns the others.
    fn split(&mut self, condition: &Condition, pool: &mut Pool) -> Result<Pool, Halt> {
        let mut others = pool.none_of_it();
        pool.retain(|state| {
            let holds = self.decide(condition, state)?;
            if !holds {
                others.push(state);
            }
            Ok::<bool, Halt>(holds)
        })?;
        Ok(others)
    }

    /// Turn by turn; states that were at the head of the loop before are not followed again.
    fn repeat(&mut self, condition: &Condition, body: &Code, from: Pool) -> Result<Pool, Halt> {
        let mut seen: Set<Box<[Raw]>> = Set::default();
        let mut ends = Pool::new(from.width());
        let mut here = from;
        loop {
            ends = ends.with(self.split(condition, &mut here)?);
            here.retain(|state| Ok::<bool, Halt>(seen.insert(state.into())))?;
            if here.is_empty() {
                return Ok(ends);
            }
            self.pass(&here)?;
            self.turns_left = self.turns_left.checked_sub(here.len()).ok_or(Odd)?;
            here = body.go(self, here)?;
        }
    }

    fn reset(&mut self, locals: &[(usize, Raw)], pool: &mut Pool) -> Result<(), Stop> {
        self.pass(pool)?;
        pool.set_all(locals);
        Ok(())
    }

    fn assign(&mut self, writes: &Writes, mut pool: Pool) -> Result<Pool, Halt> {
        if writes.list.iter().any(|write| matches!(write.value, Right::Any(..))) {
            return self.assign_any(writes, &pool);
        }
        pool.change(|state| {
            let is_step = self.read(writes, state)?;
            self.values.iter().for_each(|&(var, value)| state[var] = value);
            Ok::<bool, Halt>(is_step)
        })?;
        Ok(pool)
    }

    fn assign_any(&mut self, writes: &Writes, pool: &Pool) -> Result<Pool, Halt> {
        let mut to = Pool::new(pool.width());
        for old in pool.iter() {
            if !self.read(writes, old)? {
                continue;
            }
            let begin = to.len();
            to.push(old);
            self.values.iter().for_each(|&(var, value)| to.set(begin, var, value));
            for (var, lo, hi) in mem::take(&mut self.any) {
                self.spread(&mut to, begin, var, lo, hi)?;
            }
        }
        to.may_repeat(if pool.len() > 1 { Repeats::Perhaps } else { Repeats::Never });
        Ok(to)
    }

    /// All at once: finds what is written before anything is. False where that is no step.
    fn read(&mut self, writes: &Writes, old: &[Raw]) -> Result<bool, Halt> {
        self.meter.add(writes.work)?;
        self.values.clear();
        self.any.clear();
        let mut written: Vec<(usize, &Right)> = Vec::with_capacity(writes.list.len());
        for write in &writes.list {
            match write.to.variable(old)? {
                Some(var) if written.iter().all(|&(other, _)| other != var) => written.push((var, &write.value)),
                Some(_) | None => return Ok(false),
            }
        }
        for (var, right) in written {
            let value = match right {
                Right::Value(value) => value(old).ok_or(Odd)?,
                Right::Constant(value) => *value,
                Right::Any(lo, hi) => {
                    self.any.push((var, *lo, *hi));
                    continue;
                }
                Right::Unbounded => return Err(Halt::Odd),
            };
            if !self.codec.admits(var, value) {
                return Ok(false);
            }
            self.values.push((var, value));
        }
        Ok(true)
    }

    /// Replaces each state from `begin` on by one for every value of the variable.
    fn spread(&mut self, pool: &mut Pool, begin: usize, var: usize, lo: Raw, hi: Raw) -> Result<(), Stop> {
        let end = pool.len();
        for value in lo..hi {
            for state in begin..end {
                self.meter.add(pool.width() as u64)?;
                pool.push_copy(state);
                pool.set(pool.len() - 1, var, value);
            }
        }
        (begin..end).for_each(|state| pool.set(state, var, hi));
        Ok(())
    }
}

//! Statements as closures: what `step` says, for millions of states.
//!
//! A statement turns the states of one pool into those of another. Odd outcomes end the whole execution; the
//! interpreter then starts it again.

use lapidary_base::Id;
use lapidary_base::hash::Set;
use lapidary_ir::model::Raw;
use lapidary_ir::{Assignment, Destination, Model, Rhs, Statement, VarId};

use crate::compile::{Compiler, Test, Truth, Value};
use crate::layout::Codec;
use crate::words;

/// Something that only the interpreter can judge.
#[derive(Debug)]
pub struct Odd;

pub enum Code {
    Assume(Test),
    Assign(Box<[Write]>),
    Sequence(Box<[Code]>),
    Choice(Box<[Code]>),
    If(Test, Box<Code>, Box<Code>),
    While(Test, Box<Code>),
    /// Variables with the values that they have before and after.
    Scope(Box<[(usize, Raw)]>, Box<Code>),
}

/// So many states are followed through the loops of one execution; more are the interpreter's, which looks at the limits.
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

/// States of equal width, one after the other.
pub struct Pool {
    width: usize,
    n_states: usize,
    values: Vec<Raw>,
}

impl Pool {
    pub fn new(width: usize) -> Self {
        Self { width, n_states: 0, values: Vec::new() }
    }

    pub fn iter(&self) -> impl Iterator<Item = &[Raw]> {
        (0..self.n_states).map(|i| &self.values[i * self.width..(i + 1) * self.width])
    }

    pub fn push(&mut self, state: &[Raw]) {
        self.values.extend_from_slice(state);
        self.n_states += 1;
    }

    fn set(&mut self, state: usize, var: usize, value: Raw) {
        self.values[state * self.width + var] = value;
    }

    fn push_copy(&mut self, state: usize) {
        self.values.extend_from_within(state * self.width..(state + 1) * self.width);
        self.n_states += 1;
    }

    /// The same states with other values of some variables.
    fn with(&self, values: &[(usize, Raw)]) -> Self {
        let Self { width, n_states, .. } = *self;
        let mut made = Self { width, n_states, values: self.values.clone() };
        for state in 0..n_states {
            values.iter().for_each(|&(var, value)| made.set(state, var, value));
        }
        if n_states > 1 { made.each_once() } else { made }
    }

    /// Choices in sequence often meet again; without this their number would multiply.
    fn each_once(&self) -> Self {
        let mut states: Vec<&[Raw]> = self.iter().collect();
        states.sort_unstable();
        states.dedup();
        let mut once = Self::new(self.width);
        states.into_iter().for_each(|state| once.push(state));
        once
    }
}

pub fn code(model: &Model, statement: &Statement, compiler: &mut Compiler<'_>) -> Code {
    let all = |parts: &[Statement], compiler: &mut Compiler<'_>| -> Box<[Code]> {
        parts.iter().map(|part| code(model, part, compiler)).collect()
    };
    match statement {
        Statement::Skip => Code::Sequence(Box::default()),
        Statement::Assume(condition) => Code::Assume(compiler.test(*condition)),
        Statement::Assign(list) => Code::Assign(list.iter().map(|one| write(model, one, compiler)).collect()),
        Statement::Sequence(parts) => Code::Sequence(all(parts, compiler)),
        Statement::Choice(parts) => Code::Choice(all(parts, compiler)),
        Statement::While(condition, body) => {
            let body = code(model, body, compiler);
            Code::While(compiler.test(*condition), body.into())
        }
        Statement::Scope(locals, body) => {
            let first = |local: &VarId| (local.index(), model.vars[*local].domain.first());
            Code::Scope(locals.iter().map(first).collect(), code(model, body, compiler).into())
        }
        Statement::If(condition, then, otherwise) => {
            let (then, otherwise) = (code(model, then, compiler), code(model, otherwise, compiler));
            Code::If(compiler.test(*condition), then.into(), otherwise.into())
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

impl Code {
    /// Adds to `to` the states in which executions from the states of `from` end.
    pub fn run(&self, codec: &Codec, from: &Pool, to: &mut Pool) -> Result<(), Odd> {
        self.go(&mut Course { codec, turns_left: MOST_TURNS }, from, to)
    }

    fn go(&self, course: &mut Course<'_>, from: &Pool, to: &mut Pool) -> Result<(), Odd> {
        match self {
            Self::Assume(condition) => {
                for state in from.iter() {
                    if decide(condition, state)? {
                        to.push(state);
                    }
                }
                Ok(())
            }
            Self::Assign(list) => from.iter().try_for_each(|state| assign(list, course.codec, state, to)),
            Self::Sequence(parts) => sequence(parts, course, from, to),
            Self::Choice(parts) => parts.iter().try_for_each(|part| part.go(course, from, to)),
            Self::If(condition, then, otherwise) => {
                let (mut yes, mut no) = (Pool::new(from.width), Pool::new(from.width));
                for state in from.iter() {
                    if decide(condition, state)? { &mut yes } else { &mut no }.push(state);
                }
                then.go(course, &yes, to)?;
                otherwise.go(course, &no, to)
            }
            Self::While(condition, body) => repeat(condition, body, course, from, to),
            Self::Scope(locals, body) => {
                let mut within = Pool::new(from.width);
                body.go(course, &from.with(locals), &mut within)?;
                within.with(locals).iter().for_each(|state| to.push(state));
                Ok(())
            }
        }
    }
}

/// What one execution has.
struct Course<'c> {
    codec: &'c Codec,
    turns_left: usize,
}

/// Turn by turn; states that were at the head of the loop before are not followed again.
fn repeat(condition: &Test, body: &Code, course: &mut Course<'_>, from: &Pool, to: &mut Pool) -> Result<(), Odd> {
    let mut seen: Set<Box<[Raw]>> = Set::default();
    let mut next: Option<Pool> = None;
    loop {
        let mut turning = Pool::new(from.width);
        for state in next.as_ref().unwrap_or(from).iter() {
            if !decide(condition, state)? {
                to.push(state);
            } else if seen.insert(state.into()) {
                turning.push(state);
            }
        }
        if turning.n_states == 0 {
            return Ok(());
        }
        course.turns_left = course.turns_left.checked_sub(turning.n_states).ok_or(Odd)?;
        let mut after = Pool::new(from.width);
        body.go(course, &turning, &mut after)?;
        next = Some(after);
    }
}

fn decide(condition: &Test, state: &[Raw]) -> Result<bool, Odd> {
    match condition(state) {
        Truth::True => Ok(true),
        Truth::False => Ok(false),
        Truth::Odd => Err(Odd),
    }
}

fn sequence(parts: &[Code], course: &mut Course<'_>, from: &Pool, to: &mut Pool) -> Result<(), Odd> {
    let Some((last, before)) = parts.split_last() else {
        from.iter().for_each(|state| to.push(state));
        return Ok(());
    };
    let mut reached: Option<Pool> = None;
    for part in before {
        let mut next = Pool::new(from.width);
        part.go(course, reached.as_ref().unwrap_or(from), &mut next)?;
        reached = Some(if next.n_states > 1 { next.each_once() } else { next });
    }
    last.go(course, reached.as_ref().unwrap_or(from), to)
}

/// All at once: whatever is read is read in `old`.
fn assign(list: &[Write], codec: &Codec, old: &[Raw], to: &mut Pool) -> Result<(), Odd> {
    let mut written: Vec<(usize, &Right)> = Vec::with_capacity(list.len());
    for write in list {
        match write.to.variable(old)? {
            Some(var) if written.iter().all(|&(other, _)| other != var) => written.push((var, &write.value)),
            Some(_) | None => return Ok(()),
        }
    }
    let mut single: Vec<(usize, Raw)> = Vec::with_capacity(list.len());
    for &(var, right) in &written {
        let value = match right {
            Right::Value(value) => value(old).ok_or(Odd)?,
            Right::Constant(value) => *value,
            Right::Any(..) => continue,
            Right::Unbounded => return Err(Odd),
        };
        if !codec.admits(var, value) {
            return Ok(());
        }
        single.push((var, value));
    }
    let begin = to.n_states;
    to.push(old);
    single.into_iter().for_each(|(var, value)| to.set(begin, var, value));
    for (var, right) in written {
        if let Right::Any(lo, hi) = *right {
            spread(to, begin, var, lo, hi);
        }
    }
    Ok(())
}

/// Replaces each state from `begin` on by one for every value of the variable.
fn spread(pool: &mut Pool, begin: usize, var: usize, lo: Raw, hi: Raw) {
    let end = pool.n_states;
    for value in lo..hi {
        for state in begin..end {
            pool.push_copy(state);
            pool.set(pool.n_states - 1, var, value);
        }
    }
    (begin..end).for_each(|state| pool.set(state, var, hi));
}

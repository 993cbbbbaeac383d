//! Extended symbolic transition systems as `.xsts` writes them: a syntax tree, its text, its meaning by trying everything,
//! and random ones.
//!
//! What there is to know about a random system is in one [`Case`]. The traps of the language: `init` runs once, then `env`
//! and `trans` take turns, and the property is asked everywhere, even before `init`; a branch is all or nothing; `ort` runs
//! all its branches, in any order; `or` and `else` belong to the innermost `choice` and `if`, and whatever follows the
//! branches of an `ort` is one more branch of it.

mod explore;
mod print;
mod random;
#[cfg(test)]
mod reparse;
mod statement;
mod tables;

pub use explore::explore;
pub use random::random;
pub use tables::tables;

use std::collections::BTreeSet;

use crate::brute::Verdict;
use crate::dice::Dice;
use crate::terms::damage::{Words, damage};
use crate::terms::{Enumeration, Expr, Fault, Sort};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Xsts {
    pub enums: Vec<Enumeration>,
    pub variables: Vec<Variable>,
    /// One of them runs.
    pub trans: Vec<Statement>,
    pub init: Vec<Statement>,
    pub env: Vec<Statement>,
    pub property: Expr,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub sort: Sort,
    pub role: Role,
    /// A constant; any value when there is none.
    pub initial: Option<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Plain,
    /// Means nothing, here.
    Control,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Known until the end of the block around.
    Local {
        name: String,
        sort: Sort,
        initial: Option<Expr>,
    },
    Assign(String, Expr),
    /// To one index of an array.
    Write(String, Expr, Expr),
    Havoc(String),
    Assume(Expr),
    Choice(Vec<Statement>),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    /// All of them, in any order.
    Ort(Vec<Statement>),
    Block(Vec<Statement>),
    /// For the numbers from the first to below the second.
    For(String, Expr, Expr, Box<Statement>),
}

/// What runs next. With the values of the variables this is the state of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Init,
    Env,
    Trans,
}

/// In which orders the branches of an `ort` run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Every,
    Declared,
}

/// All there is to know about a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    pub names: Vec<String>,
    /// The reachable states: what runs next, and one printed value per variable.
    pub states: BTreeSet<(Phase, Vec<String>)>,
    pub n_initial: usize,
    /// The greatest number of init, env and trans steps that a state needs.
    pub depth: usize,
    /// The number of init, env and trans steps of a shortest run to a state in which the property fails.
    pub violation: Option<usize>,
}

/// A random system for comparisons.
#[derive(Clone, Debug)]
pub struct Case {
    pub model: Xsts,
    /// With the property.
    pub text: String,
    /// The text but for the property.
    pub body: String,
    /// As a `.prop` file has it.
    pub property: String,
    /// The property as a command line has it.
    pub condition: String,
    pub verdict: Verdict,
    /// The number of reachable states, the phase being a part of them.
    pub n_states: usize,
    /// The number of reachable valuations of the variables alone.
    pub n_valuations: usize,
    /// The number of init, env and trans steps of a shortest run to a state in which the property fails.
    pub shortest: Option<usize>,
    pub exploration: Exploration,
}

/// The most states of a random system.
pub const MOST_STATES: usize = 3000;

/// Equal seeds give equal cases.
pub fn case(seed: u64) -> Case {
    let model = random(&mut Dice::new(seed ^ 0x7873_7473));
    Case::of(model, MOST_STATES, seed).expect("random systems are small")
}

impl Case {
    /// The same of a system that somebody wrote, as the text of this seed.
    pub fn of(model: Xsts, most_states: usize, seed: u64) -> Result<Case, Fault> {
        let exploration = explore(&model, Order::Every, most_states)?;
        let valuations: BTreeSet<&Vec<String>> = exploration.states.iter().map(|(_, values)| values).collect();
        let (body, property) = (model.body(seed), model.property(seed));
        Ok(Case {
            text: format!("{body}\n{property}"),
            body,
            property,
            condition: model.condition(),
            verdict: if exploration.violation.is_some() { Verdict::Violated } else { Verdict::Holds },
            n_states: exploration.states.len(),
            n_valuations: valuations.len(),
            shortest: exploration.violation,
            exploration,
            model,
        })
    }
}

impl Xsts {
    /// The whole text; equal seeds give equal texts.
    pub fn to_xsts(&self, seed: u64) -> String {
        format!("{}\n{}", self.body(seed), self.property(seed))
    }
}

/// A damaged text, for parsers; equal seeds give equal texts.
pub fn damaged(seed: u64) -> String {
    let text = |seed: u64| random(&mut Dice::new(seed)).to_xsts(seed);
    damage(&WORDS, &text(seed), &text(seed + 1), seed)
}

const WORDS: Words = Words {
    tokens: "ctrl var type boolean integer trans init env prop choice or ort if then else for from to do local havoc assume \
        true false default iff xor rem := ; : = == != < <= > >= => && || ! + - * / % <- -> , ( ) [ ] { } T0.A A.B.C $x temp0 \
        [integer]->boolean [<integer>default<-0] x 0 1 /* */ //",
    operators: "== != < <= > >= => && || ! + - * / % rem iff xor := = or",
};

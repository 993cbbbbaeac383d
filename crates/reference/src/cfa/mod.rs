//! Control flow automata as `.cfa` writes them: a syntax tree, its text, its meaning by trying everything, and random ones.
//!
//! What there is to know about a random automaton is in one [`Case`]. The traps of the language: variables start with any
//! value; an edge is one step however many statements it has; only the process that is marked `main` runs; names of the
//! process hide global ones.

mod explore;
mod print;
mod random;
mod tables;

pub use explore::explore;
pub use random::random;
pub use tables::tables;

use std::collections::BTreeSet;

use crate::brute::Verdict;
use crate::dice::Dice;
use crate::terms::damage::{Words, damage};
use crate::terms::{Expr, Fault, Sort};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cfa {
    pub globals: Vec<Variable>,
    pub main: Process,
    /// Processes that never run.
    pub others: Vec<Process>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    pub name: String,
    pub variables: Vec<Variable>,
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub sort: Sort,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub name: String,
    pub role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Plain,
    Init,
    Final,
    Error,
}

/// An edge between the locations with these numbers: one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub statements: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Assign(String, Expr),
    Havoc(String),
    Assume(Expr),
}

/// All there is to know about an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    /// The variables that the main process can name, global ones first.
    pub names: Vec<String>,
    /// The reachable states: the location, and one printed value per variable. A variable with infinitely many values that was
    /// not written yet is `any`.
    pub states: BTreeSet<(String, Vec<String>)>,
    pub n_initial: usize,
    /// The greatest number of edges that a state needs.
    pub depth: usize,
    /// The number of edges of a shortest run to the error location.
    pub violation: Option<usize>,
}

/// A random automaton for comparisons.
#[derive(Clone, Debug)]
pub struct Case {
    pub model: Cfa,
    pub text: String,
    /// Whether the error location is out of reach.
    pub verdict: Verdict,
    /// The number of reachable states, each variable told apart everywhere.
    pub n_states: usize,
    /// The number of edges of a shortest run to the error location.
    pub shortest: Option<usize>,
    pub exploration: Exploration,
}

/// The most states of a random automaton.
pub const MOST_STATES: usize = 3000;

/// Equal seeds give equal cases.
pub fn case(seed: u64) -> Case {
    let model = random(&mut Dice::new(seed ^ 0x0063_6661));
    Case::of(model, MOST_STATES, seed).expect("random automata are small")
}

impl Case {
    /// The same of an automaton that somebody wrote, as the text of this seed.
    pub fn of(model: Cfa, most_states: usize, seed: u64) -> Result<Case, Fault> {
        let exploration = explore(&model, most_states)?;
        let verdict = if exploration.violation.is_some() { Verdict::Violated } else { Verdict::Holds };
        let (n_states, shortest) = (exploration.states.len(), exploration.violation);
        Ok(Case { text: model.to_cfa(seed), verdict, n_states, shortest, exploration, model })
    }
}

/// A damaged text, for parsers; equal seeds give equal texts.
pub fn damaged(seed: u64) -> String {
    let text = |seed: u64| random(&mut Dice::new(seed)).to_cfa(seed);
    damage(&WORDS, &text(seed), &text(seed + 1), seed)
}

const WORDS: Words = Words {
    tokens: "var main process init final error loc havoc assume return bool int rat bv fp if then else iff imply \
        forall exists or xor and not true false default -> := = /= < <= > >= + - * / mod rem ++ % ' <- : , ( ) [ ] { } \
        4'b0101 4'd15 4'd16 4'd-9 8'xff 8'b1 0'd0 200'd1 1%3 fp[8:24] bv[0] bv[2000000000] [int]->int (int)->int \
        x L0 n 0 1 /* */ //",
    operators: "bvult bvule bvugt bvuge bvslt bvsle bvsgt bvsge bvor bvxor bvand bvshl bvashr bvlshr bvrol bvror bvadd bvsub \
        bvmul bvudiv bvsdiv bvsmod bvurem bvsrem bv_zero_extend bv_sign_extend bvneg bvnot bvpos fpadd fpmax = /= < + - mod rem \
        and or xor iff imply",
};

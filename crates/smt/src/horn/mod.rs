//! Models as constrained Horn clauses: the strongest sets of states that satisfy the clauses are what can be reached, so that all
//! clauses can be satisfied exactly where nothing that is asked about is reached.
//!
//! `Inv` is what can be reached, one predicate for every combination of values of control variables where these are few. What
//! happens within a step is said exactly: loops, and joins behind many branches, have predicates of their own.

mod body;
mod names;
mod system;
mod text;

use lapidary_base::{Control, IdVec, Stop, id};
use lapidary_ir::{Expr, VarId};

use crate::encode::{Halt, encode_within};
use crate::terms::Terms;

id! {
    pub struct PredicateId(u32);
}

/// A set of values of some variables, to be found by the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    pub name: String,
    pub parameters: Vec<VarId>,
}

/// That some values are in the set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    pub predicate: PredicateId,
    pub arguments: Vec<Expr>,
}

/// Where the parameters of `from` are in its set and the guard is true, so is `to`; no guard may be true where that is nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// For readers: `command P[0].enter`. Clauses about the same stand together.
    pub about: String,
    pub from: Option<PredicateId>,
    /// Over the variables and further symbols, all of which may have any value.
    pub guard: Vec<Expr>,
    pub to: Option<Application>,
}

/// Clauses about a model.
pub struct Horn<'a> {
    pub terms: Terms<'a>,
    pub predicates: IdVec<PredicateId, Predicate>,
    pub clauses: Vec<Clause>,
}

/// What must not be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// A state in which this is true.
    States(Expr),
    /// A state without a step of a command that is not idle.
    Deadlocks,
}

/// The clauses that can be satisfied exactly where the query is never met. Deadlocks may be too much to be written down.
pub fn clauses<'a>(mut terms: Terms<'a>, query: Query, control: &Control) -> Result<Horn<'a>, Halt> {
    let target = match query {
        Query::States(condition) => condition,
        Query::Deadlocks => encode_within(&mut terms, control)?.deadlocks_within(&terms, control)?,
    };
    let system::Found { predicates, clauses, .. } = system::found(&mut terms, target, control)?;
    Ok(Horn { terms, predicates, clauses })
}

impl<'a> Horn<'a> {
    /// The whole file: first these comments, then what they are about.
    pub fn text(&self, comments: &[String], control: &Control) -> Result<String, Stop> {
        text::file(self, comments, control)
    }
}

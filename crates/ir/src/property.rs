//! What is asked of a model.

use lapidary_base::id;
use lapidary_text::Span;

use crate::expr::Expr;
use crate::model::Fault;

id! {
    pub struct PropertyId(u32);
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    pub name: String,
    pub kind: PropertyKind,
    /// Where evaluating the property itself goes wrong: a reachable state that does so violates it.
    pub faults: Vec<Fault>,
    /// The formula as the source has it.
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// Every reachable state satisfies it.
    Invariant(Expr),
    /// Some reachable state satisfies it.
    Reach(Expr),
    /// Every reachable state has a step, one that does more than wait.
    DeadlockFree,
    /// No reachable state enables a step that would err; the conditions are the commands' faults.
    NoErrors,
    Ltl(Ltl),
}

/// States that can be asked for: can they be reached?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The states that satisfy an expression, which has a value in every state.
    States(Expr),
    /// The states without a step of a command that is not idle.
    Deadlocks,
}

/// Linear temporal logic over state expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ltl {
    State(Expr),
    Not(Box<Ltl>),
    And(Box<Ltl>, Box<Ltl>),
    Or(Box<Ltl>, Box<Ltl>),
    Implies(Box<Ltl>, Box<Ltl>),
    Iff(Box<Ltl>, Box<Ltl>),
    Next(Box<Ltl>),
    Finally(Box<Ltl>),
    Globally(Box<Ltl>),
    Until(Box<Ltl>, Box<Ltl>),
    Release(Box<Ltl>, Box<Ltl>),
    WeakUntil(Box<Ltl>, Box<Ltl>),
    StrongRelease(Box<Ltl>, Box<Ltl>),
}

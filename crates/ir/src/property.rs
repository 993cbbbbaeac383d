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

impl PropertyKind {
    /// As the textual form and reports call it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Invariant(_) => "invariant",
            Self::Reach(_) => "reach",
            Self::DeadlockFree => "deadlock_free",
            Self::NoErrors => "no_errors",
            Self::Ltl(_) => "ltl",
        }
    }

    /// What it says of single states, if that is an expression.
    pub fn formula(&self) -> Option<Expr> {
        match self {
            Self::Invariant(formula) | Self::Reach(formula) => Some(*formula),
            Self::DeadlockFree | Self::NoErrors | Self::Ltl(_) => None,
        }
    }

    /// Whether a run is what it asks for.
    pub fn is_reach(&self) -> bool {
        match self {
            Self::Reach(_) => true,
            Self::Invariant(_) | Self::DeadlockFree | Self::NoErrors | Self::Ltl(_) => false,
        }
    }

    /// All its expressions, from left to right.
    pub fn exprs(&self) -> Vec<Expr> {
        let mut all = Vec::new();
        // Nothing is changed.
        self.mapped(&mut |expr| {
            all.push(expr);
            expr
        });
        all
    }

    /// The same of other expressions.
    pub fn mapped(&self, of: &mut dyn FnMut(Expr) -> Expr) -> Self {
        match self {
            Self::Invariant(formula) => Self::Invariant(of(*formula)),
            Self::Reach(formula) => Self::Reach(of(*formula)),
            Self::DeadlockFree => Self::DeadlockFree,
            Self::NoErrors => Self::NoErrors,
            Self::Ltl(formula) => Self::Ltl(formula.mapped(of)),
        }
    }
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

impl Ltl {
    /// The same over other expressions.
    pub fn mapped(&self, of: &mut dyn FnMut(Expr) -> Expr) -> Self {
        let mut part = |part: &Self| Box::new(part.mapped(of));
        match self {
            Self::State(expr) => Self::State(of(*expr)),
            Self::Not(a) => Self::Not(part(a)),
            Self::And(a, b) => Self::And(part(a), part(b)),
            Self::Or(a, b) => Self::Or(part(a), part(b)),
            Self::Implies(a, b) => Self::Implies(part(a), part(b)),
            Self::Iff(a, b) => Self::Iff(part(a), part(b)),
            Self::Next(a) => Self::Next(part(a)),
            Self::Finally(a) => Self::Finally(part(a)),
            Self::Globally(a) => Self::Globally(part(a)),
            Self::Until(a, b) => Self::Until(part(a), part(b)),
            Self::Release(a, b) => Self::Release(part(a), part(b)),
            Self::WeakUntil(a, b) => Self::WeakUntil(part(a), part(b)),
            Self::StrongRelease(a, b) => Self::StrongRelease(part(a), part(b)),
        }
    }
}

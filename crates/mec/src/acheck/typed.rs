//! A specification with every name resolved for one node, and every expression known to be of one sort.

use lapidary_ir::tree::VarKind;
use lapidary_ir::{ComponentId, EventRef, Expr};
use lapidary_text::Span;

use super::ast::{Equation, Link, Redirection};

/// What a set is a set of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    States,
    Trans,
}

impl Sort {
    pub fn words(self) -> &'static str {
        match self {
            Self::States => "a set of states",
            Self::Trans => "a set of transitions",
        }
    }
}

/// Operations that both sorts have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Combined<E> {
    Not(Box<E>),
    And(Vec<E>),
    Chain(Box<E>, Vec<(Link, E)>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum States {
    Any,
    Empty,
    Initial,
    Formula(Expr),
    Named(String),
    Sources(Box<Trans>),
    Targets(Box<Trans>),
    Reach(Box<States>, Box<Trans>),
    Coreach(Box<States>, Box<Trans>),
    /// From where every maximal path of the transitions meets the states.
    Unavoidable(Box<Trans>, Box<States>),
    /// The least one.
    Pick(Box<States>),
    /// The reachable configurations that agree with one of the set on all variables of the kind.
    Alike(VarKind, Box<States>),
    Combined(Combined<States>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trans {
    Any,
    Empty,
    Loops,
    EpsilonLoops,
    Epsilon,
    /// Those in which one of the events takes part.
    Label(Vec<EventRef>),
    Ambiguous,
    Named(String),
    From(Box<States>),
    Into(Box<States>),
    Trace(Box<States>, Box<Trans>, Box<States>),
    /// The transitions of the first set that lie on a cycle of transitions of both.
    Cycles(Box<Trans>, Box<Trans>),
    Combined(Combined<Trans>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    States(States),
    Trans(Trans),
}

impl Set {
    pub fn sort(&self) -> Sort {
        match self {
            Self::States(_) => Sort::States,
            Self::Trans(_) => Sort::Trans,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Statement {
    Definition(Definition),
    Command(Command),
}

#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    pub kind: Equation,
    pub body: Set,
    /// Where the name is defined.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Command {
    pub kind: CommandKind,
    pub redirection: Option<Redirection>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum CommandKind {
    /// Each with the words that stand for it.
    Show(Vec<(String, Set)>),
    Test {
        words: String,
        set: Set,
        expected: u128,
    },
    Dot(States, Trans),
    DotTrace(States, Trans, States),
    Modes,
    Quotient,
    Project(Projection),
    Remove(Vec<String>),
    Events,
}

#[derive(Clone, Debug)]
pub struct Projection {
    pub states: States,
    pub existential: Trans,
    pub universal: Trans,
    /// Of the node that is made.
    pub name: String,
    pub guards: Guards,
    pub component: ComponentId,
}

/// How a guard is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guards {
    /// Nested by variables, equal branches merged.
    Simplified,
    /// One conjunction for every valuation.
    Listed,
}

//! Relation definitions with names and types resolved: what is evaluated.

use lapidary_base::{IdVec, id};
use lapidary_text::Span;

use super::ast::{Fixpoint, Quantifier};
use super::types::TypeId;

id! {
    /// A parameter or a quantified variable of one definition.
    pub struct Variable(u32);
}

#[derive(Clone, Debug)]
pub struct VariableData {
    pub name: String,
    pub ty: TypeId,
}

/// A part of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub variable: Variable,
    /// The number of the leaf in the variable's type.
    pub leaf: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    Different,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
}

/// Something with a value: a truth value (0 or 1), an integer, or a symbol by its number.
#[derive(Clone, Debug)]
pub enum Term {
    Part(Part),
    Value(i64),
    Negative(Box<Term>, Span),
    Binary(Arithmetic, Box<Term>, Box<Term>, Span),
    If(Box<Formula>, Box<Term>, Box<Term>),
    Truth(Box<Formula>),
}

#[derive(Clone, Debug)]
pub enum Relation {
    /// Has a value already; `N!t` or a name of the session.
    Stored(String),
    /// An equation of the same definition.
    Equation(usize),
}

#[derive(Clone, Debug)]
pub enum Formula {
    Constant(bool),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    If(Box<Formula>, Box<Formula>, Box<Formula>),
    Quantified(Quantifier, Vec<Variable>, Box<Formula>),
    /// One term for every leaf of every parameter.
    Apply(Relation, Vec<Vec<Term>>, Span),
    Compare(Comparison, Term, Term, Span),
}

#[derive(Clone, Debug)]
pub struct Equation {
    pub name: String,
    pub parameters: Vec<Variable>,
    pub fixpoint: Fixpoint,
    pub body: Formula,
}

/// Equations that are solved together.
#[derive(Clone, Debug)]
pub struct System {
    pub variables: IdVec<Variable, VariableData>,
    pub equations: Vec<Equation>,
    /// The relations of nodes that are mentioned, in the order of their first mention.
    pub mentioned: Vec<String>,
}

impl Formula {
    /// Whether the value depends on an equation that is being solved.
    pub fn is_recursive(&self) -> bool {
        match self {
            Self::Constant(_) => false,
            Self::Not(inner) | Self::Quantified(_, _, inner) => inner.is_recursive(),
            Self::And(parts) | Self::Or(parts) => parts.iter().any(Self::is_recursive),
            Self::Iff(a, b) => a.is_recursive() || b.is_recursive(),
            Self::If(a, b, c) => [a, b, c].into_iter().any(|part| part.is_recursive()),
            Self::Apply(Relation::Equation(_), ..) => true,
            Self::Apply(Relation::Stored(_), arguments, _) => arguments.iter().flatten().any(Term::is_recursive),
            Self::Compare(_, a, b, _) => a.is_recursive() || b.is_recursive(),
        }
    }

    /// The equations that are mentioned, each as often as it is.
    pub fn equations(&self, found: &mut Vec<usize>) {
        match self {
            Self::Constant(_) => {}
            Self::Not(inner) | Self::Quantified(_, _, inner) => inner.equations(found),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.equations(found)),
            Self::Iff(a, b) => [a, b].into_iter().for_each(|part| part.equations(found)),
            Self::If(a, b, c) => [a, b, c].into_iter().for_each(|part| part.equations(found)),
            Self::Apply(relation, arguments, _) => {
                if let Relation::Equation(equation) = relation {
                    found.push(*equation);
                }
                arguments.iter().flatten().for_each(|term| term.equations(found));
            }
            Self::Compare(_, a, b, _) => [a, b].into_iter().for_each(|term| term.equations(found)),
        }
    }
}

impl Term {
    fn is_recursive(&self) -> bool {
        match self {
            Self::Part(_) | Self::Value(_) => false,
            Self::Negative(inner, _) => inner.is_recursive(),
            Self::Binary(_, a, b, _) => a.is_recursive() || b.is_recursive(),
            Self::If(condition, a, b) => condition.is_recursive() || a.is_recursive() || b.is_recursive(),
            Self::Truth(formula) => formula.is_recursive(),
        }
    }

    fn equations(&self, found: &mut Vec<usize>) {
        match self {
            Self::Part(_) | Self::Value(_) => {}
            Self::Negative(inner, _) => inner.equations(found),
            Self::Binary(_, a, b, _) => [a, b].into_iter().for_each(|term| term.equations(found)),
            Self::If(condition, a, b) => {
                condition.equations(found);
                [a, b].into_iter().for_each(|term| term.equations(found));
            }
            Self::Truth(formula) => formula.equations(found),
        }
    }
}

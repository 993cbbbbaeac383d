//! The checked tree: names are resolved, types fit. Liveness and lowering read nothing else.

use lapidary_base::{IdVec, id};
use lapidary_text::Span;

use super::ast::{Binary, Bits, Compare, Extension, Logic, Name, Sign};
use crate::asked::Asked;

id! {
    pub struct VariableId(u32);
    /// A location of the main process.
    pub struct LocationId(u32);
    /// A type of arrays.
    pub struct ArrayId(u32);
}

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// Something is wrong with it, and this was reported: it fits everywhere.
    Error,
    Bool,
    Int,
    Bits(u32),
    Array(ArrayId),
    /// Of the main process; only formulas speak of it.
    Location,
}

/// The types of arrays, each once: their indexes and elements.
#[derive(Debug, Default)]
pub struct Arrays(IdVec<ArrayId, [Ty; 2]>);

impl Arrays {
    pub fn of(&mut self, index: Ty, element: Ty) -> Ty {
        let found = self.0.enumerated().find(|(_, parts)| **parts == [index, element]).map(|(id, _)| id);
        Ty::Array(found.unwrap_or_else(|| self.0.push([index, element])))
    }

    pub fn parts(&self, array: ArrayId) -> [Ty; 2] {
        self.0[array]
    }
}

pub struct Program<'a> {
    pub arrays: Arrays,
    /// Those of all processes are numbered; these are declared outside of them and in the main one.
    pub variables: IdVec<VariableId, Variable<'a>>,
    pub locations: IdVec<LocationId, Name<'a>>,
    /// What the variable is called that says where the main process is.
    pub here: String,
    pub initial: LocationId,
    /// The one that shall not be reached.
    pub error: Option<LocationId>,
    pub edges: Vec<Edge>,
    /// Those of the command line.
    pub formulas: Vec<Formula<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Variable<'a> {
    pub name: Name<'a>,
    pub ty: Ty,
    pub owner: Owner,
}

/// Who declares a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Model,
    Main,
    /// A process that is never run.
    Other,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub from: LocationId,
    pub to: LocationId,
    pub body: Vec<Statement>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Statement {
    Assign(VariableId, Expr),
    Havoc(VariableId),
    Assume(Expr),
}

pub struct Formula<'a> {
    pub asked: &'a Asked,
    /// None where nobody reads it, or none is needed.
    pub formula: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: Kind,
    pub ty: Ty,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Error,
    Bool(bool),
    Int(i64),
    Bits(Bits),
    Variable(VariableId),
    /// Where the main process is.
    Here,
    Location(LocationId),
    Not(Box<Expr>),
    Chain(Logic, Vec<Expr>),
    Compare(Compare, Box<[Expr; 2]>),
    Fold(Box<Expr>, Vec<(Binary, Expr)>),
    Sign(Sign, Box<Expr>),
    /// To the width of the whole.
    Extend(Extension, Box<Expr>),
    /// Both bits included.
    Extract {
        of: Box<Expr>,
        high: u32,
        low: u32,
    },
    If(Box<[Expr; 3]>),
    Read(Box<[Expr; 2]>),
    Write(Box<[Expr; 3]>),
    /// Entries, later ones over earlier ones, and what all other cells have.
    Array(Vec<[Expr; 2]>, Box<Expr>),
}

impl Expr {
    /// What stands for something that was reported.
    pub fn error(span: Span) -> Self {
        Self { kind: Kind::Error, ty: Ty::Error, span }
    }

    /// Calls `visit` with each part.
    pub fn for_each_part<'e>(&'e self, mut visit: impl FnMut(&'e Self)) {
        match &self.kind {
            Kind::Error | Kind::Bool(_) | Kind::Int(_) | Kind::Bits(_) => {}
            Kind::Variable(_) | Kind::Here | Kind::Location(_) => {}
            Kind::Not(a) | Kind::Sign(_, a) | Kind::Extend(_, a) | Kind::Extract { of: a, .. } => visit(a),
            Kind::Chain(_, parts) => parts.iter().for_each(visit),
            Kind::Compare(_, parts) | Kind::Read(parts) => parts.iter().for_each(visit),
            Kind::Fold(first, rest) => {
                visit(first);
                rest.iter().for_each(|(_, part)| visit(part));
            }
            Kind::If(parts) | Kind::Write(parts) => parts.iter().for_each(visit),
            Kind::Array(entries, default) => {
                entries.iter().flatten().for_each(&mut visit);
                visit(default);
            }
        }
    }
}

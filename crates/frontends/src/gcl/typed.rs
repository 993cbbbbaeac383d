//! The checked tree: names are resolved, constants are values, types fit. Lowering reads nothing else.

use lapidary_base::{IdVec, id};
use lapidary_ir::{Domain, EnumId, EnumType, Sort};
use lapidary_text::Span;

use super::ast::{Binary, Compare, Factor, Name, PropertyKind, Quantifier, Sign, Unary};

id! {
    /// A declared variable: of a scalar type or an array, once or in every instance of a process.
    pub struct VariableId(u32);
    pub struct ProcessId(u32);
    pub struct DefineId(u32);
    /// A place in the list of parameters and bound names that are in scope, outermost first.
    pub struct Slot(u32);
}

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// Something is wrong with it, and this was reported: it fits everywhere.
    Error,
    Bool,
    Int,
    Enum(EnumId),
}

impl From<Sort> for Ty {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Bool => Self::Bool,
            Sort::Int => Self::Int,
            Sort::Enum(id) => Self::Enum(id),
            Sort::Bits(_) | Sort::Array(_) => {
                unreachable!("the language has neither bit-vectors nor arrays of this kind")
            }
        }
    }
}

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    Bool(bool),
    Int(i64),
    Literal(EnumId, u32),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: Kind,
    pub ty: Ty,
    /// Whether a temporal operator occurs in it.
    pub temporal: bool,
    /// Whether it depends on the state.
    pub reads: bool,
    pub span: Span,
}

impl Expr {
    /// An expression that depends on the state where one of its parts does, and alike for temporal operators.
    pub fn new(kind: Kind, ty: Ty, span: Span) -> Self {
        let mut expr = Self { kind, ty, temporal: false, reads: false, span };
        let (mut temporal, mut reads) = (false, false);
        expr.for_each_part(|part| {
            temporal |= part.temporal;
            reads |= part.reads;
        });
        expr.temporal = temporal || matches!(expr.kind, Kind::Temporal(..) | Kind::Temporal2(..));
        expr.reads = reads || matches!(expr.kind, Kind::Read(_));
        expr
    }

    /// What stands for something that was reported.
    pub fn error(span: Span) -> Self {
        Self::new(Kind::Error, Ty::Error, span)
    }

    fn for_each_part(&self, mut visit: impl FnMut(&Self)) {
        match &self.kind {
            Kind::Error | Kind::Constant(_) | Kind::Bound(_) | Kind::Define { .. } => {}
            // A read depends on the state whatever its indexes are.
            Kind::Read(_) => {}
            Kind::Not(a) | Kind::Neg(a) | Kind::Abs(a) | Kind::Temporal(_, a) => visit(a),
            Kind::And(parts) | Kind::Or(parts) | Kind::Implies(parts) | Kind::Iff(parts) => {
                parts.iter().for_each(visit);
            }
            Kind::Compare(_, parts) | Kind::Min(parts) | Kind::Max(parts) | Kind::Temporal2(_, parts) => {
                parts.iter().for_each(visit);
            }
            Kind::Sum(parts) => parts.iter().for_each(|(_, part)| visit(part)),
            Kind::Product(first, rest) => {
                visit(first);
                rest.iter().for_each(|(_, part)| visit(part));
            }
            Kind::If(parts) => parts.iter().for_each(visit),
            // Bounds are constant.
            Kind::Quantified(_, _, body) => visit(body),
        }
    }
}

#[derive(Clone, Debug)]
pub enum Kind {
    Error,
    Constant(Constant),
    Bound(Slot),
    /// A definition; its body sees the first `n_slots` names in scope, the parameters of its process.
    Define {
        id: DefineId,
        n_slots: usize,
    },
    Read(Place),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Implies(Vec<Expr>),
    Iff(Vec<Expr>),
    Compare(Compare, Box<[Expr; 2]>),
    Sum(Vec<(Sign, Expr)>),
    Product(Box<Expr>, Vec<(Factor, Expr)>),
    Min(Box<[Expr; 2]>),
    Max(Box<[Expr; 2]>),
    Abs(Box<Expr>),
    If(Box<[Expr; 3]>),
    Quantified(Quantifier, Box<Range>, Box<Expr>),
    Temporal(Unary, Box<Expr>),
    Temporal2(Binary, Box<[Expr; 2]>),
}

/// Constant bounds.
#[derive(Clone, Debug)]
pub struct Range {
    pub lo: Expr,
    pub hi: Expr,
}

#[derive(Clone, Debug)]
pub struct Place {
    pub variable: VariableId,
    pub instance: Instance,
    /// As many as the variable has dimensions.
    pub indexes: Vec<Expr>,
    pub span: Span,
}

/// Whose variable is meant.
#[derive(Clone, Debug)]
pub enum Instance {
    /// There is only one: a variable outside, or of a process without parameters.
    Only,
    /// The instance in which this stands.
    Own,
    /// `P[e]`, one index per parameter.
    At(Vec<Expr>),
}

/// How far an answer that is found on demand has come.
#[derive(Clone, Debug, Default)]
pub enum Progress<T> {
    #[default]
    Untouched,
    Running,
    Done(T),
}

impl<T> Progress<T> {
    pub fn done(&self) -> Option<&T> {
        match self {
            Self::Done(answer) => Some(answer),
            Self::Untouched | Self::Running => None,
        }
    }
}

pub struct Program<'a> {
    pub enums: IdVec<EnumId, EnumType>,
    pub variables: IdVec<VariableId, Variable<'a>>,
    pub processes: IdVec<ProcessId, Process<'a>>,
    pub defines: IdVec<DefineId, Progress<Expr>>,
    /// Commands in the order of the text.
    pub units: Vec<Unit<'a>>,
    pub inits: Vec<Expr>,
    pub properties: Vec<Property<'a>>,
    /// Invariants of the command line.
    pub formulas: Vec<Property<'a>>,
}

pub enum Unit<'a> {
    Command(Box<Command<'a>>),
    Process(ProcessId),
}

#[derive(Debug)]
pub struct Variable<'a> {
    pub name: Name<'a>,
    pub process: Option<ProcessId>,
    pub domain: Domain,
    pub sizes: Vec<u32>,
    pub control: bool,
    pub initial: Initial,
}

/// Constant expressions that may use the parameters of the process.
#[derive(Debug)]
pub enum Initial {
    Any,
    Each(Expr),
    /// One per cell, row by row.
    List(Vec<Expr>),
}

#[derive(Debug)]
pub struct Process<'a> {
    pub name: Name<'a>,
    pub params: Vec<Param>,
    pub inits: Vec<Expr>,
    pub commands: Vec<Command<'a>>,
}

/// A parameter takes the `len` values from `lo` on.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub lo: i64,
    pub len: u32,
}

#[derive(Debug)]
pub struct Command<'a> {
    pub label: Name<'a>,
    pub range: Option<Range>,
    pub guard: Expr,
    pub updates: Vec<Update>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Update {
    pub to: Place,
    /// `None` is `input`.
    pub value: Option<Expr>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Property<'a> {
    pub name: &'a str,
    pub kind: PropertyKind,
    pub formula: Option<Expr>,
    pub span: Span,
}

//! The checked tree: names are resolved and types fit. Lowering reads nothing else.

use lapidary_base::{IdVec, id};
use lapidary_ir::{EnumId, EnumType};
use lapidary_text::Span;

use super::ast::{Compare, Factor, Junction, Sign};

id! {
    /// A declared variable: of the state, of a block, or of a loop.
    pub struct SymbolId(u32);
    /// An array type. Equal types have equal numbers.
    pub struct ArrayTy(u32);
}

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// Something is wrong with it, and this was reported: it fits everywhere.
    Error,
    Bool,
    Int,
    Enum(EnumId),
    Array(ArrayTy),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Array {
    pub index: Ty,
    pub element: Ty,
}

#[derive(Debug)]
pub struct Symbol<'a> {
    pub name: &'a str,
    pub ty: Ty,
    pub is: Role,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Global,
    /// Of the state, and abstractions keep it exact.
    Control,
    Local,
    /// Counts the rounds of a loop; nothing writes it.
    Counter,
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
    Literal(EnumId, u32),
    Read(SymbolId),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Junction(Junction, Box<[Expr; 2]>),
    Compare(Compare, Box<[Expr; 2]>),
    Sum(Vec<(Sign, Expr)>),
    Product(Box<Expr>, Vec<(Factor, Expr)>),
    If(Box<[Expr; 3]>),
    /// An array: these cells, later ones over earlier ones, and the last value everywhere else.
    Array(ArrayTy, Vec<[Expr; 2]>, Box<Expr>),
    /// The cell of an array.
    Select(ArrayTy, Box<[Expr; 2]>),
    /// The array with another value in one cell.
    Store(ArrayTy, Box<[Expr; 3]>),
}

#[derive(Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum StatementKind {
    Assign(SymbolId, Expr),
    Havoc(SymbolId),
    Assume(Expr),
    Choice(Vec<Statement>),
    If(Expr, Box<[Statement; 2]>),
    Ort(Vec<Statement>),
    /// With the variables that are declared in it.
    Block(Vec<SymbolId>, Vec<Statement>),
    /// A variable of the block begins; without a value it has any.
    Begin(SymbolId, Option<Expr>),
    For(Box<For>),
}

#[derive(Debug)]
pub struct For {
    pub counter: SymbolId,
    pub from: Expr,
    pub to: Expr,
    pub body: Statement,
}

pub struct Program<'a> {
    pub enums: IdVec<EnumId, EnumType>,
    pub arrays: IdVec<ArrayTy, Array>,
    pub symbols: IdVec<SymbolId, Symbol<'a>>,
    /// The variables of the state in the order of the text, with what they begin with.
    pub globals: Vec<(SymbolId, Option<Expr>)>,
    pub init: Section,
    pub env: Section,
    pub trans: Section,
    pub properties: Vec<Property>,
}

#[derive(Debug, Default)]
pub struct Section {
    pub branches: Vec<Statement>,
}

#[derive(Debug)]
pub struct Property {
    pub name: String,
    pub is: Asks,
    pub span: Span,
}

#[derive(Debug)]
pub enum Asks {
    Invariant(Expr),
    Reach(Expr),
    DeadlockFree,
    /// A temporal formula, which nobody reads.
    Temporal,
}

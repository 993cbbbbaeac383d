//! The syntax tree: what the text says, before names and types are looked at.

use lapidary_text::Span;

#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

#[derive(Debug, Default)]
pub struct File<'a> {
    pub types: Vec<TypeItem<'a>>,
    pub vars: Vec<VarItem<'a>>,
    pub trans: Option<Section<'a>>,
    pub init: Option<Section<'a>>,
    pub env: Option<Section<'a>>,
    /// The conditions of `prop`.
    pub props: Vec<Expr<'a>>,
    /// Temporal properties, which are only passed over.
    pub ltls: Vec<Span>,
}

#[derive(Debug)]
pub struct TypeItem<'a> {
    pub name: Name<'a>,
    pub literals: Vec<Name<'a>>,
}

#[derive(Debug)]
pub struct VarItem<'a> {
    pub name: Name<'a>,
    pub control: bool,
    pub ty: Type<'a>,
    pub initial: Option<Expr<'a>>,
}

/// `trans`, `init` or `env`: one of its branches happens, as a whole.
#[derive(Debug)]
pub struct Section<'a> {
    pub branches: Vec<Statement<'a>>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Type<'a> {
    pub kind: TypeKind<'a>,
    pub span: Span,
}

#[derive(Debug)]
pub enum TypeKind<'a> {
    Bool,
    Int,
    Array(Box<[Type<'a>; 2]>),
    Named(&'a str),
}

#[derive(Debug)]
pub struct Statement<'a> {
    pub kind: StatementKind<'a>,
    pub span: Span,
}

#[derive(Debug)]
pub enum StatementKind<'a> {
    Local(Box<VarItem<'a>>),
    /// With indexes, from the outside in, a cell is written.
    Assign {
        to: Name<'a>,
        indexes: Vec<Expr<'a>>,
        value: Expr<'a>,
    },
    Havoc(Name<'a>),
    Assume(Expr<'a>),
    Choice(Vec<Statement<'a>>),
    If(Box<If<'a>>),
    Ort(Vec<Statement<'a>>),
    Block(Vec<Statement<'a>>),
    For(Box<For<'a>>),
}

#[derive(Debug)]
pub struct If<'a> {
    pub condition: Expr<'a>,
    pub then: Statement<'a>,
    pub otherwise: Option<Statement<'a>>,
}

#[derive(Debug)]
pub struct For<'a> {
    pub name: Name<'a>,
    pub from: Expr<'a>,
    pub to: Expr<'a>,
    pub body: Statement<'a>,
}

#[derive(Debug)]
pub struct Expr<'a> {
    pub kind: ExprKind<'a>,
    pub span: Span,
}

#[derive(Debug)]
pub enum ExprKind<'a> {
    /// The text of the expression was not understood; this was reported.
    Error,
    Bool(bool),
    Int(i64),
    /// A variable or a literal.
    Name(&'a str),
    Not(Box<Expr<'a>>),
    Neg(Box<Expr<'a>>),
    And(Vec<Expr<'a>>),
    Or(Vec<Expr<'a>>),
    /// These nest to the right.
    Junction(Junction, Box<[Expr<'a>; 2]>),
    Compare(Compare, Box<[Expr<'a>; 2]>),
    /// The first part has the sign plus.
    Sum(Vec<(Sign, Expr<'a>)>),
    /// To the left, from the first factor on.
    Product(Box<Expr<'a>>, Vec<(Factor, Expr<'a>)>),
    If(Box<[Expr<'a>; 3]>),
    Array(Box<ArrayLiteral<'a>>),
    /// `a[i]`
    Read(Box<[Expr<'a>; 2]>),
    /// `a[i <- v]`
    Write(Box<[Expr<'a>; 3]>),
}

/// `[0 <- a, 1 <- b, default <- c]`, `[<integer> default <- c]`
#[derive(Debug)]
pub struct ArrayLiteral<'a> {
    pub index: Option<Type<'a>>,
    pub cells: Vec<[Expr<'a>; 2]>,
    pub default: Expr<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Junction {
    Iff,
    Implies,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Plus,
    Minus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    Times,
    Div,
    Mod,
    Rem,
}

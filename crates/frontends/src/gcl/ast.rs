//! The syntax tree: what the text says, before names and types are looked at.
//!
//! Chains of one operator are lists, so the tree is never deeper than the brackets, prefixes and bodies of the text.

use lapidary_base::IdVec;
use lapidary_ir::EnumId;
use lapidary_text::Span;

#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

#[derive(Debug, Default)]
pub struct File<'a> {
    pub items: Vec<Item<'a>>,
    /// All enumerations of the text; types refer to them by number.
    pub enums: IdVec<EnumId, Enumeration<'a>>,
}

#[derive(Debug)]
pub struct Enumeration<'a> {
    /// The name of the type that is declared by just this enumeration.
    pub name: Option<&'a str>,
    pub literals: Vec<Name<'a>>,
}

#[derive(Debug)]
pub enum Item<'a> {
    Const(Const<'a>),
    Type(TypeItem<'a>),
    Define(Define<'a>),
    Var(VarItem<'a>),
    Init(Expr<'a>),
    Process(Process<'a>),
    Command(Box<Command<'a>>),
    Property(Property<'a>),
}

#[derive(Debug)]
pub struct Const<'a> {
    pub name: Name<'a>,
    pub value: Expr<'a>,
}

#[derive(Debug)]
pub struct TypeItem<'a> {
    pub name: Name<'a>,
    pub ty: Type<'a>,
}

#[derive(Debug)]
pub struct Define<'a> {
    pub name: Name<'a>,
    pub value: Expr<'a>,
}

#[derive(Debug)]
pub struct VarItem<'a> {
    pub names: Vec<Name<'a>>,
    pub control: bool,
    pub ty: Type<'a>,
    pub initial: Option<Initial<'a>>,
}

#[derive(Debug)]
pub enum Initial<'a> {
    Value(Expr<'a>),
    List(Vec<Initial<'a>>, Span),
}

#[derive(Debug)]
pub struct Process<'a> {
    pub name: Name<'a>,
    pub params: Vec<Param<'a>>,
    /// Variables, definitions, initial conditions and commands only.
    pub items: Vec<Item<'a>>,
}

#[derive(Debug)]
pub struct Param<'a> {
    pub name: Name<'a>,
    pub ty: Type<'a>,
}

#[derive(Debug)]
pub struct Command<'a> {
    pub label: Name<'a>,
    pub binder: Option<Binder<'a>>,
    pub guard: Expr<'a>,
    /// None for `skip`.
    pub updates: Vec<Update<'a>>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Update<'a> {
    pub to: Place<'a>,
    /// `None` is `input`.
    pub value: Option<Expr<'a>>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Property<'a> {
    pub name: Name<'a>,
    pub kind: PropertyKind,
    /// Absent exactly for `deadlock_free`.
    pub formula: Option<Expr<'a>>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    Invariant,
    Reach,
    DeadlockFree,
    Ltl,
}

/// `bool[n][m]`: what the cells are, and the sizes from the outside in.
#[derive(Debug)]
pub struct Type<'a> {
    pub base: BaseType<'a>,
    pub sizes: Vec<Expr<'a>>,
    pub span: Span,
}

#[derive(Debug)]
pub enum BaseType<'a> {
    /// The text of the type was not understood; this was reported.
    Error,
    Bool,
    Int,
    Range(Box<Range<'a>>),
    Enum(EnumId),
    Named(Name<'a>),
}

#[derive(Debug)]
pub struct Range<'a> {
    pub lo: Expr<'a>,
    pub hi: Expr<'a>,
}

/// `i in lo..hi`
#[derive(Debug)]
pub struct Binder<'a> {
    pub name: Name<'a>,
    pub range: Range<'a>,
}

/// `x`, `x[e]`, `P[e].x[f]`; also a constant, a definition, a literal: names are told apart later.
#[derive(Debug)]
pub struct Place<'a> {
    pub name: Name<'a>,
    pub indexes: Vec<Expr<'a>>,
    pub member: Option<Member<'a>>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Member<'a> {
    pub name: Name<'a>,
    pub indexes: Vec<Expr<'a>>,
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
    Place(Place<'a>),
    Call(Name<'a>, Vec<Expr<'a>>),
    Not(Box<Expr<'a>>),
    Neg(Box<Expr<'a>>),
    And(Vec<Expr<'a>>),
    Or(Vec<Expr<'a>>),
    /// To the right: `a => b => c` is `a => (b => c)`.
    Implies(Vec<Expr<'a>>),
    /// To the left.
    Iff(Vec<Expr<'a>>),
    Compare(Compare, Box<Expr<'a>>, Box<Expr<'a>>),
    /// The first part has the sign plus.
    Sum(Vec<(Sign, Expr<'a>)>),
    /// To the left, from the first factor on.
    Product(Box<Expr<'a>>, Vec<(Factor, Expr<'a>)>),
    If(Box<[Expr<'a>; 3]>),
    Quantified(Quantifier, Box<Binder<'a>>, Box<Expr<'a>>),
    Temporal(Unary, Box<Expr<'a>>),
    Temporal2(Binary, Box<Expr<'a>>, Box<Expr<'a>>),
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Forall,
    Exists,
    Sum,
    Count,
}

/// A temporal operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Next,
    Finally,
    Globally,
}

/// A temporal operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

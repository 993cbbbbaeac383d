//! The syntax tree: what the text says, before names and types are looked at.
//!
//! Chains of one strength are lists, so the tree is never deeper than the brackets, prefixes and suffixes of the text.

use lapidary_text::Span;

#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

#[derive(Debug, Default)]
pub struct File<'a> {
    pub vars: Vec<Var<'a>>,
    pub processes: Vec<Process<'a>>,
}

#[derive(Debug)]
pub struct Var<'a> {
    pub name: Name<'a>,
    pub ty: Type,
}

#[derive(Debug)]
pub struct Process<'a> {
    /// `main`, where it stands.
    pub main: Option<Span>,
    pub name: Name<'a>,
    pub params: Vec<Var<'a>>,
    pub vars: Vec<Var<'a>>,
    pub locations: Vec<Location<'a>>,
    pub edges: Vec<Edge<'a>>,
}

#[derive(Debug)]
pub struct Location<'a> {
    pub role: Option<Role>,
    pub name: Name<'a>,
}

/// What a location is beside a place to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Init,
    Final,
    Error,
}

impl Role {
    pub fn word(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Final => "final",
            Self::Error => "error",
        }
    }
}

#[derive(Debug)]
pub struct Edge<'a> {
    pub from: Name<'a>,
    pub to: Name<'a>,
    pub body: Vec<Statement<'a>>,
    pub span: Span,
}

#[derive(Debug)]
pub enum Statement<'a> {
    Assign(Name<'a>, Expr<'a>),
    Havoc(Name<'a>),
    Assume(Expr<'a>),
}

#[derive(Debug)]
pub enum Type {
    /// The text of the type was not understood; this was reported.
    Error,
    Bool,
    Int,
    /// So many bits, at least one.
    Bits(u32),
    /// The index and the element.
    Array(Box<[Type; 2]>),
}

/// A bit-vector: its width, and its bits in words of 64, the lowest first. Bits beyond the width are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    pub width: u32,
    pub words: Vec<u64>,
}

#[derive(Debug)]
pub struct Expr<'a> {
    pub kind: ExprKind<'a>,
    pub span: Span,
}

#[derive(Debug)]
pub enum ExprKind<'a> {
    /// The text of the expression was not understood or is not supported; this was reported.
    Error,
    Bool(bool),
    Int(i64),
    Bits(Bits),
    Name(Name<'a>),
    Not(Box<Expr<'a>>),
    /// At least two conditions.
    Chain(Logic, Vec<Expr<'a>>),
    Compare(Compare, Box<[Expr<'a>; 2]>),
    /// To the left, from the first operand on.
    Fold(Box<Expr<'a>>, Vec<(Binary, Expr<'a>)>),
    Sign(Sign, Box<Expr<'a>>),
    Extend(Extension, Box<Expr<'a>>, u32),
    /// `b[until:from]`: the bits from `from` on, up to the one before `until`.
    Extract {
        of: Box<Expr<'a>>,
        until: u32,
        from: u32,
    },
    If(Box<[Expr<'a>; 3]>),
    Read(Box<[Expr<'a>; 2]>),
    Write(Box<[Expr<'a>; 3]>),
    Array(Box<Array<'a>>),
}

/// `[i <- v, default <- d]`, `[<int>default <- d]`
#[derive(Debug)]
pub struct Array<'a> {
    pub entries: Vec<[Expr<'a>; 2]>,
    pub index: Option<Type>,
    pub default: Expr<'a>,
}

/// What stands between conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    And,
    Or,
    Xor,
    /// To the right: `a imply b imply c` is `a imply (b imply c)`.
    Imply,
    Iff,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    BitUlt,
    BitUle,
    BitUgt,
    BitUge,
    BitSlt,
    BitSle,
    BitSgt,
    BitSge,
}

/// What stands between numbers or bit-vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Rem,
    Concat,
    BitAdd,
    BitSub,
    BitMul,
    BitUdiv,
    BitSdiv,
    BitUrem,
    BitSrem,
    BitSmod,
    BitOr,
    BitXor,
    BitAnd,
    BitShl,
    BitAshr,
    BitLshr,
    BitRol,
    BitRor,
}

/// What stands before a number or a bit-vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Plus,
    Minus,
    BitPlus,
    BitMinus,
    BitNot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    Zero,
    Sign,
}

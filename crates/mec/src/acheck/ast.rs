//! A specification as it was written.

use lapidary_text::Span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// `with N1, N2 do ... done`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub nodes: Vec<Name>,
    pub statements: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Definition(Definition),
    Command(Command),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub name: Name,
    pub kind: Equation,
    pub body: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equation {
    /// `:=`
    Plain,
    /// `+=`
    Least,
    /// `-=`
    Greatest,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// `dot`, `dot-trace`, `show`
    pub name: Name,
    pub arguments: Vec<Argument>,
    pub redirection: Option<Redirection>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    pub kind: ArgumentKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    Expr(Expr),
    /// `(T1, T2)`
    Tuple(Vec<Expr>),
    /// `'Name'`, without its quotes
    Text(String),
    Number(u128),
    /// `C.V[0]`: a name with dots or indexes
    Path(String),
}

/// `> 'file'` or `>> 'file'`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    pub mode: Mode,
    /// With `$NODENAME` in it.
    pub path: Name,
}

/// What happens to the former content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Replace,
    Append,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    Name(String),
    /// What stands between `[` and `]`.
    Formula(Span),
    /// `label V[0].dec`
    Label(Name),
    /// `attribute public`
    Attribute(Name),
    Call(Name, Vec<Expr>),
    Not(Box<Expr>),
    /// At least two parts.
    And(Vec<Expr>),
    /// `a | b - c`, from left to right; not empty.
    Chain(Box<Expr>, Vec<(Link, Expr)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    Or,
    Minus,
}

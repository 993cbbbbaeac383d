//! Relation definitions as they are written.

use lapidary_text::Span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixpoint {
    /// `:=`
    None,
    /// `+=`
    Least,
    /// `-=`
    Greatest,
}

/// One equation, `R(x : T, y) += body`.
#[derive(Clone, Debug)]
pub struct Equation {
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub fixpoint: Fixpoint,
    pub body: Expr,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Name,
    pub ty: Option<Type>,
}

#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
    /// How many types surround the innermost one, and itself. Bounded, since types are walked by recursion.
    pub height: usize,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Bool,
    Range(i64, i64),
    Enum(Vec<Name>),
    /// Field by field.
    Struct(Vec<(Name, Type)>),
    Array(Box<Type>, i64),
    /// A declared domain.
    Named(String),
    /// `N!c`, `N!ev`.
    OfNode(Name, Name),
}

/// What one statement defines.
#[derive(Clone, Debug)]
pub enum Definition {
    /// One equation, or several that are solved together; the first is the outermost fixpoint.
    Equations(Vec<Equation>),
    Domain(Name, Type),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Exists,
    Forall,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Implies,
    Equivalent,
    Equal,
    Different,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Add,
    Subtract,
    Multiply,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// How many expressions surround the innermost one, and itself. Bounded, since expressions are walked by recursion.
    pub height: usize,
}

/// One event of a vector `<push, Top.push>`: the steps of its path.
pub type EventPath = Vec<Name>;

#[derive(Clone, Debug)]
pub enum ExprKind {
    Bool(bool),
    Int(i64),
    /// A variable, a constant relation, or a literal of an enumeration.
    Name(String),
    Field(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    /// `R(x, y)`; the name may be `N!t`.
    Apply(Name, Vec<Expr>),
    Vector(Vec<EventPath>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Quantified(Quantifier, Vec<Parameter>, Box<Expr>),
}

impl TypeKind {
    /// The height of the tallest part.
    pub fn height(&self) -> usize {
        match self {
            Self::Bool | Self::Range(..) | Self::Enum(_) | Self::Named(_) | Self::OfNode(..) => 0,
            Self::Struct(fields) => fields.iter().map(|(_, ty)| ty.height).max().unwrap_or(0),
            Self::Array(of, _) => of.height,
        }
    }
}

impl ExprKind {
    /// The height of the tallest part.
    pub fn height(&self) -> usize {
        let tallest = |parts: &[Expr]| parts.iter().map(|part| part.height).max().unwrap_or(0);
        match self {
            Self::Bool(_) | Self::Int(_) | Self::Name(_) | Self::Vector(_) => 0,
            Self::Field(inner, _) | Self::Not(inner) | Self::Negative(inner) => inner.height,
            Self::Index(a, b) | Self::Binary(_, a, b) => a.height.max(b.height),
            Self::Apply(_, parts) | Self::And(parts) | Self::Or(parts) => tallest(parts),
            Self::If(condition, yes, no) => condition.height.max(yes.height).max(no.height),
            Self::Quantified(_, variables, body) => {
                let types = variables.iter().filter_map(|variable| variable.ty.as_ref());
                types.map(|ty| ty.height).max().unwrap_or(0).max(body.height)
            }
        }
    }
}

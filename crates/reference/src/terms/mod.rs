//! The terms that `.cfa` and `.xsts` have in common: sorts, values and expressions, what they mean, and how each language
//! writes them.
//!
//! Nothing here is shared with the front ends or with the engines. A value is a Boolean, a mathematical number, bits, a
//! literal of an enumeration, or an array of such; the meaning is plain recursion over them.

pub mod bits;
pub(crate) mod damage;
mod meaning;
pub mod numbers;
mod print;
pub(crate) mod random;
#[cfg(test)]
pub(crate) mod reparse;
pub(crate) mod spacing;
pub mod table;
mod value;

pub use bits::{BitOp, BitOrder};
pub use meaning::{Bound, Fault, value};
pub(crate) use print::{Dialect, Printer, parentheses, sort_tokens};
pub use value::{Enumeration, Sort, Value, WINDOW, start, values};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Not,
    Neg,
    Pos,
    BitNot,
    BitNeg,
    BitPos,
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Iff,
    Imply,
    Or,
    Xor,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    /// Rounds so that the rest is not negative.
    Div,
    /// The rest of that division: never negative.
    Mod,
    /// The same with the sign of the divisor.
    Rem,
    Bits(BitOp),
    Order(BitOrder),
    /// The left operand is the upper part.
    Concat,
}

/// What an extension puts above the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    Zeros,
    Signs,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// Anything but an array.
    Const(Value),
    /// The innermost variable of this name.
    Var(String),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Read(Box<Expr>, Box<Expr>),
    /// The array, but with another element at one index.
    Write(Box<Expr>, Box<Expr>, Box<Expr>),
    /// An array by different indexes and what all others have.
    Array {
        index: Sort,
        cells: Vec<(Expr, Expr)>,
        default: Box<Expr>,
    },
    /// The bits from `from` to below `until`.
    Extract {
        of: Box<Expr>,
        until: u32,
        from: u32,
    },
    /// To this width.
    Extend(Extension, Box<Expr>, u32),
}

impl Expr {
    pub fn var(name: &str) -> Expr {
        Expr::Var(name.to_owned())
    }

    pub fn bool(value: bool) -> Expr {
        Expr::Const(Value::Bool(value))
    }

    pub fn int(value: i128) -> Expr {
        Expr::Const(Value::Int(value))
    }

    pub fn bits(width: u32, value: u128) -> Expr {
        Expr::Const(Value::Bits(width, value))
    }

    pub fn unary(op: Unary, operand: Expr) -> Expr {
        Expr::Unary(op, Box::new(operand))
    }

    pub fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn branch(condition: Expr, yes: Expr, no: Expr) -> Expr {
        Expr::If(Box::new(condition), Box::new(yes), Box::new(no))
    }

    pub fn read(array: Expr, index: Expr) -> Expr {
        Expr::Read(Box::new(array), Box::new(index))
    }

    pub fn write(array: Expr, index: Expr, element: Expr) -> Expr {
        Expr::Write(Box::new(array), Box::new(index), Box::new(element))
    }

    /// The negation, without a double one.
    pub fn negated(self) -> Expr {
        match self {
            Expr::Unary(Unary::Not, operand) => *operand,
            other => Expr::unary(Unary::Not, other),
        }
    }
}

//! Sorts of expressions and domains of variables.

use lapidary_base::{IdVec, id};

use crate::expr::{Expr, Exprs};

id! {
    /// An enumeration of the model.
    pub struct EnumId(u32);
}

/// The sort of an expression: what it may be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    Bool,
    Int,
    Enum(EnumId),
}

/// The values that a variable may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    Bool,
    /// All integers. Engines that compute with 64 bits stop where these do not suffice.
    Int,
    /// The integers from `lo` to `hi`, both included; never empty.
    Range {
        lo: i64,
        hi: i64,
    },
    Enum(EnumId),
}

impl Domain {
    pub fn sort(self) -> Sort {
        match self {
            Self::Bool => Sort::Bool,
            Self::Int | Self::Range { .. } => Sort::Int,
            Self::Enum(id) => Sort::Enum(id),
        }
    }

    /// What a local variable has outside its scope: the least number of the domain, and 0 where there is none.
    pub fn first(self) -> i64 {
        match self {
            Self::Range { lo, .. } => lo,
            Self::Bool | Self::Int | Self::Enum(_) => 0,
        }
    }

    /// The least and the greatest number of a finite domain.
    pub fn bounds(self, enums: &IdVec<EnumId, EnumType>) -> Option<(i64, i64)> {
        match self {
            Self::Bool => Some((0, 1)),
            Self::Int => None,
            Self::Range { lo, hi } => Some((lo, hi)),
            Self::Enum(id) => {
                let n_literals = i64::try_from(enums[id].literals.len()).expect("enumerations are short");
                Some((0, n_literals - 1))
            }
        }
    }

    /// A value as an expression.
    pub fn constant(self, exprs: &Exprs, value: i64) -> Expr {
        match self {
            Self::Bool => exprs.bool(value != 0),
            Self::Int | Self::Range { .. } => exprs.int(value),
            Self::Enum(of) => exprs.literal(of, u32::try_from(value).expect("literals have 32-bit numbers")),
        }
    }

    /// That an expression has one of the values from `lo` to `hi`.
    pub fn between(self, exprs: &Exprs, expr: Expr, lo: i64, hi: i64) -> Expr {
        match self {
            Self::Int | Self::Range { .. } if lo < hi => {
                exprs.and([exprs.le(exprs.int(lo), expr), exprs.le(expr, exprs.int(hi))])
            }
            Self::Bool | Self::Int | Self::Range { .. } | Self::Enum(_) => {
                exprs.or((lo..=hi).map(|value| exprs.eq(expr, self.constant(exprs, value))))
            }
        }
    }

    /// `0..3`, `bool`, `{idle, busy}`
    pub fn words(self, enums: &IdVec<EnumId, EnumType>) -> String {
        match self {
            Self::Bool => "bool".to_owned(),
            Self::Int => "int".to_owned(),
            Self::Range { lo, hi } => format!("{lo}..{hi}"),
            Self::Enum(id) => format!("{{{}}}", enums[id].literals.join(", ")),
        }
    }

    /// A value in the words of the source.
    pub fn show(self, enums: &IdVec<EnumId, EnumType>, value: i64) -> String {
        match self {
            Self::Bool => if value == 0 { "false" } else { "true" }.to_owned(),
            Self::Int | Self::Range { .. } => value.to_string(),
            Self::Enum(id) => match usize::try_from(value).ok().and_then(|i| enums[id].literals.get(i)) {
                Some(literal) => literal.clone(),
                None => format!("#{value}"),
            },
        }
    }
}

/// An enumeration type and its literals, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumType {
    /// The declared name, or empty for an enumeration that was written in place.
    pub name: String,
    pub literals: Vec<String>,
}

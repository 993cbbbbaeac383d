//! Sorts of expressions and domains of variables.

use lapidary_base::{IdVec, id};

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

//! Sorts of expressions and domains of variables.

use lapidary_base::id;

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
}

/// An enumeration type and its literals, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumType {
    /// The declared name, or empty for an enumeration that was written in place.
    pub name: String,
    pub literals: Vec<String>,
}

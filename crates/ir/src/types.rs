//! Sorts of expressions and domains of variables.

use lapidary_base::{IdVec, id};

use crate::expr::{Expr, Exprs, Node};
use crate::value::{Values, WORD_BITS, decimal, mask};

id! {
    /// An enumeration of the model.
    pub struct EnumId(u32);
    /// A type of arrays, of the pool that made it.
    pub struct ArrayId(u32);
}

/// The sort of an expression: what it may be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    Bool,
    Int,
    Enum(EnumId),
    /// Bit-vectors of so many bits, at least one.
    Bits(u32),
    Array(ArrayId),
}

/// Functions from all values of a sort to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayType {
    pub index: Sort,
    pub element: Sort,
}

impl Sort {
    /// All its values.
    pub fn domain(self) -> Domain {
        match self {
            Self::Bool => Domain::Bool,
            Self::Int => Domain::Int,
            Self::Enum(id) => Domain::Enum(id),
            Self::Bits(width) => Domain::Bits(width),
            Self::Array(id) => Domain::Array(id),
        }
    }
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
    /// Bit-vectors of so many bits: the numbers from zero on, those of 64 bits as their bits, wider ones by [`crate::ValueId`].
    Bits(u32),
    /// By [`crate::ValueId`].
    Array(ArrayId),
}

impl Domain {
    pub fn sort(self) -> Sort {
        match self {
            Self::Bool => Sort::Bool,
            Self::Int | Self::Range { .. } => Sort::Int,
            Self::Enum(id) => Sort::Enum(id),
            Self::Bits(width) => Sort::Bits(width),
            Self::Array(id) => Sort::Array(id),
        }
    }

    /// What a local variable has outside its scope: the least number of the domain, 0 where there is none, and the array of
    /// such elements.
    pub fn first(self, values: &Values) -> i64 {
        match self {
            Self::Range { lo, .. } => lo,
            Self::Bool | Self::Int | Self::Enum(_) => 0,
            Self::Bits(width) => values.bits(width, &[0]),
            Self::Array(id) => values.fill(values.array_type(id).element.domain().first(values)),
        }
    }

    /// The least and the greatest number of a finite domain whose values are numbers.
    pub fn bounds(self, enums: &IdVec<EnumId, EnumType>) -> Option<(i64, i64)> {
        match self {
            Self::Bool => Some((0, 1)),
            Self::Int | Self::Array(_) => None,
            Self::Range { lo, hi } => Some((lo, hi)),
            Self::Enum(id) => {
                let n_literals = i64::try_from(enums[id].literals.len()).expect("enumerations are short");
                Some((0, n_literals - 1))
            }
            Self::Bits(width) => (width < WORD_BITS).then(|| (0, mask(width) as i64)),
        }
    }

    /// A value as an expression.
    pub fn constant(self, exprs: &Exprs, value: i64) -> Expr {
        match self {
            Self::Bool => exprs.bool(value != 0),
            Self::Int | Self::Range { .. } => exprs.int(value),
            Self::Enum(of) => exprs.literal(of, u32::try_from(value).expect("literals have 32-bit numbers")),
            Self::Bits(width) => exprs.intern(Node::Bits(width, value)),
            Self::Array(id) => exprs.intern(Node::Value(id, value)),
        }
    }

    /// That an expression has one of the values from `lo` to `hi`.
    pub fn between(self, exprs: &Exprs, expr: Expr, lo: i64, hi: i64) -> Expr {
        match self {
            Self::Int | Self::Range { .. } if lo < hi => {
                exprs.and([exprs.le(exprs.int(lo), expr), exprs.le(expr, exprs.int(hi))])
            }
            Self::Bits(width) if lo < hi => {
                let constant = |value| exprs.intern(Node::Bits(width, value));
                exprs.and([exprs.ule(constant(lo), expr), exprs.ule(expr, constant(hi))])
            }
            Self::Bool | Self::Int | Self::Range { .. } | Self::Enum(_) | Self::Bits(_) | Self::Array(_) => {
                exprs.or((lo..=hi).map(|value| exprs.eq(expr, self.constant(exprs, value))))
            }
        }
    }

    /// `0..3`, `bool`, `{idle, busy}`, `bits[8]`, `array[int -> bool]`
    pub fn words(self, enums: &IdVec<EnumId, EnumType>, values: &Values) -> String {
        match self {
            Self::Bool => "bool".to_owned(),
            Self::Int => "int".to_owned(),
            Self::Range { lo, hi } => format!("{lo}..{hi}"),
            Self::Enum(id) => format!("{{{}}}", enums[id].literals.join(", ")),
            Self::Bits(width) => format!("bits[{width}]"),
            Self::Array(id) => {
                let ArrayType { index, element } = values.array_type(id);
                let [index, element] = [index, element].map(|sort| sort.domain().words(enums, values));
                format!("array[{index} -> {element}]")
            }
        }
    }

    /// A value in the words of the source.
    pub fn show(self, enums: &IdVec<EnumId, EnumType>, values: &Values, value: i64) -> String {
        match self {
            Self::Bool => if value == 0 { "false" } else { "true" }.to_owned(),
            Self::Int | Self::Range { .. } => value.to_string(),
            Self::Enum(id) => match usize::try_from(value).ok().and_then(|i| enums[id].literals.get(i)) {
                Some(literal) => literal.clone(),
                None => format!("#{value}"),
            },
            Self::Bits(width) => decimal(&values.words(width, value)),
            Self::Array(id) => {
                let ArrayType { index, element } = values.array_type(id);
                let array = values.array_value(value);
                let mut parts: Vec<String> = shown_order(index, values, &array.entries)
                    .map(|(at, it)| {
                        let at = index.domain().show(enums, values, at);
                        format!("{at}: {}", element.domain().show(enums, values, it))
                    })
                    .collect();
                parts.push(format!("else: {}", element.domain().show(enums, values, array.default)));
                format!("[{}]", parts.join(", "))
            }
        }
    }
}

/// The entries of an array in the order of the values of their indexes, where these have one.
pub fn shown_order(index: Sort, values: &Values, entries: &[(i64, i64)]) -> impl Iterator<Item = (i64, i64)> + use<> {
    let mut entries = entries.to_vec();
    match index {
        Sort::Bits(width) if width > WORD_BITS => entries.sort_by_cached_key(|&(at, _)| {
            let mut words = values.words(width, at);
            words.reverse();
            words
        }),
        Sort::Bits(_) => entries.sort_unstable_by_key(|&(at, _)| at as u64),
        Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Array(_) => {}
    }
    entries.into_iter()
}

/// An enumeration type and its literals, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumType {
    /// The declared name, or empty for an enumeration that was written in place.
    pub name: String,
    pub literals: Vec<String>,
}

//! Labels: markings in which places may have any number of tokens, omega. A label stands for all markings below it.

use lapidary_base::Stop;
use lapidary_ir::{Net, Range, Tokens};

/// The tokens of one place.
pub type Count = u32;

/// Any number of tokens.
pub const OMEGA: Count = Count::MAX;

pub fn is_below(a: &[Count], b: &[Count]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b)
}

/// The sum; omega stays. The error if it gets too large to be told from omega.
pub fn add(count: Count, change: i64) -> Result<Count, Stop> {
    if count == OMEGA {
        return Ok(OMEGA);
    }
    narrow(i128::from(count) + i128::from(change))
}

pub fn narrow(count: i128) -> Result<Count, Stop> {
    let narrow = Count::try_from(count).ok().filter(|&count| count != OMEGA);
    narrow.ok_or_else(|| Stop::Incomplete(format!("a place has more than {} tokens", OMEGA - 1)))
}

pub fn from_tokens(tokens: Tokens) -> Result<Count, Stop> {
    narrow(i128::from(tokens))
}

/// The greatest label of initial markings.
pub fn initial(net: &Net) -> Result<Vec<Count>, Stop> {
    let greatest = |range: &Range| range.hi.map_or(Ok(OMEGA), from_tokens);
    net.initial.iter().map(greatest).collect()
}

/// Bits for a quick test: places that have tokens, and those that have any number. Of labels `a <= b`, all bits of `a`
/// are bits of `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    marked: u64,
    omega: u64,
}

impl Signature {
    pub fn of(label: &[Count]) -> Self {
        let mut signature = Self { marked: 0, omega: 0 };
        for (place, &count) in label.iter().enumerate() {
            let bit = 1 << (place % 64);
            signature.marked |= if count > 0 { bit } else { 0 };
            signature.omega |= if count == OMEGA { bit } else { 0 };
        }
        signature
    }

    pub fn may_be_below(self, other: Self) -> bool {
        self.marked & !other.marked == 0 && self.omega & !other.omega == 0
    }
}

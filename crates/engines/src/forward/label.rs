//! Labels: markings in which places may have any number of tokens, omega. A label stands for all markings below it.

use lapidary_base::Stop;
use lapidary_ir::{Net, Range, Tokens};

/// The tokens of one place.
pub type Count = u32;

/// Any number of tokens.
pub const OMEGA: Count = Count::MAX;

#[inline]
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

/// For a quick test: places that have tokens and those that have any number, as bits, and how many tokens there are. Of
/// labels `a <= b`, all bits of `a` are bits of `b`; `a` has fewer tokens, or it is `b`. The bits tell small nets apart,
/// the tokens large ones, most of whose steps keep their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    marked: u64,
    omega: u64,
    total: u64,
    /// The tokens, weighted by place: differs in most labels of the same total.
    mixed: u64,
}

/// An odd number with bits all over (2^64 divided by the golden ratio).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Signature {
    #[inline]
    pub fn of(label: &[Count]) -> Self {
        let mut signature = Self { marked: 0, omega: 0, total: 0, mixed: 0 };
        let mut weight = SPREAD;
        for (place, &count) in label.iter().enumerate() {
            let bit = 1 << (place % 64);
            signature.marked |= if count > 0 { bit } else { 0 };
            signature.omega |= if count == OMEGA { bit } else { 0 };
            signature.total += u64::from(count);
            signature.mixed = signature.mixed.wrapping_add(u64::from(count).wrapping_mul(weight ^ (weight >> 29)));
            weight = weight.wrapping_add(SPREAD);
        }
        signature
    }

    #[inline]
    pub fn may_be_below(self, other: Self) -> bool {
        self.marked & !other.marked == 0
            && self.omega & !other.omega == 0
            && (self.total < other.total || (self.total, self.mixed) == (other.total, other.mixed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_excludes_no_label_that_is_below_another() {
        let counts = [0, 1, 2, OMEGA];
        let labels: Vec<Vec<Count>> =
            (0..256usize).map(|i| (0..4).map(|p| counts[i >> (2 * p) & 3]).collect()).collect();
        let (mut n_below, mut n_excluded) = (0, 0);
        for (a, b) in labels.iter().flat_map(|a| labels.iter().map(move |b| (a, b))) {
            let may = Signature::of(a).may_be_below(Signature::of(b));
            assert!(may || !is_below(a, b), "{a:?} is below {b:?}");
            n_below += usize::from(is_below(a, b));
            n_excluded += usize::from(!may);
        }
        assert_eq!(n_below, 10_000);
        assert!(n_excluded > 50_000, "{n_excluded} of 65536");
    }
}

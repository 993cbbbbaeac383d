//! Sets of small numbers, one bit each.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Bits past the last number are zero.
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// No number out of the first `len`.
    pub fn none(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// All of the first `len` numbers.
    pub fn all(len: usize) -> Self {
        Self::where_true(len, |_| true)
    }

    pub fn where_true(len: usize, holds: impl Fn(usize) -> bool) -> Self {
        let mut bits = Self::none(len);
        (0..len).filter(|&i| holds(i)).for_each(|i| bits.insert(i));
        bits
    }

    pub fn contains(&self, i: usize) -> bool {
        self.words[i / 64] >> (i % 64) & 1 != 0
    }

    pub fn insert(&mut self, i: usize) {
        debug_assert!(i < self.len, "numbers are below the length");
        self.words[i / 64] |= 1 << (i % 64);
    }

    pub fn combine(&self, other: &Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        debug_assert_eq!(self.len, other.len, "both sets are of the same graph");
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| operation(a, b)).collect();
        Self { words, len: self.len }
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(place, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest.checked_sub(1)?;
                Some(place * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_listed_in_order_across_words() {
        let bits = Bits::where_true(200, |i| i % 63 == 0);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 63, 126, 189]);
        assert_eq!((bits.count(), bits.first(), bits.contains(63), bits.contains(64)), (4, Some(0), true, false));
    }

    #[test]
    fn all_has_no_member_past_the_end() {
        assert_eq!(Bits::all(65).count(), 65);
        assert!(Bits::none(65).combine(&Bits::all(65), |a, b| a & !b).is_empty());
    }
}

//! Seeded random numbers: splitmix64 (Steele, Lea and Flood 2014).

/// A deterministic source of random choices; equal seeds give equal sequences.
#[derive(Clone, Debug)]
pub(crate) struct Dice {
    state: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..n`; zero when `n` is zero.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        if n == 0 {
            return 0;
        }
        let reduced = self.next() % (n as u64);
        usize::try_from(reduced).expect("a number below a usize is a usize")
    }

    /// A number in `lo..=hi`, which must not be empty.
    pub(crate) fn between(&mut self, lo: i128, hi: i128) -> i128 {
        lo + i128::from(self.next()) % (hi - lo + 1)
    }

    pub(crate) fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance as usize
    }

    /// One element of a list that is not empty.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = self.below(last + 1);
            list.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_its_published_first_number() {
        assert_eq!(Dice::new(0).next(), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn numbers_stay_in_their_interval() {
        let mut dice = Dice::new(3);
        for _ in 0..1000 {
            assert!((-2..=3).contains(&dice.between(-2, 3)));
            assert!(dice.below(4) < 4);
        }
    }

    #[test]
    fn a_shuffle_keeps_every_element() {
        let mut list: Vec<usize> = (0..20).collect();
        Dice::new(1).shuffle(&mut list);
        assert_ne!(list, (0..20).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..20).collect::<Vec<_>>());
    }
}

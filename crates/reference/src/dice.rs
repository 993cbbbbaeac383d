//! The dice of all tests: splitmix64 (Steele, Lea and Flood 2014).

/// A deterministic source of random choices; equal seeds give equal sequences.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice { state: seed }
    }

    /// Any number of 64 bits.
    pub fn roll(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..n`, of the type that the caller counts in; zero when `n` is zero.
    pub fn below<N: TryFrom<u64> + TryInto<u64>>(&mut self, n: N) -> N {
        let n = n.try_into().unwrap_or_else(|_| panic!("there is no number below a negative one"));
        let number = if n == 0 { 0 } else { self.roll() % n };
        N::try_from(number).unwrap_or_else(|_| panic!("what is below a number has its type"))
    }

    /// A number in `lo..=hi`, which must not be empty.
    pub fn between<N: TryFrom<i128> + Into<i128>>(&mut self, lo: N, hi: N) -> N {
        let (lo, hi) = (lo.into(), hi.into());
        let number = lo + i128::from(self.roll()) % (hi - lo + 1);
        N::try_from(number).unwrap_or_else(|_| panic!("what is between two numbers has their type"))
    }

    pub fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One element of a list that is not empty.
    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// Some of the numbers below `n`, each with this chance.
    pub fn some(&mut self, n: usize, chance: u32) -> Vec<usize> {
        (0..n).filter(|_| self.percent(chance)).collect()
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
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
        assert_eq!(Dice::new(0).roll(), 0xe220_a839_7b1d_cdaf);
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

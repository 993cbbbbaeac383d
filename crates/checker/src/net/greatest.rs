//! Many ideals, to ask whether a marking is below one of them: for each place and each of a few numbers of tokens, the
//! ideals that allow so many, as bits.

use lapidary_base::Id;
use lapidary_ir::{PlaceId, Tokens};

/// The most tokens that places may have, ascending by place; `None` is any number. Places that are not there are empty.
pub type Ideal = [(PlaceId, Option<Tokens>)];

/// Numbers of tokens as in limits of markings; `None` is more than any number.
pub type Limit = Option<u128>;

/// So many different numbers are told apart in each place; for those in between the next smaller one is asked.
const MOST_STEPS: usize = 32;

pub struct Greatest<'a> {
    ideals: Vec<&'a Ideal>,
    n_words: usize,
    /// By place: from which number of tokens on, ascending, and the ideals that allow so many.
    steps: Vec<Vec<(Limit, Vec<u64>)>>,
}

impl<'a> Greatest<'a> {
    pub fn new(n_places: usize, ideals: impl Iterator<Item = &'a Ideal>) -> Self {
        let ideals: Vec<&Ideal> = ideals.collect();
        let n_words = ideals.len().div_ceil(64);
        let mut by_place: Vec<Vec<(usize, Option<Tokens>)>> = vec![Vec::new(); n_places];
        for (number, ideal) in ideals.iter().enumerate() {
            for &(place, most) in ideal.iter().filter(|entry| entry.1 != Some(0)) {
                by_place[place.index()].push((number, most));
            }
        }
        let steps = by_place.iter().map(|allowing| steps(n_words, allowing)).collect();
        Self { ideals, n_words, steps }
    }

    /// Is the marking, or the limit of markings, below one of the ideals?
    pub fn has(&self, marking: &[(PlaceId, Limit)]) -> bool {
        let mut rows: Vec<&[u64]> = Vec::new();
        for &(place, tokens) in marking.iter().filter(|entry| entry.1 != Some(0)) {
            let steps = &self.steps[place.index()];
            let at = steps.partition_point(|step| is_at_most(step.0, tokens));
            // No ideal allows less than the first step but zero.
            let Some(row) = at.checked_sub(1).or(if steps.is_empty() { None } else { Some(0) }) else { return false };
            rows.push(&steps[row].1);
        }
        (0..self.n_words).any(|word| {
            let all = if word + 1 == self.n_words { last_word(self.ideals.len()) } else { u64::MAX };
            let mut bits = rows.iter().fold(all, |bits, row| bits & row[word]);
            while bits != 0 {
                if is_below(marking, self.ideals[word * 64 + bits.trailing_zeros() as usize]) {
                    return true;
                }
                bits &= bits - 1;
            }
            false
        })
    }
}

fn last_word(n_bits: usize) -> u64 {
    match n_bits % 64 {
        0 => u64::MAX,
        rest => (1 << rest) - 1,
    }
}

pub fn is_at_most(a: Limit, b: Limit) -> bool {
    match (a, b) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(a), Some(b)) => a <= b,
    }
}

/// The bits for some of the numbers that occur, any number among them.
fn steps(n_words: usize, allowing: &[(usize, Option<Tokens>)]) -> Vec<(Limit, Vec<u64>)> {
    let mut limits: Vec<Limit> = allowing.iter().map(|entry| entry.1.map(u128::from)).collect();
    limits.sort_unstable_by_key(|limit| limit.map_or((1, 0), |tokens| (0, tokens)));
    limits.dedup();
    let stride = limits.len().div_ceil(MOST_STEPS).max(1);
    let kept = limits.iter().enumerate().filter(|(i, limit)| i % stride == 0 || limit.is_none());
    let row = |limit: Limit| {
        let mut row = vec![0u64; n_words];
        for &(number, most) in allowing {
            if is_at_most(limit, most.map(u128::from)) {
                row[number / 64] |= 1 << (number % 64);
            }
        }
        (limit, row)
    };
    kept.map(|(_, &limit)| row(limit)).collect()
}

/// Both ascending by place.
fn is_below(marking: &[(PlaceId, Limit)], ideal: &Ideal) -> bool {
    let mut at = 0;
    marking.iter().filter(|entry| entry.1 != Some(0)).all(|&(place, tokens)| {
        while ideal.get(at).is_some_and(|entry| entry.0 < place) {
            at += 1;
        }
        ideal.get(at).is_some_and(|&(there, most)| there == place && is_at_most(tokens, most.map(u128::from)))
    })
}

#[cfg(test)]
mod tests {
    use lapidary_reference::dice::Dice;

    use super::*;

    fn entries(number: u64, most: u64) -> Vec<(PlaceId, Option<u64>)> {
        let mut dice = Dice::new(number);
        let mut tokens = || Some(dice.below(most + 2)).filter(|&tokens| tokens <= most);
        (0..3).map(|place| (PlaceId(place), tokens())).collect()
    }

    #[test]
    fn a_marking_is_below_one_exactly_if_it_is_below_it_in_every_place() {
        let (mut n_below, mut n_not) = (0, 0);
        for set in 0..200u64 {
            // With few numbers in a place every one has its bits, with many some share them.
            let most = [2, 500][set as usize % 2];
            let ideals: Vec<Vec<_>> = (0..set).map(|i| entries(set * 1000 + i, most)).collect();
            let greatest = Greatest::new(3, ideals.iter().map(|ideal| &ideal[..]));
            for number in 0..50 {
                let asked: Vec<(PlaceId, Limit)> =
                    entries(number * 77, most).into_iter().map(|(place, n)| (place, n.map(u128::from))).collect();
                let allows = |i: usize, ideal: &Vec<(PlaceId, Option<u64>)>| match (asked[i].1, ideal[i].1) {
                    (_, None) => true,
                    (None, Some(_)) => false,
                    (Some(tokens), Some(most)) => tokens <= u128::from(most),
                };
                let expected = ideals.iter().any(|ideal| (0..3).all(|i| allows(i, ideal)));
                assert_eq!(greatest.has(&asked), expected, "{asked:?} below one of {ideals:?}");
                (n_below, n_not) = (n_below + usize::from(expected), n_not + usize::from(!expected));
            }
        }
        assert!(n_below > 500 && n_not > 500, "{n_below} below, {n_not} not");
    }

    #[test]
    fn nothing_is_below_no_ideal_and_the_empty_marking_is_below_every_one() {
        assert!(!Greatest::new(1, std::iter::empty()).has(&[]));
        assert!(Greatest::new(1, [&[][..]].into_iter()).has(&[]));
        assert!(!Greatest::new(1, [&[][..]].into_iter()).has(&[(PlaceId(0), Some(1))]));
    }
}

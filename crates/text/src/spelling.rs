//! Names that were perhaps meant.

use crate::log::MAX_SHOWN;

/// The candidate that looks most like a misspelt name, if one is close enough. Two letters in the wrong order are one slip.
pub fn similar<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.len() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    let close = candidates.into_iter().filter_map(|candidate| {
        let same_letters = candidate.eq_ignore_ascii_case(name);
        let distance = || distance(name.as_bytes(), candidate.as_bytes(), Swap::IsOneSlip, limit);
        let distance = if same_letters { 0 } else { distance()? };
        // A change of every letter is no misspelling.
        (distance < candidate.len().max(name.len())).then_some((distance, candidate))
    });
    close.min_by_key(|&(distance, _)| distance).map(|(_, candidate)| candidate)
}

/// Words of more bytes are not compared letter by letter: nobody misspells them by one.
const MAX_LEN: usize = 64;

/// The known word that is nearest to what was written, if no more than a third of its letters are wrong; of several the first in the alphabet. This is
/// how the languages for sets and relations look, whose words are short and alike: capital letters are small ones there, and two
/// letters in the wrong order are two slips.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if written.len() > MAX_LEN {
        return None;
    }
    let letters = |word: &str| word.to_lowercase().chars().collect::<Vec<char>>();
    let (own, limit) = (letters(written), (written.len() / 3).max(1));
    let short = known.into_iter().filter(|word| word.len() <= MAX_LEN);
    let near = short.filter_map(|word| Some((distance(&own, &letters(word), Swap::IsTwoSlips, limit)?, word)));
    near.min().map(|(_, word)| word)
}

/// What it costs that two neighbours changed places.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Swap {
    IsOneSlip,
    IsTwoSlips,
}

/// The number of letters to insert, drop or change, and perhaps to swap with their neighbour, if it is at most `limit`.
fn distance<L: PartialEq>(a: &[L], b: &[L], swap: Swap, limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j + 1] + 1).min(row[j] + 1).min(last[j] + usize::from(x != y));
            if swap == Swap::IsOneSlip && i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        if row.iter().all(|&entry| entry > limit) {
            return None;
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|&distance| distance <= limit)
}

/// Looks for names that are meant as often as mistakes are shown: each time all names are looked at, which a text in another
/// language, where every word is unknown, is not worth.
#[derive(Default)]
pub struct Suggestions {
    n_searches: usize,
}

impl Suggestions {
    /// Whether one more name may be looked for.
    pub fn take(&mut self) -> bool {
        self.n_searches += 1;
        self.n_searches <= MAX_SHOWN
    }

    /// The name that is similar, as long as names may be looked for.
    pub fn similar<'a>(&mut self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        if self.take() { similar(name, candidates) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_find_their_like() {
        let names = ["flag", "turn", "pc", "waiting"];
        assert_eq!(similar("flga", names), Some("flag"));
        assert_eq!(similar("Waitng", names), Some("waiting"));
        assert_eq!(similar("PC", names), Some("pc"));
        assert_eq!(similar("x", names), None);
        assert_eq!(similar("critical", names), None);
    }

    #[test]
    fn one_wrong_letter_is_near_and_another_word_is_not() {
        let known = ["reach", "print", ":rel-cardinal"];
        assert_eq!(nearest("raech", known), None);
        assert_eq!(nearest("reech", known), Some("reach"));
        assert_eq!(nearest(":rel-cardinl", known), Some(":rel-cardinal"));
        assert_eq!(nearest("xyz", known), None);
        assert_eq!(nearest("Reacf", ["reacz", "reach"]), Some("reach"));
    }

    #[test]
    fn after_enough_searches_nothing_is_suggested() {
        let mut suggestions = Suggestions::default();
        assert!((0..MAX_SHOWN).all(|_| suggestions.similar("flga", ["flag"]).is_some()));
        assert_eq!(suggestions.similar("flga", ["flag"]), None);
    }
}

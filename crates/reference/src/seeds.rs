//! Which seeds a random test tries: a fixed core and a window that moves from commit to commit, or all of them.
//!
//! The variable `LAPIDARY_SEEDS` has the number of the window, or the word `all`. `./x test` sets it from the number of
//! commits and says so: a failure is repeated with the same value. All windows together are all seeds.

use std::env;
use std::ops::Range;

/// Core and window are each this part of all seeds.
const PART: u64 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    All,
    Window(u64),
}

/// The seeds of a test that tries all of `all` in a long run.
///
/// # Panics
///
/// If `LAPIDARY_SEEDS` is neither a number nor `all`.
pub fn of(all: Range<u64>) -> Vec<u64> {
    choose(all, choice())
}

/// Whether all seeds are tried, those that take long included.
pub fn are_all() -> bool {
    choice() == Choice::All
}

/// The number of the window, for those who have parts of their own; none where all is tried.
pub fn window() -> Option<u64> {
    match choice() {
        Choice::All => None,
        Choice::Window(number) => Some(number),
    }
}

/// What a test may ask of a count for which it would ask `of_all` with all seeds, so that it sees what it is for. A quarter of
/// the seeds has half of its share at least, or chance is strange.
pub fn least(of_all: usize) -> usize {
    match choice() {
        Choice::All => of_all,
        Choice::Window(_) => of_all / PART as usize,
    }
}

fn choice() -> Choice {
    match env::var("LAPIDARY_SEEDS").as_deref() {
        Err(_) => Choice::Window(0),
        Ok("all") => Choice::All,
        Ok(number) => Choice::Window(number.parse().expect("LAPIDARY_SEEDS is the number of a window, or `all`")),
    }
}

fn choose(all: Range<u64>, choice: Choice) -> Vec<u64> {
    let Choice::Window(number) = choice else { return all.collect() };
    let n = (all.end - all.start).div_ceil(PART).max(1);
    let core = all.start..all.end.min(all.start + n);
    let n_windows = (all.end - core.end).div_ceil(n).max(1);
    let window = core.end + number % n_windows * n;
    core.chain(window..all.end.min(window + n)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Choice, choose};

    #[test]
    fn the_core_is_always_there_and_the_windows_are_the_rest() {
        for n in [1, 2, 7, 8, 9, 100, 1_000, 1_003] {
            let all: Vec<u64> = (5..5 + n).collect();
            assert_eq!(choose(5..5 + n, Choice::All), all);
            let windows: Vec<Vec<u64>> = (0..PERIOD).map(|window| choose(5..5 + n, Choice::Window(window))).collect();
            let n_core = n.div_ceil(8) as usize;
            assert!(windows.iter().all(|seeds| seeds[..n_core] == all[..n_core] && seeds.len() <= 2 * n_core));
            assert_eq!(windows.concat().into_iter().collect::<BTreeSet<u64>>().into_iter().collect::<Vec<_>>(), all);
        }
    }

    /// After so many windows the first one comes again.
    const PERIOD: u64 = 7;

    #[test]
    fn windows_come_round() {
        assert_eq!(choose(0..80, Choice::Window(1)), choose(0..80, Choice::Window(1 + PERIOD)));
        assert_eq!(choose(0..80, Choice::Window(2))[10..], [30, 31, 32, 33, 34, 35, 36, 37, 38, 39]);
    }
}

//! Sorting by ranks so that it can be stopped: pieces first, then what was sorted is merged.

use lapidary_base::Stop;

use super::code::Looks;

/// So many numbers are sorted at once.
const PIECE: usize = 1 << 13;

/// The places of the ranks, the least rank first; those of one rank stay in their order.
pub fn order(ranks: &[i64], looks: &mut Looks<'_>) -> Result<Vec<usize>, Stop> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    for piece in order.chunks_mut(PIECE) {
        looks.add(piece.len())?;
        piece.sort_by_key(|&i| ranks[i]);
    }
    let mut sorted = PIECE;
    while sorted < ranks.len() {
        let mut merged = Vec::with_capacity(order.len());
        for both in order.chunks(2 * sorted) {
            let (first, second) = both.split_at(sorted.min(both.len()));
            merge(first, second, ranks, &mut merged, looks)?;
        }
        order = merged;
        sorted *= 2;
    }
    Ok(order)
}

fn merge(
    first: &[usize],
    second: &[usize],
    ranks: &[i64],
    merged: &mut Vec<usize>,
    looks: &mut Looks<'_>,
) -> Result<(), Stop> {
    let (mut first, mut second) = (first.iter().copied().peekable(), second.iter().copied().peekable());
    // Of equal ranks the one that came first stays first.
    let is_first = |a: Option<&usize>, b: Option<&usize>| match (a, b) {
        (Some(&a), Some(&b)) => ranks[a] <= ranks[b],
        (next, _) => next.is_some(),
    };
    while let Some(next) = if is_first(first.peek(), second.peek()) { first.next() } else { second.next() } {
        looks.add(1)?;
        merged.push(next);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lapidary_base::Control;

    use super::*;

    #[test]
    fn ranks_are_sorted_and_equal_ones_stay_whether_they_are_few_or_many() {
        for n in [0, 1, 2, 50, PIECE, PIECE + 1, 2 * PIECE, 5 * PIECE + 17] {
            let ranks: Vec<i64> = (0..n as i64).map(|i| (i * i) % 1009).collect();
            let mut expected: Vec<usize> = (0..n).collect();
            expected.sort_by_key(|&i| ranks[i]);
            assert_eq!(order(&ranks, &mut Looks::new(None)), Ok(expected), "{n} ranks");
        }
    }

    #[test]
    fn sorting_a_long_list_is_stopped() {
        let control = Control::new();
        control.cancel();
        let ranks: Vec<i64> = (0..1 << 17).rev().collect();
        assert_eq!(order(&ranks, &mut Looks::new(Some(&control))), Err(Stop::Interrupted));
    }
}

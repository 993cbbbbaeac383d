//! A static variable order: FORCE (Aloul, Markov, Sakallah 2003), repeated centres of gravity.

use lapidary_base::{Control, Stop};

/// An order of `n` things in which those that share an edge are close to each other.
///
/// Begins with `start`, a permutation. Each round moves every thing to the mean of the centres of its edges; the order
/// of least total span that was seen is returned, the earliest of equals. Deterministic.
pub fn force(
    n: usize,
    start: &[usize],
    edges: &[Vec<usize>],
    rounds: usize,
    control: &Control,
) -> Result<Vec<usize>, Stop> {
    debug_assert_eq!(start.len(), n, "the start is a permutation");
    let mut order = start.to_vec();
    let mut best = order.clone();
    let mut least = total_span(&positions(&order), edges);
    for _ in 0..rounds {
        control.check()?;
        let next = moved(&order, edges);
        if next == order {
            break;
        }
        order = next;
        let span = total_span(&positions(&order), edges);
        if span < least {
            least = span;
            best.clone_from(&order);
        }
    }
    Ok(best)
}

/// The sum over the edges of the distance between their first and last member.
pub fn span(order: &[usize], edges: &[Vec<usize>]) -> u64 {
    total_span(&positions(order), edges)
}

fn positions(order: &[usize]) -> Vec<usize> {
    let mut positions = vec![0; order.len()];
    order.iter().enumerate().for_each(|(position, &thing)| positions[thing] = position);
    positions
}

fn total_span(positions: &[usize], edges: &[Vec<usize>]) -> u64 {
    let span = |edge: &Vec<usize>| {
        let at = || edge.iter().map(|&thing| positions[thing]);
        at().max().unwrap_or(0) - at().min().unwrap_or(0)
    };
    edges.iter().map(|edge| span(edge) as u64).sum()
}

/// One round: things without edges keep their place, ties keep the order.
fn moved(order: &[usize], edges: &[Vec<usize>]) -> Vec<usize> {
    let positions = positions(order);
    let mut sums = vec![(0.0f64, 0u32); order.len()];
    for edge in edges.iter().filter(|edge| !edge.is_empty()) {
        let centre = edge.iter().map(|&thing| positions[thing] as f64).sum::<f64>() / edge.len() as f64;
        for &thing in edge {
            sums[thing].0 += centre;
            sums[thing].1 += 1;
        }
    }
    let mut placed: Vec<(f64, usize)> = order
        .iter()
        .map(|&thing| match sums[thing] {
            (_, 0) => (positions[thing] as f64, thing),
            (sum, n_edges) => (sum / f64::from(n_edges), thing),
        })
        .collect();
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    placed.into_iter().map(|(_, thing)| thing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn force(n: usize, start: &[usize], edges: &[Vec<usize>], rounds: usize) -> Vec<usize> {
        super::force(n, start, edges, rounds, &Control::new()).expect("there is no limit")
    }

    #[test]
    fn a_shuffled_chain_is_found_again() {
        let n = 40;
        let edges: Vec<Vec<usize>> = (1..n).map(|i| vec![i - 1, i]).collect();
        let start: Vec<usize> = (0..n).map(|i| i * 17 % n).collect();
        let before = span(&start, &edges);
        let after = span(&force(n, &start, &edges, 200), &edges);
        assert!(after * 3 < before, "{before} became {after}");
    }

    #[test]
    fn an_order_is_never_made_worse_and_stays_a_permutation() {
        let edges = vec![vec![0, 1, 2], vec![3, 4], vec![], vec![2, 3]];
        let start = [0, 1, 2, 3, 4, 5];
        let mut found = force(6, &start, &edges, 20);
        assert!(span(&found, &edges) <= span(&start, &edges));
        found.sort_unstable();
        assert_eq!(found, start);
    }

    #[test]
    fn without_edges_nothing_moves() {
        assert_eq!(force(3, &[2, 0, 1], &[], 5), [2, 0, 1]);
        assert!(force(0, &[], &[], 5).is_empty());
    }
}

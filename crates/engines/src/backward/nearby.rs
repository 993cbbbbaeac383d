//! The state equation on a part of a large net: the places that can pay for what a marking asks for.
//!
//! Weights are zero outside of the part, so that only the conditions on its places matter; a solution is one of the
//! whole equation. Where a transition raises the sum, some place that it takes from must have a weight, so the part
//! grows from the marked places against the arcs.

use std::collections::VecDeque;

use lapidary_base::hash::Set;
use lapidary_base::{Control, Stop};
use lapidary_ir::Tokens;

use super::conditions::Conditions;
use super::pruning::Weights;
use super::simplex::{Simplex, integers};

/// A part with more places or conditions grows no further.
const MOST_PLACES: usize = 200;
const MOST_CONDITIONS: usize = 600;

/// Weights of places that may exclude the marking, whose marked places are given.
pub fn weights(
    conditions: &Conditions,
    marking: &[Tokens],
    marked: &[usize],
    control: &Control,
) -> Result<Weights, Stop> {
    let (columns, numbers) = part(conditions, marked);
    let column = |place: usize| columns.binary_search(&place).ok();
    let row = |&number: &usize| -> Vec<(usize, f64)> {
        let row = conditions.rows[number].iter();
        row.filter_map(|&(place, number)| Some((column(place)?, number as f64))).collect()
    };
    let rows: Vec<Vec<(usize, f64)>> = numbers.iter().map(row).collect();
    let rows = rows.into_iter().filter(|row| row.iter().any(|&(_, number)| number > 0.0)).collect();
    let Some(mut simplex) = Simplex::new(rows, columns.len()) else { return Ok(None) };
    let gain = |&place: &usize| marking[place] as f64 - conditions.most[place].unwrap_or(0) as f64;
    let gain: Vec<f64> = columns.iter().map(gain).collect();
    let found = simplex.maximise(&gain, control)?.and_then(|weights| integers(&weights));
    Ok(found.map(|weights| weights.into_iter().map(|(column, weight)| (columns[column], weight)).collect()))
}

/// The places of the part and the conditions that speak of them, both ascending.
fn part(conditions: &Conditions, marked: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut places: Set<usize> = Set::default();
    let mut known: Set<usize> = Set::default();
    let mut columns: Vec<usize> = Vec::new();
    let mut numbers: Vec<usize> = Vec::new();
    let mut waiting: VecDeque<usize> = marked.iter().copied().collect();
    while let Some(place) = waiting.pop_front() {
        let about = &conditions.about[place];
        if conditions.most[place].is_none() || !places.insert(place) {
            continue;
        }
        if columns.len() == MOST_PLACES || numbers.len() + about.len() > MOST_CONDITIONS {
            break;
        }
        columns.push(place);
        for &number in about {
            let row = &conditions.rows[number];
            if known.insert(number) {
                numbers.push(number);
            }
            let own = row.binary_search_by_key(&place, |entry| entry.0).map_or(0, |at| row[at].1);
            if own > 0 {
                waiting.extend(row.iter().filter(|entry| entry.1 < 0).map(|entry| entry.0));
            }
        }
    }
    columns.sort_unstable();
    numbers.sort_unstable();
    (columns, numbers)
}

//! When does a weighted sum of tokens never grow? Linear conditions on the weights, and inequalities that satisfy them.
//!
//! With weights `y >= 0` a step changes `y . m` by at most `y . put - y . take` if no flow makes tokens heavier: then
//! `y . m <= y . m0` in all reachable markings, where `y . m0` is the greatest that an initial marking has.

use lapidary_base::Id;
use lapidary_ir::{Destinations, Net, PlaceId, Sparse, Tokens, Transition};

/// Conditions `row . y <= 0`, each ascending by place.
pub struct Conditions {
    pub rows: Vec<Vec<(usize, i64)>>,
    /// By place: the conditions that speak of it, ascending.
    pub about: Vec<Vec<usize>>,
    /// The most tokens that places have initially; places without such a number have no weight.
    pub most: Vec<Option<Tokens>>,
}

/// Weights that satisfy all conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inequality {
    /// Ascending by place.
    pub weights: Vec<(usize, u64)>,
    /// The greatest sum that an initial marking has.
    pub bound: u128,
}

impl Inequality {
    /// Do the markings above this one all violate it?
    pub fn excludes(&self, marking: &[Tokens]) -> bool {
        let sum = self.weights.iter().fold(0u128, |sum, &(place, weight)| {
            sum.saturating_add(u128::from(weight).saturating_mul(u128::from(marking[place])))
        });
        sum > self.bound
    }

    /// Over places of another net.
    pub fn over(&self, place: impl Fn(PlaceId) -> PlaceId) -> Sparse {
        self.weights.iter().map(|&(at, weight)| (place(PlaceId::new(at)), weight)).collect()
    }
}

impl Conditions {
    pub fn new(net: &Net) -> Self {
        let mut rows: Vec<Vec<(usize, i64)>> = Vec::new();
        for transition in net.transitions.iter() {
            rows.push(effect(transition));
            for flow in &transition.flows {
                let from = flow.from.index();
                match &flow.to {
                    Destinations::All(to) => {
                        let to = to.iter().map(|&(place, times)| (place.index(), signed(times)));
                        rows.push(sum(to.chain([(from, -1)])));
                    }
                    Destinations::One(to) => {
                        rows.extend(to.iter().map(|to| sum([(to.index(), 1), (from, -1)].into_iter())));
                    }
                }
            }
        }
        // What only lowers the sum asks for nothing.
        rows.retain(|row| row.iter().any(|&(_, number)| number > 0));
        rows.sort_unstable();
        rows.dedup();
        let mut about = vec![Vec::new(); net.places.len()];
        for (number, row) in rows.iter().enumerate() {
            row.iter().for_each(|&(place, _)| about[place].push(number));
        }
        Self { rows, about, most: net.initial.iter().map(|range| range.hi).collect() }
    }

    /// The inequality with these weights, if they satisfy all conditions; computed with integers alone.
    pub fn inequality(&self, weights: &[(usize, u64)]) -> Option<Inequality> {
        let weight = |place: usize| match weights.binary_search_by_key(&place, |entry| entry.0) {
            Ok(at) => i128::from(weights[at].1),
            Err(_) => 0,
        };
        let grows = |row: &Vec<(usize, i64)>| {
            let terms = row.iter().map(|&(place, number)| weight(place) * i128::from(number));
            terms.sum::<i128>() > 0
        };
        // Conditions on other places hold whatever the weights are.
        let mut asked: Vec<usize> = weights.iter().flat_map(|&(place, _)| &self.about[place]).copied().collect();
        asked.sort_unstable();
        asked.dedup();
        if weights.is_empty() || asked.iter().any(|&number| grows(&self.rows[number])) {
            return None;
        }
        let mut bound = 0u128;
        for &(place, weight) in weights {
            bound = bound.checked_add(u128::from(weight).checked_mul(u128::from(self.most[place]?))?)?;
        }
        Some(Inequality { weights: weights.to_vec(), bound })
    }
}

/// A number that does not fit makes the condition stronger than it needs to be, or is refused later.
fn signed(tokens: Tokens) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

/// What a transition changes, ascending by place; flows aside.
pub fn effect(transition: &Transition) -> Vec<(usize, i64)> {
    let put = transition.put.iter().map(|&(place, tokens)| (place.index(), tokens));
    sum(put.chain(transition.take.iter().map(|&(place, tokens)| (place.index(), -signed(tokens)))))
}

fn sum(terms: impl Iterator<Item = (usize, i64)>) -> Vec<(usize, i64)> {
    let mut row: Vec<(usize, i64)> = Vec::new();
    for (place, number) in terms {
        match row.binary_search_by_key(&place, |entry| entry.0) {
            Ok(at) => row[at].1 = row[at].1.saturating_add(number),
            Err(at) => row.insert(at, (place, number)),
        }
    }
    row.retain(|&(_, number)| number != 0);
    row
}

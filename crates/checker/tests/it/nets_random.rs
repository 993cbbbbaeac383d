//! Random certificates about random nets, against a look at all small markings: what is accepted is a proof, what is
//! rejected is none.

use std::sync::Arc;

use lapidary_base::{Control, Id};
use lapidary_checker::{Claim, Rejection, certify_net};
use lapidary_ir::{PlaceId, Sparse, Tokens};
use lapidary_reference::dice::Dice;
use lapidary_reference::nets::{self, Features, Marking, Problem};
use lapidary_reference::seeds;
use lapidary_verdict::{Basis, Certificate, Checked, Ideals};

/// So many tokens in each of two places are looked at: more than any number in nets and certificates asks for.
const ENOUGH: Tokens = 12;
/// In each of three places: not enough to see everything that is wrong.
const SOME: Tokens = 5;

/// A random net, all its small markings, and where they lead.
struct World {
    problem: Problem,
    markings: Vec<Marking>,
    /// By marking, of all transitions.
    successors: Vec<Vec<Marking>>,
}

fn world(seed: u64, features: &Features) -> Option<World> {
    let problem = nets::random(seed, features);
    let markings: Vec<Marking> = match problem.net.places.len() {
        2 => (0..=ENOUGH).flat_map(|p| (0..=ENOUGH).map(move |q| vec![p, q])).collect(),
        3 => {
            let pairs = (0..=SOME).flat_map(|p| (0..=SOME).map(move |q| (p, q)));
            pairs.flat_map(|(p, q)| (0..=SOME).map(move |r| vec![p, q, r])).collect()
        }
        _ => return None,
    };
    let after = |marking: &Marking| -> Vec<Marking> {
        problem.net.transitions.iter().flat_map(|transition| nets::successors(transition, marking)).collect()
    };
    let successors = markings.iter().map(after).collect();
    Some(World { problem, markings, successors })
}

impl World {
    /// Does `is_proof` tell exactly?
    fn is_exact(&self) -> bool {
        self.problem.net.places.len() == 2
    }

    /// Do the markings within form a proof, as far as small markings tell?
    fn is_proof(&self, within: &dyn Fn(&[Tokens]) -> bool) -> bool {
        let initial = |marking: &Marking| {
            self.problem.net.initial.iter().zip(marking).all(|(range, &tokens)| range.contains(tokens))
        };
        self.markings.iter().zip(&self.successors).all(|(marking, after)| match within(marking) {
            true => !nets::is_covered(marking, &self.problem.target) && after.iter().all(|after| within(after)),
            false => !initial(marking),
        })
    }

    fn judge(&self, certificate: &Certificate) -> Result<Checked, Rejection> {
        let (model, property) = self.problem.model();
        certify_net(&self.problem.net, &model, &[Claim::Decides(property)], certificate, &Control::new())
    }

    /// The least of the small markings that satisfy a condition.
    fn least(&self, is_so: impl Fn(usize) -> bool) -> Vec<Sparse> {
        let mut minimal: Vec<Sparse> = Vec::new();
        // Whatever is below a marking comes before it in this order.
        for i in (0..self.markings.len()).filter(|&i| is_so(i)) {
            if !is_above_one(&self.markings[i], &minimal) {
                minimal.push(sparse(&self.markings[i]));
            }
        }
        minimal
    }

    /// The markings that lead to the target, by going backwards over the small ones.
    fn backwards(&self) -> Vec<Sparse> {
        let mut minimal = self.least(|i| nets::is_covered(&self.markings[i], &self.problem.target));
        loop {
            let is_bad = |marking: &[Tokens]| is_above_one(marking, &minimal);
            let next =
                self.least(|i| is_bad(&self.markings[i]) || self.successors[i].iter().any(|after| is_bad(after)));
            if next == minimal {
                return minimal;
            }
            minimal = next;
        }
    }
}

fn sparse(marking: &[Tokens]) -> Sparse {
    let entries = marking.iter().enumerate().map(|(place, &tokens)| (PlaceId::new(place), tokens));
    entries.filter(|entry| entry.1 > 0).collect()
}

fn is_above_one(marking: &[Tokens], minimal: &[Sparse]) -> bool {
    minimal.iter().any(|least| least.iter().all(|&(place, tokens)| marking[place.index()] >= tokens))
}

fn random_marking(dice: &mut Dice, n_places: usize, n: Tokens) -> Marking {
    (0..n_places).map(|_| dice.below(n)).collect()
}

const KINDS: [Features; 5] = [Features::PLAIN, Features::FLOWS, Features::CHOICES, Features::MONOTONE, Features::ALL];

/// All worlds that are looked at, with dice of its own each.
fn worlds() -> impl Iterator<Item = (World, Dice)> {
    let seeds = KINDS.iter().flat_map(|features| seeds::of(0..150).into_iter().map(move |seed| (seed, features)));
    seeds.filter_map(|(seed, features)| Some((world(seed, features)?, Dice::new(seed))))
}

/// Without one, or with one of them changed a little.
fn mutated(minimal: &[Sparse], n_places: usize, dice: &mut Dice) -> Vec<Sparse> {
    let mut minimal = minimal.to_vec();
    if minimal.is_empty() || dice.one_in(4) {
        minimal.push(sparse(&random_marking(dice, n_places, 4)));
    }
    let at = dice.below(minimal.len());
    match dice.below(3) {
        0 => drop(minimal.remove(at)),
        more => {
            let mut marking = vec![0; n_places];
            minimal[at].iter().for_each(|&(place, tokens)| marking[place.index()] = tokens);
            let tokens = &mut marking[dice.below(n_places)];
            *tokens = if more == 1 { *tokens + 1 } else { tokens.saturating_sub(1) };
            minimal[at] = sparse(&marking);
        }
    }
    minimal
}

#[test]
fn a_basis_is_accepted_exactly_if_small_markings_confirm_it() {
    let (mut n_accepted, mut n_rejected) = (0, 0);
    for (world, mut dice) in worlds() {
        let right = world.backwards();
        for round in 0..6 {
            let minimal =
                if round == 0 { right.clone() } else { mutated(&right, world.problem.net.places.len(), &mut dice) };
            let is_proof = world.is_proof(&|marking| !is_above_one(marking, &minimal));
            let certificate =
                Certificate::Basis(Arc::new(Basis { minimal: minimal.clone(), inequalities: Vec::new() }));
            let verdict = world.judge(&certificate);
            let is_accepted = match &verdict {
                Ok(Checked::Fully) => true,
                Err(Rejection::Wrong(_)) => false,
                other => panic!("{other:?}"),
            };
            assert!(
                is_accepted == is_proof || is_proof && !world.is_exact(),
                "{:?}\n{minimal:?}: {verdict:?}",
                world.problem
            );
            (n_accepted, n_rejected) = (n_accepted + usize::from(is_accepted), n_rejected + usize::from(!is_accepted));
        }
    }
    assert!(
        n_accepted > seeds::least(100) && n_rejected > seeds::least(500),
        "{n_accepted} accepted, {n_rejected} rejected"
    );
}

#[test]
fn a_basis_with_inequalities_is_a_proof_if_it_is_accepted() {
    let mut n_accepted = 0;
    for (world, mut dice) in worlds() {
        let initial = &world.problem.net.initial;
        let right = world.backwards();
        for _ in 0..12 {
            let weights = sparse(&random_marking(&mut dice, initial.len(), 3));
            let minimal = mutated(&right, world.problem.net.places.len(), &mut dice);
            let weigh = |marking: &[Tokens]| weights.iter().map(|&(p, weight)| marking[p.index()] * weight).sum();
            let greatest: Marking = initial.iter().map(|range| range.hi.unwrap_or(0)).collect();
            let bound: Tokens = weigh(&greatest);
            let within = |marking: &[Tokens]| !is_above_one(marking, &minimal) && weigh(marking) <= bound;
            let inequalities = vec![weights.clone()];
            let certificate = Certificate::Basis(Arc::new(Basis { minimal: minimal.clone(), inequalities }));
            if world.judge(&certificate).is_ok() {
                n_accepted += 1;
                let is_unbounded = weights.iter().any(|&(place, _)| initial[place].hi.is_none());
                assert!(!is_unbounded && world.is_proof(&within), "{:?}\n{certificate:?}", world.problem);
            }
        }
    }
    assert!(n_accepted > seeds::least(50), "{n_accepted} accepted");
}

#[test]
fn ideals_are_accepted_exactly_if_small_markings_confirm_them() {
    let (mut n_accepted, mut n_rejected) = (0, 0);
    for (world, mut dice) in worlds() {
        for _ in 0..12 {
            // Numbers far below those of the markings that are looked at, or none.
            let mut most = || dice.pick(&[Some(0), Some(1), Some(2), Some(3), None]);
            let mut ideal = || world.problem.net.places.ids().map(|place| (place, most())).collect();
            let ideals: Vec<Vec<_>> = (0..2).map(|_| ideal()).collect();
            let is_below = |marking: &[Tokens], ideal: &Vec<(PlaceId, Option<Tokens>)>| {
                ideal.iter().all(|&(place, most)| most.is_none_or(|most| marking[place.index()] <= most))
            };
            let is_proof = world.is_proof(&|marking| ideals.iter().any(|ideal| is_below(marking, ideal)));
            let verdict = world.judge(&Certificate::Ideals(Arc::new(Ideals { ideals: ideals.clone() })));
            // The initial markings must be below one ideal, which is more than that each is below some.
            let top = |ideal: &Vec<(PlaceId, Option<Tokens>)>| {
                ideal.iter().all(|&(place, most)| match (world.problem.net.initial[place].hi, most) {
                    (_, None) => true,
                    (None, Some(_)) => false,
                    (Some(hi), Some(most)) => hi <= most,
                })
            };
            let expected = is_proof && ideals.iter().any(top);
            let is_right = verdict.is_ok() == expected || expected && !world.is_exact();
            assert!(is_right, "{:?}\n{ideals:?}: {verdict:?}", world.problem);
            (n_accepted, n_rejected) = (n_accepted + usize::from(expected), n_rejected + usize::from(!expected));
        }
    }
    assert!(
        n_accepted > seeds::least(100) && n_rejected > seeds::least(500),
        "{n_accepted} accepted, {n_rejected} rejected"
    );
}

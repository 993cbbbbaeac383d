//! Images and preimages of random transitions against all successors of all small markings.

use lapidary_base::{Control, Id};
use lapidary_ir::{PlaceId, Tokens, Transition};
use lapidary_reference::dice::Dice;
use lapidary_reference::nets::{self, Features, successors};
use lapidary_system::boxes::{BoxStep, Cuboid, INFINITE, Interval, Region, Thresholds};

const N: usize = 3;

fn random_region(dice: &mut Dice) -> Region {
    let n = 1 + dice.below(2);
    Region::of((0..n).map(|_| Cuboid { intervals: (0..N).map(|_| interval(dice)).collect() }).collect())
}

fn interval(dice: &mut Dice) -> Interval {
    let lo = dice.below(4);
    Interval { lo, hi: if dice.one_in(2) { INFINITE } else { lo + dice.below(3) } }
}

fn random_thresholds(dice: &mut Dice) -> Thresholds {
    let mut made = Thresholds::none(N);
    for _ in 0..dice.below(6) {
        made.add(PlaceId::new(dice.below(N)), dice.below(3));
    }
    made
}

/// Takes two tokens at most from a place, and one of what has arrived.
fn random_transition(dice: &mut Dice) -> Transition {
    let features = Features { flows: 80, negative_puts: 60, upper_bounds: 40, reads: 40, ..Features::ALL };
    loop {
        let made = nets::transition(dice, N, &features);
        if made.take.iter().all(|&(_, tokens)| tokens <= 2) && made.put.iter().all(|&(_, tokens)| tokens >= -1) {
            return made;
        }
    }
}

fn markings(most: Tokens) -> impl Iterator<Item = [Tokens; N]> {
    let n = most + 1;
    (0..n * n * n).map(move |i| [i % n, i / n % n, i / n / n])
}

#[test]
fn preimages_are_exact() {
    let (mut dice, control) = (Dice::new(1), Control::new());
    for _ in 0..3000 {
        let (transition, region) = (random_transition(&mut dice), random_region(&mut dice));
        let step = BoxStep::new(&transition);
        let pre = step.pre(&region, &control).expect("small numbers");
        for marking in markings(4) {
            let leads = successors(&transition, &marking).iter().any(|next| region.contains_point(next));
            assert_eq!(pre.contains_point(&marking), leads, "{marking:?} {transition:?} {region:?}");
            let next = step.step_into(&marking, &region, &control).expect("small numbers");
            assert_eq!(next.is_some(), leads);
            if let Some(next) = next {
                assert!(region.contains_point(&next) && successors(&transition, &marking).contains(&next.to_vec()));
            }
        }
    }
}

#[test]
fn images_are_exact_up_to_the_atoms() {
    let (mut dice, control) = (Dice::new(2), Control::new());
    for _ in 0..500 {
        let (transition, region, thresholds) =
            (random_transition(&mut dice), random_region(&mut dice), random_thresholds(&mut dice));
        let step = BoxStep::new(&transition);
        let post = step.abstract_post(&region, &thresholds, &control).expect("small numbers");
        let cell = |marking: &[Tokens]| -> Vec<bool> {
            thresholds.atoms().map(|(place, number)| marking[place.index()] >= number).collect()
        };
        let mut touched: Vec<Vec<bool>> = Vec::new();
        // Enough to take two, subtract one and reach both thresholds of each place, wherever tokens choose to go.
        for marking in markings(11).filter(|marking| region.contains_point(marking)) {
            touched.extend(successors(&transition, &marking).iter().map(|next| cell(next)));
            touched.sort_unstable();
            touched.dedup();
        }
        for marking in markings(3) {
            let is_touched = touched.contains(&cell(&marking));
            assert_eq!(
                post.contains_point(&marking),
                is_touched,
                "{marking:?} {transition:?} {region:?} {thresholds:?}"
            );
        }
    }
}

//! Images and preimages of random transitions against all successors of all small markings.

use lapidary_base::{Control, Id};
use lapidary_ir::{Destinations, Flow, Guard, PlaceId, Range, Tokens, Transition};
use lapidary_text::{SourceId, Span};

use lapidary_system::boxes::{BoxStep, Cuboid, INFINITE, Interval, Region, Thresholds};

const N: usize = 3;

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn region(&mut self) -> Region {
        let n = 1 + self.below(2);
        Region::of((0..n).map(|_| Cuboid { intervals: (0..N).map(|_| self.interval()).collect() }).collect())
    }

    fn interval(&mut self) -> Interval {
        let lo = self.below(4);
        Interval { lo, hi: if self.below(2) == 0 { INFINITE } else { lo + self.below(3) } }
    }

    fn thresholds(&mut self) -> Thresholds {
        let mut made = Thresholds::none(N);
        for _ in 0..self.below(6) {
            made.add(PlaceId::new(self.below(N as u64) as usize), self.below(3));
        }
        made
    }

    fn transition(&mut self) -> Transition {
        let span = Span::new(SourceId(0), 0, 0);
        let (mut guards, mut take, mut flows, mut put) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for place in (0..N).map(PlaceId::new) {
            let range = Range { lo: 1 + self.below(2), hi: (self.below(3) == 0).then_some(3) };
            if self.below(4) == 0 {
                guards.push(Guard { place, range, span });
            }
            if self.below(4) == 0 {
                take.push((place, 1 + self.below(2)));
            }
            if self.below(3) == 0 {
                put.push((place, [-1, -1, 1, 2][self.below(4) as usize]));
            }
            if self.below(2) == 0 {
                flows.push(Flow { from: place, to: self.destinations() });
            }
        }
        Transition { name: "t".to_owned(), guards, take, flows, put, span }
    }

    fn destinations(&mut self) -> Destinations {
        let mut places: Vec<PlaceId> = (0..N).map(PlaceId::new).collect();
        let n_places = self.below(4) as usize;
        while places.len() > n_places {
            places.remove(self.below(places.len() as u64) as usize);
        }
        if places.len() >= 2 && self.below(2) == 0 {
            return Destinations::One(places);
        }
        Destinations::All(places.into_iter().map(|place| (place, 1 + self.below(4) / 3)).collect())
    }
}

/// By the definition in words: all markings after the transition.
fn successors(transition: &Transition, marking: &[Tokens]) -> Vec<Vec<Tokens>> {
    if !transition.guards.iter().all(|guard| guard.range.contains(marking[guard.place.index()])) {
        return Vec::new();
    }
    let mut left: Vec<i64> = marking.iter().map(|&tokens| tokens as i64).collect();
    transition.take.iter().for_each(|&(place, tokens)| left[place.index()] -= tokens as i64);
    if left.iter().any(|&tokens| tokens < 0) {
        return Vec::new();
    }
    let mut after = vec![left.clone()];
    after[0].iter_mut().enumerate().for_each(|(at, tokens)| {
        if transition.flows.iter().any(|flow| flow.from.index() == at) {
            *tokens = 0;
        }
    });
    for flow in &transition.flows {
        let n = left[flow.from.index()];
        match &flow.to {
            Destinations::All(to) => after.iter_mut().for_each(|marking| {
                to.iter().for_each(|&(place, times)| marking[place.index()] += n * times as i64);
            }),
            Destinations::One(to) => {
                for _ in 0..n {
                    let one = |marking: &Vec<i64>, to: &PlaceId| {
                        let mut marking = marking.clone();
                        marking[to.index()] += 1;
                        marking
                    };
                    after = after.iter().flat_map(|marking| to.iter().map(move |to| one(marking, to))).collect();
                    after.sort_unstable();
                    after.dedup();
                }
            }
        }
    }
    after.iter_mut().for_each(|marking| {
        transition.put.iter().for_each(|&(place, tokens)| marking[place.index()] += tokens);
    });
    after.retain(|marking| marking.iter().all(|&tokens| tokens >= 0));
    after.into_iter().map(|marking| marking.into_iter().map(|tokens| tokens as Tokens).collect()).collect()
}

fn markings(most: Tokens) -> impl Iterator<Item = [Tokens; N]> {
    let n = most + 1;
    (0..n * n * n).map(move |i| [i % n, i / n % n, i / n / n])
}

#[test]
fn preimages_are_exact() {
    let (mut dice, control) = (Dice(0x1234_5678_9abc_def1), Control::new());
    for _ in 0..3000 {
        let (transition, region) = (dice.transition(), dice.region());
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
    let (mut dice, control) = (Dice(0x0f1e_2d3c_4b5a_6971), Control::new());
    for _ in 0..500 {
        let (transition, region, thresholds) = (dice.transition(), dice.region(), dice.thresholds());
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

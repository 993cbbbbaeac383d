//! Random nets: the engine's answers against all markings that are reached within a few tokens.

use std::collections::{BTreeSet, VecDeque};

use lapidary_base::{Control, Id};
use lapidary_engines::lazy::{Config, Covering, LazyEngine, Order};
use lapidary_engines::{Engine, Outcome, Target, Task, goals};
use lapidary_ir::passes::{counters, cubes, place_var};
use lapidary_ir::{CountedNet, Destinations, Net, PlaceId, Range, Subject, Tokens, Transition};
use lapidary_reference::seeds;
use lapidary_system::boxes::{Cuboid, Region};
use lapidary_text::Sources;
use lapidary_verdict::{Certificate, Trace};

use super::nets::{choice, flow, guard, idle, net, place, problem};

const N: usize = 3;
/// Searching goes no further than so many tokens in a place.
const MOST: Tokens = 7;

type Marking = Vec<Tokens>;

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn net(&mut self) -> Net {
        let initial: Vec<Range> = (0..N)
            .map(|_| if self.one_in(5) { Range::at_least(self.below(2)) } else { Range::exactly(self.below(3)) })
            .collect();
        let n_transitions = 2 + self.below(4);
        net(&["x", "y", "z"], &initial, (0..n_transitions).map(|i| self.transition(&format!("t{i}"))).collect())
    }

    fn transition(&mut self, name: &str) -> Transition {
        let mut made = idle(name);
        for at in 0..N {
            let others: Vec<usize> = (0..N).filter(|&other| other != at).collect();
            if self.one_in(5) {
                let lo = self.below(3);
                let range = Range { lo, hi: (lo == 0 || self.one_in(4)).then_some(lo + 1) };
                made.guards.push(guard(at, range));
            }
            if self.one_in(3) {
                made.take.push((place(at), 1 + self.below(2)));
            }
            if self.one_in(3) {
                made.put.push((place(at), [1, 1, 2, -1][self.below(4) as usize]));
            }
            match self.below(12) {
                0 => made.flows.push(flow(at, &[])),
                1 => made.flows.push(flow(at, &[others[0]])),
                2 => made.flows.push(flow(at, &[others[1]])),
                3 => made.flows.push(flow(at, &[0, 1])),
                4 => made.flows.push(choice(at, &others)),
                _ => {}
            }
        }
        made
    }
}

/// All markings after the transition, by its definition.
fn successors(transition: &Transition, marking: &[Tokens]) -> BTreeSet<Marking> {
    let mut left: Vec<i64> = marking.iter().map(|&tokens| tokens as i64).collect();
    transition.take.iter().for_each(|&(place, tokens)| left[place.index()] -= tokens as i64);
    let holds = transition.guards.iter().all(|guard| guard.range.contains(marking[guard.place.index()]));
    if !holds || left.iter().any(|&tokens| tokens < 0) {
        return BTreeSet::new();
    }
    let flows = |at: usize| transition.flows.iter().any(|flow| flow.from.index() == at);
    let kept = left.iter().enumerate().map(|(at, &tokens)| if flows(at) { 0 } else { tokens });
    let mut after: BTreeSet<Vec<i64>> = BTreeSet::from([kept.collect()]);
    let plus = |marking: &Vec<i64>, to: PlaceId, n: i64| {
        let mut more = marking.clone();
        more[to.index()] += n;
        more
    };
    for flow in &transition.flows {
        for _ in 0..left[flow.from.index()] {
            after = match &flow.to {
                Destinations::All(to) => after
                    .iter()
                    .map(|marking| to.iter().fold(marking.clone(), |all, &(to, times)| plus(&all, to, times as i64)))
                    .collect(),
                Destinations::One(to) => {
                    after.iter().flat_map(|marking| to.iter().map(move |&to| plus(marking, to, 1))).collect()
                }
            };
        }
    }
    let put = |marking: &Vec<i64>| transition.put.iter().fold(marking.clone(), |all, &(to, n)| plus(&all, to, n));
    let natural = |marking: Vec<i64>| marking.iter().map(|&n| Tokens::try_from(n).ok()).collect::<Option<Marking>>();
    after.iter().map(put).filter_map(natural).collect()
}

fn is_initial(net: &Net, marking: &[Tokens]) -> bool {
    net.initial.iter().zip(marking).all(|(range, &tokens)| range.contains(tokens))
}

/// Can the region be reached with few tokens?
fn is_reached(net: &Net, error: &Region) -> bool {
    let n = MOST + 1;
    let all = (0..n.pow(N as u32)).map(|i| vec![i % n, i / n % n, i / n / n]);
    let mut queue: VecDeque<Marking> = all.filter(|marking| is_initial(net, marking)).collect();
    let mut seen: BTreeSet<Marking> = queue.iter().cloned().collect();
    while let Some(marking) = queue.pop_front() {
        if error.contains_point(&marking) {
            return true;
        }
        for next in net.transitions.iter().flat_map(|transition| successors(transition, &marking)) {
            if next.iter().all(|&tokens| tokens <= MOST) && seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    false
}

fn check_trace(net: &Net, error: &Region, trace: &Trace) {
    let marking =
        |state: &[i64]| -> Marking { state[..N].iter().map(|&n| Tokens::try_from(n).expect("natural")).collect() };
    let markings: Vec<Marking> = trace.states.iter().map(|state| marking(state)).collect();
    assert!(is_initial(net, &markings[0]) && error.contains_point(markings.last().expect("a state")));
    for (i, action) in trace.actions.iter().enumerate() {
        let transition =
            net.transitions.iter().nth(action.command().expect("a command").index()).expect("commands are transitions");
        assert!(successors(transition, &markings[i]).contains(&markings[i + 1]), "{net:?} {trace:?}");
    }
}

/// Whether the engine says that the target is reached; `None` if it gave up.
fn answer(net: &Net, bounds: &[(usize, Tokens)], config: Config) -> Option<bool> {
    let (model, control) = (counters(net), Control::new());
    let exprs = &model.exprs;
    let bound = |&(at, n): &(usize, Tokens)| exprs.le(exprs.int(n as i64), exprs.var(place_var(place(at))));
    let targets = [Target::States(exprs.and(bounds.iter().map(bound)))];
    let error = super::nets::at_least(net, bounds);
    let sources = Sources::default();
    let subject = Subject::Net(CountedNet { net: net.clone(), sums: Vec::new(), model: model.clone() });
    let task = Task { subject: &subject, goals: &goals(&targets), sources: &sources };
    let engine = LazyEngine { config };
    engine.prepare(&task, &Control::new()).map(|_| ()).expect("a net and an upward-closed target");
    match &engine.run(&task, &control)[0].outcome {
        Outcome::Found(trace) => {
            check_trace(net, &error, trace);
            Some(true)
        }
        Outcome::Excluded(Certificate::Invariant(formula)) => {
            let cubes = cubes(exprs, formula.within(exprs)).expect("a union of boxes");
            let cuboids = cubes.iter().map(|cube| Cuboid::of_cube(N, cube).expect("places only"));
            assert_eq!(problem(net, &error, &Region::of(cuboids.collect()), &control), None, "{net:?} {bounds:?}");
            assert!(!is_reached(net, &error), "{net:?} {bounds:?}");
            Some(false)
        }
        Outcome::Excluded(other) => panic!("no invariant but {other:?}"),
        Outcome::Unknown(stop) => {
            assert!(
                stop.to_string().starts_with("no answer after") || matches!(stop, lapidary_base::Stop::Budget(_)),
                "{stop}"
            );
            None
        }
    }
}

fn config(order: Order, covering: Option<Covering>) -> Config {
    Config { order, covering, most_refinements: Some(60), most_nodes: Some(20_000) }
}

#[test]
fn answers_agree_with_a_plain_search() {
    let (mut n_safe, mut n_unsafe, mut n_monotone_unknown) = (0, 0, 0);
    for seed in seeds::of(0..400) {
        let mut dice = Dice(seed * 7919 + 7);
        let net = dice.net();
        let bounds: Vec<(usize, Tokens)> = (0..N).map(|at| (at, dice.below(4))).filter(|bound| bound.1 > 0).collect();
        let configs = [
            config(Order::BreadthFirst, None),
            config(Order::BreadthFirst, Some(Covering::NotDeeper)),
            config(Order::DepthFirst, None),
            config(Order::Random(3), None),
        ];
        let answers: Vec<Option<bool>> = configs.into_iter().map(|config| answer(&net, &bounds, config)).collect();
        let known: BTreeSet<bool> = answers.iter().copied().flatten().collect();
        assert!(known.len() <= 1, "{net:?} {bounds:?} {answers:?}");
        n_safe += usize::from(known.contains(&false));
        n_unsafe += usize::from(known.contains(&true));
        n_monotone_unknown += usize::from(answers[0].is_none() && net.upper_bound().is_none());
    }
    assert!(
        n_safe > seeds::least(50) && n_unsafe > seeds::least(100) && n_monotone_unknown < 20,
        "{n_safe} {n_unsafe} {n_monotone_unknown}"
    );
}

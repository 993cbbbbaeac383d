//! Random nets are varied enough to be worth checking engines with, and the brute search says what small nets do.

use lapidary_ir::{Destinations, Flow, Net, Place, PlaceId, Range, Transition};
use lapidary_reference::nets::{self, Features, Problem, Search};
use lapidary_text::{SourceId, Span};

const NOWHERE: Span = Span::new(SourceId(0), 0, 0);
const SEEDS: std::ops::Range<u64> = 0..1000;

fn problems(features: &Features) -> impl Iterator<Item = Problem> {
    SEEDS.map(|seed| nets::random(seed, features))
}

fn flows(problem: &Problem) -> impl Iterator<Item = &Flow> {
    problem.net.transitions.iter().flat_map(|transition| &transition.flows)
}

fn count(features: &Features, is_so: impl Fn(&Problem) -> bool) -> usize {
    problems(features).filter(|problem| is_so(problem)).count()
}

/// `All` with so many destinations.
fn has_flow_to(problem: &Problem, n_destinations: usize) -> bool {
    flows(problem).any(|flow| matches!(&flow.to, Destinations::All(to) if to.len() == n_destinations))
}

#[test]
fn every_random_net_is_sound_and_equal_seeds_give_equal_nets() {
    for features in [Features::PLAIN, Features::FLOWS, Features::CHOICES, Features::MONOTONE, Features::ALL] {
        for (seed, problem) in SEEDS.zip(problems(&features)) {
            assert_eq!(problem.net.validate(), Ok(()), "seed {seed}");
            assert!((2..=5).contains(&problem.net.places.len()) && (2..=6).contains(&problem.net.transitions.len()));
            assert_eq!(problem, nets::random(seed, &features));
        }
    }
}

#[test]
fn features_that_are_off_do_not_appear() {
    assert_eq!(count(&Features::PLAIN, |problem| !problem.net.is_plain()), 0);
    assert_eq!(count(&Features::FLOWS, |problem| problem.net.has_choices()), 0);
    assert_eq!(count(&Features::MONOTONE, |problem| problem.net.upper_bound().is_some()), 0);
    let one_marking = |problem: &Problem| problem.net.initial.iter().all(|range| range.hi == Some(range.lo));
    assert_eq!(count(&Features::CHOICES, one_marking), SEEDS.count());
}

#[test]
fn features_that_are_on_appear_often_enough() {
    let all = &Features::ALL;
    let at_least = |n: usize, what: &str, is_so: &dyn Fn(&Problem) -> bool| {
        let found = count(all, is_so);
        assert!(found >= n, "{found} nets with {what}");
    };
    at_least(100, "resets", &|problem| has_flow_to(problem, 0));
    at_least(200, "transfers", &|problem| has_flow_to(problem, 1));
    at_least(100, "copies", &|problem| has_flow_to(problem, 2));
    at_least(200, "choices", &|problem| problem.net.has_choices());
    at_least(200, "zero tests", &|problem| problem.net.upper_bound().is_some());
    at_least(100, "places with any number at first", &|problem| {
        problem.net.initial.iter().any(|range| range.hi.is_none())
    });
    at_least(50, "negative puts", &|problem| {
        problem.net.transitions.iter().any(|transition| transition.put.iter().any(|&(_, tokens)| tokens < 0))
    });
}

#[test]
fn targets_are_reached_or_not_about_equally_often() {
    for features in [Features::PLAIN, Features::FLOWS, Features::CHOICES] {
        let (mut reached, mut deep, mut never) = (0, 0, 0);
        for problem in problems(&features) {
            match nets::search(&problem.net, &problem.target, 8) {
                Search::Reached { depth } => {
                    reached += 1;
                    deep += usize::from(depth >= 3);
                }
                Search::NotWithin { bound_was_hit } => never += usize::from(!bound_was_hit),
            }
        }
        assert!(reached >= 200 && deep >= 50 && never >= 100, "{reached} reached, {deep} deep, {never} never");
    }
}

fn net(initial: &[u64], transition: Transition) -> Net {
    let places = initial.iter().map(|i| Place { name: format!("p{i}"), span: NOWHERE }).collect();
    let initial = initial.iter().map(|&tokens| Range::exactly(tokens)).collect();
    Net { name: "net".to_owned(), places, transitions: vec![transition].into(), initial }
}

fn transition() -> Transition {
    let (guards, take, flows, put) = Default::default();
    Transition { name: "t".to_owned(), guards, take, flows, put, span: NOWHERE }
}

#[test]
fn flows_move_what_is_left_at_once_and_what_is_put_stays() {
    let (p, q) = (PlaceId(0), PlaceId(1));
    let swap = vec![
        Flow { from: p, to: Destinations::All(vec![(q, 2)]) },
        Flow { from: q, to: Destinations::All(vec![(p, 1)]) },
    ];
    let transition = Transition { take: vec![(p, 1)], flows: swap, put: vec![(q, 5)], ..transition() };
    let found: Vec<_> = nets::successors(&transition, &[3, 7]).into_iter().collect();
    assert_eq!(found, [vec![7, 9]]);
    assert!(nets::successors(&transition, &[0, 7]).is_empty());
}

#[test]
fn every_token_chooses_for_itself() {
    let (p, q) = (PlaceId(0), PlaceId(1));
    let flows = vec![Flow { from: p, to: Destinations::One(vec![p, q]) }];
    let found: Vec<_> = nets::successors(&Transition { flows, ..transition() }, &[2, 1]).into_iter().collect();
    assert_eq!(found, [vec![0, 3], vec![1, 2], vec![2, 1]]);
}

#[test]
fn a_negative_put_takes_from_what_has_arrived() {
    let (p, q) = (PlaceId(0), PlaceId(1));
    let flows = vec![Flow { from: p, to: Destinations::All(vec![(q, 1)]) }];
    let transition = Transition { flows, put: vec![(q, -2)], ..transition() };
    assert_eq!(nets::successors(&transition, &[2, 0]).into_iter().collect::<Vec<_>>(), [vec![0, 0]]);
    assert!(nets::successors(&transition, &[1, 0]).is_empty());
}

#[test]
fn a_search_says_how_deep_or_whether_it_saw_everything() {
    let (p, q) = (PlaceId(0), PlaceId(1));
    let moves = Transition { take: vec![(p, 1)], put: vec![(q, 1)], ..transition() };
    let at_least = |tokens| vec![vec![(q, Range::at_least(tokens))]];
    let search =
        |transition: &Transition, tokens| nets::search(&net(&[3, 0], transition.clone()), &at_least(tokens), 6);
    assert_eq!(search(&moves, 2), Search::Reached { depth: 2 });
    assert_eq!(search(&moves, 4), Search::NotWithin { bound_was_hit: false });
    let grows = Transition { put: vec![(p, 1)], ..transition() };
    assert_eq!(search(&grows, 1), Search::NotWithin { bound_was_hit: true });
    let any = Net { initial: vec![Range::exactly(0), Range::ANY].into(), ..net(&[0, 0], moves.clone()) };
    assert_eq!(nets::search(&any, &at_least(5), 6), Search::Reached { depth: 0 });
    assert_eq!(nets::search(&any, &[vec![(p, Range::at_least(1))]], 6), Search::NotWithin { bound_was_hit: true });
}

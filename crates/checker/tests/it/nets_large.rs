//! Large certificates about nets take time that grows with them, not with pairs of their markings.

use std::sync::Arc;

use lapidary_base::{Control, Id};
use lapidary_checker::{Claim, certify_net};
use lapidary_ir::passes::{self, Cube};
use lapidary_ir::{Flow, Net, Place, PlaceId, Range, Sparse, Tokens, Transition};
use lapidary_reference::nets::Problem;
use lapidary_verdict::{Basis, Certificate, Checked, Ideals};

use crate::common::build::NOWHERE;
use crate::common::nets::{all, moves, transition};

fn net(initial: Vec<Range>, transitions: Vec<Transition>) -> Net {
    let place = |i: usize| Place { name: format!("p{i}"), span: NOWHERE };
    let places = (0..initial.len()).map(place).collect();
    Net { name: "large".to_owned(), places, transitions: transitions.into(), initial: initial.into() }
}

fn check(problem: &Problem, certificate: &Certificate) {
    let (model, property) = problem.model();
    let verdict = certify_net(&problem.net, &model, &[Claim::Decides(property)], certificate, &Control::new());
    assert_eq!(verdict, Ok(Checked::Fully));
}

/// Each of so many pairs of places has its token on one side; the last pair has none.
fn switches(n_pairs: usize) -> (Problem, Vec<Sparse>) {
    let side = |pair: usize, side: usize| PlaceId::new(2 * pair + side);
    let flips = (0..n_pairs).flat_map(|pair| {
        [0, 1].map(|from| moves(&format!("t{pair}_{from}"), &[(side(pair, from), 1)], &[(side(pair, 1 - from), 1)]))
    });
    let range = |i: usize| Range::exactly(u64::from(i.is_multiple_of(2) && i + 2 < 2 * n_pairs));
    let net = net((0..2 * n_pairs).map(range).collect(), flips.collect());
    let minimal = |choice: usize| (0..n_pairs).map(|pair| (side(pair, choice >> pair & 1), 1)).collect();
    let target: Vec<Cube> = vec![(0..n_pairs).map(|pair| (side(pair, 1), Range::at_least(1))).collect()];
    (Problem { net, target }, (0..1 << n_pairs).map(minimal).collect())
}

#[test]
fn many_minimal_markings_with_many_places() {
    let (problem, minimal) = switches(12);
    check(&problem, &Certificate::Basis(Arc::new(Basis { minimal, inequalities: Vec::new() })));
}

/// Two tokens go around and are gathered now and then; three are never there.
fn ring(n_places: usize) -> Problem {
    let around = |i: usize| moves(&format!("t{i}"), &[(PlaceId::new(i), 1)], &[(PlaceId::new((i + 1) % n_places), 1)]);
    let gathered = |first: usize| -> Transition {
        let flows: Vec<Flow> =
            (first + 1..first + 6).map(|i| all(PlaceId::new(i), &[(PlaceId::new(first), 1)])).collect();
        Transition { flows, ..transition(&format!("gather{first}")) }
    };
    let gathers = (0..n_places - 6).step_by(10).map(gathered);
    let range = |i: usize| Range::exactly(if i == 0 { 2 } else { 0 });
    let net = net((0..n_places).map(range).collect(), (0..n_places).map(around).chain(gathers).collect());
    Problem { net, target: vec![vec![(PlaceId(0), Range::at_least(3))]] }
}

/// All ways to have so many tokens.
fn ways(n_places: usize, n_tokens: Tokens) -> Vec<Sparse> {
    let mut ways: Vec<Sparse> = vec![Vec::new()];
    for _ in 0..n_tokens {
        let more = |way: &Sparse| -> Vec<Sparse> {
            let last = way.last().map_or(0, |entry| entry.0.index());
            let add = |place: usize| {
                let mut way = way.clone();
                match way.last_mut() {
                    Some((last, tokens)) if last.index() == place => *tokens += 1,
                    _ => way.push((PlaceId::new(place), 1)),
                }
                way
            };
            (last..n_places).map(add).collect()
        };
        ways = ways.iter().flat_map(more).collect();
    }
    ways
}

#[test]
fn many_minimal_markings_with_few_places() {
    let problem = ring(30);
    check(&problem, &Certificate::Basis(Arc::new(Basis { minimal: ways(30, 3), inequalities: Vec::new() })));
}

#[test]
fn many_ideals() {
    let problem = ring(30);
    let ideal = |way: &Sparse| way.iter().map(|&(place, tokens)| (place, Some(tokens))).collect();
    let ideals = ways(30, 2).iter().map(ideal).collect();
    check(&problem, &Certificate::Ideals(Arc::new(Ideals { ideals })));
}

#[test]
fn a_sum_over_many_places_is_not_multiplied_out_beyond_the_set() {
    let mut problem = ring(30);
    problem.target.clear();
    let mut model = passes::counters(&problem.net);
    let sum = model.exprs.add(model.vars.ids().map(|var| model.exprs.var(var)));
    let kind = lapidary_ir::PropertyKind::Invariant(model.exprs.le(sum, model.exprs.int(25)));
    let property = crate::common::nets::add_property(&mut model, "few", kind);
    let inequality: Sparse = problem.net.places.ids().map(|place| (place, 1)).collect();
    let certificate = Certificate::Basis(Arc::new(Basis { minimal: Vec::new(), inequalities: vec![inequality] }));
    let verdict = certify_net(&problem.net, &model, &[Claim::Decides(property)], &certificate, &Control::new());
    assert_eq!(verdict, Ok(Checked::Fully));
}

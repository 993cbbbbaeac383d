//! Which sums are found, and which places have no bound.

use lapidary_base::Id;
use lapidary_text::{SourceId, Span};

use super::*;
use crate::net::{Flow, Place, Range};

const NOWHERE: Span = Span::new(SourceId(0), 0, 0);

fn moves(take: &[(u32, Tokens)], put: &[(u32, i64)]) -> Transition {
    Transition {
        name: "t".to_owned(),
        guards: Vec::new(),
        take: take.iter().map(|&(place, n)| (PlaceId(place), n)).collect(),
        flows: Vec::new(),
        put: put.iter().map(|&(place, n)| (PlaceId(place), n)).collect(),
        span: NOWHERE,
    }
}

fn transfers(from: u32, to: Destinations) -> Transition {
    Transition { flows: vec![Flow { from: PlaceId(from), to }], ..moves(&[], &[]) }
}

fn net(initial: &[Option<Tokens>], transitions: Vec<Transition>) -> Net {
    let place = |i: usize| Place { name: format!("p{i}"), span: NOWHERE };
    let range = |hi: &Option<Tokens>| Range { lo: hi.unwrap_or(0), hi: *hi };
    let net = Net {
        name: String::new(),
        places: (0..initial.len()).map(place).collect(),
        transitions: transitions.into(),
        initial: initial.iter().map(range).collect(),
    };
    assert_eq!(net.validate(), Ok(()));
    net
}

fn bounds_of(net: &Net) -> Vec<Option<Tokens>> {
    let sums = sums(net, &Control::new()).expect("there are no limits");
    bounds(net, &sums).iter().copied().collect()
}

#[test]
fn a_token_that_walks_is_one_token_everywhere() {
    let walk = net(&[Some(1), Some(0), Some(0)], vec![moves(&[(0, 1)], &[(1, 1)]), moves(&[(1, 1)], &[(2, 1)])]);
    assert_eq!(bounds_of(&walk), [Some(1); 3]);
}

#[test]
fn what_grows_has_no_bound() {
    let spawns = net(&[Some(1), Some(0)], vec![moves(&[(0, 1)], &[(0, 1), (1, 1)])]);
    assert_eq!(bounds_of(&spawns), [Some(1), None]);
    let any = net(&[None, Some(0)], vec![moves(&[(0, 1)], &[(1, 1)])]);
    assert_eq!(bounds_of(&any), [None, None]);
}

#[test]
fn weights_follow_the_arcs() {
    // Two of the first make one of the second, three of which make one of the third.
    let pack = net(&[Some(12), Some(0), Some(0)], vec![moves(&[(0, 2)], &[(1, 1)]), moves(&[(1, 3)], &[(2, 1)])]);
    assert_eq!(bounds_of(&pack), [Some(12), Some(6), Some(2)]);
    let unpack = net(&[Some(0), Some(5)], vec![moves(&[(1, 1)], &[(0, 4)])]);
    assert_eq!(bounds_of(&unpack), [Some(20), Some(5)]);
}

#[test]
fn who_pays_is_tried_in_order() {
    // The first that could pay is filled from nowhere; the second is not.
    let either = net(
        &[Some(0), Some(0), Some(3)],
        vec![moves(&[(1, 1), (2, 1)], &[(0, 1)]), moves(&[], &[(1, 1)]), moves(&[(0, 1)], &[(2, 1)])],
    );
    assert_eq!(bounds_of(&either), [Some(3), None, Some(3)]);
}

#[test]
fn flows_keep_what_they_move() {
    let moved = |to| net(&[Some(4), Some(0), Some(0)], vec![transfers(0, to)]);
    let places = |list: &[u32]| list.iter().map(|&place| PlaceId(place)).collect::<Vec<_>>();
    assert_eq!(bounds_of(&moved(Destinations::All(vec![(PlaceId(1), 1)]))), [Some(4), Some(4), Some(0)]);
    assert_eq!(bounds_of(&moved(Destinations::One(places(&[1, 2])))), [Some(4); 3]);
    assert_eq!(bounds_of(&moved(Destinations::All(vec![(PlaceId(1), 3)]))), [Some(4), Some(12), Some(0)]);
    // A copy that leaves the original where it is grows without bound.
    let copies = Destinations::All(vec![(PlaceId(0), 1), (PlaceId(1), 1)]);
    assert_eq!(bounds_of(&moved(copies)), [Some(4), None, Some(0)]);
}

#[test]
fn long_chains_make_one_sum_in_either_direction() {
    let n = 50_000;
    let initial = |first: u32| -> Vec<Option<Tokens>> { (0..n).map(|i| Some(u64::from(i == first))).collect() };
    let steps = |back: u32| (1..n).map(move |i| moves(&[(i - 1 + back, 1)], &[(i - back, 1)])).collect();
    for chain in [net(&initial(0), steps(0)), net(&initial(n - 1), steps(1))] {
        let sums = sums(&chain, &Control::new()).expect("there are no limits");
        assert_eq!(sums.len(), 1);
        assert_eq!((sums[0].weights.len(), sums[0].most), (n as usize, 1));
    }
}

#[test]
fn the_limits_are_looked_at() {
    let n = 50_000;
    let initial: Vec<Option<Tokens>> = (0..n).map(|i| Some(u64::from(i == 0))).collect();
    let chain = net(&initial, (1..n).map(|i| moves(&[(i - 1, 1)], &[(i, 1)])).collect());
    let late = Control::new().with_timeout(Some(std::time::Duration::ZERO));
    assert_eq!(sums(&chain, &late), Err(Stop::Timeout));
    assert_eq!(chain.places.ids().last().map(|place| place.index()), Some(n as usize - 1));
}

//! Ideals of nets: right ones are accepted, and every part of them is needed.

use expect_test::expect;
use lapidary_base::Control;
use lapidary_checker::{Claim, Rejection, certify_net};
use lapidary_ir::{Net, Range, Tokens, Transition};
use lapidary_verdict::Checked;

use crate::common::nets::{
    P, Q, R, S, accepted, all, avoids, exactly, guard, ideals, judged, moves, net, one, rejected, transition,
};

type Entry = (lapidary_ir::PlaceId, Option<Tokens>);

fn lock() -> Net {
    let enter = moves("enter", &[(P, 1), (R, 1)], &[(Q, 1)]);
    let leave = moves("leave", &[(Q, 1)], &[(P, 1), (R, 1)]);
    net(&[Range::ANY, Range::exactly(0), Range::exactly(1)], vec![enter, leave])
}

const IDLE: &[Entry] = &[(P, None), (R, Some(1))];
const BUSY: &[Entry] = &[(P, None), (Q, Some(1))];

#[test]
fn the_cover_of_a_net_is_accepted() {
    accepted(&lock(), &[(Q, 2)], &ideals(&[IDLE, BUSY]));
    accepted(&lock(), &[(Q, 1), (R, 1)], &ideals(&[IDLE, BUSY]));
    accepted(&lock(), &[(Q, 2)], &ideals(&[&[(P, None), (Q, Some(1)), (R, Some(0))], IDLE, BUSY, &[]]));
}

#[test]
fn every_part_of_a_cover_is_needed() {
    let of = |parts: &[&[Entry]], expect| rejected(&lock(), &[(Q, 2)], &ideals(parts), expect);
    of(&[BUSY], expect!["the initial markings are not below one ideal: p=w r=1"]);
    of(&[IDLE], expect!["enter leads out of the set: from ideal 0 to p=w q=1"]);
    of(&[], expect!["the initial markings are not below one ideal: p=w r=1"]);
    of(&[&[(P, Some(9)), (R, Some(1))], BUSY], expect!["the initial markings are not below one ideal: p=w r=1"]);
    of(&[IDLE, &[(P, Some(9)), (Q, Some(1))]], expect!["enter leads out of the set: from ideal 0 to p=w q=1"]);
    of(&[&[(P, None)], BUSY], expect!["the initial markings are not below one ideal: p=w r=1"]);
}

#[test]
fn the_target_is_above_every_ideal() {
    let of = |avoided: &[_], expect| rejected(&lock(), avoided, &ideals(&[IDLE, BUSY]), expect);
    of(&[(Q, 1)], expect!["the set has a marking that spoils safe: q=1"]);
    of(&[(P, 1000), (R, 1)], expect!["the set has a marking that spoils safe: p=1000 r=1"]);
    of(&[], expect!["the set has a marking that spoils safe: the empty marking"]);
}

#[test]
fn two_ideals_that_cover_the_initial_markings_only_together_are_not_enough() {
    let idle = net(&[Range { lo: 0, hi: Some(1) }, Range { lo: 0, hi: Some(1) }], vec![]);
    accepted(&idle, &[(P, 2)], &ideals(&[&[(P, Some(1)), (Q, Some(1))]]));
    rejected(
        &idle,
        &[(P, 2)],
        &ideals(&[&[(P, Some(1))], &[(Q, Some(1))]]),
        expect!["the initial markings are not below one ideal: p=1 q=1"],
    );
}

#[test]
fn a_transition_needs_what_it_takes_and_reads() {
    let grow = |take: &[_], guards| Transition { guards, ..moves("t", take, &[(Q, 1)]) };
    let of = |transition, most| judged(&net(&exactly([1, 0]), vec![transition]), &[(Q, 1)], &ideals(&[&[(P, most)]]));
    assert_eq!(of(grow(&[(P, 2)], vec![]), Some(1)), Ok(Checked::Fully));
    assert!(of(grow(&[(P, 2)], vec![]), Some(2)).is_err());
    assert!(of(grow(&[(P, 2)], vec![]), None).is_err());
    assert_eq!(of(grow(&[], vec![guard(P, 2, None)]), Some(1)), Ok(Checked::Fully));
    assert!(of(grow(&[], vec![guard(P, 2, None)]), Some(2)).is_err());
    assert!(of(grow(&[], vec![guard(P, 2, None)]), None).is_err());
}

#[test]
fn an_upper_bound_limits_what_flows_and_what_stays() {
    // `p` goes to `q`, but only where it has at most two tokens.
    let t = Transition { guards: vec![guard(P, 0, Some(2))], flows: vec![all(P, &[(Q, 1)])], ..transition("t") };
    let net = net(&[Range::ANY, Range::exactly(0)], vec![t]);
    let once = |q: Tokens| ideals(&[&[(P, None)], &[(Q, Some(q))]]);
    accepted(&net, &[(Q, 3)], &once(2));
    rejected(&net, &[(Q, 3)], &once(1), expect!["t leads out of the set: from ideal 0 to q=2"]);
    // What stays is limited too: after `t` there is no token in `p`.
    let t = Transition { guards: vec![guard(P, 0, Some(0))], put: vec![(Q, 1)], ..transition("t") };
    let net = crate::common::nets::net(&[Range::ANY, Range::exactly(0)], vec![t]);
    accepted(&net, &[(P, 1), (Q, 1)], &ideals(&[&[(P, None)], &[(Q, None)]]));
    // Below the least number it is enabled nowhere.
    let t = Transition { guards: vec![guard(P, 3, Some(4))], put: vec![(Q, 1)], ..transition("t") };
    accepted(&crate::common::nets::net(&exactly([2, 0]), vec![t]), &[(Q, 1)], &ideals(&[&[(P, Some(2))]]));
}

#[test]
fn transfers_resets_and_copies_move_the_greatest_numbers() {
    let of = |flows, parts: &[&[Entry]]| {
        judged(&net(&exactly([2, 1, 0]), vec![Transition { flows, ..transition("t") }]), &[(P, 3)], &ideals(parts))
    };
    let start: &[Entry] = &[(P, Some(2)), (Q, Some(1))];
    assert_eq!(of(vec![all(P, &[(Q, 1)])], &[start, &[(Q, Some(3))]]), Ok(Checked::Fully));
    assert!(of(vec![all(P, &[(Q, 1)])], &[start, &[(Q, Some(2))]]).is_err());
    assert_eq!(of(vec![all(P, &[])], &[start]), Ok(Checked::Fully));
    assert_eq!(of(vec![all(P, &[(P, 1), (R, 2)])], &[&[(P, Some(2)), (Q, Some(1)), (R, None)]]), Ok(Checked::Fully));
    let copied: &[Entry] = &[(Q, Some(1)), (R, Some(4))];
    assert_eq!(of(vec![all(P, &[(R, 2)])], &[start, copied]), Ok(Checked::Fully));
    assert!(of(vec![all(P, &[(R, 2)])], &[start, &[(Q, Some(1)), (R, Some(3))]]).is_err());
    // Two that change places do so at once.
    let swap = || vec![all(P, &[(Q, 1)]), all(Q, &[(P, 1)])];
    assert_eq!(of(swap(), &[start, &[(P, Some(1)), (Q, Some(2))]]), Ok(Checked::Fully));
    assert!(of(swap(), &[start]).is_err());
    // Any number stays any number wherever it goes.
    let any: &[Entry] = &[(P, None), (Q, Some(1))];
    let from_any = |flows, parts: &[&[Entry]]| {
        let initial = [Range::ANY, Range::exactly(1), Range::exactly(0)];
        judged(&net(&initial, vec![Transition { flows, ..transition("t") }]), &[(Q, 2), (R, 1)], &ideals(parts))
    };
    assert_eq!(from_any(vec![all(P, &[(R, 1)])], &[any, &[(Q, Some(1)), (R, None)]]), Ok(Checked::Fully));
    assert!(from_any(vec![all(P, &[(R, 1)])], &[any, &[(Q, Some(1)), (R, Some(99))]]).is_err());
}

#[test]
fn tokens_that_choose_may_be_split_in_any_way() {
    let choose = Transition { flows: vec![one(P, &[Q, R])], ..transition("t") };
    let two = net(&exactly([2, 0, 0]), vec![choose.clone()]);
    let split = |q, r| -> Vec<Entry> { vec![(Q, Some(q)), (R, Some(r))] };
    let start: &[Entry] = &[(P, Some(2))];
    let all_ways = [split(2, 0), split(1, 1), split(0, 2)];
    let of = |kept: &[usize]| {
        let parts: Vec<&[Entry]> = [start].into_iter().chain(kept.iter().map(|&i| &all_ways[i][..])).collect();
        judged(&two, &[(Q, 2), (R, 1)], &ideals(&parts))
    };
    assert_eq!(of(&[0, 1, 2]), Ok(Checked::Fully));
    for kept in [[0, 1], [0, 2], [1, 2]] {
        assert!(matches!(of(&kept), Err(Rejection::Wrong(_))), "{kept:?}");
    }
    // Out of any number, any number goes to both.
    let any = net(&[Range::ANY, Range::exactly(0), Range::exactly(0)], vec![choose]);
    let from_any = |parts: &[&[Entry]]| judged(&any, &[(P, 1), (Q, 1)], &ideals(parts));
    assert_eq!(from_any(&[&[(P, None)], &[(Q, None), (R, None)]]), Ok(Checked::Fully));
    assert!(from_any(&[&[(P, None)], &[(Q, None)], &[(R, None)]]).is_err());
}

#[test]
fn two_choices_are_made_independently() {
    let both = Transition { flows: vec![one(P, &[Q, R]), one(S, &[Q, R])], ..transition("t") };
    let net = net(&exactly([1, 0, 0, 1]), vec![both]);
    let start: &[Entry] = &[(P, Some(1)), (S, Some(1))];
    let [left, middle, right]: [&[Entry]; 3] = [&[(Q, Some(2))], &[(Q, Some(1)), (R, Some(1))], &[(R, Some(2))]];
    let of = |parts: &[&[Entry]]| judged(&net, &[(Q, 2), (R, 1)], &ideals(parts));
    assert_eq!(of(&[start, left, middle, right]), Ok(Checked::Fully));
    assert!(of(&[start, middle, right]).is_err());
    assert!(of(&[start, left, right]).is_err());
    assert!(of(&[start, left, middle]).is_err());
}

#[test]
fn a_negative_put_takes_from_what_has_arrived() {
    let t = Transition { flows: vec![all(P, &[(Q, 1)])], put: vec![(Q, -2), (R, 1)], ..transition("t") };
    let of = |p, parts: &[&[Entry]]| judged(&net(&exactly([p, 0, 0]), vec![t.clone()]), &[(R, 2)], &ideals(parts));
    assert_eq!(of(1, &[&[(P, Some(1))]]), Ok(Checked::Fully));
    assert!(of(2, &[&[(P, Some(2))]]).is_err());
    assert_eq!(of(2, &[&[(P, Some(2))], &[(R, Some(1))]]), Ok(Checked::Fully));
    assert_eq!(of(3, &[&[(P, Some(3))], &[(Q, Some(1)), (R, Some(1))]]), Ok(Checked::Fully));
    assert!(of(3, &[&[(P, Some(3))], &[(R, Some(1))]]).is_err());
    // With a choice: only where both tokens come to `q` does it fire.
    let t = Transition { flows: vec![one(P, &[Q, R])], put: vec![(Q, -2)], ..transition("t") };
    let net = net(&exactly([2, 0, 0]), vec![t]);
    accepted(&net, &[(R, 1)], &ideals(&[&[(P, Some(2))]]));
}

#[test]
fn ideals_of_another_form_are_refused() {
    let of = |parts: &[&[Entry]], expect| rejected(&lock(), &[(Q, 2)], &ideals(parts), expect);
    of(&[&[(S, None)]], expect!["ideal 0: the net has no place number 3"]);
    of(&[IDLE, &[(R, None), (Q, None)]], expect!["ideal 1: its places are not ascending"]);
    of(&[IDLE, &[(Q, None), (Q, None)]], expect!["ideal 1: its places are not ascending"]);
}

#[test]
fn too_many_ways_to_choose_are_left_open_and_large_numbers_do_not_wrap() {
    let choose = Transition { flows: vec![one(P, &[Q, R])], ..transition("t") };
    let large = net(&exactly([1 << 40, 0, 0]), vec![choose]);
    let verdict = judged(&large, &[(P, 1), (Q, 1)], &ideals(&[&[(P, Some(1 << 40))], &[(Q, None)], &[(R, None)]]));
    assert!(matches!(verdict, Err(Rejection::Wrong(_))), "{verdict:?}");
    // Few ways need to be told apart here, and too many there.
    let few: [&[Entry]; 3] = [&[(P, Some(1 << 40))], &[(Q, Some(1 << 40)), (R, Some((1 << 40) - 1))], &[(R, None)]];
    accepted(&large, &[(P, 1), (Q, 1)], &ideals(&few));
    let many: [&[Entry]; 2] = [&[(P, Some(1 << 40))], &[(Q, Some((1 << 40) - 1)), (R, None)]];
    let verdict = judged(&large, &[(P, 1), (Q, 1)], &ideals(&many));
    assert!(matches!(verdict, Err(Rejection::Stopped(_))), "{verdict:?}");
    // Where the ideals allow all of them everywhere, nothing is enumerated.
    accepted(&large, &[(P, 1), (Q, 1)], &ideals(&[&[(P, Some(1 << 40))], &[(Q, None), (R, None)]]));
    let most = i64::MAX as Tokens;
    let copies = Transition { flows: vec![all(P, &[(Q, most), (R, most)]), all(Q, &[(R, most)])], ..transition("t") };
    let copies = net(&exactly([i64::MAX as u64, i64::MAX as u64, 0]), vec![copies]);
    let start: &[Entry] = &[(P, Some(i64::MAX as u64)), (Q, Some(i64::MAX as u64))];
    assert!(judged(&copies, &[(P, 1), (R, 1)], &ideals(&[start, &[(Q, Some(most)), (R, Some(most))]])).is_err());
    accepted(&copies, &[(P, 1), (R, 1)], &ideals(&[start, &[(Q, None), (R, None)]]));
}

#[test]
fn a_cancelled_check_stops() {
    let control = Control::new();
    control.cancel();
    let (model, property) = avoids(&lock(), &[(Q, 2)]);
    let verdict = certify_net(&lock(), &model, &[Claim::Decides(property)], &ideals(&[IDLE, BUSY]), &control);
    assert!(matches!(verdict, Err(Rejection::Stopped(_))));
}

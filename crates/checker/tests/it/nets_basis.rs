//! Bases of nets: right ones are accepted, and each of the four conditions rejects what only it can reject.

use expect_test::expect;
use lapidary_base::Control;
use lapidary_checker::{Claim, Rejection, certify_net};
use lapidary_ir::{Net, PropertyKind, Range, Tokens, Transition, VarId};
use lapidary_verdict::{Certificate, Checked, Formula};

use crate::common::build::fault;
use crate::common::nets::{
    P, Q, R, S, accepted, add_property, all, at_least, avoids, basis, exactly, guard, judged, moves, net, one,
    rejected, transition,
};

/// A mutual exclusion: `p` waits, `q` works, `r` is the lock. Two that work together are out of reach.
fn lock() -> Net {
    let enter = moves("enter", &[(P, 1), (R, 1)], &[(Q, 1)]);
    let leave = moves("leave", &[(Q, 1)], &[(P, 1), (R, 1)]);
    net(&[Range::ANY, Range::exactly(0), Range::exactly(1)], vec![enter, leave])
}

const LOCK: [&[(lapidary_ir::PlaceId, Tokens)]; 3] = [&[(Q, 2)], &[(Q, 1), (R, 1)], &[(R, 2)]];

#[test]
fn the_minimal_markings_of_a_backward_search_are_accepted() {
    accepted(&lock(), &[(Q, 2)], &basis(&LOCK, &[]));
    // Also with what is above others, twice, or with zeros.
    let more: Vec<&[_]> = LOCK.into_iter().chain([&[(Q, 2), (R, 5)][..], &[(R, 2)], &[(P, 0), (R, 2)]]).collect();
    accepted(&lock(), &[(Q, 2)], &basis(&more, &[]));
}

#[test]
fn an_inequality_replaces_minimal_markings() {
    accepted(&lock(), &[(Q, 2)], &basis(&[], &[&[(Q, 1), (R, 1)]]));
    accepted(&lock(), &[(Q, 2)], &basis(&[&[(Q, 2)]], &[&[(Q, 1), (R, 1)]]));
}

#[test]
fn condition_a_no_initial_marking_is_above_a_minimal_one() {
    let mut early: Vec<&[_]> = LOCK.to_vec();
    early.push(&[(P, 7), (R, 1)]);
    let certificate = basis(&early, &[]);
    rejected(&lock(), &[(Q, 2)], &certificate, expect!["an initial marking is above minimal marking 3: p=7 r=1"]);
    // The greatest number of a range counts, not the least.
    let idle = net(&[Range { lo: 0, hi: Some(3) }], vec![]);
    accepted(&idle, &[(P, 4)], &basis(&[&[(P, 4)]], &[]));
    rejected(
        &idle,
        &[(P, 3)],
        &basis(&[&[(P, 3)]], &[]),
        expect!["an initial marking is above minimal marking 0: p=3"],
    );
    rejected(
        &idle,
        &[(P, 4)],
        &basis(&[&[]], &[]),
        expect!["an initial marking is above minimal marking 0: the empty marking"],
    );
}

#[test]
fn condition_b_inequalities_are_bounded_at_first_and_kept_by_every_transition() {
    let of = |net: &Net, weights: &[_], expect| rejected(net, &[(Q, 2)], &basis(&[], &[weights]), expect);
    of(&lock(), &[(P, 1), (Q, 1)], expect!["inequality 0 has no bound: p has any number of tokens at first"]);
    of(&lock(), &[(Q, 1)], expect!["inequality 0 is not kept by enter"]);
    of(&lock(), &[(R, 1)], expect!["inequality 0 is not kept by leave"]);
    of(&lock(), &[(Q, 1), (R, 2)], expect!["inequality 0 is not kept by leave"]);
    // A weight of zero is none.
    accepted(&lock(), &[(Q, 2)], &basis(&[], &[&[(P, 0), (Q, 1), (R, 1)]]));
}

#[test]
fn condition_b_tokens_weigh_no_more_where_they_flow() {
    let flows = |flow| net(&exactly([1, 0, 0]), vec![Transition { flows: vec![flow], ..transition("t") }]);
    let of = |flow, weights: &[_]| judged(&flows(flow), &[(P, 9)], &basis(&[], &[&[(P, 1)], weights]));
    let is_kept = |verdict: Result<Checked, Rejection>| match verdict {
        Ok(Checked::Fully) => true,
        Err(Rejection::Wrong(why)) if why == "inequality 1 is not kept by t" => false,
        other => panic!("{other:?}"),
    };
    assert!(is_kept(of(all(P, &[(Q, 1)]), &[(P, 1), (Q, 1)])));
    assert!(!is_kept(of(all(P, &[(Q, 1)]), &[(Q, 1)])));
    assert!(is_kept(of(all(P, &[]), &[(P, 1)])));
    assert!(is_kept(of(all(P, &[(Q, 1), (R, 2)]), &[(P, 3), (Q, 1), (R, 1)])));
    assert!(!is_kept(of(all(P, &[(Q, 1), (R, 2)]), &[(P, 2), (Q, 1), (R, 1)])));
    assert!(is_kept(of(one(P, &[Q, R]), &[(P, 2), (Q, 1), (R, 2)])));
    assert!(!is_kept(of(one(P, &[Q, R]), &[(P, 1), (Q, 1), (R, 2)])));
    assert!(!is_kept(of(one(P, &[Q, R]), &[(P, 1), (Q, 2), (R, 1)])));
}

#[test]
fn condition_b_what_a_negative_put_takes_counts_as_taken() {
    let takes = Transition { put: vec![(P, -2), (Q, 2)], ..transition("t") };
    accepted(&net(&exactly([3, 0]), vec![takes]), &[(Q, 4)], &basis(&[], &[&[(P, 1), (Q, 1)]]));
    let gives = Transition { put: vec![(P, -1), (Q, 2)], ..transition("t") };
    let gives = net(&exactly([3, 0]), vec![gives]);
    rejected(&gives, &[(Q, 4)], &basis(&[], &[&[(P, 1), (Q, 1)]]), expect!["inequality 0 is not kept by t"]);
}

#[test]
fn condition_c_every_minimal_marking_is_needed() {
    let without = |i: usize| {
        let mut fewer: Vec<&[_]> = LOCK.to_vec();
        fewer.remove(i);
        basis(&fewer, &[])
    };
    let safe = &[(Q, 2)];
    rejected(&lock(), safe, &without(0), expect!["leave leads out of the set: from q=2 above minimal marking q=1 r=1"]);
    rejected(
        &lock(),
        safe,
        &without(1),
        expect!["enter leads out of the set: from p=1 q=1 r=1 above minimal marking q=2"],
    );
    rejected(
        &lock(),
        safe,
        &without(2),
        expect!["enter leads out of the set: from p=1 r=2 above minimal marking q=1 r=1"],
    );
}

#[test]
fn condition_c_a_minimal_marking_with_a_token_more_is_not_enough() {
    let raised = |i: usize, entries: &'static [_]| {
        let mut other: Vec<&[_]> = LOCK.to_vec();
        other[i] = entries;
        judged(&lock(), &[(Q, 2)], &basis(&other, &[]))
    };
    for (i, entries) in [(0, &[(Q, 3)][..]), (0, &[(P, 1), (Q, 2)]), (1, &[(Q, 1), (R, 2)]), (1, &[(Q, 2), (R, 1)])] {
        assert!(raised(i, entries).is_err(), "{i} {entries:?}");
    }
    assert!(raised(2, &[(R, 3)]).is_err() && raised(2, &[(P, 2), (R, 2)]).is_err());
    // What `enter` takes anyway may be asked for.
    assert_eq!(raised(2, &[(P, 1), (R, 2)]), Ok(Checked::Fully));
}

#[test]
fn condition_c_what_is_taken_and_read_is_part_of_the_marking_before() {
    let t = Transition { guards: vec![guard(Q, 2, None)], ..moves("t", &[(P, 1)], &[(R, 1)]) };
    let net = net(&exactly([1, 1, 0]), vec![t]);
    accepted(&net, &[(R, 1)], &basis(&[&[(R, 1)], &[(P, 1), (Q, 2)]], &[]));
    accepted(&net, &[(R, 1)], &basis(&[&[(R, 1)], &[(Q, 2)]], &[]));
    let certificate = basis(&[&[(R, 1)], &[(P, 2), (Q, 2)]], &[]);
    rejected(&net, &[(R, 1)], &certificate, expect!["t leads out of the set: from p=1 q=2 above minimal marking r=1"]);
    let certificate = basis(&[&[(R, 1)], &[(P, 1), (Q, 3)]], &[]);
    rejected(&net, &[(R, 1)], &certificate, expect!["t leads out of the set: from p=1 q=2 above minimal marking r=1"]);
    // The same place read and taken from: the greater number counts, not the sum.
    let t = Transition { guards: vec![guard(P, 2, None)], ..moves("t", &[(P, 1)], &[(R, 1)]) };
    let net = crate::common::nets::net(&exactly([1, 0, 0]), vec![t]);
    accepted(&net, &[(R, 1)], &basis(&[&[(R, 1)], &[(P, 2)]], &[]));
    assert!(judged(&net, &[(R, 1)], &basis(&[&[(R, 1)], &[(P, 3)]], &[])).is_err());
}

/// `p` goes to `q`, besides what `q` has.
fn transfer() -> Net {
    net(&exactly([1, 1, 0]), vec![Transition { flows: vec![all(P, &[(Q, 1)])], ..transition("t") }])
}

#[test]
fn condition_c_transferred_tokens_come_from_all_sources_in_all_ways() {
    let full: [&[_]; 4] = [&[(Q, 3)], &[(P, 1), (Q, 2)], &[(P, 2), (Q, 1)], &[(P, 3)]];
    accepted(&transfer(), &[(Q, 3)], &basis(&full, &[]));
    for i in 1..4 {
        let mut fewer = full.to_vec();
        fewer.remove(i);
        assert!(matches!(judged(&transfer(), &[(Q, 3)], &basis(&fewer, &[])), Err(Rejection::Wrong(_))), "{i}");
    }
    // An inequality cuts the enumeration short.
    accepted(&transfer(), &[(Q, 3)], &basis(&[&[(Q, 3)]], &[&[(P, 1), (Q, 1)]]));
}

#[test]
fn condition_c_nothing_comes_from_a_place_that_is_emptied() {
    let reset = Transition { flows: vec![all(Q, &[])], put: vec![(R, 1)], ..transition("t") };
    let net = net(&exactly([0, 0, 0]), vec![reset]);
    // `q=1` after the reset is impossible, whatever was there before.
    accepted(&net, &[(Q, 1)], &basis(&[&[(Q, 1)]], &[]));
    accepted(&net, &[(Q, 1), (R, 1)], &basis(&[&[(Q, 1), (R, 1)]], &[]));
    assert!(judged(&net, &[(R, 1)], &basis(&[&[(R, 1)]], &[])).is_err());
}

#[test]
fn condition_c_copies_count_everywhere_and_several_times() {
    let copy = Transition { flows: vec![all(P, &[(P, 1), (Q, 1), (R, 2)])], ..transition("t") };
    let net = net(&exactly([1, 0, 0]), vec![copy]);
    let safe = &[(P, 2)];
    accepted(&net, safe, &basis(&[&[(P, 2)]], &[]));
    // Two tokens of `p` are enough for two in `q` and four in `r` at once.
    let full: [&[_]; 2] = [&[(P, 2)], &[(P, 2), (Q, 2), (R, 4)]];
    accepted(&net, safe, &basis(&full, &[]));
    let least = basis(&[&[(P, 2)], &[(R, 3)], &[(Q, 1), (R, 1)]], &[]);
    rejected(&net, safe, &least, expect!["t leads out of the set: from p=1 q=1 above minimal marking q=1 r=1"]);
    let five = basis(&[&[(P, 3)], &[(R, 5)], &[(P, 2)], &[(P, 1), (R, 3)]], &[]);
    rejected(&net, safe, &five, expect!["t leads out of the set: from p=1 r=1 above minimal marking p=1 r=3"]);
    // The place itself once more is a growth, too.
    let doubles = Transition { flows: vec![all(P, &[(P, 2)])], ..transition("t") };
    let doubles = crate::common::nets::net(&exactly([1]), vec![doubles]);
    rejected(
        &doubles,
        &[(P, 2)],
        &basis(&[&[(P, 2)]], &[]),
        expect!["t leads out of the set: from p=1 above minimal marking p=2"],
    );
}

#[test]
fn condition_c_every_token_that_chooses_counts_once() {
    let choose = Transition { flows: vec![one(P, &[Q, R])], ..transition("t") };
    let net = net(&exactly([1, 0, 0]), vec![choose]);
    let full: [&[_]; 4] = [&[(Q, 1), (R, 1)], &[(P, 1), (Q, 1)], &[(P, 1), (R, 1)], &[(P, 2)]];
    let safe = &[(Q, 1), (R, 1)];
    accepted(&net, safe, &basis(&full, &[]));
    for i in 1..4 {
        let mut fewer = full.to_vec();
        fewer.remove(i);
        assert!(matches!(judged(&net, safe, &basis(&fewer, &[])), Err(Rejection::Wrong(_))), "{i}");
    }
    // Two choices that share a destination.
    let both = Transition { flows: vec![one(P, &[Q, R]), one(S, &[Q, R])], ..transition("t") };
    let net = crate::common::nets::net(&exactly([1, 0, 0, 0]), vec![both]);
    let full: [&[_]; 10] = [
        &[(Q, 1), (R, 1)],
        &[(P, 1), (Q, 1)],
        &[(P, 1), (R, 1)],
        &[(P, 2)],
        &[(S, 1), (Q, 1)],
        &[(R, 1), (S, 1)],
        &[(S, 2)],
        &[(P, 1), (S, 1)],
        &[(Q, 2), (R, 2)],
        &[(R, 9), (S, 9)],
    ];
    let sorted: Vec<Vec<_>> = full
        .iter()
        .map(|entries| {
            let mut entries = entries.to_vec();
            entries.sort_unstable();
            entries
        })
        .collect();
    let of = |kept: &dyn Fn(usize) -> bool| {
        let kept: Vec<&[_]> = sorted.iter().enumerate().filter(|(i, _)| kept(*i)).map(|(_, b)| &b[..]).collect();
        judged(&net, safe, &basis(&kept, &[]))
    };
    assert_eq!(of(&|_| true), Ok(Checked::Fully));
    (0..8).for_each(|i| assert!(of(&|j| i != j).is_err(), "{i}"));
}

#[test]
fn condition_c_a_negative_put_asks_for_what_has_arrived() {
    // Takes two from what `p` and `q` had together, and puts one into `r`.
    let t = Transition { flows: vec![all(P, &[(Q, 1)])], put: vec![(Q, -2), (R, 1)], ..transition("t") };
    let net = net(&exactly([1, 0, 0]), vec![t]);
    let full: [&[_]; 4] = [&[(R, 1)], &[(Q, 2)], &[(P, 1), (Q, 1)], &[(P, 2)]];
    accepted(&net, &[(R, 1)], &basis(&full, &[]));
    for i in 1..4 {
        let mut fewer = full.to_vec();
        fewer.remove(i);
        assert!(matches!(judged(&net, &[(R, 1)], &basis(&fewer, &[])), Err(Rejection::Wrong(_))), "{i}");
    }
    // Of a place that must have tokens afterwards, more is asked before.
    let t = Transition { put: vec![(Q, -2), (R, 1)], ..transition("t") };
    let net = crate::common::nets::net(&exactly([0, 2, 0]), vec![t]);
    accepted(&net, &[(Q, 1), (R, 1)], &basis(&[&[(Q, 1), (R, 1)], &[(Q, 3)]], &[]));
    let certificate = basis(&[&[(Q, 1), (R, 1)], &[(Q, 4)]], &[]);
    rejected(
        &net,
        &[(Q, 1), (R, 1)],
        &certificate,
        expect!["t leads out of the set: from q=3 above minimal marking q=1 r=1"],
    );
}

#[test]
fn condition_c_upper_bounds_exclude_what_is_above_them() {
    let t = |hi| Transition { guards: vec![guard(Q, 0, Some(hi))], put: vec![(P, 1)], ..transition("t") };
    let safe = &[(P, 1), (Q, 1)];
    accepted(&net(&exactly([0, 1]), vec![t(0)]), safe, &basis(&[&[(P, 1), (Q, 1)]], &[]));
    rejected(
        &net(&exactly([0, 1]), vec![t(1)]),
        safe,
        &basis(&[&[(P, 1), (Q, 1)]], &[]),
        expect!["t leads out of the set: from q=1 above minimal marking p=1 q=1"],
    );
}

#[test]
fn condition_d_the_target_is_outside_of_the_set() {
    rejected(&lock(), &[(P, 1)], &basis(&LOCK, &[]), expect!["the set has a marking that spoils safe: p=1"]);
    rejected(&lock(), &[(Q, 1)], &basis(&LOCK, &[]), expect!["the set has a marking that spoils safe: q=1"]);
    rejected(
        &lock(),
        &[(Q, 1)],
        &basis(&[], &[&[(Q, 1), (R, 1)]]),
        expect!["the set has a marking that spoils safe: q=1"],
    );
    accepted(&lock(), &[(Q, 1), (R, 1)], &basis(&LOCK, &[]));
}

fn claimed(kind: impl Fn(&lapidary_ir::Exprs) -> PropertyKind) -> Result<Checked, Rejection> {
    let net = lock();
    let (mut model, _) = avoids(&net, &[]);
    let kind = kind(&model.exprs);
    let property = add_property(&mut model, "it", kind);
    certify_net(&net, &model, &[Claim::Decides(property)], &basis(&LOCK, &[]), &Control::new())
}

#[test]
fn condition_d_formulas_are_taken_apart_exactly() {
    let (p, q, r) = (VarId(0), VarId(1), VarId(2));
    let reach = |holds: bool, formula: &dyn Fn(&lapidary_ir::Exprs) -> lapidary_ir::Expr| {
        let verdict = claimed(|e| PropertyKind::Reach(formula(e)));
        let is_so = match verdict {
            Ok(Checked::Fully) => true,
            Err(Rejection::Wrong(why)) if why.starts_with("the set has a marking that spoils it") => false,
            other => panic!("{other:?}"),
        };
        assert_eq!(is_so, holds);
        // The same as an invariant, with everything the other way round.
        assert_eq!(claimed(|e| PropertyKind::Invariant(e.not(formula(e)))).is_ok(), holds);
    };
    reach(true, &|e| e.le(e.int(2), e.add([e.var(q), e.var(r)])));
    reach(false, &|e| e.le(e.int(1), e.add([e.var(q), e.var(r)])));
    reach(false, &|e| e.le(e.int(2), e.add([e.var(p), e.var(q), e.var(r)])));
    reach(true, &|e| e.lt(e.int(3), e.add([e.mul(e.int(2), e.var(q)), e.mul(e.var(r), e.int(2))])));
    reach(false, &|e| e.lt(e.int(1), e.add([e.mul(e.int(2), e.var(q)), e.mul(e.var(r), e.int(2))])));
    // Places may be asked to be few: then what the least marking has counts.
    reach(false, &|e| e.and([e.le(e.int(7), e.var(p)), e.eq(e.var(q), e.int(0))]));
    reach(true, &|e| e.and([e.le(e.int(7), e.var(p)), e.lt(e.var(p), e.int(7))]));
    reach(true, &|e| e.and([e.le(e.var(p), e.int(4)), e.le(e.int(5), e.var(p))]));
    reach(true, &|e| e.and([e.lt(e.add([e.var(p), e.var(q)]), e.int(3)), e.le(e.int(3), e.var(p))]));
    reach(false, &|e| e.and([e.lt(e.add([e.var(p), e.var(q)]), e.int(4)), e.le(e.int(3), e.var(p))]));
    reach(true, &|e| e.lt(e.var(p), e.int(0)));
    reach(true, &|e| e.eq(e.add([e.var(q), e.var(r)]), e.int(2)));
    reach(false, &|e| e.ne(e.add([e.var(q), e.var(r)]), e.int(1)));
    reach(true, &|e| e.and([e.ne(e.var(q), e.int(0)), e.ne(e.var(r), e.int(0))]));
    reach(false, &|e| e.or([e.le(e.int(2), e.var(q)), e.eq(e.var(p), e.int(3))]));
    reach(true, &|e| e.or([e.le(e.int(2), e.var(q)), e.le(e.int(2), e.var(r))]));
    let [some, two] = [1, 2].map(|n| move |e: &lapidary_ir::Exprs| e.le(e.int(n), e.var(q)));
    reach(true, &|e| e.ite(some(e), e.le(e.int(1), e.var(r)), two(e)));
    reach(false, &|e| e.ite(some(e), two(e), e.le(e.int(1), e.var(r))));
    reach(true, &|e| e.intern(lapidary_ir::Node::Eq(e.le(e.int(0), e.var(q)), two(e))));
    reach(false, &|e| e.intern(lapidary_ir::Node::Eq(some(e), two(e))));
    reach(false, &|e| e.not(e.intern(lapidary_ir::Node::Eq(some(e), two(e)))));
    reach(true, &|e| e.bool(false));
    reach(false, &|e| e.bool(true));
}

#[test]
fn condition_d_what_cannot_be_taken_apart_is_left_open() {
    let (p, q) = (VarId(0), VarId(1));
    let open = |formula: &dyn Fn(&lapidary_ir::Exprs) -> lapidary_ir::Expr| {
        let verdict = claimed(|e| PropertyKind::Invariant(formula(e)));
        assert!(matches!(verdict, Err(Rejection::Stopped(_))), "{verdict:?}");
    };
    open(&|e| e.le(e.var(q), e.var(p)));
    open(&|e| e.lt(e.mul(e.var(q), e.var(p)), e.int(7)));
    open(&|e| e.eq(e.modulo(e.var(p), e.int(2)), e.int(0)));
    // Also where the part without a value would never be looked at.
    open(&|e| e.or([e.lt(e.int(-1), e.var(p)), e.eq(e.div(e.int(1), e.var(p)), e.int(2))]));
    open(&|e| e.lt(e.mul(e.int(i64::MAX), e.mul(e.int(i64::MAX), e.mul(e.int(i64::MAX), e.var(q)))), e.int(7)));
}

#[test]
fn condition_d_faults_of_the_property_count() {
    let net = lock();
    let (mut model, property) = avoids(&net, &[(Q, 2)]);
    let judged = |model: &_, claim| certify_net(&net, model, &[claim], &basis(&LOCK, &[]), &Control::new());
    let e = model.exprs.clone();
    model.properties[property].faults.push(fault(at_least(&e, &[(Q, 1), (R, 1)]), "both"));
    assert_eq!(judged(&model, Claim::Decides(property)), Ok(Checked::Fully));
    assert_eq!(judged(&model, Claim::NeverErrs(property)), Ok(Checked::Fully));
    model.properties[property].faults.push(fault(at_least(&e, &[(Q, 1)]), "one"));
    assert!(judged(&model, Claim::Decides(property)).is_err());
    assert!(judged(&model, Claim::NeverErrs(property)).is_err());
    // Without the value of the formula, only its faults count.
    let (model, property) = avoids(&net, &[]);
    assert!(judged(&model, Claim::Decides(property)).is_err());
    assert_eq!(judged(&model, Claim::NeverErrs(property)), Ok(Checked::Fully));
    // Every claim is checked, not only the first.
    let (mut model, first) = avoids(&net, &[(Q, 2)]);
    let kind = PropertyKind::Reach(at_least(&model.exprs, &[(Q, 1)]));
    let second = add_property(&mut model, "second", kind);
    let claims = [Claim::Decides(first), Claim::Decides(second)];
    assert!(certify_net(&net, &model, &claims, &basis(&LOCK, &[]), &Control::new()).is_err());
}

#[test]
fn other_properties_and_other_certificates_are_refused() {
    let why = |verdict: Result<Checked, Rejection>| verdict.unwrap_err().to_string();
    expect!["sets of markings cannot show it, which is about steps"]
        .assert_eq(&why(claimed(|_| PropertyKind::DeadlockFree)));
    expect!["sets of markings cannot show it, which is about steps"]
        .assert_eq(&why(claimed(|_| PropertyKind::NoErrors)));
    let ltl = |e: &lapidary_ir::Exprs| PropertyKind::Ltl(lapidary_ir::Ltl::State(e.bool(true)));
    expect!["unsupported evidence: it is a temporal property"].assert_eq(&why(claimed(ltl)));
    let (model, _) = avoids(&lock(), &[(Q, 2)]);
    let certificate = Certificate::Invariant(Formula::constant(true));
    expect!["a certificate of kind invariant is about a model, not about a net"].assert_eq(&why(judged(
        &lock(),
        &[(Q, 2)],
        &certificate,
    )));
    let claims = [Claim::Decides(lapidary_ir::PropertyId(3))];
    let missing = certify_net(&lock(), &model, &claims, &basis(&LOCK, &[]), &Control::new());
    expect!["the model has no property number 3"].assert_eq(&why(missing));
}

#[test]
fn certificates_of_another_form_are_refused() {
    let of = |minimal: &[&[_]], inequalities: &[&[_]], expect| {
        rejected(&lock(), &[(Q, 2)], &basis(minimal, inequalities), expect);
    };
    of(&[&[(S, 1)]], &[], expect!["minimal marking 0: the net has no place number 3"]);
    of(&[&[(R, 1), (Q, 1)]], &[], expect!["minimal marking 0: its places are not ascending"]);
    of(&[&[(Q, 1), (Q, 1)]], &[], expect!["minimal marking 0: its places are not ascending"]);
    of(&[], &[&[(S, 1)]], expect!["inequality 0: the net has no place number 3"]);
    of(&[], &[&[(R, 1), (Q, 1)]], expect!["inequality 0: its places are not ascending"]);
}

#[test]
fn a_model_of_another_net_is_refused() {
    let (model, property) = avoids(&lock(), &[(Q, 2)]);
    let other = |net: &Net| {
        let verdict = certify_net(net, &model, &[Claim::Decides(property)], &basis(&LOCK, &[]), &Control::new());
        verdict.unwrap_err().to_string()
    };
    let why = "the model is not that of the net: they differ in places or transitions";
    let mut fewer = lock();
    fewer.transitions = fewer.transitions.iter().take(1).cloned().collect();
    assert_eq!(other(&fewer), why);
    let mut renamed = lock();
    renamed.places[Q].name = "else".to_owned();
    assert_eq!(other(&renamed), why);
    let mut unsound = lock();
    unsound.initial[Q] = Range { lo: 2, hi: Some(1) };
    assert!(other(&unsound).starts_with("the net is not sound"));
}

#[test]
fn the_greatest_numbers_neither_wrap_nor_panic() {
    let most = Tokens::MAX;
    let swaps = moves("t", &[(P, i64::MAX as u64)], &[(Q, i64::MAX)]);
    let large = net(&[Range::exactly(i64::MAX as u64), Range::exactly(0)], vec![swaps]);
    accepted(&large, &[(P, 1), (Q, i64::MAX)], &basis(&[], &[&[(P, most), (Q, most)]]));
    let too_large = basis(&[&[(P, most), (Q, most)]], &[]);
    let verdict = judged(&large, &[(P, 1), (Q, 1)], &too_large);
    assert!(verdict.is_err(), "{verdict:?}");
    let copies = Transition { flows: vec![all(P, &[(Q, 1 << 62), (R, 1 << 62)])], ..transition("t") };
    let copies = net(&exactly([i64::MAX as u64; 3]), vec![copies]);
    let of = |weights: &[_]| judged(&copies, &[(P, 2)], &basis(&[], &[weights]));
    let verdict = of(&[(P, most), (Q, most), (R, most)]);
    assert!(matches!(verdict, Err(Rejection::Stopped(_))), "{verdict:?}");
    let verdict = of(&[(P, most), (Q, most)]);
    assert!(matches!(verdict, Err(Rejection::Wrong(_))), "{verdict:?}");
}

#[test]
fn a_cancelled_check_stops() {
    let control = Control::new();
    control.cancel();
    let (model, property) = avoids(&lock(), &[(Q, 2)]);
    let verdict = certify_net(&lock(), &model, &[Claim::Decides(property)], &basis(&LOCK, &[]), &control);
    assert!(matches!(verdict, Err(Rejection::Stopped(_))));
}

/// A transition that needs a token where there never is one may do with the others what it likes, but only if the certificate
/// says that there never is one.
#[test]
fn condition_b_excuses_transitions_that_cannot_fire_within_the_set() {
    let mut dead = lock();
    dead.places.push(lapidary_ir::Place { name: "s".to_owned(), ..dead.places[P].clone() });
    dead.initial.push(Range::exactly(0));
    dead.transitions.push(moves("forge", &[(S, 1)], &[(R, 1), (S, 1)]));
    let lock_or_inside: &[&[(lapidary_ir::PlaceId, Tokens)]] = &[&[(Q, 1), (R, 1)]];
    accepted(&dead, &[(Q, 2)], &basis(&[&[(S, 1)]], lock_or_inside));
    rejected(&dead, &[(Q, 2)], &basis(&[&[(S, 2)]], lock_or_inside), expect!["inequality 0 is not kept by forge"]);
    // An inequality excuses as well: no initial marking and no transition has a token there.
    accepted(&dead, &[(Q, 2)], &basis(&[], &[&[(Q, 1), (R, 1)], &[(S, 1)]]));
}

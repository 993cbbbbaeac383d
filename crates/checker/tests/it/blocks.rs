//! Abstract blocks as certificates, with a test for each condition that must not be dropped.
#![cfg(feature = "z3")]

use crate::common::formulas::{Written, accepted, blocks, certificate, incomplete, judged, model, property};
use crate::common::judge::wrong;
use lapidary_base::{Control, Stop};
use lapidary_checker::{Backend, Means, Rejection, certify_model};
use lapidary_ir::{Model, VarId};
use lapidary_verdict::{Blocks, Checked, Formula};

const A: i64 = 0;
const B: i64 = 1;
const C: i64 = 2;

const WALK: &str = "
    enum Loc { a, b, c }
    control var pc : Loc;
    var n : int;
    init pc = Loc::a & n = 0;
    command go: { assume pc = Loc::a; pc := Loc::b, n := n + 1; }
    command turn: { assume pc = Loc::b; choice { n := n + 1; pc := Loc::c; } }
    command fall: { assume pc = Loc::c & n < 0; n := -5; }
    property safe: invariant !(pc = Loc::c & n < 1);
    property negative: fault \"n is small\" when n < 0; reach false;
    property progress: deadlock_free;";

const PREDICATES: [&str; 2] = ["n = 0", "0 < n"];
const GOOD: [Written<'_>; 3] = [(&[A], &[(0, true)]), (&[B], &[(1, true)]), (&[C], &[(1, true)])];

fn judge(text: &str, name: &str, written: &[Written<'_>]) -> Result<Checked, Rejection> {
    let model = model(text);
    let blocks = blocks(&model, &["pc"], &PREDICATES, written);
    judged(&model, name, &certificate(blocks))
}

fn objection(text: &str, name: &str, written: &[Written<'_>]) -> String {
    match judge(text, name, written) {
        Err(Rejection::Wrong(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn closed_blocks_are_accepted() {
    assert_eq!(judge(WALK, "safe", &GOOD), accepted());
    assert_eq!(judge(WALK, "negative", &GOOD), accepted());
    // Fewer literals are larger blocks.
    assert_eq!(
        judge(WALK, "safe", &[(&[A], &[(0, true)]), (&[B], &[(0, false), (1, true)]), (&[C], &[(1, true)])]),
        accepted()
    );
}

#[test]
fn successors_may_be_in_several_blocks_together() {
    let model = model(WALK);
    let predicates = ["n = 0", "0 < n", "n mod 3 = 0", "n mod 3 = 1"];
    let third = |pc: &'static [i64]| -> [Written<'static>; 3] {
        [
            (pc, &[(1, true), (2, true)]),
            (pc, &[(1, true), (2, false), (3, true)]),
            (pc, &[(1, true), (2, false), (3, false)]),
        ]
    };
    let all = [&[GOOD[0]][..], &third(&[B]), &third(&[C])].concat();
    let judge =
        |written: &[Written<'_>]| judged(&model, "safe", &certificate(blocks(&model, &["pc"], &predicates, written)));
    assert_eq!(judge(&all), accepted());
    for hole in 0..all.len() {
        let without = [&all[..hole], &all[hole + 1..]].concat();
        assert!(matches!(judge(&without), Err(Rejection::Wrong(_))), "without block {hole}");
    }
}

#[test]
fn repeated_and_empty_blocks_do_no_harm() {
    let more: [Written<'_>; 4] = [GOOD[1], (&[C], &[(0, true), (1, true)]), (&[7], &[]), (&[-1], &[])];
    assert_eq!(judge(WALK, "safe", &[&GOOD[..], &more].concat()), accepted());
}

#[test]
fn they_contain_the_initial_states() {
    assert_eq!(judge(WALK, "safe", &GOOD[1..]), wrong("the initial state (pc=a n=0) is not in the set"));
    assert_eq!(judge(WALK, "safe", &[]), wrong("the initial state (pc=a n=0) is not in the set"));
    let two = WALK.replace("n = 0;", "(n = 0 | n = 2);");
    assert_eq!(judge(&two, "safe", &GOOD), wrong("the initial state (pc=a n=2) is not in the set"));
}

#[test]
fn no_command_leads_out_of_them() {
    let why = objection(WALK, "safe", &GOOD[..2]);
    assert!(why.starts_with("(pc=b n=") && why.contains(" leads by turn to (pc=c n="), "{why}");
    let wrong_literal = objection(WALK, "safe", &[GOOD[0], (&[B], &[(1, false)]), GOOD[2]]);
    assert_eq!(wrong_literal, "(pc=a n=0) leads by go to (pc=b n=1), which is not in the set");
    // The way that stays is closed, the one that goes on is not.
    let why = objection(WALK, "safe", &[GOOD[0], GOOD[1], (&[C], &[(0, true)])]);
    assert!(why.contains(" leads by turn to (pc=c n="), "{why}");
}

#[test]
fn no_input_leads_out_of_them() {
    let with = |after: &str| format!("{WALK} command take: {{ assume pc = Loc::c; n := any; {after} }}");
    assert_eq!(judge(&with("assume 0 < n;"), "safe", &GOOD), accepted());
    let why = objection(&with("skip;"), "safe", &GOOD);
    assert!(why.contains(" leads by take to (pc=c n="), "{why}");
}

#[test]
fn no_state_in_them_is_a_target() {
    let larger = [GOOD[0], GOOD[1], (&[C][..], &[][..])];
    let why = objection(WALK, "safe", &larger);
    assert!(why.starts_with("the set contains (pc=c n=") && why.ends_with("it violates safe"), "{why}");
    let why = objection(WALK, "negative", &larger);
    assert!(why.ends_with("it errs in negative: n is small"), "{why}");
    let why = objection(WALK, "progress", &GOOD);
    assert!(why.starts_with("the set contains (pc=c n=") && why.contains("which has no step"), "{why}");
}

#[test]
fn predicates_have_a_value_everywhere() {
    let model = model(WALK);
    let judge = |predicate: &str| {
        judged(&model, "safe", &certificate(blocks(&model, &["pc"], &["n = 0", "0 < n", predicate], &GOOD)))
    };
    assert_eq!(judge("n mod 2 = 1"), accepted());
    assert_eq!(judge("n = 0 | 6 div n = 6"), accepted());
    assert_eq!(judge("n != 0 & 6 div n = 6"), accepted());
    let Err(Rejection::Wrong(why)) = judge("6 div n = 6") else { panic!("it has no value where n is 0") };
    assert!(why.starts_with("predicate 2 has no value in (pc=") && why.ends_with(" n=0)"), "{why}");
}

/// The good blocks after a change.
fn changed(change: impl Fn(&Model, &mut Blocks)) -> Result<Checked, Rejection> {
    let model = model(WALK);
    let mut blocks = blocks(&model, &["pc"], &PREDICATES, &GOOD);
    change(&model, &mut blocks);
    judged(&model, "safe", &certificate(blocks))
}

#[test]
fn blocks_are_well_formed() {
    let said = |why: &str, change: &dyn Fn(&Model, &mut Blocks)| assert_eq!(changed(change), wrong(why));
    said("block 1 is malformed: it has 2 values for 1 variables", &|_, b| b.blocks[1].control.push(0));
    said("block 2 is malformed: it has 0 values for 1 variables", &|_, b| b.blocks[2].control.clear());
    said("block 0 is malformed: there is no predicate number 2", &|_, b| b.blocks[0].literals.push((2, true)));
    said("block 0 is malformed: its literals are not in rising order", &|_, b| b.blocks[0].literals.push((0, false)));
    said("the blocks are malformed: there is no variable number 9", &|_, b| b.control[0] = VarId(9));
    said("the blocks are malformed: pc is listed twice", &|_, b| b.control.push(VarId(0)));
    let number = |model: &Model, b: &mut Blocks| b.predicates.push(Formula::new(&model.exprs, model.exprs.int(1)));
    said("predicate 2 is malformed: it is not boolean", &number);
    let stranger =
        |model: &Model, b: &mut Blocks| b.predicates.push(Formula::new(&model.exprs, model.exprs.var(VarId(9))));
    let Err(Rejection::Wrong(why)) = changed(stranger) else { panic!("there is no such variable") };
    assert!(why.starts_with("predicate 2 is malformed: "), "{why}");
}

#[test]
fn many_blocks_on_several_threads_give_the_same_answer() {
    let model = model(
        "var x : 0..199; var n : int; init x = 0 & n = 0; control var z : bool;
         command up: { assume x < 199; x := x + 1, n := n + x; }
         command back: { assume 150 < x; choice { x := 0; x := 7; } }
         property p: invariant 0 <= n;",
    );
    let all: Vec<[i64; 1]> = (0..200).map(|x| [x]).collect();
    let judge = |without: Option<i64>, jobs: usize| {
        let kept: Vec<Written<'_>> =
            all.iter().filter(|x| Some(x[0]) != without).map(|x| (&x[..], &[(0, true)][..])).collect();
        let certificate = certificate(blocks(&model, &["x"], &["0 <= n"], &kept));
        let (solver, control) = (Backend::default(), Control::new());
        let means = Means { jobs, ..Means::new(&solver, &control) };
        certify_model(&model, &[property(&model, "p")], &certificate, &means)
    };
    for jobs in [1, 4] {
        assert_eq!(judge(None, jobs), accepted());
        let Err(Rejection::Wrong(why)) = judge(Some(120), jobs) else { panic!("a hole in the set") };
        assert!(why.starts_with("(x=119 n=") && why.contains(" leads by up to (x=120 n="), "{why}");
    }
}

#[test]
fn without_a_solver_or_time_nothing_is_decided() {
    let model = model(WALK);
    let certificate = certificate(blocks(&model, &["pc"], &PREDICATES, &GOOD));
    let safe = [property(&model, "safe")];
    incomplete(certify_model(&model, &safe, &certificate, &Means::new(&Backend::Nothing, &Control::new())));
    let late = Control::new().with_timeout(Some(std::time::Duration::ZERO));
    let answer = certify_model(&model, &safe, &certificate, &Means::new(&Backend::default(), &late));
    assert_eq!(answer, Err(Rejection::Stopped(Stop::Timeout)));
}

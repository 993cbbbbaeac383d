//! Models with bit-vectors and arrays: runs, listed states, diagrams and formulas, right ones and wrong ones.

use std::sync::Arc;

use crate::common::build::enumeration;
use crate::common::diagrams::diagram;
use crate::common::formulas::{accepted, judged, model, property};
use crate::common::judge::{judge, wrong};
use lapidary_base::Stop;
use lapidary_checker::{Rejection, replay_model};
use lapidary_ir::model::Raw;
use lapidary_ir::{Action, CommandId, Model, VarId};
use lapidary_verdict::{Certificate, Trace, Verdict};

/// `x` walks over the bits of a byte, the array remembers how often each value was met, and `w` is a wide number.
const WALK: &str = "
    var x : @bits[8];
    var seen : @array(int -> int);
    var w : @bits[100];
    var n : 0..40;
    init x = @bits[8](1) & seen = @value(int -> int)(0) & w = @bits[100](0) & n = 0;
    command walk: {
        assume @bvult(x, @bits[8](128));
        x := @bvadd(x, x), seen := @store(int -> int)(seen, n, @select(int -> int)(seen, n) + 7), n := n + 1,
            w := @concat[100](@bits[92](1), x);
    }
    command back: { assume x = @bits[8](128); x := @extract[7,0](w); }
    command guess: { w := any; w := @bvand(w, @bits[100](255)); }
    command forget: { seen := any; x := @bits[8](0); }
    property small: invariant @bvule(x, @bits[8](4));
    property met: reach @select(int -> int)(seen, 1) = 7;";

const WALK_COMMAND: CommandId = CommandId(0);
const GUESS: CommandId = CommandId(2);
const FORGET: CommandId = CommandId(3);

fn seen(model: &Model, entries: &[(Raw, Raw)]) -> Raw {
    model.exprs.values().listed(None, 0, entries.iter().copied())
}

fn wide(model: &Model, low: u64, high: u64) -> Raw {
    model.exprs.values().bits(100, &[low, high])
}

/// The first states of a walk.
fn walk(model: &Model, n_steps: usize) -> Trace {
    let state = |i: usize| {
        let entries: Vec<(Raw, Raw)> = (0..i as Raw).map(|n| (n, 7)).collect();
        let w = if i == 0 { wide(model, 0, 0) } else { wide(model, 256 | 1 << (i - 1), 0) };
        vec![1 << i, seen(model, &entries), w, i as Raw].into()
    };
    let states = (0..=n_steps).map(state).collect();
    Trace { states, actions: vec![Action::Command(WALK_COMMAND); n_steps], loop_start: None }
}

fn replayed(model: &Model, name: &str, verdict: Verdict, trace: &Trace) -> Result<(), String> {
    match replay_model(model, property(model, name), verdict, trace) {
        Ok(()) => Ok(()),
        Err(Rejection::Wrong(why)) => Err(why),
        Err(stopped) => panic!("{stopped}"),
    }
}

#[test]
fn a_run_with_bits_and_an_array_is_replayed() {
    let model = model(WALK);
    assert_eq!(replayed(&model, "small", Verdict::Violated, &walk(&model, 3)), Ok(()));
    assert_eq!(replayed(&model, "met", Verdict::Holds, &walk(&model, 2)), Ok(()));
    let why = "the last state does not show that small is violated: its formula is true";
    assert_eq!(replayed(&model, "small", Verdict::Violated, &walk(&model, 2)), Err(why.to_owned()));
}

#[test]
fn values_outside_the_width_and_numbers_of_other_values_are_told() {
    let model = model(WALK);
    let with = |var: usize, value: Raw| {
        let mut trace = walk(&model, 3);
        trace.states[1][var] = value;
        replayed(&model, "small", Verdict::Violated, &trace).expect_err("a wrong value")
    };
    assert_eq!(with(0, 256), "state 1: x is 256, outside bits[8]");
    assert_eq!(with(0, -1), "state 1: x is 18446744073709551615, outside bits[8]");
    assert_eq!(with(1, wide(&model, 1, 1)), "state 1: seen is no value of array[int -> int]");
    assert_eq!(with(1, -4), "state 1: seen is no value of array[int -> int]");
    assert_eq!(with(2, 1 << 40), "state 1: w is no value of bits[100]");
    assert_eq!(with(2, model.exprs.values().bits(128, &[0, u64::MAX])), "state 1: w is no value of bits[100]");
}

#[test]
fn a_step_to_another_number_or_another_array_is_none() {
    let model = model(WALK);
    let with = |var: usize, value: Raw| {
        let mut trace = walk(&model, 3);
        trace.states[2][var] = value;
        replayed(&model, "small", Verdict::Violated, &trace).expect_err("a wrong value")
    };
    assert_eq!(with(0, 5), "step 2: walk leads elsewhere: x is 5, expected 4");
    let why = "step 2: walk leads elsewhere: seen is [0: 7, 1: 8, else: 0], expected [0: 7, 1: 7, else: 0]";
    assert_eq!(with(1, seen(&model, &[(0, 7), (1, 8)])), why);
    assert_eq!(with(2, wide(&model, 2, 0)), "step 2: walk leads elsewhere: w is 2, expected 258");
    let mut trace = walk(&model, 0);
    trace.states[0][1] = seen(&model, &[(3, 1)]);
    let why = "state 0 is not initial: seen is [3: 1, else: 0], expected [else: 0]";
    assert_eq!(replayed(&model, "small", Verdict::Violated, &trace), Err(why.to_owned()));
}

#[test]
fn any_value_is_the_one_that_the_next_state_tells_or_one_worth_trying() {
    let model = model(WALK);
    let step = |command: CommandId, to: &[(usize, Raw)]| {
        let mut trace = walk(&model, 0);
        let mut state = trace.states[0].clone();
        to.iter().for_each(|&(var, value)| state[var] = value);
        (trace.states, trace.actions) = (vec![trace.states[0].clone(), state], vec![Action::Command(command)]);
        lapidary_checker::replay_model_run(&model, &trace)
    };
    assert_eq!(step(FORGET, &[(0, 0), (1, seen(&model, &[(-5, 5)]))]), Ok(()));
    assert!(matches!(step(FORGET, &[(1, seen(&model, &[(-5, 5)]))]), Err(Rejection::Wrong(_))));
    // What is written again is tried with the numbers that are at hand, those of bit-vectors of this width only.
    assert_eq!(step(GUESS, &[(2, wide(&model, 255, 0))]), Ok(()));
    let unknown = step(GUESS, &[(2, wide(&model, 0, 1))]);
    assert!(matches!(unknown, Err(Rejection::Stopped(Stop::Incomplete(_)))), "{unknown:?}");
}

/// A counter of four bits that leaves out the greatest values, and a flag of 64 bits.
const COUNTER: &str = "
    var x : @bits[4];
    var y : @bits[64];
    local var z : @bits[4];
    init x = @bits[4](0) & y = @bits[64](18446744073709551615);
    command next: scope z do {
        z := @bvadd(x, @bits[4](3));
        if @bvult(z, @bits[4](12)) then { x := z; } else { x := @bits[4](0); }
        y := @bvlshr(y, @bits[64](63));
    }
    property low: invariant @bvult(x, @bits[4](12));
    property lower: invariant @bvslt(@bits[4](12), x);";

fn counted(y: Raw) -> impl Iterator<Item = Vec<Raw>> {
    [0, 3, 6, 9].into_iter().map(move |x| vec![x, y, 0])
}

#[test]
fn listed_states_of_words_are_packed() {
    let model = model(COUNTER);
    let states: Vec<Vec<Raw>> = [vec![0, -1, 0]].into_iter().chain(counted(1)).chain(counted(0)).collect();
    let low = [property(&model, "low")];
    assert_eq!(judge(&model, &low, layout_of_words(&model, &states)), accepted());
    let without = layout_of_words(&model, &states[..8]);
    let why = "state 4 (x=9 y=1) leads by next to (x=0 y=0), which is not listed";
    assert!(matches!(judge(&model, &low, without), Err(Rejection::Wrong(_))));
    let most: Vec<Vec<Raw>> = states.iter().filter(|state| state[..2] != [0, 0]).cloned().collect();
    assert_eq!(judge(&model, &low, layout_of_words(&model, &most)), wrong(why));
    let strange = layout_of_words(&model, &[&states[..], &[vec![12, 0, 0]]].concat());
    assert_eq!(judge(&model, &low, strange), wrong("state 9 (x=12 y=0) violates low"));
}

/// A word for each variable, none for the local one.
fn layout_of_words(model: &Model, states: &[Vec<Raw>]) -> lapidary_verdict::Enumeration {
    use lapidary_verdict::{Field, Layout};
    let field = |word, bits| Field { word, shift: 0, bits, lo: 0 };
    let layout = Layout { fields: vec![field(0, 4), field(1, 64), field(0, 0)].into(), words: 2 };
    assert_eq!(layout.fields.len(), model.vars.len());
    crate::common::build::enumeration_in(layout, states)
}

#[test]
fn what_has_no_number_cannot_be_listed() {
    for domain in ["@array(int -> int)", "@bits[65]", "@array(bool -> bool)"] {
        let model = model(&format!("var x : {domain}; property always: invariant true;"));
        let listed = enumeration(&model, &[[0]]);
        let Err(Rejection::Wrong(why)) = judge(&model, &[property(&model, "always")], listed) else {
            panic!("{domain} is listed");
        };
        assert!(why.starts_with("the field of x cannot hold "), "{why}");
    }
}

#[test]
fn diagrams_are_about_short_words() {
    let model = model(&COUNTER.replace("64", "63").replace("18446744073709551615", "9223372036854775807"));
    let states: Vec<Vec<Raw>> = counted(0).chain(counted(1)).chain([vec![0, Raw::MAX, 0]]).collect();
    let judged_set = |states: &[Vec<Raw>], name: &str| {
        judged(&model, name, &Certificate::Diagram(Arc::new(diagram(&[VarId(0), VarId(1)], states))))
    };
    assert_eq!(judged_set(&states, "low"), accepted());
    let why = judged_set(&states[1..], "low");
    assert!(matches!(&why, Err(Rejection::Wrong(why)) if why.contains("leads by next to")), "{why:?}");
    let why = judged_set(&states, "lower");
    assert!(matches!(&why, Err(Rejection::Wrong(why)) if why.contains("it violates lower")), "{why:?}");
}

#[test]
fn diagrams_prove_nothing_about_what_is_wide_or_an_array() {
    let words = [
        ("@bits[64]", "x has 64 bits, more than diagrams are made of"),
        ("@array(int -> int)", "x is an array"),
        ("@array(bool -> bool)", "x is an array"),
        ("int", "x has infinitely many values"),
    ];
    for (domain, what) in words {
        let model = model(&format!("var x : {domain}; property always: invariant true;"));
        let answer = judged(&model, "always", &Certificate::Diagram(Arc::new(diagram(&[VarId(0)], &[vec![0]]))));
        assert_eq!(answer, wrong(&format!("{what}: a diagram proves nothing about this model")));
    }
}

#[cfg(feature = "z3")]
mod with_a_solver {
    use crate::common::formulas::{blocks, certificate, induction, invariant};

    use super::*;

    fn objection(model: &Model, name: &str, evidence: &Certificate) -> String {
        match judged(model, name, evidence) {
            Err(Rejection::Wrong(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_invariant_about_bits_is_certified() {
        let model = model(COUNTER);
        assert_eq!(judged(&model, "low", &invariant(&model, "@bvult(x, @bits[4](12))")), accepted());
        let stronger = invariant(&model, "@bvult(x, @bits[4](12)) & @bvurem(x, @bits[4](3)) = @bits[4](0)");
        assert_eq!(judged(&model, "low", &stronger), accepted());
        let why = objection(
            &model,
            "low",
            &invariant(&model, "@bvult(x, @bits[4](11)) & @bvurem(x, @bits[4](4)) = @bits[4](0)"),
        );
        assert!(why.contains(" leads by next to ("), "{why}");
        let why = objection(&model, "lower", &invariant(&model, "true"));
        assert!(why.starts_with("the set contains (x=") && why.ends_with("it violates lower"), "{why}");
    }

    #[test]
    fn formulas_and_blocks_about_arrays_are_certified() {
        let text = "
            var a : @array(int -> int);
            var b : @array(@bits[2] -> int);
            var i : int;
            init a = @value(int -> int)(1) & i = 0 & b = @value(@bits[2] -> int)(0);
            command put: { a := @store(int -> int)(a, i, i + 2), i := i + 1; }
            command mark: { b := @store(@bits[2] -> int)(b, @bits[2](3), 1); }
            property positive: invariant 0 < @select(int -> int)(a, i);
            property clean: invariant @select(@bits[2] -> int)(b, @bits[2](1)) = 0;
            property ahead: invariant @select(int -> int)(a, i) = 1;";
        let model = model(text);
        let marked = "b = @value(@bits[2] -> int)(0) | b = @value(@bits[2] -> int)(0; 3: 1)";
        assert_eq!(judged(&model, "clean", &invariant(&model, marked)), accepted());
        let inductive = induction(&model, 1, "0 <= i & 0 < @select(int -> int)(a, i)", false);
        let why = judged(&model, "positive", &inductive);
        assert!(why.is_err(), "nothing is said of the other elements: {why:?}");
        let clean = [(&[][..], &[(0, true)][..])];
        let evidence = certificate(blocks(&model, &[], &["@select(@bits[2] -> int)(b, @bits[2](1)) = 0"], &clean));
        assert_eq!(judged(&model, "clean", &evidence), accepted());
        let first = invariant(&model, "b = @value(@bits[2] -> int)(0)");
        let why = objection(&model, "clean", &first);
        assert!(why.contains("leads by mark to (") && why.contains("[3: 1, else: 0]"), "{why}");
    }

    #[test]
    fn control_variables_may_be_bits() {
        let text = "control var pc : @bits[70]; var x : int; init pc = @bits[70](0) & x = 0;
            command go: { assume pc = @bits[70](0); pc := @bits[70](1180591620717411303423), x := x + 1; }
            command stay: { assume @bvult(@bits[70](5), pc); x := x + 1; }
            property fine: invariant 0 <= x;";
        let model = model(text);
        let bits = |words: [u64; 2]| model.exprs.values().bits(70, &words);
        let places = [[bits([0, 0])], [bits([u64::MAX, 63])]];
        let all = places.each_ref().map(|place| (&place[..], &[(0, true)][..]));
        assert_eq!(judged(&model, "fine", &certificate(blocks(&model, &["pc"], &["0 <= x"], &all))), accepted());
        let why = objection(&model, "fine", &certificate(blocks(&model, &["pc"], &["0 <= x"], &all[..1])));
        assert!(why.contains("leads by go to (pc=1180591620717411303423 x="), "{why}");
        // Numbers that are no value of it mean no state.
        let nobody = [-1, 1 << 40, model.exprs.values().fill(3)].map(|value| [value]);
        let more: Vec<_> = all.into_iter().chain(nobody.iter().map(|place| (&place[..], &[][..]))).collect();
        assert_eq!(judged(&model, "fine", &certificate(blocks(&model, &["pc"], &["0 <= x"], &more))), accepted());
    }

    #[test]
    fn loops_over_bits_are_written_out() {
        let text = "var x : @bits[8]; local var i : @bits[8]; init x = @bits[8](0);
            command spin: scope i do {
                i := @bits[8](250);
                while @bvule(@bits[8](250), i) do { x := @bvor(x, i); i := @bvadd(i, @bits[8](1)); }
            }
            property ends: invariant x = @bits[8](0) | x = @bits[8](255);";
        let model = model(text);
        assert_eq!(judged(&model, "ends", &invariant(&model, "x = @bits[8](0) | x = @bits[8](255)")), accepted());
    }
}

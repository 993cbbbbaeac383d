//! Limits are seen within a single step: all work is counted, so that a run with an interrupt ends after about as many units
//! of it as it was given, however large the body is.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::common::build::enumeration;
use crate::common::formulas::{invariant, model, property};
use lapidary_base::{Control, Pace, Stop};
use lapidary_checker::{Backend, Means, Rejection, certify_model, step};
use lapidary_ir::{CommandId, Model};
use lapidary_verdict::Certificate;

/// Counts the work that is told, and interrupts when there was so much.
struct Fuse {
    told: AtomicU64,
    most: u64,
    flag: Arc<AtomicBool>,
}

impl Pace for Fuse {
    fn spend(&self, work: u64) -> Option<u64> {
        if self.told.fetch_add(work, Ordering::Relaxed) + work >= self.most {
            self.flag.store(true, Ordering::Relaxed);
        }
        None
    }

    fn pass(&self) {}
}

/// The answer of a check that is interrupted after so much work, and how much it told altogether.
fn interrupted(model: &Model, certificate: &Certificate, most: u64) -> (Result<(), Rejection>, u64) {
    let flag = Arc::new(AtomicBool::new(false));
    let fuse = Arc::new(Fuse { told: AtomicU64::new(0), most, flag: Arc::clone(&flag) });
    let control = Control::new().with_cancel(flag).with_pace(fuse.clone());
    let means = Means::new(&Backend::Nothing, &control);
    let found = certify_model(model, &[property(model, "fine")], certificate, &means);
    (found.map(|_| ()), fuse.told.load(Ordering::Relaxed))
}

fn stopped() -> Result<(), Rejection> {
    Err(Rejection::Stopped(Stop::Interrupted))
}

/// It ends within its first step.
fn ends_soon(model: &Model, certificate: &Certificate) {
    let (found, told) = interrupted(model, certificate, 100);
    assert_eq!(found, stopped());
    assert!(told < 200, "{told} units of work were done after the interrupt");
}

fn many(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect()
}

/// One step from the state in which all is at its first value.
fn once(vars: &str, init: &str, body: &str) -> Model {
    model(&format!(
        "{vars} var done : bool; init {init}; init !done;
        command go: {{ assume !done; {body} done := true; }}
        property fine: invariant done | !done | {init};"
    ))
}

fn first_state(model: &Model) -> Certificate {
    let first: Vec<i64> = model.vars.iter().map(|var| model.first(var.domain)).collect();
    Certificate::Enumeration(Arc::new(enumeration(model, &[&first])))
}

fn choices() -> Model {
    let vars = many(16, |i| format!("var x{i} : bool; "));
    let init = many(16, |i| format!("!x{i} & ")) + "true";
    once(&vars, &init, &many(16, |i| format!("choice {{ x{i} := true; skip; }} ")))
}

fn assumptions(n: usize) -> Model {
    let limits = many(n, |i| format!("assume a + b != {}; ", 400 + i));
    once("var a : 0..99; var b : 0..99;", "a = 0 & b = 0", &format!("a := any, b := any; {limits} a := 0, b := 0;"))
}

fn branches(n: usize) -> Model {
    let body = many(n, |i| format!("if a + b < {i} then skip; else assume a + b != {}; ", 400 + i));
    once("var a : 0..99; var b : 0..99;", "a = 0 & b = 0", &format!("a := any, b := any; {body} a := 0, b := 0;"))
}

#[test]
fn a_list_is_checked_within_the_limits_however_many_states_a_step_goes_through() {
    for model in [choices(), assumptions(100), branches(100)] {
        ends_soon(&model, &first_state(&model));
    }
    // One value after the other of a single input.
    let wide = once("var a : 0..999999;", "a = 0", "a := any; a := 0;");
    ends_soon(&wide, &first_state(&wide));
    let listed = once("var a : 0..999999;", "a = 0", "a := any;");
    ends_soon(&listed, &first_state(&listed));
}

/// The only step of a model, and how often it looked at the limits, which end it at this look.
fn looking(model: &Model, last: u64) -> (Result<usize, step::Trouble>, u64) {
    let first: Vec<i64> = model.vars.iter().map(|var| model.first(var.domain)).collect();
    let n_looks = AtomicU64::new(0);
    let look = || match n_looks.fetch_add(1, Ordering::Relaxed) {
        n if n < last => Ok(()),
        _ => Err(Stop::Interrupted),
    };
    let found = step::successors_within(model, CommandId(0), &first, &look);
    (found.map(|states| states.len()), n_looks.load(Ordering::Relaxed))
}

#[test]
fn the_interpreter_looks_at_the_limits_however_many_states_a_step_goes_through() {
    for body in [assumptions, branches] {
        let [(short, few), (long, many)] = [5, 50].map(|n| looking(&body(n), u64::MAX));
        assert_eq!((short, long), (Ok(1), Ok(1)));
        assert!(many > 2 * few, "{many} looks for ten times the work of {few}");
        let (found, n_looks) = looking(&body(50), many / 2);
        assert_eq!(found, Err(step::Trouble::Stopped(Stop::Interrupted)));
        assert!(n_looks <= many / 2 + 1, "{n_looks} looks after {}", many / 2);
    }
}

#[test]
fn terms_are_made_within_the_limits() {
    let mut vars = String::new();
    for i in 0..100 {
        write!(vars, "var f[{i}] : 0..7; ").expect("strings grow");
    }
    let indexes = many(100, |i| format!("var i{i} : 0..99; "));
    let writes: Vec<String> = (0..100).map(|i| format!("f[_](i{i}) := (f[_](i{i}) + 1) mod 8")).collect();
    let vars = format!("{vars} family f[_] from f[0] len 100; {indexes}");
    let cells = once(&vars, "true", &format!("{};", writes.join(", ")));
    let rows = once(
        &many(100, |i| format!("var x{i} : 0..1000; ")),
        "true",
        &many(400, |i| format!("if x{} < x{} then x{} := {i}; else skip; ", i % 100, (i + 1) % 100, (i + 2) % 100)),
    );
    for model in [cells, rows] {
        let fine = invariant(&model, "true");
        ends_soon(&model, &fine);
        // The whole is not much work: what meets is compared once, not once for each cell.
        let (found, told) = interrupted(&model, &fine, u64::MAX);
        assert_eq!(found, Ok(()));
        assert!(told < 20_000, "{told}");
    }
}

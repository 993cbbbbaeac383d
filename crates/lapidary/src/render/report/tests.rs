//! Reports on the hand-made model, as text.

use expect_test::{Expect, expect};
use lapidary_base::Whose;
use lapidary_ir::Domain;

use super::*;
use crate::render::fixture;

fn check(report: &Report, change: impl Fn(&mut Options<'_>), expected: Expect) {
    check_written(report, &[], change, expected);
}

fn check_written(report: &Report, written: &[Option<PathBuf>], change: impl Fn(&mut Options<'_>), expected: Expect) {
    let invocation = fixture::invocation();
    let mut options = Options {
        detail: Detail::Normal,
        trace: TraceForm::Diff,
        width: 100,
        palette: Palette::Plain,
        engine: "auto",
        invocation: &invocation,
        written,
        seconds: 0.4,
        memory: 14_000_000,
    };
    change(&mut options);
    expected.assert_eq(&render(&fixture::loaded(), report, &options));
}

#[test]
fn a_report_has_a_header_properties_verdicts_and_a_summary() {
    check(
        &fixture::report(),
        |_| (),
        expect![[r#"
        small.gcl: 2 processes, 3 variables, 3 properties   (engine auto -> explicit)
          XX   mutex     turn = 0                      6029289 states, 54 M transitions, depth 73     0.31 s
               counterexample: 2 steps                           small.gcl:5:11
           0  (initial)        turn=0  p1=idle  p2=idle
           1  request    :3    p1: idle -> want
           2  enter      :4    turn: 0 -> 1   p2: idle -> crit
          next: lapidary check small.gcl -p mutex --trace-out mutex.itf.json
          ok   full      reach turn = 1                6029289 states, 54 M transitions, depth 73     0.31 s
               witness: 2 steps                                  small.gcl:6:7
           0  (initial)        turn=0  p1=idle  p2=idle
           1  request    :3    p1: idle -> want
           2  enter      :4    turn: 0 -> 1   p2: idle -> crit
          next: lapidary check small.gcl -p full --trace-out full.itf.json
          ??   progress  some step is always possible  6029289 states, 54 M transitions, depth 73     0.31 s
               unknown: the time limit was reached
               known: no violation within 29 steps
               allow more time
          next: lapidary check small.gcl -p progress --timeout 60s
        verdict: mutex = violated  steps=2 replayed=yes
        verdict: full = holds  witness steps=2 replayed=yes
        verdict: progress = unknown  reason=timeout
        summary: 1 holds, 1 violated, 1 unknown   0.40 s, 14 MB
    "#]],
    );
}

#[test]
fn proofs_are_named_and_a_reach_property_reads_the_other_way_round() {
    check(
        &fixture::proved(),
        |_| (),
        expect![[r#"
            small.gcl: 2 processes, 3 variables, 3 properties   (engine auto -> explicit)
              ok   mutex     turn = 0                      6029289 states, 54 M transitions, depth 73     0.31 s
              XX   full      reach turn = 1                6029289 states, 54 M transitions, depth 73     0.31 s
                   out of reach                                      small.gcl:6:7
              next: lapidary simulate small.gcl -i
              ok   progress  some step is always possible  6029289 states, 54 M transitions, depth 73     0.31 s
            verdict: mutex = holds  proof=enumeration checked=yes
            verdict: full = violated  proof=enumeration checked=sample:12%
            verdict: progress = holds  proof=enumeration checked=yes
            summary: 2 holds, 1 violated, 0 unknown   0.40 s, 14 MB
        "#]],
    );
}

#[test]
fn quiet_leaves_only_the_frozen_lines() {
    check(
        &fixture::report(),
        |options| options.detail = Detail::Quiet,
        expect![[r#"
        verdict: mutex = violated  steps=2 replayed=yes
        verdict: full = holds  witness steps=2 replayed=yes
        verdict: progress = unknown  reason=timeout
        summary: 1 holds, 1 violated, 1 unknown   0.40 s, 14 MB
    "#]],
    );
}

#[test]
fn a_reach_property_that_errs_has_a_counterexample() {
    let erring = fixture::property(1, Verdict::Violated, Evidence::Trace(fixture::trace()));
    let report = Report { properties: vec![erring], ..Report::default() };
    check(
        &report,
        |options| options.trace = TraceForm::None,
        expect![[r#"
        small.gcl: 2 processes, 3 variables, 3 properties   (engine auto -> explicit)
          XX   full      reach turn = 1  6029289 states, 54 M transitions, depth 73                   0.31 s
               counterexample: 2 steps                           small.gcl:6:7
          next: lapidary check small.gcl -p full --trace-out full.itf.json
        verdict: full = violated  steps=2 replayed=yes
        summary: 0 holds, 1 violated, 0 unknown   0.40 s, 14 MB
    "#]],
    );
}

#[test]
fn a_refinement_loop_counts_iterations_and_blocks_and_more_on_demand() {
    let report = Report { properties: vec![fixture::refined()], ..Report::default() };
    let expected = expect![[r#"
        small.gcl: 2 processes, 3 variables, 3 properties   (engine auto -> pcegar)
          ok   mutex     turn = 0  3 iterations, 9 blocks                                             0.31 s
               engine pcegar; search 0.25 s, check 0.05 s, 14 MB
               abstract_states: average 5.3, maximum 9, final 9
               cex_length: average 3.0, maximum 4, final 4
               iterations=3 cex_analysis=31 certified_neg=4 certified_pos=2
        verdict: mutex = holds  proof=enumeration checked=yes
        summary: 1 holds, 0 violated, 0 unknown   0.40 s, 14 MB
    "#]];
    check(&report, |options| options.detail = Detail::Verbose, expected);
}

#[test]
fn the_choice_of_a_portfolio_and_the_rounds_are_shown_on_demand() {
    let because = "explicit gave up at 100000 states; turn is unbounded: matching answered".to_owned();
    let matched = PropertyReport { chosen_because: Some(because), ..fixture::matched() };
    let report = Report { properties: vec![matched], ..Report::default() };
    let expected = expect![[r#"
        small.gcl: 2 processes, 3 variables, 3 properties   (engine auto -> matching)
          ok   mutex     turn = 0  2 iterations, 7 blocks                                             0.31 s
               engine matching; search 0.25 s, check 0.05 s, 14 MB
               chosen: explicit gave up at 100000 states; turn is unbounded: matching answered
               abstract_states: average 5.0, maximum 7, final 7
               iterations=2 predicates=2 queries=52 cache_hits=25
               round  concrete states  abstract states  queries  cache hits  new predicates
                   1                5                3       12           4  turn < 1, p1 = idle
                   2               19                7       40          21
        verdict: mutex = holds  proof=enumeration checked=yes
        summary: 1 holds, 0 violated, 0 unknown   0.40 s, 14 MB
    "#]];
    check(&report, |options| options.detail = Detail::Verbose, expected);
}

#[test]
fn advice_fits_the_model() {
    let mut loaded = fixture::loaded();
    let stopped = Reason::Stopped(Stop::Timeout);
    assert_eq!(advice(&loaded, &stopped).as_deref(), Some("allow more time"));
    loaded.source = loaded.sources.add("constant.gcl", "// No const here.\nconst N = 3;\n");
    assert!(advice(&loaded, &stopped).is_some_and(|text| text.contains("-D")));
    let first = loaded.declared().vars.ids().next().unwrap();
    loaded.subject.declared_mut().vars[first].domain = Domain::Int;
    assert!(advice(&loaded, &stopped).is_some_and(|text| text.contains("infinitely many")));
}

#[test]
fn a_lasso_tells_its_loop() {
    let mut lasso = fixture::trace();
    lasso.loop_start = Some(1);
    let violated = fixture::property(0, Verdict::Violated, Evidence::Trace(lasso));
    let report = Report { properties: vec![violated], ..Report::default() };
    check(
        &report,
        |options| options.engine = "explicit",
        expect![[r#"
        small.gcl: 2 processes, 3 variables, 3 properties   (engine explicit)
          XX   mutex     turn = 0  6029289 states, 54 M transitions, depth 73                         0.31 s
               counterexample: 2 steps, then a loop of 2         small.gcl:5:11
           0  (initial)        turn=0  p1=idle  p2=idle
           1  request    :3    p1: idle -> want                     <-- loop starts
           2  enter      :4    turn: 0 -> 1   p2: idle -> crit
              back to 1
          next: lapidary check small.gcl -p mutex --trace-out mutex.itf.json
        verdict: mutex = violated  steps=2 loop=1..2 replayed=yes
        summary: 0 holds, 1 violated, 0 unknown   0.40 s, 14 MB
    "#]],
    );
}

#[test]
fn explanations_and_files_are_shown_where_they_are() {
    let mut violated = fixture::property(0, Verdict::Violated, Evidence::Trace(fixture::trace()));
    violated.explanation = Some("the next step would err: turn + 1 is outside 0..1".to_owned());
    let report = Report { properties: vec![violated], ..Report::default() };
    let written = [Some(PathBuf::from("my run.itf.json"))];
    let change = |options: &mut Options<'_>| {
        options.detail = Detail::Verbose;
        options.trace = TraceForm::None;
        options.width = 80;
    };
    let expected = expect![[r#"
        small.gcl: 2 processes, 3 variables, 3 properties   (engine auto -> explicit)
          XX   mutex     turn = 0  6029289 states, 54 M transitions, depth 73     0.31 s
               counterexample: 2 steps                           small.gcl:5:11
               the next step would err: turn + 1 is outside 0..1
               engine explicit; search 0.25 s, check 0.05 s, 14 MB
          next: lapidary trace 'my run.itf.json' --full
        verdict: mutex = violated  steps=2 replayed=yes
        summary: 0 holds, 1 violated, 0 unknown   0.40 s, 14 MB
    "#]];
    check_written(&report, &written, change, expected);
}

#[test]
fn every_reason_leads_to_a_command() {
    let reasons = [
        Reason::Stopped(Stop::Memory(Whose::Limit)),
        Reason::Stopped(Stop::Interrupted),
        Reason::Stopped(Stop::Overflow("in request".to_owned())),
        Reason::Stopped(Stop::Incomplete("no more ideas".to_owned())),
        Reason::Refused("it has a clock".to_owned()),
        Reason::Unsupported("small.gcl:5:1: a temporal property".to_owned()),
    ];
    let unknown = |reason| fixture::property(0, Verdict::Unknown, Evidence::Nothing(reason));
    let report = Report { properties: reasons.into_iter().map(unknown).collect(), ..Report::default() };
    check(
        &report,
        |_| (),
        expect![[r#"
        small.gcl: 2 processes, 3 variables, 3 properties   (engine auto -> explicit)
          ??   mutex     turn = 0  6029289 states, 54 M transitions, depth 73                         0.31 s
               unknown: the memory limit was reached
               allow more memory
          next: lapidary simulate small.gcl --steps 1000
          ??   mutex     turn = 0  6029289 states, 54 M transitions, depth 73                         0.31 s
               unknown: interrupted
          next: lapidary check small.gcl -p mutex
          ??   mutex     turn = 0  6029289 states, 54 M transitions, depth 73                         0.31 s
               unknown: an integer left the 64-bit range: in request
               numbers are computed with 64 bits; smaller ones are needed
          next: lapidary info small.gcl
          ??   mutex     turn = 0  6029289 states, 54 M transitions, depth 73                         0.31 s
               unknown: no more ideas
          next: lapidary simulate small.gcl
          ??   mutex     turn = 0  6029289 states, 54 M transitions, depth 73                         0.31 s
               unknown: the engine refuses the task: it has a clock
          next: lapidary check small.gcl -p mutex --engine auto
          ??   mutex     turn = 0  6029289 states, 54 M transitions, depth 73                         0.31 s
               unknown: no engine supports this: small.gcl:5:1: a temporal property
          next: lapidary info small.gcl
        verdict: mutex = unknown  reason=memory
        verdict: mutex = unknown  reason=interrupted
        verdict: mutex = unknown  reason=overflow
        verdict: mutex = unknown  reason=incomplete
        verdict: mutex = unknown  reason=refused
        verdict: mutex = unknown  reason=unsupported
        summary: 0 holds, 0 violated, 6 unknown   0.40 s, 14 MB
    "#]],
    );
}

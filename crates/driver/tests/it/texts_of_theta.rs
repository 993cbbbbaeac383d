//! Random control-flow automata and transition systems: whatever an engine answers about their texts, the checker accepts its
//! evidence, and an oracle that tries everything, with a meaning of its own, says the same.

use std::time::Duration;

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, Loaded, SolverOptions, check, open_text};
use lapidary_engines::cover::{CEGAR, PCEGAR};
use lapidary_engines::induction::{BMC, KINDUCTION};
use lapidary_engines::matching::MATCHING;
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::symbolic::BDD;
use lapidary_reference::{cfa, seeds, xsts};
use lapidary_verdict::{Evidence, PropertyReport, Verdict};

/// A text with what is right about it.
struct Sample {
    path: &'static str,
    text: String,
    /// The steps of a shortest violation.
    shortest: Option<usize>,
    n_states: usize,
}

fn automaton(seed: u64) -> Sample {
    let cfa::Case { text, shortest, n_states, .. } = cfa::case(seed);
    Sample { path: "random.cfa", text, shortest, n_states }
}

fn system(seed: u64) -> Sample {
    let xsts::Case { text, shortest, n_states, .. } = xsts::case(seed);
    Sample { path: "random.xsts", text, shortest, n_states }
}

fn load(sample: &Sample, seed: u64) -> Loaded {
    let request = LoadRequest { path: sample.path.to_owned(), ..LoadRequest::default() };
    let loaded = open_text(&request, sample.text.as_bytes().to_vec());
    let mut loaded = loaded.unwrap_or_else(|error| panic!("seed {seed}: {}\n{}", error.render(), sample.text));
    loaded.asked = loaded.declared().properties.ids().take(1).collect();
    loaded
}

fn judge(sample: &Sample, found: &PropertyReport, engine: EngineChoice, seed: u64) {
    let right = if sample.shortest.is_some() { Verdict::Violated } else { Verdict::Holds };
    let Sample { text, shortest, n_states, .. } = sample;
    assert_eq!(found.verdict, right, "seed {seed}, {engine:?}: {:?}\n{text}", found.evidence);
    if let (Evidence::Trace(trace), Some(shortest)) = (&found.evidence, shortest) {
        let n_steps = trace.actions.len();
        let is_shortest = matches!(engine, EngineChoice::Named(named) if [&EXPLICIT, &BDD, &BMC].contains(&named));
        let fits = if is_shortest { n_steps == *shortest } else { n_steps >= *shortest };
        assert!(fits, "seed {seed}, {engine:?}: {n_steps} steps instead of {shortest}\n{text}");
    }
    if let Some(states) =
        found.stats.count("states").filter(|_| matches!(engine, EngineChoice::Named(named) if named == &EXPLICIT))
    {
        assert!(states <= *n_states as u64, "seed {seed}, {engine:?}: {states} of {n_states} states\n{text}");
    }
}

/// How many texts each engine decided.
fn decided(of: fn(u64) -> Sample, seeds: std::ops::Range<u64>, engines: &[EngineChoice]) -> Vec<usize> {
    let mut n_decided = vec![0; engines.len()];
    for seed in seeds::of(seeds) {
        let sample = of(seed);
        let loaded = load(&sample, seed);
        for (&engine, n_decided) in engines.iter().zip(&mut n_decided) {
            let solver = SolverOptions { bound: Some(12), ..SolverOptions::default() };
            let request = CheckRequest { engine, solver, ..CheckRequest::default() };
            let control = Control::new().with_timeout(Some(Duration::from_secs(5)));
            let report = check(&loaded, &request, &control);
            assert_eq!(report.internal_errors, Vec::<String>::new(), "seed {seed}, {engine:?}\n{}", sample.text);
            let found = &report.properties[0];
            if found.verdict != Verdict::Unknown {
                judge(&sample, found, engine, seed);
                *n_decided += 1;
            }
        }
    }
    n_decided
}

#[test]
fn listed_states_and_diagrams_answer_about_automata_as_trying_everything_does() {
    // Integers that keep no bounds are for solvers.
    let found = decided(automaton, 0..500, &[EngineChoice::Named(&EXPLICIT), EngineChoice::Named(&BDD)]);
    assert!(found.iter().all(|&n| n > seeds::least(350)), "{found:?}");
}

#[test]
fn listed_states_and_diagrams_answer_about_systems_as_trying_everything_does() {
    let found = decided(system, 0..500, &[EngineChoice::Named(&EXPLICIT), EngineChoice::Named(&BDD)]);
    assert!(found.iter().all(|&n| n > seeds::least(400)), "{found:?}");
}

#[test]
fn refinement_answers_about_both_as_trying_everything_does() {
    let engines = [EngineChoice::Named(&CEGAR), EngineChoice::Named(&PCEGAR)];
    let found = [decided(automaton, 2_000..2_060, &engines), decided(system, 2_000..2_060, &engines)];
    assert!(found.iter().flatten().all(|&n| n > seeds::least(30)), "{found:?}");
}

#[cfg(feature = "z3")]
#[test]
fn solvers_answer_about_automata_as_trying_everything_does() {
    let seeds = 0..if seeds::are_all() { 500 } else { 120 };
    let engines = [EngineChoice::Named(&BMC), EngineChoice::Named(&KINDUCTION), EngineChoice::Named(&MATCHING)];
    let found = decided(automaton, seeds, &engines);
    assert!(found.iter().all(|&n| n > seeds::least(30)), "{found:?}");
}

#[cfg(feature = "z3")]
#[test]
fn solvers_answer_about_systems_as_trying_everything_does() {
    let seeds = 0..if seeds::are_all() { 500 } else { 120 };
    let engines = [EngineChoice::Named(&BMC), EngineChoice::Named(&KINDUCTION), EngineChoice::Named(&MATCHING)];
    let found = decided(system, seeds, &engines);
    assert!(found.iter().all(|&n| n > seeds::least(30)), "{found:?}");
}

/// What is proved about states says nothing of variables within steps, also where their domains became narrow.
#[cfg(feature = "z3")]
#[test]
fn evidence_of_matching_speaks_of_states_alone() {
    let text = "var form : integer = 1
        var flag : boolean = false
        trans {
            for i from 0 to 2 do { havoc flag; for j from 0 to 2 do { havoc form; assume 1 <= form && form <= 2; } }
        } or {
            for k from 0 - 1 to 0 do {
                flag := form - form > 0 - 2 * k;
                choice { form := if form < 6 then form + 1 else 1; } or {
                    local var step : integer;
                    step := if form < 6 then form + 1 else 1;
                    local var other : integer;
                    other := k rem 2 % 6 + 1;
                }
            }
        }
        init {}
        env {}
        prop { !(flag == true && form == 6) }";
    let sample = Sample { path: "local.xsts", text: text.to_owned(), shortest: None, n_states: 0 };
    let loaded = load(&sample, 0);
    let request = CheckRequest { engine: EngineChoice::Named(&MATCHING), ..CheckRequest::default() };
    let report = check(&loaded, &request, &Control::new().with_timeout(Some(Duration::from_secs(20))));
    assert_eq!((report.internal_errors, report.properties[0].verdict), (Vec::new(), Verdict::Holds));
}

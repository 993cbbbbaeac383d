//! Random models with unbounded numbers: the engines that ask solvers and a bounded search never contradict each other.

use std::panic::{self, AssertUnwindSafe};

use lapidary_engines::induction::{BmcEngine, InductionEngine};
use lapidary_engines::matching::{self, Inputs, MatchingEngine};
use lapidary_engines::{Engine, Outcome};
use lapidary_reference::ast::Model;
use lapidary_reference::random::Shape;
use lapidary_reference::sample::{self, Bounds, Sample};
use lapidary_reference::seeds;
use lapidary_smt::{Backend, Limits};

use crate::solver_support::{Case, Found, Role, load};

const N_MODELS: u64 = 400;
const N_PARTS: u64 = 4;
/// The longest runs that `bmc` looks at.
const BOUND: u64 = 8;
const BOUNDS: Bounds = Bounds { steps: 8, states: 400, window: 4 };

/// It may work little for each question, so that products of variables end soon.
fn solver() -> Backend {
    Backend::InProcess(Limits { work: 10_000, ..Limits::default() })
}

/// The answers of one engine.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    reached: usize,
    unreachable: usize,
    unchecked: usize,
    unknown: usize,
}

impl Tally {
    fn note(&mut self, found: &Found) {
        *match found {
            Found::Reached(_) => &mut self.reached,
            Found::Unreachable => &mut self.unreachable,
            Found::Unchecked { .. } => &mut self.unchecked,
            Found::Unknown(_) => &mut self.unknown,
        } += 1;
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Tallies {
    matching: Tally,
    /// Other ways to run `matching`.
    other: Tally,
    bmc: Tally,
    kinduction: Tally,
    /// Runs of `bmc` that were compared with a shortest one.
    shortest: usize,
    /// Targets that the bounded search saw.
    seen: usize,
}

/// Another way to run `matching`.
fn other_way(seed: u64) -> MatchingEngine {
    let usual = crate::solver_support::matching(&solver());
    let config = match seed % 7 {
        0 => matching::Config { is_local: true, ..usual },
        1 => matching::Config { is_plain: true, ..usual },
        2 => matching::Config { inputs: Inputs::Enumerate, ..usual },
        3 => matching::Config { backend: Backend::Nothing, ..usual },
        4 => matching::Config { concretise: None, ..usual },
        5 => matching::Config { is_local: true, inputs: Inputs::Enumerate, concretise: Some(1), ..usual },
        _ => matching::Config { backend: Backend::Nothing, inputs: Inputs::Enumerate, concretise: None, ..usual },
    };
    MatchingEngine { config }
}

/// After how many steps the bounded search saw a target first.
fn sighting(case: &Case, sample: &Sample, target: usize) -> Option<usize> {
    let name = &case.loaded.declared().properties[case.asked[target].property].name;
    let seen = sample.seen.iter().find(|seen| &seen.name == name).expect("same properties");
    match case.asked[target].role {
        Role::Goal => seen.satisfied,
        Role::Errs => seen.erred,
        Role::Bad => seen.falsified.into_iter().chain(seen.erred).min(),
    }
}

/// What an engine says about all targets, with its evidence checked and compared with what the bounded search saw.
fn ask(case: &Case, sample: &Sample, engine: &dyn Engine) -> Vec<Found> {
    let answers = case.run(engine);
    let found = case.check(&answers, &solver()).unwrap_or_else(|why| panic!("{}: {why}", engine.name()));
    for (target, (found, answer)) in found.iter().zip(&answers).enumerate() {
        let about = format!("{}, {}, {:?}", engine.name(), case.name(target), case.asked[target].role);
        let seen = sighting(case, sample, target);
        if let Some(depth) = seen {
            let is_denied = matches!(answer.outcome, Outcome::Excluded(_));
            assert!(!is_denied, "{about}: unreachable, but seen after {depth} steps");
        }
        if let Found::Reached(length) = *found {
            let least = seen.unwrap_or(sample.exact).min(sample.exact);
            assert!(length >= least, "{about}: a run of {length} steps, but there is none of less than {least}");
        }
    }
    found
}

/// The length of a run of `bmc` is the least, and no run within its bound is missed.
fn compare_lengths(case: &Case, sample: &Sample, found: &[Found], n_shortest: &mut usize) {
    for (target, found) in found.iter().enumerate() {
        let Some(depth) = sighting(case, sample, target) else { continue };
        let about = case.name(target);
        match found {
            Found::Reached(length) => {
                assert!(*length <= depth, "{about}: bmc needs {length} steps, but {depth} suffice");
                *n_shortest += usize::from(depth < sample.exact);
            }
            Found::Unknown(why) => {
                let is_past = why.starts_with("the bound of") || why.starts_with("no run has more than");
                assert!(!is_past || depth > BOUND as usize, "{about}: {why}, but it was seen after {depth} steps");
            }
            Found::Unreachable | Found::Unchecked { .. } => {}
        }
    }
}

fn compare(seed: u64, model: &Model, text: &str, tallies: &mut Tallies) {
    let case = load(&format!("random{seed}.gcl"), text, &[]);
    let sample = sample::sample(model, BOUNDS)
        // Too many initial states: fewer of them.
        .or_else(|| sample::sample(model, Bounds { window: 0, states: 20_000, ..BOUNDS }))
        .expect("few initial states");
    let matching = ask(&case, &sample, &MatchingEngine { config: crate::solver_support::matching(&solver()) });
    let other = ask(&case, &sample, &other_way(seed));
    let bmc = ask(&case, &sample, &BmcEngine { config: crate::solver_support::induction(&solver(), BOUND) });
    let kinduction = ask(&case, &sample, &InductionEngine { config: crate::solver_support::induction(&solver(), 4) });
    compare_lengths(&case, &sample, &bmc, &mut tallies.shortest);
    for target in 0..case.asked.len() {
        let all = [&matching[target], &other[target], &bmc[target], &kinduction[target]];
        let claims: Vec<bool> = all.iter().filter_map(|found| found.claim()).collect();
        let is_one = claims.iter().all(|&claim| claim == claims[0]);
        assert!(is_one, "{}, {:?}: {all:?}", case.name(target), case.asked[target].role);
        let is_seen = sighting(&case, &sample, target).is_some();
        tallies.seen += usize::from(is_seen);
        tallies.matching.note(&matching[target]);
        tallies.other.note(&other[target]);
        tallies.bmc.note(&bmc[target]);
        tallies.kinduction.note(&kinduction[target]);
    }
}

fn compare_all(seeds: impl Iterator<Item = u64>) -> Tallies {
    let mut tallies = Tallies::default();
    for seed in seeds {
        let model = Model::random(seed, &Shape::unbounded());
        let text = model.to_gcl(seed);
        let compared = panic::catch_unwind(AssertUnwindSafe(|| compare(seed, &model, &text, &mut tallies)));
        if let Err(panic) = compared {
            let why = panic.downcast_ref::<String>().map_or("a panic", String::as_str);
            panic!("seed {seed}: {why}\n{text}");
        }
    }
    tallies
}

/// At least so many answers of a quarter of the models, so that there is something to compare.
fn part(number: u64) {
    let tallies = compare_all(seeds::of(0..N_MODELS).into_iter().filter(|seed| seed % N_PARTS == number));
    let enough = |tally: Tally, reached: usize, unreachable: usize| {
        let is_enough = tally.reached >= seeds::least(reached) && tally.unreachable >= seeds::least(unreachable);
        assert!(is_enough, "{tallies:?}");
        // Certificates that the checker cannot judge are rare.
        assert!(tally.unchecked * 20 <= tally.unreachable + 20, "{tallies:?}");
    };
    enough(tallies.matching, 40, 40);
    enough(tallies.other, 40, 20);
    enough(tallies.bmc, 40, 40);
    enough(tallies.kinduction, 40, 80);
    assert!(tallies.shortest >= seeds::least(20) && tallies.seen >= seeds::least(40), "{tallies:?}");
}

#[test]
fn nobody_contradicts_on_the_first_quarter() {
    part(0);
}

#[test]
fn nobody_contradicts_on_the_second_quarter() {
    part(1);
}

#[test]
fn nobody_contradicts_on_the_third_quarter() {
    part(2);
}

#[test]
fn nobody_contradicts_on_the_last_quarter() {
    part(3);
}

/// Thousands more, in seven parts.
fn further(part: u64) {
    compare_all(N_MODELS + part * 800..N_MODELS + (part + 1) * 800);
}

#[test]
#[ignore = "slow: takes minutes"]
fn nobody_contradicts_on_the_first_part_of_many_more() {
    further(0);
}

#[test]
#[ignore = "slow: takes minutes"]
fn nobody_contradicts_on_the_second_part_of_many_more() {
    further(1);
}

#[test]
#[ignore = "slow: takes minutes"]
fn nobody_contradicts_on_the_third_part_of_many_more() {
    further(2);
}

#[test]
#[ignore = "slow: takes minutes"]
fn nobody_contradicts_on_the_fourth_part_of_many_more() {
    further(3);
}

#[test]
#[ignore = "slow: takes minutes"]
fn nobody_contradicts_on_the_fifth_part_of_many_more() {
    further(4);
}

#[test]
#[ignore = "slow: takes minutes"]
fn nobody_contradicts_on_the_sixth_part_of_many_more() {
    further(5);
}

#[test]
#[ignore = "slow: takes minutes"]
fn nobody_contradicts_on_the_last_part_of_many_more() {
    further(6);
}

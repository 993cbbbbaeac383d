//! Solvers that misbehave, from end to end: engines say unknown and why, and the checker takes nothing for granted.

#![cfg(unix)]

#[path = "../../../smt/tests/it/support/fake.rs"]
mod fake;
use lapidary_base::Control;
use lapidary_checker::{Claim, Means, Rejection, certify_model_claims};
use lapidary_engines::induction::{self, BmcEngine, InductionEngine};
use lapidary_engines::matching::{self, MatchingEngine};
use lapidary_engines::{Answer, Engine, Outcome};
use lapidary_smt::{Backend, Limits};

use crate::solver_support::{Case, Found, load};
use fake::Fake;

const COUNTERS: &str = "
    var x, y : int = 0;
    up: true -> x := x + 1, y := y + 2;
    invariant above: y >= x;
    invariant small: x < 3;
    reach far: y = 4;
    reach behind: y < x - 3;";

/// Whether the target of a property can be reached.
const TRUTH: [(&str, bool); 4] = [("above", false), ("small", true), ("far", true), ("behind", false)];

fn truth(case: &Case, target: usize) -> Option<bool> {
    let name = case.name(target);
    TRUTH.iter().find(|(known, _)| *known == name).map(|&(_, truth)| truth)
}

fn engines(backend: &Backend) -> [Box<dyn Engine>; 3] {
    let config = |bound| induction::Config { backend: backend.clone(), bound: Some(bound), most_queries: Some(40) };
    let usual = matching::Config { backend: backend.clone(), ..matching::Config::default() };
    let config_of_matching = matching::Config { most_iterations: Some(4), most_work: Some(20), ..usual };
    [
        Box::new(MatchingEngine { config: config_of_matching }),
        Box::new(BmcEngine { config: config(6) }),
        Box::new(InductionEngine { config: config(3) }),
    ]
}

fn counters() -> Case {
    load("counters.gcl", COUNTERS, &[])
}

/// What the checker leaves of one answer with this solver; the error is a rejection.
fn checked(case: &Case, answers: &[Answer], target: usize, solver: &Backend) -> Result<Found, String> {
    case.found(answers, target, solver)
}

/// The engines have no answer, but for runs that `matching` executed itself, and the checker confirms nothing.
fn helps_nobody(fake: &Fake, limits: Limits, words: &str) {
    let (case, solver) = (counters(), fake.backend(limits));
    for engine in engines(&solver) {
        let answers = case.run(&*engine);
        for target in (0..answers.len()).filter(|&target| truth(&case, target).is_some()) {
            let about = format!("{}, {}", engine.name(), case.name(target));
            match (&answers[target].outcome, engine.name()) {
                // A solver that answers at least sometimes does not have to be asked how a counter counts.
                (Outcome::Found(_), "matching") => {
                    let found = checked(&case, &answers, target, &solver);
                    assert!(matches!(found, Ok(Found::Reached(_))), "{about}: {found:?}");
                    assert_eq!(truth(&case, target), Some(true), "{about}");
                }
                // Questions that stay open are not the end of a search with abstract matching.
                (Outcome::Unknown(stop), "matching") => assert!(!stop.to_string().is_empty(), "{about}"),
                (Outcome::Unknown(stop), _) => assert!(stop.to_string().contains(words), "{about}: {stop}"),
                (outcome, _) => panic!("{about}: {outcome:?}"),
            }
        }
    }
    for (claim, certificate) in honest_certificates(&case) {
        let control = Control::new();
        let means = Means::new(&solver, &control);
        let judged = certify_model_claims(case.model(), &[claim], &certificate, &means);
        assert!(matches!(judged, Err(Rejection::Stopped(_))), "{claim:?}: {judged:?}");
    }
    fake.is_gone();
}

/// Good certificates of every engine.
fn honest_certificates(case: &Case) -> Vec<(Claim, lapidary_verdict::Certificate)> {
    let mut all = Vec::new();
    for engine in crate::solver_support::engines(&Backend::default()) {
        let answers = case.run(&*engine);
        for (target, answer) in answers.into_iter().enumerate() {
            if let (Outcome::Excluded(certificate), Some(truth)) = (answer.outcome, truth(case, target)) {
                assert!(!truth, "{}, {}", engine.name(), case.name(target));
                all.push((Claim::Decides(case.asked[target].property), certificate));
            }
        }
    }
    assert!(all.len() >= 3, "two proofs by induction, and one by matching at least");
    all
}

#[test]
fn one_that_crashes_at_once() {
    let fake = Fake::script("engines-crash", "echo 'no licence' >&2; exit 3");
    helps_nobody(&fake, Limits::default(), "no licence");
}

#[test]
fn one_that_crashes_at_the_first_question() {
    let fake = Fake::but("engines-first", "'(check-sat'*) exit 7 ;;");
    helps_nobody(&fake, Limits::default(), "status: 7");
}

#[test]
fn one_that_hangs() {
    let fake = Fake::but("engines-hang", "'(check-sat'*) sleep 1000 ;;");
    helps_nobody(&fake, Limits { millis: 100, ..Limits::default() }, "no answer within 100 ms");
}

#[test]
fn one_that_talks_nonsense() {
    let fake = Fake::but("engines-nonsense", "'(check-sat'*) echo 'segmentation maybe' ;;");
    helps_nobody(&fake, Limits::default(), "`maybe`");
}

#[test]
fn one_that_does_not_know() {
    let fake = Fake::but("engines-unknown", "'(check-sat'*) echo unknown ;;");
    helps_nobody(&fake, Limits::default(), "tired");
}

/// Up to the crash the answers are honest: those of a real solver would be no different from `sat` here.
#[test]
fn one_that_crashes_after_some_answers() {
    for n_answers in 1..6 {
        let crash = format!("n=$((n+1)); if [ $n -gt {n_answers} ]; then exit 7; fi");
        let fake = Fake::but(&format!("engines-later{n_answers}"), &format!("'(check-sat'*) {crash}; echo unknown ;;"));
        let case = counters();
        let solver = fake.backend(Limits::default());
        for engine in engines(&solver) {
            let answers = case.run(&*engine);
            for target in (0..answers.len()).filter(|&target| truth(&case, target) == Some(false)) {
                let outcome = &answers[target].outcome;
                assert!(matches!(outcome, Outcome::Unknown(_)), "{}: {outcome:?}", engine.name());
            }
        }
        fake.is_gone();
    }
}

/// What a liar brings about never contradicts the truth once an honest solver has checked it. Returns the rejections.
fn deceives_nobody(fake: &Fake) -> Vec<String> {
    let (case, liar, honest) = (counters(), fake.backend(Limits::default()), Backend::default());
    let mut rejected = Vec::new();
    for engine in engines(&liar) {
        let answers = case.run(&*engine);
        for target in 0..answers.len() {
            let Some(truth) = truth(&case, target) else { continue };
            let about = format!("{}, {}: {:?}", engine.name(), case.name(target), answers[target].outcome);
            match checked(&case, &answers, target, &honest) {
                Ok(found) => assert!(found.verdict().is_none_or(|verdict| verdict == truth), "{about}"),
                Err(why) => rejected.push(format!("{}, {why}", engine.name())),
            }
        }
    }
    fake.is_gone();
    rejected
}

/// The engines believe that nothing can be reached. If the checker asked the same liar, it would believe that, too:
/// against a solver that lies consistently there is no remedy but another solver.
#[test]
fn one_that_always_says_unsat_deceives_engines_but_not_an_honest_checker() {
    let rejected = deceives_nobody(&Fake::but("engines-unsat", "'(check-sat'*) echo unsat ;;"));
    for property in ["small", "far"] {
        for engine in ["bmc", "kinduction"] {
            let is_caught = |why: &String| why.starts_with(engine) && why.contains(property);
            assert!(rejected.iter().any(is_caught), "{engine}, {property}: {rejected:?}");
        }
    }
}

/// Values of the declared sort for all that is asked for.
fn inventor(name: &str, number: i64, truth: bool) -> Fake {
    let cases = format!(
        r#"
    '(declare-fun'*) set -- $line; eval "sort_$2=\$4"; echo success ;;
    '(check-sat'*) echo sat ;;
    '(get-value'*)
        answer=''
        set -- $(echo "${{line#(get-value}}" | tr -d '()')
        for symbol; do
            eval "sort=\$sort_$symbol"
            case $sort in Int*) value={number} ;; *) value={truth} ;; esac
            answer="$answer($symbol $value)"
        done
        echo "($answer)" ;;
    "#
    );
    Fake::but(name, &cases)
}

/// The invented values are taken for values.
fn ask_for_values(fake: &Fake) {
    let solver = fake.backend(Limits::default());
    let answers = counters()
        .run(&BmcEngine { config: induction::Config { backend: solver, bound: Some(1), most_queries: Some(40) } });
    let reasons: Vec<String> = answers.iter().map(|answer| format!("{:?}", answer.outcome)).collect();
    assert!(fake.log().contains("(get-value"), "{reasons:?}");
    assert!(!reasons.iter().any(|reason| reason.contains("answered")), "{reasons:?}");
}

#[test]
fn one_that_always_says_sat_has_no_run_that_passes() {
    for (at, (number, truth)) in [(5, true), (0, false), (3, false), (1, true)].into_iter().enumerate() {
        let fake = inventor(&format!("engines-sat{at}"), number, truth);
        ask_for_values(&fake);
        deceives_nobody(&fake);
    }
}

/// Its counterexamples are none, and the checker looks at them: it takes no good certificate for a bad one.
#[test]
fn one_that_always_says_sat_refutes_no_good_certificate() {
    let case = counters();
    for (number, truth) in [(5, true), (0, false)] {
        let fake = inventor(&format!("checker-sat{number}"), number, truth);
        let (solver, control) = (fake.backend(Limits::default()), Control::new());
        for (claim, certificate) in honest_certificates(&case) {
            let judged = certify_model_claims(case.model(), &[claim], &certificate, &Means::new(&solver, &control));
            assert!(matches!(judged, Err(Rejection::Stopped(_))), "{claim:?}: {judged:?}");
        }
        fake.is_gone();
    }
}

/// Numbers that no literal has are told of a variable with an enumeration: whoever looks at them says that the solver lies.
#[test]
fn one_that_invents_literals_is_found_out() {
    let text =
        "var pc : {a, b, c} = a; var seen : {a, b, c}; step: pc = a -> pc := b, seen := input; invariant p: pc != c;";
    let case = load("literals.gcl", text, &[]);
    for number in [-1, -4_294_967_296, i64::MAX, 7] {
        let fake = inventor(&format!("engines-literals{number}"), number, true);
        let liar = fake.backend(Limits::default());
        for engine in engines(&liar) {
            let answers = case.run(&*engine);
            for target in 0..answers.len() {
                match checked(&case, &answers, target, &liar) {
                    Ok(found) => assert_ne!(found.verdict(), Some(true), "{}, {number}", engine.name()),
                    Err(why) => assert!(!why.is_empty()),
                }
            }
        }
        fake.is_gone();
    }
}

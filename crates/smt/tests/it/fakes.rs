//! Solvers that misbehave: each gives the documented stop or unknown, never an answer, and leaves no process behind.

#![cfg(unix)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use lapidary_base::{Control, Stop};
use lapidary_ir::{Domain, Expr, Model, VarId};
use lapidary_smt::{Backend, Limits, Sat, Terms};

use crate::support::fake::Fake;

fn brief() -> Limits {
    Limits { millis: 300, ..Limits::default() }
}

/// Long enough for a machine that has other things to do.
fn patient() -> Limits {
    Limits::default()
}

struct Asked {
    check: Result<Sat, Stop>,
    again: Result<Sat, Stop>,
    values: Result<Vec<i64>, Stop>,
}

/// Tells a solver something and asks it twice, then for the values.
fn ask(fake: &Fake, limits: Limits, control: &Control) -> Asked {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let (x, formula) = something(&mut terms);
    let mut solver = match fake.open(limits, control) {
        Ok(solver) => solver,
        Err(stop) => {
            return Asked { check: Err(stop.clone()), again: Err(stop.clone()), values: Err(stop) };
        }
    };
    let check = solver.assert(&terms, formula).and_then(|()| solver.check(&terms, &[]));
    let again = solver.check(&terms, &[]);
    let values = solver.values(&terms, &[x]);
    Asked { check, again, values }
}

fn something(terms: &mut Terms<'_>) -> (VarId, Expr) {
    let x = terms.fresh("x", Domain::Int);
    (x, terms.exprs().lt(terms.exprs().int(3), terms.exprs().var(x)))
}

fn reason(answer: &Result<Sat, Stop>) -> &str {
    match answer {
        Err(Stop::NoAnswer(why)) => why,
        other => panic!("not incomplete: {other:?}"),
    }
}

/// The first question is answered with a stop that has these words, and so is everything that follows.
fn breaks(fake: &Fake, limits: Limits, words: &str) {
    let asked = ask(fake, limits, &Control::new());
    assert!(reason(&asked.check).contains(words), "{:?} lacks {words:?}", asked.check);
    assert_eq!(asked.again, asked.check);
    assert_eq!(asked.values.map(|_| Sat::Yes), asked.check);
    fake.is_gone();
}

#[test]
fn a_good_one_is_believed() {
    let fake = Fake::but("good", "'(check-sat)') echo sat ;;");
    let asked = ask(&fake, patient(), &Control::new());
    assert_eq!((asked.check, asked.again, asked.values), (Ok(Sat::Yes), Ok(Sat::Yes), Ok(vec![5])));
    fake.is_gone();
}

#[test]
fn one_that_does_not_know_says_why() {
    let fake = Fake::but("unknown", "'(check-sat)') echo unknown ;;");
    let asked = ask(&fake, patient(), &Control::new());
    assert_eq!(asked.check, Ok(Sat::Unknown("tired".to_owned())));
    assert_eq!(asked.values, Err(Stop::NoAnswer("the solver has no model to show".to_owned())));
    fake.is_gone();
}

#[test]
fn a_missing_program_is_refused() {
    let control = Control::new();
    let refused = Backend::Process(vec!["/no/such/solver".to_owned()], patient()).open(&control);
    assert!(matches!(refused.map(|_| ()), Err(Stop::NoAnswer(why)) if why.contains("/no/such/solver")));
    assert!(Backend::Process(Vec::new(), patient()).open(&control).is_err());
}

#[test]
fn crashes_are_reported_with_the_first_complaint() {
    breaks(&Fake::script("crash", "echo 'no licence' >&2; echo more >&2; exit 3"), patient(), "status: 3): no licence");
    let third = "'(check-sat)') n=$((n+1)); if [ $n = 3 ]; then exit 7; fi; echo unsat ;;";
    let fake = Fake::but("third", third);
    let (model, control) = (Model::default(), Control::new());
    let mut terms = Terms::within(&model);
    let (_, formula) = something(&mut terms);
    let mut solver = fake.open(patient(), &control).expect("it starts");
    solver.assert(&terms, formula).expect("asserted");
    assert_eq!(solver.check(&terms, &[]), Ok(Sat::No));
    assert_eq!(solver.check(&terms, &[]), Ok(Sat::No));
    assert!(reason(&solver.check(&terms, &[])).contains("status: 7"));
    assert!(reason(&solver.check(&terms, &[])).contains("status: 7"));
    assert!(solver.push().is_err() && solver.pop().is_err() && solver.core().is_err());
    drop(solver);
    fake.is_gone();
}

#[test]
fn nonsense_is_no_answer() {
    let cases = [
        ("garbage", "'(check-sat)') echo 'segmentation maybe' ;;", "`maybe` instead of the end"),
        ("twice", "'(check-sat)') echo sat; echo sat ;;", "`sat` instead of the end"),
        ("late", "'(check-sat)') echo sat ;;\n'(echo \"answer-1\")') echo answer-1; echo unsat ;;", "`unsat`"),
        ("early", "'(assert'*) echo sat; echo success ;;\n'(check-sat)') echo sat ;;", "`sat` instead of `success`"),
        ("silent", "'(check-sat)') ;;", "`answer-1`"),
        ("unsupported", "'(check-sat)') echo unsupported ;;", "`unsupported`"),
        ("error", "'(check-sat)') echo '(error \"no more\")' ;;", "(error \"no more\")"),
        ("refused", "'(assert'*) echo '(error \"bad\")' ;;\n'(check-sat)') echo sat ;;", "(error \"bad\")"),
        ("success", "'(check-sat)') echo success ;;", "`success`"),
        ("list", "'(check-sat)') echo '(sat)' ;;", "`(sat)`"),
        ("text", "'(check-sat)') echo '\"sat\"' ;;", "`\"sat\"`"),
        ("close", "'(check-sat)') echo ')' ;;", "parenthesis"),
        ("deep", "'(check-sat)') head -c 5000 /dev/zero | tr '\\0' '(' ;;", "deeply"),
        ("options", "'(set-option :produce-models'*) echo unsupported ;;", "produce-models"),
        ("logic", "'(set-logic'*) echo '(error \"none\")' ;;", "refused the logic"),
        ("greeting", "'(set-'*) echo hello ;;", "`hello`"),
    ];
    for (name, turns, words) in cases {
        let fake = Fake::but(name, turns);
        match name {
            // What comes too late is seen with the next question, and then it is too late to trust anything.
            "late" => {
                let asked = ask(&fake, patient(), &Control::new());
                assert!(reason(&asked.again).contains("nobody had asked") || reason(&asked.again).contains(words));
                fake.is_gone();
            }
            _ => breaks(&fake, patient(), words),
        }
    }
}

#[test]
fn wrong_values_and_cores_are_refused() {
    let values = ["((v1 5))", "((v0 x))", "()", "((v0 5) (v1 6))", "5", "(v0 5)", "((v0 true))", "((v0 1.5))"];
    for (at, value) in values.iter().enumerate() {
        let fake =
            Fake::but(&format!("value{at}"), &format!("'(check-sat)') echo sat ;;\n'(get-v'*) echo '{value}' ;;"));
        let asked = ask(&fake, patient(), &Control::new());
        assert_eq!(asked.check, Ok(Sat::Yes));
        assert!(matches!(&asked.values, Err(Stop::NoAnswer(why)) if why.contains("answered")), "{value}");
        fake.is_gone();
    }
    let fake = Fake::but("core", "'(check'*) echo unsat ;;\n'(get-unsat'*) echo '(p77)' ;;");
    let (model, control) = (Model::default(), Control::new());
    let mut terms = Terms::within(&model);
    let (_, formula) = something(&mut terms);
    let mut solver = fake.open(patient(), &control).expect("it starts");
    assert_eq!(solver.check(&terms, &[formula]), Ok(Sat::No));
    assert!(matches!(solver.core(), Err(Stop::NoAnswer(why)) if why.contains("(p77)")));
    drop(solver);
    fake.is_gone();
}

#[test]
fn floods_end() {
    breaks(&Fake::but("flood", "'(check-sat)') exec yes sat ;;"), patient(), "`sat` instead of the end");
    breaks(&Fake::but("blank", "'(check-sat)') exec yes '' ;;"), patient(), "bytes");
    breaks(&Fake::but("long", "'(check-sat)') exec cat /dev/zero ;;"), patient(), "bytes");
    // Complaints without end are heard and forgotten.
    let fake = Fake::but("moan", "'(check-sat)') yes no | head -n 100000 >&2; echo sat ;;");
    assert_eq!(ask(&fake, patient(), &Control::new()).values, Ok(vec![5]));
    fake.is_gone();
}

#[test]
fn one_that_closes_its_output_is_broken() {
    breaks(&Fake::but("mute", "'(check-sat)') exec sleep 1000 >&- 2>&- ;;"), patient(), "its output ended");
    breaks(&Fake::script("deaf", "exec <&-; exec sleep 1000 >&- 2>&-"), patient(), "its output ended");
}

#[test]
fn slow_success_is_success() {
    let fake = Fake::but("slow", "'(assert'*) sleep 0.05; echo success ;;\n'(check-sat)') sleep 0.05; echo sat ;;");
    assert_eq!(ask(&fake, patient(), &Control::new()).check, Ok(Sat::Yes));
    fake.is_gone();
}

#[test]
fn after_hanging_the_next_process_is_told_everything_again() {
    let hangs =
        "'(check-sat)') if [ -e \"$log.hung\" ]; then echo sat; else : >\"$log.hung\"; : >\"$log\"; sleep 1000; fi ;;";
    let fake = Fake::but("hang", hangs);
    let (model, control) = (Model::default(), Control::new());
    let mut terms = Terms::within(&model);
    let (x, formula) = something(&mut terms);
    let e = terms.exprs();
    let mut solver = fake.open(brief(), &control).expect("it starts");
    solver.assert(&terms, formula).expect("asserted");
    solver.push().expect("pushed");
    solver.assert(&terms, e.lt(e.var(x), e.int(9))).expect("asserted");
    // The machine may be slow, but a process that sleeps is slower.
    assert_eq!(solver.check(&terms, &[]), Ok(Sat::Unknown("no answer within 300 ms".to_owned())));
    assert!(solver.values(&terms, &[x]).is_err());
    let mut answer = solver.check(&terms, &[]);
    for _ in 0..20 {
        match answer {
            Ok(Sat::Unknown(_)) => answer = solver.check(&terms, &[]),
            _ => break,
        }
    }
    assert_eq!(answer, Ok(Sat::Yes));
    let told: Vec<String> = fake.log().lines().map(str::to_owned).collect();
    let begin = told.iter().rposition(|line| line.starts_with("(declare-fun")).expect("told again");
    let expected = ["(declare-fun v0 () Int)", "(assert (< 3 v0))", "(push 1)", "(assert (< v0 9))", "(check-sat)"];
    assert_eq!(told[begin..begin + 5], expected);
    drop(solver);
    fake.is_gone();
}

#[test]
fn deadline_and_cancellation_end_everything() {
    // One hangs before it says anything, with a child of its own; the other hangs at the question.
    let hangs =
        [("start", "sleep 1000 & echo $! >>\"$pids\"; wait".to_owned()), ("read", "exec sleep 1000".to_owned())];
    for (name, body) in hangs {
        let fake = Fake::script(name, &body);
        let control = Control::new().with_timeout(Some(Duration::from_millis(200)));
        assert_eq!(ask(&fake, patient(), &control).check, Err(Stop::Timeout));
        fake.is_gone();
    }
    let fake = Fake::but("cancel", "'(check-sat)') : >\"$log.asked\"; sleep 1000 ;;");
    let flag = Arc::new(AtomicBool::new(false));
    let control = Control::new().with_cancel(Arc::clone(&flag));
    let asked = fake.folder.join("log.asked");
    let answer = thread::scope(|scope| {
        scope.spawn(|| {
            while !asked.exists() {
                thread::sleep(Duration::from_millis(5));
            }
            flag.store(true, Ordering::Relaxed);
        });
        ask(&fake, patient(), &control)
    });
    assert_eq!((answer.check, answer.again), (Err(Stop::Interrupted), Err(Stop::Interrupted)));
    fake.is_gone();
}

#[test]
fn memory_is_limited_and_the_lack_of_it_is_unknown() {
    let limits = Limits { memory: 1 << 30, ..patient() };
    breaks(&Fake::but("limit", "'(check-sat)') echo \"limit-$(ulimit -v)\" ;;"), limits, "`limit-1048576`");
    let dies = ["echo 'std::bad_alloc' >&2; kill -ABRT $$", "echo '(error \"out of memory\")'; exit 101"];
    for (at, dies) in dies.iter().enumerate() {
        let fake = Fake::but(&format!("memory{at}"), &format!("'(check-sat)') {dies} ;;"));
        let asked = ask(&fake, limits, &Control::new());
        let unknown = Ok(Sat::Unknown("it ran out of memory (limit 1024 MiB)".to_owned()));
        assert_eq!((&asked.check, &asked.again), (&unknown, &unknown));
        fake.is_gone();
    }
}

#[test]
fn scoped_declarations_are_repeated() {
    let fake = Fake::but("scoped", "'(set-option :global'*) echo unsupported ;;\n'(check-sat)') echo sat ;;");
    let (model, control) = (Model::default(), Control::new());
    let mut terms = Terms::within(&model);
    let (_, formula) = something(&mut terms);
    let mut solver = fake.open(patient(), &control).expect("it starts");
    for _ in 0..2 {
        solver.push().expect("pushed");
        solver.assert(&terms, formula).expect("asserted");
        assert_eq!(solver.check(&terms, &[]), Ok(Sat::Yes));
        solver.pop().expect("popped");
    }
    assert_eq!(fake.log().matches("(declare-fun v0 () Int)").count(), 2);
    drop(solver);
    fake.is_gone();
}

//! Engines on diagrams end soon after a limit is reached, in whatever operation that is, and say which limit it was.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use lapidary_base::{Control, Pace, Stop, Whose};
use lapidary_engines::cover::{Certification, Config, CoverEngine, Heuristics, Start};
use lapidary_engines::symbolic::{self, BddEngine, Direction};
use lapidary_engines::{Engine, Outcome, Target, Task, goals};
use lapidary_frontends::gcl;
use lapidary_ir::{PropertyKind, Subject};
use lapidary_text::Sources;

/// A weighted sum of many variables: its bits have far more nodes than fit into any memory.
const SUM: &str = "const N = 14; type R = 0..9;
var a : R[N] = 0;
up[i in 0..N-1]: a[i] < 9 -> a[i] := a[i] + 1;
dn[i in 0..N-1]: a[(i+1) mod N] mod 3 = 1 -> a[i] := (a[i] * a[(i+5) mod N] + 3) mod 10;
invariant p: (sum i in 0..N-1: a[i] * (i+1) * (i+3)) != 700;
";

fn engines(threads: u32) -> Vec<Box<dyn Engine>> {
    let cover = |name: &'static str, certification: Certification| {
        let heuristics = Heuristics { certification, ..Heuristics::default() };
        let config = Config {
            heuristics,
            start: Start::default(),
            super_transition: false,
            most_iterations: None,
            shows_abstractions: false,
            threads,
        };
        CoverEngine { name, config }
    };
    let config = |direction| symbolic::Config { direction, threads, most_nodes: None };
    vec![
        Box::new(BddEngine { config: config(Direction::Forward) }),
        Box::new(BddEngine { config: config(Direction::Backward) }),
        Box::new(cover("cegar", Certification::NONE)),
        Box::new(cover("pcegar", Certification::USUAL)),
    ]
}

/// Runs an engine on the sum and returns what it stopped with; it must stop soon after the limit.
fn stop(engine: &dyn Engine, control: &Control, limit: Duration) -> Stop {
    let mut sources = Sources::default();
    let source = sources.add("sum.gcl".to_owned(), SUM.to_owned());
    let (model, diagnostics) = gcl::load(&sources, source, &gcl::Options::default());
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let property = model.properties.iter().find_map(|property| match property.kind {
        PropertyKind::Invariant(formula) => Some(formula),
        _ => None,
    });
    let targets = [Target::States(model.exprs.not(property.expect("there is an invariant")))];
    let subject = Subject::Model(model.clone());
    let task = Task { subject: &subject, goals: &goals(&targets), sources: &sources };
    let start = Instant::now();
    let answers = engine.run(&task, control);
    assert!(start.elapsed() < limit + Duration::from_secs(3), "{} took {:?}", engine.name(), start.elapsed());
    match &answers[0].outcome {
        Outcome::Unknown(stop) => stop.clone(),
        other => panic!("{}: {other:?}", engine.name()),
    }
}

#[test]
fn a_deadline_is_kept_within_an_operation() {
    let limit = Duration::from_millis(200);
    for threads in [1, 2] {
        for engine in engines(threads) {
            let control = Control::new().with_timeout(Some(limit));
            assert_eq!(stop(&*engine, &control, limit), Stop::Timeout, "{}", engine.name());
        }
    }
}

#[test]
fn an_interrupt_is_heard_within_an_operation() {
    let flag = Arc::new(AtomicBool::new(false));
    let control = Control::new().with_cancel(Arc::clone(&flag));
    let interrupter = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        flag.store(true, Ordering::Relaxed);
    });
    let engine = &engines(1)[0];
    assert_eq!(stop(&**engine, &control, Duration::from_millis(200)), Stop::Interrupted);
    interrupter.join().expect("it only waits");
}

#[test]
fn full_tables_are_a_memory_limit_where_one_was_set() {
    // Too little for the process as it is: the smallest tables are all that there may be, if they are made at all.
    let control = Control::new().with_memory(Some(1 << 20)).with_timeout(Some(Duration::from_secs(20)));
    let found = stop(&*engines(1)[0], &control, Duration::from_secs(20));
    assert_eq!(found, Stop::Memory(Whose::Limit));
}

/// Interrupts a run after so many looks at the limits.
struct Fuse {
    left: AtomicU64,
    flag: Arc<AtomicBool>,
}

impl Pace for Fuse {
    fn spend(&self, work: u64) -> Option<u64> {
        let left = self.left.load(Ordering::Relaxed).saturating_sub(work);
        self.left.store(left, Ordering::Relaxed);
        if left == 0 {
            self.flag.store(true, Ordering::Relaxed);
        }
        None
    }

    fn pass(&self) {}
}

const COUNTERS: &str = "const N = 6;
var a : 0..9[N] = 0;
up[i in 0..N-1]: a[i] < 9 -> a[i] := a[i] + 1;
invariant near: a[0] < 1;
invariant far: a[0] + a[1] + a[2] + a[3] + a[4] + a[5] < 50;
invariant never: a[0] <= a[1] + 9;
";

/// A limit that comes later does not take away what was found before.
#[test]
fn runs_that_were_found_outlive_a_limit() {
    let mut sources = Sources::default();
    let source = sources.add("counters.gcl".to_owned(), COUNTERS.to_owned());
    let (model, diagnostics) = gcl::load(&sources, source, &gcl::Options::default());
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let target = |formula| Target::States(model.exprs.not(formula));
    let targets = model.properties.iter().filter_map(|property| match property.kind {
        PropertyKind::Invariant(formula) => Some(target(formula)),
        _ => None,
    });
    let targets: Vec<Target> = targets.collect();
    let subject = Subject::Model(model.clone());
    let task = Task { subject: &subject, goals: &goals(&targets), sources: &sources };
    for direction in [Direction::Forward, Direction::Backward] {
        let engine = BddEngine { config: symbolic::Config { direction, threads: 1, most_nodes: None } };
        let kept = (1..400).any(|looks| {
            let flag = Arc::new(AtomicBool::new(false));
            let fuse = Arc::new(Fuse { left: AtomicU64::new(looks), flag: Arc::clone(&flag) });
            let answers = engine.run(&task, &Control::new().with_cancel(flag).with_pace(fuse));
            let is_stopped = |outcome: &Outcome| matches!(outcome, Outcome::Unknown(Stop::Interrupted));
            matches!(answers[0].outcome, Outcome::Found(_)) && answers.iter().any(|one| is_stopped(&one.outcome))
        });
        assert!(kept, "{direction:?}");
    }
}

//! Engines on diagrams end soon after a limit is reached, in whatever operation that is, and say which limit it was.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use lapidary_base::{Control, Stop, Whose};
use lapidary_engines::cover::{Certification, Config, CoverEngine, Heuristics, Start};
use lapidary_engines::symbolic::{self, BddEngine, Direction};
use lapidary_engines::{Engine, Outcome, Task};
use lapidary_frontends::gcl;
use lapidary_ir::{PropertyKind, Target};
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
    let names = ["p".to_owned()];
    let task =
        Task { model: &model, tree: None, net: None, targets: &targets, target_names: &names, sources: &sources };
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

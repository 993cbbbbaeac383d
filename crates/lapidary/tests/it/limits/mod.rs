//! Limits and interrupts end a run, with what is known.

mod engines;
mod guarded;
mod named;

use std::thread;
use std::time::Duration;

use crate::support::{example, finish, interrupt, root, run, start};

/// Six million states: enough to be stopped at any moment.
fn large(extra: &[&str]) -> Vec<String> {
    let mut args = vec!["check".to_owned(), example("lift.gcl")];
    args.extend(["-D", "FLOORS=8", "-p", "doors", "--engine", "explicit", "--progress", "none"].map(str::to_owned));
    args.extend(extra.iter().map(|&word| word.to_owned()));
    args
}

fn words(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

#[test]
fn a_timeout_ends_the_run() {
    let found = run(&words(&large(&["--timeout", "500ms"])));
    assert_eq!(found.code, Some(30), "{found:?}");
    assert!(found.stdout.contains("verdict: doors = unknown  reason=timeout"), "{found:?}");
    assert!(found.stdout.contains("no violation within"), "{found:?}");
}

#[test]
fn every_property_has_its_own_time() {
    let found = run(&words(&large(&["-p", "top_served", "--timeout-each", "2s"])));
    assert_eq!(found.code, Some(30), "{found:?}");
    assert!(found.stdout.contains("verdict: doors = unknown  reason=timeout"), "{found:?}");
    assert!(found.stdout.contains("verdict: top_served = holds  witness"), "{found:?}");
}

#[test]
fn a_memory_limit_is_kept_on_a_large_model() {
    let found = run(&words(&large(&["--memory", "60M"])));
    assert_eq!(found.code, Some(30), "{found:?}");
    assert!(found.stdout.contains("verdict: doors = unknown  reason=memory"), "{found:?}");
    assert!(found.stdout.contains("no violation within"), "{found:?}");
    let summary = found.stdout.lines().find(|line| line.starts_with("summary:")).expect("a summary");
    let peak: f64 = summary
        .rsplit(", ")
        .next()
        .and_then(|memory| memory.strip_suffix(" MB"))
        .expect("MB")
        .parse()
        .expect("a number");
    assert!(peak < 80.0, "the limit was 60 MB: {summary}");
}

#[test]
fn a_tiny_memory_limit_is_an_answer_too() {
    let found = run(&words(&large(&["--memory", "1M"])));
    assert_eq!(found.code, Some(30), "{found:?}");
}

#[test]
fn an_interrupt_ends_the_run_and_says_what_is_known() {
    let args = large(&[]);
    let child = start(&words(&args));
    thread::sleep(Duration::from_millis(700));
    interrupt(&child);
    let found = finish(child, Duration::from_secs(10));
    assert_eq!(found.code, Some(130), "{found:?}");
    assert!(found.stdout.contains("verdict: doors = unknown  reason=interrupted"), "{found:?}");
    assert!(found.stdout.contains("no violation within"), "{found:?}");
}

#[test]
fn an_interrupt_ends_a_batch_of_statements() {
    let model = root().join("crates/lapidary/tests/cmd/mec/limits.in/counters.alt");
    let endless = "with Pair do test(initial, 2); done with Pairs do show(any_s); done with Pair do show(all); done";
    let model = model.to_str().expect("plain paths");
    let child = start(&["mec", "--engine", "explicit", model, "-c", endless, "-c", ":ar-list"]);
    thread::sleep(Duration::from_millis(700));
    interrupt(&child);
    let found = finish(child, Duration::from_secs(10));
    assert_eq!(found.code, Some(130), "{found:?}");
    assert_eq!(found.stdout, "TEST(initial=2) [FAILED] initial = 1\n");
    assert!(found.stderr.contains("interrupted"), "{found:?}");
}

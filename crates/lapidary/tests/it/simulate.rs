//! Walks end when they should: the reader goes away, the input is odd, the user interrupts.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::{Finished, binary, example, finish, interrupt, start};

const DEADLINE: Duration = Duration::from_secs(60);

/// A walk by hand whose lines the test writes.
fn by_hand() -> Child {
    let mut command = Command::new(binary());
    command.args(["simulate", &example("peterson.gcl"), "-i"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

fn typed(lines: &[u8]) -> Finished {
    let mut child = by_hand();
    child.stdin.take().expect("piped").write_all(lines).expect("the program reads");
    finish(child, DEADLINE)
}

/// Twenty million random steps, enough to be interrupted at any moment.
fn long_walk() -> Child {
    start(&["simulate", &example("peterson.gcl"), "--steps", "20000000"])
}

#[test]
fn a_walk_by_hand_ends_when_nobody_reads_it() {
    let mut child = by_hand();
    let mut keys = child.stdin.take().expect("piped");
    let mut answers = BufReader::new(child.stdout.take().expect("piped"));
    answers.read_line(&mut String::new()).expect("there is a first line");
    drop(answers);
    // Typing goes on until the program has left: a program that stays would take this for ever.
    while keys.write_all(b"r\n").is_ok() {}
    assert_eq!(child.wait().expect("it ended").code(), Some(0));
}

#[test]
fn a_line_that_is_not_utf8_is_not_understood_and_the_walk_goes_on() {
    let found = typed(b"1\n\xff\ns\nq\n");
    assert_eq!((found.code, found.stderr.as_str()), (Some(0), ""), "{found:?}");
    assert!(found.stdout.contains("> \u{fffd}\n  not understood; h for help\n"), "{found:?}");
    assert!(found.stdout.contains("(1 step)"), "{found:?}");
}

#[test]
fn an_unreadable_input_is_an_input_error() {
    let folder = std::fs::File::open(env!("CARGO_MANIFEST_DIR")).expect("it is there");
    let mut command = Command::new(binary());
    command.args(["simulate", &example("peterson.gcl"), "-i"]).stdin(folder);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let found = finish(child, DEADLINE);
    assert_eq!(found.code, Some(3), "{found:?}");
    assert!(found.stderr.starts_with("error: cannot read the input: "), "{found:?}");
}

#[test]
fn the_help_is_aligned() {
    let found = typed(b"h\n");
    assert!(found.stdout.contains("\n  N        take step N"), "{found:?}");
    assert!(found.stdout.contains("\n  r N      take N random steps"), "{found:?}");
}

#[test]
fn an_interrupt_at_the_prompt_ends_the_walk() {
    let mut child = by_hand();
    // The input stays open, as that of a user who does not type.
    let keys = child.stdin.take().expect("piped");
    thread::sleep(Duration::from_millis(700));
    interrupt(&child);
    let found = finish(child, DEADLINE);
    drop(keys);
    assert_eq!(found.code, Some(130), "{found:?}");
    assert!(found.seconds < 1.0, "{found:?}");
    assert!(found.stdout.ends_with("> \n"), "{found:?}");
}

#[test]
fn an_interrupt_during_many_random_steps_shows_them_and_ends_the_walk() {
    let mut child = by_hand();
    let mut keys = child.stdin.take().expect("piped");
    keys.write_all(b"r 20000000\n").expect("the program reads");
    thread::sleep(Duration::from_millis(500));
    interrupt(&child);
    let found = finish(child, DEADLINE);
    assert_eq!(found.code, Some(130), "{:?}", found.stderr);
    assert!(found.stdout.contains("\n   2  "), "the steps are shown");
}

#[test]
fn two_interrupts_in_a_row_do_not_lose_the_walk() {
    let child = long_walk();
    thread::sleep(Duration::from_millis(500));
    interrupt(&child);
    interrupt(&child);
    let found = finish(child, DEADLINE);
    assert_eq!(found.code, Some(130), "{:?}", found.stderr);
    assert!(found.stderr.contains("error: interrupted"), "{:?}", found.stderr);
    let (first, walk) = found.stdout.split_once('\n').expect("a title");
    let n_steps = first.split_whitespace().nth(1).expect("a number of steps");
    let last = walk.lines().rev().find_map(|line| line.split_whitespace().next());
    assert_eq!(last, Some(n_steps), "{first}");
}

#[test]
fn a_late_second_interrupt_ends_the_program_at_once() {
    let mut child = long_walk();
    thread::sleep(Duration::from_millis(500));
    interrupt(&child);
    // Nobody reads yet, so that the program is still busy writing.
    thread::sleep(Duration::from_millis(1300));
    interrupt(&child);
    assert_eq!(child.wait().expect("it ended").code(), Some(130));
    let mut said = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
    assert_eq!(said, "");
}

//! Runs that must end soon after a limit: killed ten seconds later, and under a limit of the shell, so that one that does
//! not end takes neither the machine nor the day.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::{Finished, binary, finish, interrupt};

/// What ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `--timeout 2s`
    Time,
    /// `--timeout 1s`, for many files.
    Soon,
    /// `--memory 300M`, and the same time: not all that takes long takes much memory.
    Memory,
    /// `--memory 30M`, and the same time: what most engines need sooner.
    Little,
    /// Ctrl-C after 700 ms.
    Interrupt,
}

pub const ALL: [Limit; 3] = [Limit::Time, Limit::Memory, Limit::Interrupt];

const TIME: Duration = Duration::from_secs(2);
const SOON: Duration = Duration::from_secs(1);
const UNTIL_INTERRUPT: Duration = Duration::from_millis(700);
/// A second is promised; a busy machine may take longer to tell.
const SLACK: f64 = 3.0;
/// Then it is killed.
const HANGS: Duration = Duration::from_secs(10);
/// Of address space, which is more than memory: stacks and tables are mapped before they are used.
const MOST_KILOBYTES: u64 = 12_000_000;
/// Of memory under `--memory 300M`: what is freed after the limit was seen may have been used, and an engine that begins on a net of a
/// hundred thousand places takes some hundred megabytes in one piece.
const MOST_MEGABYTES: f64 = 440.0;

/// Runs a command under a limit, and says how it ended if that was in time.
pub fn run(args: &[&str], limit: Limit) -> Finished {
    let mut all: Vec<&str> = args.to_vec();
    match limit {
        Limit::Time => all.extend(["--timeout", "2s"]),
        Limit::Soon => all.extend(["--timeout", "1s"]),
        Limit::Memory => all.extend(["--memory", "300M", "--timeout", "2s"]),
        Limit::Little => all.extend(["--memory", "30M", "--timeout", "2s"]),
        Limit::Interrupt => {}
    }
    let child = start(&all);
    let allowed = match limit {
        Limit::Time | Limit::Memory | Limit::Little => TIME,
        Limit::Soon => SOON,
        Limit::Interrupt => {
            thread::sleep(UNTIL_INTERRUPT);
            interrupt(&child);
            Duration::ZERO
        }
    };
    let found = finish(child, allowed + HANGS);
    assert!(found.seconds < allowed.as_secs_f64() + SLACK, "{} s: {all:?}\n{}", found.seconds, found.stderr);
    assert!(!found.stderr.contains("internal error") && found.code != Some(70), "{all:?}\n{}", found.stderr);
    found
}

fn start(args: &[&str]) -> Child {
    let guarded = format!("ulimit -v {MOST_KILOBYTES}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(guarded).arg(binary()).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("there is a shell")
}

/// Arguments of a check, and what ends it.
pub type Case<'a> = (Vec<&'a str>, Limit);

/// How many runs go on at once: most of their time is that until a limit, which passes for several as fast as for one, and
/// on a busy machine the limits hold, too.
pub const AT_ONCE: usize = 6;

/// Checks every case, some of them beside each other, and says how many ended for want of memory.
pub fn check_all(cases: &[Case<'_>], n_at_once: usize) -> usize {
    let (next, n_memory) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..n_at_once {
            scope.spawn(|| {
                while let Some((args, limit)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = check(args, *limit);
                    let ended = usize::from(found.stdout.contains("reason=memory"));
                    n_memory.fetch_add(ended, Ordering::Relaxed);
                }
            });
        }
    });
    n_memory.into_inner()
}

/// A check that the limit ended: the right code, a true reason and what is known. One that ended by itself has its verdict.
fn check(args: &[&str], limit: Limit) -> Finished {
    let found = run(&[&["check", "--progress", "none"], args].concat(), limit);
    let context = format!("{args:?} under {limit:?}\n{}\n{}", found.stdout, found.stderr);
    let verdicts: Vec<&str> = found.stdout.lines().filter(|line| line.starts_with("verdict: ")).collect();
    assert!(!verdicts.is_empty() || found.stdout.is_empty(), "{context}");
    let reasons: Vec<&str> = verdicts.iter().filter_map(|line| line.split("reason=").nth(1)).collect();
    let may = match limit {
        Limit::Time | Limit::Soon => &["timeout", "refused", "unsupported"][..],
        Limit::Memory | Limit::Little => &["timeout", "memory", "refused", "unsupported"],
        Limit::Interrupt => &["interrupted", "refused", "unsupported"],
    };
    // A solver may give up by itself, long before the limit.
    let gave_up = |word: &str| word == "incomplete" && found.seconds < TIME.as_secs_f64();
    let is_true = |reason: &&str| {
        let word = reason.split_whitespace().next().unwrap_or_default();
        may.contains(&word) || gave_up(word)
    };
    assert!(reasons.iter().all(is_true), "{context}");
    match (limit, found.code) {
        (Limit::Interrupt, Some(130)) => {}
        // Reading ends before there are any verdicts.
        (Limit::Time | Limit::Soon | Limit::Memory | Limit::Little, Some(30)) if verdicts.is_empty() => {
            assert!(found.stderr.contains("limit was reached"), "{context}");
        }
        (_, Some(4 | 30)) => assert!(!reasons.is_empty(), "{context}"),
        (_, Some(10)) => {}
        (_, code) => assert!(code == Some(0) && reasons.is_empty(), "{context}"),
    }
    if matches!(limit, Limit::Memory | Limit::Little) {
        assert!(peak(&found).is_none_or(|megabytes| megabytes < MOST_MEGABYTES), "{context}");
    }
    found
}

/// What the summary says of the memory, in megabytes.
fn peak(found: &Finished) -> Option<f64> {
    let summary = found.stdout.lines().find(|line| line.starts_with("summary:"))?;
    let memory = summary.rsplit(", ").next()?;
    match memory.split_once(' ')? {
        (number, "GB") => Some(number.parse::<f64>().ok()? * 1000.0),
        (number, _) => number.parse().ok(),
    }
}

/// A folder for the models of one test, removed at its end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lapidary-limits-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    /// Writes a file, and returns its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file can be written");
        path.to_str().expect("plain paths").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

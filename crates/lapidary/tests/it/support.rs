//! Runs the built program as users do, and waits for it no longer than it may take.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The program under test: the release build where `LAPIDARY_BIN` names it, else the build of this test run.
pub fn binary() -> PathBuf {
    match std::env::var_os("LAPIDARY_BIN") {
        Some(path) => path.into(),
        None => env!("CARGO_BIN_EXE_lapidary").into(),
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn example(name: &str) -> String {
    root().join("examples").join(name).to_str().expect("plain paths").to_owned()
}

/// How a run ended. `code` is `None` after a signal.
#[derive(Debug)]
pub struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub seconds: f64,
}

pub fn start(args: &[&str]) -> Child {
    let mut command = Command::new(binary());
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// Sends what Ctrl-C sends. The shell has `kill` built in; a small system need not have it as a program.
pub fn interrupt(child: &Child) {
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(sent.expect("there is a shell").success());
}

/// Waits for the end; a run that outlives the deadline is a hang and fails the test.
pub fn finish(mut child: Child, deadline: Duration) -> Finished {
    let begun = Instant::now();
    let stdout = collect(child.stdout.take().expect("piped"));
    let stderr = collect(child.stderr.take().expect("piped"));
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break status;
        }
        if begun.elapsed() > deadline {
            child.kill().expect("a running child can be ended");
            panic!("still running after {deadline:?}");
        }
        thread::sleep(Duration::from_millis(1));
    };
    let text = |handle: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&handle.join().expect("a reader ends with its pipe")).into_owned()
    };
    let seconds = begun.elapsed().as_secs_f64();
    Finished { code: status.code(), stdout: text(stdout), stderr: text(stderr), seconds }
}

fn collect(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

pub fn run(args: &[&str]) -> Finished {
    finish(start(args), Duration::from_secs(300))
}

pub fn run_in(folder: &Path, args: &[&str]) -> Finished {
    let mut command = Command::new(binary());
    command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command.spawn().expect("the program starts"), Duration::from_secs(300))
}

/// Replaces numbers before `s` and `MB`, and aligning blanks before them: the parts that may differ.
pub fn without_measurements(text: &str) -> String {
    let strip = |line: &str| {
        let words = line.split(' ').filter(|word| !word.is_empty());
        let words: Vec<&str> = words.collect();
        let is_unit = |word: &str| matches!(word.trim_end_matches(','), "s" | "ms" | "MB" | "GB");
        let keep = (0..words.len()).filter(|&i| {
            let measured = words.get(i + 1).is_some_and(|next| is_unit(next));
            !(is_unit(words[i]) || measured && words[i].parse::<f64>().is_ok())
        });
        keep.map(|i| words[i]).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(strip).collect::<Vec<_>>().join("\n")
}

//! Runs a child process and measures it from outside: wall-clock time and peak resident memory.
//!
//! The peak is the kernel's high-water mark, read while the child lives: the mark never sinks, so
//! only what the child grew in its last moments can be missed.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Run {
    pub status: ExitStatus,
    pub output: String,
    pub errors: String,
    pub seconds: f64,
    /// Absent when the child was gone before it could be looked at.
    pub peak_bytes: Option<u64>,
}

/// Runs `command` to its end. Its output goes through a file in `scratch`, so that a pipe that
/// fills up never holds it back.
pub fn run(command: &mut Command, scratch: &Path) -> io::Result<Run> {
    let output_path = scratch.join("output.txt");
    let errors_path = scratch.join("errors.txt");
    command.stdin(Stdio::null()).stdout(File::create(&output_path)?).stderr(File::create(&errors_path)?);
    let started = Instant::now();
    let mut child = command.spawn()?;
    let process = child.id();
    let ended = AtomicBool::new(false);
    let (status, seconds, peak_bytes) = thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(process, &ended));
        let status = child.wait();
        let seconds = started.elapsed().as_secs_f64();
        ended.store(true, Ordering::Release);
        let peak = watcher.join().expect("the watcher only reads files");
        (status, seconds, peak)
    });
    Ok(Run {
        status: status?,
        output: fs::read_to_string(&output_path)?,
        errors: fs::read_to_string(&errors_path)?,
        seconds,
        peak_bytes,
    })
}

/// Runs `command` and insists that it succeeds.
pub fn run_well(command: &mut Command, scratch: &Path) -> Result<Run, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let run = run(command, scratch).map_err(|error| format!("cannot run {name}: {error}"))?;
    if run.status.success() {
        Ok(run)
    } else {
        let mut lines = run.errors.lines().chain(run.output.lines());
        let first = lines.next().unwrap_or("no output");
        Err(format!("{name} ended with {}: {first}", run.status))
    }
}

fn watch(process: u32, ended: &AtomicBool) -> Option<u64> {
    let path = format!("/proc/{process}/status");
    let started = Instant::now();
    let mut peak = None;
    while !ended.load(Ordering::Acquire) {
        peak = peak.max(high_water(&path));
        // Short children need a close look; long ones must not be disturbed by it.
        let pause = (started.elapsed() / 50).clamp(Duration::from_micros(300), PAUSE_AT_MOST);
        thread::sleep(pause);
    }
    peak
}

const PAUSE_AT_MOST: Duration = Duration::from_millis(10);

fn high_water(path: &str) -> Option<u64> {
    let status = fs::read_to_string(path).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_timed_and_its_memory_seen() {
        let scratch = std::env::temp_dir().join(format!("bench-child-{}", std::process::id()));
        fs::create_dir_all(&scratch).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 0.05; echo done; echo aside >&2"]);
        let run = run_well(&mut command, &scratch).unwrap();
        fs::remove_dir_all(&scratch).unwrap();
        assert_eq!((run.output.as_str(), run.errors.as_str()), ("done\n", "aside\n"));
        assert!(run.seconds >= 0.05);
        assert!(run.peak_bytes.is_none_or(|bytes| bytes > 10_000));
    }
}

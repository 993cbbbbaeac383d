//! MIST and bfc, where they are on the path.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::LIMIT_S;
use super::tasks::Task;
use crate::child;

/// Another checker, and the ways in which it may be asked.
pub struct Peer {
    pub name: &'static str,
    program: PathBuf,
    suffix: &'static str,
    ways: &'static [&'static str],
}

/// The best run of a peer on one file.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerRun {
    /// `safe` or `unsafe`; none where no way led to an answer in time.
    pub answer: Option<&'static str>,
    pub total_s: f64,
}

impl PeerRun {
    pub fn words(&self) -> String {
        match self.answer {
            Some(answer) => format!("{answer}, {:.2} s", self.total_s),
            None => "limit".to_owned(),
        }
    }
}

pub fn on_the_path() -> Vec<Peer> {
    let known: [(&str, &str, &[&str]); 2] =
        [("mist", "spec", &["--backward", "--ic4pn", "--tsi", "--eec"]), ("bfc", "tts", &["bfc"])];
    let found =
        known.into_iter().filter_map(|(name, suffix, ways)| Some(Peer { name, program: program(name)?, suffix, ways }));
    found.collect()
}

fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

impl Peer {
    /// The fastest of its ways; `None` where it does not read such files.
    pub fn best(&self, task: &Task, scratch: &Path) -> Option<PeerRun> {
        task.path.extension().filter(|suffix| *suffix == self.suffix)?;
        let runs = self.ways.iter().map(|way| self.run(way, task, scratch));
        runs.min_by(|a, b| {
            (a.answer.is_none(), a.total_s).partial_cmp(&(b.answer.is_none(), b.total_s)).expect("times")
        })
    }

    fn run(&self, way: &str, task: &Task, scratch: &Path) -> PeerRun {
        let mut command = Command::new("timeout");
        command.arg(LIMIT_S.to_string()).arg(&self.program);
        match self.suffix {
            "spec" => {
                command.arg(way).arg(&task.path);
            }
            _ => {
                command.arg(&task.path).arg("--target").arg(task.path.with_extension("prop"));
                if let Some(initial) = &task.initial {
                    command.args(["--init", initial]);
                }
            }
        }
        match child::run(&mut command, scratch) {
            Ok(run) => PeerRun { answer: answer(&format!("{}{}", run.output, run.errors)), total_s: run.seconds },
            Err(_) => PeerRun { answer: None, total_s: f64::from(LIMIT_S) },
        }
    }
}

/// What both print in so many words.
fn answer(output: &str) -> Option<&'static str> {
    let lower = output.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["verification failed", "concludes unsafe"]) {
        Some("unsafe")
    } else if has(&["verification successful", "concludes safe"]) {
        Some("safe")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart() {
        assert_eq!(answer("VERIFICATION FAILED"), Some("unsafe"));
        assert_eq!(answer("backward algorithm concludes safe"), Some("safe"));
        assert_eq!(answer("segmentation fault"), None);
    }
}

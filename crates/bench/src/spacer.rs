//! Z3's Spacer on the same system as Horn clauses, where there are some: they are satisfiable where the system is safe.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child;

/// The clauses; they do not belong to this repository.
const PEERS: &str = "../shared/corpus/peers";

/// It may compute for so many seconds.
pub const LIMIT_S: u32 = 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Safe,
    Unsafe,
    Unknown,
    /// No answer within the limit.
    Limit,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SpacerRun {
    pub answer: Answer,
    pub total_s: f64,
    pub peak_bytes: Option<u64>,
}

/// The program, if it is on the path. Scripts that start it are passed over: their time is not its own.
pub fn binary() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("z3")).find(|file| is_native(file))
}

fn is_native(file: &Path) -> bool {
    let mut begin = [0; 2];
    File::open(file).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin != *b"#!"
}

/// The clauses of a row, if they are there.
pub fn clauses(name: &str) -> Option<PathBuf> {
    Some(PathBuf::from(format!("{PEERS}/{name}.smt2"))).filter(|file| file.is_file())
}

/// Z3 takes Spacer for Horn clauses by itself.
pub fn run(z3: &Path, clauses: &Path, scratch: &Path) -> Result<SpacerRun, String> {
    let limit = format!("-T:{LIMIT_S}");
    let run = child::run(Command::new(z3).arg(limit).arg(clauses), scratch);
    let run = run.map_err(|error| format!("cannot run z3: {error}"))?;
    Ok(SpacerRun { answer: read(&run.output)?, total_s: run.seconds, peak_bytes: run.peak_bytes })
}

fn read(output: &str) -> Result<Answer, String> {
    match output.lines().next().map(str::trim) {
        Some("sat") => Ok(Answer::Safe),
        Some("unsat") => Ok(Answer::Unsafe),
        Some("unknown") => Ok(Answer::Unknown),
        Some("timeout") => Ok(Answer::Limit),
        Some(other) => Err(format!("z3 says {other}")),
        None => Err("z3 says nothing".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_of_the_clauses_is_safety() {
        let answers = ["sat\n", "unsat\n", "unknown\n", "timeout\n"].map(read);
        assert_eq!(answers, [Answer::Safe, Answer::Unsafe, Answer::Unknown, Answer::Limit].map(Ok));
        assert!(read("").is_err() && read("(error \"line 1\")\n").is_err());
    }

    #[test]
    fn scripts_are_not_measured() {
        let folder = std::env::temp_dir().join(format!("bench-spacer-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("script"), "#!/bin/sh\nexec z3 \"$@\"\n").unwrap();
        assert!(!is_native(&folder.join("script")) && !is_native(&folder.join("absent")));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(is_native(&std::env::current_exe().unwrap()));
    }
}

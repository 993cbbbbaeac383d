//! Solvers that are shell scripts, for tests of what happens when one misbehaves.
#![allow(dead_code, reason = "every test file uses a part of this")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use lapidary_base::{Control, Stop};
use lapidary_smt::{Backend, FullSolver, Limits};

/// What a well-behaved solver does with everything but questions. `log` is where it writes what it is told.
const USUAL: &str = r#"
    '(set-'*|'(declare-'*|'(assert'*|'(push'*|'(pop'*) echo success ;;
    '(echo "'*) text=${line#*\"}; echo "${text%\"*}" ;;
    '(get-value'*) echo '((v0 5))' ;;
    '(get-unsat-assumptions)') echo '()' ;;
    '(get-info'*) echo '(:reason-unknown "tired")' ;;
"#;

pub struct Fake {
    pub folder: PathBuf,
    command: Vec<String>,
}

impl Fake {
    /// A solver that is a shell script.
    pub fn script(name: &str, body: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("lapidary-fakes-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("fake");
        let pids = folder.join("pids");
        let log = folder.join("log");
        let head = format!("#!/bin/sh\npids='{}'; log='{}'\necho $$ >>\"$pids\"\n", pids.display(), log.display());
        fs::write(&path, format!("{head}{body}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
        // Through the shell: a file that was just written may still be open in a process that another test starts.
        Self { command: vec!["sh".to_owned(), path.display().to_string()], folder }
    }

    /// One that behaves well but for `cases`, which are tried first.
    pub fn but(name: &str, cases: &str) -> Self {
        let turn = format!("case $line in\n{cases}\n{USUAL}\nesac");
        Self::script(name, &format!("while read -r line; do echo \"$line\" >>\"$log\"\n{turn}\ndone"))
    }

    pub fn open<'c>(&self, limits: Limits, control: &'c Control) -> Result<Box<dyn FullSolver + 'c>, Stop> {
        self.backend(limits).open(control)
    }

    pub fn backend(&self, limits: Limits) -> Backend {
        Backend::Process(self.command.clone(), limits)
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// All processes that said that they began are gone, at the latest soon.
    pub fn is_gone(&self) {
        let pids = fs::read_to_string(self.folder.join("pids")).unwrap_or_default();
        for pid in pids.lines() {
            for _ in 0..500 {
                match lives(pid) {
                    true => thread::sleep(Duration::from_millis(10)),
                    false => break,
                }
            }
            assert!(!lives(pid), "process {pid} was left behind");
        }
        fs::remove_dir_all(&self.folder).expect("removed");
    }
}

/// A process that nobody waits for any more is not counted: what its parent was is gone.
fn lives(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest.chars().next());
    state.flatten().is_some_and(|state| state != 'Z' && state != 'X')
}

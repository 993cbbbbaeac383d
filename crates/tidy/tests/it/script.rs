//! The script `x`, on systems that lack what it needs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lapidary_tidy::root;

/// A folder of programs that is all that the script finds.
struct Machine {
    programs: PathBuf,
}

impl Machine {
    /// A shell, cargo and a compiler are there; whoever asks for Z3's header is refused. The user is not root.
    fn without_z3(name: &str) -> Self {
        let programs = std::env::temp_dir().join(format!("lapidary-script-{name}-{}", std::process::id()));
        fs::create_dir_all(&programs).expect("the temporary directory can be written");
        let machine = Self { programs };
        for tool in ["sh", "dirname", "cat", "printf", "mkdir", "find", "grep"] {
            let found = ["/bin", "/usr/bin"].map(|folder| Path::new(folder).join(tool));
            let found = found.iter().find(|path| path.exists()).expect("a small system has it");
            symlink(found, machine.programs.join(tool)).expect("a link can be made");
        }
        machine.program("cargo", "echo \"cargo $*\"");
        machine.program("ld", "exit 0");
        machine.program("cc", "! grep -q z3.h");
        machine.program("id", "echo 1000");
        machine
    }

    fn program(&self, name: &str, body: &str) {
        let path = self.programs.join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("the folder is ours");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    }

    fn x(&self, words: &[&str]) -> Output {
        let mut command = Command::new(self.programs.join("sh"));
        command.arg(root().join("x")).args(words).env_clear().env("PATH", &self.programs);
        command.env("CARGO_TARGET_DIR", self.programs.join("target")).output().expect("the shell starts")
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.programs);
    }
}

fn complaint(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "nothing is built: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn without_root_the_script_says_what_to_install_and_how_to_go_without() {
    let machine = Machine::without_z3("debian");
    machine.program("apt-get", "exit 1");
    let said = complaint(&machine.x(&["check", "m.gcl"]));
    for words in ["apt-get install libz3-dev", "cargo build --release -p lapidary --no-default-features", "--solver"] {
        assert!(said.contains(words), "{words} is not in\n{said}");
    }
}

#[test]
fn on_other_systems_the_script_names_the_package() {
    let machine = Machine::without_z3("other");
    let said = complaint(&machine.x(&["check", "m.gcl"]));
    for words in ["missing: libz3-dev", "your package manager", "--no-default-features"] {
        assert!(said.contains(words), "{words} is not in\n{said}");
    }
}

#[test]
fn what_the_script_tells_to_build_without_is_a_feature_of_the_program() {
    let manifest = fs::read_to_string(root().join("crates/lapidary/Cargo.toml")).expect("readable");
    assert!(manifest.contains("default = [\"z3\"]"), "the solver is all that the default features add");
}

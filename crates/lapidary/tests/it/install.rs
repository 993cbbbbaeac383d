//! The program can be installed without the rest of the project.

use std::process::Command;

use crate::support::root;

#[test]
#[ignore = "builds the program, as `cargo install` does"]
fn cargo_installs_a_program_that_works_by_itself() {
    let place = std::env::temp_dir().join(format!("lapidary-install-{}", std::process::id()));
    std::fs::create_dir_all(&place).expect("the temporary directory can be written");
    let installed = Command::new(env!("CARGO"))
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .args(["install", "--locked", "-q", "--path", "crates/lapidary", "--root"])
        .arg(&place)
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    let program = place.join("bin/lapidary");
    let said = |args: &[&str]| {
        let output = Command::new(&program).args(args).current_dir(&place).output().expect("it starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(said(&["--version"]).1, format!("lapidary {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(said(&["examples", "copy", "peterson"]).0, Some(0));
    let (code, text) = said(&["check", "peterson.gcl", "-p", "mutex"]);
    assert_eq!(code, Some(0), "{text}");
    std::fs::remove_dir_all(place).expect("it is still there");
}

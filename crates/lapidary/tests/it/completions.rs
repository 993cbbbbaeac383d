//! The scripts of `lapidary completions` are read by their shells, and complete our words.

use std::path::PathBuf;
use std::process::Command;

use crate::support::run;

/// The script for a shell, in a file.
fn script(shell: &str) -> PathBuf {
    let printed = run(&["completions", shell]);
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""), "{shell}");
    let path = std::env::temp_dir().join(format!("lapidary-completions-{}.{shell}", std::process::id()));
    std::fs::write(&path, printed.stdout).expect("the temporary directory can be written");
    path
}

/// What a shell says that has read its script, as `$0`, and then runs some commands.
fn said(shell: &str, options: &[&str], commands: &str) -> String {
    let script = script(shell);
    let ran = Command::new(shell).args(options).args(["-c", commands]).arg(&script).output();
    std::fs::remove_file(script).expect("it is still there");
    let output = ran.expect("the shell starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{shell}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).expect("plain text")
}

/// The words that `bash` offers; the last of `words` is the one that is completed.
fn offered_by_bash(words: &str) -> Vec<String> {
    let commands = format!(
        "source \"$0\"; complete -p lapidary >/dev/null || exit 1; COMP_WORDS=({words}); \
         COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
         _lapidary lapidary \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    said("bash", &["--norc"], &commands).lines().map(str::to_owned).collect()
}

fn bash_completes_commands_options_and_values() {
    assert_eq!(offered_by_bash("lapidary chec"), ["check"]);
    assert_eq!(offered_by_bash("lapidary check --eng"), ["--engine"]);
    assert_eq!(offered_by_bash("lapidary check --engine kin"), ["kinduction"]);
    assert_eq!(offered_by_bash("lapidary check --format s"), ["sarif"]);
    assert_eq!(offered_by_bash("lapidary completions f"), ["fish"]);
}

fn zsh_loads_the_script() {
    let commands = "autoload -U compinit && compinit -D -u && source \"$0\" && print -r -- $_comps[lapidary]";
    assert_eq!(said("zsh", &["-f"], commands).trim(), "_lapidary");
}

fn fish_completes_commands_options_and_values() {
    // What follows a tab describes the word.
    let offered = |words: &str| {
        let commands = format!("source $argv[1]; complete -C '{words}'");
        let said = said("fish", &["--no-config"], &commands);
        said.lines().filter_map(|line| line.split('\t').next()).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(offered("lapidary chec"), ["check"]);
    assert_eq!(offered("lapidary check --eng"), ["--engine"]);
    assert_eq!(offered("lapidary check --engine kin"), ["kinduction"]);
}

lapidary_reference::with_bash!(bash_completes_commands_options_and_values);
lapidary_reference::with_zsh!(zsh_loads_the_script);
lapidary_reference::with_fish!(fish_completes_commands_options_and_values);

#[test]
fn every_shell_has_a_script_that_names_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let printed = run(&["completions", shell]).stdout;
        for word in ["check", "certify", "completions", "timeout-each", "trace-out"] {
            assert!(printed.contains(word), "{shell}: {word}");
        }
    }
}

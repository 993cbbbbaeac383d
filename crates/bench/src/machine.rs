//! Where and with which versions a table was measured.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// One line each: date, machine, versions of the tools.
pub fn lines(lapidary: &Path) -> Vec<String> {
    let mut lines = place(lapidary);
    let spin = first_line(Command::new("spin").arg("-V"));
    let gcc = first_line(Command::new("gcc").arg("--version"));
    lines.extend([format!("Peers: {spin}; {gcc}")]);
    lines
}

/// One line each: date, machine, our version.
pub fn place(lapidary: &Path) -> Vec<String> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    vec![
        format!("Date: {}", first_line(Command::new("date").args(["-u", "+%Y-%m-%d"]))),
        format!("Machine: {}, {cores} cores", processor()),
        format!("Version: {}", first_line(Command::new(lapidary).arg("--version"))),
    ]
}

fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines()
        .find(|line| line.starts_with("model name"))
        .and_then(|line| line.split_once(':'))
        .map_or("unknown processor", |(_, name)| name.trim())
        .to_owned()
}

pub fn first_line(command: &mut Command) -> String {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().ok().map(|output| output.stdout);
    let text = String::from_utf8_lossy(output.as_deref().unwrap_or_default()).into_owned();
    match text.lines().next() {
        Some(line) => line.trim().to_owned(),
        None => format!("{name} (version unknown)"),
    }
}

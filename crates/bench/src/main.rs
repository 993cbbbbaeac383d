//! The measurement harness: runs the built `lapidary` beside other checkers and prints a table.
//!
//! It starts the binary as a child process, as a user would, so that every figure covers the whole
//! way from the file to the verdict. It never runs inside `cargo test`.

// The only output of this program is its table and its complaints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod altarica;
mod auto;
mod before;
mod cell;
mod child;
mod coverability;
mod explicit;
mod hierarchies;
mod infinite;
mod machine;
mod nusmv;
mod options;
mod ours;
mod page;
mod pcegar;
mod record;
mod rows;
mod spacer;
mod spin;
mod table;
mod targets;

use std::process::ExitCode;

use options::{Command, Options};

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    let outcome = match options.command {
        Command::AltaRica => altarica::run(&options),
        Command::Auto => auto::run(&options),
        Command::Before => before::run(&options),
        Command::Coverability => coverability::run(&options),
        Command::Explicit => explicit::run(&options),
        Command::Infinite => infinite::run(&options),
        Command::Pcegar => pcegar::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("bench: {problem}");
            ExitCode::FAILURE
        }
    }
}

//! `lapidary completions`: what a shell needs to know in order to complete our words.

use std::io;

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use lapidary_driver::Exit;

use crate::args::{Cli, Completions};
use crate::console::Console;
use crate::words::engine_names;

pub fn run(args: &Completions, console: &mut Console) -> io::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "lapidary", &mut script);
    console.out.text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}

/// The names of engines are read by ourselves, for the sake of what is said of wrong ones; shells get a list.
fn command() -> Command {
    let names = PossibleValuesParser::new(engine_names());
    Cli::command().mut_subcommand("check", |check| check.mut_arg("engine", |engine| engine.value_parser(names)))
}

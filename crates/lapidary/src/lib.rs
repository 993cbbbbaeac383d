//! The command line of Lapidary; the only crate that prints.
//!
//! [`run`] is the whole program. Everything that makes text is a function from data to a string (`render`); the
//! commands load, ask `driver`, and hand the strings to the console.

mod answers;
mod args;
mod commands;
mod console;
mod curves;
mod event_file;
mod finished;
#[cfg(test)]
mod fuzz;
mod guard;
mod help;
mod late;
mod limits;
mod opening;
mod outputs;
mod progress;
mod render;
#[cfg(test)]
mod schema;
mod solvers;
mod units;
mod words;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use lapidary_driver::Exit;

use crate::args::Cli;
use crate::console::{ColourChoice, Console, Palette};
use crate::words::Opening;

/// Runs the program; `args` starts with its name.
pub fn run(args: Vec<OsString>) -> ExitCode {
    let command_line = args.iter().map(|word| words::quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ");
    guard::tell_panics();
    let exit = guard::guarded(&command_line, move || dispatch(args));
    ExitCode::from(exit.code())
}

fn dispatch(args: Vec<OsString>) -> Exit {
    let mut console = Console::of_process(ColourChoice::Auto);
    let result = match words::open(args) {
        Opening::Nothing => console.out.text(help::FIRST_STEPS).map(|()| Exit::Success),
        Opening::Planned(command) => planned(&mut console, &command),
        Opening::Arguments(args) => match Cli::try_parse_from(args) {
            Ok(cli) => {
                console = Console::of_process(cli.color);
                commands::run(cli.command, &mut console)
            }
            Err(error) => refused(&mut console, &error),
        },
    };
    result.unwrap_or_else(|error| {
        // The error stream may be what failed: there is nobody else to tell.
        let _ = console.error(&format!("cannot write the output: {error}"));
        Exit::Input
    })
}

fn planned(console: &mut Console, command: &str) -> io::Result<Exit> {
    console.error(&format!("`lapidary {command}` is not there yet; `lapidary --help` lists what is"))?;
    Ok(Exit::Usage)
}

/// Help and version are "errors" of clap too, but go to the output and succeed.
fn refused(console: &mut Console, error: &clap::Error) -> io::Result<Exit> {
    let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let stream = if asked_for { &mut console.out } else { &mut console.err };
    let text = match stream.palette {
        Palette::Plain => error.render().to_string(),
        Palette::Ansi => error.render().ansi().to_string(),
    };
    stream.text(&text)?;
    Ok(if asked_for { Exit::Success } else { Exit::Usage })
}

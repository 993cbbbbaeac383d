//! One module per command. Each loads what it needs, asks, prints, and says how it ended.

mod certify;
mod check;
mod completions;
mod convert;
mod examples;
mod horn;
mod info;
mod init;
mod interactive;
mod man;
mod mec;
mod plot;
mod simulate;
mod trace;

use std::io;

use lapidary_driver::Exit;

use crate::args::Command;
use crate::console::Console;

/// Fails only where the output cannot be written.
pub fn run(command: Command, console: &mut Console) -> io::Result<Exit> {
    match command {
        Command::Check(args) => check::run(&args, console),
        Command::Simulate(args) => simulate::run(&args, console),
        Command::Trace(args) => trace::run(&args, console),
        Command::Certify(args) => certify::run(&args, console),
        Command::Info(args) => info::run(&args, console),
        Command::Mec(args) => mec::run(&args, console),
        Command::Init(args) => init::run(&args, console),
        Command::Examples(args) => examples::run(&args, console),
        Command::Convert(args) => convert::run(&args, console),
        Command::Plot(args) => plot::run(&args, console),
        Command::Completions(args) => completions::run(&args, console),
        Command::Man(args) => man::run(&args, console),
    }
}

#[cfg(test)]
pub mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Cli;
    use crate::console::tests::captured;

    /// What a command said, and how it ended.
    pub struct Finished {
        pub exit: Exit,
        pub out: String,
        pub err: String,
    }

    /// Runs a command in this process; the program's own name is left out.
    pub fn finished(words: &[&str]) -> Finished {
        let cli = Cli::try_parse_from([&["lapidary"], words].concat()).unwrap_or_else(|error| panic!("{error}"));
        let (mut console, out, err) = captured();
        let exit = run(cli.command, &mut console).expect("the output can be kept");
        Finished { exit, out: out.text(), err: err.text() }
    }
}

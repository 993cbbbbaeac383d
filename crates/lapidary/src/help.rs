//! The texts of the help, with an example for every command.

use lapidary_driver::languages::{Language, Reads, Starter, suffixes};

use crate::words::listed;

pub const ABOUT: &str = "Lapidary is a model checker: it answers holds, violated or unknown, and shows why.";

pub const USAGE: &str = "lapidary <MODEL>...\n       lapidary <COMMAND> [OPTIONS]";

/// What a call without arguments prints: exactly six lines.
pub const FIRST_STEPS: &str = "\
Lapidary checks models. What to do next:
  lapidary init model.gcl           write a commented model to start from
  lapidary examples                 list the models that come with the program
  lapidary model.gcl                check every property of a model
  lapidary simulate model.gcl -i    walk through it step by step
  lapidary --help                   everything else
";

pub const TOP: &str = "\
Examples:
  lapidary peterson.gcl                       check every property; short for `lapidary check`
  lapidary check peterson.gcl -p mutex        check one of them
  lapidary examples copy peterson             fetch a model to play with

Exit codes:
  0 every checked property holds   10 some property is violated   30 some answer is unknown
  2 usage   3 error in the model or a file   4 unsupported   70 internal error   130 interrupted";

pub const CHECK: &str = "\
Examples:
  lapidary check peterson.gcl                             every property of the model
  lapidary check peterson.gcl -p mutex -D N=4             one property, another constant
  lapidary check peterson.gcl -p 'lev[0] <= 2'            an invariant given here
  lapidary check *.gcl -q --timeout 60s                   several models, verdicts only
  lapidary check lift.gcl --engine pcegar --analysis backward  refine an abstraction
  lapidary check rax.gcl --engine matching --solver none       concrete search, no solver
  lapidary check ticket.gcl --engine kinduction --bound 20     induction over up to 20 steps
  lapidary check valve.alt tank.alt --as-one -p 'T.level > 0'   files of one AltaRica model
  lapidary check cache.spec -p 'EF (m >= 1 AND s >= 1)'     a net: can both have a token?
  lapidary check threads.tts --init '0/0' --engine lazy       any number of threads
  lapidary check peterson.gcl --trace-out run.itf.json    keep the traces
  lapidary check peterson.gcl --format json               an answer for programs
  lapidary check *.gcl --format junit > lapidary.xml      for a server that runs tests
  lapidary check *.gcl --format sarif > lapidary.sarif    for a service that scans code

Of several traces (or certificates) the first goes to the named file, each further one to
a file with the name of its property before the suffix.";

pub const SIMULATE: &str = "\
Examples:
  lapidary simulate peterson.gcl                      twenty random steps
  lapidary simulate peterson.gcl --seed 7 --steps 5   other steps, fewer of them
  lapidary simulate peterson.gcl --interactive        choose the steps; `h` tells how
  lapidary simulate valve.alt tank.alt --as-one       several files are one AltaRica model";

pub const TRACE: &str = "\
Examples:
  lapidary trace run.itf.json                        what changed in each step
  lapidary trace run.itf.json --full --vars 'lev'    all of every state, of some variables
  lapidary trace run.itf.json --replay peterson.gcl  check that it is a run of the model";

pub const CERTIFY: &str = "\
Examples:
  lapidary check peterson.gcl --certificate peterson.cert
  lapidary certify peterson.gcl peterson.cert        exit code 0: accepted, 3: not accepted
  lapidary certify valve.alt tank.alt tank.cert --as-one   the last file is the certificate";

pub const INFO: &str = "\
Examples:
  lapidary info peterson.gcl
  lapidary info peterson.gcl -D N=4
  lapidary info tank.project                     the files that a project lists";

pub const MEC: &str = "\
Examples:
  lapidary mec                                     a shell; `:help` lists its commands
  lapidary mec stack.alt                           a shell with the nodes of a model
  lapidary mec -b stack.alt stack.spe              load, run a specification, end
  lapidary mec stack.alt -c ':rel-cardinal Stack3!t'        load, run a statement, end
  lapidary mec stack.alt -c 'with Stack3 do show(all) > \"stack.res\"; done'
  lapidary mec stack.alt < session.mec             statements from a pipe

With a script, statements (-c) or -b it ends by itself; otherwise it goes on with a shell on
a terminal, and with the statements of a pipe. What is wrong with a statement is told, and
the next one is run.

`> 'file'` begins a file anew, `>> 'file'` adds to it. Directories are not made, and neither
a model nor a script of the session is ever overwritten.

The shell completes with Tab and keeps its history in $XDG_STATE_HOME/lapidary/mec_history
(~/.local/state where that is not set). Ctrl-C ends a computation, not the shell; Ctrl-D or
`:quit` leaves it, with exit code 0.

Exit codes: 10 some test(..) failed   3 some statement or model is wrong   30 a limit was
reached   130 interrupted   0 none of these";

/// Which starters there are the table of languages says.
pub fn init() -> String {
    let is_net = |language: &Language| language.reads(Reads::Formulas);
    let has_starter = |language: &Language| matches!(language.starter, Starter::Model { .. });
    let nets = suffixes(|language| is_net(language) && has_starter(language));
    format!(
        "\
Examples:
  lapidary init                 writes model.gcl
  lapidary init door.gcl        then: lapidary door.gcl
  lapidary init lamp.xsts       a transition system; also .cfa, an automaton
  lapidary init house.alt       AltaRica; also {}, nets in their languages",
        listed(&nets)
    )
}

pub const EXAMPLES: &str = "\
Examples:
  lapidary examples                       names and what they show
  lapidary examples show peterson         print one
  lapidary examples copy peterson         write peterson.gcl here
  lapidary examples copy peterson models  write it to an existing directory";

pub const CONVERT: &str = "\
Examples:
  lapidary convert peterson.gcl -o peterson.lir        the textual intermediate form
  lapidary convert peterson.gcl -o four.lir -D N=4     with another constant
  lapidary convert cache.spec -o cache.pnml            a net; its properties go beside it
  lapidary convert peterson.gcl -o mutex.smt2 -p mutex Horn clauses: `z3 mutex.smt2` says sat
                                                       where mutex holds
  lapidary convert tank.alt -o valve.alt --abstract Valve --events
  lapidary convert tank.alt -o valve.alt --abstract Valve --predicate 'closed=rate = 0' \\
                   --decomposition flow
  lapidary convert queue.alt -o cell.alt --cover queue.cert --component 'c[0]'

An abstraction is read back, and written only if it was found to simulate the node.";

pub const PLOT: &str = "\
Examples:
  lapidary check m.alt --engine cegar --events cegar.jsonl
  lapidary check m.alt --engine pcegar --events pcegar.jsonl
  lapidary plot pcegar.jsonl -o figure.svg                      one run, three panels
  lapidary plot cegar.jsonl pcegar.jsonl -o figure.svg          two runs, one over the other
  lapidary plot pcegar.jsonl -o states.svg --curve states       one panel
  lapidary plot pcegar.jsonl -o figure.svg -p mutex             one property of several

Per iteration: the number of abstract states, the length of the abstract counterexample, and
the certified abstract states, of the reachable and of the co-reachable side.";

pub const COMPLETIONS: &str = "\
Examples:
  lapidary completions bash > ~/.local/share/bash-completion/completions/lapidary
  lapidary completions zsh > ~/.zfunc/_lapidary      with ~/.zfunc in fpath, before compinit
  lapidary completions fish > ~/.config/fish/completions/lapidary.fish
  source <(lapidary completions bash)                for the shell that runs now";

pub const MAN: &str = "\
Examples:
  lapidary man | man -l -                                 read the page of the program
  lapidary man -o ~/.local/share/man/man1                 then: man lapidary-check";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use lapidary_driver::{ENGINES, languages};

    use super::*;
    use crate::args::Cli;

    #[test]
    fn the_first_steps_are_six_lines() {
        assert_eq!(FIRST_STEPS.lines().count(), 6);
    }

    #[test]
    fn help_names_every_engine_and_every_format() {
        let help = |name: &str| {
            let mut command = Cli::command();
            let command = command.find_subcommand_mut(name).expect("a command");
            command.render_long_help().to_string()
        };
        let (check, convert, init) = (help("check"), help("convert"), help("init"));
        let (_, which) = check.split_once("Which engine answers: ").expect("engines are named");
        let (which, _) = which.split_once("[default").expect("auto is the default");
        let named: Vec<&str> = which.split([' ', ',', ';', '\n']).collect();
        assert!(ENGINES.iter().all(|entry| named.contains(&entry.name)), "{which}");
        let (models, nets) = languages::written();
        let (_, formats) = convert.split_once("the suffix decides the format: ").expect("formats are named");
        assert!(models.iter().chain(&nets).all(|suffix| formats.contains(suffix.as_str())), "{formats}");
        let starters = languages::suffixes(|it| matches!(it.starter, Starter::Model { .. }));
        assert!(starters.iter().all(|suffix| init.contains(suffix.as_str())), "{init}");
    }
}

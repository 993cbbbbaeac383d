//! The command line: what can be typed. Nothing here runs anything.

mod convert;
mod cover;
mod limits;
mod mec;
mod net;
mod plot;
mod solver;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use lapidary_driver::languages::{self, Reads};
use lapidary_driver::{EngineChoice, LoadRequest, OrtOrder, SearchDirection, SearchOrder};

use crate::console::ColourChoice;
use crate::help;
use crate::units::{parse_duration, parse_size};
use crate::words::{engine_help, parse_define, parse_engine, parse_trace_path};
pub use convert::{AbstractArgs, Convert, Decomposed};
pub use cover::CoverArgs;
pub use limits::LimitArgs;
pub use mec::Mec;
pub use net::NetArgs;
pub use plot::Plot;
pub use solver::SolverArgs;

#[derive(Debug, Parser)]
#[command(name = "lapidary", version, about = help::ABOUT, after_help = help::TOP, disable_help_subcommand = true)]
#[command(override_usage = help::USAGE, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// Colour the output: `auto` does so on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColourChoice,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the properties of one or more models
    #[command(after_help = help::CHECK)]
    Check(Box<Check>),
    /// Walk through a model, at random or by hand
    #[command(after_help = help::SIMULATE)]
    Simulate(Simulate),
    /// Show a trace that was written before, or replay it on a model
    #[command(after_help = help::TRACE)]
    Trace(TraceArgs),
    /// Check a certificate with the independent checker
    #[command(after_help = help::CERTIFY)]
    Certify(Certify),
    /// Tell what was understood of a model: variables, commands, properties, engines
    #[command(after_help = help::INFO)]
    Info(Info),
    /// Define and count relations over AltaRica nodes: Mec 5 and Acheck, as a shell or a batch
    #[command(after_help = help::MEC)]
    Mec(Mec),
    /// Write a commented model to start from
    #[command(after_help = help::init())]
    Init(Init),
    /// List, show or copy the models that come with the program
    #[command(after_help = help::EXAMPLES)]
    Examples(Examples),
    /// Translate a model to another format
    #[command(after_help = help::CONVERT)]
    Convert(Convert),
    /// Draw the curves of refinement loops from event files
    #[command(after_help = help::PLOT)]
    Plot(Plot),
    /// Print a script that lets a shell complete commands, options and their values
    #[command(after_help = help::COMPLETIONS)]
    Completions(Completions),
    /// Print the manual page, or write the pages of all commands
    #[command(after_help = help::MAN)]
    Man(Man),
}

#[derive(Debug, Args)]
pub struct Check {
    /// Models; the suffix tells the language. With --as-one they are the files of one model
    #[arg(required = true, value_name = "MODEL", value_hint = ValueHint::FilePath)]
    pub models: Vec<String>,

    /// A property of the model by its name, a formula that holds always, or `invariant E`, `reach E`, `ltl F`,
    /// `deadlock_free`; may be repeated
    #[arg(short, long = "property", value_name = "NAME|FORMULA", allow_hyphen_values = true)]
    pub properties: Vec<String>,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub specified: Specified,

    #[command(flatten)]
    pub engine: EngineArgs,

    #[command(flatten)]
    pub cover: CoverArgs,

    #[command(flatten)]
    pub solver: SolverArgs,

    #[command(flatten)]
    pub net: NetArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// How the text of a model is read.
#[derive(Clone, Debug, Default, Args)]
pub struct Reading {
    /// Give a constant of the model another value; may be repeated
    #[arg(short = 'D', long = "define", value_name = "NAME=VALUE", value_parser = parse_define)]
    pub defines: Vec<(String, String)>,

    /// The root of an AltaRica model [default: the last declared node]
    #[arg(long, value_name = "NODE")]
    pub node: Option<String>,

    /// Read several AltaRica files, in this order, as one model
    #[arg(long)]
    pub as_one: bool,

    /// A file with properties of a net or a transition system: .prop, .formula or the XML of the contest; may be
    /// repeated [default: the one of the same name beside the model]
    #[arg(long = "formula", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub formulas: Vec<String>,

    /// The initial states of a thread transition system: 0|0 one thread, 0/0 any number [default: 0/0]
    #[arg(long = "init", value_name = "STATES")]
    pub initial: Option<String>,

    /// In which order the branches of `ort` run, in a transition system (.xsts) [default: every]
    #[arg(long, value_name = "ORDER")]
    pub ort: Option<Ort>,

    /// The location of a control-flow automaton that shall not be reached [default: its error location]
    #[arg(long = "errorloc", value_name = "LOCATION")]
    pub error_location: Option<String>,
}

/// In which order branches run that all do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ort {
    Every,
    Declared,
}

impl Ort {
    fn order(self) -> OrtOrder {
        match self {
            Self::Every => OrtOrder::Every,
            Self::Declared => OrtOrder::Declared,
        }
    }

    pub fn of(order: OrtOrder) -> Self {
        match order {
            OrtOrder::Every => Self::Every,
            OrtOrder::Declared => Self::Declared,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Every => "every",
            Self::Declared => "declared",
        }
    }
}

/// Properties that stand in a specification.
#[derive(Clone, Debug, Default, Args)]
pub struct Specified {
    /// An Acheck specification, for --never
    #[arg(long, value_name = "FILE.spe", requires = "never", value_hint = ValueHint::FilePath)]
    pub spec: Option<String>,

    /// A state set of the specification that must have no reachable configuration; may be repeated
    #[arg(long, value_name = "NAME", requires = "spec")]
    pub never: Vec<String>,
}

impl Reading {
    /// For a command to which properties do not matter. Several files are one model.
    pub fn request(&self, files: &[String]) -> LoadRequest {
        let Self { defines, node, as_one: _, formulas, initial, ort, error_location } = self.clone();
        let ort = ort.map(Ort::order);
        let mut files = files.iter().cloned();
        let path = files.next().unwrap_or_default();
        let further = files.collect();
        let typed = LoadRequest { defines, node, formulas, initial, ort, error_location, ..LoadRequest::default() };
        LoadRequest { path, further, ..typed }
    }

    pub fn request_for(&self, files: &[String], properties: Vec<String>, specified: &Specified) -> LoadRequest {
        let Specified { spec, never } = specified.clone();
        LoadRequest { properties, spec, never, ..self.request(files) }
    }

    /// Why these files are not one model.
    pub fn misuse(&self, files: &[String]) -> Option<String> {
        if files.len() < 2 {
            return None;
        }
        if !self.as_one {
            let n = files.len();
            return Some(format!(
                "one model is needed, and {n} are given; --as-one reads several AltaRica files as one"
            ));
        }
        let may_go_on = |file: &str| languages::of(file).is_some_and(|language| language.reads(Reads::Further));
        let other = files.iter().find(|file| !may_go_on(file))?;
        Some(format!("--as-one is for AltaRica files (.alt), and {other} is none"))
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Engine and limits")]
pub struct EngineArgs {
    #[arg(long, value_name = "NAME", help = engine_help(), default_value = "auto", value_parser = parse_engine)]
    pub engine: EngineChoice,

    /// In which order engine explicit visits states, or engine lazy nodes; random is for lazy only
    #[arg(long, value_name = "ORDER", default_value = "bfs")]
    pub order: Order,

    /// From where engine bdd searches: the initial states, or what is looked for
    #[arg(long, value_name = "FROM", default_value = "forward")]
    pub direction: Direction,

    /// Insist on shortest counterexamples and witnesses
    #[arg(long)]
    pub shortest: bool,

    /// Give up on a model after this long: 500ms, 60s, 5m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Check the properties one after the other, and give up on each after this long
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout_each: Option<Duration>,

    /// Give up when the process uses this much: 250M, 8G [default: 80% of what is available]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    /// Threads [default: as many as there are processors]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// Seed of whatever an engine does at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Text for people; JSON: one document a model, each on a line of its own; JUnit's XML or SARIF: one
    /// document for all models
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,

    /// Show how a run gets on: `auto` does so on a terminal, `plain` writes lines
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub progress: Progress,

    /// Print the verdicts and the summary only
    #[arg(short, long)]
    pub quiet: bool,

    /// Print more: where time and memory went
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,

    /// Have warnings change the exit code: 0 becomes 30
    #[arg(long, value_name = "WHAT")]
    pub deny: Option<Deny>,

    /// How traces are printed: what changed, or all of every state
    #[arg(long, value_name = "FORM", default_value = "diff")]
    pub trace: TraceForm,

    /// Write the trace to a file; its suffix .itf.json, .dot or .txt decides how
    #[arg(long, value_name = "FILE", value_parser = parse_trace_path)]
    pub trace_out: Option<PathBuf>,

    /// Write the certificate to a file, for `lapidary certify`
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,

    /// Write what happens to a file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Simulate {
    /// The model; its suffix tells the language. Several files with --as-one
    #[arg(required = true, value_name = "MODEL", value_hint = ValueHint::FilePath)]
    pub models: Vec<String>,

    #[command(flatten)]
    pub reading: Reading,

    /// The same seed takes the same steps
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// How many random steps
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub steps: usize,

    /// Choose every step yourself
    #[arg(short, long, conflicts_with = "steps")]
    pub interactive: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Debug, Args)]
pub struct TraceArgs {
    /// A trace in ITF, as --trace-out writes it
    #[arg(value_name = "FILE.itf.json")]
    pub file: PathBuf,

    /// Show all of every state
    #[arg(long, conflicts_with = "diff")]
    pub full: bool,

    /// Show what changed (the default)
    #[arg(long)]
    pub diff: bool,

    /// Show only the variables whose name matches this regular expression
    #[arg(long, value_name = "RE")]
    pub vars: Option<String>,

    /// Check that the trace is a run of this model; may be repeated with --as-one
    #[arg(long, value_name = "MODEL", value_hint = ValueHint::FilePath)]
    pub replay: Vec<String>,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub specified: Specified,

    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Debug, Args)]
#[command(override_usage = "lapidary certify [OPTIONS] <MODEL>... <CERTIFICATE>")]
pub struct Certify {
    /// The model, several files of it with --as-one; and last a certificate, as `lapidary check --certificate` writes it
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<String>,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub specified: Specified,

    /// The solver that is asked about formulas, as in 'cvc5 --lang smt2 --incremental' [default: the Z3 that is built in]
    #[arg(long, value_name = "COMMAND", value_parser = solver::parse)]
    pub solver: Option<solver::Solver>,

    /// Threads [default: as many as there are processors]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// Give up after this long: 500ms, 60s, 5m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Give up when the process uses this much: 250M, 8G [default: 80% of what is available]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
}

impl Certify {
    /// The files of the model, and the certificate.
    pub fn parts(&self) -> Option<(&[String], &Path)> {
        let (certificate, model) = self.files.split_last()?;
        (!model.is_empty()).then_some((model, Path::new(certificate)))
    }
}

#[derive(Debug, Args)]
pub struct Info {
    /// The model; its suffix tells the language. Several files with --as-one
    #[arg(required = true, value_name = "MODEL", value_hint = ValueHint::FilePath)]
    pub models: Vec<String>,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Debug, Args)]
pub struct Init {
    /// Where to write it
    #[arg(value_name = "FILE", default_value = "model.gcl")]
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// Whose language the script is in
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// Write a page for every command to this directory, which is made if it is not there
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Examples {
    #[command(subcommand)]
    pub action: Option<ExamplesAction>,
}

#[derive(Debug, Subcommand)]
pub enum ExamplesAction {
    /// Their names and what they show (the default)
    List,
    /// Write one to a directory
    Copy {
        /// As `list` gives it
        name: String,
        /// Where to
        #[arg(value_name = "DIR", default_value = ".")]
        directory: PathBuf,
    },
    /// Print one
    Show {
        /// As `list` gives it
        name: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    Bfs,
    Dfs,
    Random,
}

impl Order {
    pub fn search(self, seed: u64) -> SearchOrder {
        match self {
            Self::Random => SearchOrder::Random(seed),
            Self::Bfs => SearchOrder::BreadthFirst,
            Self::Dfs => SearchOrder::DepthFirst,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    Forward,
    Backward,
}

impl Direction {
    pub fn search(self) -> SearchDirection {
        match self {
            Self::Forward => SearchDirection::Forward,
            Self::Backward => SearchDirection::Backward,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
    Junit,
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    // With a doc comment the help of every option would be spread out.
    Warnings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Progress {
    Auto,
    Plain,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceForm {
    None,
    Diff,
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}

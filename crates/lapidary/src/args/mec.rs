//! What can be typed after `lapidary mec`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::units::{parse_duration, parse_size};

#[derive(Debug, Args)]
pub struct Mec {
    /// Models (.alt, .project) to load and scripts (any other suffix) to run, in this order
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,

    /// Run these statements after the files; may be repeated
    #[arg(short, long = "command", value_name = "STATEMENTS", allow_hyphen_values = true)]
    pub commands: Vec<String>,

    /// End after the files and statements: never read further ones from the terminal or a pipe
    #[arg(short, long)]
    pub batch: bool,

    /// Where `> 'file'` and `>> 'file'` put relative paths [default: the current directory]
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,

    /// What evaluates `with N do ... done` [default: bdd]
    #[arg(long, value_name = "NAME", help_heading = "Engine and limits")]
    pub engine: Option<MecEngine>,

    /// Give up on a statement after this long: 500ms, 60s, 5m
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Engine and limits")]
    pub timeout: Option<Duration>,

    /// Give up when the process uses this much: 250M, 8G [default: 80% of what is available]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Engine and limits")]
    pub memory: Option<u64>,

    /// Threads [default: as many as there are processors]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    #[arg(help_heading = "Engine and limits")]
    pub jobs: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MecEngine {
    Explicit,
    Bdd,
}

impl MecEngine {
    /// As `:set engine` names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Bdd => "bdd",
        }
    }
}

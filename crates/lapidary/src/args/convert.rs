//! The arguments of `lapidary convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lapidary_driver::abstraction::Writing;
use lapidary_driver::{horn, languages};

use super::{LimitArgs, Reading};
use crate::words::parse_predicate;

#[derive(Debug, Args)]
pub struct Convert {
    /// The model; its suffix tells the language. Several files with --as-one
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<String>,

    #[arg(short, long, value_name = "FILE", help = output_help())]
    pub output: PathBuf,

    /// What Horn clauses (.smt2) are about, as for `check`: the name of a property, or a formula
    #[arg(short, long, value_name = "NAME|FORMULA", allow_hyphen_values = true, conflicts_with_all = ["of", "cover"])]
    pub property: Option<String>,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub abstraction: AbstractArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Abstractions of AltaRica nodes")]
pub struct AbstractArgs {
    /// Write an abstraction of this node, and check that it simulates the node
    #[arg(long = "abstract", value_name = "NODE", conflicts_with = "node")]
    pub of: Option<String>,

    /// Write an abstraction of one component by the blocks of a certificate of engine hierarchical
    #[arg(long, value_name = "CERTIFICATE", requires = "component", conflicts_with = "of")]
    pub cover: Option<PathBuf>,

    /// The component that --cover is about, by its path from the root: `c[0]`
    #[arg(long, value_name = "PATH", requires = "cover")]
    pub component: Option<String>,

    /// A predicate on the configurations of the node; may be repeated
    #[arg(long = "predicate", value_name = "NAME=FORMULA", value_parser = parse_predicate, requires = "of")]
    pub predicates: Vec<(String, String)>,

    /// Take the guards of the node's transitions as predicates
    #[arg(long, requires = "of")]
    pub guards: bool,

    /// Take as predicates, for every event, where it can be fired
    #[arg(long, requires = "of")]
    pub events: bool,

    /// How the abstraction is written [default: transition]
    #[arg(long, value_name = "HOW")]
    pub decomposition: Option<Decomposed>,
}

/// Which formats there are the table of languages says.
fn output_help() -> String {
    let (models, nets) = languages::written();
    let (models, nets) = (models.join(", "), nets.join(", "));
    let clauses = horn::SUFFIX;
    format!(
        "Where to write it; the suffix decides the format: {models}; for nets {nets}; .{clauses} for Horn clauses of one \
         property; .alt for an abstraction"
    )
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Decomposed {
    Transition,
    Flow,
}

impl Decomposed {
    pub fn writing(self) -> Writing {
        match self {
            Self::Transition => Writing::Transitions,
            Self::Flow => Writing::Flows,
        }
    }
}

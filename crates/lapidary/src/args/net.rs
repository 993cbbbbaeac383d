//! The options of the engines for nets.

use clap::{Args, ValueEnum};
use lapidary_driver::{NetOptions, Pruning};

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Nets (engine backward)")]
pub struct NetArgs {
    /// What backward leaves out because no run can reach it, each level with all before [default: equation]
    #[arg(long, value_name = "LEVEL")]
    pub pruning: Option<Level>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// Nothing
    None,
    /// Markings with tokens where there never are any
    Signs,
    /// Markings that break a place invariant
    Invariants,
    /// Markings that break the state equation
    Equation,
    /// Markings that no continuous run reaches
    Continuous,
}

impl NetArgs {
    pub fn options(&self) -> NetOptions {
        let pruning = match self.pruning {
            None => Pruning::default(),
            Some(Level::None) => Pruning::None,
            Some(Level::Signs) => Pruning::Signs,
            Some(Level::Invariants) => Pruning::Invariants,
            Some(Level::Equation) => Pruning::Equation,
            Some(Level::Continuous) => Pruning::Continuous,
        };
        NetOptions { pruning }
    }

    /// What was typed, for a command that is to be repeated.
    pub fn words(&self) -> String {
        let level = self.pruning.and_then(|level| level.to_possible_value());
        level.map(|level| format!(" --pruning {}", level.get_name())).unwrap_or_default()
    }
}

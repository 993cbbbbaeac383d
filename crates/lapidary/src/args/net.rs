//! The options of the engines for nets.

use std::sync::LazyLock;

use clap::{Args, ValueEnum};
use lapidary_driver::register::OptionGroup;
use lapidary_driver::{NetOptions, Pruning};

use crate::words::group_heading;

static HEADING: LazyLock<String> = LazyLock::new(|| group_heading("Nets", OptionGroup::Pruning, None));

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = HEADING.as_str())]
pub struct NetArgs {
    /// What backward leaves out because no run can reach it, each level with all before: nothing, what has tokens where there
    /// never are any, what breaks a place invariant, the state equation, continuous reachability [default: equation]
    #[arg(long, value_name = "LEVEL")]
    pub pruning: Option<Level>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    None,
    Signs,
    Invariants,
    Equation,
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

//! The options of the engines that refine covers, under the names that the Mec session has for them.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args, ValueEnum};
use lapidary_driver::CoverOptions;
use lapidary_driver::cover::{Analysis, Certification, Heuristics, Pick, Refinement, SearchAlgorithm};
use lapidary_driver::register::OptionGroup;
use regex_lite::Regex;

use crate::words::{group_heading, quoted};

static HEADING: LazyLock<String> =
    LazyLock::new(|| group_heading("Refinement", OptionGroup::Refinement, Some(OptionGroup::SomeRefinement)));

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = HEADING.as_str())]
pub struct CoverArgs {
    /// A predicate to begin with; may be repeated
    #[arg(long = "predicate", value_name = "FORMULA", allow_hyphen_values = true)]
    pub predicates: Vec<String>,

    /// Keep the variables exact whose name matches: a block for each of their valuations
    #[arg(long, value_name = "REGEX", value_parser = parse_regex)]
    pub control: Option<Regex>,

    /// The atoms of all guards are predicates of the initial abstraction
    #[arg(long = "cegar-use-guards-as-predicates", visible_alias = "guards")]
    pub guards: bool,

    /// Begin with a cover, one block per predicate, instead of a partition
    #[arg(long = "cegar-use-cover-abstraction", visible_alias = "cover")]
    pub cover: bool,

    /// Leave the assertions out of images; refused where events have priorities
    #[arg(long = "cegar-use-super-transition", visible_alias = "super-transition")]
    pub super_transition: bool,

    /// How abstract counterexamples are searched for [default: bfs]
    #[arg(long = "cegar-search-algorithm", visible_alias = "search", value_name = "HOW")]
    pub search: Option<Search>,

    /// From which end abstract counterexamples are analysed [default: forward]
    #[arg(long = "cegar-ce-analysis", visible_alias = "analysis", value_name = "HOW")]
    pub analysis: Option<AnalysisWay>,

    /// How the failure state is split [default: direct]
    #[arg(long = "cegar-abstraction-refinement-algorithm", visible_alias = "refinement", value_name = "HOW")]
    pub refinement: Option<RefinementWay>,

    /// Certify blocks within the initial states or the target [default: on]
    #[arg(long, value_name = "SWITCH")]
    pub initial_certification: Option<Switch>,

    /// Certify what the direct refinement splits off [default: on]
    #[arg(long, value_name = "SWITCH")]
    pub split_certification: Option<Switch>,

    /// Certify blocks that an analysis went through completely [default: on]
    #[arg(long, value_name = "SWITCH")]
    pub feasibility_certification: Option<Switch>,

    /// Certify by must transitions and closure
    #[arg(long = "cegar-use-must-and-clo", visible_alias = "closure")]
    pub closure: bool,

    /// Which counterexample pcegar takes: a kernel path, or a factor of the one that cegar would take [default: kernel]
    #[arg(long, value_name = "WHICH")]
    pub pick: Option<PickWay>,

    /// Give up after so many rounds of refinement
    #[arg(long, value_name = "N")]
    pub max_iterations: Option<u64>,

    /// Print a line about every iteration, to the error stream
    #[arg(long = "cegar-print-iteration-stats", visible_alias = "iteration-stats")]
    pub iteration_stats: bool,

    /// Write the abstraction of every iteration to a file, as graphs in dot format
    #[arg(long = "cegar-abstraction-print", visible_alias = "abstraction-out", value_name = "FILE.dot")]
    pub abstraction_print: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Search {
    Bfs,
    Dfs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnalysisWay {
    Forward,
    Backward,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RefinementWay {
    Direct,
    Sigma,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PickWay {
    Kernel,
    Factor,
}

fn parse_regex(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| error.to_string())
}

impl CoverArgs {
    pub fn options(&self) -> CoverOptions {
        let is_on = |switch: Option<Switch>| switch != Some(Switch::Off);
        CoverOptions {
            heuristics: Heuristics {
                certification: Certification {
                    initial: is_on(self.initial_certification),
                    split: is_on(self.split_certification),
                    feasibility: is_on(self.feasibility_certification),
                    closure: self.closure,
                },
                search: match self.search {
                    None | Some(Search::Bfs) => SearchAlgorithm::Bfs,
                    Some(Search::Dfs) => SearchAlgorithm::Dfs,
                },
                analysis: match self.analysis {
                    None | Some(AnalysisWay::Forward) => Analysis::Forward,
                    Some(AnalysisWay::Backward) => Analysis::Backward,
                },
                refinement: match self.refinement {
                    None | Some(RefinementWay::Direct) => Refinement::Direct,
                    Some(RefinementWay::Sigma) => Refinement::Sigma,
                },
                pick: match self.pick {
                    None | Some(PickWay::Kernel) => Pick::Kernel,
                    Some(PickWay::Factor) => Pick::Factor,
                },
            },
            guards: self.guards,
            is_cover: self.cover,
            super_transition: self.super_transition,
            most_iterations: self.max_iterations,
            shows_abstractions: self.abstraction_print.is_some(),
        }
    }

    /// What was typed, for a command that is to be repeated; limits and outputs are left out.
    pub fn words(&self) -> String {
        let mut words = String::new();
        let mut word = |text: String| {
            words.push(' ');
            words.push_str(&text);
        };
        self.predicates.iter().for_each(|formula| word(format!("--predicate {}", quoted(formula))));
        self.control.iter().for_each(|regex| word(format!("--control {}", quoted(regex.as_str()))));
        let flags = [
            (self.guards, "--cegar-use-guards-as-predicates"),
            (self.cover, "--cegar-use-cover-abstraction"),
            (self.super_transition, "--cegar-use-super-transition"),
            (self.search == Some(Search::Dfs), "--cegar-search-algorithm dfs"),
            (self.analysis == Some(AnalysisWay::Backward), "--cegar-ce-analysis backward"),
            (self.refinement == Some(RefinementWay::Sigma), "--cegar-abstraction-refinement-algorithm sigma"),
            (self.initial_certification == Some(Switch::Off), "--initial-certification off"),
            (self.split_certification == Some(Switch::Off), "--split-certification off"),
            (self.feasibility_certification == Some(Switch::Off), "--feasibility-certification off"),
            (self.closure, "--cegar-use-must-and-clo"),
            (self.pick == Some(PickWay::Factor), "--pick factor"),
        ];
        flags.into_iter().filter(|(is_on, _)| *is_on).for_each(|(_, text)| word(text.to_owned()));
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_what_differs_from_the_defaults() {
        assert_eq!(CoverArgs::default().words(), "");
        let args = CoverArgs {
            predicates: vec!["x < 3".to_owned()],
            analysis: Some(AnalysisWay::Backward),
            split_certification: Some(Switch::Off),
            ..CoverArgs::default()
        };
        assert_eq!(args.words(), " --predicate 'x < 3' --cegar-ce-analysis backward --split-certification off");
    }
}

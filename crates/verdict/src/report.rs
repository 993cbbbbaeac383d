//! The answer to a request, property by property, ready to be rendered.

use std::fmt;

use lapidary_base::Stop;
use lapidary_ir::{Declarations, PropertyId};

use crate::certificate::Certificate;
use crate::trace::Trace;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Violated,
    Unknown,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a property holds although that says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuity {
    NoInitialState,
    /// What is asserted about the variables leaves no configuration of a hierarchy at all.
    NoConfiguration,
}

impl Vacuity {
    /// The word after `vacuous=`.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoInitialState => "no-initial-state",
            Self::NoConfiguration => "no-configuration",
        }
    }
}

/// The warning.
impl fmt::Display for Vacuity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoInitialState => "no state satisfies the initial condition, so the answer says nothing",
            Self::NoConfiguration => "no configuration satisfies the assertions, so the answer says nothing",
        })
    }
}

/// How far a certificate was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Every part of it.
    Fully,
    /// A seeded sample of so many percent.
    Sample(u8),
    /// Every part of it, but some of it on the word of a solver that is not built in.
    OnWord(OnWord),
}

/// Whose word is believed, and why nobody else's is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnWord {
    /// One word, without white space.
    pub solver: String,
    /// `the built-in solver gave up`.
    pub because: &'static str,
}

impl Checked {
    /// The word after `checked=`.
    pub fn word(&self) -> String {
        match self {
            Self::Fully | Self::OnWord(_) => "yes".to_owned(),
            Self::Sample(percent) => format!("sample:{percent}%"),
        }
    }

    /// Whose word it is, if it is anybody's.
    pub fn on_word(&self) -> Option<&OnWord> {
        match self {
            Self::OnWord(word) => Some(word),
            Self::Fully | Self::Sample(_) => None,
        }
    }
}

impl fmt::Display for OnWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "on the word of the solver {}: {}", self.solver, self.because)
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Stopped(Stop),
    /// The engine that was asked for does not take this task.
    Refused(String),
    /// No engine takes this task: exit code 4.
    Unsupported(String),
    /// The engine that was asked for gave up, and what it refined only grew.
    Diverging(String),
}

impl Reason {
    /// The word after `reason=`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Stopped(Stop::Timeout) => "timeout",
            Self::Stopped(Stop::Memory(_)) => "memory",
            Self::Stopped(Stop::Interrupted) => "interrupted",
            Self::Stopped(Stop::Overflow(_)) => "overflow",
            Self::Stopped(Stop::Incomplete(_) | Stop::NoAnswer(_) | Stop::Budget(_)) => "incomplete",
            Self::Stopped(Stop::Solver(_)) => "solver",
            Self::Refused(_) => "refused",
            Self::Unsupported(_) => "unsupported",
            Self::Diverging(_) => "diverging",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(stop) => stop.fmt(f),
            Self::Refused(why) => write!(f, "the engine refuses the task: {why}"),
            Self::Unsupported(why) => write!(f, "no engine supports this: {why}"),
            Self::Diverging(why) => f.write_str(why),
        }
    }
}

#[derive(Clone, Debug)]
pub enum Evidence {
    /// A replayed run: the counterexample, or the witness of a `reach` property.
    Trace(Trace),
    Certificate(Certificate, Checked),
    Nothing(Reason),
}

/// How a number went over the rounds of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    pub average: f64,
    pub maximum: u64,
    /// In the last round; called `final` in reports.
    pub last: u64,
    /// Where it went up in the last rounds.
    pub growth: Option<Growth>,
}

/// A number that went up over the rounds: all that it was in the last third is above all that it was in the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The most in the first third of the rounds.
    pub from: u64,
    /// In how many rounds.
    pub rounds: usize,
}

impl Growth {
    /// Fewer rounds show nothing.
    const LEAST_ROUNDS: usize = 9;

    fn of(numbers: &[u64]) -> Option<Self> {
        let rounds = numbers.len();
        let (first, last) = (numbers.get(..rounds / 3)?, numbers.get(rounds - rounds / 3..)?);
        let (from, least) = (first.iter().copied().max()?, last.iter().copied().min()?);
        (rounds >= Self::LEAST_ROUNDS && least > from).then_some(Self { from, rounds })
    }
}

impl Spread {
    /// Of the numbers of all rounds, in their order.
    pub fn of(numbers: &[u64]) -> Self {
        let sum: u64 = numbers.iter().sum();
        Self {
            average: if numbers.is_empty() { 0.0 } else { sum as f64 / numbers.len() as f64 },
            maximum: numbers.iter().copied().max().unwrap_or(0),
            last: numbers.last().copied().unwrap_or(0),
            growth: Growth::of(numbers),
        }
    }
}

/// What a method reports of one of its rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Round {
    /// Frozen names and their numbers, in the order in which reports show them.
    pub counts: Vec<(&'static str, u64)>,
    /// The predicates that the round found missing, in the words of the source.
    pub new_predicates: Vec<String>,
}

/// What an engine counted; only what it knows is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Frozen names and their numbers, in the order in which reports show them.
    pub counts: Vec<(&'static str, u64)>,
    /// The same for what changes from round to round.
    pub spreads: Vec<(&'static str, Spread)>,
    /// Where a method reports per iteration.
    pub rounds: Vec<Round>,
    pub search_seconds: f64,
    pub check_seconds: f64,
    /// Peak memory of the process when the search ended, in bytes.
    pub search_memory: u64,
}

impl Stats {
    pub fn count(&self, key: &str) -> Option<u64> {
        self.counts.iter().find(|(name, _)| *name == key).map(|&(_, n)| n)
    }

    pub fn spread(&self, key: &str) -> Option<Spread> {
        self.spreads.iter().find(|(name, _)| *name == key).map(|&(_, spread)| spread)
    }
}

/// A property that is made of others, one of which decided it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    pub name: String,
    pub text: String,
    /// The number of that part, from 1.
    pub part: usize,
}

#[derive(Clone, Debug)]
pub struct PropertyReport {
    pub property: PropertyId,
    /// Where the answer is that of a whole: verdict and evidence are those of `property`, its part.
    pub whole: Option<Whole>,
    pub verdict: Verdict,
    pub evidence: Evidence,
    pub engine: &'static str,
    /// Where the choice was left to a portfolio: a sentence on why this engine's answer is the one.
    pub chosen_because: Option<String>,
    /// Holds, but only because there is nothing to speak about; the sentence is among the warnings, too.
    pub vacuous: Option<Vacuity>,
    /// Why the last state of the trace decides the property, or why no state does: a sentence, perhaps with lines below it.
    pub explanation: Option<String>,
    /// What is known although there is no verdict: `no violation within 29 steps`.
    pub known: Option<String>,
    pub warnings: Vec<String>,
    pub stats: Stats,
    pub seconds: f64,
    pub memory: u64,
}

impl PropertyReport {
    /// The name under which it is reported.
    pub fn name<'a>(&'a self, model: &'a Declarations) -> &'a str {
        self.whole.as_ref().map_or(&model.properties[self.property].name, |whole| &whole.name)
    }
}

/// The whole answer about one model.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub properties: Vec<PropertyReport>,
    pub interrupted: bool,
    pub internal_errors: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_grows_where_its_end_is_above_its_beginning() {
        let growth = |numbers: &[u64]| Spread::of(numbers).growth;
        assert_eq!(growth(&[1, 2, 2, 3, 3, 4, 4, 5, 5]), Some(Growth { from: 2, rounds: 9 }));
        assert_eq!(growth(&[1, 2, 3, 4, 5]), None, "too few to tell");
        assert_eq!(growth(&[1, 9, 3, 4, 5, 6, 7, 8, 9]), None, "it was there before");
        assert_eq!(growth(&[5; 40]), None);
        assert_eq!(growth(&[]), None);
    }
}

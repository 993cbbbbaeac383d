//! A lane: engines that take turns in one thread, with budgets that grow from level to level.

use std::sync::Arc;
use std::thread;

use lapidary_base::{Control, Stop};
use lapidary_verdict::{Evidence, PropertyReport, Reason};

use super::board::Stage;
use super::plan::{Contender, Taking};
use super::{MayHelp, Race};
use crate::request::CheckRequest;

pub struct Lane<'r> {
    race: &'r Race<'r>,
    contenders: Vec<&'r Contender<'r>>,
    request: CheckRequest,
    control: Control,
    /// Per contender, the properties on which it may still get on.
    live: Vec<Vec<usize>>,
    starved: Vec<Starved<'r>>,
}

/// An engine that ran out of memory on some properties.
pub struct Starved<'r> {
    pub contender: &'r Contender<'r>,
    pub places: Vec<usize>,
}

impl<'r> Lane<'r> {
    pub fn new(
        race: &'r Race<'r>,
        contenders: Vec<&'r Contender<'r>>,
        request: CheckRequest,
        control: Control,
    ) -> Self {
        let live = contenders.iter().map(|_| race.board.open()).collect();
        Self { race, contenders, request, control, live, starved: Vec::new() }
    }

    /// Goes on until nothing is open or no engine gets on; who settles the last open property cancels the others.
    pub fn run(mut self, controls: &[Control]) -> Vec<Starved<'r>> {
        for level in 0.. {
            for number in 0..self.contenders.len() {
                for places in self.groups(number) {
                    self.turn(number, level, places);
                    if !self.race.board.is_open() {
                        controls.iter().for_each(Control::cancel);
                    }
                    if !self.race.board.is_open() || self.control.check().is_err() {
                        return self.starved;
                    }
                }
            }
            if (0..self.contenders.len()).all(|number| self.groups(number).is_empty()) {
                break;
            }
        }
        self.starved
    }

    /// What an engine is given at a time.
    fn groups(&self, number: usize) -> Vec<Vec<usize>> {
        let open = |place: &usize| self.race.board.is_open_at(*place);
        let places: Vec<usize> = self.live[number].iter().copied().filter(open).collect();
        match self.contenders[number].taking {
            Taking::Together | Taking::Loops if places.is_empty() => Vec::new(),
            Taking::Together | Taking::Loops => vec![places],
            Taking::OneByOne => places.into_iter().map(|place| vec![place]).collect(),
        }
    }

    fn turn(&mut self, number: usize, level: u32, places: Vec<usize>) {
        // Another thread may have settled it since the groups were made.
        let places: Vec<usize> = places.into_iter().filter(|&place| self.race.board.is_open_at(place)).collect();
        if places.is_empty() {
            return;
        }
        let contender = self.contenders[number];
        let budget = (!self.is_last()).then(|| contender.budget.at(level));
        let control = Arc::new(self.control.child(1));
        self.race.board.begin(&places, &control);
        let helps = self.race.attempt(Stage::Rest, contender, budget, &places, &self.request, &control);
        self.race.board.end(&control);
        let with = |wanted: MayHelp| {
            let helped = places.iter().zip(&helps).filter(move |(_, help)| **help == wanted);
            helped.map(|(&place, _)| place).collect::<Vec<usize>>()
        };
        let (more, starved) = (with(MayHelp::Budget), with(MayHelp::Memory));
        self.live[number].retain(|place| more.contains(place) || !places.contains(place));
        if !starved.is_empty() {
            self.starved.push(Starved { contender, places: starved });
        }
    }

    /// Only one engine with one thing to do is left: nobody else waits for its budget to end.
    fn is_last(&self) -> bool {
        let n_left: usize = (0..self.contenders.len())
            .map(|number| match self.contenders[number].taking {
                Taking::Together | Taking::OneByOne => self.groups(number).len(),
                Taking::Loops => self.groups(number).iter().map(Vec::len).sum(),
            })
            .sum();
        n_left == 1
    }
}

/// May an engine that found this get on with more?
pub fn may_help(finding: &PropertyReport, contender: &Contender<'_>, budget: Option<u64>) -> MayHelp {
    let Evidence::Nothing(Reason::Stopped(stop)) = &finding.evidence else { return MayHelp::Nothing };
    match (stop, budget) {
        (Stop::Memory(_), _) => MayHelp::Memory,
        (Stop::Incomplete(_), Some(_)) if stop.is_budget() => MayHelp::Budget,
        (Stop::Incomplete(_), Some(budget)) if spent(finding, contender) >= budget => MayHelp::Budget,
        (Stop::Incomplete(_) | Stop::Timeout | Stop::Interrupted | Stop::Overflow(_) | Stop::Solver(_), _) => {
            MayHelp::Nothing
        }
    }
}

/// How much of its budget an engine has counted.
fn spent(finding: &PropertyReport, contender: &Contender<'_>) -> u64 {
    let stats = &finding.stats;
    let rounds = |key: &str| {
        let of_round = stats.rounds.iter().flat_map(|round| &round.counts).filter(|(name, _)| *name == key);
        of_round.map(|&(_, count)| count).sum()
    };
    let count = |key: &&str| stats.count(key).unwrap_or(0).max(rounds(key));
    contender.budget.counts.iter().map(count).max().unwrap_or(0)
}

/// If one lane panics the others end too, so that the panic is told.
pub struct CancelOnPanic<'a>(pub &'a [Control]);

impl Drop for CancelOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.iter().for_each(Control::cancel);
        }
    }
}

//! A lane: one engine in its thread, with budgets that grow from level to level where there are several things to do.

use std::sync::Arc;
use std::thread;

use lapidary_base::{Control, Stop};
use lapidary_engines::register::Taking;
use lapidary_verdict::{Evidence, PropertyReport, Reason};

use super::board::Price;
use super::contenders::Contender;
use super::{MayHelp, Race};
use crate::request::CheckRequest;

pub struct Lane<'r> {
    race: &'r Race<'r>,
    contender: &'r Contender<'r>,
    price: Price,
    request: CheckRequest,
    control: Control,
    /// The properties on which it may still get on.
    live: Vec<usize>,
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
        contender: &'r Contender<'r>,
        price: Price,
        request: CheckRequest,
        control: Control,
    ) -> Self {
        Self { race, contender, price, request, control, live: race.board.open(), starved: Vec::new() }
    }

    /// Goes on until nothing is open or it gets no further; who settles the last open property cancels the others.
    pub fn run(mut self, controls: &[Control]) -> Vec<Starved<'r>> {
        for level in 0.. {
            for places in self.groups() {
                if !self.race.board.is_open() {
                    return self.starved;
                }
                match self.control.look() {
                    Ok(()) => {}
                    Err(Stop::Memory(_)) => {
                        // Others have taken it: it may begin when they have ended.
                        let places = self.groups().concat();
                        self.starved.push(Starved { contender: self.contender, places });
                        return self.starved;
                    }
                    Err(_) => return self.starved,
                }
                self.attempt(level, places);
                if !self.race.board.is_open() {
                    controls.iter().for_each(Control::cancel);
                }
            }
            if self.groups().is_empty() {
                break;
            }
        }
        self.starved
    }

    /// What the engine is given at a time.
    fn groups(&self) -> Vec<Vec<usize>> {
        let open = |place: &usize| self.race.board.is_open_at(*place);
        let places: Vec<usize> = self.live.iter().copied().filter(open).collect();
        match self.contender.taking {
            Taking::Together | Taking::Loops if places.is_empty() => Vec::new(),
            Taking::Together | Taking::Loops => vec![places],
            Taking::OneByOne => places.into_iter().map(|place| vec![place]).collect(),
        }
    }

    fn attempt(&mut self, level: u32, places: Vec<usize>) {
        // Another thread may have settled it since the groups were made.
        let places: Vec<usize> = places.into_iter().filter(|&place| self.race.board.is_open_at(place)).collect();
        if places.is_empty() {
            return;
        }
        let budget = if self.is_last() { u64::MAX } else { self.contender.budget.at(level) };
        let control = Arc::new(self.control.child(1));
        self.race.board.begin(&places, &control);
        let helps = self.race.attempt(self.contender, self.price, budget, &places, &self.request, &control);
        self.race.board.end(&control);
        let with = |wanted: MayHelp| {
            let helped = places.iter().zip(&helps).filter(move |(_, help)| **help == wanted);
            helped.map(|(&place, _)| place).collect::<Vec<usize>>()
        };
        let (more, starved) = (with(MayHelp::Budget), with(MayHelp::Memory));
        self.live.retain(|place| more.contains(place) || !places.contains(place));
        if !starved.is_empty() {
            self.starved.push(Starved { contender: self.contender, places: starved });
        }
    }

    /// Only one thing is left to do: none of its own waits for the budget to end, and others have their turns.
    fn is_last(&self) -> bool {
        match self.contender.taking {
            Taking::Together => true,
            Taking::OneByOne => self.groups().len() == 1,
            Taking::Loops => self.groups().iter().map(Vec::len).sum::<usize>() == 1,
        }
    }
}

/// May an engine that found this get on with more?
pub fn may_help(finding: &PropertyReport, contender: &Contender<'_>, budget: u64) -> MayHelp {
    let Evidence::Nothing(Reason::Stopped(stop)) = &finding.evidence else { return MayHelp::Nothing };
    match stop {
        Stop::Memory(_) => MayHelp::Memory,
        Stop::Budget(_) => MayHelp::Budget,
        Stop::Incomplete(_) | Stop::NoAnswer(_) if spent(finding, contender) >= budget => MayHelp::Budget,
        Stop::Incomplete(_) | Stop::NoAnswer(_) | Stop::Solver(_) => MayHelp::Nothing,
        Stop::Timeout | Stop::Interrupted | Stop::Overflow(_) => MayHelp::Nothing,
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

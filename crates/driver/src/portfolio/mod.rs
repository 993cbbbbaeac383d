//! Engine `auto`: a portfolio. Engines that complement each other take turns, the first of them with a head start, and
//! every property is settled by whichever of them is the first with evidence that the checker accepts.
//!
//! Turns are counts of work, so one thread takes the same ones every time. Two threads give the same verdicts, but the
//! engine that is first may differ.

mod board;
mod contenders;
mod lane;
mod plan;
mod sink;
#[cfg(test)]
mod tests;
mod turns;
mod words;

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use lapidary_base::hash::Map;
use lapidary_base::threads::DEEP_STACK;
use lapidary_base::{Control, Pace, Stop, Whose};
use lapidary_ir::PropertyId;
use lapidary_verdict::{PropertyReport, Reason, Report, Verdict};

use crate::attempt::{Asked, Attempt};
use crate::check::{announce, report, searched};
use crate::load::Loaded;
use crate::request::{AUTO, CheckRequest};
use board::{Board, Price};
use contenders::Contender;
use lane::{Lane, Starved};
use plan::{Plan, plan};
use turns::{Turn, Turns};

pub fn check(loaded: &Loaded, asked: &[PropertyId], request: &CheckRequest, control: &Control) -> Report {
    match plan(loaded, asked, request, control) {
        Ok(plan) => run(&plan, loaded, asked, request, control),
        Err(stop) => stopped(&stop, loaded, asked, request, control),
    }
}

/// What `auto` would do with a model, for `lapidary info`.
pub fn describe(loaded: &Loaded, control: &Control) -> String {
    let all: Vec<PropertyId> = loaded.declared().properties.ids().collect();
    match plan(loaded, &all, &CheckRequest::default(), control) {
        Ok(plan) => plan.words(),
        Err(stop) => format!("not known: {stop}"),
    }
}

/// A limit was reached before it was clear whom to ask.
fn stopped(stop: &Stop, loaded: &Loaded, asked: &[PropertyId], request: &CheckRequest, control: &Control) -> Report {
    let mut attempt = Attempt::new(loaded, AUTO, request, control);
    let searched = searched(loaded, asked, &mut attempt);
    searched.iter().for_each(|asked| attempt.nothing(asked.property, Reason::Stopped(stop.clone())));
    report(loaded, asked, attempt.findings, attempt.errors, control)
}

/// What all engines work on.
struct Race<'a> {
    loaded: &'a Loaded,
    asked: &'a [Asked],
    board: Board,
}

fn run(
    plan: &Plan<'_>,
    loaded: &Loaded,
    properties: &[PropertyId],
    request: &CheckRequest,
    control: &Control,
) -> Report {
    let start = Instant::now();
    let mut attempt = Attempt::new(loaded, plan.first().name, request, control);
    let asked = searched(loaded, properties, &mut attempt);
    let (mut findings, mut errors) = (attempt.findings, attempt.errors);
    let answered: Vec<_> = findings.iter().map(|finding| finding.property).collect();
    announce(loaded, &answered, plan.first().name, control);
    let race = Race { loaded, asked: &asked, board: Board::new(asked.len(), start) };
    if !asked.is_empty() {
        let starved = race.in_turns(plan, request, control);
        race.alone(&starved, request, control);
    }
    let (found, rejected) = race.board.findings(plan, loaded, &asked, control);
    findings.extend(found);
    errors.extend(rejected);
    report(loaded, properties, findings, errors, control)
}

impl Race<'_> {
    /// A thread for each engine; whoever settles the last open property cancels the others.
    fn in_turns<'p>(&'p self, plan: &'p Plan<'p>, request: &CheckRequest, control: &Control) -> Vec<Starved<'p>> {
        let n = plan.contenders.len();
        let controls = sink::children(control, n);
        let turns = Turns::new(n, request.jobs);
        let beside = CheckRequest { jobs: (request.jobs / n).max(1), ..request.clone() };
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for (number, contender) in plan.contenders.iter().enumerate() {
                let turn = turns.of(number, contender.first, contender.slice);
                // Who begins is alone at first.
                let request = if number == 0 { request } else { &beside };
                let price = if number == 0 { Price::Own } else { Price::All };
                let own = controls[number].child(1).with_pace(Arc::clone(&turn) as Arc<_>);
                let lane = Lane::new(self, contender, price, request.clone(), own);
                let controls = &controls;
                let work = move || in_turn(&turn, contender.n_passed, lane, controls);
                let builder = thread::Builder::new().name(contender.name.to_owned()).stack_size(DEEP_STACK);
                match builder.spawn_scoped(scope, work) {
                    Ok(thread) => threads.push(thread),
                    Err(_) => {
                        turns.leave(number);
                        self.not_begun(contender, request, control);
                    }
                }
            }
            if threads.is_empty() {
                // Where the system has no thread to spare, one has to do, and nobody waits for it.
                return Lane::new(self, plan.first(), Price::Own, request.clone(), control.child(1)).run(&[]);
            }
            let join = |thread: thread::ScopedJoinHandle<'_, Vec<Starved<'p>>>| {
                let engine = thread.thread().name().unwrap_or_default().to_owned();
                thread.join().unwrap_or_else(|_| {
                    // What others have found stays found.
                    self.board.reject(vec![format!("{engine} panicked")]);
                    Vec::new()
                })
            };
            threads.into_iter().flat_map(join).collect()
        })
    }

    /// The system has no room for the thread of this engine.
    fn not_begun(&self, contender: &Contender<'_>, request: &CheckRequest, control: &Control) {
        let mut attempt = Attempt::new(self.loaded, contender.name, request, control);
        for asked in self.asked {
            attempt.nothing(asked.property, Reason::Stopped(Stop::Memory(Whose::System)));
        }
        attempt
            .findings
            .into_iter()
            .enumerate()
            .for_each(|(place, finding)| self.board.take(Price::All, place, finding));
    }

    /// Who ran out of memory beside others gets all of it at last.
    fn alone(&self, starved: &[Starved<'_>], request: &CheckRequest, control: &Control) {
        for Starved { contender, places } in starved {
            let open: Vec<usize> = places.iter().copied().filter(|&place| self.board.is_open_at(place)).collect();
            if !open.is_empty() && control.check().is_ok() {
                self.attempt(contender, Price::All, u64::MAX, &open, request, control);
            }
        }
    }

    /// Runs an engine on some of the properties; for each of them: may a greater budget help?
    fn attempt(
        &self,
        contender: &Contender<'_>,
        price: Price,
        budget: u64,
        places: &[usize],
        request: &CheckRequest,
        control: &Control,
    ) -> Vec<MayHelp> {
        let asked: Vec<Asked> = places.iter().map(|&place| self.asked[place]).collect();
        let properties: Vec<_> = asked.iter().map(|asked| asked.property).collect();
        announce(self.loaded, &properties, contender.name, control);
        let engine = (contender.make)(budget, request);
        let by_property: Map<PropertyId, usize> = properties.iter().copied().zip(places.iter().copied()).collect();
        let publish = |finding: &PropertyReport| {
            if finding.verdict != Verdict::Unknown {
                self.board.take(price, by_property[&finding.property], finding.clone());
            }
        };
        let mut attempt = Attempt::new(self.loaded, contender.name, request, control).publishing(publish);
        let mut helps: Map<usize, MayHelp> = Map::default();
        for (property, why) in attempt.search(&*engine, &asked) {
            let place = by_property[&property];
            self.board.refused(place, contender.name, &why);
            helps.insert(place, MayHelp::Nothing);
        }
        let is_wrong = !attempt.errors.is_empty();
        self.board.reject(attempt.errors);
        for finding in attempt.findings {
            let place = by_property[&finding.property];
            let help = if is_wrong { MayHelp::Nothing } else { lane::may_help(&finding, contender, budget) };
            helps.insert(place, help);
            // What is decided was published already.
            if finding.verdict == Verdict::Unknown {
                self.board.take(price, place, finding);
            }
        }
        places.iter().map(|place| helps[place]).collect()
    }
}

/// The work of one thread.
fn in_turn<'p>(turn: &Turn, n_passed: u32, lane: Lane<'p>, controls: &[Control]) -> Vec<Starved<'p>> {
    let _leaving = turn.begin();
    (0..n_passed).for_each(|_| turn.pass());
    let _guard = lane::CancelOnPanic(controls);
    lane.run(controls)
}

/// What may help an engine that gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MayHelp {
    Nothing,
    Budget,
    Memory,
}

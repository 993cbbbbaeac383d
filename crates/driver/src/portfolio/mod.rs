//! Engine `auto`: a portfolio. One engine with a small budget comes first; what it leaves open goes to engines that
//! complement each other, and every property is settled by whichever of them is the first with evidence that the
//! checker accepts.
//!
//! Budgets are counts, so one thread takes the same turns every time. Two threads give the same verdicts, but the engine
//! that is first may differ.

mod board;
mod lane;
mod plan;
mod sink;
#[cfg(test)]
mod tests;
mod words;

use std::io;
use std::panic::resume_unwind;
use std::thread;
use std::time::Instant;

use lapidary_base::Control;
use lapidary_verdict::{PropertyReport, Report};

use crate::attempt::{Asked, Attempt};
use crate::check::{announce, report, searched};
use crate::load::Loaded;
use crate::request::CheckRequest;
use board::{Board, Stage};
use lane::{Lane, Starved};
use plan::{Contender, Plan, plan};

pub fn check(loaded: &Loaded, request: &CheckRequest, control: &Control) -> Report {
    run(&plan(loaded, request), loaded, request, control)
}

/// What `auto` would do with a model, for `lapidary info`.
pub fn describe(loaded: &Loaded) -> String {
    plan(loaded, &CheckRequest::default()).words()
}

/// Engines recurse over formulas as deep as they are nested; this is address space, not memory, until it is used.
const STACK_BYTES: usize = 256 << 20;

/// What all engines work on.
struct Race<'a> {
    loaded: &'a Loaded,
    asked: &'a [Asked],
    board: Board,
}

fn run(plan: &Plan<'_>, loaded: &Loaded, request: &CheckRequest, control: &Control) -> Report {
    let start = Instant::now();
    let mut attempt = Attempt::new(loaded, plan.first.name, request, control);
    let asked = searched(loaded, &mut attempt);
    let (mut findings, mut errors) = (attempt.findings, attempt.errors);
    let answered: Vec<_> = findings.iter().map(|finding| finding.property).collect();
    announce(loaded, &answered, plan.first.name, control);
    let race = Race { loaded, asked: &asked, board: Board::new(asked.len(), start) };
    if !asked.is_empty() {
        let all: Vec<usize> = (0..asked.len()).collect();
        race.attempt(Stage::First, &plan.first, Some(plan.first.budget.at(0)), &all, request, control);
    }
    if race.board.is_open() && control.check().is_ok() {
        match request.jobs {
            0 | 1 => race.take_turns(&plan.lanes, request, control),
            _ => race.side_by_side(&plan.lanes, request, control),
        }
    }
    let (found, rejected) = race.board.findings(plan, loaded, &asked, control);
    findings.extend(found);
    errors.extend(rejected);
    report(loaded, findings, errors, control)
}

impl Race<'_> {
    /// One thread: the engines of both lanes alternate, each with budgets that grow.
    fn take_turns(&self, lanes: &[Vec<Contender<'_>>; 2], request: &CheckRequest, control: &Control) {
        let [one, other] = lanes;
        let longest = one.len().max(other.len());
        let contenders = (0..longest).flat_map(|i| one.get(i).into_iter().chain(other.get(i))).collect();
        Lane::new(self, contenders, request.clone(), control.child(1)).run(&[]);
    }

    /// A thread for each lane; whoever settles the last open property cancels the other.
    fn side_by_side(&self, all: &[Vec<Contender<'_>>; 2], request: &CheckRequest, control: &Control) {
        let lanes: Vec<&Vec<Contender<'_>>> = all.iter().filter(|lane| !lane.is_empty()).collect();
        let n = lanes.len();
        let request = CheckRequest { jobs: (request.jobs / n.max(1)).max(1), ..request.clone() };
        let controls = sink::children(control, n);
        let ended: Vec<io::Result<Vec<Starved<'_>>>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..n)
                .map(|i| {
                    let (request, own, controls) = (request.clone(), controls[i].child(1), &controls);
                    let contenders = lanes[i].iter().collect();
                    let work = move || {
                        let _guard = lane::CancelOnPanic(controls);
                        Lane::new(self, contenders, request, own).run(controls)
                    };
                    let builder = thread::Builder::new().name(format!("lane {i}")).stack_size(STACK_BYTES);
                    builder.spawn_scoped(scope, work)
                })
                .collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| thread.join().unwrap_or_else(|why| resume_unwind(why));
            threads.into_iter().map(|thread| thread.map(join)).collect()
        });
        let whole = CheckRequest { jobs: request.jobs.saturating_mul(n), ..request };
        let all_ran = ended.iter().all(io::Result::is_ok);
        let starved: Vec<Starved<'_>> = ended.into_iter().flatten().flatten().collect();
        self.alone(&starved, &whole, control);
        // Where the system has no thread to spare, one has to do.
        if !all_ran && self.board.is_open() && control.check().is_ok() {
            self.take_turns(all, &whole, control);
        }
    }

    /// Who ran out of memory beside others gets all of it at last.
    fn alone(&self, starved: &[Starved<'_>], request: &CheckRequest, control: &Control) {
        for Starved { contender, places } in starved {
            let open: Vec<usize> = places.iter().copied().filter(|&place| self.board.is_open_at(place)).collect();
            if !open.is_empty() && control.check().is_ok() {
                self.attempt(Stage::Rest, contender, None, &open, request, control);
            }
        }
    }

    /// Runs an engine on some of the properties; for each of them: may a greater budget help?
    fn attempt(
        &self,
        stage: Stage,
        contender: &Contender<'_>,
        budget: Option<u64>,
        places: &[usize],
        request: &CheckRequest,
        control: &Control,
    ) -> Vec<MayHelp> {
        let asked: Vec<Asked> = places.iter().map(|&place| self.asked[place]).collect();
        let properties: Vec<_> = asked.iter().map(|asked| asked.property).collect();
        announce(self.loaded, &properties, contender.name, control);
        let engine = (contender.make)(budget, request);
        let mut attempt = Attempt::new(self.loaded, contender.name, request, control);
        if let Err(why) = attempt.search(&*engine, &asked) {
            places.iter().for_each(|&place| self.board.refused(stage, place, contender.name, &why));
            return places.iter().map(|_| MayHelp::Nothing).collect();
        }
        let is_wrong = !attempt.errors.is_empty();
        self.board.reject(attempt.errors);
        let take = |(&place, finding): (&usize, PropertyReport)| {
            let help = if is_wrong { MayHelp::Nothing } else { lane::may_help(&finding, contender, budget) };
            self.board.take(stage, place, finding);
            help
        };
        places.iter().zip(attempt.findings).map(take).collect()
    }
}

/// What may help an engine that gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MayHelp {
    Nothing,
    Budget,
    Memory,
}

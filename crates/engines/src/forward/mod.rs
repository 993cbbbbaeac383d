//! Engine `forward`: from the initial markings onwards, with any number of tokens where a sequence can be repeated.

mod concrete;
mod entry;
mod goals;
mod label;
mod maximal;
mod moves;
mod proof;
mod pump;
mod relaxed;
mod search;
#[cfg(test)]
mod tests;
mod tree;
mod unroll;

use std::sync::Arc;
use std::time::Instant;

use lapidary_base::{Control, Id, Stop, memory};
use lapidary_ir::Net;
use lapidary_system::net::Marking;
use lapidary_verdict::{Certificate, Stats, Trace};

use crate::coverability::{Exchange, Problem, Pumping, Reduced, problems, reduce_within, run};
use crate::{Answer, Engine, Known, Outcome, Prepared, Refused, Task, ready};
pub use entry::FORWARD;

use goals::{Goal, Goals};
use search::{Counts, Found, Search};

/// The options of engine `forward`.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// For portfolios: give up when so many markings are stored.
    pub most_states: Option<u64>,
    /// Where a backward search for the same targets tells what it finds.
    pub exchange: Option<Arc<Exchange>>,
}

#[derive(Clone, Debug, Default)]
pub struct ForwardEngine {
    pub config: Config,
}

impl Engine for ForwardEngine {
    fn name(&self) -> &'static str {
        FORWARD.name
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        let problems = problems(task, control)?;
        Ok(ready(move |control, tell| {
            for (target, problem) in problems.iter().enumerate() {
                tell(vec![(target, answer(problem, &self.config, control))]);
            }
        }))
    }
}

fn answer(problem: &Problem<'_>, config: &Config, control: &Control) -> Answer {
    let start = Instant::now();
    let mut counts = Counts::default();
    let mut work = Work { problem, target: problem.key(), config, control, counts: &mut counts };
    let outcome = work.outcome().unwrap_or_else(Outcome::Unknown);
    let Counts { states, transitions, depth } = counts;
    let known = match &outcome {
        Outcome::Unknown(_) if states > 0 => Some(Known::from(format!("in {states} markings"))),
        Outcome::Unknown(_) | Outcome::Found(_) | Outcome::Excluded(_) => None,
    };
    let stats = Stats {
        counts: vec![("states", states), ("transitions", transitions), ("depth", depth)],
        search_seconds: start.elapsed().as_secs_f64(),
        search_memory: memory::peak_resident().unwrap_or(0),
        ..Stats::default()
    };
    Answer { outcome, stats, known, never_enabled: Vec::new() }
}

/// One target and what may be spent on it.
struct Work<'a> {
    problem: &'a Problem<'a>,
    target: usize,
    config: &'a Config,
    control: &'a Control,
    counts: &'a mut Counts,
}

impl Work<'_> {
    fn outcome(&mut self) -> Result<Outcome, Stop> {
        match &self.problem.not_monotone {
            None => self.monotone(),
            Some((why, _)) => self.not_monotone(why),
        }
    }

    fn monotone(&mut self) -> Result<Outcome, Stop> {
        let exchange = self.config.exchange.clone();
        let exchange = exchange.as_deref().map(|exchange| (exchange, self.target));
        match self.cover(self.problem.net, exchange)? {
            Covered::Run(trace) => Ok(Outcome::Found(trace)),
            Covered::Never(proof) => Ok(Outcome::Excluded(proof)),
            Covered::Unclear => Err(Stop::Incomplete("a run that was found cannot be repeated".to_owned())),
            Covered::Exhausted => Err(Stop::Incomplete("tokens can choose in too many ways".to_owned())),
        }
    }

    /// First some markings, then a proof without the upper bounds, and then markings for as long as it takes.
    fn not_monotone(&mut self, why: &str) -> Result<Outcome, Stop> {
        if let Some(trace) = self.concrete(concrete::Effort::Little)? {
            return Ok(Outcome::Found(trace));
        }
        match self.cover(&relaxed::relaxed(self.problem.net), None)? {
            Covered::Run(trace) => return Ok(Outcome::Found(trace)),
            Covered::Never(proof) => return Ok(Outcome::Excluded(proof)),
            Covered::Unclear | Covered::Exhausted => {}
        }
        if let Some(trace) = self.concrete(concrete::Effort::All)? {
            return Ok(Outcome::Found(trace));
        }
        Err(Stop::Incomplete(format!("a forward search cannot show that the target is never met: {why}")))
    }

    fn concrete(&mut self, effort: concrete::Effort) -> Result<Option<Trace>, Stop> {
        concrete::search(self.problem, effort, self.most_states(), self.counts, self.control)
    }

    fn most_states(&self) -> u64 {
        self.config.most_states.unwrap_or(u64::MAX)
    }

    /// The search with omegas on a monotone net with the places and transitions of the problem's net.
    fn cover(&mut self, net: &Net, exchange: Option<(&Exchange, usize)>) -> Result<Covered, Stop> {
        let reduced = reduce_within(net, &self.problem.minimal, Pumping::Allowed, self.control)?;
        if reduced.minimal.is_empty() {
            return Ok(Covered::Never(proof::ideals(net, &reduced, [&[][..]])));
        }
        let goals = Goals::new(&reduced.minimal, exchange)?;
        let most_states = self.most_states().saturating_sub(self.counts.states);
        let mut search = Search::new(&reduced.net, goals, most_states, self.control)?;
        let found = search.run();
        self.counts.add(search.counts);
        match found? {
            Found::Goal(node, goal) => {
                let trace = self.trace(&reduced, &search, node, goal, exchange)?;
                Ok(trace.map_or(Covered::Unclear, Covered::Run))
            }
            Found::Closed => {
                let rows = search.maximal.rows().map(|(_, row)| row);
                Ok(Covered::Never(proof::ideals(net, &reduced, rows)))
            }
            Found::Exhausted => Ok(Covered::Exhausted),
        }
    }

    fn trace(
        &self,
        reduced: &Reduced,
        search: &Search<'_>,
        node: tree::NodeId,
        goal: Goal,
        exchange: Option<(&Exchange, usize)>,
    ) -> Result<Option<Trace>, Stop> {
        let (marking, rest) = match (goal, exchange) {
            (Goal::Target(at), _) => (reduced.minimal[at].clone(), Vec::new()),
            (Goal::Published(index), Some((exchange, target))) => {
                (element(exchange, target, index, reduced.places.len()), exchange.path(target, index))
            }
            (Goal::Published(_), None) => return Ok(None),
        };
        let n_places = self.problem.net.places.len();
        let (start, mut steps) = unroll::unroll(search, &reduced.net, node, &marking, n_places, self.control)?;
        steps.extend(rest);
        run(self.problem, reduced, &start, &steps, self.control)
    }
}

/// What the search with omegas found out.
enum Covered {
    Run(Trace),
    Never(Certificate),
    /// The target is covered, but the run that shows it does not fire: only if the net was made monotone.
    Unclear,
    /// Not all successors were looked at.
    Exhausted,
}

/// A marking that a backward search has published.
fn element(exchange: &Exchange, target: usize, index: usize, n_places: usize) -> Marking {
    let mut marking: Marking = vec![0; n_places].into();
    for (place, tokens) in exchange.elements(target, index).into_iter().next().map_or(Vec::new(), |first| first.marking)
    {
        marking[place.index()] = tokens;
    }
    marking
}

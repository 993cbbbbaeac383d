//! Explicit reachability: engine `explicit`, the search over listed states with the one-point lattice.
//!
//! One search answers for all targets of a task. It ends when every target was met or no state waits any more;
//! then the stored set is the certificate of the targets that were not met.

mod dive;
mod passed;
mod search;

use std::sync::Arc;
use std::time::Instant;

use lapidary_base::{Control, Id, Stop, memory};
use lapidary_ir::{CommandId, Target};
use lapidary_system::{Explicit, Halt};
use lapidary_verdict::{Certificate, Enumeration, Stats, Trace};

use crate::{Answer, Engine, Outcome, Prepared, Refused, Task, Tell, ready};
pub use search::Order;
use search::{Counts, Hit, Search};

/// The options of engine `explicit`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Config {
    pub order: Order,
    /// For portfolios: give up when so many states are stored.
    pub most_states: Option<u64>,
}

pub struct ExplicitEngine {
    pub config: Config,
}

impl Engine for ExplicitEngine {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        let system = compile(task, control)?;
        Ok(ready(move |control, tell| explore(&system, task, self.config, control, tell)))
    }
}

fn compile(task: &Task<'_>, control: &Control) -> Result<Explicit, Halt> {
    let system = Explicit::within(task.model, task.targets, task.sources, control)?;
    Ok(system.with_goal_names(task.target_names.to_vec()))
}

/// Runs are told as soon as they are found; what no run leads to, at the end.
fn explore(system: &Explicit, task: &Task<'_>, config: Config, control: &Control, tell: &mut Tell<'_>) {
    let start = Instant::now();
    let is_deadlock = |&i: &usize| task.targets[i] == Target::Deadlocks;
    let (deadlocks, states) = (0..task.targets.len()).partition(is_deadlock);
    let is_idle = task.model.commands.iter().map(|command| command.is_idle).collect();
    let mut search = Search::new(system, config, is_idle, control);
    let mut n_told = 0;
    let ended = search.run(states, deadlocks, &mut |search| {
        let measured = Measured::new(start, search.counts);
        let reached = |hit: &Hit| (hit.target, reached(system, search, hit, &measured));
        tell(search.hits[n_told..].iter().map(reached).collect());
        n_told = search.hits.len();
    });
    let measured = Measured::new(start, search.counts);
    let mut is_met = vec![false; task.targets.len()];
    search.hits.iter().for_each(|hit| is_met[hit.target] = true);
    let late = search.hits[n_told..].iter().map(|hit| (hit.target, reached(system, &search, hit, &measured)));
    let late: Vec<(usize, Answer)> = late.collect();
    let rest = match ended {
        Ok(()) => {
            let never_enabled = never_enabled(&search.fired);
            let states = search.passed.into_enumeration(system.layout().clone());
            Rest::Unreachable(states, never_enabled)
        }
        Err(stop) => {
            let known = |target| known(target, search.level, search.n_tested, search.n_listed);
            Rest::Unknown(stop, task.targets.iter().map(known).collect())
        }
    };
    let others = (0..is_met.len()).filter(|&target| !is_met[target]);
    let others: Vec<(usize, Answer)> = others.map(|target| (target, rest.answer(target, &measured))).collect();
    tell(late.into_iter().chain(others).collect());
}

/// What holds for the whole search.
struct Measured {
    seconds: f64,
    memory: u64,
    counts: Counts,
}

impl Measured {
    fn new(start: Instant, counts: Counts) -> Self {
        let memory = memory::peak_resident().unwrap_or(0);
        Self { seconds: start.elapsed().as_secs_f64(), memory, counts }
    }

    fn stats(&self, counts: Counts) -> Stats {
        let Counts { states, transitions, depth } = counts;
        Stats {
            counts: vec![("states", states), ("transitions", transitions), ("depth", depth)],
            spreads: Vec::new(),
            rounds: Vec::new(),
            search_seconds: self.seconds,
            check_seconds: 0.0,
            search_memory: self.memory,
        }
    }
}

fn reached(system: &Explicit, search: &Search<'_, Explicit>, hit: &Hit, measured: &Measured) -> Answer {
    let outcome = match search.path(hit.node) {
        Ok((nodes, actions)) => {
            let states = nodes.into_iter().map(|node| system.unpack(search.passed.state(node))).collect();
            Outcome::Reached(Trace { states, actions, loop_start: None })
        }
        Err(stop) => Outcome::Unknown(stop),
    };
    Answer { outcome, stats: measured.stats(hit.counts), known: None, never_enabled: Vec::new() }
}

/// The common answer for targets that were not met.
enum Rest {
    Unreachable(Arc<Enumeration>, Vec<CommandId>),
    /// Why, and per target what is known all the same.
    Unknown(Stop, Vec<Option<String>>),
}

impl Rest {
    fn answer(&self, target: usize, measured: &Measured) -> Answer {
        let (outcome, known, never_enabled) = match self {
            Self::Unreachable(states, never_enabled) => {
                let certificate = Certificate::Enumeration(Arc::clone(states));
                (Outcome::Unreachable(certificate), None, never_enabled.clone())
            }
            Self::Unknown(stop, known) => (Outcome::Unknown(stop.clone()), known[target].clone(), Vec::new()),
        };
        Answer { outcome, stats: measured.stats(measured.counts), known, never_enabled }
    }
}

fn never_enabled(fired: &[bool]) -> Vec<CommandId> {
    (0..fired.len()).filter(|&i| !fired[i]).map(CommandId::new).collect()
}

/// Targets are tested when a state is stored, so all states at the distance of those being expanded were tested;
/// whether a state has a step is known only once its steps are listed.
fn known(target: &Target, level: Option<u64>, n_tested: u64, n_listed: u64) -> Option<String> {
    let (depth, n_states) = match target {
        Target::States(_) => (level, n_tested),
        Target::Deadlocks => (level.and_then(|level| level.checked_sub(1)), n_listed),
    };
    match depth {
        _ if n_states == 0 => None,
        Some(depth) => Some(format!("within {} ({})", counted(depth, "step"), counted(n_states, "state"))),
        None => Some(format!("among {}", counted(n_states, "state"))),
    }
}

/// `1 state`, `2 states`.
fn counted(n: u64, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}

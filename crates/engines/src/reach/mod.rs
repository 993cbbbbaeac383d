//! Search over listed states: store, waiting list, expansion and paths are four things, which products with automata and searches
//! for cycles can use without each other. Engine `explicit` is the search with the one-point lattice.
//!
//! One search answers for all targets of a task. It ends when every target was met or no state waits any more;
//! then the stored set is the certificate of the targets that were not met.

mod dive;
mod entry;
pub mod expand;
pub mod ordered;
pub mod passed;
pub mod path;
pub mod rounds;
mod rows;
pub mod search;
pub mod store;
pub mod waiting;

use std::sync::Arc;
use std::time::Instant;

use lapidary_base::{Control, Id, Stop, memory};
use lapidary_ir::{CommandId, Expr, Model};
use lapidary_system::{Explicit, Halt, Successors};
use lapidary_verdict::{Certificate, Enumeration, Stats, Trace};

use crate::words::counted;
use crate::{Answer, Engine, Goal, Known, Outcome, Prepared, Refused, Target, Task, Tell, ready};
pub use entry::EXPLICIT;
use passed::Passed;
use path::Path;
use rounds::Rounds;
use search::{Counts, Hit, Search};
use store::Store;
use waiting::Waiting;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Finds shortest runs.
    #[default]
    BreadthFirst,
    /// Goes deep at once; runs may be long.
    DepthFirst,
}

impl Order {
    /// Who waits where nothing that is stored goes or grows.
    fn waiting(self) -> Waiting {
        match self {
            Self::BreadthFirst => Waiting::interval(),
            Self::DepthFirst => Waiting::Nobody,
        }
    }
}

/// The options of engine `explicit`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Config {
    pub order: Order,
    /// For portfolios: give up when so many states are stored.
    pub most_states: Option<u64>,
    /// Two or more may be used as two.
    pub threads: u32,
}

pub struct ExplicitEngine {
    pub config: Config,
}

impl Engine for ExplicitEngine {
    fn name(&self) -> &'static str {
        EXPLICIT.name
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        let model = task.model(control)?;
        let wanted = Wanted::new(task);
        let system = compile(task, &wanted, model, control)?;
        Ok(ready(move |control, tell| explore(&system, task, &wanted, model, self.config, control, tell)))
    }
}

/// Goals as the search numbers them: first those that a state is tested for, then deadlocks.
struct Wanted {
    conditions: Vec<Expr>,
    /// By those numbers.
    goals: Vec<usize>,
}

impl Wanted {
    fn new(task: &Task<'_>) -> Self {
        let (mut conditions, mut tested, mut deadlocks) = (Vec::new(), Vec::new(), Vec::new());
        for (number, goal) in task.goals.iter().enumerate() {
            match goal.target {
                Target::States(condition) => {
                    conditions.push(condition);
                    tested.push(number);
                }
                Target::Deadlocks => deadlocks.push(number),
            }
        }
        Self { conditions, goals: [tested, deadlocks].concat() }
    }
}

fn compile(task: &Task<'_>, wanted: &Wanted, model: &Model, control: &Control) -> Result<Explicit, Halt> {
    let system = Explicit::within(model, &wanted.conditions, task.sources, control)?;
    let tested = &wanted.goals[..wanted.conditions.len()];
    let name = |&goal: &usize| format!("property {}", task.name(goal));
    Ok(system.with_condition_names(tested.iter().map(name).collect()))
}

/// Runs are told as soon as they are found; what no run leads to, at the end.
fn explore(
    system: &Explicit,
    task: &Task<'_>,
    wanted: &Wanted,
    model: &Model,
    config: Config,
    control: &Control,
    tell: &mut Tell<'_>,
) {
    let start = Instant::now();
    let (conditions, deadlocks) = (0..wanted.goals.len()).partition(|&i| i < wanted.conditions.len());
    let is_idle = model.commands.iter().map(|command| command.is_idle).collect();
    let passed = Passed::new(system.words(), system.all_ones_is_free());
    let mut search =
        Search::new(system, passed, config.order.waiting(), is_idle, control).with_most_states(config.most_states);
    let mut n_told = 0;
    let met = &mut |search: &Search<'_, Explicit, Passed>| {
        let measured = Measured::new(start, search.counts);
        let reached = |hit: &Hit| (wanted.goals[hit.target], reached(system, task, search, hit, &measured));
        tell(search.hits[n_told..].iter().map(reached).collect());
        n_told = search.hits.len();
    };
    let ended = match config.threads {
        0 | 1 => search.run(conditions, deadlocks, met),
        _ => search.run_shared(conditions, deadlocks, Rounds::default(), met),
    };
    let measured = Measured::new(start, search.counts);
    let mut is_met = vec![false; task.goals.len()];
    search.hits.iter().for_each(|hit| is_met[wanted.goals[hit.target]] = true);
    let late = |hit: &Hit| (wanted.goals[hit.target], reached(system, task, &search, hit, &measured));
    let late: Vec<(usize, Answer)> = search.hits[n_told..].iter().map(late).collect();
    let rest = match ended {
        Ok(()) => {
            let never_enabled = never_enabled(&search.fired);
            let states = search.store.into_enumeration(system.layout().clone());
            Rest::Unreachable(states, never_enabled)
        }
        Err(stop) => {
            let known = |goal: &Goal| known(goal.target, search.level, search.n_tested, search.n_listed);
            Rest::Unknown(stop, task.goals.iter().map(known).collect())
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

fn reached(
    system: &Explicit,
    task: &Task<'_>,
    search: &Search<'_, Explicit, Passed>,
    hit: &Hit,
    measured: &Measured,
) -> Answer {
    let grace = search.control.with_grace();
    let outcome = match path::path(system, &search.store, hit.node, &grace, &mut || search.look_late()) {
        Ok(Path { nodes, actions }) => {
            let states = nodes.into_iter().map(|node| system.unpack(search.store.state(node).discrete)).collect();
            let actions = actions.into_iter().map(|command| task.subject.action(command)).collect();
            Outcome::Found(Trace { states, actions, loop_start: None })
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
                (Outcome::Excluded(certificate), None, never_enabled.clone())
            }
            Self::Unknown(stop, known) => {
                (Outcome::Unknown(stop.clone()), known[target].clone().map(Known::from), Vec::new())
            }
        };
        Answer { outcome, stats: measured.stats(measured.counts), known, never_enabled }
    }
}

fn never_enabled(fired: &[bool]) -> Vec<CommandId> {
    (0..fired.len()).filter(|&i| !fired[i]).map(CommandId::new).collect()
}

/// Targets are tested when a state is stored, so all states at the distance of those being expanded were tested;
/// whether a state has a step is known only once its steps are listed.
fn known(target: Target, level: Option<u64>, n_tested: u64, n_listed: u64) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use lapidary_base::Pace;
    use lapidary_frontends::gcl;
    use lapidary_ir::{PropertyKind, Subject};
    use lapidary_text::Sources;

    use super::*;
    use crate::goals;

    fn load(text: &str) -> (Model, Sources, Vec<Target>) {
        let mut sources = Sources::default();
        let source = sources.add("test.gcl", text);
        let (model, diagnostics) = gcl::load(&sources, source, &gcl::Options::default());
        let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let targets = model.properties.iter().filter_map(|property| match property.kind {
            PropertyKind::Reach(formula) => Some(Target::States(formula)),
            PropertyKind::DeadlockFree | PropertyKind::Invariant(_) | PropertyKind::NoErrors | PropertyKind::Ltl(_) => {
                None
            }
        });
        let targets = targets.collect();
        (model, sources, targets)
    }

    /// The targets that are told together, in the order in which they are told.
    fn told(text: &str, order: Order, control: &Control) -> Vec<Vec<(usize, Outcome)>> {
        let (model, sources, targets) = load(text);
        let subject = Subject::Model(model.clone());
        let task = Task { subject: &subject, goals: &goals(&targets), sources: &sources };
        let mut told = Vec::new();
        let engine = ExplicitEngine { config: Config { order, most_states: None, threads: 1 } };
        let prepared = engine.prepare(&task, &Control::new()).unwrap_or_else(|_| panic!("a small model"));
        prepared.run(control, &mut |answers| {
            told.push(answers.into_iter().map(|(target, answer)| (target, answer.outcome)).collect());
        });
        told
    }

    #[test]
    fn runs_are_told_as_soon_as_they_are_found_in_either_order() {
        let text =
            "var x : 0..999 = 0; up: x < 999 -> x := x + 1; reach near: x = 3; reach far: x = 900; reach end: x = 999;";
        for order in [Order::BreadthFirst, Order::DepthFirst] {
            let told = told(text, order, &Control::new());
            let targets: Vec<Vec<usize>> =
                told.iter().map(|told| told.iter().map(|(target, _)| *target).collect()).collect();
            assert_eq!(targets, [[0], [1], [2]], "{order:?}");
            assert!(told.iter().flatten().all(|(_, outcome)| matches!(outcome, Outcome::Found(_))), "{order:?}");
        }
    }

    #[derive(Default)]
    struct Spent(AtomicU64);

    impl Pace for Spent {
        fn spend(&self, work: u64) -> Option<u64> {
            self.0.fetch_add(work, Ordering::Relaxed);
            None
        }

        fn pass(&self) {}
    }

    fn spent(text: &str, order: Order) -> u64 {
        let spent = Arc::new(Spent::default());
        told(text, order, &Control::new().with_pace(spent.clone()));
        spent.0.load(Ordering::Relaxed)
    }

    /// One state has all the steps. Listing them is counted as work, 24 units of it, and so is storing them; as many states
    /// that are reached one by one are expanded as often.
    #[test]
    fn storing_the_steps_of_one_state_is_counted_as_work() {
        let text = "var x : 0..99999 = 0; var y : 0..1 = 0; any: y = 0 -> x := input, y := 1; reach no: x < 0;";
        let steps = "var x : 0..99999 = 0; var y : 0..1 = 0; up: x < 99999 -> x := x + 1; reach no: x < 0;";
        let one_by_one = spent(steps, Order::BreadthFirst);
        for order in [Order::BreadthFirst, Order::DepthFirst] {
            assert!(spent(text, order) > one_by_one + 24 + 12, "{order:?}");
        }
    }

    #[test]
    fn testing_some_hundred_targets_is_counted_as_work() {
        let reach: String = (0..500).map(|i| format!("reach r{i}: x < 0 - {i};")).collect();
        let model = "var x : 0..999 = 0; up: x < 999 -> x := x + 1;";
        let few = spent(&format!("{model} reach no: x < 0;"), Order::BreadthFirst);
        assert!(spent(&format!("{model} {reach}"), Order::BreadthFirst) > few + 400);
    }
}

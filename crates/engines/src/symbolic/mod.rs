//! Reachability on decision diagrams: engine `bdd`.
//!
//! Forwards, one search answers for all targets, and the reachable set is the certificate of those that were not met.
//! Backwards, every target is searched for by itself, and the certificate is what can reach none of those that no initial
//! configuration reaches.

pub mod certificate;
mod chain;
mod rings;

use std::sync::Arc;
use std::time::Instant;

use lapidary_base::{Control, Stop, Whose, memory};
use lapidary_bdd::{Capacity, Set};
use lapidary_ir::{CommandId, Target, VarId};
use lapidary_system::TooMuch;
use lapidary_system::symbolic::{self, Origin, Symbolic, Unfit};
use lapidary_verdict::{Certificate, Diagram, Stats};

use crate::{Answer, Engine, Outcome, Prepared, Refused, Task, Unsupported, ready_at_once};

pub(crate) use certificate::diagram;
pub(crate) use chain::Chain;
pub(crate) use rings::{Rings, Way, run_through};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    #[default]
    Forward,
    Backward,
}

/// The options of engine `bdd`.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    pub direction: Direction,
    /// Threads of the diagram package.
    pub threads: u32,
    /// For portfolios: give up where so many nodes do not suffice.
    pub most_nodes: Option<usize>,
}

pub struct BddEngine {
    pub config: Config,
}

impl Engine for BddEngine {
    fn name(&self) -> &'static str {
        "bdd"
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        has_diagrams(task, control)?;
        Ok(ready_at_once(move |control| {
            let start = Instant::now();
            let stopped = |stop: Stop| task.targets.iter().map(|_| unknown(stop.clone(), None, start, &[])).collect();
            self.search(task, start, control).unwrap_or_else(stopped)
        }))
    }
}

/// Whether the task can be encoded at all; hierarchies always can.
pub(crate) fn has_diagrams(task: &Task<'_>, control: &Control) -> Result<(), Refused> {
    if task.tree.is_some() {
        return Ok(());
    }
    symbolic::accepts(task.model, control).map_err(|unfit| match unfit {
        Unfit::TooMuch(TooMuch { what, span }) => Unsupported { what, span }.into(),
        Unfit::Stopped(stop) => stop.into(),
    })
}

impl BddEngine {
    /// Setting up large tables takes longer than most searches: small ones come first, and the search begins anew where
    /// they do not suffice.
    fn search(&self, task: &Task<'_>, start: Instant, control: &Control) -> Result<Vec<Answer>, Stop> {
        let room = capacity(control, self.config.threads);
        let most = match self.config.most_nodes {
            Some(nodes) => Capacity { nodes: room.nodes.min(nodes), cache: room.cache.min(nodes), ..room },
            None => room,
        };
        let small = Capacity { nodes: most.nodes.min(SMALL), cache: most.cache.min(SMALL), ..most };
        if small != most {
            let answers = search(task, self.config, small, start, control)?;
            let ran_out = |answer: &Answer| matches!(answer.outcome, Outcome::Unknown(Stop::Memory(Whose::Tables)));
            if !answers.iter().any(ran_out) || control.check().is_err() {
                return Ok(answers.into_iter().map(|answer| out_of_room(answer, control)).collect());
            }
        }
        let answers = search(task, self.config, most, start, control)?;
        let ended = |answer| if most == room { out_of_room(answer, control) } else { within_budget(answer, most) };
        Ok(answers.into_iter().map(ended).collect())
    }
}

/// Nodes that ran out before the memory did are a budget that is spent.
fn within_budget(answer: Answer, most: Capacity) -> Answer {
    match answer.outcome {
        Outcome::Unknown(Stop::Memory(Whose::Tables)) => {
            Answer { outcome: Outcome::Unknown(Stop::budget(&format!("{} nodes", most.nodes))), ..answer }
        }
        Outcome::Reached(_) | Outcome::Unreachable(_) | Outcome::Unknown(_) => answer,
    }
}

/// Nodes and entries of the first tables.
pub(crate) const SMALL: usize = 1 << 18;

/// As much memory as there is when no limit is set, within reason.
const DEFAULT_MEMORY: u64 = 4 << 30;

/// The room for diagrams under the control's memory limit.
pub fn capacity(control: &Control, threads: u32) -> Capacity {
    let available = memory::available().unwrap_or(DEFAULT_MEMORY);
    let used = memory::resident().unwrap_or(0);
    let most = control.memory_limit().map_or(DEFAULT_MEMORY, |limit| limit.saturating_sub(used));
    Capacity::for_memory(most.min(available), threads)
}

/// Says whose limit it was where the largest tables that there may be were full.
fn out_of_room(answer: Answer, control: &Control) -> Answer {
    match answer.outcome {
        Outcome::Unknown(Stop::Memory(Whose::Tables)) => {
            let stop = control.check().err().unwrap_or_else(|| full(control));
            Answer { outcome: Outcome::Unknown(stop), ..answer }
        }
        Outcome::Reached(_) | Outcome::Unreachable(_) | Outcome::Unknown(_) => answer,
    }
}

/// The same for all that is told at once.
pub(crate) fn all_out_of_room(told: Vec<(usize, Answer)>, control: &Control) -> Vec<(usize, Answer)> {
    told.into_iter().map(|(target, answer)| (target, out_of_room(answer, control))).collect()
}

/// Whose limit it is that [`capacity`] keeps.
pub fn full(control: &Control) -> Stop {
    let available = memory::available().unwrap_or(0);
    if control.memory_limit().is_none() && available > DEFAULT_MEMORY {
        let why = "the diagrams outgrew 4 GiB, which is what they get where --memory sets no limit";
        return Stop::Incomplete(why.to_owned());
    }
    control.out_of_memory()
}

pub(crate) fn build(task: &Task<'_>, capacity: Capacity, control: &Control) -> Result<Symbolic, Stop> {
    match task.tree {
        Some(tree) => symbolic::compose(tree, capacity, control),
        None => symbolic::model(task.model, capacity, control),
    }
}

/// Where the nodes run out, all answers that are still open say so.
fn search(
    task: &Task<'_>,
    config: Config,
    capacity: Capacity,
    start: Instant,
    control: &Control,
) -> Result<Vec<Answer>, Stop> {
    let answers = answers(task, config, capacity, start, control);
    match answers {
        Err(stop @ Stop::Memory(_)) => {
            Ok(task.targets.iter().map(|_| unknown(stop.clone(), None, start, &[])).collect())
        }
        answers => answers,
    }
}

fn answers(
    task: &Task<'_>,
    config: Config,
    capacity: Capacity,
    start: Instant,
    control: &Control,
) -> Result<Vec<Answer>, Stop> {
    let system = build(task, capacity, control)?;
    let targets = targets(task, &system, control)?;
    match config.direction {
        Direction::Forward => forwards(task, &system, &targets, start, control),
        Direction::Backward => backwards(task, &system, &targets, start, control),
    }
}

pub(crate) fn targets(task: &Task<'_>, system: &Symbolic, control: &Control) -> Result<Vec<Set>, Stop> {
    let mut encoder = system.places.encoder(&system.space, &task.model.exprs, &task.model.families);
    let mut sets = Vec::new();
    for &target in task.targets {
        control.check()?;
        sets.push(match target {
            Target::States(expr) => system.space.and(&system.configurations, &encoder.holds(expr)?)?,
            Target::Deadlocks => system.deadlocks(control)?,
        });
    }
    Ok(sets)
}

/// The chain finds out what is in reach; rings are laid only as far as shortest runs to what it met need them.
fn forwards(
    task: &Task<'_>,
    system: &Symbolic,
    targets: &[Set],
    start: Instant,
    control: &Control,
) -> Result<Vec<Answer>, Stop> {
    let mut chain = Chain::new(system, &system.initial);
    let mut rings = Rings::new(system, &system.initial);
    let mut answers: Vec<Option<Answer>> = targets.iter().map(|_| None).collect();
    let ended = loop {
        for (target, answer) in targets.iter().zip(&mut answers).filter(|(_, answer)| answer.is_none()) {
            if system.space.intersects(&chain.all, target)? {
                *answer = Some(shortest(task, &mut rings, target, start, control)?);
            }
        }
        if answers.iter().all(Option::is_some) {
            break Ok(());
        }
        match chain.pass(control) {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(stop) => break Err(stop),
        }
    };
    let rest: Vec<Answer> = match ended {
        _ if answers.iter().all(Option::is_some) => Vec::new(),
        Ok(()) => {
            let reachable = Arc::new(whole(system, &chain.all)?);
            let silent = never_enabled(task, system, &chain.all)?;
            let open = answers.iter().filter(|answer| answer.is_none());
            open.map(|_| {
                let certificate = Certificate::Diagram(Arc::clone(&reachable));
                unreachable(certificate, silent.clone(), start, &chain.counts())
            })
            .collect()
        }
        Err(stop) => {
            let open = answers.iter().filter(|answer| answer.is_none());
            open.map(|_| unknown(stop.clone(), chain.known(), start, &chain.counts())).collect()
        }
    };
    let mut rest = rest.into_iter();
    Ok(answers.into_iter().filter_map(|answer| answer.or_else(|| rest.next())).collect())
}

/// A shortest run to a target that can be reached; a limit on the way leaves it unknown.
fn shortest(
    task: &Task<'_>,
    rings: &mut Rings<'_>,
    target: &Set,
    start: Instant,
    control: &Control,
) -> Result<Answer, Stop> {
    loop {
        if let Some(depth) = rings.meeting(target)? {
            let counts = rings.final_counts()?;
            return Ok(reached(rings.trace_to(task, target, depth, control)?, start, &counts));
        }
        match rings.grow(Way::Post, control) {
            Ok(true) => {}
            Ok(false) => panic!("rings come to all that the chain came to"),
            Err(stop) => return Ok(unknown(stop, rings.known(), start, &rings.counts())),
        }
    }
}

/// What a search from a target backwards ended with.
enum Ended {
    Answered(Box<Answer>),
    /// With all that can reach the target.
    Apart(Set, Vec<(&'static str, u64)>),
}

/// Targets out of reach share one certificate: what can reach none of them. A property that is asked through two targets
/// needs both to be missed by the same set.
fn backwards(
    task: &Task<'_>,
    system: &Symbolic,
    targets: &[Set],
    start: Instant,
    control: &Control,
) -> Result<Vec<Answer>, Stop> {
    let mut safe = system.configurations.clone();
    let mut ended = Vec::new();
    for target in targets {
        let one = search_back(task, system, target, start, control)?;
        if let Ended::Apart(unsafe_states, _) = &one {
            safe = system.space.minus(&safe, unsafe_states)?;
        }
        ended.push(one);
    }
    let certificate = Arc::new(whole(system, &safe)?);
    let answer = |ended| match ended {
        Ended::Answered(answer) => *answer,
        Ended::Apart(_, counts) => {
            unreachable(Certificate::Diagram(Arc::clone(&certificate)), Vec::new(), start, &counts)
        }
    };
    Ok(ended.into_iter().map(answer).collect())
}

fn search_back(
    task: &Task<'_>,
    system: &Symbolic,
    target: &Set,
    start: Instant,
    control: &Control,
) -> Result<Ended, Stop> {
    let answered = |answer: Answer| Ok(Ended::Answered(Box::new(answer)));
    let mut rings = Rings::new(system, target);
    loop {
        if system.space.intersects(rings.last(), &system.initial)? {
            let counts = rings.final_counts()?;
            return answered(reached(rings.trace_from(task, &system.initial, control)?, start, &counts));
        }
        match rings.grow(Way::Pre, control) {
            Ok(true) => {}
            Ok(false) => return Ok(Ended::Apart(rings.all.clone(), rings.final_counts()?)),
            Err(stop) => return answered(unknown(stop, rings.known(), start, &rings.counts())),
        }
    }
}

/// A set of configurations as a diagram.
pub fn whole(system: &Symbolic, set: &Set) -> Result<Diagram, Stop> {
    let vars: Vec<VarId> = system.places.essential().collect();
    diagram(&system.space, &system.places, &vars, set)
}

/// The commands that no reachable state enables; of a tree's flat events nothing is said.
fn never_enabled(task: &Task<'_>, system: &Symbolic, reachable: &Set) -> Result<Vec<CommandId>, Stop> {
    if task.tree.is_some() {
        return Ok(Vec::new());
    }
    let mut enabled = Vec::new();
    for group in &system.groups {
        if let Origin::Command(id) = group.origin
            && !system.space.is_none(&system.post(group, reachable)?)
        {
            enabled.push(id);
        }
    }
    let is_silent = |id: &CommandId| !task.model.commands[*id].is_idle && !enabled.contains(id);
    Ok(task.model.commands.ids().filter(is_silent).collect())
}

type Counts = [(&'static str, u64)];

fn stats(start: Instant, counts: &Counts) -> Stats {
    Stats {
        counts: counts.to_vec(),
        spreads: Vec::new(),
        rounds: Vec::new(),
        search_seconds: start.elapsed().as_secs_f64(),
        check_seconds: 0.0,
        search_memory: memory::peak_resident().unwrap_or(0),
    }
}

fn reached(trace: lapidary_verdict::Trace, start: Instant, counts: &Counts) -> Answer {
    let outcome = Outcome::Reached(trace);
    Answer { outcome, stats: stats(start, counts), known: None, never_enabled: Vec::new() }
}

fn unreachable(certificate: Certificate, never_enabled: Vec<CommandId>, start: Instant, counts: &Counts) -> Answer {
    let outcome = Outcome::Unreachable(certificate);
    Answer { outcome, stats: stats(start, counts), known: None, never_enabled }
}

fn unknown(stop: Stop, known: Option<String>, start: Instant, counts: &Counts) -> Answer {
    Answer { outcome: Outcome::Unknown(stop), stats: stats(start, counts), known, never_enabled: Vec::new() }
}

//! Reachability on decision diagrams: engine `bdd`.
//!
//! Forwards, one search answers for all targets, and the reachable set is the certificate of those that were not met.
//! Backwards, every target is searched for by itself, and the certificate is what can reach none of those that no initial
//! configuration reaches.

pub mod certificate;
mod chain;
mod entry;
mod rings;
mod runs;

use std::sync::Arc;
use std::time::Instant;

use lapidary_base::{Control, Stop, Whose, memory};
use lapidary_bdd::{Capacity, Set, address_space_of_workers};
use lapidary_ir::{CommandId, CountedNet, Subject, VarId};
use lapidary_system::TooMuch;
use lapidary_system::symbolic::{self, Origin, Symbolic, Unfit};
use lapidary_verdict::{Certificate, Diagram, Stats};

use crate::{Answer, Begins, Engine, Known, Outcome, Prepared, Refused, Target, Task, Tell, Unsupported, ready};
pub use entry::BDD;

pub(crate) use certificate::diagram;
pub(crate) use chain::Chain;
pub(crate) use rings::{Rings, Way};
pub(crate) use runs::{named, run_through};

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
        BDD.name
    }

    fn begins(&self) -> Begins {
        match self.config.direction {
            Direction::Forward => Begins::AtInitialStates,
            Direction::Backward => Begins::AtGoals,
        }
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        let subject = task.subject.apart();
        has_diagrams(&task.of(&subject), control)?;
        Ok(ready(move |control, tell| self.search(&task.of(&subject), control, tell)))
    }
}

/// Whether the task can be encoded at all; hierarchies always can.
pub(crate) fn has_diagrams(task: &Task<'_>, control: &Control) -> Result<(), Refused> {
    if task.subject.tree().is_some() {
        return Ok(());
    }
    symbolic::accepts(task.model(control)?, control).map_err(|unfit| match unfit {
        Unfit::TooMuch(TooMuch { what, span }) => Unsupported { what, span }.into(),
        Unfit::Stopped(stop) => stop.into(),
    })
}

impl BddEngine {
    /// Setting up large tables takes longer than most searches: small ones come first, and the search begins anew for what
    /// they do not suffice for.
    fn search(&self, task: &Task<'_>, control: &Control, tell: &mut Tell<'_>) {
        let room = capacity(control, self.config.threads);
        let most = match self.config.most_nodes {
            Some(nodes) => Capacity { nodes: room.nodes.min(nodes), cache: room.cache.min(nodes), ..room },
            None => room,
        };
        let small = Capacity { nodes: most.nodes.min(SMALL), cache: most.cache.min(SMALL), ..most };
        let mut open: Vec<usize> = (0..task.goals.len()).collect();
        let mut search = Search { task, config: self.config, start: Instant::now(), control, tell };
        if small != most {
            let left = search.within(small, &open);
            if !left.iter().any(|(_, answer)| ran_out(answer)) || control.check().is_err() {
                return (search.tell)(all_out_of_room(left, control));
            }
            let (again, ended): (Vec<_>, Vec<_>) = left.into_iter().partition(|(_, answer)| ran_out(answer));
            (search.tell)(ended);
            open = again.into_iter().map(|(target, _)| target).collect();
        }
        let left = search.within(most, &open);
        let ended = |answer| if most == room { out_of_room(answer, control) } else { within_budget(answer, most) };
        (search.tell)(left.into_iter().map(|(target, answer)| (target, ended(answer))).collect());
    }
}

pub(crate) fn ran_out(answer: &Answer) -> bool {
    matches!(answer.outcome, Outcome::Unknown(Stop::Memory(Whose::Tables)))
}

/// Nodes that ran out before the memory did are a budget that is spent.
fn within_budget(answer: Answer, most: Capacity) -> Answer {
    match answer.outcome {
        Outcome::Unknown(Stop::Memory(Whose::Tables)) => {
            Answer { outcome: Outcome::Unknown(Stop::Budget(format!("{} nodes", most.nodes))), ..answer }
        }
        Outcome::Found(_) | Outcome::Excluded(_) | Outcome::Unknown(_) => answer,
    }
}

/// Nodes and entries of the first tables.
pub(crate) const SMALL: usize = 1 << 18;

/// As much memory as there is when no limit is set, within reason.
const DEFAULT_MEMORY: u64 = 4 << 30;

/// The room for diagrams under the control's memory limit.
pub fn capacity(control: &Control, threads: u32) -> Capacity {
    // Where the address space is limited, the workers need a part of it.
    let available = memory::available_beside(address_space_of_workers(threads)).unwrap_or(DEFAULT_MEMORY);
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
        Outcome::Found(_) | Outcome::Excluded(_) | Outcome::Unknown(_) => answer,
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
    match task.subject {
        Subject::Tree(hierarchy) => symbolic::compose(&hierarchy.tree, capacity, control),
        Subject::Model(model) | Subject::Net(CountedNet { model, .. }) => symbolic::model(model, capacity, control),
    }
}

/// A search with tables of one size. What is found is told at once; what is left unknown is returned.
struct Search<'s> {
    task: &'s Task<'s>,
    config: Config,
    start: Instant,
    control: &'s Control,
    tell: &'s mut Tell<'s>,
}

/// Targets with their numbers.
type Numbered = Vec<(usize, Set)>;

/// Answers with the numbers of their targets.
type Left = Vec<(usize, Answer)>;

impl Search<'_> {
    fn within(&mut self, capacity: Capacity, open: &[usize]) -> Left {
        let set_up = build(self.task, capacity, self.control).and_then(|system| {
            let targets = targets(self.task, open, &system, self.control)?;
            Ok((system, open.iter().copied().zip(targets).collect::<Numbered>()))
        });
        match (set_up, self.config.direction) {
            (Ok((system, targets)), Direction::Forward) => self.forwards(&system, targets),
            (Ok((system, targets)), Direction::Backward) => self.backwards(&system, targets),
            (Err(stop), _) => open.iter().map(|&target| (target, self.unknown(&stop, None, &[]))).collect(),
        }
    }

    fn unknown(&self, stop: &Stop, known: Option<String>, counts: &Counts) -> Answer {
        unknown(stop.clone(), known, self.start, counts)
    }

    /// The chain finds out what is in reach; rings are laid only as far as shortest runs to what it met need them.
    fn forwards(&mut self, system: &Symbolic, mut open: Numbered) -> Left {
        let mut chain = Chain::new(system, &system.initial);
        let mut rings = Rings::new(system, &system.initial);
        let mut left = Vec::new();
        let ended = loop {
            if let Err(stop) = self.look_for(system, &chain, &mut rings, &mut open, &mut left) {
                break Err(stop);
            }
            if open.is_empty() {
                return left;
            }
            match chain.pass(self.control) {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(stop) => break Err(stop),
            }
        };
        match ended.and_then(|()| whole(system, &chain.all)) {
            Ok(reachable) => {
                let reachable = Arc::new(reachable);
                // What is never enabled is only worth a warning.
                let silent = never_enabled(self.task, system, &chain.all).unwrap_or_default();
                let answer = |(target, _): &(usize, Set)| {
                    let certificate = Certificate::Diagram(Arc::clone(&reachable));
                    (*target, unreachable(certificate, silent.clone(), self.start, &chain.counts()))
                };
                let answers = open.iter().map(answer).collect();
                (self.tell)(answers);
            }
            Err(stop) => {
                let counts = chain.counts();
                left.extend(open.iter().map(|&(target, _)| (target, self.unknown(&stop, chain.known(), &counts))));
            }
        }
        left
    }

    /// Tells runs to those targets that the chain has come to, which are open no longer.
    fn look_for(
        &mut self,
        system: &Symbolic,
        chain: &Chain<'_>,
        rings: &mut Rings<'_>,
        open: &mut Numbered,
        left: &mut Left,
    ) -> Result<(), Stop> {
        let mut at = 0;
        while let Some((target, set)) = open.get(at) {
            if !system.space.intersects(&chain.all, set)? {
                at += 1;
                continue;
            }
            let answer = shortest(self.task, rings, set, self.start, self.control);
            let answer = answer.unwrap_or_else(|stop| self.unknown(&stop, rings.known(), &rings.counts()));
            match answer.outcome {
                Outcome::Unknown(_) => left.push((*target, answer)),
                Outcome::Found(_) | Outcome::Excluded(_) => (self.tell)(vec![(*target, answer)]),
            }
            open.remove(at);
        }
        Ok(())
    }

    /// Targets out of reach share one certificate: what can reach none of them. A property that is asked through two targets
    /// needs both to be missed by the same set, so it is searched for again as a whole where one of them ran out of room.
    fn backwards(&mut self, system: &Symbolic, open: Numbered) -> Left {
        let (mut apart, mut left, mut safe) = (Vec::new(), Vec::new(), Ok(system.configurations.clone()));
        for (target, set) in &open {
            match search_back(self.task, system, set, self.start, self.control) {
                Ok(Ended::Apart(unsafe_states, counts)) => {
                    safe = safe.and_then(|safe| system.space.minus(&safe, &unsafe_states));
                    apart.push((*target, counts));
                }
                Ok(Ended::Answered(answer)) if matches!(answer.outcome, Outcome::Unknown(_)) => {
                    left.push((*target, *answer));
                }
                Ok(Ended::Answered(answer)) => (self.tell)(vec![(*target, *answer)]),
                Err(stop) => left.push((*target, self.unknown(&stop, None, &[]))),
            }
        }
        for group in self.task.by_property() {
            let again = left.iter().find(|(target, answer)| group.contains(target) && ran_out(answer));
            if again.is_some() {
                let (with, others) = apart.into_iter().partition(|(target, _)| group.contains(target));
                let with: Vec<(usize, Vec<(&'static str, u64)>)> = with;
                apart = others;
                let full = Stop::Memory(Whose::Tables);
                left.extend(with.into_iter().map(|(target, counts)| (target, self.unknown(&full, None, &counts))));
            }
        }
        if apart.is_empty() {
            return left;
        }
        match safe.and_then(|safe| whole(system, &safe)) {
            Ok(set) => {
                let set = Arc::new(set);
                let answer = |(target, counts): (usize, Vec<(&'static str, u64)>)| {
                    let certificate = Certificate::Diagram(Arc::clone(&set));
                    (target, unreachable(certificate, Vec::new(), self.start, &counts))
                };
                let answers = apart.into_iter().map(answer).collect();
                (self.tell)(answers);
            }
            Err(stop) => {
                left.extend(apart.into_iter().map(|(target, counts)| (target, self.unknown(&stop, None, &counts))));
            }
        }
        left
    }
}

/// The states of some of the targets.
pub(crate) fn targets(
    task: &Task<'_>,
    numbers: &[usize],
    system: &Symbolic,
    control: &Control,
) -> Result<Vec<Set>, Stop> {
    let declared = task.subject.declared();
    let mut encoder = system.places.encoder(&system.space, &declared.exprs, &declared.families);
    let mut sets = Vec::new();
    for &number in numbers {
        control.check()?;
        sets.push(match task.goals[number].target {
            Target::States(expr) => system.space.and(&system.configurations, &encoder.holds(expr)?)?,
            Target::Deadlocks => system.deadlocks(control)?,
        });
    }
    Ok(sets)
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
    let (Subject::Model(model) | Subject::Net(CountedNet { model, .. })) = task.subject else { return Ok(Vec::new()) };
    let mut enabled = Vec::new();
    for group in &system.groups {
        if let Origin::Command(id) = group.origin
            && !system.space.is_none(&system.post(group, reachable)?)
        {
            enabled.push(id);
        }
    }
    let is_silent = |id: &CommandId| !model.commands[*id].is_idle && !enabled.contains(id);
    Ok(model.commands.ids().filter(is_silent).collect())
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
    let outcome = Outcome::Found(trace);
    Answer { outcome, stats: stats(start, counts), known: None, never_enabled: Vec::new() }
}

fn unreachable(certificate: Certificate, never_enabled: Vec<CommandId>, start: Instant, counts: &Counts) -> Answer {
    let outcome = Outcome::Excluded(certificate);
    Answer { outcome, stats: stats(start, counts), known: None, never_enabled }
}

fn unknown(stop: Stop, known: Option<String>, start: Instant, counts: &Counts) -> Answer {
    Answer {
        outcome: Outcome::Unknown(stop),
        stats: stats(start, counts),
        known: known.map(Known::from),
        never_enabled: Vec::new(),
    }
}

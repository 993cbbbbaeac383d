//! Counterexample-guided refinement of covers (Chucri 2012, chapter 4): engines `cegar` and `pcegar`.

pub mod analysis;
pub mod approximation;
pub mod derivation;
pub mod dot;
mod entry;
mod image;
pub mod initial;
pub mod kernel;
mod label;
pub mod pcegar;
mod start;

use std::sync::Arc;
use std::time::Instant;

use lapidary_base::{Control, Stop, memory};
use lapidary_bdd::{Capacity, Set};
use lapidary_system::symbolic::{Symbolic, Transitions};
use lapidary_verdict::{Certificate, Spread, Stats, Trace};

use crate::scheme::{self, Ended};
use crate::symbolic::{all_out_of_room, build, capacity, has_diagrams, named, ran_out, targets, whole};
use crate::words::counted;
use crate::{Answer, Engine, Known, Outcome, Prepared, Refused, Task, Tell, Unsupported, ready};
pub use analysis::{Analysis, Refinement};
pub use dot::{dot, labelled};
pub use entry::{CEGAR, PCEGAR};
pub use kernel::SearchAlgorithm;
pub use label::Labels;
pub use pcegar::{Certification, Heuristics, PCegar, Pick};
pub use start::{Start, enumerated, guard_atoms, has_priorities};

/// The options of engines `cegar` and `pcegar`.
#[derive(Clone, Debug)]
pub struct Config {
    pub heuristics: Heuristics,
    pub start: Start,
    /// Images are not cut down to the configurations. Refused where there are priorities, as section 6.2.1 asks.
    pub super_transition: bool,
    /// Ends undecided after so many counterexamples.
    pub most_iterations: Option<u64>,
    /// Every abstraction is told of in an event.
    pub shows_abstractions: bool,
    /// Threads of the diagram package.
    pub threads: u32,
}

pub struct CoverEngine {
    /// `cegar` or `pcegar`: the second may have all its certification switched off.
    pub name: &'static str,
    pub config: Config,
}

/// Nodes and entries of the first tables; where they do not suffice the loop begins anew.
const SMALL: usize = 1 << 20;

impl Engine for CoverEngine {
    fn name(&self) -> &'static str {
        self.name
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        if let Some(span) = task.subject.tree().and_then(has_priorities).filter(|_| self.config.super_transition) {
            let what = "super transitions are wrong where events have priorities".to_owned();
            return Err(Unsupported { what, span: Some(span) }.into());
        }
        let subject = task.subject.apart();
        has_diagrams(&task.of(&subject), control)?;
        Ok(ready(move |control, tell| self.search(&task.of(&subject), control, tell)))
    }
}

impl CoverEngine {
    /// With small tables first; the properties for which they do not suffice begin anew.
    fn search(&self, task: &Task<'_>, control: &Control, tell: &mut Tell<'_>) {
        let most = capacity(control, self.config.threads);
        let small = Capacity { nodes: most.nodes.min(SMALL), cache: most.cache.min(SMALL), ..most };
        let mut open = task.by_property();
        if small != most {
            let mut larger = Vec::new();
            self.answers(task, small, &open, control, &mut |told| {
                if told.iter().any(|(_, answer)| ran_out(answer)) && control.check().is_ok() {
                    return larger.push(told.into_iter().map(|(target, _)| target).collect());
                }
                tell(all_out_of_room(told, control));
            });
            open = larger;
        }
        if !open.is_empty() {
            self.answers(task, most, &open, control, &mut |told| tell(all_out_of_room(told, control)));
        }
    }

    /// One loop per target, all on the same diagrams; told property by property.
    fn answers(
        &self,
        task: &Task<'_>,
        capacity: Capacity,
        groups: &[Vec<usize>],
        control: &Control,
        tell: &mut Tell<'_>,
    ) {
        let mut start = Instant::now();
        let built = build(task, capacity, control).and_then(|system| {
            let all: Vec<usize> = (0..task.goals.len()).collect();
            let targets = targets(task, &all, &system, control)?;
            Ok((system, targets))
        });
        let (system, targets) = match built {
            Ok(built) => built,
            Err(stop) => {
                let stats = Stats { search_seconds: start.elapsed().as_secs_f64(), ..Stats::default() };
                let unknown = |&target: &usize| (target, answer(Outcome::Unknown(stop.clone()), stats.clone(), None));
                return groups.iter().for_each(|group| tell(group.iter().map(unknown).collect()));
            }
        };
        for group in groups {
            let (mut answers, mut safe) = (Vec::new(), Vec::new());
            for &target in group {
                task.announce(target, self.name(), control);
                let (answer, set) = self.answer(task, target, &system, &targets[target], start, control);
                safe.extend(set.map(|set| (answers.len(), set)));
                answers.push((target, answer));
                start = Instant::now();
            }
            if !safe.is_empty() {
                let evidence = together(&system, &safe);
                safe.iter().for_each(|&(place, _)| answers[place].1.outcome = evidence_or_stop(&evidence));
            }
            tell(answers);
        }
    }

    fn answer(
        &self,
        task: &Task<'_>,
        place: usize,
        system: &Symbolic,
        target: &Set,
        start: Instant,
        control: &Control,
    ) -> (Answer, Option<Set>) {
        let nothing = |stop: Stop| (answer(Outcome::Unknown(stop), Stats::default(), None), None);
        let sets = match Transitions::new(system, self.config.super_transition) {
            Ok(sets) => sets,
            Err(stop) => return nothing(stop),
        };
        let made = self.config.start.cover(task, place, &sets, target, control);
        let made = made.and_then(|cover| PCegar::new(&sets, cover, target.clone(), self.config.heuristics));
        let mut loops = match made {
            Ok(loops) => loops,
            Err(stop) => return nothing(stop),
        };
        if self.config.shows_abstractions {
            loops.shows_abstractions = true;
            let labels = match Labels::new(&self.config.start, task, place, &sets, control) {
                Ok(labels) => labels,
                Err(stop) => return nothing(stop),
            };
            // A label that there is no room for is left out.
            let system = &sets;
            loops.labels = Some(Box::new(move |set| labels.of(system, set).unwrap_or_default()));
        }
        let ended = self.ended(task, system, &mut loops, control);
        let stats = stats(&loops, system, start);
        match ended {
            Ok(Found::Run(trace)) => (answer(Outcome::Found(trace), stats, None), None),
            // The certificate follows when those of all targets are there.
            Ok(Found::Safe(set)) => (answer(Outcome::Unknown(Stop::Interrupted), stats, None), Some(set)),
            Err(stop) => (answer(Outcome::Unknown(stop), stats, Some(known(&loops))), None),
        }
    }

    fn ended(
        &self,
        task: &Task<'_>,
        system: &Symbolic,
        loops: &mut PCegar<'_, Transitions<'_>>,
        control: &Control,
    ) -> Result<Found, Stop> {
        match scheme::run(loops, self.config.most_iterations, control)? {
            Ended::Genuine => Ok(Found::Run(trace(task, system, loops, control)?)),
            Ended::Safe => Ok(Found::Safe(loops.certificate(control)?)),
            Ended::Undecided => {
                let n = self.config.most_iterations.unwrap_or(0);
                Err(Stop::Incomplete(format!("no answer after {}", counted(n, "iteration"))))
            }
        }
    }
}

enum Found {
    Run(Trace),
    /// An inductive set that misses the target.
    Safe(Set),
}

/// A property that is asked through two targets needs both to be missed by the same set: the intersection of two
/// inductive sets is inductive.
fn together(system: &Symbolic, safe: &[(usize, Set)]) -> Result<Certificate, Stop> {
    let all = safe.iter().try_fold(system.space.all(), |all, (_, set)| system.space.and(&all, set))?;
    Ok(Certificate::Diagram(Arc::new(whole(system, &all)?)))
}

fn evidence_or_stop(evidence: &Result<Certificate, Stop>) -> Outcome {
    match evidence {
        Ok(certificate) => Outcome::Excluded(certificate.clone()),
        Err(stop) => Outcome::Unknown(stop.clone()),
    }
}

/// The run that the loop found.
fn trace(
    task: &Task<'_>,
    system: &Symbolic,
    loops: &mut PCegar<'_, Transitions<'_>>,
    control: &Control,
) -> Result<Trace, Stop> {
    let model = task.subject.declared();
    let states = loops.run(control)?;
    let state = |set: &Set| {
        let picked = system.pick(&model.exprs, &model.families, set)?;
        Ok(picked.expect("states of a run are there"))
    };
    named(task, system, states.iter().map(state).collect::<Result<_, Stop>>()?, control)
}

fn answer(outcome: Outcome, stats: Stats, known: Option<String>) -> Answer {
    Answer { outcome, stats, known: known.map(Known::from), never_enabled: Vec::new() }
}

/// What can be said of a loop that did not end; growing paths look like divergence, but finite systems always end.
fn known(loops: &PCegar<'_, Transitions<'_>>) -> String {
    let lengths = &loops.counts.cex_length;
    let blocks = loops.approximation.kernel().count();
    let n = lengths.len();
    let growing = match lengths[..] {
        [first, .., last] if last > first => format!(", counterexamples grew from {first} to {last} blocks"),
        _ => String::new(),
    };
    let (n, blocks) = (counted(n as u64, "abstract counterexample"), counted(blocks as u64, "block"));
    format!("in {n} ({blocks}{growing})")
}

fn stats(loops: &PCegar<'_, Transitions<'_>>, system: &Symbolic, start: Instant) -> Stats {
    let (counts, approximation) = (&loops.counts, &loops.approximation);
    let mut blocks = counts.abstract_states.clone();
    // The last round is the one that found nothing left, or a witness before any path; or it is there already.
    if !loops.has_feasible_path() {
        blocks.push(approximation.kernel().count() as u64);
    }
    Stats {
        counts: vec![
            ("iterations", counts.cex_length.len() as u64),
            ("cex_analysis", counts.cex_analysis),
            ("transition_analysis", approximation.n_tested),
            ("certified_neg", counts.most_reached),
            ("certified_pos", counts.most_reaching),
            ("pruned", approximation.n_pruned),
            ("bdd_nodes", system.space.nodes_in_use() as u64),
        ],
        spreads: vec![("abstract_states", Spread::of(&blocks)), ("cex_length", Spread::of(&counts.cex_length))],
        rounds: Vec::new(),
        search_seconds: start.elapsed().as_secs_f64(),
        check_seconds: 0.0,
        search_memory: memory::peak_resident().unwrap_or(0),
    }
}

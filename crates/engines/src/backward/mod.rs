//! Engine `backward`: coverability of nets by the least markings from which the target can be covered (Abdulla, Cerans, Jonsson,
//! Tsay 1996), with what cannot be reached pruned by inequalities.

mod antichain;
mod conditions;
mod continuous;
mod elements;
mod entry;
mod farkas;
mod nearby;
mod pruning;
mod search;
mod simplex;

use std::sync::Arc;
use std::time::Instant;

use lapidary_base::{Control, Id, Stop, memory};
use lapidary_ir::{PlaceId, Sparse};
use lapidary_system::net::{Listed, NetPoints, Packed};
use lapidary_verdict::{Basis, Certificate, Stats};

use crate::coverability::{self, Exchange, Problem, Pumping, Reduced};
use crate::{Answer, Engine, Known, Outcome, Prepared, Refused, Task, ready};
pub use entry::BACKWARD;

use pruning::Ladder;
use search::{Counts, Search};

/// What may be used to pass over markings; each includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pruning {
    /// The whole net, and nothing passed over.
    None,
    /// Places that never have a token, places that never lack one, and whatever cannot help.
    Signs,
    /// Weighted sums of tokens that never grow, computed beforehand.
    Invariants,
    /// Such sums for each marking, by the state equation.
    #[default]
    Equation,
    /// Continuous reachability, for Petri nets; a proof is then searched for again without it.
    Continuous,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Fewest tokens first: they are above the least.
    #[default]
    SmallestFirst,
    /// Finds runs with the fewest steps, where more tokens never do harm.
    BreadthFirst,
}

/// How markings are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Packed for up to [`MOST_PACKED`] places, listed for more.
    #[default]
    BySize,
    Packed,
    Listed,
}

#[derive(Clone, Debug, Default)]
pub struct Config {
    pub pruning: Pruning,
    pub order: Order,
    pub storage: Storage,
    /// For portfolios: give up after so many markings, stored or computed.
    pub most_states: Option<u64>,
    /// Where a forward search that runs beside this one finds the markings.
    pub exchange: Option<Arc<Exchange>>,
}

/// With more places that matter, markings are lists of the marked ones.
const MOST_PACKED: usize = 128;
/// Where more tokens may do harm, so many markings are tried that only look like a beginning of a run.
const MOST_FAILED_RUNS: usize = 200;

#[derive(Clone, Debug, Default)]
pub struct BackwardEngine {
    pub config: Config,
}

impl Engine for BackwardEngine {
    fn name(&self) -> &'static str {
        BACKWARD.name
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        let problems = coverability::problems(task, control)?;
        Ok(ready(move |control, tell| {
            for (target, problem) in problems.iter().enumerate() {
                let asked = Asked { problem, config: &self.config, target: problem.key(), control };
                tell(vec![(target, asked.answer())]);
            }
        }))
    }
}

/// One target, and how it is to be searched for.
struct Asked<'a> {
    problem: &'a Problem<'a>,
    config: &'a Config,
    target: usize,
    control: &'a Control,
}

/// How a search ended.
struct Ended {
    outcome: Result<Outcome, Stop>,
    counts: Counts,
    n_stored: usize,
    level: Option<u64>,
    /// Some markings were passed over for a reason that cannot be written down.
    needs_proof: bool,
}

impl Ended {
    /// Before anything was searched.
    fn early(stop: Stop) -> Self {
        Self { outcome: Err(stop), counts: Counts::default(), n_stored: 0, level: None, needs_proof: false }
    }
}

impl Asked<'_> {
    fn answer(&self) -> Answer {
        let start = Instant::now();
        let mut ended = self.search(self.config.pruning).unwrap_or_else(Ended::early);
        if ended.needs_proof {
            ended = self.search(Pruning::Equation).unwrap_or_else(Ended::early);
        }
        let Ended { outcome, counts, n_stored, level, .. } = ended;
        let outcome = outcome.unwrap_or_else(Outcome::Unknown);
        let stats = Stats {
            counts: vec![
                ("states", n_stored as u64),
                ("transitions", counts.generated),
                ("depth", counts.depth),
                ("pruned", counts.pruned),
            ],
            search_seconds: start.elapsed().as_secs_f64(),
            search_memory: memory::peak_resident().unwrap_or(0),
            ..Stats::default()
        };
        // Where more tokens may do harm, elements that were met and dropped may have had a run all the same.
        let is_exact = self.problem.not_monotone.is_none();
        let known = level.filter(|_| is_exact && matches!(outcome, Outcome::Unknown(_)));
        let known = known.map(|level| Known::from(format!("within {level} steps ({n_stored} minimal markings)")));
        Answer { outcome, stats, known, never_enabled: Vec::new() }
    }

    fn search(&self, pruning: Pruning) -> Result<Ended, Stop> {
        let (net, minimal) = (self.problem.net, &self.problem.minimal);
        let reduced = match pruning {
            Pruning::None => coverability::unreduced(net, minimal),
            Pruning::Signs | Pruning::Invariants | Pruning::Equation | Pruning::Continuous => {
                // Only breadth-first runs are asked to be shortest.
                let pumping = match self.config.order {
                    Order::SmallestFirst => Pumping::Allowed,
                    Order::BreadthFirst => Pumping::Forbidden,
                };
                coverability::reduce_within(net, minimal, pumping, self.control)?
            }
        };
        let ladder = Ladder::new(&reduced.net, pruning, self.control)?;
        let is_listed = match self.config.storage {
            Storage::BySize => reduced.net.places.len() > MOST_PACKED,
            Storage::Packed => false,
            Storage::Listed => true,
        };
        Ok(if is_listed {
            let points = Listed::new(&reduced.net);
            self.end(&reduced, Search::new(points, ladder, self.config, self.target, self.control))
        } else {
            let points = Packed::new(&reduced.net, 8);
            self.end(&reduced, Search::new(points, ladder, self.config, self.target, self.control))
        })
    }

    fn end<P: NetPoints>(&self, reduced: &Reduced, mut search: Search<'_, P>) -> Ended {
        let outcome = self.decide(reduced, &mut search);
        Ended {
            needs_proof: matches!(outcome, Ok(Outcome::Excluded(_))) && search.ladder.n_without_reason > 0,
            outcome,
            counts: search.counts,
            n_stored: search.antichain.len(),
            level: search.level(),
        }
    }

    fn decide<P: NetPoints>(&self, reduced: &Reduced, search: &mut Search<'_, P>) -> Result<Outcome, Stop> {
        search.begin(&reduced.minimal)?;
        let mut n_failed = 0;
        while let Some(element) = search.next_met()? {
            let start = search.marking(element);
            let chooses = |transition| reduced.net.transitions[transition].has_choices();
            let path = search.path(element, &chooses);
            let run = coverability::run(self.problem, reduced, &start, &path, self.control)?;
            if let Some(trace) = run {
                return Ok(Outcome::Found(trace));
            }
            n_failed += 1;
            if n_failed >= MOST_FAILED_RUNS {
                break;
            }
        }
        if n_failed == 0 {
            return Ok(Outcome::Excluded(Certificate::Basis(Arc::new(self.basis(reduced, search)?))));
        }
        let why = self.problem.not_monotone.as_ref().map_or("a run could not be repeated", |(why, _)| why);
        Err(Stop::Incomplete(format!("{why}, and no run that was found keeps to it")))
    }

    /// The certificate, over the places of the whole net.
    fn basis<P: NetPoints>(&self, reduced: &Reduced, search: &Search<'_, P>) -> Result<Basis, Stop> {
        let mut minimal: Vec<Sparse> = reduced.unmarkable.iter().map(|&place| vec![(place, 1)]).collect();
        for element in search.antichain.points() {
            self.control.check()?;
            minimal.push(reduced.lift_sparse(&search.marking(element)));
        }
        let place = |place: PlaceId| reduced.places.as_slice()[place.index()];
        let inequalities = search.ladder.used().map(|inequality| inequality.over(place));
        Ok(Basis { minimal, inequalities: inequalities.collect() })
    }
}

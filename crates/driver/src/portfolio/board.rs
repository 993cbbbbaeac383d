//! The board on which a portfolio writes what was found: the first certified answer about a property stays.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use lapidary_base::{Control, Stop};
use lapidary_verdict::{Evidence, PropertyReport, Reason, Stats, Verdict};

use super::plan::Plan;
use super::words;
use crate::attempt::Asked;
use crate::load::Loaded;
use crate::request::AUTO;
use crate::warnings;

/// What an answer has cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    /// What its engine needed.
    Own,
    /// All that was done until then: what others tried is part of the price.
    All,
}

/// What an engine that did not answer left behind.
pub struct Tried {
    pub engine: &'static str,
    pub ended: Ended,
}

pub enum Ended {
    Refused(String),
    /// The finding says why, and what is known.
    Unknown(Box<PropertyReport>),
}

pub struct Board {
    start: Instant,
    entries: Mutex<Entries>,
}

type Settled = Option<PropertyReport>;

/// One place per property that is searched for.
struct Entries {
    settled: Vec<Settled>,
    /// The last attempt of every engine, in the order of their first ones.
    tried: Vec<Vec<Tried>>,
    /// Who is at work beside others, and on what.
    at_work: Vec<(Vec<usize>, Arc<Control>)>,
    errors: Vec<String>,
}

impl Board {
    pub fn new(n_asked: usize, start: Instant) -> Self {
        let settled = (0..n_asked).map(|_| None).collect();
        let tried = (0..n_asked).map(|_| Vec::new()).collect();
        Self { start, entries: Mutex::new(Entries { settled, tried, at_work: Vec::new(), errors: Vec::new() }) }
    }

    /// What stands on the board is whole after every change, also where a thread panicked later.
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn open(&self) -> Vec<usize> {
        let entries = self.entries();
        (0..entries.settled.len()).filter(|&place| entries.settled[place].is_none()).collect()
    }

    pub fn is_open(&self) -> bool {
        self.entries().settled.iter().any(Option::is_none)
    }

    pub fn is_open_at(&self, place: usize) -> bool {
        self.entries().settled[place].is_none()
    }

    /// From now on this work is cancelled when all that it is about is settled.
    pub fn begin(&self, places: &[usize], control: &Arc<Control>) {
        let mut entries = self.entries();
        entries.at_work.push((places.to_vec(), Arc::clone(control)));
        entries.release();
    }

    pub fn end(&self, control: &Arc<Control>) {
        self.entries().at_work.retain(|(_, other)| !Arc::ptr_eq(other, control));
    }

    /// Evidence was rejected: an error of ours, whoever answers in the end.
    pub fn reject(&self, errors: Vec<String>) {
        self.entries().errors.extend(errors);
    }

    pub fn refused(&self, place: usize, engine: &'static str, why: &str) {
        let ended = Ended::Refused(why.to_owned());
        self.entries().tried(place, Tried { engine, ended });
    }

    pub fn take(&self, price: Price, place: usize, mut finding: PropertyReport) {
        let mut entries = self.entries();
        match (finding.verdict, &entries.settled[place]) {
            (Verdict::Unknown, _) => {
                let engine = finding.engine;
                entries.tried(place, Tried { engine, ended: Ended::Unknown(Box::new(finding)) });
            }
            (_, None) => {
                if price == Price::All {
                    finding.seconds = self.start.elapsed().as_secs_f64();
                }
                entries.settled[place] = Some(finding);
                entries.release();
            }
            (verdict, Some(first)) if verdict != first.verdict => {
                let (one, other) = (first.engine, finding.engine);
                let error = format!("{one} and {other} contradict each other, and both have evidence");
                entries.errors.push(error);
            }
            (_, Some(_)) => {}
        }
    }

    /// One finding per property, and the errors.
    pub fn findings(
        self,
        plan: &Plan<'_>,
        loaded: &Loaded,
        asked: &[Asked],
        control: &Control,
    ) -> (Vec<PropertyReport>, Vec<String>) {
        let seconds = self.start.elapsed().as_secs_f64();
        let Entries { settled, tried, errors, at_work: _ } =
            self.entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        let finding = |((settled, tried), asked): ((Settled, Vec<Tried>), &Asked)| match settled {
            Some(finding) => {
                let because = words::because(plan, &finding, &tried);
                PropertyReport { chosen_because: Some(because), ..finding }
            }
            None => {
                let warnings = warnings::evaluation(loaded, asked.property);
                PropertyReport { warnings, ..unknown(plan, asked, &tried, seconds, control) }
            }
        };
        (settled.into_iter().zip(tried).zip(asked).map(finding).collect(), errors)
    }
}

impl Entries {
    /// Cancels the work that is about nothing open.
    fn release(&self) {
        for (places, control) in &self.at_work {
            if places.iter().all(|&place| self.settled[place].is_some()) {
                control.cancel();
            }
        }
    }

    fn tried(&mut self, place: usize, tried: Tried) {
        let others = &mut self.tried[place];
        match others.iter_mut().find(|other| other.engine == tried.engine) {
            Some(before) => *before = tried,
            None => others.push(tried),
        }
    }
}

/// No engine came to an answer. One that tried alone speaks for itself, with its last attempt.
fn unknown(plan: &Plan<'_>, asked: &Asked, tried: &[Tried], seconds: f64, control: &Control) -> PropertyReport {
    let ran: Vec<&Tried> = tried.iter().filter(|tried| matches!(tried.ended, Ended::Unknown(_))).collect();
    if let [.., Tried { ended: Ended::Unknown(finding), engine, .. }] = ran[..]
        && ran.iter().all(|other| other.engine == *engine)
    {
        // A budget that ended its last attempt is nobody's business where a limit ended the run.
        let evidence = match (words::stop(ran[ran.len() - 1]), control.check()) {
            (Some(Stop::Incomplete(_) | Stop::NoAnswer(_) | Stop::Budget(_)), Err(stop)) => {
                Evidence::Nothing(Reason::Stopped(stop))
            }
            (_, _) => finding.evidence.clone(),
        };
        return PropertyReport { seconds, evidence, ..(**finding).clone() };
    }
    let (engine, reason) = match ran.len() {
        0 => (plan.first().name, refused_by_all(tried, control)),
        _ => (AUTO, Reason::Stopped(stop(tried, control))),
    };
    PropertyReport {
        property: asked.property,
        whole: None,
        verdict: Verdict::Unknown,
        evidence: Evidence::Nothing(reason),
        engine,
        chosen_because: None,
        vacuous: None,
        explanation: None,
        known: words::known(tried),
        warnings: Vec::new(),
        stats: Stats { search_seconds: seconds, ..Stats::default() },
        seconds,
        memory: 0,
    }
}

/// Nobody takes the task; the first refusal is the one that says most.
fn refused_by_all(tried: &[Tried], control: &Control) -> Reason {
    let mut why = tried.iter().filter_map(|tried| match &tried.ended {
        Ended::Refused(why) => Some(why.clone()),
        Ended::Unknown(_) => None,
    });
    match (control.check(), why.next()) {
        (Err(stop), _) => Reason::Stopped(stop),
        (Ok(()), Some(why)) => Reason::Unsupported(why),
        (Ok(()), None) => Reason::Stopped(Stop::Interrupted),
    }
}

/// A limit that ended all of them; otherwise a hard reason of one of them, or what each of them says.
fn stop(tried: &[Tried], control: &Control) -> Stop {
    if let Err(stop) = control.check() {
        return stop;
    }
    let stops: Vec<&Stop> = tried.iter().filter_map(words::stop).collect();
    let is_hard = |stop: &&&Stop| matches!(stop, Stop::Timeout | Stop::Memory(_) | Stop::Overflow(_) | Stop::Solver(_));
    let hard = stops.iter().find(is_hard);
    match hard {
        Some(stop) => (*stop).clone(),
        None => Stop::Incomplete(format!("no engine came to an answer: {}", words::ends(tried))),
    }
}

#[cfg(test)]
impl Board {
    pub fn n_errors(&self) -> usize {
        self.entries().errors.len()
    }
}

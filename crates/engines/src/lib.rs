//! One module per published method, all behind [`Engine`].

pub mod backward;
pub mod cover;
pub mod coverability;
pub mod forward;
pub mod hierarchy;
pub mod induction;
pub mod lazy;
pub mod matching;
pub mod reach;
pub mod scheme;
pub mod symbolic;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Event, Stop};
use lapidary_ir::{CommandId, Model, Net, Target, Tree};
use lapidary_text::{Sources, Span};
use lapidary_verdict::{Certificate, Stats, Trace};

/// Can these states be reached? One search may answer for several targets.
pub struct Task<'a> {
    pub model: &'a Model,
    /// The hierarchy that the model is the flattening of, if there is one: the same variables, the same expressions.
    pub tree: Option<&'a Tree>,
    /// The net that the model counts the tokens of, if there is one: places are variables, transitions are commands.
    pub net: Option<&'a Net>,
    pub targets: &'a [Target],
    /// What each target is about, for messages: `property mutex`.
    pub target_names: &'a [String],
    /// To name places in messages.
    pub sources: &'a Sources,
}

impl Task<'_> {
    /// The targets of each property, in the order of their first ones: one piece of evidence must do for all of them.
    fn by_property(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut seen: Map<&str, usize> = Map::default();
        for target in 0..self.targets.len() {
            let group = match self.target_names.get(target) {
                Some(name) => *seen.entry(name).or_insert(groups.len()),
                None => groups.len(),
            };
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(target);
        }
        groups
    }

    /// Tells that a loop of its own begins for a target: iterations belong to the property that was named last.
    fn announce(&self, target: usize, engine: &str, control: &Control) {
        let about = self.target_names.get(target).map_or("", |name| name.strip_prefix("property ").unwrap_or(name));
        control.emit(&Event::PropertyStart { name: about.to_owned(), engine: engine.to_owned() });
    }
}

/// The answer for one target.
#[derive(Debug)]
pub enum Outcome {
    Reached(Trace),
    Unreachable(Certificate),
    Unknown(Stop),
}

/// An [`Outcome`] and what was counted on the way to it.
#[derive(Debug)]
pub struct Answer {
    pub outcome: Outcome,
    pub stats: Stats,
    /// For an unknown outcome: how far the target was not met, `within 29 steps (1234 states)`.
    pub known: Option<String>,
    /// After an exhaustive search: the commands that no reachable state enables.
    pub never_enabled: Vec<CommandId>,
}

impl Answer {
    /// Nothing was found and nothing counted.
    pub fn unknown(stop: Stop) -> Self {
        Self { outcome: Outcome::Unknown(stop), stats: Stats::default(), known: None, never_enabled: Vec::new() }
    }
}

/// A construct that an engine does not take, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    pub span: Option<Span>,
}

/// Why an engine does not even begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It does not take the task, however much it may spend.
    Unsupported(Unsupported),
    /// A limit was reached before it could tell.
    Stop(Stop),
}

impl Refused {
    /// A refusal in words, of nothing in particular.
    pub fn what(what: impl Into<String>) -> Self {
        Self::Unsupported(Unsupported { what: what.into(), span: None })
    }

    /// What an engine has found that is run all the same.
    fn stop(self) -> Stop {
        match self {
            Self::Unsupported(unsupported) => Stop::Incomplete(unsupported.what),
            Self::Stop(stop) => stop,
        }
    }
}

impl From<Unsupported> for Refused {
    fn from(unsupported: Unsupported) -> Self {
        Self::Unsupported(unsupported)
    }
}

impl From<lapidary_system::Halt> for Refused {
    fn from(halt: lapidary_system::Halt) -> Self {
        match halt {
            lapidary_system::Halt::TooMuch(refused) => {
                Self::Unsupported(Unsupported { what: refused.what, span: refused.span })
            }
            lapidary_system::Halt::Stopped(stop) => Self::Stop(stop),
        }
    }
}

impl From<lapidary_smt::encode::Halt> for Refused {
    fn from(halt: lapidary_smt::encode::Halt) -> Self {
        match halt {
            lapidary_smt::encode::Halt::TooMuch(refused) => refused.into(),
            lapidary_smt::encode::Halt::Stopped(stop) => Self::Stop(stop),
        }
    }
}

impl From<lapidary_smt::encode::TooMuch> for Refused {
    fn from(refused: lapidary_smt::encode::TooMuch) -> Self {
        Self::Unsupported(Unsupported { what: refused.what, span: refused.span })
    }
}

impl From<Stop> for Refused {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// The only `dyn` boundary of engines. Capability is asked beforehand, never discovered by a panic.
pub trait Engine: Sync {
    fn name(&self) -> &'static str;
    /// Takes the task and compiles it, within the limits; what is compiled here is not compiled again.
    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused>;

    /// Prepares and runs; who refuses has no answers.
    fn run(&self, task: &Task<'_>, control: &Control) -> Vec<Answer> {
        let mut answers: Vec<Option<Answer>> = task.targets.iter().map(|_| None).collect();
        match self.prepare(task, control) {
            Ok(prepared) => prepared.run(control, &mut |told| {
                told.into_iter().for_each(|(target, answer)| answers[target] = Some(answer));
            }),
            Err(refused) => {
                let stop = refused.stop();
                answers.fill_with(|| Some(Answer::unknown(stop.clone())));
            }
        }
        answers.into_iter().map(|answer| answer.expect("every target is told of")).collect()
    }
}

/// An engine that has taken a task.
pub trait Prepared {
    /// Tells one answer for every target as soon as it is final, so that its evidence is checked while there is time.
    fn run(self: Box<Self>, control: &Control, tell: &mut Tell<'_>);
}

/// Takes the numbers of some targets and what was found out about them. The evidence of answers that are told at once is
/// checked at once.
pub type Tell<'a> = dyn FnMut(Vec<(usize, Answer)>) + 'a;

/// What is left to do is the search.
struct Ready<F>(F);

impl<F: FnOnce(&Control, &mut Tell<'_>)> Prepared for Ready<F> {
    fn run(self: Box<Self>, control: &Control, tell: &mut Tell<'_>) {
        (self.0)(control, tell);
    }
}

/// A search that has a loop of its own for each target or property.
fn ready<'t>(search: impl FnOnce(&Control, &mut Tell<'_>) + 't) -> Box<dyn Prepared + 't> {
    Box::new(Ready(search))
}

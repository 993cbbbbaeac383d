//! One module per published method, all behind [`Engine`].

pub mod backward;
pub mod cover;
pub mod coverability;
pub mod forward;
mod goal;
pub mod hierarchy;
pub mod induction;
pub mod lazy;
pub mod matching;
pub mod options;
pub mod reach;
pub mod register;
pub mod scheme;
pub mod symbolic;
mod words;

use lapidary_base::{Control, Stop};
use lapidary_ir::passes::NoModel;
use lapidary_ir::{CommandId, Subject};
use lapidary_text::{Sources, Span};
use lapidary_verdict::{Certificate, Stats, Trace};

pub use goal::{Goal, Role, Target, goals};
use register::Entry;

/// All engines, in the order in which people are told of them.
pub static ENGINES: [&Entry; 11] = [
    &reach::EXPLICIT,
    &symbolic::BDD,
    &cover::CEGAR,
    &cover::PCEGAR,
    &hierarchy::HIERARCHICAL,
    &matching::MATCHING,
    &induction::BMC,
    &induction::KINDUCTION,
    &lazy::LAZY,
    &backward::BACKWARD,
    &forward::FORWARD,
];

/// Engines with a frozen name that have no code yet.
pub const PLANNED: [&str; 5] = ["predicate", "reach", "ltl-explicit", "ltl-bdd", "ltl-cegar"];

/// What is asked, and of what. One search may answer for several goals.
pub struct Task<'a> {
    pub subject: &'a Subject,
    pub goals: &'a [Goal],
    /// To name places in messages.
    pub sources: &'a Sources,
}

/// The answer for one goal.
#[derive(Debug)]
pub enum Outcome {
    /// A run, perhaps with a loop at its end.
    Found(Trace),
    /// There is none.
    Excluded(Certificate),
    Unknown(Stop),
}

/// An [`Outcome`] and what was counted on the way to it.
#[derive(Debug)]
pub struct Answer {
    pub outcome: Outcome,
    pub stats: Stats,
    /// For an unknown outcome: how far the goal was not met.
    pub known: Option<Known>,
    /// After an exhaustive search: the commands that no reachable state enables.
    pub never_enabled: Vec<CommandId>,
}

impl Answer {
    /// Nothing was found and nothing counted.
    pub fn unknown(stop: Stop) -> Self {
        Self { outcome: Outcome::Unknown(stop), stats: Stats::default(), known: None, never_enabled: Vec::new() }
    }
}

/// What is known without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// `within 29 steps (1234 states)`.
    pub text: String,
    pub prospects: Prospects,
}

/// Whether what is known tells already that the search would hardly end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prospects {
    Open,
    /// The text says that it looks divergent.
    Bad,
}

impl From<String> for Known {
    fn from(text: String) -> Self {
        Self { text, prospects: Prospects::Open }
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
    /// It does not take these goals, by their numbers, each for a reason of its own. It may take the others.
    Goals(Vec<(usize, Unsupported)>),
    /// A limit was reached before it could tell.
    Stop(Stop),
}

impl Refused {
    /// A refusal in words, of nothing in particular.
    pub fn what(what: impl Into<String>) -> Self {
        Self::Unsupported(Unsupported { what: what.into(), span: None })
    }
}

/// What an engine has found that is run all the same.
impl From<Unsupported> for Stop {
    fn from(refused: Unsupported) -> Self {
        Self::Incomplete(refused.what)
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

impl From<NoModel> for Refused {
    fn from(why: NoModel) -> Self {
        match why {
            NoModel::TooLarge(refused) => {
                let what = format!("the hierarchy is too large to be flattened: it has {}", refused.what);
                Self::Unsupported(Unsupported { what, span: refused.span })
            }
            NoModel::Stopped(stop) => Self::Stop(stop),
        }
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
    /// From where it searches, if its certificates do not tell by their kind.
    fn begins(&self) -> Begins {
        Begins::AtInitialStates
    }
    /// Takes the task and compiles it, within the limits; what is compiled here is not compiled again.
    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused>;

    /// Prepares and runs; who refuses has no answers.
    fn run(&self, task: &Task<'_>, control: &Control) -> Vec<Answer> {
        let mut answers: Vec<Option<Answer>> = task.goals.iter().map(|_| None).collect();
        let mut asked: Vec<usize> = (0..task.goals.len()).collect();
        while !asked.is_empty() {
            let goals: Vec<Goal> = asked.iter().map(|&goal| task.goals[goal]).collect();
            let rest = Task { subject: task.subject, goals: &goals, sources: task.sources };
            let mut told = |goal: usize, answer| answers[asked[goal]] = Some(answer);
            match self.prepare(&rest, control) {
                Ok(prepared) => prepared.run(control, &mut |some| {
                    some.into_iter().for_each(|(goal, answer)| told(goal, answer));
                }),
                Err(Refused::Goals(refused)) => {
                    refused.into_iter().for_each(|(goal, why)| told(goal, Answer::unknown(why.into())));
                }
                Err(Refused::Unsupported(why)) => {
                    (0..asked.len()).for_each(|goal| told(goal, Answer::unknown(why.clone().into())));
                }
                Err(Refused::Stop(stop)) => {
                    (0..asked.len()).for_each(|goal| told(goal, Answer::unknown(stop.clone())));
                }
            }
            let n_before = asked.len();
            asked.retain(|&goal| answers[goal].is_none());
            assert!(asked.len() < n_before, "every goal is told of or refused");
        }
        answers.into_iter().map(|answer| answer.expect("every goal is told of")).collect()
    }
}

/// What the set of states is about that an engine searched and counted. A basis of a net leads to the goal by what it is, but a
/// diagram may be either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// What can be reached.
    AtInitialStates,
    /// What leads to the goal: it says nothing about the initial states.
    AtGoals,
}

/// An engine that has taken a task.
pub trait Prepared {
    /// Tells one answer for every goal as soon as it is final, so that its evidence is checked while there is time.
    fn run(self: Box<Self>, control: &Control, tell: &mut Tell<'_>);
}

/// Takes the numbers of some goals and what was found out about them. The evidence of answers that are told at once is
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

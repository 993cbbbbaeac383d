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

/// A construct that an engine does not take, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    pub span: Option<Span>,
}

/// The only `dyn` boundary of engines. Capability is asked beforehand, never discovered by a panic.
pub trait Engine: Sync {
    fn name(&self) -> &'static str;
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported>;
    /// One answer per target, in the order of the targets.
    fn run(&self, task: &Task<'_>, control: &Control) -> Vec<Answer>;
}

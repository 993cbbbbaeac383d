//! The table of engines: what there is to know of one before it runs. Each row stands in the folder of its engine.
//!
//! Command line, portfolio, words, help and tests read the table; none of them knows an engine by its name. The plans of
//! the portfolio alone say which engines are tried on what, and know them by their rows.

use std::fmt;

use crate::options::Making;
use crate::{ENGINES, Engine, Prospects};

/// A row. Rows are statics and are equal if they are the same.
pub struct Entry {
    /// What `--engine` and reports call it.
    pub name: &'static str,
    pub takes: Shape,
    /// With its usual options.
    pub finds: Finds,
    pub options: &'static [OptionGroup],
    /// How it takes part in a portfolio, if a plan has it.
    pub share: Share,
    /// How far it got, where it can tell.
    pub progress: Option<Progress>,
    pub trivial: Trivial,
    /// What is to be expected where variables have no bounds, whatever may be spent.
    pub unbounded: Prospects,
    /// Which other engine may get on where this one gives up.
    pub instead: Option<&'static Self>,
    pub make: fn(&Making<'_>) -> Box<dyn Engine>,
}

/// What it is for. What it takes of that it says itself when it prepares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Everything,
    Nets,
    Hierarchies,
}

/// What an engine's runs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finds {
    /// None has fewer steps; of a net, where more tokens never do harm.
    ShortestRun,
    SomeRun,
}

/// Options of the command line that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionGroup {
    Order,
    /// The order may be left to chance.
    RandomOrder,
    Direction,
    /// All of [`crate::options::CoverOptions`] that make sense for it.
    Refinement,
    /// Some of them, the most iterations among them.
    SomeRefinement,
    /// It asks a solver.
    Solver,
    Bound,
    Pruning,
}

/// How an engine takes several properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taking {
    /// One search answers for all.
    Together,
    /// One run, with a loop of its own for each.
    Loops,
    /// A run of its own for each, because one of them may never end.
    OneByOne,
}

/// What is counted, so that the same budget is spent in the same way on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub first: u64,
    /// By how many bits it grows from one level to the next.
    pub growth: u32,
    /// The statistics that count towards it.
    pub counts: &'static [&'static str],
}

impl Budget {
    pub fn at(&self, level: u32) -> u64 {
        let doublings = self.growth.saturating_mul(level).min(40);
        self.first.saturating_mul(1 << doublings)
    }
}

/// What an engine gets in a portfolio. Slices were chosen so that each lasts some ten milliseconds, and one of `explicit`
/// twice that: looks at the limits of most engines are from 0.04 to 0.3 ms apart, and those of `backward` up to 2 ms where
/// it prunes; `explicit` says how much it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    pub taking: Taking,
    /// Where it has several things to do, each gets so much at first.
    pub budget: Budget,
    /// How much work it may do at a time, in looks at the limits.
    pub slice: u64,
    /// The same in its first turn: most small models are decided within that of the first engine, and setting up an engine
    /// means many looks in little time.
    pub first: u64,
}

/// A statistic that tells how far a search came, and its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// `1 state`, `17 states`.
    Counted { counter: &'static str, one: &'static str },
    /// `k = 7`; a value of `much` without an end is not likely to have one.
    Parameter { counter: &'static str, name: &'static str, much: u64 },
}

/// What is done about a formula that is constantly true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trivial {
    /// It is answered without a search.
    Answered,
    /// The engine is asked all the same, for the structure that it explores.
    Explored,
}

impl Entry {
    pub fn understands(&self, group: OptionGroup) -> bool {
        self.options.contains(&group)
    }
}

/// Rows may refer to each other, so only the name is shown.
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Entry {}

/// The row with a name.
pub fn named(name: &str) -> Option<&'static Entry> {
    ENGINES.into_iter().find(|entry| entry.name == name)
}

/// The engines of a group, in the order of the table.
pub fn understanding(group: OptionGroup) -> impl Iterator<Item = &'static str> {
    ENGINES.into_iter().filter(move |entry| entry.understands(group)).map(|entry| entry.name)
}

/// The engines for a shape; those for nets by their names, the others in the order of the table.
pub fn made_for(shape: Shape) -> Vec<&'static Entry> {
    let mut entries: Vec<&Entry> = ENGINES.into_iter().filter(|entry| entry.takes == shape).collect();
    if shape == Shape::Nets {
        entries.sort_by_key(|entry| entry.name);
    }
    entries
}

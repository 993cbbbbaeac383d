//! A model as a system of listed states: packed, compiled, one successor at a time.

mod body;
mod builder;
mod code;
mod dispatch;
mod forks;
mod guard;
mod patch;
mod ranked;
mod repeated;
mod rows;
mod rule;
mod rules;
#[cfg(test)]
mod tests;

use lapidary_base::hash::Set;
use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Expr, Model, Statement};
use lapidary_text::{Sources, Span};
use lapidary_verdict::{Layout, State};

use crate::bytecode::{Overflow, Program};
use crate::compile::{Compiler, Pool};
use crate::fit;
use crate::initial::{self, Initial};
use crate::lattice::Point;
use crate::layout;
use crate::successors::{State as Listed, Steps, Successors, Visit};
use body::Executions;
use builder::Whose;
use dispatch::Group;
use rule::Rule;
use rules::Compilation;

/// A construct with more cases than can be listed, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooMuch {
    pub what: String,
    pub span: Option<Span>,
}

/// Why a model is not made ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    TooMuch(TooMuch),
    Stopped(Stop),
}

impl From<TooMuch> for Halt {
    fn from(refused: TooMuch) -> Self {
        Self::TooMuch(refused)
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl Halt {
    /// For somebody who cannot go on in either case.
    pub fn into_stop(self) -> Stop {
        match self {
            Self::TooMuch(refused) => Stop::Incomplete(refused.what),
            Self::Stopped(stop) => stop,
        }
    }
}

pub struct Explicit {
    layout: Layout,
    /// Constants in place, variables and intermediate values zero.
    registers: Vec<i64>,
    groups: Vec<Group>,
    /// What states are tested for, and what that is called where a test overflows.
    conditions: Vec<Program>,
    condition_names: Vec<String>,
    initial: Initial,
    /// How the initial states follow from those, if a statement says so.
    start: Option<Vec<Rule>>,
    /// Commands that can reach a state in more than one way; none where no command can.
    is_ambiguous: Option<Vec<bool>>,
}

impl Explicit {
    /// Makes a model ready without limits on time and memory.
    pub fn new(model: &Model, conditions: &[Expr], sources: &Sources) -> Result<Self, TooMuch> {
        Self::within(model, conditions, sources, &Control::new()).map_err(|halt| match halt {
            Halt::TooMuch(refused) => refused,
            Halt::Stopped(_) => unreachable!("there is no limit"),
        })
    }

    /// States can be tested for these conditions, which have a value in every state.
    pub fn within(model: &Model, conditions: &[Expr], sources: &Sources, control: &Control) -> Result<Self, Halt> {
        fit::words(model, conditions, control)?;
        let mut pool = Pool::new(model);
        let layout = layout::layout(model);
        let mut initial = Initial::new(model, &mut pool, control)?;
        let mut rules = Vec::new();
        let mut is_ambiguous = vec![false; model.commands.len()];
        let touched = lapidary_ir::passes::Touched::new(model);
        for id in model.commands.ids() {
            let command = &model.commands[id];
            let label = format!("command {}", command.label);
            let name = format!("{label} ({})", sources.describe(command.span));
            let whose = Whose { label: &label, name: &name, span: Some(command.span) };
            let mut into = Compilation { model, layout: &layout, pool: &mut pool, rules: &mut rules, control };
            let executions = rules::rules(&command.body, id, whose, &touched, &mut into)?;
            is_ambiguous[id.index()] = executions == Executions::Ambiguous;
        }
        let mut into = Compilation { model, layout: &layout, pool: &mut pool, rules: &mut rules, control };
        let mut start = match model.start {
            Statement::Skip => None,
            _ => Some(rules::start(&mut into)?),
        };
        let mut tests: Vec<Program> = Vec::with_capacity(conditions.len());
        for &condition in conditions {
            control.check()?;
            let mut compiler = Compiler::new(model, &mut pool);
            compiler.require(condition, true);
            tests.push(compiler.finish());
        }
        // All constants are known now, so intermediate registers get their final places.
        initial.link(&pool);
        rules.iter_mut().for_each(|(_, rule)| rule.link(&pool));
        start.iter_mut().flatten().for_each(|rule| rule.link(&pool));
        tests.iter_mut().for_each(|test| pool.link_program(test));
        let condition_names = (0..tests.len()).map(|i| format!("property {}", i + 1)).collect();
        let groups = dispatch::group(model, rules);
        let is_ambiguous = is_ambiguous.contains(&true).then_some(is_ambiguous);
        let (conditions, registers) = (tests, pool.registers());
        Ok(Self { layout, registers, groups, conditions, condition_names, initial, start, is_ambiguous })
    }

    /// The names under which overflows in conditions are reported.
    pub fn with_condition_names(mut self, names: Vec<String>) -> Self {
        assert_eq!(names.len(), self.conditions.len(), "one name per condition");
        self.condition_names = names;
        self
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn unpack(&self, words: &[u64]) -> State {
        self.layout.fields.iter().map(|&field| layout::read(field, words)).collect()
    }

    pub fn pack(&self, state: &[i64]) -> Vec<u64> {
        let mut words = vec![0; self.layout.words];
        for (&field, &value) in self.layout.fields.iter().zip(state) {
            layout::write(field, &mut words, value);
        }
        words
    }

    #[inline]
    fn load(&self, words: &[u64], registers: &mut Vec<i64>) {
        if registers.is_empty() {
            registers.extend_from_slice(&self.registers);
        }
        for (register, &field) in registers.iter_mut().zip(self.layout.fields.as_slice()) {
            *register = layout::read(field, words);
        }
    }
}

/// What the initial statement has led to.
struct Started {
    steps: Steps,
    seen: Set<Vec<u64>>,
    n_begun: usize,
}

/// So many states are begun in between two looks at the limits.
const BEGUN_PER_LOOK: usize = 64;

/// So many states that one of them leads to are looked up.
const ENDED_PER_LOOK: usize = 1 << 12;

impl Started {
    /// Visits the states in which the initial statement ends from this one, and that were not visited before.
    fn from(
        &mut self,
        system: &Explicit,
        rules: &[Rule],
        begin: &[u64],
        control: &Control,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        self.n_begun += 1;
        if self.n_begun.is_multiple_of(BEGUN_PER_LOOK) {
            control.check()?;
        }
        self.steps.clear();
        system.load(begin, &mut self.steps.registers);
        for rule in rules {
            rule.fire(begin, &system.layout, &mut self.steps)?;
        }
        for (i, state) in self.steps.states.chunks_exact(system.layout.words).enumerate() {
            if (i + 1).is_multiple_of(ENDED_PER_LOOK) {
                control.check()?;
            }
            if self.seen.insert(state.to_vec()) {
                visit(Listed::plain(state))?;
            }
        }
        Ok(())
    }
}

impl Successors for Explicit {
    type Lat = Point;

    fn lattice(&self) -> &Point {
        &Point
    }

    fn words(&self) -> usize {
        self.layout.words
    }

    /// Bits that no field covers are zero in every state.
    fn all_ones_is_free(&self) -> bool {
        self.layout.fields.iter().map(|field| field.bits).sum::<u32>() < 64
    }

    fn initial(&self, control: &Control, visit: &mut Visit<'_>) -> Result<(), Stop> {
        let mut words = vec![0; self.layout.words];
        let mut registers = self.registers.clone();
        let mut started = Started { steps: Steps::within(control), seen: Set::default(), n_begun: 0 };
        initial::enumerate(&self.initial, &mut registers, control, &mut |registers| {
            for (&field, &value) in self.layout.fields.iter().zip(registers) {
                layout::write(field, &mut words, value);
            }
            match &self.start {
                None => visit(Listed::plain(&words)),
                Some(rules) => started.from(self, rules, &words, control, visit),
            }
        })
    }

    fn successors(&self, state: Listed<'_>, out: &mut Steps) -> Result<(), Stop> {
        let state = state.discrete;
        let before = out.len();
        self.load(state, &mut out.registers);
        for group in &self.groups {
            for rule in group.candidates(&out.registers) {
                rule.fire(state, &self.layout, out)?;
            }
        }
        if let Some(is_ambiguous) = &self.is_ambiguous {
            repeated::remove(is_ambiguous, self.layout.words, before, out)?;
        }
        Ok(())
    }

    fn hits(
        &self,
        state: Listed<'_>,
        open: &mut Vec<usize>,
        hit: &mut Vec<usize>,
        out: &mut Steps,
    ) -> Result<(), Stop> {
        self.load(state.discrete, &mut out.registers);
        let mut overflow = None;
        open.retain(|&condition| match self.conditions[condition].run(&mut out.registers) {
            Ok(true) => {
                hit.push(condition);
                false
            }
            Ok(false) => true,
            Err(Overflow) => {
                overflow.get_or_insert(condition);
                true
            }
        });
        match overflow {
            Some(condition) => Err(Stop::Overflow(format!("in {}", self.condition_names[condition]))),
            None => Ok(()),
        }
    }
}

/// A rule and the value of the variable that it asks for first, if it does.
type Rules = Vec<(Option<(lapidary_ir::VarId, i64)>, Rule)>;

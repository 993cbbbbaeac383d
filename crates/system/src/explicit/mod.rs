//! A model as a system of listed states: packed, compiled, one successor at a time.

mod dispatch;
mod repeated;
mod rule;

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Model, Target};
use lapidary_text::{Sources, Span};
use lapidary_verdict::{Layout, State};

use crate::bytecode::{Overflow, Program};
use crate::compile::{Compiler, Pool};
use crate::initial::{self, Initial};
use crate::lattice::Point;
use crate::layout;
use crate::successors::{Steps, Successors, Visit};
use dispatch::Group;
use rule::{Compilation, Executions, Rule};

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

/// A target as the machine sees it.
enum Goal {
    States(Program),
    /// Seen by the engine: a state without steps.
    Deadlocks,
}

pub struct Explicit {
    layout: Layout,
    /// Constants in place, variables and intermediate values zero.
    registers: Vec<i64>,
    groups: Vec<Group>,
    goals: Vec<Goal>,
    goal_names: Vec<String>,
    initial: Initial,
    /// Commands that can reach a state in more than one way; none where no command can.
    is_ambiguous: Option<Vec<bool>>,
}

impl Explicit {
    /// Makes a model ready without limits on time and memory.
    pub fn new(model: &Model, targets: &[Target], sources: &Sources) -> Result<Self, TooMuch> {
        Self::within(model, targets, sources, &Control::new()).map_err(|halt| match halt {
            Halt::TooMuch(refused) => refused,
            Halt::Stopped(_) => unreachable!("there is no limit"),
        })
    }

    pub fn within(model: &Model, targets: &[Target], sources: &Sources, control: &Control) -> Result<Self, Halt> {
        if let Some((what, span)) = lapidary_ir::passes::beyond_paths(model) {
            return Err(TooMuch { what, span }.into());
        }
        let mut pool = Pool::new(model);
        let layout = layout::layout(model);
        let mut initial = Initial::new(model, &mut pool, control)?;
        let mut rules = Vec::new();
        let mut is_ambiguous = vec![false; model.commands.len()];
        let touched = lapidary_ir::passes::Touched::new(model);
        for id in model.commands.ids() {
            let mut into = Compilation { pool: &mut pool, rules: &mut rules, touched: &touched, control };
            let executions = rule::rules(model, id, &layout, sources, &mut into)?;
            is_ambiguous[id.index()] = executions == Executions::Ambiguous;
        }
        let mut goals: Vec<Goal> = Vec::with_capacity(targets.len());
        for &target in targets {
            control.check()?;
            goals.push(goal(model, &mut pool, target));
        }
        // All constants are known now, so intermediate registers get their final places.
        initial.link(&pool);
        rules.iter_mut().for_each(|(_, rule)| rule.link(&pool));
        for goal in &mut goals {
            if let Goal::States(program) = goal {
                pool.link_program(program);
            }
        }
        let goal_names = (0..targets.len()).map(|i| format!("property {}", i + 1)).collect();
        let groups = dispatch::group(model, rules);
        let is_ambiguous = is_ambiguous.contains(&true).then_some(is_ambiguous);
        Ok(Self { layout, registers: pool.registers(), groups, goals, goal_names, initial, is_ambiguous })
    }

    /// The names under which overflows in targets are reported.
    pub fn with_goal_names(mut self, names: Vec<String>) -> Self {
        assert_eq!(names.len(), self.goals.len(), "one name per target");
        self.goal_names = names;
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

fn goal(model: &Model, pool: &mut Pool, target: Target) -> Goal {
    match target {
        Target::Deadlocks => Goal::Deadlocks,
        Target::States(expr) => {
            let mut compiler = Compiler::new(model, pool);
            compiler.require(expr, true);
            Goal::States(compiler.finish())
        }
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

    fn initial(&self, control: &Control, visit: &mut Visit<'_, Self>) -> Result<(), Stop> {
        let mut words = vec![0; self.layout.words];
        let mut registers = self.registers.clone();
        initial::enumerate(&self.initial, &mut registers, control, &mut |registers| {
            for (&field, &value) in self.layout.fields.iter().zip(registers) {
                layout::write(field, &mut words, value);
            }
            visit(&words, ())
        })
    }

    fn successors(&self, state: &[u64], (): &(), out: &mut Steps<()>) -> Result<(), Stop> {
        let before = out.len();
        self.load(state, &mut out.registers);
        for group in &self.groups {
            for rule in group.candidates(&out.registers) {
                rule.fire(state, &self.layout, out)?;
            }
        }
        if let Some(is_ambiguous) = &self.is_ambiguous {
            repeated::remove(is_ambiguous, self.layout.words, before, out);
        }
        Ok(())
    }

    fn hits(
        &self,
        state: &[u64],
        (): &(),
        open: &mut Vec<usize>,
        hit: &mut Vec<usize>,
        out: &mut Steps<()>,
    ) -> Result<(), Stop> {
        self.load(state, &mut out.registers);
        let mut overflow = None;
        open.retain(|&target| {
            let Goal::States(program) = &self.goals[target] else { return true };
            match program.run(&mut out.registers) {
                Ok(true) => {
                    hit.push(target);
                    false
                }
                Ok(false) => true,
                Err(Overflow) => {
                    overflow.get_or_insert(target);
                    true
                }
            }
        });
        match overflow {
            Some(target) => Err(Stop::Overflow(format!("in {}", self.goal_names[target]))),
            None => Ok(()),
        }
    }
}

/// A rule and the value of the variable that it asks for first, if it does.
type Rules = Vec<(Option<(lapidary_ir::VarId, i64)>, Rule)>;

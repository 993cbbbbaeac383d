//! The commands of a model as guarded simultaneous assignments: one for every way through a body where there are few, else
//! one for all ways together.

use std::collections::BTreeMap;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_ir::passes::{MAX_PATHS, Touched, paths, substitute, variables, ways};
use lapidary_ir::{CommandId, Expr, Exprs, Life, Statement, VarId};
use lapidary_text::Span;

use super::total::Totals;
use super::walk::{Conjuncts, Walk};
use crate::terms::Terms;

/// A construct with more cases than are written out, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooMuch {
    pub what: String,
    pub span: Option<Span>,
}

/// Why there is no encoding.
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

/// `guard -> updates`, in terms over the state before and the inputs.
#[derive(Clone, Debug)]
pub struct Path {
    pub command: CommandId,
    /// All of these, none of them constantly true. The values of inputs and of what is assigned being in their domains
    /// is among them, and so is the invariant of the model after the step.
    pub guard: Vec<Expr>,
    /// All at once; a variable that is not here keeps its value.
    pub updates: BTreeMap<VarId, Expr>,
    /// Symbols of the [`Terms`] that take any value that the guard allows.
    pub inputs: Vec<VarId>,
    /// Those of the inputs that say which branch of a choice is taken.
    pub choices: Vec<VarId>,
    pub shape: Shape,
}

/// What a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One way through a body.
    Straight,
    /// All ways through a body: where they meet again, values are choices between those of the ways.
    Merged,
}

/// A model as formulas.
pub struct Encoding {
    pub paths: Vec<Path>,
    /// Conjuncts: the initial condition and the invariant, and the domains of the variables.
    pub initial: Vec<Expr>,
    /// Conjuncts that hold in every configuration: domains and invariant.
    pub always: Vec<Expr>,
}

/// Inputs of a guard with at most this many combinations of values are multiplied out where need be.
const MAX_MULTIPLIED: usize = 256;

/// Bodies with more ways through them are merged into one path.
const MOST_WAYS: u64 = 64;

/// Encodes without limits on time and memory.
pub fn encode(terms: &mut Terms<'_>) -> Result<Encoding, TooMuch> {
    encode_within(terms, &Control::new()).map_err(refused)
}

/// Why there is nothing, where there is no limit.
fn refused(halt: Halt) -> TooMuch {
    match halt {
        Halt::TooMuch(refused) => refused,
        Halt::Stopped(_) => unreachable!("there is no limit"),
    }
}

pub fn encode_within(terms: &mut Terms<'_>, control: &Control) -> Result<Encoding, Halt> {
    let model = terms.model();
    let exprs = &terms.exprs().clone();
    let mut totals = Totals::new(terms);
    let mut always = Conjuncts::default();
    for (id, var) in model.vars.enumerated() {
        let known = match var.life {
            Life::State => terms.in_domain(id),
            Life::Local => exprs.eq(exprs.var(id), terms.constant(var.domain, terms.model().first(var.domain))),
        };
        always.push(exprs, known);
    }
    for &part in &model.invariant {
        control.check()?;
        totals.is(part, true).into_iter().for_each(|part| always.push(exprs, part));
    }
    let mut initial = always.clone();
    let begun = match &model.start {
        Statement::Skip => model.init.iter().flat_map(|&part| totals.is(part, true)).collect(),
        _ => Walk::new(terms, &mut totals, Shape::Merged).started(control)?,
    };
    control.check()?;
    begun.into_iter().for_each(|part| initial.push(exprs, part));
    let mut encoding = Encoding { paths: Vec::new(), initial: initial.list, always: always.list };
    let touched = Touched::new(model);
    for (id, command) in model.commands.enumerated() {
        control.check()?;
        let few = if ways(&command.body) <= MOST_WAYS { paths(&command.body) } else { None };
        let Some(all) = few else {
            let walk = Walk::new(terms, &mut totals, Shape::Merged);
            encoding.paths.extend(walk.merged(id, &touched, control)?);
            continue;
        };
        for leaves in all {
            let walk = Walk::new(terms, &mut totals, Shape::Straight);
            encoding.paths.extend(walk.path(id, &leaves, &touched, control)?);
        }
    }
    Ok(encoding)
}

impl Path {
    /// A term after the step, over what is before it.
    pub fn after(&self, exprs: &Exprs, term: Expr) -> Expr {
        let values: Map<VarId, Expr> = self.updates.iter().map(|(&var, &value)| (var, value)).collect();
        substitute(exprs, term, &values)
    }

    /// Some values of the inputs satisfy the guard, as a term over the state; `None` where that would need a quantifier
    /// over more values than can be written out.
    fn enabled(&self, terms: &Terms<'_>, control: &Control) -> Result<Option<Expr>, Stop> {
        let exprs = terms.exprs();
        let is_input = |var: &VarId| self.inputs.contains(var);
        let domains: Vec<Expr> =
            self.inputs.iter().flat_map(|&input| exprs.conjuncts(terms.in_domain(input))).collect();
        let demands: Vec<Expr> = self.guard.iter().copied().filter(|part| !domains.contains(part)).collect();
        // Later conjuncts have a value only where earlier ones are true, so their order is kept.
        let n_plain = demands.iter().take_while(|&&part| !variables(exprs, part).iter().any(is_input)).count();
        let (plain, about) = demands.split_at(n_plain);
        let conditions = exprs.and(about.iter().copied());
        let cases = self.by_choices(terms, conditions, control)?;
        let cases = cases.and_then(|cases| self.by_values(terms, conditions, cases));
        control.check()?;
        Ok(cases.map(|cases| exprs.and(plain.iter().copied().chain([exprs.or(cases)]))))
    }

    /// The cases for all values of the inputs that the conditions read; `None` where there are too many.
    fn by_values(&self, terms: &Terms<'_>, conditions: Expr, cases: Vec<Expr>) -> Option<Vec<Expr>> {
        let exprs = terms.exprs();
        let is_input = |var: &VarId| self.inputs.contains(var);
        let most = if self.choices.is_empty() { MAX_MULTIPLIED } else { MAX_PATHS };
        let mut cases = cases;
        let read = variables(exprs, conditions).into_iter().filter(is_input);
        for input in read.filter(|input| !self.choices.contains(input)) {
            let (lo, hi) = terms.model().bounds(terms.domain(input))?;
            let n_values = usize::try_from(hi.checked_sub(lo)?.checked_add(1)?).ok()?;
            if cases.len().checked_mul(n_values)? > most {
                return None;
            }
            let with = |case: Expr, value: i64| {
                let constant = terms.constant(terms.domain(input), value);
                substitute(exprs, case, &[(input, constant)].into_iter().collect())
            };
            cases = cases.iter().flat_map(|&case| (lo..=hi).map(move |value| with(case, value))).collect();
        }
        Some(cases)
    }
}

impl Path {
    /// A condition for every way through the choices that it depends on; `None` where there are too many.
    fn by_choices(&self, terms: &Terms<'_>, conditions: Expr, control: &Control) -> Result<Option<Vec<Expr>>, Stop> {
        let exprs = terms.exprs();
        let mut cases = vec![conditions];
        // What is chosen last often makes up for what was chosen before.
        for &choice in self.choices.iter().rev() {
            let Some((lo, hi)) = terms.model().bounds(terms.domain(choice)) else { return Ok(None) };
            let mut further = Vec::new();
            for case in cases {
                control.check()?;
                // What is chosen inside of another branch does not matter here.
                if !variables(exprs, case).contains(&choice) {
                    further.push(case);
                    continue;
                }
                for value in lo..=hi {
                    let constant = terms.constant(terms.domain(choice), value);
                    further.push(substitute(exprs, case, &[(choice, constant)].into_iter().collect()));
                }
            }
            further.sort_unstable();
            further.dedup();
            if further.len() > MAX_PATHS {
                return Ok(None);
            }
            cases = further;
        }
        Ok(Some(cases))
    }
}

impl Encoding {
    /// The states that satisfy an expression, as a term; one that has no value there does not.
    pub fn states(&self, terms: &Terms<'_>, formula: Expr) -> Expr {
        terms.exprs().and(Totals::new(terms).is(formula, true))
    }

    /// The states without a step of a command that is not idle, as a term; a [`TooMuch`] where that depends on inputs that
    /// cannot be written out.
    pub fn deadlocks(&self, terms: &Terms<'_>) -> Result<Expr, TooMuch> {
        self.deadlocks_within(terms, &Control::new()).map_err(refused)
    }

    /// The same within limits.
    pub fn deadlocks_within(&self, terms: &Terms<'_>, control: &Control) -> Result<Expr, Halt> {
        let (model, exprs) = (terms.model(), terms.exprs());
        let mut stuck = Vec::new();
        for path in self.paths.iter().filter(|path| !model.commands[path.command].is_idle) {
            let command = &model.commands[path.command];
            let enabled = path.enabled(terms, control)?.ok_or_else(|| TooMuch {
                what: format!("whether {} can be taken depends on too many values of its inputs", command.label),
                span: Some(command.span),
            })?;
            stuck.push(exprs.not(enabled));
        }
        Ok(exprs.and(stuck))
    }
}

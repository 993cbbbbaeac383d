//! Runs of a model as formulas: its variables at every step as symbols, and the steps between them.

use lapidary_base::hash::Map;
use lapidary_base::{Control, Meter, Stop};
use lapidary_ir::passes::Substitution;
use lapidary_ir::{CommandId, Domain, Expr, VarId};

use super::paths::{Encoding, Path, Shape};
use crate::solver::Values;
use crate::terms::Terms;

/// A run as a solver found it: `paths[i]` was taken from `states[i]` to `states[i + 1]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub states: Vec<Box<[i64]>>,
    /// Numbers of paths of the encoding.
    pub paths: Vec<usize>,
}

impl Run {
    pub fn commands(&self, encoding: &Encoding) -> Vec<CommandId> {
        self.paths.iter().map(|&path| encoding.paths[path].command).collect()
    }
}

/// Which path a step takes.
enum Taken {
    /// The one with the number that this symbol has.
    Selected(VarId),
    /// This one.
    Given(usize),
}

/// The variables after some number of steps.
struct Moment {
    /// By the numbers of the model's variables.
    symbols: Box<[VarId]>,
    /// From the model's variables to the symbols.
    renaming: Substitution,
}

/// States one after the other and the steps between them. A variable that no path of a step changes has the same symbol
/// after it as before.
pub struct Unrolling {
    moments: Vec<Moment>,
    taken: Vec<Taken>,
}

impl Unrolling {
    /// One state, about which nothing is said.
    pub fn new(terms: &mut Terms<'_>) -> Self {
        let vars = terms.model().vars.ids();
        let symbols = vars.map(|var| at(terms, var, 0)).collect();
        Self { moments: vec![moment(terms, symbols)], taken: Vec::new() }
    }

    pub fn n_steps(&self) -> usize {
        self.taken.len()
    }

    /// A term over the model's variables, as it is after so many steps.
    pub fn at_step(&mut self, terms: &Terms<'_>, step: usize, term: Expr) -> Expr {
        self.moments[step].renaming.apply(terms.exprs(), term)
    }

    /// Adds a step by any of the paths: what is to be asserted about it. A symbol tells which path is taken.
    pub fn step(&mut self, terms: &mut Terms<'_>, encoding: &Encoding, control: &Control) -> Result<Vec<Expr>, Stop> {
        let exprs = &terms.exprs().clone();
        let Some(last) = encoding.paths.len().checked_sub(1) else {
            let symbols = self.last().symbols.clone();
            self.add(terms, symbols, Taken::Given(0));
            return Ok(vec![exprs.bool(false)]);
        };
        // Nothing is to be chosen between, and solvers see through values that hold under no condition.
        if last == 0 && encoding.paths[0].shape == Shape::Merged {
            return self.step_along(terms, encoding, 0, control);
        }
        let hi = i64::try_from(last).expect("encodings are small");
        let selector = terms.fresh(format!("path@{}", self.n_steps()), Domain::Range { lo: 0, hi });
        let is_taken = |path: usize| exprs.eq(exprs.var(selector), exprs.int(path as i64));
        let mut changing: Vec<Vec<usize>> = vec![Vec::new(); terms.model().vars.len()];
        for (i, path) in encoding.paths.iter().enumerate() {
            path.updates.keys().for_each(|var| changing[var.0 as usize].push(i));
        }
        let next = self.next_symbols(terms, |var| !changing[var.0 as usize].is_empty());
        let mut formulas = vec![terms.in_domain(selector)];
        let mut meter = Meter::new(control);
        for (i, path) in encoding.paths.iter().enumerate() {
            let parts = self.effects(terms, path, &next, &mut meter)?;
            formulas.push(exprs.implies(is_taken(i), exprs.and(parts)));
        }
        for (var, paths) in changing.iter().enumerate().filter(|(_, paths)| !paths.is_empty()) {
            let kept = exprs.eq(exprs.var(next[var]), exprs.var(self.last().symbols[var]));
            if paths.len() <= last {
                formulas.push(exprs.or(paths.iter().map(|&path| is_taken(path)).chain([kept])));
            }
        }
        self.add(terms, next, Taken::Selected(selector));
        Ok(formulas)
    }

    /// Adds a step by one path: what is to be asserted about it. Steps along a sequence of paths make its path formula.
    pub fn step_along(
        &mut self,
        terms: &mut Terms<'_>,
        encoding: &Encoding,
        path: usize,
        control: &Control,
    ) -> Result<Vec<Expr>, Stop> {
        let taken = &encoding.paths[path];
        let next = self.next_symbols(terms, |var| taken.updates.contains_key(&var));
        let formulas = self.effects(terms, taken, &next, &mut Meter::new(control))?;
        self.add(terms, next, Taken::Given(path));
        Ok(formulas)
    }

    /// The symbols of the model's variables after so many steps, by their numbers.
    pub fn symbols(&self, step: usize) -> &[VarId] {
        &self.moments[step].symbols
    }

    /// That the states after these numbers of steps differ.
    pub fn differ(&self, terms: &Terms<'_>, a: usize, b: usize) -> Expr {
        let exprs = terms.exprs();
        let pairs = self.moments[a].symbols.iter().zip(&self.moments[b].symbols);
        exprs.or(pairs.filter(|(a, b)| a != b).map(|(&a, &b)| exprs.ne(exprs.var(a), exprs.var(b))))
    }

    /// The first steps of the run that a solver has found.
    pub fn run<S: Values + ?Sized>(
        &self,
        terms: &Terms<'_>,
        encoding: &Encoding,
        solver: &mut S,
        n_steps: usize,
    ) -> Result<Run, Stop> {
        let n_paths = encoding.paths.len();
        let n_vars = terms.model().vars.len();
        let mut asked: Vec<VarId> = Vec::new();
        self.moments[..=n_steps].iter().for_each(|moment| asked.extend(&moment.symbols));
        for taken in &self.taken[..n_steps] {
            match taken {
                Taken::Selected(selector) => asked.push(*selector),
                Taken::Given(_) => {}
            }
        }
        let values = solver.values(terms, &asked)?;
        let (states, selected) = values.split_at(n_vars * (n_steps + 1));
        let mut selected = selected.iter();
        let mut path = |taken: &Taken| match taken {
            Taken::Selected(_) => selected.next().and_then(|&path| usize::try_from(path).ok()).filter(|&i| i < n_paths),
            // There may be none at all, and then the solver is wrong.
            Taken::Given(path) => Some(*path).filter(|&i| i < n_paths),
        };
        let paths: Option<Vec<usize>> = self.taken[..n_steps].iter().map(&mut path).collect();
        let paths = paths.ok_or_else(|| Stop::NoAnswer("the solver's model takes no path".to_owned()))?;
        let states = (0..=n_steps).map(|i| states[i * n_vars..(i + 1) * n_vars].into()).collect();
        Ok(Run { states, paths })
    }

    fn last(&self) -> &Moment {
        self.moments.last().expect("there is a first state")
    }

    /// New symbols for what changes.
    fn next_symbols(&self, terms: &mut Terms<'_>, changes: impl Fn(VarId) -> bool) -> Box<[VarId]> {
        let (vars, step) = (terms.model().vars.ids(), self.n_steps() + 1);
        let old = &self.last().symbols;
        vars.map(|var| if changes(var) { at(terms, var, step) } else { old[var.0 as usize] }).collect()
    }

    /// The guard of a path and its updates, from the last state; its inputs have symbols of this step.
    fn effects(
        &mut self,
        terms: &mut Terms<'_>,
        path: &Path,
        next: &[VarId],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Expr>, Stop> {
        let step = self.n_steps();
        let mut own;
        let renaming = match path.inputs.is_empty() {
            true => &mut self.moments[step].renaming,
            false => {
                let symbols = terms.model().vars.ids().zip(&self.moments[step].symbols);
                let mut values: Map<VarId, Expr> = symbols.map(|(var, &now)| (var, terms.exprs().var(now))).collect();
                for &input in &path.inputs {
                    let now = at(terms, input, step);
                    values.insert(input, terms.exprs().var(now));
                }
                own = Substitution::new(values);
                &mut own
            }
        };
        let exprs = terms.exprs();
        let mut formulas = Vec::with_capacity(path.guard.len() + path.updates.len());
        for &part in &path.guard {
            meter.add(1)?;
            formulas.push(renaming.apply(exprs, part));
        }
        for (var, &value) in &path.updates {
            meter.add(1)?;
            let value = renaming.apply(exprs, value);
            formulas.push(exprs.eq(exprs.var(next[var.0 as usize]), value));
        }
        Ok(formulas)
    }

    fn add(&mut self, terms: &Terms<'_>, symbols: Box<[VarId]>, taken: Taken) {
        self.moments.push(moment(terms, symbols));
        self.taken.push(taken);
    }
}

fn moment(terms: &Terms<'_>, symbols: Box<[VarId]>) -> Moment {
    let pairs = terms.model().vars.ids().zip(&symbols);
    let renaming = Substitution::new(pairs.map(|(var, &symbol)| (var, terms.exprs().var(symbol))).collect());
    Moment { symbols, renaming }
}

/// A symbol for a variable or an input at a step.
fn at(terms: &mut Terms<'_>, var: VarId, step: usize) -> VarId {
    let (name, domain) = (format!("{}@{step}", terms.name(var)), terms.domain(var));
    terms.fresh(name, domain)
}

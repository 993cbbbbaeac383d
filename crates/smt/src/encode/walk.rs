//! Statements executed on terms: what has to hold for an execution to have come so far, and what the variables are then.

use std::collections::BTreeSet;

use lapidary_base::hash::{Map, Set};
use lapidary_base::{Control, Id, Meter, Stop};
use lapidary_ir::passes::{Interval, Leaf, Substitution, Touched};
use lapidary_ir::{Assignment, CommandId, Destination, Domain, Expr, Exprs, Rhs, VarId};

use super::paths::{Path, Shape};
use super::total::Totals;
use crate::terms::Terms;

/// Conjuncts in the order in which they were first added.
#[derive(Clone, Default)]
pub struct Conjuncts {
    pub list: Vec<Expr>,
    known: Set<Expr>,
}

impl Conjuncts {
    /// Adds a conjunct, taken apart, unless it is there or says nothing.
    pub fn push(&mut self, exprs: &Exprs, part: Expr) {
        for part in exprs.conjuncts(part) {
            if self.known.insert(part) {
                self.list.push(part);
            }
        }
    }

    /// Whether they cannot all be true, as far as a constant tells.
    pub fn are_false(&self, exprs: &Exprs) -> bool {
        self.known.contains(&exprs.bool(false))
    }
}

/// Where an execution is, and what has to hold for it to have come there.
#[derive(Clone, Default)]
pub struct Way {
    /// What the variables are now.
    pub values: Substitution,
    /// Those that have been assigned to.
    pub written: BTreeSet<VarId>,
    pub guard: Conjuncts,
    /// How many inputs were read on the way.
    pub n_inputs: usize,
}

/// What an input is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// Any value of a variable.
    Value,
    /// Which branch is taken.
    Choice,
}

/// A variable that is written where a condition is true.
struct Write {
    var: VarId,
    here: Expr,
    value: Expr,
}

/// An execution on terms.
pub struct Walk<'w, 'a> {
    pub terms: &'w mut Terms<'a>,
    pub totals: &'w mut Totals<'a>,
    pub way: Way,
    pub inputs: Vec<VarId>,
    /// Those of the inputs that say which branch is taken.
    pub choices: Vec<VarId>,
    /// Inputs by how many were read before: ways that are not taken together share them.
    pool: Map<(usize, Domain, Use), VarId>,
    shape: Shape,
    /// How many loops are around what is executed, and how many statements were executed within loops.
    pub n_loops: u64,
    pub n_repeated: u64,
    /// What was found out about terms by the domains of their variables.
    pub intervals: Map<Expr, Interval>,
    pub decisions: Map<Expr, Option<bool>>,
    pub images: Map<Expr, Expr>,
}

impl<'w, 'a> Walk<'w, 'a> {
    pub fn new(terms: &'w mut Terms<'a>, totals: &'w mut Totals<'a>, shape: Shape) -> Self {
        Self {
            terms,
            totals,
            way: Way::default(),
            inputs: Vec::new(),
            choices: Vec::new(),
            pool: Map::default(),
            shape,
            n_loops: 0,
            n_repeated: 0,
            intervals: Map::default(),
            decisions: Map::default(),
            images: Map::default(),
        }
    }

    /// One way through a body; `None` where it cannot be taken.
    pub fn path(
        mut self,
        command: CommandId,
        leaves: &[Leaf<'_>],
        touched: &Touched<'_>,
        control: &Control,
    ) -> Result<Option<Path>, Stop> {
        for leaf in leaves {
            control.check()?;
            match leaf {
                Leaf::Assume(condition) => self.require(*condition, true),
                Leaf::Refute(condition) => self.require(*condition, false),
                Leaf::Assign(list) => self.assign(list, control)?,
            }
        }
        // The rest of the invariant was true before, and nothing that it speaks of has changed.
        for part in touched.by(leaves) {
            control.check()?;
            self.require(part, true);
        }
        Ok(self.ended(command))
    }

    /// What was executed, as one path; `None` where it cannot be taken.
    pub fn ended(self, command: CommandId) -> Option<Path> {
        let (exprs, Way { values, written, guard, .. }) = (self.terms.exprs(), self.way);
        if guard.are_false(exprs) {
            return None;
        }
        let changed = |var: VarId| values.value(var).filter(|&value| value != exprs.var(var)).map(|value| (var, value));
        let updates = written.iter().filter_map(|&var| changed(var)).collect();
        Some(Path {
            command,
            guard: guard.list,
            updates,
            inputs: self.inputs,
            choices: self.choices,
            shape: self.shape,
        })
    }

    pub fn now(&mut self, term: Expr) -> Expr {
        let term = self.way.values.apply(self.terms.exprs(), term);
        match self.shape {
            Shape::Straight => term,
            Shape::Merged => self.eased(term),
        }
    }

    pub fn require(&mut self, condition: Expr, wanted: bool) {
        for part in self.totals.is(condition, wanted) {
            self.require_term(part);
        }
    }

    fn require_term(&mut self, term: Expr) {
        let term = self.now(term);
        self.demand(term);
    }

    /// Demands something of the state before. Straight ways are told as they are; among merged ones, those that the domains
    /// alone exclude are left out.
    fn demand(&mut self, term: Expr) {
        let exprs = &self.terms.exprs().clone();
        match self.shape {
            Shape::Straight => self.way.guard.push(exprs, term),
            Shape::Merged => {
                for part in exprs.conjuncts(term) {
                    let part = self.decided(part).map_or(part, |value| exprs.bool(value));
                    self.way.guard.push(exprs, part);
                }
            }
        }
    }

    /// The value of an expression now; that it has one is required.
    pub fn value(&mut self, expr: Expr) -> Expr {
        let defined = self.totals.defined(expr);
        self.require_term(defined);
        let value = self.totals.value(expr);
        self.now(value)
    }

    pub fn assign(&mut self, list: &[Assignment], control: &Control) -> Result<(), Stop> {
        let mut meter = Meter::new(control);
        let writes = self.writes(list, &mut meter)?;
        let exprs = &self.terms.exprs().clone();
        let mut after: Map<VarId, Expr> = Map::default();
        let mut written: Map<VarId, Vec<Expr>> = Map::default();
        let now: BTreeSet<VarId> = writes.iter().map(|write| write.var).collect();
        for Write { var, here, value } in writes {
            let others = written.entry(var).or_default();
            // Of cells with variable indexes, each may be the one that any other assignment writes.
            meter.add(others.len() as u64 + 1)?;
            for &other in others.iter() {
                self.demand(exprs.not(exprs.and([here, other])));
            }
            others.push(here);
            let old = after.get(&var).copied().or_else(|| self.way.values.value(var)).unwrap_or_else(|| exprs.var(var));
            after.insert(var, exprs.ite(here, value, old));
        }
        self.way.values.extend(now.iter().map(|&var| (var, after[&var])));
        self.way.written.extend(now);
        Ok(())
    }

    /// What is written, and where. Right sides and indexes read the old values, so nothing is written before all is read.
    fn writes(&mut self, list: &[Assignment], meter: &mut Meter<'_>) -> Result<Vec<Write>, Stop> {
        let model = self.terms.model();
        let exprs = &self.terms.exprs().clone();
        let mut writes: Vec<Write> = Vec::new();
        for assignment in list {
            let (first, len, index) = match assignment.to {
                Destination::Var(var) => (var, 1, exprs.int(0)),
                Destination::Cell(family, index) => {
                    let row = &model.families[family];
                    let value = self.value(index);
                    let last = exprs.int(i64::from(row.len) - 1);
                    let inside = exprs.and([exprs.le(exprs.int(0), value), exprs.le(value, last)]);
                    self.demand(inside);
                    (row.first, row.len, value)
                }
            };
            let domain = model.vars[first].domain;
            let value = self.right_side(first, domain, assignment.value);
            meter.add(u64::from(len))?;
            for offset in 0..len {
                let here = exprs.eq(index, exprs.int(i64::from(offset)));
                if exprs.as_bool(here) != Some(false) {
                    writes.push(Write { var: VarId::new(first.index() + offset as usize), here, value });
                }
            }
        }
        Ok(writes)
    }

    fn right_side(&mut self, to: VarId, domain: Domain, right: Rhs) -> Expr {
        let exprs = &self.terms.exprs().clone();
        match right {
            Rhs::Any => {
                let name = format!("{}?", self.terms.name(to));
                let input = self.input(name, domain, Use::Value);
                // Inputs of merged ways are shared, so their domains are demanded once, for all ways.
                if self.shape == Shape::Straight {
                    self.demand(self.terms.in_domain(input));
                }
                exprs.var(input)
            }
            Rhs::Expr(expr) => {
                let value = self.value(expr);
                let within = self.within(value, domain);
                self.demand(within);
                value
            }
        }
    }

    /// A symbol that has any value of a domain, as long as it is the only one on its way.
    pub fn input(&mut self, name: String, domain: Domain, meant: Use) -> VarId {
        let place = (self.way.n_inputs, domain, meant);
        self.way.n_inputs += 1;
        if let Some(&known) = self.pool.get(&place) {
            return known;
        }
        let input = self.terms.fresh(name, domain);
        self.pool.insert(place, input);
        self.inputs.push(input);
        if meant == Use::Choice {
            self.choices.push(input);
        }
        input
    }

    /// That a value is in a domain, as far as the bounds of the variables do not tell.
    fn within(&mut self, value: Expr, domain: Domain) -> Expr {
        let exprs = &self.terms.exprs().clone();
        let Domain::Range { lo, hi } = domain else { return exprs.bool(true) };
        let found = self.interval(value);
        let mut parts = Vec::new();
        if found.is_none_or(|(least, _)| least < lo) {
            parts.push(exprs.le(exprs.int(lo), value));
        }
        if found.is_none_or(|(_, greatest)| greatest > hi) {
            parts.push(exprs.le(value, exprs.int(hi)));
        }
        exprs.and(parts)
    }
}

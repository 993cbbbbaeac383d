//! The commands of a model as guarded simultaneous assignments: one for every way through a body.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::hash::{Map, Set};
use lapidary_base::{Control, Id, Stop};
use lapidary_ir::passes::{Leaf, Substitution, Touched, beyond_paths, interval, paths, substitute, variables};
use lapidary_ir::{Assignment, CommandId, Destination, Domain, Expr, Exprs, Rhs, Target, VarId};
use lapidary_text::Span;

use super::total::Totals;
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

/// Encodes without limits on time and memory.
pub fn encode(terms: &mut Terms<'_>) -> Result<Encoding, TooMuch> {
    encode_within(terms, &Control::new()).map_err(|halt| match halt {
        Halt::TooMuch(refused) => refused,
        Halt::Stopped(_) => unreachable!("there is no limit"),
    })
}

pub fn encode_within(terms: &mut Terms<'_>, control: &Control) -> Result<Encoding, Halt> {
    let model = terms.model();
    if let Some((what, span)) = beyond_paths(model) {
        return Err(TooMuch { what, span }.into());
    }
    let mut totals = Totals::new(model);
    let mut always = Conjuncts::default();
    for var in model.vars.ids() {
        always.push(&model.exprs, terms.in_domain(var));
    }
    for &part in &model.invariant {
        control.check()?;
        totals.is(part, true).into_iter().for_each(|part| always.push(&model.exprs, part));
    }
    let mut initial = always.clone();
    for &part in &model.init {
        control.check()?;
        totals.is(part, true).into_iter().for_each(|part| initial.push(&model.exprs, part));
    }
    let mut encoding = Encoding { paths: Vec::new(), initial: initial.list, always: always.list };
    let touched = Touched::new(model);
    for (id, command) in model.commands.enumerated() {
        control.check()?;
        let all = paths(&command.body).ok_or_else(|| TooMuch {
            what: format!("command {} has too many ways through its body", command.label),
            span: Some(command.span),
        })?;
        for leaves in all {
            let walk = Walk::new(terms, &mut totals);
            encoding.paths.extend(walk.path(id, &leaves, &touched, control)?);
        }
    }
    Ok(encoding)
}

/// Conjuncts in the order in which they were first added.
#[derive(Clone, Default)]
struct Conjuncts {
    list: Vec<Expr>,
    known: Set<Expr>,
}

impl Conjuncts {
    /// Adds a conjunct, taken apart, unless it is there or says nothing.
    fn push(&mut self, exprs: &Exprs, part: Expr) {
        for part in exprs.conjuncts(part) {
            if self.known.insert(part) {
                self.list.push(part);
            }
        }
    }
}

/// One way through a body, executed on terms.
struct Walk<'w, 'a> {
    terms: &'w mut Terms<'a>,
    totals: &'w mut Totals<'a>,
    /// What the variables are now.
    values: Substitution,
    /// Those that have been assigned to.
    written: BTreeSet<VarId>,
    guard: Conjuncts,
    inputs: Vec<VarId>,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(terms: &'w mut Terms<'a>, totals: &'w mut Totals<'a>) -> Self {
        Self {
            terms,
            totals,
            values: Substitution::default(),
            written: BTreeSet::new(),
            guard: Conjuncts::default(),
            inputs: Vec::new(),
        }
    }

    /// `None` where the way cannot be taken.
    fn path(
        mut self,
        command: CommandId,
        leaves: &[Leaf<'_>],
        touched: &Touched<'_>,
        control: &Control,
    ) -> Result<Option<Path>, Stop> {
        let model = self.terms.model();
        for leaf in leaves {
            control.check()?;
            match leaf {
                Leaf::Assume(condition) => self.require(*condition, true),
                Leaf::Refute(condition) => self.require(*condition, false),
                Leaf::Assign(list) => self.assign(list),
            }
        }
        // The rest of the invariant was true before, and nothing that it speaks of has changed.
        for part in touched.by(leaves) {
            control.check()?;
            self.require(part, true);
        }
        let exprs = &model.exprs;
        if self.guard.known.contains(&exprs.bool(false)) {
            return Ok(None);
        }
        let changed =
            |var: VarId| self.values.value(var).filter(|&value| value != exprs.var(var)).map(|value| (var, value));
        let updates = self.written.iter().filter_map(|&var| changed(var)).collect();
        Ok(Some(Path { command, guard: self.guard.list, updates, inputs: self.inputs }))
    }

    fn now(&mut self, term: Expr) -> Expr {
        self.values.apply(self.terms.exprs(), term)
    }

    fn require(&mut self, condition: Expr, wanted: bool) {
        for part in self.totals.is(condition, wanted) {
            self.require_term(part);
        }
    }

    fn require_term(&mut self, term: Expr) {
        let term = self.now(term);
        self.guard.push(self.terms.exprs(), term);
    }

    /// The value of an expression now; that it has one is required.
    fn value(&mut self, expr: Expr) -> Expr {
        let defined = self.totals.defined(expr);
        self.require_term(defined);
        let value = self.totals.value(expr);
        self.now(value)
    }

    fn assign(&mut self, list: &[Assignment]) {
        let model = self.terms.model();
        let exprs = &model.exprs;
        // Right sides and indexes read the old values, so nothing is written before all is read.
        let mut writes: Vec<(VarId, Expr, Expr)> = Vec::new();
        for assignment in list {
            let (first, len, index) = match assignment.to {
                Destination::Var(var) => (var, 1, exprs.int(0)),
                Destination::Cell(family, index) => {
                    let row = &model.families[family];
                    let value = self.value(index);
                    let last = exprs.int(i64::from(row.len) - 1);
                    let inside = exprs.and([exprs.le(exprs.int(0), value), exprs.le(value, last)]);
                    self.guard.push(exprs, inside);
                    (row.first, row.len, value)
                }
            };
            let domain = model.vars[first].domain;
            let value = self.right_side(first, domain, assignment.value);
            for offset in 0..len {
                let here = exprs.eq(index, exprs.int(i64::from(offset)));
                if exprs.as_bool(here) != Some(false) {
                    writes.push((VarId::new(first.index() + offset as usize), here, value));
                }
            }
        }
        let mut after: Map<VarId, Expr> = Map::default();
        let mut written: Map<VarId, Vec<Expr>> = Map::default();
        let order: Vec<VarId> = writes.iter().map(|&(var, ..)| var).collect();
        for (var, here, value) in writes {
            let others = written.entry(var).or_default();
            for &other in others.iter() {
                self.guard.push(exprs, exprs.not(exprs.and([here, other])));
            }
            others.push(here);
            let old = after.get(&var).copied().or_else(|| self.values.value(var)).unwrap_or_else(|| exprs.var(var));
            after.insert(var, exprs.ite(here, value, old));
        }
        let now: BTreeSet<VarId> = order.into_iter().collect();
        self.values.extend(now.iter().map(|&var| (var, after[&var])));
        self.written.extend(now);
    }

    fn right_side(&mut self, to: VarId, domain: Domain, right: Rhs) -> Expr {
        let exprs = self.terms.exprs();
        match right {
            Rhs::Any => {
                let name = format!("{}?", self.terms.name(to));
                let input = self.terms.fresh(name, domain);
                self.inputs.push(input);
                self.guard.push(exprs, self.terms.in_domain(input));
                exprs.var(input)
            }
            Rhs::Expr(expr) => {
                let value = self.value(expr);
                let within = self.within(value, domain);
                self.guard.push(exprs, within);
                value
            }
        }
    }

    /// That a value is in a domain, as far as the bounds of the variables do not tell.
    fn within(&self, value: Expr, domain: Domain) -> Expr {
        let (exprs, terms) = (self.terms.exprs(), &*self.terms);
        let Domain::Range { lo, hi } = domain else { return exprs.bool(true) };
        let bounds = |var: VarId| terms.model().bounds(terms.domain(var));
        let found = interval(exprs, value, &bounds);
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

impl Path {
    /// A term after the step, over what is before it.
    pub fn after(&self, exprs: &Exprs, term: Expr) -> Expr {
        let values: Map<VarId, Expr> = self.updates.iter().map(|(&var, &value)| (var, value)).collect();
        substitute(exprs, term, &values)
    }

    /// Some values of the inputs satisfy the guard, as a term over the state; `None` where that would need a quantifier
    /// over more values than can be written out.
    pub fn enabled(&self, terms: &Terms<'_>) -> Option<Expr> {
        let exprs = terms.exprs();
        let is_input = |var: &VarId| self.inputs.contains(var);
        let domains: Vec<Expr> =
            self.inputs.iter().flat_map(|&input| exprs.conjuncts(terms.in_domain(input))).collect();
        let demands: Vec<Expr> = self.guard.iter().copied().filter(|part| !domains.contains(part)).collect();
        // Later conjuncts have a value only where earlier ones are true, so their order is kept.
        let n_plain = demands.iter().take_while(|&&part| !variables(exprs, part).iter().any(is_input)).count();
        let (plain, about) = demands.split_at(n_plain);
        let conditions = exprs.and(about.iter().copied());
        let mut cases = vec![conditions];
        for input in variables(exprs, conditions).into_iter().filter(is_input) {
            let (lo, hi) = terms.model().bounds(terms.domain(input))?;
            let n_values = usize::try_from(hi.checked_sub(lo)?.checked_add(1)?).ok()?;
            if cases.len().checked_mul(n_values)? > MAX_MULTIPLIED {
                return None;
            }
            let with = |case: Expr, value: i64| {
                let constant = terms.constant(terms.domain(input), value);
                substitute(exprs, case, &[(input, constant)].into_iter().collect())
            };
            cases = cases.iter().flat_map(|&case| (lo..=hi).map(move |value| with(case, value))).collect();
        }
        Some(exprs.and(plain.iter().copied().chain([exprs.or(cases)])))
    }
}

impl Encoding {
    /// The states that are asked for, as a term; a [`TooMuch`] where deadlocks depend on inputs that cannot be written
    /// out.
    pub fn target(&self, terms: &Terms<'_>, target: Target) -> Result<Expr, TooMuch> {
        let model = terms.model();
        let exprs = &model.exprs;
        match target {
            Target::States(formula) => Ok(exprs.and(Totals::new(model).is(formula, true))),
            Target::Deadlocks => {
                let mut stuck = Vec::new();
                for path in self.paths.iter().filter(|path| !model.commands[path.command].is_idle) {
                    let command = &model.commands[path.command];
                    let enabled = path.enabled(terms).ok_or_else(|| TooMuch {
                        what: format!(
                            "whether {} can be taken depends on too many values of its inputs",
                            command.label
                        ),
                        span: Some(command.span),
                    })?;
                    stuck.push(exprs.not(enabled));
                }
                Ok(exprs.and(stuck))
            }
        }
    }
}

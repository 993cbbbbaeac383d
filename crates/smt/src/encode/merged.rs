//! All ways through a body at once: where branches meet again, values become choices between those of the branches, and
//! what a branch demands holds where it is taken.

use std::collections::BTreeSet;

use lapidary_base::{Control, Stop};
use lapidary_ir::passes::{Touched, writes};
use lapidary_ir::{Command, CommandId, Domain, Expr, Statement, VarId};
use lapidary_text::Span;

use super::paths::{Halt, Path, TooMuch};
use super::walk::{Conjuncts, Use, Walk, Way};

/// What a branch with more demands than this wants is said in one.
const MOST_DEMANDS: usize = 16;

/// Loops are unrolled until so many statements were executed within them.
const MOST_REPEATED: u64 = 1 << 14;

/// Why an execution did not come to its end.
enum Far {
    /// A loop has turns, as far as the domains tell, for longer than is followed.
    Unbounded,
    Stopped(Stop),
}

impl From<Stop> for Far {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl Far {
    fn named(self, whose: &str, span: Option<Span>) -> Halt {
        match self {
            Self::Unbounded => TooMuch { what: format!("{whose} has a loop whose bound is not known"), span }.into(),
            Self::Stopped(stop) => stop.into(),
        }
    }
}

impl Walk<'_, '_> {
    /// All steps of a command; `None` where there are none.
    pub fn merged(
        mut self,
        command: CommandId,
        touched: &Touched<'_>,
        control: &Control,
    ) -> Result<Option<Path>, Halt> {
        let Command { label, body, span, .. } = &self.terms.model().commands[command];
        self.run(body, control).map_err(|far| far.named(&format!("command {label}"), Some(*span)))?;
        for part in touched.by_writes(&self.way.written) {
            control.check()?;
            self.require(part, true);
        }
        self.domains_first();
        Ok(self.ended(command))
    }

    /// Inputs have values of their domains, whichever way is taken.
    fn domains_first(&mut self) {
        let exprs = self.terms.exprs();
        let demands = std::mem::take(&mut self.way.guard);
        for &input in &self.inputs {
            self.way.guard.push(exprs, self.terms.in_domain(input));
        }
        demands.list.into_iter().for_each(|part| self.way.guard.push(exprs, part));
    }

    /// The states in which the model's first statement ends, begun where the initial condition is true: conjuncts over the
    /// variables and further symbols, some values of which must satisfy them.
    pub fn started(mut self, control: &Control) -> Result<Vec<Expr>, Halt> {
        let model = self.terms.model();
        let exprs = &self.terms.exprs().clone();
        let written: Vec<VarId> = writes(model, &model.start).into_iter().filter(|&var| !model.is_local(var)).collect();
        for &var in &written {
            let (name, domain) = (format!("{}'", model.vars[var].name), model.vars[var].domain);
            let before = self.terms.fresh(name, domain);
            self.way.values.extend([(var, exprs.var(before))]);
            self.way.guard.push(exprs, self.terms.in_domain(before));
        }
        for &part in &model.init {
            control.check()?;
            self.require(part, true);
        }
        self.run(&model.start, control).map_err(|far| far.named("the statement for the initial states", None))?;
        self.domains_first();
        for var in written {
            let value = self.now(exprs.var(var));
            self.way.guard.push(exprs, exprs.eq(exprs.var(var), value));
        }
        Ok(self.way.guard.list)
    }

    fn run(&mut self, statement: &Statement, control: &Control) -> Result<(), Far> {
        control.check()?;
        if self.n_loops > 0 {
            self.n_repeated += 1;
        }
        if self.n_repeated > MOST_REPEATED {
            return Err(Far::Unbounded);
        }
        let exprs = self.terms.exprs();
        if self.way.guard.are_false(exprs) {
            return Ok(());
        }
        match statement {
            Statement::Skip => {}
            Statement::Assume(condition) => self.require(*condition, true),
            Statement::Assign(list) => self.assign(list, control)?,
            Statement::Sequence(parts) => parts.iter().try_for_each(|part| self.run(part, control))?,
            Statement::Choice(branches) => self.choose(branches, control)?,
            Statement::If(condition, then, otherwise) => {
                let condition = self.value(*condition);
                match self.decided(condition) {
                    Some(true) => self.run(then, control)?,
                    Some(false) => self.run(otherwise, control)?,
                    None => {
                        let taken = self.branch(then, control)?;
                        let other = self.branch(otherwise, control)?;
                        let met = self.met(condition, taken, other);
                        self.go_on(met);
                    }
                }
            }
            Statement::While(condition, body) => self.repeat(*condition, body, control)?,
            Statement::Scope(locals, body) => {
                self.reset(locals);
                self.way.written.extend(locals);
                self.run(body, control)?;
                self.reset(locals);
                locals.iter().for_each(|local| _ = self.way.written.remove(local));
            }
        }
        Ok(())
    }

    /// Local variables have the first values of their domains.
    pub fn reset(&mut self, locals: &[VarId]) {
        let terms = &*self.terms;
        let domain = |local: VarId| terms.domain(local);
        let first = |&local: &VarId| (local, terms.constant(domain(local), terms.model().first(domain(local))));
        self.way.values.extend(locals.iter().map(first).collect::<Vec<_>>());
    }

    /// Turn after turn, as long as the condition may be true. Ways that leave the loop meet behind it.
    fn repeat(&mut self, condition: Expr, body: &Statement, control: &Control) -> Result<(), Far> {
        let exprs = &self.terms.exprs().clone();
        let mut outside: Vec<(Expr, Way)> = Vec::new();
        self.n_loops += 1;
        while !self.way.guard.are_false(exprs) {
            let again = self.value(condition);
            match self.decided(again) {
                Some(false) => break,
                Some(true) => {}
                None => {
                    let inside = Way { guard: Conjuncts::default(), ..self.way.clone() };
                    outside.push((again, std::mem::replace(&mut self.way, inside)));
                }
            }
            self.run(body, control)?;
        }
        self.n_loops -= 1;
        for (again, before) in outside.into_iter().rev() {
            let left = Way { guard: Conjuncts::default(), ..before.clone() };
            let turned = std::mem::replace(&mut self.way, before);
            let met = self.met(again, turned, left);
            self.go_on(met);
        }
        Ok(())
    }

    /// A statement executed from here; what it demands is only that of the statement.
    fn branch(&mut self, statement: &Statement, control: &Control) -> Result<Way, Far> {
        let inside = Way { guard: Conjuncts::default(), ..self.way.clone() };
        let here = std::mem::replace(&mut self.way, inside);
        let ran = self.run(statement, control);
        let ended = std::mem::replace(&mut self.way, here);
        ran.map(|()| ended)
    }

    /// Any of the branches that can be taken; an input says which.
    fn choose(&mut self, branches: &[Statement], control: &Control) -> Result<(), Far> {
        let exprs = &self.terms.exprs().clone();
        let domain = match branches.len() {
            0 | 1 => None,
            2 => Some(Domain::Bool),
            n => Some(Domain::Range { lo: 0, hi: i64::try_from(n).unwrap_or(i64::MAX) - 1 }),
        };
        let pick = domain.map(|domain| exprs.var(self.input("way?".to_owned(), domain, Use::Choice)));
        let here = |number: i64| match (pick, domain) {
            (Some(pick), Some(Domain::Bool)) => {
                if number == 0 {
                    exprs.not(pick)
                } else {
                    pick
                }
            }
            (Some(pick), Some(_)) => exprs.eq(pick, exprs.int(number)),
            (None, _) | (_, None) => exprs.bool(true),
        };
        let mut ways = Vec::new();
        for (number, branch) in (0..).zip(branches) {
            let way = self.branch(branch, control)?;
            if !way.guard.are_false(exprs) {
                ways.push((here(number), way));
            }
        }
        let Some((last, way)) = ways.pop() else {
            self.way.guard.push(exprs, exprs.bool(false));
            return Ok(());
        };
        // One of those that are left is taken.
        let is_left = exprs.or(ways.iter().map(|&(here, _)| here).chain([last]));
        if ways.len() + 1 < branches.len() {
            self.way.guard.push(exprs, is_left);
        }
        let mut all = way;
        for (here, way) in ways.into_iter().rev() {
            all = self.met(here, way, all);
        }
        self.go_on(all);
        Ok(())
    }

    /// What was demanded before is still demanded.
    fn go_on(&mut self, way: Way) {
        let exprs = self.terms.exprs();
        let Way { values, written, guard, n_inputs } = way;
        guard.list.into_iter().for_each(|part| self.way.guard.push(exprs, part));
        self.way = Way { values, written, n_inputs, guard: std::mem::take(&mut self.way.guard) };
    }

    /// One way where the condition is true, elsewhere the other.
    fn met(&self, condition: Expr, then: Way, otherwise: Way) -> Way {
        let exprs = self.terms.exprs();
        let opposite = exprs.not(condition);
        match (then.guard.are_false(exprs), otherwise.guard.are_false(exprs)) {
            (true, _) => return only(self, opposite, otherwise),
            (_, true) => return only(self, condition, then),
            (false, false) => {}
        }
        let mut guard = Conjuncts::default();
        for (here, way) in [(condition, &then), (opposite, &otherwise)] {
            let demands = way.guard.list.iter().copied();
            match demands.len() > MOST_DEMANDS {
                true => guard.push(exprs, exprs.implies(here, exprs.and(demands))),
                false => demands.for_each(|part| guard.push(exprs, exprs.implies(here, part))),
            }
        }
        let n_inputs = then.n_inputs.max(otherwise.n_inputs);
        let written: BTreeSet<VarId> = then.written.union(&otherwise.written).copied().collect();
        let mut values = then.values.clone();
        let read = |way: &Way, var: VarId| way.values.value(var).unwrap_or_else(|| exprs.var(var));
        let joined = written.iter().map(|&var| (var, joined(self, condition, read(&then, var), read(&otherwise, var))));
        values.extend(joined.collect::<Vec<_>>());
        Way { values, written, guard, n_inputs }
    }
}

/// The way that is left where the other one cannot be taken.
fn only(walk: &Walk<'_, '_>, condition: Expr, way: Way) -> Way {
    let exprs = walk.terms.exprs();
    let mut guard = Conjuncts::default();
    guard.push(exprs, condition);
    way.guard.list.iter().for_each(|&part| guard.push(exprs, part));
    Way { guard, ..way }
}

/// A choice between values, if there is one. Terms have a value everywhere, so a choice between equals is none.
fn joined(walk: &Walk<'_, '_>, condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let exprs = walk.terms.exprs();
    match (exprs.as_bool(then), exprs.as_bool(otherwise)) {
        _ if then == otherwise => then,
        (Some(true), Some(false)) => condition,
        (Some(false), Some(true)) => exprs.not(condition),
        _ => exprs.ite(condition, then, otherwise),
    }
}

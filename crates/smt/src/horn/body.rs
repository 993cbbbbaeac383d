//! Statements as clauses: executions that are on their way, each begun at a predicate or where states begin.

use std::collections::BTreeSet;

use lapidary_base::{Control, Stop};
use lapidary_ir::passes::writes;
use lapidary_ir::{Expr, Exprs, Statement, VarId};

use super::PredicateId;
use super::system::Found;
use crate::encode::walk::{Walk, Way};

/// An execution on its way.
#[derive(Clone)]
pub struct Front {
    /// The predicate that was true of the variables where it began; nothing but the guard where states begin.
    pub from: Option<PredicateId>,
    pub way: Way,
}

/// More executions than this meet before they branch again.
const MOST_FRONTS: usize = 8;

/// What is executed for one clause after the other, and what the clauses are about.
pub struct Execution<'e, 'w, 'a> {
    pub walk: Walk<'w, 'a>,
    pub found: &'e mut Found,
    pub about: &'e str,
    pub control: &'e Control,
}

impl Execution<'_, '_, '_> {
    /// All that come to the end of the statement.
    pub fn run(&mut self, fronts: Vec<Front>, statement: &Statement) -> Result<Vec<Front>, Stop> {
        self.control.check()?;
        if fronts.is_empty() {
            return Ok(fronts);
        }
        Ok(match statement {
            Statement::Skip => fronts,
            Statement::Assume(condition) => self.where_is(fronts, *condition, true),
            Statement::Assign(list) => {
                let control = self.control;
                self.each(fronts, |walk| walk.assign(list, control))?
            }
            Statement::Sequence(parts) => parts.iter().try_fold(fronts, |fronts, part| self.run(fronts, part))?,
            Statement::Choice(branches) => {
                let fronts = self.few(fronts);
                let mut ends = Vec::new();
                for branch in branches {
                    ends.extend(self.run(fronts.clone(), branch)?);
                }
                ends
            }
            Statement::If(condition, then, otherwise) => {
                let fronts = self.few(fronts);
                let taken = self.where_is(fronts.clone(), *condition, true);
                let other = self.where_is(fronts, *condition, false);
                let mut ends = self.run(taken, then)?;
                ends.extend(self.run(other, otherwise)?);
                ends
            }
            Statement::While(condition, body) => {
                let changed = writes(self.walk.terms.model(), body);
                let head = self.met("loop", fronts, &changed);
                let again = self.where_is(vec![head.clone()], *condition, true);
                let turned = self.run(again, body)?;
                self.back(turned, &head);
                self.where_is(vec![head], *condition, false)
            }
            Statement::Scope(locals, body) => {
                let begun = self.reset(fronts, locals)?;
                let ended = self.run(begun, body)?;
                self.reset(ended, locals)?
            }
        })
    }

    /// Goes on with each of them; those that cannot be are gone.
    pub fn each(
        &mut self,
        fronts: Vec<Front>,
        mut go: impl FnMut(&mut Walk<'_, '_>) -> Result<(), Stop>,
    ) -> Result<Vec<Front>, Stop> {
        let mut left = Vec::new();
        for Front { from, way } in fronts {
            self.walk.way = way;
            go(&mut self.walk)?;
            let way = std::mem::take(&mut self.walk.way);
            if !way.guard.are_false(self.walk.terms.exprs()) {
                left.push(Front { from, way });
            }
        }
        Ok(left)
    }

    pub fn where_is(&mut self, fronts: Vec<Front>, condition: Expr, wanted: bool) -> Vec<Front> {
        let demanded = self.each(fronts, |walk| {
            walk.require(condition, wanted);
            Ok(())
        });
        demanded.expect("a demand stops nobody")
    }

    fn reset(&mut self, fronts: Vec<Front>, locals: &[VarId]) -> Result<Vec<Front>, Stop> {
        self.each(fronts, |walk| {
            walk.reset(locals);
            Ok(())
        })
    }

    /// Executions that will branch: many of them meet before.
    fn few(&mut self, fronts: Vec<Front>) -> Vec<Front> {
        match fronts.len() > MOST_FRONTS {
            true => vec![self.met("join", fronts, &BTreeSet::new())],
            false => fronts,
        }
    }

    /// A predicate for where executions meet, of which there is one at least, and what goes on from there. Variables that have the
    /// same constant in all of them keep it, unless they are changed later on by what comes back.
    fn met(&mut self, what: &str, fronts: Vec<Front>, changed: &BTreeSet<VarId>) -> Front {
        let exprs = &self.walk.terms.exprs().clone();
        let (mut parameters, mut known) = (Vec::new(), Vec::new());
        for var in self.walk.terms.model().vars.ids() {
            let first = value(exprs, &fronts[0].way, var);
            let is_same = !changed.contains(&var) && fronts.iter().all(|front| value(exprs, &front.way, var) == first);
            match is_same && exprs.raw(first).is_some() {
                true => known.push((var, first)),
                false => parameters.push(var),
            }
        }
        let id = self.found.within_step(what, parameters);
        let written = fronts.iter().flat_map(|front| front.way.written.iter().chain(changed).copied()).collect();
        let mut way = Way { written, ..Way::default() };
        way.values.extend(known);
        let head = Front { from: Some(id), way };
        self.back(fronts, &head);
        head
    }

    /// Executions that come to where others have met.
    fn back(&mut self, fronts: Vec<Front>, head: &Front) {
        let Some(id) = head.from else { return };
        for front in fronts {
            self.found.arrive(self.walk.terms, self.about, front, id);
        }
    }
}

/// What a variable is now.
pub fn value(exprs: &Exprs, way: &Way, var: VarId) -> Expr {
    way.values.value(var).unwrap_or_else(|| exprs.var(var))
}

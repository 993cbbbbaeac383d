//! A statement as a map from what is known before it to what is known after it.

use lapidary_base::{Control, IdVec, Stop};

use super::span::Stretch;
use super::state::{Known, Scene, of_domain, picked};
use crate::model::{Assignment, Destination, Rhs, Statement, VarId};

/// Loops go round so often before what grows in them is let go.
const ROUNDS: usize = 8;
/// Choices within choices that are told apart in a value that is written.
const MOST_CASES: usize = 4;

pub struct Runner<'m> {
    pub scene: Scene<'m>,
    pub control: &'m Control,
    /// All that is ever written to a variable, also what is overwritten in the same step.
    pub written: IdVec<VarId, Stretch>,
    /// Where what grows may rest, ascending.
    pub rests: Vec<i128>,
    /// How much more may be done.
    pub left: u64,
}

/// Why there is no answer.
pub enum Halt {
    Stopped(Stop),
    /// It would take too long: nothing is claimed.
    TooMuch,
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl Runner<'_> {
    /// None where the statement does not end.
    pub fn run(&mut self, statement: &Statement, mut known: Known) -> Result<Option<Known>, Halt> {
        self.spend(1)?;
        match statement {
            Statement::Skip => {}
            Statement::Assume(condition) => {
                if !known.assume(&self.scene, *condition, true) {
                    return Ok(None);
                }
            }
            Statement::Assign(list) => {
                let values: Vec<Stretch> = list.iter().map(|part| self.value(part, &known)).collect();
                if values.iter().any(|value| value.is_none()) {
                    return Ok(None);
                }
                let writes: Vec<(Vec<VarId>, Stretch)> =
                    list.iter().zip(values).map(|(part, value)| (self.places(part, &known), value)).collect();
                for (places, value) in writes {
                    self.write(&places, value, &mut known);
                }
            }
            Statement::Sequence(list) => return self.sequence(list, known),
            Statement::Choice(list) => {
                let mut all = None;
                for branch in list {
                    self.spend(known.0.len())?;
                    join(&mut all, self.run(branch, known.clone())?);
                }
                return Ok(all);
            }
            Statement::If(condition, then, otherwise) => {
                self.spend(known.0.len())?;
                let (mut yes, mut all) = (known.clone(), None);
                if yes.assume(&self.scene, *condition, true) {
                    join(&mut all, self.run(then, yes)?);
                }
                if known.assume(&self.scene, *condition, false) {
                    join(&mut all, self.run(otherwise, known)?);
                }
                return Ok(all);
            }
            Statement::While(condition, body) => return self.repeat(*condition, body, known),
            Statement::Scope(locals, body) => {
                self.reset(locals, &mut known);
                return Ok(self.run(body, known)?.map(|mut known| {
                    self.reset(locals, &mut known);
                    known
                }));
            }
        }
        Ok(Some(known))
    }

    /// So many stretches are looked at.
    pub fn spend(&mut self, n: usize) -> Result<(), Halt> {
        let before = self.left;
        self.left = before.saturating_sub(n as u64);
        if before >> 12 != self.left >> 12 {
            self.control.look()?;
        }
        if self.left == 0 { Err(Halt::TooMuch) } else { Ok(()) }
    }

    /// Values that an assumption right behind a havoc takes away were never there.
    fn sequence(&mut self, list: &[Statement], known: Known) -> Result<Option<Known>, Halt> {
        let mut known = known;
        let mut at = 0;
        while let Some(statement) = list.get(at) {
            at += 1;
            let Some(havocs) = havocs(statement) else {
                match self.run(statement, known)? {
                    Some(after) => known = after,
                    None => return Ok(None),
                }
                continue;
            };
            for &var in &havocs {
                known.0[var] = of_domain(self.scene.model, self.scene.model.vars[var].domain);
            }
            while let Some(Statement::Assume(condition)) = list.get(at) {
                at += 1;
                if !known.assume(&self.scene, *condition, true) {
                    return Ok(None);
                }
            }
            for var in havocs {
                self.written[var] = self.written[var].join(known.0[var]);
            }
        }
        Ok(Some(known))
    }

    fn repeat(&mut self, condition: crate::expr::Expr, body: &Statement, known: Known) -> Result<Option<Known>, Halt> {
        let mut head = known;
        for round in 0.. {
            self.spend(2 * head.0.len())?;
            let mut inside = head.clone();
            let after = match inside.assume(&self.scene, condition, true) {
                true => self.run(body, inside)?,
                false => None,
            };
            let mut next = head.clone();
            if let Some(after) = after {
                next.join(&after);
            }
            if next == head {
                break;
            }
            if round >= ROUNDS {
                next = self.grown(&head, &next);
            }
            head = next;
        }
        Ok(head.assume(&self.scene, condition, false).then_some(head))
    }

    /// What has grown goes on to the next rest.
    pub fn grown(&self, before: &Known, after: &Known) -> Known {
        let rests = &self.rests;
        let grow = |(old, new): (&Stretch, &Stretch)| {
            if old.is_none() || new.is_none() {
                return *new;
            }
            let lo = match new.lo < old.lo {
                true => rests.iter().rev().copied().find(|&rest| rest <= new.lo).unwrap_or(-super::span::FAR),
                false => new.lo,
            };
            let hi = match new.hi > old.hi {
                true => rests.iter().copied().find(|&rest| rest >= new.hi).unwrap_or(super::span::FAR),
                false => new.hi,
            };
            Stretch::new(lo, hi)
        };
        Known(before.0.iter().zip(&after.0).map(grow).collect())
    }

    fn reset(&mut self, locals: &[VarId], known: &mut Known) {
        for &local in locals {
            let model = self.scene.model;
            let domain = model.vars[local].domain;
            let first = match domain.sort() {
                crate::types::Sort::Bits(_) | crate::types::Sort::Array(_) => Stretch::ALL,
                _ => Stretch::only(model.first(domain).into()),
            };
            known.0[local] = first;
            self.written[local] = self.written[local].join(first);
        }
    }

    /// What is written, as far as the domain of the destination takes it.
    fn value(&self, part: &Assignment, known: &Known) -> Stretch {
        let model = self.scene.model;
        let domain = match part.to {
            Destination::Var(var) => model.vars[var].domain,
            Destination::Cell(family, _) => model.family_domain(family),
        };
        let within = of_domain(model, domain);
        match part.value {
            Rhs::Any => within,
            Rhs::Expr(expr) => known.value_by_cases(&self.scene, expr, MOST_CASES).meet(within),
        }
    }

    fn places(&self, part: &Assignment, known: &Known) -> Vec<VarId> {
        match part.to {
            Destination::Var(var) => vec![var],
            Destination::Cell(family, index) => picked(self.scene.model, family, known.value(&self.scene, index)),
        }
    }

    /// One of several places is written: each may be, or not.
    fn write(&mut self, places: &[VarId], value: Stretch, known: &mut Known) {
        for &place in places {
            let before = known.0[place];
            known.0[place] = if places.len() == 1 { value } else { before.join(value) };
            self.written[place] = self.written[place].join(value);
        }
    }
}

fn join(all: &mut Option<Known>, more: Option<Known>) {
    match (all.as_mut(), more) {
        (Some(all), Some(more)) => all.join(&more),
        (None, more) => *all = more,
        (Some(_), None) => {}
    }
}

/// The variables that a statement gives any values, if it does nothing else.
fn havocs(statement: &Statement) -> Option<Vec<VarId>> {
    let Statement::Assign(list) = statement else { return None };
    let havoc = |part: &Assignment| match (part.to, part.value) {
        (Destination::Var(var), Rhs::Any) => Some(var),
        (Destination::Var(_) | Destination::Cell(..), _) => None,
    };
    list.iter().map(havoc).collect()
}

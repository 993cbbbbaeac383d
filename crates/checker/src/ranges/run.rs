//! Statements from sets of states to sets of states, each given by an interval for every variable; each write is compared with what
//! is claimed of its variable.
//!
//! Ways through a statement are kept apart as long as they are few. Of the head of a loop something is guessed from its first turns, and
//! taken if one more turn leads to nothing else. Otherwise whatever the body writes has any of the values there that are claimed for it:
//! that is no guess, since all writes are compared.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::IdVec;
use lapidary_ir::{Assignment, Destination, Expr, Model, Rhs, Statement, VarId};

use super::interval::Interval;
use super::known::Known;
use super::refine;
use super::scene::Scene;
use super::value::{cells, indexes, value};
use crate::Rejection;

/// More ways than this are put together.
const MOST_WAYS: usize = 8;
/// Conditions are gone through again as long as that says more, but no more often.
const MOST_GOES: usize = 4;
/// So many turns of a loop are taken one after the other, and so many before what grows gets all values that are claimed for it.
const MOST_ROUNDS: usize = 6;
const PLAIN_ROUNDS: usize = 3;
/// So many turns of all loops of a body are taken, those of loops within each other included.
const MOST_TURNS: usize = 48;

pub struct Runner<'m> {
    pub scene: Scene<'m>,
    /// Its values tell ways apart.
    pub control: Option<VarId>,
    /// What is claimed of all writes, where anything is.
    pub whole: IdVec<VarId, Option<Interval>>,
    /// All values that a variable can have if the claims are true.
    pub widest: IdVec<VarId, Interval>,
    /// The turns of loops that are still taken to find what holds at their heads.
    pub turns_left: Cell<usize>,
}

/// Where a write is, for messages.
#[derive(Clone, Copy)]
pub struct Place<'m>(pub &'m str);

impl<'m> Runner<'m> {
    fn run<'b>(
        &self,
        place: Place<'m>,
        statement: &Statement,
        ways: Vec<Known<'b>>,
    ) -> Result<Vec<Known<'b>>, Rejection> {
        if ways.is_empty() {
            return Ok(ways);
        }
        match statement {
            Statement::Skip => Ok(ways),
            Statement::Assume(condition) => self.assume(ways, std::slice::from_ref(condition), true),
            Statement::Assign(list) => self.assign(place, list, &[], ways),
            Statement::Sequence(parts) => self.sequence(place, parts, ways),
            Statement::Choice(parts) => {
                let mut after = Vec::new();
                for part in parts {
                    after.extend(self.run(place, part, ways.clone())?);
                }
                Ok(self.few(after))
            }
            Statement::If(condition, then, otherwise) => {
                let condition = std::slice::from_ref(condition);
                let mut after = self.run(place, then, self.assume(ways.clone(), condition, true)?)?;
                after.extend(self.run(place, otherwise, self.assume(ways, condition, false)?)?);
                Ok(self.few(after))
            }
            Statement::While(condition, body) => self.repeat(place, *condition, body, ways),
            Statement::Scope(locals, body) => {
                let ways = self.reset(place, locals, ways)?;
                self.reset(place, locals, self.run(place, body, ways)?)
            }
        }
    }

    /// A whole body from the states at its beginning.
    pub fn body<'b>(
        &self,
        place: Place<'m>,
        body: &Statement,
        ways: Vec<Known<'b>>,
    ) -> Result<Vec<Known<'b>>, Rejection> {
        self.turns_left.set(MOST_TURNS);
        self.run(place, body, ways)
    }

    /// The ways on which all these conditions have this truth.
    pub fn assume<'b>(
        &self,
        mut ways: Vec<Known<'b>>,
        conditions: &[Expr],
        truth: bool,
    ) -> Result<Vec<Known<'b>>, Rejection> {
        let conditions = self.parts(conditions, truth);
        for mut way in std::mem::take(&mut ways) {
            if self.holds(&mut way, &conditions, truth)? {
                ways.push(way);
            }
        }
        Ok(ways)
    }

    /// Conditions of which each says something alone.
    fn parts(&self, conditions: &[Expr], truth: bool) -> Vec<Expr> {
        let parts = |condition: &Expr| match truth {
            true => self.scene.model.exprs.conjuncts(*condition),
            false => vec![*condition],
        };
        conditions.iter().flat_map(parts).collect()
    }

    /// Only the executions in which all these conditions have this truth; false if there are none. What one of them says may help with
    /// those before it.
    fn holds(&self, way: &mut Known<'_>, conditions: &[Expr], truth: bool) -> Result<bool, Rejection> {
        for _ in 0..MOST_GOES {
            let before = way.clone();
            for &condition in conditions {
                self.scene.pause(0)?;
                if !refine::assume(&self.scene, way, condition, truth) {
                    return Ok(false);
                }
            }
            if conditions.len() < 2 || *way == before {
                break;
            }
        }
        Ok(true)
    }

    /// The values of the control variable with which a body may begin, as far as its first conditions say so.
    pub fn origin(&self, body: &Statement) -> Result<Option<Interval>, Rejection> {
        let Some(control) = self.control else { return Ok(Some(Interval::ALL)) };
        let (mut conditions, mut open) = (Vec::new(), vec![body]);
        while let Some(statement) = open.pop() {
            match statement {
                Statement::Skip => {}
                Statement::Assume(condition) => conditions.push(*condition),
                Statement::Sequence(parts) => open.extend(parts.iter().rev()),
                // What a local variable has at the beginning is among what it has at all.
                Statement::Scope(_, body) => {
                    open.clear();
                    open.push(body);
                }
                Statement::Assign(_) | Statement::Choice(_) | Statement::If(..) | Statement::While(..) => break,
            }
        }
        let ways = self.assume(vec![Known::new(&self.widest)], &conditions, true)?;
        Ok(ways.first().map(|way| way.at(control)))
    }

    /// Assumptions right behind an assignment are taken together with it.
    fn sequence<'b>(
        &self,
        place: Place<'m>,
        parts: &[Statement],
        mut ways: Vec<Known<'b>>,
    ) -> Result<Vec<Known<'b>>, Rejection> {
        let mut rest = parts;
        while let Some((first, behind)) = rest.split_first() {
            rest = behind;
            let Statement::Assign(list) = first else {
                ways = self.run(place, first, ways)?;
                continue;
            };
            let mut conditions = Vec::new();
            while let Some((Statement::Assume(condition), behind)) = rest.split_first() {
                conditions.push(*condition);
                rest = behind;
            }
            ways = self.assign(place, list, &conditions, ways)?;
        }
        Ok(ways)
    }

    /// Is there something at the head that holds before the first turn and after each? If that is not found in a few turns, what is
    /// claimed of all writes is.
    fn repeat<'b>(
        &self,
        place: Place<'m>,
        condition: Expr,
        body: &Statement,
        ways: Vec<Known<'b>>,
    ) -> Result<Vec<Known<'b>>, Rejection> {
        let Some(mut head) = joined(ways) else { return Ok(Vec::new()) };
        let condition = [condition];
        for round in 0..MOST_ROUNDS {
            let Some(left) = self.turns_left.get().checked_sub(1) else { break };
            self.turns_left.set(left);
            let turned = self.run(place, body, self.assume(vec![head.clone()], &condition, true)?)?;
            let more = turned.iter().fold(head.clone(), |all, way| all.hull(way));
            let grown = more.differing(&head);
            if grown.is_empty() {
                return self.assume(vec![head], &condition, false);
            }
            head = more;
            if round >= PLAIN_ROUNDS {
                grown.into_iter().for_each(|var| head.set(var, self.widest[var]));
            }
        }
        for var in written(self.scene.model, body) {
            head.set(var, self.widest[var]);
        }
        self.run(place, body, self.assume(vec![head.clone()], &condition, true)?)?;
        self.assume(vec![head], &condition, false)
    }

    fn reset<'b>(
        &self,
        place: Place<'m>,
        locals: &[VarId],
        mut ways: Vec<Known<'b>>,
    ) -> Result<Vec<Known<'b>>, Rejection> {
        for &local in locals {
            let first = first(self.scene.model, local);
            self.compare(place, local, first)?;
            ways.iter_mut().for_each(|way| way.set(local, first));
        }
        Ok(ways)
    }

    fn assign<'b>(
        &self,
        place: Place<'m>,
        list: &[Assignment],
        conditions: &[Expr],
        ways: Vec<Known<'b>>,
    ) -> Result<Vec<Known<'b>>, Rejection> {
        let (mut after, conditions) = (Vec::new(), self.parts(conditions, true));
        for mut old in ways {
            self.scene.pause(list.len())?;
            if !self.evaluates(&mut old, list) {
                continue;
            }
            let Some((mut new, open)) = self.write(place, list, &old)? else { continue };
            if !self.holds(&mut new, &conditions, true)? {
                continue;
            }
            for var in open {
                self.compare(place, var, new.at(var))?;
            }
            after.push(new);
        }
        Ok(after)
    }

    /// Only the executions in which the assignments have values, and these are within finite domains; false if there are none.
    fn evaluates(&self, old: &mut Known<'_>, list: &[Assignment]) -> bool {
        let scene = &self.scene;
        list.iter().all(|assignment| {
            let domain = match assignment.to {
                Destination::Var(var) => scene.model.vars[var].domain,
                Destination::Cell(family, index) => {
                    let Some(indexes) = indexes(scene, family) else { return false };
                    if !refine::restrict(scene, old, index, indexes) {
                        return false;
                    }
                    scene.model.family_domain(family)
                }
            };
            match assignment.value {
                Rhs::Any => true,
                Rhs::Expr(value) => refine::restrict(scene, old, value, scene.domain(domain)),
            }
        })
    }

    /// What is known after the assignments, and the variables that were given any value: these are not compared yet.
    fn write<'b>(
        &self,
        place: Place<'m>,
        list: &[Assignment],
        old: &Known<'b>,
    ) -> Result<Option<(Known<'b>, BTreeSet<VarId>)>, Rejection> {
        let (mut new, mut open, mut named) = (old.clone(), BTreeSet::new(), BTreeSet::new());
        for assignment in list {
            self.scene.pause(0)?;
            let targets: Vec<VarId> = match assignment.to {
                // To write a variable twice at once is no step.
                Destination::Var(var) if !named.insert(var) => return Ok(None),
                Destination::Var(var) => vec![var],
                Destination::Cell(family, index) => match cells(&self.scene, old, family, index) {
                    Some(cells) => cells.collect(),
                    None => return Ok(None),
                },
            };
            let domain = self.scene.domain(self.scene.model.vars[targets[0]].domain);
            let given = match assignment.value {
                Rhs::Any => domain,
                Rhs::Expr(expr) => match value(&self.scene, old, expr).and_then(|value| value.meet(domain)) {
                    Some(value) => value,
                    None => return Ok(None),
                },
            };
            for &target in &targets {
                match assignment.value {
                    Rhs::Any => {
                        open.insert(target);
                    }
                    Rhs::Expr(_) => self.compare(place, target, given)?,
                }
                // Of several cells each may be the one that is written.
                let after = if targets.len() == 1 { given } else { new.at(target).hull(given) };
                new.set(target, after);
            }
        }
        Ok(Some((new, open)))
    }

    pub fn compare(&self, place: Place<'m>, var: VarId, value: Interval) -> Result<(), Rejection> {
        match self.whole[var] {
            Some(claim) if !claim.includes(value) => {
                let (name, place) = (&self.scene.model.vars[var].name, place.0);
                let why = format!(
                    "{place} may give {name} a value outside {claim}, of which it is not known that it is none"
                );
                Err(Rejection::Wrong(format!("{why}: all that is known is {value}")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Puts ways together where there are too many: first those that agree on the control variable.
    fn few<'b>(&self, ways: Vec<Known<'b>>) -> Vec<Known<'b>> {
        if ways.len() <= MOST_WAYS {
            return ways;
        }
        let mut apart: BTreeMap<Option<Interval>, Known<'b>> = BTreeMap::new();
        for way in ways {
            let at = self.control.map(|control| way.at(control));
            let together = match apart.remove(&at) {
                Some(before) => before.hull(&way),
                None => way,
            };
            apart.insert(at, together);
        }
        let ways: Vec<Known<'b>> = apart.into_values().collect();
        if ways.len() <= MOST_WAYS { ways } else { joined(ways).into_iter().collect() }
    }
}

fn joined<'b>(ways: Vec<Known<'b>>) -> Option<Known<'b>> {
    ways.into_iter().reduce(|all, way| all.hull(&way))
}

/// What a local variable has outside its scope.
pub fn first(model: &Model, var: VarId) -> Interval {
    Interval::point(model.first(model.vars[var].domain))
}

/// All variables that a statement may write.
fn written(model: &Model, statement: &Statement) -> BTreeSet<VarId> {
    let (mut found, mut open) = (BTreeSet::new(), vec![statement]);
    while let Some(statement) = open.pop() {
        match statement {
            Statement::Skip | Statement::Assume(_) => {}
            Statement::Assign(list) => {
                for assignment in list {
                    match assignment.to {
                        Destination::Var(var) => found.extend([var]),
                        Destination::Cell(family, _) => found.extend(model.cells(family)),
                    }
                }
            }
            Statement::Sequence(parts) | Statement::Choice(parts) => open.extend(parts),
            Statement::If(_, then, otherwise) => open.extend([&**then, &**otherwise]),
            Statement::While(_, body) => open.push(body),
            Statement::Scope(locals, body) => {
                found.extend(locals);
                open.push(body);
            }
        }
    }
    found
}

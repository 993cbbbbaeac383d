//! Claims between which numbers integers stay on all runs, proved in one pass: whatever begins within the claims stays within them.
//!
//! 1. The initial states, and those that the start begins in, are within the claims.
//! 2. From all states that the claims allow, all that a command writes and all states in which it ends are within the claims.
//!
//! Where that cannot be told from intervals alone, the claims are rejected though they may be true. Claims about variables with finite
//! domains are used where they are proved on the way, and left out where they are not.

mod interval;
mod known;
mod linear;
#[cfg(test)]
mod random;
mod refine;
mod run;
mod scene;
#[cfg(test)]
mod tests;
mod value;

use std::cell::Cell;
use std::collections::BTreeSet;

use lapidary_base::hash::Map;
use lapidary_base::{Control, IdVec};
use lapidary_ir::model::Raw;
use lapidary_ir::passes::ranges::{Found, Ranges};
use lapidary_ir::{CommandId, Domain, Expr, Model, Statement, VarId};

use crate::Rejection;
use interval::Interval;
use known::Known;
use run::{Place, Runner, first};
use scene::Scene;

/// So often claims about finite domains are left out one by one; then all of them are.
const MOST_PASSES: usize = 12;

/// Is the model with the domains that the claims narrow the same as the model?
pub fn certify(model: &Model, claims: &Ranges, control: &Control) -> Result<(), Rejection> {
    check_form(model, claims)?;
    let mut unproved = BTreeSet::new();
    for pass in 0.. {
        let mut proof = Proof::new(model, claims, control, &unproved)?;
        proof.initial_states()?;
        for entry in 0..claims.by_value.len() {
            proof.steps_from(entry)?;
        }
        let missed = proof.missed;
        if missed.is_empty() {
            break;
        }
        unproved.extend(missed);
        if pass == MOST_PASSES {
            unproved = all_finite(model, claims);
        }
    }
    Ok(())
}

/// A claim of a value of the control variable, by its position, about a variable.
type Which = (usize, VarId);

fn all_finite(model: &Model, claims: &Ranges) -> BTreeSet<Which> {
    let finite = |var: &VarId| model.vars[*var].domain != Domain::Int;
    (0..claims.by_value.len()).flat_map(|entry| model.vars.ids().filter(finite).map(move |var| (entry, var))).collect()
}

/// Claims are about the variables of the model, and the model that they narrow differs from it in the domains of integers alone.
fn check_form(model: &Model, claims: &Ranges) -> Result<(), Rejection> {
    let n = model.vars.len();
    let wrong = |why: &str| Err(Rejection::Wrong(format!("ranges: {why}")));
    if claims.whole.len() != n || claims.by_value.iter().any(|(_, found)| found.len() != n) {
        return wrong("they are not about the variables of this model");
    }
    if claims.control.is_some_and(|control| model.vars.get(control).is_none_or(|_| model.is_local(control))) {
        return wrong("the control variable is none of this model");
    }
    let values: BTreeSet<Raw> = claims.by_value.iter().map(|&(value, _)| value).collect();
    if values.len() != claims.by_value.len() || (claims.control.is_none() && values.len() > 1) {
        return wrong("there are several claims about one value");
    }
    if model.vars.ids().any(|var| is_claimed(model, claims, var).is_some_and(|(lo, hi)| lo > hi)) {
        return wrong("no number is left of a domain");
    }
    let narrow = claims.narrowed(model);
    for (var, old) in model.vars.enumerated() {
        let domain = narrow.vars[var].domain;
        if domain != old.domain && !is_wide_enough(domain, is_claimed(model, claims, var)) {
            return wrong(&format!("{} gets another domain than the claim says", old.name));
        }
        if model.is_local(var) && model.first(domain) != model.first(old.domain) {
            return wrong(&format!("{} would begin with another value", old.name));
        }
    }
    let differ = |family| model.cells(family).any(|cell| narrow.vars[cell].domain != narrow.family_domain(family));
    if model.families.ids().any(|family| model.families[family].len > 0 && differ(family)) {
        return wrong("cells of one row get several domains");
    }
    Ok(())
}

/// What is claimed of all values of an integer.
fn is_claimed(model: &Model, claims: &Ranges, var: VarId) -> Found {
    claims.whole[var].filter(|_| model.vars[var].domain == Domain::Int)
}

/// Does a domain have all the numbers that a claim allows?
fn is_wide_enough(domain: Domain, claim: Found) -> bool {
    match (domain, claim) {
        (Domain::Range { lo, hi }, Some((least, most))) => lo <= least && most <= hi,
        (Domain::Range { .. }, None) => false,
        (Domain::Bool | Domain::Int | Domain::Enum(_) | Domain::Bits(_) | Domain::Array(_), _) => false,
    }
}

struct Proof<'m> {
    model: &'m Model,
    claims: &'m Ranges,
    runner: Runner<'m>,
    /// What may be taken of the claims about states: of integers all, of other variables what is not yet known to be unproved.
    at: Vec<IdVec<VarId, Option<Interval>>>,
    /// Where the claim about a value of the control variable is.
    entries: Map<i128, usize>,
    /// The values of the control variable with which commands may begin; none of one that has no steps.
    origins: IdVec<CommandId, Option<Interval>>,
    /// Claims about finite domains that this pass does not prove.
    missed: BTreeSet<Which>,
}

impl<'m> Proof<'m> {
    fn new(
        model: &'m Model,
        claims: &'m Ranges,
        control: &'m Control,
        unproved: &BTreeSet<Which>,
    ) -> Result<Self, Rejection> {
        control.check()?;
        let interval = |(lo, hi): (Raw, Raw)| Interval { lo: i128::from(lo), hi: i128::from(hi) };
        let scene = Scene::new(model, control);
        let whole: IdVec<VarId, _> = model.vars.ids().map(|var| is_claimed(model, claims, var).map(interval)).collect();
        let domain = |var: VarId| scene.domain(model.vars[var].domain);
        let widest = model.vars.ids().map(|var| whole[var].unwrap_or_else(|| domain(var))).collect();
        let is_used = |entry, var| !unproved.contains(&(entry, var)) && claims.control != Some(var);
        let claim = |entry, var, found: Found| found.filter(|_| is_used(entry, var)).map(interval);
        let at = claims.by_value.iter().enumerate();
        let at = at.map(|(entry, (_, all))| all.enumerated().map(|(var, found)| claim(entry, var, *found)).collect());
        let at = at.collect();
        let runner = Runner { scene, control: claims.control, whole, widest, turns_left: Cell::new(0) };
        let entries = claims.by_value.iter().enumerate();
        let entries = entries.map(|(entry, &(value, _))| (i128::from(value), entry)).collect();
        let origins = model.commands.iter().map(|command| runner.origin(&command.body));
        let origins = origins.collect::<Result<Vec<_>, _>>()?.into();
        Ok(Self { model, claims, runner, at, entries, origins, missed: BTreeSet::new() })
    }

    fn initial_states(&mut self) -> Result<(), Rejection> {
        let model = self.model;
        let begins = |var: VarId| match model.is_local(var) {
            true => first(model, var),
            false => self.runner.scene.domain(model.vars[var].domain),
        };
        let domains: IdVec<VarId, Interval> = model.vars.ids().map(begins).collect();
        let mut conditions = model.init.clone();
        // What the start begins in need not keep the invariant.
        if model.start == Statement::Skip {
            conditions.extend(&model.invariant);
        }
        let begun = self.runner.assume(vec![Known::new(&domains)], &conditions, true)?;
        let begun = self.apart(begun, &conditions)?;
        let place = Place("the initial condition");
        for way in &begun {
            for var in model.vars.ids() {
                self.runner.compare(place, var, way.at(var))?;
            }
        }
        let started = self.runner.body(Place("the start"), &model.start, begun)?;
        self.arrive("the initial condition", started)
    }

    fn steps_from(&mut self, entry: usize) -> Result<(), Rejection> {
        let Some(base) = self.states_at(entry) else { return Ok(()) };
        let model = self.model;
        let here = self.runner.assume(vec![Known::new(&base)], &model.invariant, true)?;
        let Some(base) = here.first().map(Known::all) else { return Ok(()) };
        let value = i128::from(self.claims.by_value[entry].0);
        for (id, command) in model.commands.enumerated() {
            if self.claims.control.is_some() && !self.origins[id].is_some_and(|origin| origin.has(value)) {
                continue;
            }
            let ends = self.runner.body(Place(&command.label), &command.body, vec![Known::new(&base)])?;
            self.arrive(&command.label, ends)?;
        }
        Ok(())
    }

    /// All states that the claims allow at a value of the control variable; none if there are none.
    fn states_at(&self, entry: usize) -> Option<IdVec<VarId, Interval>> {
        let (value, model) = (self.claims.by_value[entry].0, self.model);
        let at = |var: VarId| {
            let mut found = if model.is_local(var) { first(model, var) } else { self.runner.widest[var] };
            if self.claims.control == Some(var) {
                found = found.meet(Interval::point(value))?;
            }
            self.at[entry][var].map_or(Some(found), |claim| claim.meet(found))
        };
        model.vars.ids().map(at).collect::<Option<Vec<Interval>>>().map(IdVec::from)
    }

    /// The same ways, each for one value of the control variable, as far as these are few.
    fn apart<'b>(&self, ways: Vec<Known<'b>>, conditions: &[Expr]) -> Result<Vec<Known<'b>>, Rejection> {
        let Some(control) = self.claims.control else { return Ok(ways) };
        let mut apart = Vec::new();
        for way in ways {
            let Interval { lo, hi } = way.at(control);
            if hi.checked_sub(lo).is_none_or(|more| more > self.claims.by_value.len() as i128) {
                apart.push(way);
                continue;
            }
            for value in lo..=hi {
                let mut here = way.clone();
                if here.narrow(control, Interval::point(value)) {
                    apart.extend(self.runner.assume(vec![here], conditions, true)?);
                }
            }
        }
        Ok(apart)
    }

    /// Are all these states among those that are claimed?
    fn arrive(&mut self, label: &str, ways: Vec<Known<'_>>) -> Result<(), Rejection> {
        let invariant = &self.model.invariant;
        let ways = self.runner.assume(ways, invariant, true)?;
        for way in self.apart(ways, invariant)? {
            self.runner.scene.pause(self.model.vars.len())?;
            let entry = self.entry(label, &way)?;
            self.compare(label, entry, &way)?;
        }
        Ok(())
    }

    fn entry(&self, label: &str, way: &Known<'_>) -> Result<usize, Rejection> {
        let found = match self.claims.control {
            Some(control) => way.at(control).only().and_then(|value| self.entries.get(&value).copied()),
            None => (!self.claims.by_value.is_empty()).then_some(0),
        };
        found.ok_or_else(|| {
            let control = self.claims.control.map_or_else(String::new, |control| {
                format!(" in which {} is {}", self.model.vars[control].name, way.at(control))
            });
            Rejection::Wrong(format!("{label} may lead to states{control}, which are not claimed"))
        })
    }

    fn compare(&mut self, label: &str, entry: usize, way: &Known<'_>) -> Result<(), Rejection> {
        for (var, claim) in self.at[entry].enumerated() {
            let found = way.at(var);
            let Some(claim) = claim.filter(|claim| !claim.includes(found)) else { continue };
            let declared = &self.model.vars[var];
            if declared.domain != Domain::Int {
                self.missed.insert((entry, var));
                continue;
            }
            let why = format!("{label} may lead to a state in which {} is {found}", declared.name);
            return Err(Rejection::Wrong(format!("{why}, which is not within {claim}")));
        }
        Ok(())
    }
}

//! Formulas that may hold in every reachable state, and those among them that do: the largest set that holds initially
//! and that a step keeps. The method is that of Flanagan and Leino's Houdini.

use std::collections::BTreeSet;

use lapidary_base::hash::Set;
use lapidary_base::{Id, Meter, Stop};
use lapidary_ir::{Domain, Expr, Exprs, Family, FamilyId, VarId};
use lapidary_smt::encode::{Path, Unrolling};
use lapidary_smt::{FullSolver, Sat};
use lapidary_system::evaluate::Scope;

use super::Work;

/// So many candidates at most.
const MOST: usize = 800;
/// So many questions at most are asked to sort them out.
const MOST_ROUNDS: usize = 200;
/// So many states are looked at before the solver is asked.
const MOST_WALKED: usize = 400;
/// A term is interpreted, node by node.
const PIECES_PER_TERM: u64 = 16;
/// So many constants of the model are bounds.
const MOST_CONSTANTS: usize = 6;
/// So many variables are compared with each other, so many conditions on values combined.
const MOST_PAIRED: usize = 24;

/// Formulas over the model's variables that hold in every reachable state: initially, and after a step if before it.
pub struct Lemmas<'c> {
    pub list: Vec<Expr>,
    unrolling: Unrolling,
    solver: Box<dyn FullSolver + 'c>,
}

/// Finds lemmas; none where sorting out the candidates takes too long.
pub fn lemmas<'c>(work: &mut Work<'_, 'c>) -> Result<Lemmas<'c>, Stop> {
    let mut lemmas = Lemmas::new(work)?;
    let mut solver = work.open()?;
    work.assert(&mut *solver, work.formulas.encoding.initial.clone())?;
    if work.ask(&mut *solver, &[])? != Sat::Yes {
        return Ok(lemmas);
    }
    let vars: Vec<VarId> = work.formulas.terms.model().vars.ids().collect();
    let Some(first) = fits(solver.values(&work.formulas.terms, &vars))? else { return Ok(lemmas) };
    let mut list = candidates(work, &first);
    for state in walk(work, first)? {
        work.control.check()?;
        list.retain(|&candidate| holds(work, candidate, &state));
    }
    let exprs = &work.formulas.terms.exprs().clone();
    let mut is_left = sort_out(work, &mut list, &mut |work, list| {
        let some_fails = exprs.or(list.iter().map(|&candidate| exprs.not(candidate)));
        let sat = work.ask(&mut *solver, &[some_fails])?;
        found(sat, || solver.values(&work.formulas.terms, &vars))
    })?;
    is_left = is_left && sort_out(work, &mut list, &mut |work, list| lemmas.broken(work, list))?;
    if is_left {
        lemmas.list = list;
    }
    Ok(lemmas)
}

/// What a question for a state that breaks a candidate was answered with.
enum Found {
    State(Vec<i64>),
    Nothing,
    Unclear,
}

fn found(sat: Sat, values: impl FnOnce() -> Result<Vec<i64>, Stop>) -> Result<Found, Stop> {
    Ok(match sat {
        Sat::No => Found::Nothing,
        Sat::Unknown(_) => Found::Unclear,
        Sat::Yes => fits(values())?.map_or(Found::Unclear, Found::State),
    })
}

/// No values where they are too long.
fn fits<T>(values: Result<T, Stop>) -> Result<Option<T>, Stop> {
    match values {
        Ok(values) => Ok(Some(values)),
        Err(Stop::Overflow(_)) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// Looks for a state that breaks one of the candidates.
type Search<'s, 'a, 'c> = &'s mut dyn FnMut(&mut Work<'a, 'c>, &[Expr]) -> Result<Found, Stop>;

/// Drops candidates until no state that breaks one is found; false where that does not come to an end.
fn sort_out<'a, 'c>(work: &mut Work<'a, 'c>, list: &mut Vec<Expr>, search: Search<'_, 'a, 'c>) -> Result<bool, Stop> {
    for _ in 0..MOST_ROUNDS {
        if list.is_empty() {
            return Ok(true);
        }
        let state = match search(work, list)? {
            Found::Nothing => return Ok(true),
            Found::Unclear => return Ok(false),
            Found::State(state) => state,
        };
        let n_before = list.len();
        list.retain(|&candidate| holds(work, candidate, &state));
        if list.len() == n_before {
            return Ok(false);
        }
    }
    Ok(false)
}

fn holds(work: &Work<'_, '_>, candidate: Expr, state: &[i64]) -> bool {
    value(work, candidate, state) == Some(1)
}

/// The value of a term in a state; an input has the least of its values, or zero.
fn value(work: &Work<'_, '_>, term: Expr, state: &[i64]) -> Option<i64> {
    let model = work.formulas.terms.model();
    let family = |id: FamilyId| -> Family { model.families[id].clone() };
    let input = |var: VarId| model.first(work.formulas.terms.domain(var));
    let read = |var: VarId| state.get(var.index()).copied().unwrap_or_else(|| input(var));
    let sort = |var: VarId| work.formulas.terms.domain(var).sort();
    let (exprs, enums) = (work.formulas.terms.exprs(), &model.enums);
    Scope { exprs, family: &family, read: &read, sort: &sort, enums }.value(term)
}

/// Some reachable states, found without the solver: they sort out most candidates.
fn walk(work: &Work<'_, '_>, first: Vec<i64>) -> Result<Vec<Vec<i64>>, Stop> {
    let mut meter = Meter::new(work.control);
    let (mut seen, mut states) = (Set::default(), vec![first.clone()]);
    seen.insert(first);
    let mut next = 0;
    while let Some(state) = states.get(next).cloned().filter(|_| states.len() < MOST_WALKED) {
        next += 1;
        for path in &work.formulas.encoding.paths {
            meter.add(PIECES_PER_TERM)?;
            if let Some(after) = after(work, path, &state, &mut meter)?
                && seen.insert(after.clone())
            {
                states.push(after);
            }
        }
    }
    Ok(states)
}

/// Where a path leads from a state, if it is open there and the values are short.
fn after(work: &Work<'_, '_>, path: &Path, state: &[i64], meter: &mut Meter<'_>) -> Result<Option<Vec<i64>>, Stop> {
    for &part in &path.guard {
        meter.add(PIECES_PER_TERM)?;
        if !holds(work, part, state) {
            return Ok(None);
        }
    }
    meter.add(state.len() as u64 + PIECES_PER_TERM * path.updates.len() as u64)?;
    let mut after = state.to_vec();
    let is_short = path.updates.iter().all(|(var, &update)| {
        let short = value(work, update, state);
        after[var.index()] = short.unwrap_or(0);
        short.is_some()
    });
    Ok(is_short.then_some(after))
}

impl<'c> Lemmas<'c> {
    fn new(work: &mut Work<'_, 'c>) -> Result<Self, Stop> {
        let mut unrolling = Unrolling::new(&mut work.formulas.terms);
        let mut solver = work.open()?;
        for &part in &work.formulas.encoding.always {
            let part = unrolling.at_step(&work.formulas.terms, 0, part);
            solver.assert(&work.formulas.terms, part)?;
        }
        let formulas = unrolling.step(&mut work.formulas.terms, &work.formulas.encoding, work.control)?;
        work.assert(&mut *solver, formulas)?;
        Ok(Self { list: Vec::new(), unrolling, solver })
    }

    fn at(&mut self, work: &Work<'_, '_>, step: usize, list: &[Expr]) -> Vec<Expr> {
        list.iter().map(|&candidate| self.unrolling.at_step(&work.formulas.terms, step, candidate)).collect()
    }

    /// A state that breaks one of these formulas, after one in which they all hold.
    fn broken(&mut self, work: &mut Work<'_, '_>, list: &[Expr]) -> Result<Found, Stop> {
        let exprs = work.formulas.terms.exprs();
        let mut assumptions = self.at(work, 0, list);
        let after = self.at(work, 1, list);
        assumptions.push(exprs.or(after.into_iter().map(|candidate| exprs.not(candidate))));
        let sat = work.ask(&mut *self.solver, &assumptions)?;
        let vars = self.unrolling.symbols(1).to_vec();
        found(sat, || self.solver.values(&work.formulas.terms, &vars))
    }

    /// These lemmas and those that are needed to see that a step keeps them.
    pub fn closure(&mut self, work: &mut Work<'_, '_>, used: Vec<usize>) -> Result<Vec<Expr>, Stop> {
        let (list, exprs) = (self.list.clone(), &work.formulas.terms.exprs().clone());
        let before = self.at(work, 0, &list);
        let (mut all, mut open): (BTreeSet<usize>, Vec<usize>) = (used.iter().copied().collect(), used);
        while let Some(i) = open.pop() {
            let after = self.at(work, 1, &list[i..=i]);
            let mut assumptions = vec![exprs.not(after[0])];
            assumptions.extend(&before);
            let core = match work.ask(&mut *self.solver, &assumptions)? {
                Sat::No => self.solver.core()?,
                Sat::Yes | Sat::Unknown(_) => return Ok(list),
            };
            open.extend((0..list.len()).filter(|&j| core.contains(&before[j]) && all.insert(j)));
        }
        Ok(all.into_iter().map(|i| list[i]).collect())
    }
}

/// What is tried, the most promising first; `first` is some initial state.
fn candidates(work: &Work<'_, '_>, first: &[i64]) -> Vec<Expr> {
    let (terms, exprs, model) = (&work.formulas.terms, work.formulas.terms.exprs(), work.formulas.terms.model());
    let mut list: Vec<Expr> = work.formulas.goals.iter().map(|&goal| exprs.not(goal)).collect();
    let is_number = |var: &VarId| matches!(model.vars[*var].domain, Domain::Int | Domain::Range { .. });
    let numbers: Vec<VarId> = model.vars.ids().filter(|&var| !model.is_local(var)).filter(is_number).collect();
    let constants = constants(work, first);
    for &var in &numbers {
        let (x, bounds) = (exprs.var(var), model.bounds(model.vars[var].domain));
        for &c in &constants {
            let is_news = bounds.is_none_or(|(lo, hi)| lo < c && c < hi);
            if is_news || bounds.is_some_and(|(lo, hi)| lo < hi && c == hi) {
                list.push(exprs.le(exprs.int(c), x));
            }
            if is_news || bounds.is_some_and(|(lo, hi)| lo < hi && c == lo) {
                list.push(exprs.le(x, exprs.int(c)));
            }
        }
    }
    let relations = relations(exprs, &numbers[..numbers.len().min(MOST_PAIRED)], first);
    list.extend(&relations);
    let places = places(work);
    for (i, &(a, is_a)) in places.iter().enumerate() {
        for &(_, is_b) in places[i + 1..].iter().filter(|(b, _)| *b != a) {
            list.push(exprs.not(exprs.and([is_a, is_b])));
        }
    }
    for &(_, is_a) in &places {
        list.extend(relations.iter().map(|&relation| exprs.implies(is_a, relation)));
    }
    let mut seen = Set::default();
    list.retain(|&candidate| terms.exprs().as_bool(candidate).is_none() && seen.insert(candidate));
    list.truncate(MOST);
    list
}

/// How two numbers may be related.
fn relations(exprs: &Exprs, numbers: &[VarId], first: &[i64]) -> Vec<Expr> {
    let mut list = Vec::new();
    for (i, &a) in numbers.iter().enumerate() {
        for &b in &numbers[i + 1..] {
            let (x, y) = (exprs.var(a), exprs.var(b));
            list.extend([exprs.le(x, y), exprs.le(y, x), exprs.lt(x, y), exprs.lt(y, x)]);
            if let Some(sum) = first[a.index()].checked_add(first[b.index()]) {
                let (both, sum) = (exprs.add([x, y]), exprs.int(sum));
                list.extend([exprs.le(both, sum), exprs.le(sum, both)]);
            }
        }
    }
    list
}

/// Variables with few values that have one of them.
fn places(work: &Work<'_, '_>) -> Vec<(VarId, Expr)> {
    let (exprs, model) = (work.formulas.terms.exprs(), work.formulas.terms.model());
    let mut places = Vec::new();
    for (id, var) in model.vars.enumerated() {
        let is_place = var.control || matches!(var.domain, Domain::Bool | Domain::Enum(_)) && !model.is_local(id);
        let Some((lo, hi)) =
            model.bounds(var.domain).filter(|(lo, hi)| is_place && hi.checked_sub(*lo).is_some_and(|most| most < 16))
        else {
            continue;
        };
        if places.len() < MOST_PAIRED {
            let is = |value| exprs.eq(exprs.var(id), work.formulas.terms.constant(var.domain, value));
            places.extend((lo..=hi).map(|value| (id, is(value))));
        }
    }
    places
}

/// Those of the model that are nearest to zero, and those of an initial state.
fn constants(work: &Work<'_, '_>, first: &[i64]) -> Vec<i64> {
    let exprs = work.formulas.terms.exprs();
    let mut open: Vec<Expr> = work.formulas.goals.clone();
    for path in &work.formulas.encoding.paths {
        open.extend(&path.guard);
        open.extend(path.updates.values());
    }
    open.extend(&work.formulas.encoding.initial);
    let (mut seen, mut found): (Set<Expr>, BTreeSet<i64>) = (Set::default(), first.iter().copied().collect());
    found.insert(0);
    while let Some(expr) = open.pop() {
        if seen.insert(expr) {
            found.extend(exprs.as_int(expr));
            exprs.for_each_part(expr, |part| open.push(part));
        }
    }
    let mut found: Vec<i64> = found.into_iter().collect();
    found.sort_by_key(|&c| (c.unsigned_abs(), c));
    found.truncate(MOST_CONSTANTS);
    found
}

#[cfg(test)]
mod tests {
    use lapidary_base::Control;
    use lapidary_frontends::gcl;
    use lapidary_smt::{Terms, encode};
    use lapidary_text::Sources;

    use super::super::{Config, Formulas};
    use super::*;

    #[test]
    fn walking_is_stopped() {
        let mut sources = Sources::default();
        let source = sources.add("test.gcl", "var x : 0..999 = 0; up: x < 999 -> x := x + 1; reach end: x = 999;");
        let (model, _) = gcl::load(&sources, source, &gcl::Options::default());
        let model = model.expect("a model");
        let mut terms = Terms::new(&model);
        let encoding = encode::encode(&mut terms).expect("a small model");
        let config = Config::default();
        let control = Control::new();
        let formulas = Formulas { terms, encoding, goals: Vec::new() };
        let work = Work { formulas, config: &config, control: &control, n_queries: 0 };
        assert_eq!(walk(&work, vec![0]).map(|states| states.len()), Ok(MOST_WALKED));
        control.cancel();
        assert_eq!(walk(&work, vec![0]), Err(Stop::Interrupted));
    }
}

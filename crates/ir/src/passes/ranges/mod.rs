//! Between which numbers the values of variables stay on all runs: a fixed point over stretches of integers, one for each variable
//! and value of the control variable that tells most (a location, a phase).
//!
//! What is found is a claim: whoever narrows domains by it has the checker prove it first. A variable whose domain is narrowed never
//! gets another value, not even in the middle of a step; but for values that an assumption right behind `any` takes away.

mod run;
mod span;
mod state;
#[cfg(test)]
mod tests;

use lapidary_base::hash::Map;
use lapidary_base::{Control, IdVec, Stop};

use crate::expr::{Expr, Node};
use crate::model::{Command, Declarations, Family, Model, Raw, Statement, VarId};
use crate::types::Domain;
use run::{Halt, Runner};
use span::{FAR, Stretch};
use state::{Known, Scene};

/// The stretch of a variable, both ends included; none where an end is missing.
pub type Found = Option<(Raw, Raw)>;

/// What was found.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// The variable by whose values the others are told apart.
    pub control: Option<VarId>,
    /// For every value of it that is reached, in order, where the variables lie in states.
    pub by_value: Vec<(Raw, IdVec<VarId, Found>)>,
    /// All that is ever written to them, the values that they begin with among it.
    pub whole: IdVec<VarId, Found>,
}

/// Values of the control variable beyond which it is not looked at.
const MOST_VALUES: i64 = 1 << 16;
/// Each place is visited so often before what grows is let go on to the next rest, and so often again to take back what went too far.
const GENTLE: usize = 6;
const STRICT: usize = 2;
/// Stretches that are looked at in all: some seconds.
const MOST_WORK: u64 = 1 << 27;
/// A domain with more values than this helps nobody.
const MOST_WIDE: i128 = 1 << 32;

/// Looks at a model; none if there is nothing to be found.
pub fn ranges(model: &Model, control: &Control) -> Result<Option<Ranges>, Stop> {
    if !model.vars.iter().any(|var| var.domain == Domain::Int) {
        return Ok(None);
    }
    let mut analysis = Analysis::new(model, control);
    match analysis.run() {
        Ok(()) => Ok(Some(analysis.found())),
        Err(Halt::TooMuch) => Ok(None),
        Err(Halt::Stopped(stop)) => Err(stop),
    }
}

impl Ranges {
    /// The model with narrower domains, where both ends are known.
    pub fn narrowed(&self, model: &Model) -> Model {
        let mut narrow = model.clone();
        for id in model.vars.ids() {
            if let Some((lo, hi)) = self.domain(model, id) {
                narrow.vars[id].domain = Domain::Range { lo, hi };
            }
        }
        narrow
    }

    pub fn narrows(&self, model: &Declarations) -> bool {
        model.vars.ids().any(|id| self.domain(model, id).is_some())
    }

    /// The ends of the narrower domain of an integer. Cells of a row have one domain, and a local variable begins with the least number
    /// of its domain: where that would be another one than before, it keeps the domain that it has.
    fn domain(&self, model: &Declarations, id: VarId) -> Found {
        if model.vars[id].domain != Domain::Int {
            return None;
        }
        let is_of = |family: &&Family| (family.first.0..family.first.0 + family.len).contains(&id.0);
        let alike = model
            .families
            .iter()
            .filter(is_of)
            .flat_map(|family| (family.first.0..family.first.0 + family.len).map(VarId));
        let (lo, hi) = alike.map(|cell| self.whole[cell]).fold(self.whole[id], |all, other| {
            let ((lo, hi), (least, most)) = all.zip(other)?;
            Some((lo.min(least), hi.max(most)))
        })?;
        (!model.is_local(id) || lo == model.first(Domain::Int)).then_some((lo, hi))
    }
}

struct Analysis<'m> {
    model: &'m Model,
    runner: Runner<'m>,
    place: Option<VarId>,
    /// The values of the control variable at which a command may begin; none if it does not say.
    origins: Vec<Option<Raw>>,
    /// What is known in states, by the value of the control variable.
    at: Map<Raw, Known>,
    begun: Option<Known>,
    visits: Map<Raw, usize>,
}

impl<'m> Analysis<'m> {
    fn new(model: &'m Model, control: &'m Control) -> Self {
        let place = control_variable(model);
        let mut rests = vec![0, 1];
        let mut note = |expr: Expr| state::constants(&model.exprs, expr, &mut rests);
        model.init.iter().chain(&model.invariant).for_each(|&expr| note(expr));
        model.commands.iter().for_each(|command| each_expr(&command.body, &mut note));
        each_expr(&model.start, &mut note);
        // What is compared with a constant passes it by one.
        let around: Vec<i128> = rests.iter().flat_map(|&rest| [rest - 1, rest, rest + 1, -rest]).collect();
        rests = around;
        rests.sort_unstable();
        rests.dedup();
        let written = model.vars.iter().map(|_| Stretch::NONE).collect();
        let origins = model.commands.iter().map(|command| origin(model, command, place?)).collect();
        let runner = Runner { scene: Scene::new(model), control, written, rests, left: MOST_WORK };
        Self { model, runner, place, origins, at: Map::default(), begun: None, visits: Map::default() }
    }

    fn run(&mut self) -> Result<(), Halt> {
        self.begin()?;
        self.settle()?;
        self.tighten()
    }

    fn begin(&mut self) -> Result<(), Halt> {
        let mut known = Known::of_domains(self.model);
        for (id, var) in self.model.vars.enumerated() {
            if self.model.is_local(id) && var.domain == Domain::Int {
                known.0[id] = Stretch::only(self.model.first(var.domain).into());
            }
        }
        let (init, invariant) = (&self.model.init, &self.model.invariant);
        // What a start begins in need not keep the invariant; where it ends has to.
        let kept: &[Expr] = if self.model.start == Statement::Skip { invariant } else { &[] };
        if !init.iter().chain(kept).all(|&condition| known.assume(&self.runner.scene, condition, true)) {
            return Ok(());
        }
        for (written, before) in self.runner.written.iter_mut().zip(&known.0) {
            *written = written.join(*before);
        }
        let mut begun = self.runner.run(&self.model.start, known)?;
        let scene = &self.runner.scene;
        let keeps = |known: &mut Known| invariant.iter().all(|&condition| known.assume(scene, condition, true));
        self.begun = begun.take_if(|begun| keeps(begun));
        if let Some(begun) = self.begun.clone() {
            self.arrive(&begun);
        }
        Ok(())
    }

    /// Adds states; gives the values of the control variable at which there are more now.
    fn arrive(&mut self, known: &Known) -> Vec<Raw> {
        let mut grown = Vec::new();
        for value in self.values(known) {
            let Some(here) = self.only_at(known, value) else { continue };
            let Some(before) = self.at.get(&value) else {
                self.at.insert(value, here);
                grown.push(value);
                continue;
            };
            let mut next = before.clone();
            next.join(&here);
            if next == *before {
                continue;
            }
            let visits = self.visits.entry(value).or_insert(0);
            *visits += 1;
            if *visits > GENTLE {
                next = self.runner.grown(before, &next);
            }
            self.at.insert(value, next);
            grown.push(value);
        }
        grown
    }

    fn values(&self, known: &Known) -> Vec<Raw> {
        let Some(place) = self.place else { return vec![0] };
        let Stretch { lo, hi } = known.0[place];
        (lo..=hi).filter_map(|value| Raw::try_from(value).ok()).collect()
    }

    fn only_at(&self, known: &Known, value: Raw) -> Option<Known> {
        let Some(place) = self.place else { return Some(known.clone()) };
        let mut here = known.clone();
        here.0[place] = here.0[place].meet(Stretch::only(value.into()));
        (!here.0[place].is_none()).then_some(here)
    }

    fn settle(&mut self) -> Result<(), Halt> {
        let mut open: std::collections::BTreeSet<Raw> = self.at.keys().copied().collect();
        while let Some(value) = open.pop_first() {
            for after in self.after(value)? {
                open.extend(self.arrive(&after));
            }
        }
        Ok(())
    }

    /// What is known after each command at a value of the control variable.
    fn after(&mut self, value: Raw) -> Result<Vec<Known>, Halt> {
        let known = self.at[&value].clone();
        let mut all = Vec::new();
        for (number, command) in self.model.commands.iter().enumerate() {
            if self.origins[number].is_some_and(|origin| self.place.is_some() && origin != value) {
                continue;
            }
            self.runner.spend(known.0.len())?;
            let Some(mut after) = self.runner.run(&command.body, known.clone())? else { continue };
            let (scene, invariant) = (&self.runner.scene, &self.model.invariant);
            if invariant.iter().all(|&condition| after.assume(scene, condition, true)) {
                all.push(after);
            }
        }
        Ok(all)
    }

    /// From a fixed point that is too large the steps lead to smaller ones.
    fn tighten(&mut self) -> Result<(), Halt> {
        for _ in 0..STRICT {
            let values = self.sorted();
            let mut next: Map<Raw, Known> = Map::default();
            for written in self.runner.written.iter_mut() {
                *written = Stretch::NONE;
            }
            let old = std::mem::take(&mut self.at);
            self.begin()?;
            std::mem::swap(&mut next, &mut self.at);
            self.at = old;
            for value in values {
                for after in self.after(value)? {
                    for to in self.values(&after) {
                        let Some(here) = self.only_at(&after, to) else { continue };
                        match next.get_mut(&to) {
                            Some(known) => known.join(&here),
                            None => _ = next.insert(to, here),
                        }
                    }
                }
            }
            self.at = next;
        }
        Ok(())
    }

    fn sorted(&self) -> Vec<Raw> {
        let mut values: Vec<Raw> = self.at.keys().copied().collect();
        values.sort_unstable();
        values
    }

    fn found(&self) -> Ranges {
        let one = |known: &Known| known.0.iter().map(|&stretch| shown(stretch)).collect();
        let by_value = self.sorted().into_iter().map(|value| (value, one(&self.at[&value]))).collect();
        let whole = self.runner.written.iter().map(|&stretch| shown(stretch)).collect();
        Ranges { control: self.place, by_value, whole }
    }
}

fn shown(stretch: Stretch) -> Found {
    let (lo, hi) = (Raw::try_from(stretch.lo).ok()?, Raw::try_from(stretch.hi).ok()?);
    let is_fit = lo <= hi && stretch.lo > -FAR && stretch.hi < FAR && stretch.hi - stretch.lo < MOST_WIDE;
    is_fit.then_some((lo, hi))
}

/// The control variable whose value most commands ask for first.
fn control_variable(model: &Model) -> Option<VarId> {
    let is_fit = |var: VarId| {
        let bounds = model.bounds(model.vars[var].domain);
        model.vars[var].control && bounds.is_some_and(|(lo, hi)| hi.checked_sub(lo).is_some_and(|n| n < MOST_VALUES))
    };
    let asked = |var: VarId| model.commands.iter().filter(|command| origin(model, command, var).is_some()).count();
    let candidates = model.vars.ids().filter(|&var| is_fit(var)).map(|var| (asked(var), std::cmp::Reverse(var)));
    candidates.max().filter(|&(count, _)| count > 0).map(|(_, std::cmp::Reverse(var))| var)
}

/// The value of a variable that a command asks for before anything else.
fn origin(model: &Model, command: &Command, var: VarId) -> Option<Raw> {
    let mut statement = &command.body;
    loop {
        match statement {
            Statement::Sequence(list) => statement = list.first()?,
            Statement::Scope(_, body) => statement = body,
            Statement::Assume(condition) => {
                let conjuncts = model.exprs.conjuncts(*condition);
                return conjuncts.into_iter().find_map(|part| asked(model, part, var));
            }
            Statement::Skip
            | Statement::Assign(_)
            | Statement::Choice(_)
            | Statement::If(..)
            | Statement::While(..) => return None,
        }
    }
}

fn asked(model: &Model, condition: Expr, var: VarId) -> Option<Raw> {
    let Node::Eq(a, b) = model.exprs.node(condition) else { return None };
    let is_var = |expr: Expr| matches!(model.exprs.node(expr), Node::Var(found) if *found == var);
    match (is_var(*a), is_var(*b)) {
        (true, _) => model.exprs.raw(*b),
        (_, true) => model.exprs.raw(*a),
        (false, false) => None,
    }
}

fn each_expr(statement: &Statement, note: &mut dyn FnMut(Expr)) {
    match statement {
        Statement::Skip => {}
        Statement::Assume(condition) => note(*condition),
        Statement::Assign(list) => list.iter().for_each(|part| {
            if let crate::model::Rhs::Expr(expr) = part.value {
                note(expr);
            }
        }),
        Statement::Sequence(list) | Statement::Choice(list) => list.iter().for_each(|part| each_expr(part, note)),
        Statement::If(condition, then, otherwise) => {
            note(*condition);
            each_expr(then, note);
            each_expr(otherwise, note);
        }
        Statement::While(condition, body) => {
            note(*condition);
            each_expr(body, note);
        }
        Statement::Scope(_, body) => each_expr(body, note),
    }
}

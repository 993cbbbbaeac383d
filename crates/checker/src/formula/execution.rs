//! Commands executed on terms. One execution follows all ways through a body at once: where ways meet, the values of
//! variables become choices, and what has to hold on each way a choice of conditions. A loop is written out as long as
//! its condition is not plainly false.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_ir::{Assignment, CommandId, Destination, Domain, Expr, Exprs, Model, Rhs, Statement, VarId};
use lapidary_smt::Terms;

use super::bounds::Bounds;
use super::fold;
use super::view::{self, View};
use crate::Rejection;

/// All steps of a command from a state.
pub struct Move<'a> {
    pub command: CommandId,
    /// Conjuncts over the state before and the inputs: together true for exactly the executions that are steps.
    pub conditions: Vec<Expr>,
    /// What is free in an execution: values that are not determined, and which of several ways is taken. Each is any
    /// value of its domain.
    pub inputs: Vec<VarId>,
    /// The state after, over the state before and the inputs.
    pub after: View<'a>,
}

impl Move<'_> {
    /// The conditions, and that the inputs are within their domains.
    pub fn all_conditions(&self, terms: &Terms<'_>) -> Vec<Expr> {
        let domains = self.inputs.iter().map(|&input| terms.in_domain(input));
        self.conditions.iter().copied().chain(domains).collect()
    }
}

/// Symbols for inputs. Moves that are never asked about at the same time share them.
#[derive(Default)]
pub struct Pool {
    symbols: Map<(usize, Domain), VarId>,
}

/// Must the model's invariant hold after a step by the conditions of a move, or is that said elsewhere?
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    InConditions,
    Elsewhere,
}

/// So many turns of loops are written out in one body.
const MOST_TURNS: usize = 1 << 10;

/// The moves from a state, without those that terms alone show to be impossible.
pub fn moves<'a>(
    terms: &mut Terms<'a>,
    pool: &mut Pool,
    from: &View<'a>,
    ending: Ending,
    control: &Control,
) -> Result<Vec<Move<'a>>, Rejection> {
    let model = terms.model();
    let mut found = Vec::new();
    for (id, command) in model.commands.enumerated() {
        let mut execution = Execution::new(terms, pool, control);
        let mut way = execution
            .run(&command.body, Way { view: from.clone(), conditions: Vec::new() })
            .map_err(|halt| halt.of(&format!("command {}", command.label)))?;
        if ending == Ending::InConditions {
            for &part in &model.invariant {
                let holds = way.view.is(part, true);
                way.require(holds);
            }
        }
        if !way.is_dead() {
            let inputs = execution.inputs;
            found.push(Move { command: id, conditions: way.conditions, inputs, after: way.view });
        }
    }
    Ok(found)
}

/// That a state is initial, or could be if the model's invariant is true in it. A start begins in a state of its own.
pub fn initial<'a>(terms: &mut Terms<'a>, view: &mut View<'a>, control: &Control) -> Result<Vec<Expr>, Rejection> {
    let model = terms.model();
    let e = &model.exprs;
    if model.start == Statement::Skip {
        return Ok(model.init.iter().map(|&part| view.is(part, true)).collect());
    }
    let kept: Vec<VarId> = model.vars.ids().filter(|&var| !model.is_local(var)).collect();
    let symbol = |&var: &VarId| {
        let declared = &model.vars[var];
        (var, e.var(terms.fresh(format!("{}?", declared.name), declared.domain)))
    };
    let mut begin = View::new(model, kept.iter().map(symbol).collect());
    let mut conditions = domains(terms, &begin);
    conditions.extend(model.init.iter().map(|&part| begin.is(part, true)));
    let mut pool = Pool::default();
    let mut execution = Execution::new(terms, &mut pool, control);
    let end = execution.run(&model.start, Way { view: begin, conditions }).map_err(|halt| halt.of("the start"))?;
    let mut conditions = end.conditions;
    conditions.extend(execution.inputs.iter().map(|&input| terms.in_domain(input)));
    conditions.extend(kept.into_iter().map(|var| fold::eq(e, view.value(var), end.view.value(var))));
    Ok(conditions)
}

/// Why a body is not executed to its end.
enum Halt {
    /// The bound of a loop does not show.
    Endless,
    Stopped(Stop),
}

impl Halt {
    fn of(self, whose: &str) -> Rejection {
        match self {
            Self::Endless => Stop::Incomplete(format!("{whose} has a loop whose bound is not known")).into(),
            Self::Stopped(stop) => stop.into(),
        }
    }
}

/// That a value is one of a domain.
fn within(terms: &Terms<'_>, value: Expr, domain: Domain) -> Expr {
    let e = terms.exprs();
    match e.node(value) {
        lapidary_ir::Node::Var(var) if terms.domain(*var) == domain => e.bool(true),
        _ => terms.value_in_domain(value, domain),
    }
}

/// Where an execution is, and what has to hold for it to have come there.
struct Way<'a> {
    view: View<'a>,
    conditions: Vec<Expr>,
}

impl<'a> Way<'a> {
    /// Further on, under the conditions so far and those of the rest.
    fn then(mut self, rest: Self) -> Self {
        self.conditions.extend(rest.conditions);
        Self { view: rest.view, conditions: self.conditions }
    }

    /// Local variables are as they are outside their scopes.
    fn without(self, locals: &[VarId]) -> Self {
        let mut values = self.view.values;
        locals.iter().for_each(|local| {
            values.remove(local);
        });
        Self { view: View::new(self.view.model, values), conditions: self.conditions }
    }

    fn require(&mut self, condition: Expr) {
        let e = self.view.exprs();
        self.conditions.extend(e.conjuncts(condition));
    }

    fn is_dead(&self) -> bool {
        let e = self.view.exprs();
        self.conditions.iter().any(|&condition| e.as_bool(condition) == Some(false))
    }
}

struct Execution<'t, 'a> {
    terms: &'t mut Terms<'a>,
    pool: &'t mut Pool,
    inputs: Vec<VarId>,
    control: &'t Control,
    turns_left: usize,
    bounds: Bounds,
}

impl<'t, 'a> Execution<'t, 'a> {
    fn new(terms: &'t mut Terms<'a>, pool: &'t mut Pool, control: &'t Control) -> Self {
        Self { terms, pool, inputs: Vec::new(), control, turns_left: MOST_TURNS, bounds: Bounds::default() }
    }

    fn input(&mut self, name: &str, domain: Domain) -> Expr {
        let Self { terms, pool, inputs, .. } = self;
        let place = (inputs.len(), domain);
        let symbol = *pool.symbols.entry(place).or_insert_with(|| terms.fresh(name, domain));
        inputs.push(symbol);
        self.terms.exprs().var(symbol)
    }

    fn run(&mut self, statement: &Statement, mut way: Way<'a>) -> Result<Way<'a>, Halt> {
        if way.is_dead() {
            return Ok(way);
        }
        Ok(match statement {
            Statement::Skip => way,
            Statement::Assume(condition) => {
                let holds = way.view.is(*condition, true);
                way.require(holds);
                way
            }
            Statement::Assign(list) => self.assign(list, way),
            Statement::Sequence(parts) => parts.iter().try_fold(way, |way, part| self.run(part, way))?,
            Statement::Choice(parts) => {
                let branches = parts.iter().map(|part| self.branch(part, &way)).collect::<Result<_, _>>()?;
                self.choose(way, branches)
            }
            Statement::While(condition, body) => self.repeat(*condition, body, way)?,
            Statement::Scope(locals, body) => {
                let within = self.run(body, way.without(locals))?;
                within.without(locals)
            }
            Statement::If(condition, then, otherwise) => {
                let condition = way.view.read(*condition);
                way.require(condition.defined);
                match self.terms.exprs().as_bool(condition.value) {
                    Some(true) => self.run(then, way)?,
                    Some(false) => self.run(otherwise, way)?,
                    None => {
                        let (then, otherwise) = (self.branch(then, &way)?, self.branch(otherwise, &way)?);
                        way.then(merged(condition.value, then, otherwise))
                    }
                }
            }
        })
    }

    /// Turn by turn, each from where the one before has led; then the ways out are put together from the last one back.
    fn repeat(&mut self, condition: Expr, body: &Statement, way: Way<'a>) -> Result<Way<'a>, Halt> {
        let mut way = way;
        let mut exits: Vec<(Expr, Way<'a>)> = Vec::new();
        while !way.is_dead() {
            let again = way.view.read(condition);
            way.require(again.defined);
            match self.bounds.truth(self.terms, again.value) {
                Some(false) => break,
                Some(true) => way = self.turn(body, way)?,
                None => {
                    let next = Way { view: way.view.clone(), conditions: Vec::new() };
                    exits.push((again.value, way));
                    way = self.turn(body, next)?;
                }
            }
        }
        let leave = |rest: Way<'a>, (again, way): (Expr, Way<'a>)| {
            let out = Way { view: way.view.clone(), conditions: Vec::new() };
            way.then(merged(again, rest, out))
        };
        Ok(exits.into_iter().rev().fold(way, leave))
    }

    fn turn(&mut self, body: &Statement, way: Way<'a>) -> Result<Way<'a>, Halt> {
        self.control.check().map_err(Halt::Stopped)?;
        self.turns_left = self.turns_left.checked_sub(1).ok_or(Halt::Endless)?;
        self.run(body, way)
    }

    /// A statement executed from where `way` is; the conditions are those of the statement alone.
    fn branch(&mut self, statement: &Statement, way: &Way<'a>) -> Result<Way<'a>, Halt> {
        self.run(statement, Way { view: way.view.clone(), conditions: Vec::new() })
    }

    /// Any one of the branches that are possible; an input says which.
    fn choose(&mut self, mut way: Way<'a>, mut branches: Vec<Way<'a>>) -> Way<'a> {
        let e = &self.terms.exprs().clone();
        branches.retain(|branch| !branch.is_dead());
        let n_other = i64::try_from(branches.len()).unwrap_or(i64::MAX) - 1;
        let Some(last) = branches.pop() else {
            way.require(e.bool(false));
            return way;
        };
        let chosen = match n_other {
            0 => last,
            1 => {
                let pick = self.input("way", Domain::Bool);
                branches.into_iter().fold(last, |rest, branch| merged(pick, branch, rest))
            }
            _ => {
                let pick = self.input("way", Domain::Range { lo: 0, hi: n_other });
                let here = |number: i64| e.eq(pick, e.int(number));
                let numbered = (0..).zip(branches);
                numbered.fold(last, |rest, (number, branch)| merged(here(number), branch, rest))
            }
        };
        way.conditions.extend(chosen.conditions);
        Way { view: chosen.view, conditions: way.conditions }
    }

    /// Right sides and indexes read the old values, so all is read before anything is written.
    fn assign(&mut self, list: &[Assignment], mut way: Way<'a>) -> Way<'a> {
        let model = self.terms.model();
        let e = &model.exprs;
        let mut writes: BTreeMap<VarId, Vec<(Expr, Expr)>> = BTreeMap::new();
        for assignment in list {
            let places = match assignment.to {
                Destination::Var(var) => vec![(var, e.bool(true))],
                Destination::Cell(family, index) => {
                    let index = way.view.read(index);
                    way.require(index.defined);
                    way.require(view::inside(model, family, index.value));
                    view::places(model, family, index.value)
                }
            };
            let Some(&(first, _)) = places.first() else {
                way.require(e.bool(false));
                return way;
            };
            let var = &model.vars[first];
            let value = match assignment.value {
                Rhs::Any => self.input(&var.name, var.domain),
                Rhs::Expr(expr) => {
                    let value = way.view.read(expr);
                    way.require(value.defined);
                    way.require(within(self.terms, value.value, var.domain));
                    value.value
                }
            };
            for (var, here) in places {
                writes.entry(var).or_default().push((here, value));
            }
        }
        let mut values = way.view.values.clone();
        for (&var, written) in &writes {
            for (i, &(here, _)) in written.iter().enumerate() {
                let again = |&(other, _): &(Expr, Expr)| e.not(fold::all(e, [here, other]));
                written[..i].iter().map(again).for_each(|once| way.require(once));
            }
            let old = way.view.value(var);
            let new = written.iter().fold(old, |old, &(here, value)| fold::ite(e, here, value, old));
            values.insert(var, new);
        }
        Way { view: View::new(model, values), conditions: way.conditions }
    }
}

/// Where the condition holds one way, elsewhere the other.
fn merged<'a>(condition: Expr, then: Way<'a>, otherwise: Way<'a>) -> Way<'a> {
    let model = then.view.model;
    let e: &Exprs = &model.exprs;
    let written: BTreeSet<VarId> = then.view.values.keys().chain(otherwise.view.values.keys()).copied().collect();
    let value = |var: VarId| (var, fold::ite(e, condition, then.view.value(var), otherwise.view.value(var)));
    let values = written.into_iter().map(value).collect();
    let (needs, others) = (fold::all(e, then.conditions), fold::all(e, otherwise.conditions));
    let conditions = e.conjuncts(fold::ite(e, condition, needs, others));
    Way { view: View::new(model, values), conditions }
}

/// The conditions of all configurations: values within their domains, the model's invariant.
pub fn configuration(terms: &Terms<'_>, view: &mut View<'_>) -> Vec<Expr> {
    let model: &Model = terms.model();
    let mut conditions = domains(terms, view);
    conditions.extend(model.invariant.iter().map(|&part| view.is(part, true)));
    conditions
}

pub fn domains(terms: &Terms<'_>, view: &View<'_>) -> Vec<Expr> {
    let e = terms.exprs();
    let within = |(var, declared): (VarId, &lapidary_ir::Var)| {
        let value = view.value(var);
        if fold::is_constant(e, value) { e.bool(true) } else { terms.value_in_domain(value, declared.domain) }
    };
    terms.model().vars.enumerated().map(within).collect()
}

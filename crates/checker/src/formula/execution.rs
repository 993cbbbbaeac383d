//! Commands executed on terms. One execution follows all ways through a body at once: where ways meet, the values of
//! variables become choices, and what has to hold on each way a choice of conditions.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::hash::Map;
use lapidary_ir::{Assignment, CommandId, Destination, Domain, Expr, Exprs, Model, Rhs, Statement, VarId};
use lapidary_smt::Terms;

use super::fold;
use super::view::{self, View};

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

/// The moves from a state, without those that terms alone show to be impossible.
pub fn moves<'a>(terms: &mut Terms<'a>, pool: &mut Pool, from: &View<'a>, ending: Ending) -> Vec<Move<'a>> {
    let model = terms.model();
    let mut found = Vec::new();
    for (id, command) in model.commands.enumerated() {
        let mut execution = Execution { terms, pool, inputs: Vec::new() };
        let mut way = execution.run(&command.body, Way { view: from.clone(), conditions: Vec::new() });
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
    found
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

impl Way<'_> {
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
}

impl<'a> Execution<'_, 'a> {
    fn input(&mut self, name: &str, domain: Domain) -> Expr {
        let Self { terms, pool, inputs } = self;
        let place = (inputs.len(), domain);
        let symbol = *pool.symbols.entry(place).or_insert_with(|| terms.fresh(name, domain));
        inputs.push(symbol);
        self.terms.exprs().var(symbol)
    }

    fn run(&mut self, statement: &Statement, mut way: Way<'a>) -> Way<'a> {
        if way.is_dead() {
            return way;
        }
        match statement {
            Statement::Skip => way,
            Statement::Assume(condition) => {
                let holds = way.view.is(*condition, true);
                way.require(holds);
                way
            }
            Statement::Assign(list) => self.assign(list, way),
            Statement::Sequence(parts) => parts.iter().fold(way, |way, part| self.run(part, way)),
            Statement::Choice(parts) => {
                let branches = parts.iter().map(|part| self.branch(part, &way)).collect();
                self.choose(way, branches)
            }
            Statement::While(..) | Statement::Scope(..) => unreachable!("refused before"),
            Statement::If(condition, then, otherwise) => {
                let condition = way.view.read(*condition);
                way.require(condition.defined);
                match self.terms.exprs().as_bool(condition.value) {
                    Some(true) => self.run(then, way),
                    Some(false) => self.run(otherwise, way),
                    None => {
                        let (then, otherwise) = (self.branch(then, &way), self.branch(otherwise, &way));
                        let Way { view, conditions } = merged(condition.value, then, otherwise);
                        way.conditions.extend(conditions);
                        Way { view, conditions: way.conditions }
                    }
                }
            }
        }
    }

    /// A statement executed from where `way` is; the conditions are those of the statement alone.
    fn branch(&mut self, statement: &Statement, way: &Way<'a>) -> Way<'a> {
        self.run(statement, Way { view: way.view.clone(), conditions: Vec::new() })
    }

    /// Any one of the branches that are possible; an input says which.
    fn choose(&mut self, mut way: Way<'a>, mut branches: Vec<Way<'a>>) -> Way<'a> {
        let e = self.terms.exprs();
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

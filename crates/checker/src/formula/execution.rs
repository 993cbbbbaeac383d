//! Commands executed on terms. One execution follows all ways through a body at once: where ways meet, the values of
//! variables become choices, and what has to hold on each way a choice of conditions. A loop is written out as long as
//! its condition is not plainly false.

use std::collections::BTreeMap;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Id, Meter, Stop};
use lapidary_ir::{Assignment, CommandId, Destination, Domain, Expr, Exprs, Model, Rhs, Statement, VarId};
use lapidary_smt::Terms;

use super::bounds::Bounds;
use super::fold;
use super::view::{self, Reading, View};
use super::way::{Way, merged};
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

/// So many statements are executed in the loops of one body: twice as many as engines do, who may see earlier that a
/// branch is never taken.
const MOST_REPEATED: u64 = 1 << 15;
/// So many parts of expressions are read in them, and values put into states.
const MOST_TERMS: usize = 1 << 20;
/// What it counts to make a term, or to put one more into a state.
pub const TERM: u64 = 16;

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
        let of_it = |halt: Halt| halt.of(&format!("command {}", command.label));
        let mut way = execution.run(&command.body, Way::new(from.clone(), Vec::new())).map_err(of_it)?;
        if ending == Ending::InConditions {
            for &part in &model.invariant {
                execution.require(&mut way, part).map_err(of_it)?;
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
    let end = execution.run(&model.start, Way::new(begin, conditions)).map_err(|halt| halt.of("the start"))?;
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

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
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

struct Execution<'t, 'a> {
    terms: &'t mut Terms<'a>,
    pool: &'t mut Pool,
    inputs: Vec<VarId>,
    meter: Meter<'t>,
    n_loops: usize,
    repeated_left: u64,
    terms_left: usize,
    /// How many terms there were when they were counted last.
    n_terms: usize,
    bounds: Bounds,
}

impl<'t, 'a> Execution<'t, 'a> {
    fn new(terms: &'t mut Terms<'a>, pool: &'t mut Pool, control: &'t Control) -> Self {
        Self {
            meter: Meter::new(control),
            n_terms: terms.exprs().len(),
            terms,
            pool,
            inputs: Vec::new(),
            n_loops: 0,
            repeated_left: MOST_REPEATED,
            terms_left: MOST_TERMS,
            bounds: Bounds::default(),
        }
    }

    /// One statement more, or a limit. Terms that were made without being counted are, as far as the limits are concerned.
    fn goes_on(&mut self) -> Result<(), Halt> {
        let n_terms = self.terms.exprs().len();
        let n_new = n_terms - self.n_terms;
        self.n_terms = n_terms;
        self.meter.add(n_new as u64 * TERM)?;
        if self.n_loops > 0 {
            self.repeated_left = self.repeated_left.checked_sub(1).ok_or(Halt::Endless)?;
        }
        self.makes(1)
    }

    /// So many terms more are made, or put into a state.
    fn makes(&mut self, n_terms: usize) -> Result<(), Halt> {
        if self.n_loops > 0 {
            self.terms_left = self.terms_left.checked_sub(n_terms).ok_or(Halt::Endless)?;
        }
        Ok(self.meter.add((n_terms as u64).saturating_mul(TERM))?)
    }

    fn read(&mut self, view: &mut View<'a>, expr: Expr) -> Result<Reading, Halt> {
        let n_before = view.n_known();
        let reading = view.read(expr);
        self.makes(1 + view.n_known() - n_before)?;
        Ok(reading)
    }

    /// The execution goes on where the condition has a value and is true.
    fn require(&mut self, way: &mut Way<'a>, condition: Expr) -> Result<(), Halt> {
        let Reading { value, defined } = self.read(&mut way.view, condition)?;
        way.require(fold::all(self.terms.exprs(), [defined, value]));
        Ok(())
    }

    fn input(&mut self, name: &str, domain: Domain) -> Expr {
        let Self { terms, pool, inputs, .. } = self;
        let place = (inputs.len(), domain);
        let symbol = *pool.symbols.entry(place).or_insert_with(|| terms.fresh(name, domain));
        inputs.push(symbol);
        self.terms.exprs().var(symbol)
    }

    fn run(&mut self, statement: &Statement, mut way: Way<'a>) -> Result<Way<'a>, Halt> {
        self.goes_on()?;
        if way.is_dead() {
            return Ok(way);
        }
        Ok(match statement {
            Statement::Skip => way,
            Statement::Assume(condition) => {
                self.require(&mut way, *condition)?;
                way
            }
            Statement::Assign(list) => self.assign(list, way)?,
            Statement::Sequence(parts) => parts.iter().try_fold(way, |way, part| self.run(part, way))?,
            Statement::Choice(parts) => {
                let branches = parts.iter().map(|part| self.branch(part, &way)).collect::<Result<_, _>>()?;
                self.choose(way, branches)?
            }
            Statement::While(condition, body) => {
                self.n_loops += 1;
                let after = self.repeat(*condition, body, way)?;
                self.n_loops -= 1;
                after
            }
            Statement::Scope(locals, body) => {
                let within = self.run(body, way.without(locals))?;
                within.without(locals)
            }
            Statement::If(condition, then, otherwise) => self.decide(*condition, then, otherwise, way)?,
        })
    }

    fn decide(
        &mut self,
        condition: Expr,
        then: &Statement,
        otherwise: &Statement,
        mut way: Way<'a>,
    ) -> Result<Way<'a>, Halt> {
        let condition = self.read(&mut way.view, condition)?;
        way.require(condition.defined);
        match self.terms.exprs().as_bool(condition.value) {
            Some(true) => self.run(then, way),
            Some(false) => self.run(otherwise, way),
            None => {
                let (then, otherwise) = (self.branch(then, &way)?, self.branch(otherwise, &way)?);
                Ok(way.then(self.merged(condition.value, then, otherwise)?))
            }
        }
    }

    /// Turn by turn, each from where the one before has led; then the ways out are put together from the last one back.
    fn repeat(&mut self, condition: Expr, body: &Statement, way: Way<'a>) -> Result<Way<'a>, Halt> {
        let mut way = way;
        let mut exits: Vec<(Expr, Way<'a>)> = Vec::new();
        while !way.is_dead() {
            let again = self.read(&mut way.view, condition)?;
            way.require(again.defined);
            match self.bounds.truth(self.terms, again.value) {
                Some(false) => break,
                Some(true) => way = self.run(body, way)?,
                None => {
                    let next = self.from(&way)?;
                    exits.push((again.value, way));
                    way = self.run(body, next)?;
                }
            }
        }
        for (again, before) in exits.into_iter().rev() {
            let out = self.from(&before)?;
            way = before.then(self.merged(again, way, out)?);
        }
        Ok(way)
    }

    /// Where `way` is, without what had to hold to come there.
    fn from(&mut self, way: &Way<'a>) -> Result<Way<'a>, Halt> {
        self.makes(way.view.values.len())?;
        Ok(Way { view: way.view.clone(), conditions: Vec::new() })
    }

    /// A statement executed from where `way` is; the conditions are those of the statement alone.
    fn branch(&mut self, statement: &Statement, way: &Way<'a>) -> Result<Way<'a>, Halt> {
        let begin = self.from(way)?;
        self.run(statement, begin)
    }

    /// Where the condition holds one way, elsewhere the other.
    fn merged(&mut self, condition: Expr, then: Way<'a>, otherwise: Way<'a>) -> Result<Way<'a>, Halt> {
        let n_values = then.view.values.len() + otherwise.view.values.len();
        self.makes(n_values + then.conditions.len() + otherwise.conditions.len())?;
        Ok(merged(condition, then, otherwise))
    }

    /// Any one of the branches that are possible; an input says which.
    fn choose(&mut self, mut way: Way<'a>, mut branches: Vec<Way<'a>>) -> Result<Way<'a>, Halt> {
        let e = &self.terms.exprs().clone();
        branches.retain(|branch| !branch.is_dead());
        let n_other = i64::try_from(branches.len()).unwrap_or(i64::MAX) - 1;
        let Some(mut chosen) = branches.pop() else {
            way.require(e.bool(false));
            return Ok(way);
        };
        if n_other > 0 {
            let domain = if n_other == 1 { Domain::Bool } else { Domain::Range { lo: 0, hi: n_other } };
            let pick = self.input("way", domain);
            for (number, branch) in (0..).zip(branches) {
                let here = if n_other == 1 { pick } else { e.eq(pick, e.int(number)) };
                chosen = self.merged(here, branch, chosen)?;
            }
        }
        Ok(way.then(chosen))
    }

    /// Right sides and indexes read the old values, so all is read before anything is written.
    fn assign(&mut self, list: &[Assignment], mut way: Way<'a>) -> Result<Way<'a>, Halt> {
        let model = self.terms.model();
        let e = &model.exprs;
        let mut writes: BTreeMap<VarId, Vec<(Expr, Expr)>> = BTreeMap::new();
        let mut before: Vec<Place> = Vec::new();
        for assignment in list {
            let place = self.place(assignment.to, &mut way)?;
            let Some(&(first, _)) = place.variables.first() else {
                way.require(e.bool(false));
                return Ok(way);
            };
            let var = &model.vars[first];
            let value = match assignment.value {
                Rhs::Any => self.input(&var.name, var.domain),
                Rhs::Expr(expr) => {
                    let value = self.read(&mut way.view, expr)?;
                    way.require(value.defined);
                    way.require(within(self.terms, value.value, var.domain));
                    value.value
                }
            };
            self.makes(before.len() + place.variables.len())?;
            before.iter().for_each(|other| way.require(e.not(other.is_same(e, &place))));
            for &(var, here) in &place.variables {
                writes.entry(var).or_default().push((here, value));
            }
            before.push(place);
        }
        let mut values = way.view.values.clone();
        self.makes(values.len())?;
        for (&var, written) in &writes {
            self.makes(written.len())?;
            let old = way.view.value(var);
            let new = written.iter().fold(old, |old, &(here, value)| fold::ite(e, here, value, old));
            values.insert(var, new);
        }
        Ok(Way { view: View::new(model, values), conditions: way.conditions })
    }

    fn place(&mut self, to: Destination, way: &mut Way<'a>) -> Result<Place, Halt> {
        let model = self.terms.model();
        let e = &model.exprs;
        let (first, index, variables) = match to {
            Destination::Var(var) => (var, e.int(0), vec![(var, e.bool(true))]),
            Destination::Cell(family, index) => {
                let index = self.read(&mut way.view, index)?;
                way.require(index.defined);
                way.require(view::inside(model, family, index.value));
                let first = model.families[family].first;
                (first, index.value, view::places(model, family, index.value))
            }
        };
        Ok(Place { first, index, variables })
    }
}

/// Where an assignment writes.
struct Place {
    /// The variable that is written is as far behind this one as the index says.
    first: VarId,
    index: Expr,
    /// The variables that may be written, and where each of them is.
    variables: Vec<(VarId, Expr)>,
}

impl Place {
    /// That both are one variable, where both are some.
    fn is_same(&self, e: &Exprs, other: &Self) -> Expr {
        let ends = |place: &Self| Some((place.variables.first()?.0, place.variables.last()?.0));
        match (ends(self), ends(other)) {
            (Some((a, b)), Some((c, d))) if a <= d && c <= b => {
                let distance = other.first.index() as i64 - self.first.index() as i64;
                let further = |index: Expr, by: i64| if by == 0 { index } else { fold::add(e, vec![index, e.int(by)]) };
                // A constant is moved rather than a choice between constants.
                if fold::is_constant(e, self.index) {
                    fold::eq(e, further(self.index, -distance), other.index)
                } else {
                    fold::eq(e, self.index, further(other.index, distance))
                }
            }
            (Some(_) | None, Some(_) | None) => e.bool(false),
        }
    }
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

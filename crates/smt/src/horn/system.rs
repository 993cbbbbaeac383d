//! The clauses of a model: how states begin, what steps lead to, and what is asked about. Of the combinations of values of located
//! variables, only those are followed to which some step leads, as far as constants tell.

use std::collections::{BTreeSet, VecDeque};

use lapidary_base::hash::Map;
use lapidary_base::{Control, IdVec, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::passes::{Touched, variables};
use lapidary_ir::{Assignment, Destination, Expr, Exprs, Life, Model, Node, Rhs, Statement, VarId};

use super::body::{Execution, Front, value};
use super::{Application, Clause, Predicate, PredicateId};
use crate::encode::walk::{Conjuncts, Walk, Way};
use crate::encode::{Shape, Totals};
use crate::terms::Terms;

/// Several control variables with more combinations of values than this are parameters like all others.
const MOST_COMBINED: usize = 256;
/// And so is a single one with more values than this, or with values that are not known where it gets them.
const MOST_PLACES: usize = 1 << 16;

/// What has been found of the clauses.
#[derive(Default)]
pub struct Found {
    pub predicates: IdVec<PredicateId, Predicate>,
    pub clauses: Vec<Clause>,
    /// The variables for whose values there are predicates of their own.
    located: Vec<VarId>,
    /// All others that last from step to step.
    parameters: Vec<VarId>,
    places: Map<Box<[Raw]>, PredicateId>,
    /// Those of the predicates that steps have not been followed from.
    open: VecDeque<(Box<[Raw]>, PredicateId)>,
    n_within: usize,
}

/// Everything about a model, and that the target is not met.
pub fn found(terms: &mut Terms<'_>, target: Expr, control: &Control) -> Result<Found, Stop> {
    let model = terms.model();
    let touched = Touched::new(model);
    let mut totals = Totals::new(terms);
    let mut found = Found::new(model);
    found.begin(terms, &mut totals, control)?;
    let demanded: Vec<_> = model.commands.iter().map(|command| found.demanded(model, &command.body)).collect();
    let mut asked = Vec::new();
    while let Some((place, id)) = found.open.pop_front() {
        let front = found.at(terms, &place, id);
        for (command, demanded) in model.commands.iter().zip(&demanded) {
            control.check()?;
            if demanded.iter().any(|&(number, value)| place[number] != value) {
                continue;
            }
            let about = format!("command {}", command.label);
            let mut execution = found.execution(terms, &mut totals, &about, control);
            let mut ends = Vec::new();
            for end in execution.run(vec![front.clone()], &command.body)? {
                let parts = touched.by_writes(&end.way.written);
                ends.extend(parts.into_iter().fold(vec![end], |end, part| execution.where_is(end, part, true)));
            }
            ends.into_iter().for_each(|end| found.arrive_anywhere(terms, &about, end));
        }
        let about = "the query";
        let met = found.execution(terms, &mut totals, about, control).where_is(vec![front], target, true);
        asked.extend(met.into_iter().map(|met| found.clause(terms, about, met, None)));
    }
    found.clauses.extend(asked);
    Ok(found)
}

impl Found {
    fn new(model: &Model) -> Self {
        let located = located(model);
        let lasting = model.vars.ids().filter(|var| !model.is_local(*var) && !located.contains(var));
        Self { parameters: lasting.collect(), located, ..Self::default() }
    }

    fn execution<'e, 'w, 'a>(
        &'e mut self,
        terms: &'w mut Terms<'a>,
        totals: &'w mut Totals<'a>,
        about: &'e str,
        control: &'e Control,
    ) -> Execution<'e, 'w, 'a> {
        Execution { walk: Walk::new(terms, totals, Shape::Merged), found: self, about, control }
    }

    /// The initial states: where the statement for them ends that begins anywhere where the initial condition is true.
    fn begin<'a>(&mut self, terms: &mut Terms<'a>, totals: &mut Totals<'a>, control: &Control) -> Result<(), Stop> {
        let (model, exprs, about) = (terms.model(), terms.exprs().clone(), "the initial states");
        let mut way = Way::default();
        way.values.extend(locals(terms));
        way.values.extend(constants(model, &exprs));
        for var in model.vars.ids().filter(|&var| !model.is_local(var)) {
            let first = value(&exprs, &way, var);
            let fits =
                |number: Raw| model.bounds(terms.domain(var)).is_none_or(|(lo, hi)| lo <= number && number <= hi);
            let is_within = match exprs.raw(first) {
                Some(number) => exprs.bool(fits(number)),
                None => terms.in_domain(var),
            };
            way.guard.push(&exprs, is_within);
        }
        let mut execution = self.execution(terms, totals, about, control);
        let begun = model
            .init
            .iter()
            .fold(vec![Front { from: None, way }], |front, &part| execution.where_is(front, part, true));
        let ends = execution.run(begun, &model.start)?;
        let ends = model.invariant.iter().fold(ends, |ends, &part| execution.where_is(ends, part, true));
        ends.into_iter().for_each(|end| self.arrive_anywhere(terms, about, end));
        Ok(())
    }

    /// The located variables, by their numbers, that a body demands a constant of before it does anything.
    fn demanded(&self, model: &Model, body: &Statement) -> Vec<(usize, Raw)> {
        let exprs = &model.exprs;
        let first = match body {
            Statement::Sequence(parts) => parts.first(),
            alone => Some(alone),
        };
        let Some(Statement::Assume(condition)) = first else { return Vec::new() };
        // Behind a part without a value nothing counts, and there is no step either.
        let constants = exprs.conjuncts(*condition).into_iter().filter_map(|part| demanded_constant(exprs, part));
        let known = constants.filter_map(|(var, value)| {
            let number = self.located.iter().position(|&located| located == var)?;
            Some((number, exprs.raw(value)?))
        });
        known.collect()
    }

    /// Where steps begin.
    fn at(&self, terms: &Terms<'_>, place: &[Raw], id: PredicateId) -> Front {
        let mut way = Way::default();
        let known = self.located.iter().zip(place);
        way.values.extend(known.map(|(&var, &value)| (var, terms.constant(terms.domain(var), value))));
        way.values.extend(locals(terms));
        Front { from: Some(id), way }
    }

    /// What comes to the end of a step is at one of the places.
    fn arrive_anywhere(&mut self, terms: &Terms<'_>, about: &str, front: Front) {
        let exprs = terms.exprs();
        let mut ends = vec![(Vec::new(), front)];
        for &var in &self.located.clone() {
            let mut further = Vec::new();
            for (place, front) in ends {
                let now = value(exprs, &front.way, var);
                let values = match exprs.raw(now) {
                    Some(value) => value..=value,
                    None => {
                        let (lo, hi) = terms.model().bounds(terms.domain(var)).expect("located variables are bounded");
                        lo..=hi
                    }
                };
                for value in values {
                    let mut front = front.clone();
                    let is_here = exprs.eq(now, terms.constant(terms.domain(var), value));
                    front.way.guard.push(exprs, is_here);
                    if !front.way.guard.are_false(exprs) {
                        further.push(([&place[..], &[value]].concat(), front));
                    }
                }
            }
            ends = further;
        }
        for (place, front) in ends {
            let id = self.place(terms.model(), place.into());
            self.arrive(terms, about, front, id);
        }
    }

    /// What comes to a predicate.
    pub fn arrive(&mut self, terms: &Terms<'_>, about: &str, front: Front, id: PredicateId) {
        let parameters = &self.predicates[id].parameters;
        let arguments = parameters.iter().map(|&var| value(terms.exprs(), &front.way, var)).collect();
        let clause = self.clause(terms, about, front, Some(Application { predicate: id, arguments }));
        self.clauses.push(clause);
    }

    fn clause(&self, terms: &Terms<'_>, about: &str, front: Front, to: Option<Application>) -> Clause {
        let parameters = front.from.map_or(&[][..], |from| &self.predicates[from].parameters);
        clause(terms, about, front, parameters, to)
    }

    fn place(&mut self, model: &Model, place: Box<[Raw]>) -> PredicateId {
        if let Some(&known) = self.places.get(&place) {
            return known;
        }
        let values = self.located.iter().zip(&place).map(|(&var, &value)| model.show(model.vars[var].domain, value));
        let name = std::iter::once("Inv".to_owned()).chain(values).collect::<Vec<_>>().join(" ");
        let id = self.predicates.push(Predicate { name, parameters: self.parameters.clone() });
        self.places.insert(place.clone(), id);
        self.open.push_back((place, id));
        id
    }

    /// A predicate for a point within a step.
    pub fn within_step(&mut self, what: &str, parameters: Vec<VarId>) -> PredicateId {
        self.n_within += 1;
        self.predicates.push(Predicate { name: format!("{what} {}", self.n_within), parameters })
    }
}

/// The control variables, unless they have too many combinations of values.
fn located(model: &Model) -> Vec<VarId> {
    let is_control = |var: &VarId| model.vars[*var].control && model.vars[*var].life == Life::State;
    let control: Vec<VarId> = model.vars.ids().filter(is_control).collect();
    let n_values = |var: VarId| {
        let (lo, hi) = model.bounds(model.vars[var].domain)?;
        usize::try_from(hi.checked_sub(lo)?.checked_add(1)?).ok()
    };
    let n_places = control.iter().try_fold(1usize, |n, &var| n.checked_mul(n_values(var)?));
    let is_known = match (&control[..], n_places) {
        (_, Some(n)) if n <= MOST_COMBINED => true,
        (&[only], Some(n)) => n <= MOST_PLACES && gets_constants_only(model, only),
        (_, _) => false,
    };
    if is_known { control } else { Vec::new() }
}

/// Whether all that a step may write to the variable is a constant, as it is for locations of programs.
fn gets_constants_only(model: &Model, var: VarId) -> bool {
    let mut open: Vec<&Statement> = model.commands.iter().map(|command| &command.body).chain([&model.start]).collect();
    while let Some(statement) = open.pop() {
        match statement {
            Statement::Skip | Statement::Assume(_) => {}
            Statement::Assign(list) => {
                let is_harmless = |one: &Assignment| match (one.to, one.value) {
                    (Destination::Var(to), Rhs::Expr(value)) => to != var || model.exprs.raw(value).is_some(),
                    (Destination::Var(to), Rhs::Any) => to != var,
                    (Destination::Cell(family, _), _) => model.cells(family).all(|cell| cell != var),
                };
                if !list.iter().all(is_harmless) {
                    return false;
                }
            }
            Statement::Sequence(parts) | Statement::Choice(parts) => open.extend(parts),
            Statement::If(_, then, otherwise) => open.extend([&**then, &**otherwise]),
            Statement::While(_, body) | Statement::Scope(_, body) => open.push(body),
        }
    }
    true
}

/// The variables that the initial condition gives a constant, and which.
fn constants(model: &Model, exprs: &Exprs) -> Vec<(VarId, Expr)> {
    let parts = model.init.iter().flat_map(|&part| exprs.conjuncts(part));
    parts.filter_map(|part| demanded_constant(exprs, part)).collect()
}

/// The variable that has to be a constant, and which.
fn demanded_constant(exprs: &Exprs, part: Expr) -> Option<(VarId, Expr)> {
    let as_var = |expr: Expr| if let Node::Var(var) = exprs.node(expr) { Some(*var) } else { None };
    if let Some(var) = as_var(part) {
        return Some((var, exprs.bool(true)));
    }
    if let Node::Not(part) = exprs.node(part) {
        return Some((as_var(*part)?, exprs.bool(false)));
    }
    let Node::Eq(a, b) = *exprs.node(part) else { return None };
    let is = |var: Expr, value: Expr| exprs.raw(value).and(as_var(var)).map(|var| (var, value));
    is(a, b).or_else(|| is(b, a))
}

/// The local variables as they are between steps.
fn locals(terms: &Terms<'_>) -> Vec<(VarId, Expr)> {
    let model = terms.model();
    let first = |var: VarId| (var, terms.constant(model.vars[var].domain, model.first(model.vars[var].domain)));
    model.vars.ids().filter(|&var| model.is_local(var)).map(first).collect()
}

/// Whatever is read has values of its domain: of inputs, which several clauses may share, this is a demand; of parameters it is
/// known, and solvers find less if they have to find it by themselves.
fn clause(terms: &Terms<'_>, about: &str, front: Front, parameters: &[VarId], to: Option<Application>) -> Clause {
    let (exprs, model) = (terms.exprs(), terms.model());
    let demands = front.way.guard.list;
    let mut guard = Conjuncts::default();
    let arguments = to.iter().flat_map(|to| to.arguments.iter());
    let read: BTreeSet<VarId> = demands.iter().chain(arguments).flat_map(|&part| variables(exprs, part)).collect();
    let inputs = read.into_iter().filter(|var| model.vars.get(*var).is_none());
    for var in parameters.iter().copied().chain(inputs) {
        guard.push(exprs, terms.in_domain(var));
    }
    // Terms have a value everywhere, and each is equal to itself.
    let says_nothing = |part: &Expr| matches!(exprs.node(*part), Node::Eq(a, b) if a == b);
    demands.into_iter().filter(|part| !says_nothing(part)).for_each(|part| guard.push(exprs, part));
    Clause { about: about.to_owned(), from: front.from, guard: guard.list, to }
}

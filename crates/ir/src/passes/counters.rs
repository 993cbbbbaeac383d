//! A net as a model, so that every engine for integers can run on it: places are variables, transitions are commands.
//!
//! A place that a sum bounds has a finite domain. Steps that would leave a domain are none, so such a model means the same as
//! the net only if the sums are right, which `checker` sees to.
//!
//! Where a transition lets every token choose its destination, further variables `split[i]` say how many go where. They
//! are zero in every state: a command sets them at will, moves the tokens and clears them again.

use lapidary_base::{Control, Id, Stop};
use lapidary_text::Span;

use crate::expr::{Expr, Exprs};
use crate::model::{Assignment, Command, Destination, Life, Model, Rhs, Statement, Var, VarId};
use crate::net::{Destinations, Guard, Net, PlaceId, Range, Sum, Tokens, Transition};
use crate::types::Domain;

/// Limits are looked at after so many transitions.
const PATIENCE: usize = 256;

/// The model has no properties yet; those that are added may speak of the variables [`place_var`].
pub fn counters(net: &Net) -> Model {
    counters_within(net, &[], &Control::new()).expect("there are no limits")
}

/// The same within limits, and with finite domains where sums give bounds.
pub fn counters_within(net: &Net, sums: &[Sum], control: &Control) -> Result<Model, Stop> {
    let n_splits = net.transitions.iter().map(n_splits).max().unwrap_or(0);
    let mut model = Model::named(&net.name);
    let bounds = super::sums::bounds(net, sums);
    for (id, place) in net.places.enumerated() {
        let (name, span) = (place.name.clone(), place.span);
        let domain = match bounds[id].and_then(|most| i64::try_from(most).ok()) {
            Some(hi) => Domain::Range { lo: 0, hi },
            None => Domain::Int,
        };
        model.vars.push(Var { name, domain, control: false, life: Life::State, span });
    }
    let first = model.vars.next_id();
    for i in 0..n_splits {
        let span = net.places.iter().next().map_or(Span::new(lapidary_text::SourceId(0), 0, 0), |place| place.span);
        model.vars.push(Var {
            name: format!("split[{i}]"),
            domain: Domain::Int,
            control: false,
            life: Life::State,
            span,
        });
    }
    let exprs = &model.exprs.clone();
    let splits: Vec<Expr> = (0..n_splits).map(|i| exprs.var(VarId::new(first.index() + i))).collect();
    let places = net.initial.enumerated().map(|(place, range)| within(exprs, exprs.var(place_var(place)), *range));
    let zero = exprs.int(0);
    model.init = places.flatten().chain(splits.iter().map(|&split| exprs.eq(split, zero))).collect();
    let unbounded = model.vars.enumerated().filter(|(_, var)| var.domain == Domain::Int).map(|(id, _)| id);
    model.invariant = unbounded.map(|var| exprs.le(zero, exprs.var(var))).collect();
    control.check()?;
    let commands = net.transitions.enumerated().map(|(id, transition)| {
        if id.index().is_multiple_of(PATIENCE) {
            control.check()?;
        }
        Ok(command(exprs, transition, first))
    });
    model.commands = commands.collect::<Result<_, Stop>>()?;
    Ok(model)
}

/// The variable that counts the tokens of a place.
pub fn place_var(place: PlaceId) -> VarId {
    VarId::new(place.index())
}

/// How many numbers a transition has to choose: a token that may go to `k` places needs `k - 1` of them.
fn n_splits(transition: &Transition) -> usize {
    let splits = transition.flows.iter().map(|flow| match &flow.to {
        Destinations::All(_) => 0,
        Destinations::One(to) => to.len() - 1,
    });
    splits.sum()
}

/// `x = 3`, or `2 <= x` and `x <= 5` as far as they say something of a number that is not negative.
fn within(exprs: &Exprs, value: Expr, range: Range) -> Vec<Expr> {
    if range.hi == Some(range.lo) {
        return vec![exprs.eq(value, number(exprs, range.lo))];
    }
    let lo = (range.lo > 0).then(|| exprs.le(number(exprs, range.lo), value));
    let hi = range.hi.map(|hi| exprs.le(value, number(exprs, hi)));
    lo.into_iter().chain(hi).collect()
}

/// Front ends read no greater numbers.
fn number(exprs: &Exprs, tokens: Tokens) -> Expr {
    exprs.int(i64::try_from(tokens).expect("constants of nets fit in 63 bits"))
}

fn command(exprs: &Exprs, transition: &Transition, first_split: VarId) -> Command {
    let value = |place: PlaceId| exprs.var(place_var(place));
    let guards = transition.guards.iter().flat_map(|&Guard { place, range, .. }| within(exprs, value(place), range));
    let takes = transition.take.iter().map(|&(place, tokens)| exprs.le(number(exprs, tokens), value(place)));
    let mut conditions: Vec<Expr> = guards.chain(takes).collect();
    conditions.dedup();
    let mut parts = vec![Statement::Assume(exprs.and(conditions))];
    let mut rows = Rows::of(exprs, transition);
    let n_splits = n_splits(transition);
    let splits: Vec<VarId> = (0..n_splits).map(|i| VarId::new(first_split.index() + i)).collect();
    if !splits.is_empty() {
        let any = |&var: &VarId| Assignment { to: Destination::Var(var), value: Rhs::Any };
        parts.push(Statement::Assign(splits.iter().map(any).collect()));
        parts.push(Statement::Assume(exprs.and(rows.split(exprs, transition, &splits))));
    }
    let mut assignments: Vec<Assignment> = rows.assignments(exprs);
    assignments
        .extend(splits.iter().map(|&var| Assignment { to: Destination::Var(var), value: Rhs::Expr(exprs.int(0)) }));
    let negative = transition.put.iter().filter(|&&(_, tokens)| tokens < 0);
    let enough: Vec<Expr> = negative.map(|&(place, _)| exprs.le(exprs.int(0), rows.value(exprs, place))).collect();
    if !enough.is_empty() {
        parts.push(Statement::Assume(exprs.and(enough)));
    }
    if !assignments.is_empty() {
        parts.push(Statement::Assign(assignments));
    }
    let body = if parts.len() == 1 { parts.remove(0) } else { Statement::Sequence(parts) };
    Command { label: transition.name.clone(), body, faults: Vec::new(), is_idle: false, span: transition.span }
}

/// The new values of the places that a transition writes, as sums over the old ones.
struct Rows {
    /// Ascending by place.
    rows: Vec<(PlaceId, Vec<Expr>)>,
}

impl Rows {
    fn of(exprs: &Exprs, transition: &Transition) -> Self {
        let mut rows = Self { rows: Vec::new() };
        let left = |place: PlaceId| left(exprs, transition, place);
        for &(place, _) in &transition.take {
            rows.touch(place, transition, left);
        }
        for flow in &transition.flows {
            rows.touch(flow.from, transition, left);
            let Destinations::All(to) = &flow.to else { continue };
            for &(place, times) in to {
                rows.touch(place, transition, left);
                rows.add(place, exprs.mul(number(exprs, times), left(flow.from)));
            }
        }
        for &(place, tokens) in &transition.put {
            rows.touch(place, transition, left);
            rows.add(place, exprs.int(tokens));
        }
        rows
    }

    /// A row begins with what the place keeps.
    fn touch(&mut self, place: PlaceId, transition: &Transition, left: impl Fn(PlaceId) -> Expr) {
        if let Err(at) = self.rows.binary_search_by_key(&place, |row| row.0) {
            let flows = transition.flows.iter().any(|flow| flow.from == place);
            self.rows.insert(at, (place, if flows { Vec::new() } else { vec![left(place)] }));
        }
    }

    fn add(&mut self, place: PlaceId, part: Expr) {
        let at = self.rows.binary_search_by_key(&place, |row| row.0).expect("rows are touched before they grow");
        self.rows[at].1.push(part);
    }

    /// Adds what is chosen; the conditions that the choices have to satisfy.
    fn split(&mut self, exprs: &Exprs, transition: &Transition, splits: &[VarId]) -> Vec<Expr> {
        let left = |place: PlaceId| left(exprs, transition, place);
        let mut conditions = Vec::new();
        let mut splits = splits.iter().map(|&var| exprs.var(var));
        for flow in &transition.flows {
            let Destinations::One(to) = &flow.to else { continue };
            let (last, others) = to.split_last().expect("a choice has destinations");
            let mut rest = vec![left(flow.from)];
            for &place in others {
                let split = splits.next().expect("splits were counted");
                self.touch(place, transition, left);
                self.add(place, split);
                conditions.push(exprs.le(exprs.int(0), split));
                rest.push(exprs.neg(split));
            }
            let rest = exprs.add(rest);
            self.touch(*last, transition, left);
            self.add(*last, rest);
            conditions.push(exprs.le(exprs.int(0), rest));
        }
        conditions
    }

    fn value(&self, exprs: &Exprs, place: PlaceId) -> Expr {
        match self.rows.binary_search_by_key(&place, |row| row.0) {
            Ok(at) => exprs.add(self.rows[at].1.iter().copied()),
            Err(_) => exprs.var(place_var(place)),
        }
    }

    fn assignments(&self, exprs: &Exprs) -> Vec<Assignment> {
        let changed = self.rows.iter().map(|&(place, _)| (place_var(place), self.value(exprs, place)));
        changed
            .filter(|&(var, value)| value != exprs.var(var))
            .map(|(var, value)| Assignment { to: Destination::Var(var), value: Rhs::Expr(value) })
            .collect()
    }
}

/// What is left in a place once a transition has taken what it takes.
fn left(exprs: &Exprs, transition: &Transition, place: PlaceId) -> Expr {
    let taken = transition.take.iter().find(|&&(from, _)| from == place).map_or(0, |&(_, tokens)| tokens);
    let value = exprs.var(place_var(place));
    match i64::try_from(taken).expect("constants of nets fit in 63 bits") {
        0 => value,
        taken => exprs.add([value, exprs.int(-taken)]),
    }
}

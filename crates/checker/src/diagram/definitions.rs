//! Variables that the model's invariant determines: `f = e` lets `e` stand for `f`, and the sets stay small.
//!
//! That is right only where `f` has the value of `e`, which is certain before and after a step but not in between: once
//! something that `e` reads has changed, `f` is *stale* until it is assigned `e` or the step ends. So it is decided for
//! every command which variables it treats in a way that allows it; the others keep their columns.

use std::collections::BTreeSet;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_ir::{Assignment, Command, Destination, Expr, Model, Rhs, Statement, VarId};

use crate::initial;
use crate::words;

pub struct Definition {
    pub var: VarId,
    pub value: Expr,
    /// The conjunct of the invariant that says so.
    pub conjunct: Expr,
}

#[derive(Default)]
pub struct Definitions {
    pub list: Vec<Definition>,
    /// For each defined variable all that its value depends on, in the end or on the way.
    closures: Map<VarId, BTreeSet<VarId>>,
}

/// The definitions among the conjuncts of the invariant, without cycles. A variable that some command assigns another
/// expression than this one is a state variable and not worth it; of two sides, the one that `order` leaves out is defined.
pub fn find(model: &Model, conjuncts: &[Expr], order: &[VarId], control: &Control) -> Result<Definitions, Stop> {
    let assigned = assigned(model);
    let ordered: BTreeSet<VarId> = order.iter().copied().collect();
    let mut definitions = Definitions::default();
    for &conjunct in conjuncts {
        control.check()?;
        let mut candidates = initial::equations(model, conjunct);
        candidates.retain(|(var, value, _)| {
            let others = assigned.get(var).is_some_and(|values| values.iter().any(|other| *other != Some(*value)));
            !others && !definitions.closures.contains_key(var)
        });
        candidates.sort_by_key(|(var, ..)| ordered.contains(var));
        for (var, value, reads) in candidates {
            let closure = definitions.closure(&reads);
            if closure.contains(&var) {
                continue;
            }
            definitions.add(var, closure);
            definitions.list.push(Definition { var, value, conjunct });
            break;
        }
    }
    Ok(definitions)
}

impl Definitions {
    fn closure(&self, reads: &BTreeSet<VarId>) -> BTreeSet<VarId> {
        let more = reads.iter().filter_map(|var| self.closures.get(var)).flatten();
        reads.iter().chain(more).copied().collect()
    }

    fn add(&mut self, var: VarId, closure: BTreeSet<VarId>) {
        for earlier in &self.list {
            let known = self.closures.get_mut(&earlier.var).expect("listed definitions have a closure");
            if known.contains(&var) {
                known.extend(closure.iter().copied());
            }
        }
        self.closures.insert(var, closure);
    }

    pub fn depends_on(&self, var: VarId) -> Option<&BTreeSet<VarId>> {
        self.closures.get(&var)
    }

    /// The defined variables that this command does not treat like their definitions.
    pub fn awkward(&self, model: &Model, command: &Command) -> Vec<VarId> {
        let mut walk = Walk { model, definitions: self, late: BTreeSet::new() };
        let stale = walk.follow(&command.body, BTreeSet::new());
        let is_awkward = |var: &VarId| {
            let is_free = must_choose(model, &command.body, *var) && !may_assign(model, &command.body, *var);
            walk.late.contains(var) || (stale.contains(var) && !is_free)
        };
        self.list.iter().map(|definition| definition.var).filter(is_awkward).collect()
    }

    /// The defined variables whose values depend on this one.
    fn dependents(&self, on: VarId) -> impl Iterator<Item = VarId> + '_ {
        let depends = move |definition: &&Definition| self.closures[&definition.var].contains(&on);
        self.list.iter().filter(depends).map(|definition| definition.var)
    }
}

/// Follows a statement in the order of its execution.
struct Walk<'a> {
    model: &'a Model,
    definitions: &'a Definitions,
    /// Defined variables that are read while they are stale.
    late: BTreeSet<VarId>,
}

impl Walk<'_> {
    /// The defined variables that may be stale once the statement is done.
    fn follow(&mut self, statement: &Statement, stale: BTreeSet<VarId>) -> BTreeSet<VarId> {
        match statement {
            Statement::Skip => stale,
            Statement::Assume(condition) => {
                self.read(*condition, &stale);
                stale
            }
            Statement::Assign(list) => self.assign(list, stale),
            Statement::Sequence(parts) => parts.iter().fold(stale, |stale, part| self.follow(part, stale)),
            Statement::Choice(parts) => {
                let ends: Vec<_> = parts.iter().map(|part| self.follow(part, stale.clone())).collect();
                ends.into_iter().flatten().collect()
            }
            Statement::While(condition, body) => {
                let mut stale = stale;
                loop {
                    self.read(*condition, &stale);
                    let again = self.follow(body, stale.clone());
                    if again.is_subset(&stale) {
                        return stale;
                    }
                    stale.extend(again);
                }
            }
            // No definition speaks of local variables.
            Statement::Scope(_, body) => self.follow(body, stale),
            Statement::If(condition, then, otherwise) => {
                self.read(*condition, &stale);
                let mut end = self.follow(then, stale.clone());
                end.extend(self.follow(otherwise, stale));
                end
            }
        }
    }

    fn assign(&mut self, list: &[Assignment], stale: BTreeSet<VarId>) -> BTreeSet<VarId> {
        for assignment in list {
            if let Rhs::Expr(value) = assignment.value {
                self.read(value, &stale);
            }
            if let Destination::Cell(_, index) = assignment.to {
                self.read(index, &stale);
            }
        }
        let mut after = stale;
        let renewed: BTreeSet<VarId> = list.iter().filter_map(|assignment| self.renewed(assignment)).collect();
        // One that was not stale keeps its value, and nothing that depends on it changes. All are written at once: those that
        // read another one which changes have read its old value.
        let changed: Vec<VarId> = renewed.iter().copied().filter(|var| after.remove(var)).collect();
        changed.into_iter().for_each(|var| after.extend(self.definitions.dependents(var)));
        let written = list.iter().flat_map(|assignment| destinations(self.model, assignment.to));
        for var in written.filter(|var| !renewed.contains(var)) {
            if self.definitions.closures.contains_key(&var) {
                after.insert(var);
            }
            after.extend(self.definitions.dependents(var));
        }
        after
    }

    /// The variable that is given the value of its definition.
    fn renewed(&self, assignment: &Assignment) -> Option<VarId> {
        let (Destination::Var(var), Rhs::Expr(value)) = (assignment.to, assignment.value) else { return None };
        let is_it = |definition: &Definition| definition.var == var && definition.value == value;
        self.definitions.list.iter().any(is_it).then_some(var)
    }

    fn read(&mut self, expr: Expr, stale: &BTreeSet<VarId>) {
        if !stale.is_empty() {
            let read = initial::variables(self.model, expr).into_iter();
            self.late.extend(read.filter(|var| stale.contains(var)));
        }
    }
}

/// The values that commands assign to variables; none stands for a value that is assigned through an index.
fn assigned(model: &Model) -> Map<VarId, Vec<Option<Expr>>> {
    let mut found: Map<VarId, Vec<Option<Expr>>> = Map::default();
    let mut pending: Vec<&Statement> = model.commands.iter().map(|command| &command.body).collect();
    while let Some(statement) = pending.pop() {
        match statement {
            Statement::Skip | Statement::Assume(_) => {}
            Statement::Assign(list) => {
                for assignment in list {
                    let value = match (assignment.value, assignment.to) {
                        (Rhs::Any, _) => continue,
                        (Rhs::Expr(value), Destination::Var(_)) => Some(value),
                        (Rhs::Expr(_), Destination::Cell(..)) => None,
                    };
                    for var in destinations(model, assignment.to) {
                        found.entry(var).or_default().push(value);
                    }
                }
            }
            Statement::Sequence(parts) | Statement::Choice(parts) => pending.extend(parts),
            Statement::If(_, then, otherwise) => pending.extend([&**then, &**otherwise]),
            Statement::While(_, body) | Statement::Scope(_, body) => pending.push(body),
        }
    }
    found
}

/// The variables that a destination may mean.
pub fn destinations(model: &Model, to: Destination) -> Vec<VarId> {
    match to {
        Destination::Var(var) => vec![var],
        Destination::Cell(family, index) => match words::constant(model, index) {
            Some(index) => model.cells(family).filter(|cell| is_cell(model, family, *cell, index)).collect(),
            None => model.cells(family).collect(),
        },
    }
}

fn is_cell(model: &Model, family: lapidary_ir::FamilyId, cell: VarId, index: i64) -> bool {
    (cell.index() - model.families[family].first.index()) as i64 == index
}

/// Does every execution give the variable any value of its domain?
fn must_choose(model: &Model, statement: &Statement, var: VarId) -> bool {
    match statement {
        Statement::Skip | Statement::Assume(_) => false,
        Statement::Assign(list) => list
            .iter()
            .any(|assignment| assignment.value == Rhs::Any && destinations(model, assignment.to)[..] == [var]),
        Statement::Sequence(parts) => parts.iter().any(|part| must_choose(model, part, var)),
        Statement::Choice(parts) => parts.iter().all(|part| must_choose(model, part, var)),
        Statement::If(_, then, otherwise) => must_choose(model, then, var) && must_choose(model, otherwise, var),
        Statement::While(..) => false,
        Statement::Scope(_, body) => must_choose(model, body, var),
    }
}

/// May some execution write it in another way?
fn may_assign(model: &Model, statement: &Statement, var: VarId) -> bool {
    match statement {
        Statement::Skip | Statement::Assume(_) => false,
        Statement::Assign(list) => list.iter().any(|assignment| {
            let to = destinations(model, assignment.to);
            to.contains(&var) && (assignment.value != Rhs::Any || to.len() > 1)
        }),
        Statement::Sequence(parts) | Statement::Choice(parts) => parts.iter().any(|part| may_assign(model, part, var)),
        Statement::If(_, then, otherwise) => may_assign(model, then, var) || may_assign(model, otherwise, var),
        Statement::While(_, body) | Statement::Scope(_, body) => may_assign(model, body, var),
    }
}

/// For every variable its definition, except for those that keep their columns.
pub fn in_force(model: &Model, definitions: &Definitions, kept: &[VarId]) -> IdVec<VarId, Option<Expr>> {
    let mut values: IdVec<VarId, Option<Expr>> = model.vars.iter().map(|_| None).collect();
    for definition in definitions.list.iter().filter(|definition| !kept.contains(&definition.var)) {
        values[definition.var] = Some(definition.value);
    }
    values
}

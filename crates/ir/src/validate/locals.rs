//! Local variables live in scopes: everything that reads or writes one stands within a scope that lists it.
//!
//! Here all ids are in range and all parts of an expression are older than the whole.

use std::collections::BTreeSet;

use lapidary_base::hash::Set;
use lapidary_base::{Control, Meter, Stop};

use super::{Item, Problem};
use crate::expr::{Expr, Node};
use crate::model::{Assignment, Declarations, Destination, Fault, Life, Model, Rhs, Statement, VarId};

/// What it takes to look at an expression, in pieces of a [`Meter`].
const PIECES_PER_NODE: u64 = 8;

/// The mentions of local variables outside their scopes, and scopes that are none.
pub(super) fn problems(model: &Model, control: &Control) -> Result<Vec<Problem>, Stop> {
    let mut walk = Walk::new(model, control);
    for (i, &condition) in model.init.iter().enumerate() {
        walk.item = Item::Init(i);
        walk.reads(condition)?;
    }
    for (i, &condition) in model.invariant.iter().enumerate() {
        walk.item = Item::Invariant(i);
        walk.reads(condition)?;
    }
    walk.item = Item::Start;
    walk.statement(&model.start)?;
    for (id, command) in model.commands.enumerated() {
        walk.item = Item::Command(id);
        walk.faults(&command.faults)?;
        walk.statement(&command.body)?;
    }
    for (id, property) in model.properties.enumerated() {
        walk.item = Item::Property(id);
        walk.faults(&property.faults)?;
        property.kind.exprs().into_iter().try_for_each(|expr| walk.reads(expr))?;
    }
    Ok(walk.problems)
}

/// The first local variable that an expression mentions.
pub(super) fn first_in(model: &Declarations, expr: Expr, control: &Control) -> Result<Option<VarId>, Stop> {
    Ok(Walk::new(model, control).locals(expr)?.first().copied())
}

struct Walk<'m> {
    model: &'m Declarations,
    has_locals: bool,
    /// What the scopes around the current place list.
    open: BTreeSet<VarId>,
    /// Expressions that mention no local variable.
    plain: Set<Expr>,
    item: Item,
    problems: Vec<Problem>,
    meter: Meter<'m>,
}

impl<'m> Walk<'m> {
    fn new(model: &'m Declarations, control: &'m Control) -> Self {
        Self {
            model,
            has_locals: model.vars.iter().any(|var| var.life == Life::Local),
            open: BTreeSet::new(),
            plain: Set::default(),
            item: Item::Alone,
            problems: Vec::new(),
            meter: Meter::new(control),
        }
    }

    fn tell(&mut self, text: String) {
        self.problems.push(Problem { item: self.item, text });
    }

    fn name(&self, var: VarId) -> &'m str {
        &self.model.vars[var].name
    }

    /// The local variables of an expression; all cells of a row that it indexes are meant.
    fn locals(&mut self, root: Expr) -> Result<BTreeSet<VarId>, Stop> {
        let mut found = BTreeSet::new();
        if !self.has_locals {
            return Ok(found);
        }
        let (mut seen, mut open) = (Set::default(), vec![root]);
        let mut visited = Vec::new();
        while let Some(expr) = open.pop() {
            if self.plain.contains(&expr) || !seen.insert(expr) {
                continue;
            }
            self.meter.add(PIECES_PER_NODE)?;
            visited.push(expr);
            if let Node::Var(var) = self.model.exprs.node(expr) {
                found.extend(self.model.is_local(*var).then_some(*var));
            }
            if let Node::Cell(family, _) = self.model.exprs.node(expr) {
                found.extend(self.model.cells(*family).filter(|&cell| self.model.is_local(cell)));
            }
            self.model.exprs.for_each_part(expr, |part| open.push(part));
        }
        if found.is_empty() {
            self.plain.extend(visited);
        }
        Ok(found)
    }

    fn reads(&mut self, expr: Expr) -> Result<(), Stop> {
        for local in self.locals(expr)? {
            if !self.open.contains(&local) {
                self.tell(format!("the local variable `{}` is read outside its scope", self.name(local)));
            }
        }
        Ok(())
    }

    fn faults(&mut self, faults: &[Fault]) -> Result<(), Stop> {
        faults.iter().try_for_each(|fault| self.reads(fault.when))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Stop> {
        if self.has_locals {
            self.meter.add(PIECES_PER_NODE)?;
        }
        match statement {
            Statement::Skip => Ok(()),
            Statement::Assume(condition) => self.reads(*condition),
            Statement::Assign(list) => list.iter().try_for_each(|assignment| self.assignment(assignment)),
            Statement::Sequence(list) | Statement::Choice(list) => {
                list.iter().try_for_each(|part| self.statement(part))
            }
            Statement::If(condition, then, otherwise) => {
                self.reads(*condition)?;
                self.statement(then)?;
                self.statement(otherwise)
            }
            Statement::While(condition, body) => {
                self.reads(*condition)?;
                self.statement(body)
            }
            Statement::Scope(locals, body) => self.scope(locals, body),
        }
    }

    fn assignment(&mut self, assignment: &Assignment) -> Result<(), Stop> {
        let written: Vec<VarId> = match assignment.to {
            Destination::Var(var) => vec![var],
            Destination::Cell(family, index) => {
                self.reads(index)?;
                self.model.cells(family).collect()
            }
        };
        for var in written {
            if self.model.is_local(var) && !self.open.contains(&var) {
                self.tell(format!("the local variable `{}` is written outside its scope", self.name(var)));
            }
        }
        match assignment.value {
            Rhs::Expr(value) => self.reads(value),
            Rhs::Any => Ok(()),
        }
    }

    fn scope(&mut self, locals: &[VarId], body: &Statement) -> Result<(), Stop> {
        let mut opened = Vec::new();
        for &local in locals {
            if !self.model.is_local(local) {
                self.tell(format!("a scope lists the variable `{}`, which is not local", self.name(local)));
            } else if self.open.insert(local) {
                opened.push(local);
            } else {
                self.tell(format!("the local variable `{}` has a scope within its scope", self.name(local)));
            }
        }
        self.statement(body)?;
        opened.iter().for_each(|local| {
            self.open.remove(local);
        });
        Ok(())
    }
}

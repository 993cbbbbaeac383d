//! What every other crate may rely on in a model: ids in range, sorts that fit, names that tell things apart.
//!
//! Expressions are visited without recursion and each only once, so deep and shared ones cost no more than others.

mod locals;
mod sorts;

use std::fmt;

use lapidary_base::hash::Set;
use lapidary_base::{Control, IdVec, Stop};

use crate::expr::Expr;
use crate::model::{
    Assignment, Command, CommandId, Declarations, Destination, FamilyId, Fault, Life, Model, Rhs, Statement, VarId,
};
use crate::property::{Property, PropertyId};
use crate::types::{Domain, EnumId, Sort};

use sorts::Sorts;

/// What of a model a problem is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Enum(EnumId),
    Var(VarId),
    Family(FamilyId),
    /// The initial condition or the invariant of the given number.
    Init(usize),
    Invariant(usize),
    /// The statement that gives the initial states.
    Start,
    Command(CommandId),
    Property(PropertyId),
    /// An expression that was given alone.
    Alone,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub item: Item,
    pub text: String,
}

/// The problems of a model, each told with what it is in.
pub fn validate(model: &Model) -> Result<(), Vec<String>> {
    let problems = problems(model);
    if problems.is_empty() {
        return Ok(());
    }
    Err(problems.iter().map(|problem| format!("{}: {}", Named(model, problem.item), problem.text)).collect())
}

/// The problems of a model, for whoever can point at them better than with a name.
pub fn problems(model: &Model) -> Vec<Problem> {
    problems_within(model, &Control::new()).unwrap_or_else(|_| unreachable!("there is no limit"))
}

/// The same within the limits of a run.
pub fn problems_within(model: &Model, control: &Control) -> Result<Vec<Problem>, Stop> {
    let mut checker = Checker::new(model, Item::Alone, control);
    checker.declarations();
    checker.conditions();
    checker.commands(&model.commands);
    checker.properties();
    if let Some(stop) = checker.sorts.stop {
        return Err(stop);
    }
    // Where variables may be mentioned is asked of statements and expressions that are sound.
    if checker.problems.is_empty() { locals::problems(model, control) } else { Ok(checker.problems) }
}

/// The sort of an expression that is not yet part of the model.
pub fn expression(model: &Declarations, expr: Expr) -> Result<Sort, String> {
    expression_within(model, expr, &Control::new()).unwrap_or_else(|_| unreachable!("there is no limit"))
}

/// The same within the limits of a run.
pub fn expression_within(model: &Declarations, expr: Expr, control: &Control) -> Result<Result<Sort, String>, Stop> {
    let mut checker = Checker::new(model, Item::Alone, control);
    let sort = checker.sort(expr);
    if let Some(stop) = checker.sorts.stop {
        return Err(stop);
    }
    Ok(match (sort, checker.problems.first()) {
        (Some(sort), None) => match locals::first_in(model, expr, control)? {
            Some(local) => Err(format!("the variable `{}` is local to a statement", model.vars[local].name)),
            None => Ok(sort),
        },
        (_, Some(problem)) => Err(problem.text.clone()),
        (None, None) => Err("the expression has no sort".to_owned()),
    })
}

/// What a problem is in, in words.
struct Named<'m>(&'m Model, Item);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(model, item) = *self;
        match item {
            Item::Enum(id) if model.enums[id].name.is_empty() => write!(f, "enumeration number {}", id.0),
            Item::Enum(id) => write!(f, "enumeration `{}`", model.enums[id].name),
            Item::Var(id) => write!(f, "variable `{}`", model.vars[id].name),
            Item::Family(id) => write!(f, "family `{}`", model.families[id].name),
            Item::Init(i) => write!(f, "initial condition {i}"),
            Item::Invariant(i) => write!(f, "invariant {i}"),
            Item::Start => f.write_str("start"),
            Item::Command(id) if model.commands[id].label.is_empty() => write!(f, "command number {}", id.0),
            Item::Command(id) => write!(f, "command `{}`", model.commands[id].label),
            Item::Property(id) => write!(f, "property `{}`", model.properties[id].name),
            Item::Alone => f.write_str("expression"),
        }
    }
}

struct Checker<'m> {
    model: &'m Declarations,
    sorts: Sorts<'m>,
    item: Item,
    problems: Vec<Problem>,
}

impl<'m> Checker<'m> {
    fn new(model: &'m Declarations, item: Item, control: &'m Control) -> Self {
        Self { model, sorts: Sorts::new(model, control), item, problems: Vec::new() }
    }

    fn tell(&mut self, text: impl Into<String>) {
        self.problems.push(Problem { item: self.item, text: text.into() });
    }

    fn declarations(&mut self) {
        let model = self.model;
        for (id, of) in model.enums.enumerated() {
            self.item = Item::Enum(id);
            if of.literals.is_empty() {
                self.tell("it has no literals");
            }
            for twice in repeated(&of.literals) {
                self.tell(format!("the literal `{twice}` is listed twice"));
            }
        }
        let mut seen = Set::default();
        for (id, var) in model.vars.enumerated() {
            self.item = Item::Var(id);
            if !seen.insert(var.name.as_str()) {
                self.tell("another variable has the same name");
            }
            self.domain(var.domain);
            if var.control && var.life == Life::Local {
                self.tell("a local variable is no control variable");
            }
        }
        for id in model.families.ids() {
            self.item = Item::Family(id);
            self.family(id);
        }
    }

    fn domain(&mut self, domain: Domain) {
        match domain {
            Domain::Bool | Domain::Int => {}
            Domain::Range { lo, hi } if lo > hi => self.tell(format!("the range {lo}..{hi} is empty")),
            Domain::Range { .. } => {}
            Domain::Enum(id) if self.model.enums.get(id).is_none() => {
                self.tell(format!("there is no enumeration number {}", id.0));
            }
            Domain::Enum(_) => {}
            Domain::Bits(_) | Domain::Array(_) => {
                if let Err(problem) = self.sorts.exists(domain.sort()) {
                    self.tell(problem);
                }
            }
        }
    }

    fn family(&mut self, id: FamilyId) {
        let family = &self.model.families[id];
        if family.len == 0 {
            return self.tell("it has no cells");
        }
        let first = family.first.0 as usize;
        let cells = first.checked_add(family.len as usize).and_then(|end| self.model.vars.as_slice().get(first..end));
        match cells {
            None => self.tell(format!(
                "its {} cells from variable number {first} on are more than there are variables",
                family.len
            )),
            Some([head, tail @ ..]) => {
                if let Some(other) = tail.iter().find(|cell| cell.domain != head.domain) {
                    self.tell(format!("its cells `{}` and `{}` have different domains", head.name, other.name));
                }
                if let Some(other) = tail.iter().find(|cell| cell.life != head.life) {
                    self.tell(format!("only one of its cells `{}` and `{}` is local", head.name, other.name));
                }
            }
            Some([]) => {}
        }
        // Engines compare the places of two writes within a family; a variable in two of them would escape that.
        let end = first + family.len as usize;
        let is_shared = |(other, row): &(FamilyId, &crate::model::Family)| {
            *other < id && (row.first.0 as usize) < end && first < row.first.0 as usize + row.len as usize
        };
        let shared = self.model.families.enumerated().find(is_shared).map(|(_, row)| row.name.clone());
        if let Some(name) = shared {
            self.tell(format!("it shares variables with the family `{name}`"));
        }
    }

    fn conditions(&mut self) {
        for (i, &condition) in self.model.init.iter().enumerate() {
            self.item = Item::Init(i);
            self.boolean(condition, "an initial condition");
        }
        for (i, &condition) in self.model.invariant.iter().enumerate() {
            self.item = Item::Invariant(i);
            self.boolean(condition, "an invariant");
        }
    }

    fn commands(&mut self, commands: &IdVec<CommandId, Command>) {
        let model = self.model;
        self.item = Item::Start;
        self.statement(&model.start);
        for (id, command) in commands.enumerated() {
            self.item = Item::Command(id);
            if command.label.is_empty() {
                self.tell("its label is empty");
            }
            self.faults(&command.faults);
            self.statement(&command.body);
        }
    }

    fn faults(&mut self, faults: &[Fault]) {
        for fault in faults {
            self.boolean(fault.when, "the condition of a fault");
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Skip => {}
            Statement::Assume(condition) => self.boolean(*condition, "an assumption"),
            Statement::Assign(list) => list.iter().for_each(|assignment| self.assignment(assignment)),
            Statement::Sequence(list) | Statement::Choice(list) => list.iter().for_each(|part| self.statement(part)),
            Statement::If(condition, then, otherwise) => {
                self.boolean(*condition, "the condition of an if");
                self.statement(then);
                self.statement(otherwise);
            }
            Statement::While(condition, body) => {
                self.boolean(*condition, "the condition of a loop");
                self.statement(body);
            }
            Statement::Scope(locals, body) => {
                for &local in locals {
                    if let Err(problem) = self.sorts.of_var(local) {
                        self.tell(problem);
                    }
                }
                self.statement(body);
            }
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        let wanted = match assignment.to {
            Destination::Var(id) => self.sorts.of_var(id).map_err(|problem| self.tell(problem)).ok(),
            Destination::Cell(family, index) => {
                if let Some(sort) = self.sort(index).filter(|&sort| sort != Sort::Int) {
                    let text = format!("the index {} is {}", self.sorts.show(index), self.sorts.describe(sort));
                    self.tell(text);
                }
                self.sorts.of_family(family).map_err(|problem| self.tell(problem)).ok()
            }
        };
        let Rhs::Expr(value) = assignment.value else { return };
        let (Some(sort), Some(wanted)) = (self.sort(value), wanted) else { return };
        if sort != wanted {
            let (sort, wanted) = (self.sorts.describe(sort), self.sorts.describe(wanted));
            self.tell(format!("{} is {sort}, but what it is assigned to is {wanted}", self.sorts.show(value)));
        }
    }

    fn properties(&mut self) {
        let model = self.model;
        for (id, property) in model.properties.enumerated() {
            self.item = Item::Property(id);
            self.property(property);
        }
    }

    fn property(&mut self, property: &Property) {
        self.faults(&property.faults);
        let what = if property.kind.formula().is_some() { "the property" } else { "a state formula" };
        property.kind.exprs().into_iter().for_each(|expr| self.boolean(expr, what));
    }

    fn boolean(&mut self, expr: Expr, what: &str) {
        match self.sort(expr) {
            Some(Sort::Bool) | None => {}
            Some(sort @ (Sort::Int | Sort::Enum(_) | Sort::Bits(_) | Sort::Array(_))) => {
                let (shown, sort) = (self.sorts.show(expr), self.sorts.describe(sort));
                self.tell(format!("{what} must be boolean, but {shown} is {sort}"));
            }
        }
    }

    /// The sort of an expression; problems inside it are told at the first place that uses it.
    fn sort(&mut self, expr: Expr) -> Option<Sort> {
        let mut found = Vec::new();
        let sort = self.sorts.of(expr, &mut found);
        found.into_iter().for_each(|text| self.tell(text));
        sort
    }
}

/// The names that were already in the list before, in order.
fn repeated(names: &[String]) -> Vec<&str> {
    let mut seen = Set::default();
    names.iter().map(String::as_str).filter(|&name| !seen.insert(name)).collect()
}

#[cfg(test)]
mod tests;

//! Whether two models say the same: everything counts but spans and the numbers that expressions happen to have.

use lapidary_base::hash::Map;

use crate::expr::{Expr, Exprs};
use crate::model::{Assignment, Command, Destination, Fault, Model, Rhs, Statement};
use crate::property::{Property, PropertyKind};

/// The first difference that is found, if there is one.
pub fn same(a: &Model, b: &Model) -> Result<(), String> {
    equal("the names of the models", &a.name, &b.name)?;
    equal("the numbers of processes", &a.n_processes, &b.n_processes)?;
    equal("the enumerations", &a.enums, &b.enums)?;
    let common = Exprs::new();
    let vars = |model: &Model| -> Vec<_> {
        let domain = |domain| common.adopted_domain(&model.exprs, domain);
        model.vars.iter().map(|var| (var.name.clone(), domain(var.domain), var.control, var.life)).collect()
    };
    equal("the variables", &vars(a), &vars(b))?;
    equal("the families", &a.families, &b.families)?;
    let mut a = Normal::new(a, &common);
    let mut b = Normal::new(b, &common);
    alike("the initial conditions", a.exprs(&a.model.init), b.exprs(&b.model.init))?;
    alike("the starts", a.statement(&a.model.start), b.statement(&b.model.start))?;
    alike("the invariants", a.exprs(&a.model.invariant), b.exprs(&b.model.invariant))?;
    equal("the numbers of commands", &a.model.commands.len(), &b.model.commands.len())?;
    for (i, (x, y)) in a.model.commands.iter().zip(&b.model.commands).enumerate() {
        alike(&format!("commands number {i}, `{}` and `{}`,", x.label, y.label), a.command(x), b.command(y))?;
    }
    equal("the numbers of properties", &a.model.properties.len(), &b.model.properties.len())?;
    for (i, (x, y)) in a.model.properties.iter().zip(&b.model.properties).enumerate() {
        alike(&format!("properties number {i}, `{}` and `{}`,", x.name, y.name), a.property(x), b.property(y))?;
    }
    Ok(())
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, a: &T, b: &T) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{what} differ: {a:?} and {b:?}")) }
}

fn alike<T: PartialEq>(what: &str, a: T, b: T) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{what} differ")) }
}

/// Rewrites what a model says in terms of a common set of expressions, where equal ones are one.
struct Normal<'a> {
    model: &'a Model,
    common: &'a Exprs,
    images: Map<Expr, Expr>,
}

impl<'a> Normal<'a> {
    fn new(model: &'a Model, common: &'a Exprs) -> Self {
        Self { model, common, images: Map::default() }
    }

    fn exprs(&mut self, list: &[Expr]) -> Vec<Expr> {
        list.iter().map(|&expr| self.expr(expr)).collect()
    }

    fn expr(&mut self, root: Expr) -> Expr {
        let mut stack = vec![root];
        while let Some(&expr) = stack.last() {
            let waiting = stack.len();
            if !self.images.contains_key(&expr) {
                self.model.exprs.for_each_part(expr, |part| {
                    if !self.images.contains_key(&part) {
                        stack.push(part);
                    }
                });
            }
            if stack.len() == waiting {
                stack.pop();
                self.map(expr);
            }
        }
        self.images[&root]
    }

    /// Maps an expression whose parts were mapped before.
    fn map(&mut self, expr: Expr) {
        let node = self.common.adopted(&self.model.exprs, self.model.exprs.node(expr));
        let node = node.with_parts(|part| self.images[&part]);
        self.images.insert(expr, self.common.intern(node));
    }

    fn command(&mut self, command: &Command) -> (String, bool, Statement, Vec<(Expr, String)>) {
        let label = command.label.clone();
        (label, command.is_idle, self.statement(&command.body), self.faults(&command.faults))
    }

    fn faults(&mut self, faults: &[Fault]) -> Vec<(Expr, String)> {
        faults.iter().map(|fault| (self.expr(fault.when), fault.what.clone())).collect()
    }

    fn statement(&mut self, statement: &Statement) -> Statement {
        match statement {
            Statement::Skip => Statement::Skip,
            Statement::Assume(condition) => Statement::Assume(self.expr(*condition)),
            Statement::Assign(list) => Statement::Assign(list.iter().map(|part| self.assignment(part)).collect()),
            Statement::Sequence(list) => Statement::Sequence(list.iter().map(|part| self.statement(part)).collect()),
            Statement::Choice(list) => Statement::Choice(list.iter().map(|part| self.statement(part)).collect()),
            Statement::If(condition, then, otherwise) => {
                let (then, otherwise) = (self.statement(then), self.statement(otherwise));
                Statement::If(self.expr(*condition), Box::new(then), Box::new(otherwise))
            }
            Statement::While(condition, body) => {
                let body = self.statement(body);
                Statement::While(self.expr(*condition), Box::new(body))
            }
            Statement::Scope(locals, body) => Statement::Scope(locals.clone(), Box::new(self.statement(body))),
        }
    }

    fn assignment(&mut self, assignment: &Assignment) -> Assignment {
        let to = match assignment.to {
            Destination::Var(id) => Destination::Var(id),
            Destination::Cell(family, index) => Destination::Cell(family, self.expr(index)),
        };
        let value = match assignment.value {
            Rhs::Expr(expr) => Rhs::Expr(self.expr(expr)),
            Rhs::Any => Rhs::Any,
        };
        Assignment { to, value }
    }

    fn property(&mut self, property: &Property) -> (String, String, PropertyKind, Vec<(Expr, String)>) {
        let kind = property.kind.mapped(&mut |expr| self.expr(expr));
        (property.name.clone(), property.text.clone(), kind, self.faults(&property.faults))
    }
}

//! The textual form of a model (suffix `.lir`): what [`parse`](crate::parse) reads, described in `docs/ir.md`.
//!
//! Only valid models have one, see [`validate`](crate::validate); [`show`] takes any expression.

pub(crate) mod names;

mod expr;
mod sharing;
mod words;

use std::fmt::Write;

use lapidary_base::{Control, Meter, Stop};

use crate::expr::{Expr, Exprs};
use crate::model::{Command, Declarations, Destination, Fault, Life, Model, Rhs, Statement, VarId};
use crate::passes::roots;
use crate::property::{Ltl, Property, PropertyKind};
use crate::types::{Domain, EnumType};

use expr::{Form, Writer};
use names::{Names, name, quoted};
use sharing::Sharing;

/// A user reads no more than this of one expression; the rest is shown as `...`.
const SHOWN_NODES: usize = 400;
const SHOWN_DEPTH: usize = 40;

/// An expression in the words of the source, for people.
pub fn show(model: &Declarations, expr: Expr) -> String {
    show_among(model, &model.exprs, expr)
}

/// The same for an expression over the model's variables that is not one of the model's.
pub fn show_among(model: &Declarations, exprs: &Exprs, expr: Expr) -> String {
    Writer::new(model, exprs, Form::Source { left: SHOWN_NODES, depth: SHOWN_DEPTH }).text(expr)
}

/// An expression in the exact form, after the definitions that it uses: [`parse::expr`](crate::parse::expr) reads it.
pub fn expr(model: &Declarations, expr: Expr) -> String {
    expr_among(model, &model.exprs, expr)
}

/// The same for an expression over the model's variables that is not one of the model's.
pub fn expr_among(model: &Declarations, exprs: &Exprs, expr: Expr) -> String {
    let control = Control::new();
    let mut printer = Printer::new(model, exprs, Sharing::default(), Meter::new(&control));
    let text = printer.expr(expr);
    printer.lets.replace('\n', " ") + &text
}

/// The whole model, without limits on time and memory.
pub fn model(model: &Model) -> String {
    model_within(model, &Control::new()).expect("there is no limit")
}

/// The whole model. The text is at most so much longer than the model as one expression is than its graph, however often
/// commands share their parts.
pub fn model_within(model: &Model, control: &Control) -> Result<String, Stop> {
    let mut meter = Meter::new(control);
    let sharing = Sharing::of_all(&model.exprs, &roots(model), &mut meter)?;
    let mut printer = Printer::new(model, &model.exprs, sharing, meter);
    printer.declarations();
    printer.conditions("init", &model.init);
    printer.start();
    printer.conditions("invariant", &model.invariant);
    model.commands.iter().for_each(|command| printer.command(command));
    model.properties.iter().for_each(|property| printer.property(property));
    match printer.stop {
        Some(stop) => Err(stop),
        None => Ok(printer.out),
    }
}

struct Printer<'m, 'c> {
    model: &'m Declarations,
    exprs: &'m Exprs,
    names: Names,
    sharing: Sharing,
    meter: Meter<'c>,
    /// The limit after which nothing more is written.
    stop: Option<Stop>,
    out: String,
    /// The item that is being written; its definitions have to come before it.
    item: String,
    lets: String,
    indent: usize,
}

impl<'m, 'c> Printer<'m, 'c> {
    fn new(model: &'m Declarations, exprs: &'m Exprs, sharing: Sharing, meter: Meter<'c>) -> Self {
        let names = Names::new(model);
        let (out, item, lets) = (String::new(), String::new(), String::new());
        Self { model, exprs, names, sharing, meter, stop: None, out, item, lets, indent: 0 }
    }

    /// Counts the work of writing so much; false once a limit was reached.
    fn may_go_on(&mut self, n_bytes: usize) -> bool {
        if self.stop.is_none() {
            self.stop = self.meter.add(n_bytes as u64).err();
        }
        self.stop.is_none()
    }

    fn line(&mut self, text: &str) {
        if !self.may_go_on(text.len()) {
            return;
        }
        for part in ["  ".repeat(self.indent).as_str(), text, "\n"] {
            self.item.push_str(part);
        }
    }

    /// Ends an item: what it needs, then the item itself.
    fn flush(&mut self) {
        self.out.push_str(&self.lets);
        self.out.push_str(&self.item);
        self.lets.clear();
        self.item.clear();
    }

    fn expr(&mut self, expr: Expr) -> String {
        if self.stop.is_some() {
            return String::new();
        }
        let planned = match self.sharing.plan(self.exprs, expr, &mut self.meter) {
            Ok(planned) => planned,
            Err(stop) => {
                self.stop = Some(stop);
                return String::new();
            }
        };
        for named in planned.named {
            let number = self.sharing.number(named).expect("planned expressions have a number");
            let text = Writer::new(self.model, self.exprs, Form::Exact(&self.names, &self.sharing)).definition(named);
            if !self.may_go_on(text.len()) {
                return String::new();
            }
            writeln!(self.lets, "let ${number} = {text};").expect("strings take all text");
        }
        Writer::new(self.model, self.exprs, Form::Exact(&self.names, &self.sharing)).text(expr)
    }

    fn declarations(&mut self) {
        let model = self.model;
        self.line(&format!("model {};", name(&model.name)));
        if model.n_processes > 0 {
            self.line(&format!("processes {};", model.n_processes));
        }
        self.section(model.enums.len());
        for EnumType { name: enumeration, literals } in &model.enums {
            let literals: Vec<String> = literals.iter().map(|literal| name(literal)).collect();
            self.line(&format!("enum {} {{ {} }}", name(enumeration), literals.join(", ")));
        }
        self.section(model.vars.len());
        for var in &model.vars {
            let kept = match var.life {
                Life::State if var.control => "control ",
                Life::State => "",
                Life::Local => "local ",
            };
            self.line(&format!("{kept}var {} : {};", name(&var.name), self.domain(var.domain)));
        }
        self.section(model.families.len());
        for family in &model.families {
            let first = self.names.var(family.first);
            self.line(&format!("family {} from {first} len {};", name(&family.name), family.len));
        }
        self.flush();
    }

    /// Starts a section of so many lines with a blank one.
    fn section(&mut self, n_lines: usize) {
        if n_lines > 0 {
            self.item.push('\n');
        }
    }

    fn domain(&self, domain: Domain) -> String {
        match domain {
            Domain::Bool => "bool".to_owned(),
            Domain::Int => "int".to_owned(),
            Domain::Range { lo, hi } => format!("{lo}..{hi}"),
            Domain::Enum(id) => self.names.enumeration(id).to_owned(),
            Domain::Bits(_) | Domain::Array(_) => words::sort(&self.names, self.exprs, domain.sort()),
        }
    }

    fn conditions(&mut self, word: &str, conditions: &[Expr]) {
        if !conditions.is_empty() {
            self.out.push('\n');
        }
        for &condition in conditions {
            let text = self.expr(condition);
            self.line(&format!("{word} {text};"));
            self.flush();
        }
    }

    fn start(&mut self) {
        match &self.model.start {
            Statement::Skip => return,
            Statement::Sequence(list) => {
                self.out.push('\n');
                self.line("start {");
                self.block(list);
            }
            other => {
                self.out.push('\n');
                self.line("start");
                self.indented(other);
            }
        }
        self.flush();
    }

    fn command(&mut self, command: &Command) {
        self.out.push('\n');
        let label = name(&command.label);
        let idle = if command.is_idle { "idle " } else { "" };
        match (&command.body, &command.faults[..]) {
            (Statement::Sequence(list), []) => {
                self.line(&format!("{idle}command {label}: {{"));
                self.block(list);
            }
            (body, faults) => {
                self.line(&format!("{idle}command {label}:"));
                self.indent += 1;
                self.faults(faults);
                self.statement(body);
                self.indent -= 1;
            }
        }
        self.flush();
    }

    fn faults(&mut self, faults: &[Fault]) {
        for fault in faults {
            let when = self.expr(fault.when);
            self.line(&format!("fault {} when {when};", quoted(&fault.what)));
        }
    }

    /// The statements of a block whose opening brace was written already.
    fn block(&mut self, list: &[Statement]) {
        self.indent += 1;
        list.iter().for_each(|statement| self.statement(statement));
        self.indent -= 1;
        self.line("}");
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Skip => self.line("skip;"),
            Statement::Assume(condition) => {
                let condition = self.expr(*condition);
                self.line(&format!("assume {condition};"));
            }
            Statement::Assign(list) => {
                let parts: Vec<String> = list
                    .iter()
                    .map(|part| format!("{} := {}", self.destination(part.to), self.rhs(part.value)))
                    .collect();
                let text = if parts.is_empty() { "assign".to_owned() } else { parts.join(", ") };
                self.line(&format!("{text};"));
            }
            Statement::Sequence(list) => {
                self.line("{");
                self.block(list);
            }
            Statement::Choice(list) => {
                self.line("choice {");
                self.block(list);
            }
            Statement::If(condition, then, otherwise) => {
                let condition = self.expr(*condition);
                self.line(&format!("if {condition} then"));
                self.indented(then);
                self.line("else");
                self.indented(otherwise);
            }
            Statement::While(condition, body) => {
                let condition = self.expr(*condition);
                self.line(&format!("while {condition} do"));
                self.indented(body);
            }
            Statement::Scope(locals, body) => {
                let names: Vec<String> = locals.iter().map(|&local| self.var(local)).collect();
                self.line(&format!("scope {}{}do", names.join(", "), if names.is_empty() { "" } else { " " }));
                self.indented(body);
            }
        }
    }

    fn indented(&mut self, statement: &Statement) {
        self.indent += 1;
        self.statement(statement);
        self.indent -= 1;
    }

    fn destination(&mut self, to: Destination) -> String {
        match to {
            Destination::Var(id) => self.var(id),
            Destination::Cell(family, index) => {
                let index = self.expr(index);
                format!("{}({index})", self.names.family(family))
            }
        }
    }

    fn var(&self, id: VarId) -> String {
        self.names.var(id).to_owned()
    }

    fn rhs(&mut self, value: Rhs) -> String {
        match value {
            Rhs::Expr(expr) => self.expr(expr),
            Rhs::Any => "any".to_owned(),
        }
    }

    fn property(&mut self, property: &Property) {
        self.out.push('\n');
        self.line(&format!("property {}:", name(&property.name)));
        self.indent += 1;
        if !property.text.is_empty() {
            self.line(&format!("text {};", quoted(&property.text)));
        }
        self.faults(&property.faults);
        let word = property.kind.word();
        let kind = match &property.kind {
            PropertyKind::Invariant(expr) | PropertyKind::Reach(expr) => format!("{word} {}", self.expr(*expr)),
            PropertyKind::DeadlockFree | PropertyKind::NoErrors => word.to_owned(),
            PropertyKind::Ltl(formula) => format!("{word} {}", self.ltl(formula, 0)),
        };
        self.line(&format!("{kind};"));
        self.indent -= 1;
        self.flush();
    }

    /// Strengths: 0 for `<=>`, 1 for `=>` (right), 2 for `|`, 3 for `&`, 4 for U R W M (right), 5 for the rest.
    fn ltl(&mut self, formula: &Ltl, least: usize) -> String {
        let (strength, text) = match formula {
            Ltl::State(expr) => (5, format!("{{{}}}", self.expr(*expr))),
            Ltl::Not(a) => (5, format!("!{}", self.ltl(a, 5))),
            Ltl::Next(a) => (5, format!("X {}", self.ltl(a, 5))),
            Ltl::Finally(a) => (5, format!("F {}", self.ltl(a, 5))),
            Ltl::Globally(a) => (5, format!("G {}", self.ltl(a, 5))),
            Ltl::Iff(a, b) => (0, format!("{} <=> {}", self.ltl(a, 0), self.ltl(b, 1))),
            Ltl::Implies(a, b) => (1, format!("{} => {}", self.ltl(a, 2), self.ltl(b, 1))),
            Ltl::Or(a, b) => (2, format!("{} | {}", self.ltl(a, 2), self.ltl(b, 3))),
            Ltl::And(a, b) => (3, format!("{} & {}", self.ltl(a, 3), self.ltl(b, 4))),
            Ltl::Until(a, b) => (4, format!("{} U {}", self.ltl(a, 5), self.ltl(b, 4))),
            Ltl::Release(a, b) => (4, format!("{} R {}", self.ltl(a, 5), self.ltl(b, 4))),
            Ltl::WeakUntil(a, b) => (4, format!("{} W {}", self.ltl(a, 5), self.ltl(b, 4))),
            Ltl::StrongRelease(a, b) => (4, format!("{} M {}", self.ltl(a, 5), self.ltl(b, 4))),
        };
        if strength < least { format!("({text})") } else { text }
    }
}

#[cfg(test)]
mod tests;

//! Prints a model as `.gcl` text, differently for each seed.
//!
//! The seed decides on the order of declarations, on parentheses that are not needed, on white
//! space and comments, on names for types, and on joint declarations of like variables; none of
//! these has a meaning.

use crate::ast::{
    Claim, Command, Enumeration, Expr, Initial, Model, Process, ProcessId, Property, Role, Source, Type, Variable,
};
use crate::dice::Dice;
use crate::print_expr::{ExprPrinter, push};
use crate::{layout, spacing};

impl Model {
    /// The model as `.gcl` text; equal seeds give equal texts.
    pub fn to_gcl(&self, seed: u64) -> String {
        let mut dice = Dice::new(seed ^ 0x0067_636c);
        let tokens = tokens(self, &mut dice);
        spacing::join(&tokens, &mut dice)
    }
}

/// The tokens of the whole text.
pub(crate) fn tokens(model: &Model, dice: &mut Dice) -> Vec<String> {
    let generosity = [0, 5, 25][dice.below(3)];
    let exprs = ExprPrinter { model, own: None, dice: Dice::new(dice.roll()), generosity };
    let mut printer = Printer { model, exprs, items: Vec::new() };
    printer.model();
    let mut items = printer.items;
    if dice.percent(70) {
        dice.shuffle(&mut items);
    }
    items.concat()
}

struct Printer<'a> {
    model: &'a Model,
    exprs: ExprPrinter<'a>,
    /// The declarations at the top level.
    items: Vec<Vec<String>>,
}

impl<'a> Printer<'a> {
    fn model(&mut self) {
        for constant in &self.model.constants {
            self.equation("const", &constant.name, &constant.value);
        }
        for define in &self.model.defines {
            self.equation("define", &define.name, &define.value);
        }
        for enumeration in &self.model.enums {
            if let Some(name) = &enumeration.name {
                let mut item = Vec::new();
                push(&mut item, &["type", name, "="]);
                literals(&mut item, &enumeration.literals);
                push(&mut item, &[";"]);
                self.items.push(item);
            }
        }
        let variables = self.variables(&self.model.variables);
        self.items.extend(variables);
        for at in 0..self.model.processes.len() {
            self.process(ProcessId(at));
        }
        for command in &self.model.commands {
            let item = self.command(command);
            self.items.push(item);
        }
        for condition in &self.model.inits {
            let mut item = vec!["init".to_owned()];
            self.exprs.whole(&mut item, condition);
            push(&mut item, &[";"]);
            self.items.push(item);
        }
        for property in &self.model.properties {
            self.property(property);
        }
    }

    fn equation(&mut self, keyword: &str, name: &str, value: &Expr) {
        let mut item = Vec::new();
        push(&mut item, &[keyword, name, "="]);
        self.exprs.whole(&mut item, value);
        push(&mut item, &[";"]);
        self.items.push(item);
    }

    fn property(&mut self, property: &Property) {
        let (keyword, expr) = match &property.claim {
            Claim::Invariant(expr) => ("invariant", Some(expr)),
            Claim::Reach(expr) => ("reach", Some(expr)),
            Claim::DeadlockFree => ("deadlock_free", None),
        };
        let mut item = Vec::new();
        push(&mut item, &[keyword, &property.name]);
        if let Some(expr) = expr {
            push(&mut item, &[":"]);
            self.exprs.whole(&mut item, expr);
        }
        push(&mut item, &[";"]);
        self.items.push(item);
    }

    fn process(&mut self, id: ProcessId) {
        let process: &'a Process = &self.model.processes[id.0];
        let mut item = Vec::new();
        push(&mut item, &["process", &process.name, "("]);
        if let Some(param) = &process.param {
            self.exprs.binder(&mut item, param, ":");
        }
        push(&mut item, &[")", "{"]);
        self.exprs.own = Some(id);
        let mut inner = self.variables(&process.variables);
        inner.extend(process.commands.iter().map(|command| self.command(command)));
        self.exprs.own = None;
        if self.exprs.dice.percent(50) {
            self.exprs.dice.shuffle(&mut inner);
        }
        item.extend(inner.concat());
        push(&mut item, &["}"]);
        self.items.push(item);
    }

    fn command(&mut self, command: &Command) -> Vec<String> {
        let mut item = vec![command.label.clone()];
        if let Some(index) = &command.index {
            push(&mut item, &["["]);
            self.exprs.binder(&mut item, index, "in");
            push(&mut item, &["]"]);
        }
        push(&mut item, &[":"]);
        self.exprs.whole(&mut item, &command.guard);
        push(&mut item, &["->"]);
        if command.updates.is_empty() {
            push(&mut item, &["skip"]);
        }
        for (at, update) in command.updates.iter().enumerate() {
            if at > 0 {
                push(&mut item, &[","]);
            }
            self.exprs.place(&mut item, &update.target);
            push(&mut item, &[":="]);
            match &update.source {
                Source::Input => push(&mut item, &["input"]),
                Source::Expr(expr) => self.exprs.whole(&mut item, expr),
            }
        }
        push(&mut item, &[";"]);
        item
    }

    /// The declarations of variables; neighbours that differ in name only may share one.
    fn variables(&mut self, variables: &[Variable]) -> Vec<Vec<String>> {
        let mut items = Vec::new();
        let mut rest = variables;
        while let Some((variable, after)) = rest.split_first() {
            let like = |other: &Variable| Variable { name: variable.name.clone(), ..other.clone() } == *variable;
            let n_like = after.iter().take_while(|other| like(other)).count();
            let n_joint = self.exprs.dice.below(n_like + 1);
            let names: Vec<&str> = rest[..=n_joint].iter().map(|variable| variable.name.as_str()).collect();
            items.push(self.declaration(variable, &names));
            rest = &after[n_joint..];
        }
        items
    }

    fn declaration(&mut self, variable: &Variable, names: &[&str]) -> Vec<String> {
        let mut item = Vec::new();
        if variable.role == Role::Control {
            push(&mut item, &["control"]);
        }
        push(&mut item, &["var", names[0]]);
        for name in &names[1..] {
            push(&mut item, &[",", name]);
        }
        push(&mut item, &[":"]);
        self.ty(&mut item, variable, names[0]);
        for dim in &variable.dims {
            push(&mut item, &["["]);
            self.exprs.whole(&mut item, dim);
            push(&mut item, &["]"]);
        }
        self.initial(&mut item, variable);
        push(&mut item, &[";"]);
        item
    }

    fn ty(&mut self, item: &mut Vec<String>, variable: &Variable, name: &str) {
        let mut written = Vec::new();
        match &variable.ty {
            Type::Bool => push(&mut written, &["bool"]),
            Type::Int => push(&mut written, &["int"]),
            Type::Range(lo, hi) => {
                self.exprs.bound(&mut written, lo);
                push(&mut written, &[".."]);
                self.exprs.bound(&mut written, hi);
            }
            Type::Enum(id) => {
                let Enumeration { name, literals: all } = &self.model.enums[id.0];
                match name {
                    Some(name) => push(&mut written, &[name]),
                    None => literals(&mut written, all),
                }
            }
        }
        // In `0..N[2]` the brackets could be an index of the bound, so such a type gets a name.
        let last = written.last().expect("a type has tokens");
        let is_clear = !matches!(variable.ty, Type::Range(..)) || last.parse::<u64>().is_ok();
        let needs_name = !variable.dims.is_empty() && !is_clear;
        if !needs_name && !self.exprs.dice.percent(15) {
            item.append(&mut written);
            return;
        }
        let owner = self.exprs.own.map_or("Of", |id| &self.model.processes[id.0].name);
        let alias = format!("T{owner}_{name}");
        let mut declaration = Vec::new();
        push(&mut declaration, &["type", &alias, "="]);
        declaration.append(&mut written);
        push(&mut declaration, &[";"]);
        self.items.push(declaration);
        item.push(alias);
    }

    fn initial(&mut self, item: &mut Vec<String>, variable: &Variable) {
        match &variable.initial {
            Initial::Any => {}
            Initial::Each(value) => {
                push(item, &["="]);
                self.exprs.whole(item, value);
            }
            Initial::List(values) if variable.dims.len() < 2 => {
                push(item, &["="]);
                self.list(item, values);
            }
            Initial::List(values) => {
                let n_columns = self.columns(variable);
                push(item, &["=", "["]);
                for (at, row) in values.chunks(n_columns).enumerate() {
                    if at > 0 {
                        push(item, &[","]);
                    }
                    self.list(item, row);
                }
                push(item, &["]"]);
            }
        }
    }

    fn list(&mut self, item: &mut Vec<String>, values: &[Expr]) {
        push(item, &["["]);
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                push(item, &[","]);
            }
            self.exprs.whole(item, value);
        }
        push(item, &["]"]);
    }

    fn columns(&self, variable: &Variable) -> usize {
        let columns = layout::constant(self.model, &variable.dims[1], &[]);
        usize::try_from(columns).expect("an array size is a small number")
    }
}

fn literals(item: &mut Vec<String>, literals: &[String]) {
    push(item, &["{"]);
    for (at, literal) in literals.iter().enumerate() {
        if at > 0 {
            push(item, &[","]);
        }
        push(item, &[literal]);
    }
    push(item, &["}"]);
}

//! Initial values, commands and properties; and the whole program put together.

use lapidary_base::hash::Map;
use lapidary_base::{Id, IdVec};
use lapidary_ir::{Domain, EnumType};
use lapidary_text::{Diagnostic, Span, quotation};

use super::super::ast::{self, Item};
use super::super::codes;
use super::super::typed::{
    Command, Expr, Initial, Process, ProcessId, Program, Property, Ty, Unit, Update, Variable, VariableId,
};
use super::{Addition, Additions, Checker, Scope, Shape};

/// The property that every model has.
pub const NO_ERRORS: &str = "no_errors";

impl<'a> Checker<'a, '_> {
    pub(super) fn program(mut self, additions: &'a Additions<'a>) -> Program<'a> {
        let variables = self.variables.ids().map(|id| self.checked_variable(id)).collect();
        let (mut units, mut inits, mut properties) = (Vec::new(), Vec::new(), Vec::new());
        let mut processes: IdVec<ProcessId, Process<'a>> = IdVec::new();
        let file = self.file;
        for item in &file.items {
            match item {
                Item::Init(condition) => inits.push(self.state(condition, Some(Ty::Bool))),
                Item::Command(command) => units.push(Unit::Command(Box::new(self.command(command)))),
                Item::Process(_) => {
                    let process = self.process(ProcessId::new(processes.len()));
                    units.push(Unit::Process(processes.push(process)));
                }
                Item::Property(property) => properties.push(self.property(property)),
                Item::Const(_) | Item::Type(_) | Item::Define(_) | Item::Var(_) => {}
            }
        }
        self.property_names();
        let formulas = additions.formulas.iter().map(|addition| self.addition(addition)).collect();
        self.unused_variables();
        let enums = file.enums.iter().map(enum_type).collect();
        Program { enums, variables, processes, defines: self.bodies, units, inits, properties, formulas }
    }

    fn checked_variable(&mut self, id: VariableId) -> Variable<'a> {
        let entry = &self.variables[id];
        let (name, item, process) = (entry.name, entry.item, entry.process);
        // A type that was reported leaves some type behind, so that the rest can be checked.
        let shape = self.variable_shape(id);
        let ty = shape.as_ref().map_or(Ty::Error, |shape| shape.domain.sort().into());
        let scope = process.map_or_else(Scope::default, |process| self.inside(process));
        let scope = Scope { constant_for: Some("an initial value"), ..scope };
        let initial = match &item.initial {
            None => Initial::Any,
            Some(initial) => self.within(scope, |checker| checker.initial(initial, ty, shape.as_ref())),
        };
        let Shape { domain, sizes } = shape.unwrap_or(Shape { domain: Domain::Bool, sizes: Vec::new() });
        Variable { name, process, domain, sizes, control: item.control, initial }
    }

    fn initial(&mut self, initial: &'a ast::Initial<'a>, ty: Ty, shape: Option<&Shape>) -> Initial {
        let wanted = (ty != Ty::Error).then_some(ty);
        if let ast::Initial::Value(value) = initial {
            return Initial::Each(self.state(value, wanted));
        }
        let mut cells = Vec::new();
        self.initial_list(initial, shape.map(|shape| &shape.sizes[..]), wanted, &mut cells);
        Initial::List(cells)
    }

    /// The values of a nested list, row by row. Without sizes the shape cannot be wrong.
    fn initial_list(
        &mut self,
        initial: &'a ast::Initial<'a>,
        sizes: Option<&[u32]>,
        wanted: Option<Ty>,
        cells: &mut Vec<Expr>,
    ) {
        match (initial, sizes) {
            (ast::Initial::Value(value), None | Some([])) => cells.push(self.state(value, wanted)),
            (ast::Initial::Value(value), Some([size, ..])) => {
                let message = format!("a list of {size} values is needed here");
                self.error(
                    codes::LIST_SHAPE,
                    message,
                    (value.span, "a single value"),
                    "one level of brackets more is needed: `[[0, 1], [2, 3]]`",
                );
            }
            (ast::Initial::List(_, span), Some([])) => {
                self.error(
                    codes::LIST_SHAPE,
                    "a single value is needed here",
                    (*span, "a list"),
                    "lists are for arrays, with one entry per cell",
                );
            }
            (ast::Initial::List(list, span), Some([size, _rest @ ..])) if list.len() != *size as usize => {
                let message = format!("a list of {} values for {size} cells", list.len());
                let diagnostic = Diagnostic::error(codes::LIST_SHAPE, message, *span, format!("{size} are needed"));
                self.log.push(diagnostic.with_help("a value without brackets stands for every cell"));
            }
            (ast::Initial::List(list, _), sizes) => {
                for entry in list {
                    self.initial_list(entry, sizes.map(|sizes| &sizes[1..]), wanted, cells);
                }
            }
        }
    }

    fn process(&mut self, id: ProcessId) -> Process<'a> {
        let item = self.processes[id].item;
        let params = item.params.iter().filter_map(|param| self.parameter(param)).collect();
        let scope = self.inside(id);
        self.within(scope, |checker| {
            let (mut inits, mut commands) = (Vec::new(), Vec::new());
            for inner in &item.items {
                match inner {
                    Item::Init(condition) => inits.push(checker.state(condition, Some(Ty::Bool))),
                    Item::Command(command) => commands.push(checker.command(command)),
                    Item::Const(_) | Item::Type(_) | Item::Define(_) | Item::Var(_) => {}
                    Item::Process(_) | Item::Property(_) => {}
                }
            }
            Process { name: item.name, params, inits, commands }
        })
    }

    fn command(&mut self, command: &'a ast::Command<'a>) -> Command<'a> {
        let range = command.binder.as_ref().map(|binder| self.range(&binder.range));
        let body = |checker: &mut Self| {
            let guard = checker.state(&command.guard, Some(Ty::Bool));
            let updates = command.updates.iter().filter_map(|update| checker.update(update)).collect();
            checker.double_writes(&command.updates);
            (guard, updates)
        };
        let (guard, updates) = match &command.binder {
            Some(binder) => self.binding(binder.name.text, body),
            None => body(self),
        };
        Command { label: command.label, range, guard, updates, span: command.span }
    }

    fn update(&mut self, update: &'a ast::Update<'a>) -> Option<Update> {
        let to = self.destination(&update.to);
        let wanted = to.as_ref().map(|&(_, ty)| ty).filter(|&ty| ty != Ty::Error);
        let value = update.value.as_ref().map(|value| self.state(value, wanted));
        let (to, _) = to?;
        Some(Update { to, value, span: update.span })
    }

    /// Two updates of literally the same place always err: a fault wherever the command is enabled, and a sure sign
    /// of a mistake already here.
    fn double_writes(&mut self, updates: &'a [ast::Update<'a>]) {
        let mut written: Map<String, Span> = Map::default();
        for update in updates {
            let place = update.to.span;
            let text = quotation::on_one_line(self.sources, place).replace(' ', "");
            let message = format!("`{text}` is written twice by one command, so it can never be taken");
            let Some(first) = written.insert(text, place) else { continue };
            let diagnostic = Diagnostic::warning(codes::WRITTEN_TWICE, message, place, "written again")
                .with_label(first, "written here")
                .with_help("all updates of a command happen at once; use two commands, or one expression");
            self.log.push(diagnostic);
        }
    }

    fn property(&mut self, property: &'a ast::Property<'a>) -> Property<'a> {
        let formula = property.formula.as_ref().map(|formula| self.formula(property.kind, formula));
        Property { name: property.name.text, kind: property.kind, formula, span: property.span }
    }

    fn addition(&mut self, addition: &'a Addition<'a>) -> Property<'a> {
        let formula = addition.formula.as_ref().map(|formula| self.formula(addition.kind, formula));
        let span = addition.formula.as_ref().map_or(addition.span, |formula| formula.span);
        Property { name: addition.name, kind: addition.kind, formula, span }
    }

    fn formula(&mut self, kind: ast::PropertyKind, formula: &'a ast::Expr<'a>) -> Expr {
        match kind {
            ast::PropertyKind::Ltl => self.fitting(formula, Some(Ty::Bool)),
            ast::PropertyKind::Invariant | ast::PropertyKind::Reach | ast::PropertyKind::DeadlockFree => {
                self.state(formula, Some(Ty::Bool))
            }
        }
    }

    fn property_names(&mut self) {
        let mut seen: Map<&str, Span> = Map::default();
        let file = self.file;
        for item in &file.items {
            let Item::Property(property) = item else { continue };
            let name = property.name;
            if name.text == NO_ERRORS {
                let message = format!("`{NO_ERRORS}` is a property that every model has");
                let diagnostic = Diagnostic::error(codes::RESERVED_PROPERTY, message, name.span, "choose another name");
                self.log.push(diagnostic.with_help("it says that no reachable step goes wrong"));
            }
            if let Some(first) = seen.insert(name.text, name.span) {
                let message = format!("two properties are called `{}`", name.text);
                let diagnostic = Diagnostic::error(codes::DUPLICATE_PROPERTY, message, name.span, "the second one")
                    .with_label(first, "the first one");
                self.log.push(diagnostic.with_help("rename one of them"));
            }
        }
    }

    fn unused_variables(&mut self) {
        if self.log.has_errors() {
            return;
        }
        for entry in &self.variables {
            if entry.is_used || entry.name.text.starts_with('_') {
                continue;
            }
            let message = format!("nothing uses the variable `{}`", entry.name.text);
            let diagnostic =
                Diagnostic::warning(codes::UNUSED_VARIABLE, message, entry.name.span, "declared here only");
            self.log.push(diagnostic.with_help("remove it, or let its name start with `_`"));
        }
    }
}

fn enum_type(enumeration: &ast::Enumeration<'_>) -> EnumType {
    let literals = enumeration.literals.iter().map(|literal| literal.text.to_owned()).collect();
    EnumType { name: enumeration.name.unwrap_or_default().to_owned(), literals }
}

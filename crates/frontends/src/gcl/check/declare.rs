//! Enters all declared names, so that they can be used before and after.

use lapidary_base::hash::Map;
use lapidary_ir::EnumId;
use lapidary_text::{Diagnostic, Span, spelling};

use super::super::ast::{self, Item, Name};
use super::super::codes;
use super::super::typed::{DefineId, ProcessId, Progress, VariableId};
use super::{Additions, Checker, ConstEntry, DefineEntry, Global, Local, ProcessEntry, TypeEntry, VariableEntry};

impl<'a> Checker<'a, '_> {
    pub(super) fn declare(&mut self) {
        let file = self.file;
        for item in &file.items {
            match item {
                Item::Const(item) => {
                    let (name, declared) = (item.name, &item.value);
                    let id = self.consts.push(ConstEntry { name, declared, given: None, value: Progress::Untouched });
                    self.enter(name, Global::Const(id));
                }
                Item::Type(item) => {
                    let id = self.types.push(TypeEntry { item, shape: Progress::Untouched });
                    self.enter(item.name, Global::Type(id));
                }
                Item::Define(item) => {
                    let id = self.define(item, None);
                    self.enter(item.name, Global::Define(id));
                }
                Item::Var(item) => {
                    for &name in &item.names {
                        let id = self.variable(name, item, None);
                        self.enter(name, Global::Variable(id));
                    }
                }
                Item::Process(item) => {
                    let id = self.processes.push(ProcessEntry { item, names: Map::default() });
                    self.enter(item.name, Global::Process(id));
                    self.declare_inside(id, item);
                }
                Item::Init(_) | Item::Command(_) | Item::Property(_) => {}
            }
        }
        for (id, enumeration) in file.enums.enumerated() {
            self.declare_literals(id, enumeration);
        }
    }

    fn define(&mut self, item: &'a ast::Define<'a>, process: Option<ProcessId>) -> DefineId {
        self.bodies.push(Progress::Untouched);
        self.defines.push(DefineEntry { item, process })
    }

    fn variable(&mut self, name: Name<'a>, item: &'a ast::VarItem<'a>, process: Option<ProcessId>) -> VariableId {
        self.variables.push(VariableEntry { name, item, process, shape: Progress::Untouched, is_used: false })
    }

    fn declare_inside(&mut self, process: ProcessId, item: &'a ast::Process<'a>) {
        for param in &item.params {
            self.enter_local(process, param.name, Local::Param);
        }
        for inner in &item.items {
            match inner {
                Item::Define(define) => {
                    let id = self.define(define, Some(process));
                    self.enter_local(process, define.name, Local::Define(id));
                }
                Item::Var(var) => {
                    for &name in &var.names {
                        let id = self.variable(name, var, Some(process));
                        self.enter_local(process, name, Local::Variable(id));
                    }
                }
                Item::Const(_) | Item::Type(_) | Item::Process(_) | Item::Property(_) => {}
                Item::Init(_) | Item::Command(_) => {}
            }
        }
    }

    fn enter(&mut self, name: Name<'a>, meaning: Global) {
        match self.globals.get(name.text) {
            Some(&(_, first)) => self.duplicate(name, first),
            None => {
                self.globals.insert(name.text, (meaning, name.span));
            }
        }
    }

    fn enter_local(&mut self, process: ProcessId, name: Name<'a>, meaning: Local) {
        match self.processes[process].names.get(name.text) {
            Some(&(_, first)) => self.duplicate(name, first),
            None => {
                self.processes[process].names.insert(name.text, (meaning, name.span));
            }
        }
    }

    fn duplicate(&mut self, name: Name<'a>, first: Span) {
        self.duplicates.insert(name.text);
        let message = format!("`{}` is declared twice", name.text);
        let diagnostic = Diagnostic::error(codes::DUPLICATE, message, name.span, "declared again")
            .with_label(first, "first declared here");
        self.log.push(diagnostic.with_help("rename one of them"));
    }

    /// Literals of several enumerations may agree with each other, but not with other names.
    fn declare_literals(&mut self, id: EnumId, enumeration: &'a ast::Enumeration<'a>) {
        let mut own: Map<&str, Span> = Map::default();
        for (number, literal) in enumeration.literals.iter().enumerate() {
            if let Some(first) = own.insert(literal.text, literal.span) {
                let message = format!("the literal `{}` stands twice in one enumeration", literal.text);
                let diagnostic = Diagnostic::error(codes::DUPLICATE_LITERAL, message, literal.span, "again")
                    .with_label(first, "here first");
                self.log.push(diagnostic.with_help("leave one of them out, or rename it"));
                continue;
            }
            if let Some(&(_, first)) = self.globals.get(literal.text) {
                self.duplicate(*literal, first);
            }
            let number = u32::try_from(number).expect("texts are shorter than 4 GiB");
            self.literals.entry(literal.text).or_default().push((id, number));
        }
    }

    pub(super) fn override_constants(&mut self, additions: &'a Additions<'a>) {
        for (name, value, place) in &additions.defines {
            match self.globals.get(name) {
                Some(&(Global::Const(id), _)) => self.consts[id].given = Some(value),
                _ if self.is_broken => {}
                _ => self.unknown_constant(name, *place),
            }
        }
    }

    fn unknown_constant(&mut self, name: &str, place: Span) {
        let names: Vec<&str> = self.consts.iter().map(|entry| entry.name.text).collect();
        let message = format!("the model has no constant `{name}`");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_CONSTANT, message, place, "nothing takes this value");
        let help = match spelling::similar(name, names.iter().copied()) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None if names.is_empty() => "it declares none; write `const N = 2;` to make one".to_owned(),
            None => format!("its constants are {}", list(&names)),
        };
        self.log.push(diagnostic.with_help(help));
    }

    /// Constants, types, definitions and variables: after this, each is known or was reported.
    pub(super) fn work_out_declarations(&mut self) {
        for id in self.consts.ids() {
            self.constant(id);
        }
        for id in self.types.ids() {
            self.named_shape(id);
        }
        for id in self.variables.ids() {
            self.variable_shape(id);
        }
        for id in self.defines.ids() {
            self.definition(id);
        }
    }
}

/// Names in a help line, not too many of them.
pub(super) fn list(names: &[&str]) -> String {
    const SHOWN: usize = 10;
    let quoted: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    format!("{}{more}", quoted.join(", "))
}

/// An enumeration by its name, or by its first literals where it has none.
pub(super) fn describe_enum(enumeration: &ast::Enumeration<'_>) -> String {
    if let Some(name) = enumeration.name {
        return format!("`{name}`");
    }
    let names: Vec<&str> = enumeration.literals.iter().take(4).map(|literal| literal.text).collect();
    let more = if enumeration.literals.len() > names.len() { ", ..." } else { "" };
    format!("`{{ {}{more} }}`", names.join(", "))
}

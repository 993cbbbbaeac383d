//! What a name means where it stands, and what was perhaps meant by a name that means nothing.

use lapidary_ir::EnumId;
use lapidary_text::{Diagnostic, Span, spelling};

use super::super::ast::{Expr as Expression, Name};
use super::super::codes;
use super::super::typed::{Constant, DefineId, Expr, Kind, ProcessId, Progress, Slot, Ty, VariableId};
use super::{Checker, ConstId, Global, Local, Scope, TypeId};

/// A name where it stands. Literals may belong to several enumerations.
#[derive(Clone, Copy)]
pub(super) enum Symbol {
    Bound(Slot),
    Const(ConstId),
    Type(TypeId),
    Define(DefineId),
    Variable(VariableId),
    Process(ProcessId),
    Literal,
}

impl<'a> Checker<'a, '_> {
    /// The innermost meaning of a name.
    pub(super) fn lookup(&self, name: &str) -> Option<Symbol> {
        if let Some(position) = self.scope.bound.iter().rposition(|&bound| bound == name) {
            return Some(Symbol::Bound(Self::slot(position)));
        }
        let local = self.scope.process.and_then(|process| self.processes[process].names.get(name));
        match local {
            Some((Local::Define(id), _)) => return Some(Symbol::Define(*id)),
            Some((Local::Variable(id), _)) => return Some(Symbol::Variable(*id)),
            // Parameters are bound, except where a type may not use them.
            Some((Local::Param, _)) | None => {}
        }
        match self.globals.get(name) {
            Some((Global::Const(id), _)) => Some(Symbol::Const(*id)),
            Some((Global::Type(id), _)) => Some(Symbol::Type(*id)),
            Some((Global::Define(id), _)) => Some(Symbol::Define(*id)),
            Some((Global::Variable(id), _)) => Some(Symbol::Variable(*id)),
            Some((Global::Process(id), _)) => Some(Symbol::Process(*id)),
            None => self.literals.contains_key(name).then_some(Symbol::Literal),
        }
    }

    /// The value of a constant, worked out when it is first asked for.
    pub(super) fn constant(&mut self, id: ConstId) -> Option<Constant> {
        match self.consts[id].value {
            Progress::Done(value) => return value,
            Progress::Running => {
                self.cycle(self.consts[id].name);
                return None;
            }
            Progress::Untouched => self.consts[id].value = Progress::Running,
        }
        self.running.push(self.consts[id].name);
        let entry = &self.consts[id];
        let (declared, given) = (entry.declared, entry.given);
        let scope = Scope { constant_for: Some("a constant"), ..Scope::default() };
        let value = self.within(scope, |checker| {
            let Some(given) = given else { return checker.constant_value(declared) };
            checker.given_value(declared, given)
        });
        self.running.pop();
        self.consts[id].value = Progress::Done(value);
        value
    }

    fn constant_value(&mut self, expr: &'a Expression<'a>) -> Option<Constant> {
        let expr = self.state(expr, None);
        self.evaluate(&expr)
    }

    /// The value that the command line gives. That of the text is not needed, but its type says what makes sense.
    fn given_value(&mut self, declared: &'a Expression<'a>, given: &'a Expression<'a>) -> Option<Constant> {
        let usual = self.expr(declared, None);
        let expr = self.state(given, None);
        if usual.ty != Ty::Error && expr.ty != Ty::Error && usual.ty != expr.ty {
            let [usual, found] = [usual.ty, expr.ty].map(|ty| self.type_name(ty));
            let message = format!("the constant needs a value of type {usual}");
            let diagnostic = Diagnostic::error(codes::TYPE_MISMATCH, message, given.span, format!("this is {found}"));
            let diagnostic = diagnostic.with_label(declared.span, format!("this is {usual}"));
            self.log.push(diagnostic.with_help("give a value of the same type as in the model"));
            return None;
        }
        self.evaluate(&expr)
    }

    /// The type of a definition, whose body is checked when it is first asked for.
    pub(super) fn definition(&mut self, id: DefineId) -> Definition {
        match &self.bodies[id] {
            Progress::Done(body) => return Definition { ty: body.ty, reads: body.reads },
            Progress::Running => {
                self.cycle(self.defines[id].item.name);
                return Definition { ty: Ty::Error, reads: false };
            }
            Progress::Untouched => self.bodies[id] = Progress::Running,
        }
        let (item, process) = (self.defines[id].item, self.defines[id].process);
        self.running.push(item.name);
        let scope = process.map_or_else(Scope::default, |process| self.inside(process));
        let body = self.within(scope, |checker| checker.state(&item.value, None));
        self.running.pop();
        let answer = Definition { ty: body.ty, reads: body.reads };
        self.bodies[id] = Progress::Done(body);
        answer
    }

    /// The enumeration among several that share a literal: the one that is wanted, or the only one.
    pub(super) fn literal(&mut self, name: Name<'a>, wanted: Option<Ty>) -> Expr {
        let candidates = self.literals.get(name.text).map_or(&[][..], |candidates| candidates);
        let decided = match (candidates, wanted) {
            (&[only], _) => Some(only),
            // Literals are entered in the order of the enumerations.
            (_, Some(Ty::Enum(wanted))) => {
                candidates.binary_search_by_key(&wanted, |&(id, _)| id).ok().map(|i| candidates[i])
            }
            _ => None,
        };
        if let Some((id, number)) = decided {
            return Expr::new(Kind::Constant(Constant::Literal(id, number)), Ty::Enum(id), name.span);
        }
        let types: Vec<String> = candidates.iter().take(4).map(|&(id, _)| self.enum_name(id)).collect();
        let message = format!("`{}` is a literal of several enumerations", name.text);
        let label = format!("nothing here decides between {}", types.join(" and "));
        let diagnostic = Diagnostic::error(codes::AMBIGUOUS_LITERAL, message, name.span, label);
        self.log.push(diagnostic.with_help("compare it with a variable, or rename one of the literals"));
        Expr::error(name.span)
    }

    pub(super) fn enum_name(&self, id: EnumId) -> String {
        super::declare::describe_enum(&self.file.enums[id])
    }

    pub(super) fn type_name(&self, ty: Ty) -> String {
        match ty {
            Ty::Error => "an error".to_owned(),
            Ty::Bool => "bool".to_owned(),
            Ty::Int => "int".to_owned(),
            Ty::Enum(id) => self.enum_name(id),
        }
    }

    /// Reports a name that is not declared, once per name.
    pub(super) fn unknown_name(&mut self, name: Name<'a>) {
        if self.is_broken || !self.unknown.insert(name.text) {
            return;
        }
        let message = format!("`{}` is not declared", name.text);
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message, name.span, "unknown name");
        if self.suggestions.take()
            && let Some(help) = self.help_with(name.text)
        {
            diagnostic = diagnostic.with_help(help);
        }
        self.log.push(diagnostic);
    }

    fn help_with(&self, name: &str) -> Option<String> {
        match name {
            "and" => return Some("write `&`".to_owned()),
            "or" => return Some("write `|`".to_owned()),
            "not" => return Some("write `!`".to_owned()),
            "G" | "F" | "X" | "U" | "R" | "W" | "M" => {
                return Some("temporal operators belong in properties `ltl NAME: ...;`".to_owned());
            }
            _ => {}
        }
        if self.processes.iter().any(|process| matches!(process.names.get(name), Some((Local::Param, _)))) {
            return Some(format!("`{name}` is a parameter: it has no value outside its process, nor in types"));
        }
        if let Some(owner) = self.owner_of(name) {
            return Some(format!("it is a variable of a process: write `{owner}.{name}`"));
        }
        if let Some(similar) = spelling::similar(name, self.visible_names()) {
            return Some(format!("did you mean `{similar}`?"));
        }
        let similar = spelling::similar(name, self.process_variables())?;
        Some(format!("did you mean `{}.{similar}`?", self.owner_of(similar)?))
    }

    /// The names of the variables of all processes, in a fixed order.
    fn process_variables(&self) -> Vec<&'a str> {
        let own = self.variables.iter().filter(|entry| entry.process.is_some());
        let mut names: Vec<&'a str> = own.map(|entry| entry.name.text).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// A process that declares a variable of this name, written as its instances are.
    fn owner_of(&self, name: &str) -> Option<String> {
        self.processes.iter().find_map(|process| match process.names.get(name) {
            Some((Local::Variable(_), _)) => {
                let indexes: String =
                    process.item.params.iter().map(|param| format!("[{}]", param.name.text)).collect();
                Some(format!("{}{indexes}", process.item.name.text))
            }
            Some((Local::Param | Local::Define(_), _)) | None => None,
        })
    }

    /// All names that could stand here, in a fixed order.
    fn visible_names(&self) -> Vec<&'a str> {
        let mut names: Vec<&'a str> = self.globals.keys().chain(self.literals.keys()).copied().collect();
        if let Some(process) = self.scope.process {
            names.extend(self.processes[process].names.keys().copied());
        }
        names.extend(self.scope.bound.iter().copied());
        names.sort_unstable();
        names
    }

    /// A name of another kind than the one that is needed.
    pub(super) fn wrong_kind(&mut self, name: Name<'a>, is: &str, help: &str) {
        let message = format!("`{}` is {is}", name.text);
        let diagnostic = Diagnostic::error(codes::WRONG_KIND, message, name.span, "something else is needed here");
        self.log.push(diagnostic.with_help(help));
    }

    /// Reports a variable where a constant is needed.
    pub(super) fn not_constant(&mut self, name: &str, span: Span, what: &str) {
        let message = format!("{what} cannot depend on `{name}`, which changes");
        let diagnostic = Diagnostic::error(codes::NOT_CONSTANT, message, span, "not constant");
        self.log.push(diagnostic.with_help("use numbers, constants, parameters and bound names"));
    }
}

/// What is known of a definition where it is used.
#[derive(Clone, Copy)]
pub(super) struct Definition {
    pub(super) ty: Ty,
    pub(super) reads: bool,
}

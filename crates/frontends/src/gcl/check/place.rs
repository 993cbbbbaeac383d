//! Places: variables and their cells, and the other things that a name may stand for in an expression.

use lapidary_text::{Diagnostic, Span, quotation, spelling};

use super::super::ast::{self, Member, Name};
use super::super::codes;
use super::super::typed::{Constant, Expr, Instance, Kind, Place, ProcessId, Ty, VariableId};
use super::names::Symbol;
use super::{Checker, Local};

impl<'a> Checker<'a, '_> {
    /// A place that is read.
    pub(super) fn read(&mut self, place: &'a ast::Place<'a>, wanted: Option<Ty>) -> Expr {
        if self.duplicates.contains(place.name.text) {
            return Expr::error(place.span);
        }
        let Some(symbol) = self.lookup(place.name.text) else {
            self.unknown_name(place.name);
            return Expr::error(place.span);
        };
        if matches!(symbol, Symbol::Variable(_) | Symbol::Process(_)) || place.member.is_some() {
            return match self.resolve(place, symbol) {
                Some((place, ty)) => {
                    let span = place.span;
                    Expr::new(Kind::Read(place), ty, span)
                }
                None => Expr::error(place.span),
            };
        }
        if let Some(index) = place.indexes.first() {
            self.not_an_array(place.name, index.span);
            return Expr::error(place.span);
        }
        self.name(place.name, symbol, wanted)
    }

    /// A name that stands for a value without being a variable.
    fn name(&mut self, name: Name<'a>, symbol: Symbol, wanted: Option<Ty>) -> Expr {
        match symbol {
            Symbol::Bound(slot) => Expr::new(Kind::Bound(slot), Ty::Int, name.span),
            Symbol::Const(id) => match self.constant(id) {
                Some(value) => Expr::new(Kind::Constant(value), type_of(value), name.span),
                None => Expr::error(name.span),
            },
            Symbol::Define(id) => {
                let definition = self.definition(id);
                if definition.reads && self.reject_variable(name.text, name.span) {
                    return Expr::error(name.span);
                }
                let process = self.defines[id].process;
                let n_slots = process.map_or(0, |process| self.processes[process].item.params.len());
                let mut expr = Expr::new(Kind::Define { id, n_slots }, definition.ty, name.span);
                expr.reads = definition.reads;
                expr
            }
            Symbol::Literal => self.literal(name, wanted),
            Symbol::Type(_) => {
                self.wrong_kind(name, "a type", "a value is needed, such as a variable or a constant");
                Expr::error(name.span)
            }
            Symbol::Variable(_) | Symbol::Process(_) => Expr::error(name.span),
        }
    }

    /// A place that is written.
    pub(super) fn destination(&mut self, place: &'a ast::Place<'a>) -> Option<(Place, Ty)> {
        if self.duplicates.contains(place.name.text) {
            return None;
        }
        let Some(symbol) = self.lookup(place.name.text) else {
            self.unknown_name(place.name);
            return None;
        };
        let is = match symbol {
            Symbol::Variable(_) | Symbol::Process(_) => return self.resolve(place, symbol),
            Symbol::Bound(_) => "a parameter or bound name",
            Symbol::Const(_) => "a constant",
            Symbol::Define(_) => "a definition",
            Symbol::Literal => "a literal",
            Symbol::Type(_) => "a type",
        };
        let message = format!("`{}` is {is}, so it cannot be written", place.name.text);
        let diagnostic = Diagnostic::error(codes::NOT_ASSIGNABLE, message, place.name.span, "not a variable");
        self.log.push(diagnostic.with_help("only what is declared with `var` changes"));
        None
    }

    /// The variable that a place speaks of.
    fn resolve(&mut self, place: &'a ast::Place<'a>, symbol: Symbol) -> Option<(Place, Ty)> {
        match (symbol, &place.member) {
            (Symbol::Variable(id), None) => {
                let instance = match self.variables[id].process {
                    Some(process) if !self.processes[process].item.params.is_empty() => Instance::Own,
                    Some(_) | None => Instance::Only,
                };
                self.cell(id, place.name, instance, &place.indexes, place.span)
            }
            (Symbol::Process(process), Some(member)) => self.member(process, place, member),
            (Symbol::Process(process), None) => {
                let item = self.processes[process].item;
                let indexes: String = item.params.iter().map(|param| format!("[{}]", param.name.text)).collect();
                let help = format!("name one of its variables: `{}{indexes}.x`", item.name.text);
                self.wrong_kind(place.name, "a process, not a value", &help);
                None
            }
            (_, Some(_)) => {
                self.wrong_kind(place.name, "not a process", "only processes have variables of their own");
                None
            }
            (_, None) => None,
        }
    }

    fn member(&mut self, process: ProcessId, place: &'a ast::Place<'a>, member: &'a Member<'a>) -> Option<(Place, Ty)> {
        let item = self.processes[process].item;
        let n_params = item.params.len();
        if place.indexes.len() != n_params {
            let message = format!("process `{}` has {}", item.name.text, count(n_params, "parameter"));
            let given =
                if place.indexes.is_empty() { "no index is".to_owned() } else { indexes_are(place.indexes.len()) };
            let indexes: String = item.params.iter().map(|param| format!("[{}]", param.name.text)).collect();
            let diagnostic = Diagnostic::error(codes::WRONG_INDEXES, message, place.span, format!("{given} given"));
            self.log.push(diagnostic.with_help(format!("write `{}{indexes}.{}`", item.name.text, member.name.text)));
            return None;
        }
        let variable = match self.processes[process].names.get(member.name.text) {
            Some((Local::Variable(id), _)) => *id,
            Some((Local::Define(_) | Local::Param, _)) => {
                self.wrong_kind(member.name, "not a variable of the process", "outside, only variables can be named");
                return None;
            }
            None => {
                self.unknown_member(process, member.name, place.span);
                return None;
            }
        };
        let indexes = self.indexes(&place.indexes);
        let instance = if n_params == 0 { Instance::Only } else { Instance::At(indexes) };
        self.cell(variable, member.name, instance, &member.indexes, place.span)
    }

    fn unknown_member(&mut self, process: ProcessId, name: Name<'a>, place: Span) {
        if self.is_broken {
            return;
        }
        let message = format!("process `{}` has no variable `{}`", self.processes[process].item.name.text, name.text);
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_MEMBER, message, name.span, "unknown variable");
        if self.suggestions.take() {
            diagnostic = diagnostic.with_help(self.help_with_member(process, name, place));
        }
        self.log.push(diagnostic);
    }

    fn help_with_member(&self, process: ProcessId, name: Name<'a>, place: Span) -> String {
        let entry = &self.processes[process];
        let mut names: Vec<&str> = entry.names.keys().copied().collect();
        names.retain(|name| matches!(entry.names.get(name), Some((Local::Variable(_), _))));
        names.sort_unstable();
        let around = [Span { end: name.span.start, ..place }, Span { start: name.span.end, ..place }];
        let [before, after] = around.map(|span| quotation::on_one_line(self.sources, span));
        match spelling::similar(name.text, names.iter().copied()) {
            Some(similar) => format!("did you mean `{before}{similar}{after}`?"),
            None if names.is_empty() => "it declares no variables".to_owned(),
            None => format!("its variables are {}", super::declare::list(&names)),
        }
    }

    fn cell(
        &mut self,
        variable: VariableId,
        name: Name<'a>,
        instance: Instance,
        indexes: &'a [ast::Expr<'a>],
        span: Span,
    ) -> Option<(Place, Ty)> {
        self.variables[variable].is_used = true;
        if self.reject_variable(name.text, span) {
            return None;
        }
        let shape = self.variable_shape(variable)?;
        if indexes.len() != shape.sizes.len() {
            self.wrong_indexes(name, indexes, &shape.sizes);
            return None;
        }
        let indexes = self.indexes(indexes);
        Some((Place { variable, instance, indexes, span }, shape.domain.sort().into()))
    }

    /// Reports a variable where a constant is needed.
    fn reject_variable(&mut self, name: &str, span: Span) -> bool {
        match self.scope.constant_for {
            Some(what) => {
                self.not_constant(name, span, what);
                true
            }
            None => false,
        }
    }

    fn indexes(&mut self, indexes: &'a [ast::Expr<'a>]) -> Vec<Expr> {
        indexes.iter().map(|index| self.state(index, Some(Ty::Int))).collect()
    }

    fn wrong_indexes(&mut self, name: Name<'a>, indexes: &'a [ast::Expr<'a>], sizes: &[u32]) {
        if sizes.is_empty() {
            let span = indexes.first().map_or(name.span, |index| index.span);
            self.not_an_array(name, span);
            return;
        }
        let message = format!("`{}` is an array with {}", name.text, count(sizes.len(), "dimension"));
        let span = indexes.last().map_or(name.span, |last| name.span.to(last.span));
        let given = if indexes.is_empty() { "no index is".to_owned() } else { indexes_are(indexes.len()) };
        let example: String = sizes.iter().map(|size| format!("[{}]", size - 1)).collect();
        let diagnostic = Diagnostic::error(codes::WRONG_INDEXES, message, span, format!("{given} given"));
        self.log.push(diagnostic.with_help(format!("arrays are used cell by cell, up to `{}{example}`", name.text)));
    }

    fn not_an_array(&mut self, name: Name<'a>, index: Span) {
        let message = format!("`{}` is not an array", name.text);
        let help = format!("write `{}`, or declare it as an array: `var {} : bool[2];`", name.text, name.text);
        self.error(codes::WRONG_INDEXES, message, (index, "an index makes no sense here"), &help);
    }
}

fn type_of(value: Constant) -> Ty {
    match value {
        Constant::Bool(_) => Ty::Bool,
        Constant::Int(_) => Ty::Int,
        Constant::Literal(id, _) => Ty::Enum(id),
    }
}

fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    }
}

fn indexes_are(n: usize) -> String {
    if n == 1 { "1 index is".to_owned() } else { format!("{n} indexes are") }
}

//! What a name means where it stands, and what was perhaps meant by a name that means nothing.

use lapidary_text::{Diagnostic, spelling};

use super::super::ast::Name;
use super::super::codes;
use super::super::typed::{Expr, Kind, LocationId, Ty};
use super::{Checker, Symbol};

impl<'a> Checker<'a, '_> {
    /// The innermost meaning of a name.
    pub(super) fn lookup(&self, name: &str) -> Option<Symbol> {
        self.scope.names.get(name).or_else(|| self.globals.get(name)).map(|(symbol, _)| *symbol)
    }

    /// A name as a value.
    pub(super) fn named(&mut self, name: Name<'a>) -> Expr {
        let make = |kind, ty| Expr { kind, ty, span: name.span };
        match self.lookup(name.text) {
            Some(Symbol::Variable(variable)) => make(Kind::Variable(variable), self.variables[variable].ty),
            Some(Symbol::Location(location)) if self.scope.here.is_some() => {
                make(Kind::Location(location), Ty::Location)
            }
            Some(Symbol::Location(_)) => {
                self.wrong_kind(
                    name,
                    "is a location",
                    "a location has no value on an edge; a variable may remember it",
                );
                Expr::error(name.span)
            }
            None if self.scope.here.as_deref() == Some(name.text) => make(Kind::Here, Ty::Location),
            None => {
                self.unknown_variable(name);
                Expr::error(name.span)
            }
        }
    }

    /// A name as that of a location.
    pub(super) fn location(&mut self, name: Name<'a>) -> Option<LocationId> {
        match self.lookup(name.text) {
            Some(Symbol::Location(location)) => Some(location),
            Some(Symbol::Variable(_)) => {
                self.wrong_kind(name, "is a variable", "edges lead from location to location: `loc L`");
                None
            }
            None => {
                self.unknown_name(name, "location", |symbol| matches!(symbol, Symbol::Location(_)));
                None
            }
        }
    }

    pub(super) fn wrong_kind(&mut self, name: Name<'a>, is: &str, help: &str) {
        let message = format!("`{}` {is}", name.text);
        let diagnostic = Diagnostic::error(codes::WRONG_KIND, message, name.span, "something else is needed here");
        self.log.push(diagnostic.with_help(help));
    }

    pub(super) fn unknown_variable(&mut self, name: Name<'a>) {
        let is_formula = self.scope.here.is_some();
        let what = if is_formula { "name" } else { "variable" };
        self.unknown_name(name, what, |symbol| is_formula || matches!(symbol, Symbol::Variable(_)));
    }

    /// Reports a name that is not declared, once per name and process.
    fn unknown_name(&mut self, name: Name<'a>, what: &str, is_meant: impl Fn(Symbol) -> bool) {
        if !self.unknown.insert(name.text) {
            return;
        }
        let message = format!("the {what} `{}` is not declared", name.text);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message, name.span, "unknown name");
        // All names are looked at, so not for every mistake.
        let may_look = self.suggestions.take();
        let here = self.scope.here.as_deref();
        let similar = may_look.then(|| self.names(is_meant).into_iter().chain(here));
        let help = match similar.and_then(|names| spelling::similar(name.text, names)) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None if what == "location" => format!("declare it: `loc {}`", name.text),
            None if let Some(here) = here => {
                format!("formulas speak of the variables of the model, and of its locations: `{here} /= L`")
            }
            None => format!("declare it: `var {} : int`", name.text),
        };
        self.log.push(diagnostic.with_help(help));
    }

    /// The names of some kind that could stand here, in a fixed order.
    fn names(&self, is_meant: impl Fn(Symbol) -> bool) -> Vec<&'a str> {
        let known = self.scope.names.iter().chain(&self.globals);
        let mut names: Vec<&'a str> =
            known.filter(|(_, (symbol, _))| is_meant(*symbol)).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }
}

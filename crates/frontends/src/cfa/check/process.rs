//! One process: its names, its locations, its edges.

use lapidary_base::IdVec;
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{self, Name, Role};
use super::super::codes;
use super::super::limits::MAX_EDGES;
use super::super::typed::{Edge, LocationId, Owner, Statement, Ty, VariableId};
use super::{Checker, Scope, Symbol};

pub struct Checked<'a> {
    pub locations: IdVec<LocationId, Name<'a>>,
    pub initial: Option<LocationId>,
    pub error: Option<LocationId>,
    pub edges: Vec<Edge>,
}

/// The locations that can be there once, and where they are.
#[derive(Default)]
struct Roles {
    initial: Option<(LocationId, Span)>,
    last: Option<(LocationId, Span)>,
    error: Option<(LocationId, Span)>,
}

impl<'a> Checker<'a, '_> {
    /// What is wrong with it is reported. Its scope is open afterwards.
    pub(super) fn process(&mut self, process: &'a ast::Process<'a>, owner: Owner) -> Option<Checked<'a>> {
        self.scope = Scope::default();
        self.unknown.clear();
        for var in process.params.iter().chain(&process.vars) {
            let variable = self.variable(var, owner);
            self.declare(var.name, Symbol::Variable(variable));
        }
        let mut locations = IdVec::new();
        let mut roles = Roles::default();
        for location in &process.locations {
            let id = locations.push(location.name);
            self.declare(location.name, Symbol::Location(id));
            if let Some(role) = location.role {
                self.role(&mut roles, role, id, location.name);
            }
        }
        if roles.initial.is_none() {
            let message = format!("the process `{}` has no initial location", process.name.text);
            let diagnostic = Diagnostic::error(codes::ROLE, message, process.name.span, "nowhere to begin");
            self.log.push(diagnostic.with_help("one location is `init loc L`"));
        }
        if let Some(edge) = process.edges.get(MAX_EDGES) {
            self.too_many("edges", MAX_EDGES, edge.span);
            return None;
        }
        let edges = process.edges.iter().filter_map(|edge| self.edge(edge)).collect();
        let only = |found: Option<(LocationId, Span)>| found.map(|(location, _)| location);
        Some(Checked { locations, initial: only(roles.initial), error: only(roles.error), edges })
    }

    pub(super) fn too_many(&mut self, what: &str, limit: usize, span: Span) {
        let message = format!("there are more than {limit} {what}");
        let diagnostic = Diagnostic::error(codes::TOO_LARGE, message, span, "one too many");
        self.log.push(diagnostic.with_help("divide the model into smaller ones"));
    }

    fn declare(&mut self, name: Name<'a>, symbol: Symbol) {
        match self.scope.names.get(name.text) {
            Some(&(_, first)) => self.duplicate(name, first),
            None => {
                self.scope.names.insert(name.text, (symbol, name.span));
            }
        }
    }

    fn role(&mut self, roles: &mut Roles, role: Role, location: LocationId, name: Name<'a>) {
        let place = match role {
            Role::Init => &mut roles.initial,
            Role::Final => &mut roles.last,
            Role::Error => &mut roles.error,
        };
        let Some((_, first)) = *place else {
            *place = Some((location, name.span));
            return;
        };
        let word = role.word();
        let message = format!("two locations are `{word}`");
        let diagnostic = Diagnostic::error(codes::ROLE, message, name.span, "the second one");
        let help = match role {
            Role::Init => "keep one, and let edges lead from it to the other",
            Role::Final => "keep one, and let edges lead to it from the other",
            Role::Error => "keep one; --errorloc asks about another location",
        };
        self.log.push(diagnostic.with_label(first, "the first one").with_help(help));
    }

    fn edge(&mut self, edge: &'a ast::Edge<'a>) -> Option<Edge> {
        self.log.goes_on();
        let (from, to) = (self.location(edge.from), self.location(edge.to));
        let body = edge.body.iter().filter_map(|statement| self.statement(statement)).collect();
        Some(Edge { from: from?, to: to?, body, span: edge.span })
    }

    fn statement(&mut self, statement: &'a ast::Statement<'a>) -> Option<Statement> {
        match statement {
            ast::Statement::Assume(condition) => Some(Statement::Assume(self.fitting(condition, Ty::Bool))),
            ast::Statement::Havoc(to) => self.written(*to).map(Statement::Havoc),
            ast::Statement::Assign(to, value) => match self.written(*to) {
                Some(to) => {
                    let ty = self.variables[to].ty;
                    Some(Statement::Assign(to, self.fitting(value, ty)))
                }
                None => {
                    self.expr(value, None);
                    None
                }
            },
        }
    }

    /// The variable that a statement writes.
    fn written(&mut self, name: Name<'a>) -> Option<VariableId> {
        match self.lookup(name.text) {
            Some(Symbol::Variable(variable)) => Some(variable),
            Some(Symbol::Location(_)) => {
                self.wrong_kind(name, "is a location", "only variables are written");
                None
            }
            None => {
                self.unknown_variable(name);
                None
            }
        }
    }
}

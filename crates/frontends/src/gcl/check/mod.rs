//! The checker: gives every name its meaning and every expression its type.
//!
//! Declarations may stand in any order, so constants, types and definitions are worked out when they are first
//! asked for; asking for one that is still being worked out is a cycle.

mod declare;
mod expr;
mod item;
mod names;
mod place;
mod types;

pub use item::NO_ERRORS;

use lapidary_base::hash::{Map, Set};
use lapidary_base::{IdVec, id};
use lapidary_ir::{Domain, EnumId};
use lapidary_text::spelling::Suggestions;
use lapidary_text::{Diagnostic, Log, Sources, Span};

use super::ast;
use super::codes;
use super::consts::Evaluator;
use super::limits::Budget;
use super::typed::{Constant, DefineId, Expr, ProcessId, Program, Progress, Slot, VariableId};

id! {
    struct ConstId(u32);
    struct TypeId(u32);
}

/// What a name that is declared outside of processes stands for.
#[derive(Clone, Copy)]
enum Global {
    Const(ConstId),
    Type(TypeId),
    Define(DefineId),
    Variable(VariableId),
    Process(ProcessId),
}

/// What a name that is declared in a process stands for.
#[derive(Clone, Copy)]
enum Local {
    Param,
    Define(DefineId),
    Variable(VariableId),
}

struct ConstEntry<'a> {
    name: ast::Name<'a>,
    /// What the text says.
    declared: &'a ast::Expr<'a>,
    /// What the command line says instead.
    given: Option<&'a ast::Expr<'a>>,
    /// The value, or nothing where it was reported to have none.
    value: Progress<Option<Constant>>,
}

struct TypeEntry<'a> {
    item: &'a ast::TypeItem<'a>,
    shape: Progress<Option<Shape>>,
}

struct DefineEntry<'a> {
    item: &'a ast::Define<'a>,
    process: Option<ProcessId>,
}

struct VariableEntry<'a> {
    name: ast::Name<'a>,
    item: &'a ast::VarItem<'a>,
    process: Option<ProcessId>,
    shape: Progress<Option<Shape>>,
    is_used: bool,
}

struct ProcessEntry<'a> {
    item: &'a ast::Process<'a>,
    names: Map<&'a str, (Local, Span)>,
}

/// A type: what the cells may hold, and the sizes from the outside in.
#[derive(Clone, Debug)]
struct Shape {
    domain: Domain,
    sizes: Vec<u32>,
}

/// Where an expression stands.
#[derive(Clone, Default)]
struct Scope<'a> {
    process: Option<ProcessId>,
    /// The parameters and bound names in scope, outermost first; a [`Slot`] is a place in this list.
    bound: Vec<&'a str>,
    /// What a constant is needed for, where one is.
    constant_for: Option<&'static str>,
}

struct Checker<'a, 'l> {
    sources: &'a Sources,
    file: &'a ast::File<'a>,
    log: &'l mut Log,
    budget: &'l mut Budget,
    /// After syntax errors a name may be unknown for no fault of its own.
    is_broken: bool,
    globals: Map<&'a str, (Global, Span)>,
    literals: Map<&'a str, Vec<(EnumId, u32)>>,
    consts: IdVec<ConstId, ConstEntry<'a>>,
    types: IdVec<TypeId, TypeEntry<'a>>,
    defines: IdVec<DefineId, DefineEntry<'a>>,
    bodies: IdVec<DefineId, Progress<Expr>>,
    variables: IdVec<VariableId, VariableEntry<'a>>,
    processes: IdVec<ProcessId, ProcessEntry<'a>>,
    scope: Scope<'a>,
    depth: u32,
    /// The declarations that are being worked out, for the message about a cycle.
    running: Vec<ast::Name<'a>>,
    /// Unknown names that were reported.
    unknown: Set<&'a str>,
    /// Names with two declarations: whatever is said of one may be meant of the other.
    duplicates: Set<&'a str>,
    suggestions: Suggestions,
}

/// What the command line adds, parsed.
pub struct Additions<'a> {
    /// The constant, its value and the place to complain about.
    pub defines: Vec<(&'a str, ast::Expr<'a>, Span)>,
    pub formulas: Vec<Addition<'a>>,
}

/// A property that the command line asks for.
pub struct Addition<'a> {
    pub name: &'a str,
    pub kind: ast::PropertyKind,
    pub formula: Option<ast::Expr<'a>>,
    pub span: Span,
}

/// Checks a whole model. The result makes sense only if the log has no errors.
pub fn check<'a>(
    sources: &'a Sources,
    file: &'a ast::File<'a>,
    additions: &'a Additions<'a>,
    log: &mut Log,
    budget: &mut Budget,
) -> Program<'a> {
    let is_broken = log.has_errors();
    let mut checker = Checker {
        sources,
        file,
        log,
        budget,
        is_broken,
        globals: Map::default(),
        literals: Map::default(),
        consts: IdVec::new(),
        types: IdVec::new(),
        defines: IdVec::new(),
        bodies: IdVec::new(),
        variables: IdVec::new(),
        processes: IdVec::new(),
        scope: Scope::default(),
        depth: 0,
        running: Vec::new(),
        unknown: Set::default(),
        duplicates: Set::default(),
        suggestions: Suggestions::default(),
    };
    checker.declare();
    checker.override_constants(additions);
    checker.work_out_declarations();
    checker.program(additions)
}

impl<'a> Checker<'a, '_> {
    fn error(&mut self, code: &'static str, message: impl Into<String>, (span, label): (Span, &str), help: &str) {
        self.log.push(Diagnostic::error(code, message, span, label).with_help(help));
    }

    /// Checks something that stands in another scope.
    fn within<T>(&mut self, scope: Scope<'a>, check: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = check(self);
        self.scope = outer;
        result
    }

    /// Checks something in which a name is bound.
    fn binding<T>(&mut self, name: &'a str, check: impl FnOnce(&mut Self) -> T) -> T {
        self.scope.bound.push(name);
        let result = check(self);
        self.scope.bound.pop();
        result
    }

    /// The scope of the items of a process.
    fn inside(&self, process: ProcessId) -> Scope<'a> {
        let bound = self.processes[process].item.params.iter().map(|param| param.name.text).collect();
        Scope { process: Some(process), bound, constant_for: None }
    }

    /// The value of a checked constant expression without free names.
    fn evaluate(&mut self, expr: &Expr) -> Option<Constant> {
        let mut evaluator = Evaluator {
            sources: self.sources,
            log: self.log,
            budget: self.budget,
            defines: &self.bodies,
            slots: Vec::new(),
            depth: self.depth,
        };
        evaluator.value(expr)
    }

    fn cycle(&mut self, name: ast::Name<'a>) {
        let start = self.running.iter().position(|running| running.span == name.span).unwrap_or(0);
        let mut way: Vec<&str> = self.running[start..].iter().map(|running| running.text).collect();
        way.push(name.text);
        let message = format!("`{}` is defined through itself", name.text);
        let diagnostic = Diagnostic::error(codes::CYCLE, message, name.span, "it needs itself");
        let shown = if way.len() > 8 { format!("{} -> ...", way[..8].join(" -> ")) } else { way.join(" -> ") };
        self.log.push(diagnostic.with_help(format!("the way round is {shown}")));
    }

    fn slot(position: usize) -> Slot {
        lapidary_base::Id::new(position)
    }
}

//! From the syntax tree to the checked one: what names mean, whether types fit, and whether the automaton is one.

mod expr;
mod names;
mod operators;
mod process;
mod types;

use lapidary_base::IdVec;
use lapidary_base::hash::{Map, Set};
use lapidary_text::spelling::Suggestions;
use lapidary_text::{Diagnostic, Log, SourceId, Sources, Span};

use super::ast;
use super::codes;
use super::limits::MAX_VARIABLES;
use super::typed::{Arrays, Formula, LocationId, Owner, Program, Ty, Variable, VariableId};
use crate::asked::{Asked, Wording};

/// What the command line adds, read already.
pub struct Additions<'a> {
    pub formulas: Vec<(&'a Asked, Option<ast::Expr<'a>>)>,
    /// The source that names the error location.
    pub error_location: Option<SourceId>,
}

/// The name of the variable that says where the process is, unless something of the model has it.
const HERE: &str = "location";

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
enum Symbol {
    Variable(VariableId),
    Location(LocationId),
}

/// The names that are known where something stands.
#[derive(Default)]
struct Scope<'a> {
    names: Map<&'a str, (Symbol, Span)>,
    /// Where formulas stand: the variable of this name says where the process is, and locations have values.
    here: Option<String>,
}

struct Checker<'a, 'l> {
    sources: &'a Sources,
    log: &'l mut Log,
    arrays: Arrays,
    variables: IdVec<VariableId, Variable<'a>>,
    globals: Map<&'a str, (Symbol, Span)>,
    scope: Scope<'a>,
    /// Names that were complained about in this scope.
    unknown: Set<&'a str>,
    suggestions: Suggestions,
    depth: u32,
}

/// Checks a text that was parsed. Without errors in the log there is a program.
pub fn check<'a>(
    sources: &'a Sources,
    source: SourceId,
    file: &'a ast::File<'a>,
    additions: &'a Additions<'a>,
    log: &mut Log,
) -> Option<Program<'a>> {
    let mut checker = Checker {
        sources,
        log,
        arrays: Arrays::default(),
        variables: IdVec::new(),
        globals: Map::default(),
        scope: Scope::default(),
        unknown: Set::default(),
        suggestions: Suggestions::default(),
        depth: 0,
    };
    let n_variables = file.processes.iter().map(|process| process.params.len() + process.vars.len()).sum::<usize>();
    if n_variables + file.vars.len() > MAX_VARIABLES {
        checker.too_many("variables", MAX_VARIABLES, Span::new(source, 0, 0));
        return None;
    }
    checker.globals(&file.vars);
    checker.process_names(&file.processes);
    let main = checker.main(source, &file.processes);
    let mut checked = None;
    for process in &file.processes {
        if !checker.log.goes_on() {
            return None;
        }
        // That of the main process comes last, so that formulas are read in its scope.
        if main.is_none_or(|main| !std::ptr::eq(main, process)) {
            checker.process(process, Owner::Other);
        }
    }
    if let Some(main) = main {
        checked = checker.process(main, Owner::Main);
    }
    let found = checked?;
    let error = checker.error_location(found.error, additions.error_location);
    let formulas = checker.formulas(additions);
    if checker.log.has_errors() {
        return None;
    }
    let Checker { arrays, variables, scope, .. } = checker;
    let process::Checked { locations, initial, edges, .. } = found;
    Some(Program { arrays, variables, locations, here: scope.here?, initial: initial?, error, edges, formulas })
}

impl<'a> Checker<'a, '_> {
    fn globals(&mut self, vars: &'a [ast::Var<'a>]) {
        for var in vars {
            let symbol = Symbol::Variable(self.variable(var, Owner::Model));
            if let Some((_, first)) = self.globals.get(var.name.text) {
                let first = *first;
                self.duplicate(var.name, first);
            } else {
                self.globals.insert(var.name.text, (symbol, var.name.span));
            }
        }
    }

    fn variable(&mut self, var: &'a ast::Var<'a>, owner: Owner) -> VariableId {
        let ty = self.ty(&var.ty);
        self.variables.push(Variable { name: var.name, ty, owner })
    }

    fn duplicate(&mut self, name: ast::Name<'a>, first: Span) {
        let message = format!("`{}` is declared twice", name.text);
        let diagnostic = Diagnostic::error(codes::DUPLICATE, message, name.span, "again here");
        let diagnostic = diagnostic.with_label(first, "first here");
        self.log
            .push(diagnostic.with_help("rename one of them; variables and locations of a process share their names"));
    }

    fn process_names(&mut self, processes: &'a [ast::Process<'a>]) {
        let mut seen: Map<&str, Span> = Map::default();
        for process in processes {
            match seen.get(process.name.text) {
                Some(&first) => self.duplicate(process.name, first),
                None => {
                    seen.insert(process.name.text, process.name.span);
                }
            }
        }
    }

    /// The process that is run.
    fn main(&mut self, source: SourceId, processes: &'a [ast::Process<'a>]) -> Option<&'a ast::Process<'a>> {
        let mut mains = processes.iter().filter_map(|process| Some((process, process.main?)));
        let Some((first, first_place)) = mains.next() else {
            let (place, label) = match processes.first() {
                Some(process) => (process.name.span, "this one, perhaps"),
                None => (Span::new(source, 0, 0), "there is no process at all"),
            };
            // Where something could not be read, the process may be there.
            if !self.log.has_errors() {
                let diagnostic = Diagnostic::error(codes::MAIN, "no process is the main one", place, label);
                self.log.push(diagnostic.with_help("exactly one is run: `main process NAME { ... }`"));
            }
            return None;
        };
        for (_, place) in mains {
            let diagnostic = Diagnostic::error(codes::MAIN, "two processes are main ones", place, "the second one");
            let diagnostic = diagnostic.with_label(first_place, "the first one");
            self.log.push(diagnostic.with_help("exactly one is run: take `main` away from the others"));
        }
        Some(first)
    }

    /// The location that the command line names, or that of the text.
    fn error_location(&mut self, declared: Option<LocationId>, named: Option<SourceId>) -> Option<LocationId> {
        let Some(source) = named else { return declared };
        let text = self.sources.get(source).text.trim();
        let span = Span::new(source, 0, u32::try_from(self.sources.get(source).text.len()).unwrap_or(u32::MAX));
        self.location(ast::Name { text, span })
    }

    /// The formulas of the command line, in the scope of the main process.
    fn formulas(&mut self, additions: &'a Additions<'a>) -> Vec<Formula<'a>> {
        let is_free = |name: &String| self.lookup(name).is_none();
        let numbered = (2..).map(|n: u32| format!("{HERE}{n}"));
        self.scope.here = std::iter::once(HERE.to_owned()).chain(numbered).find(is_free);
        self.unknown.clear();
        let mut formulas = Vec::new();
        for (asked, expr) in &additions.formulas {
            let formula = match (asked.wording, expr) {
                (Wording::Plain | Wording::Invariant | Wording::Reach, Some(expr)) => {
                    Some(self.fitting(expr, Ty::Bool))
                }
                (Wording::DeadlockFree | Wording::Ltl, _) | (_, None) => None,
            };
            formulas.push(Formula { asked, formula });
        }
        formulas
    }
}

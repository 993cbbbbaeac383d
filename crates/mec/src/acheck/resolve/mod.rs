//! Resolves a specification for one node: names, sorts, events, formulas. Nothing is evaluated.

mod command;
mod event;
mod expr;

use lapidary_base::hash::Map;
use lapidary_ir::Tree;
use lapidary_text::{Diagnostic, Log, Sources, Span};

use super::ast::{self, Equation};
use super::codes;
use super::typed::{Definition, Set, Sort, Statement};
use crate::Models;

/// Names with a fixed meaning, and the sort that they have.
const CONSTANTS: [(&str, Sort); 9] = [
    ("any_s", Sort::States),
    ("empty_s", Sort::States),
    ("initial", Sort::States),
    ("any_t", Sort::Trans),
    ("empty_t", Sort::Trans),
    ("self", Sort::Trans),
    ("self_epsilon", Sort::Trans),
    ("epsilon", Sort::Trans),
    ("not_deterministic", Sort::Trans),
];

/// The words that have a meaning within a block, for completion.
pub fn vocabulary() -> impl Iterator<Item = &'static str> {
    let constants = CONSTANTS.iter().map(|(name, _)| *name);
    let functions = expr::FUNCTIONS.iter().map(|(name, _)| *name);
    constants.chain(functions).chain(command::COMMANDS).chain(["all", "and", "attribute", "done", "label", "not", "or"])
}

/// The sets that are defined so far for one node.
#[derive(Clone, Default)]
pub struct Scope {
    sorts: Map<String, Sort>,
    /// In the order of their first definition.
    pub names: Vec<String>,
}

impl Scope {
    pub fn define(&mut self, name: &str, sort: Sort) {
        if self.sorts.insert(name.to_owned(), sort).is_none() {
            self.names.push(name.to_owned());
        }
    }

    pub fn remove(&mut self, name: &str) {
        self.sorts.remove(name);
        self.names.retain(|known| known != name);
    }

    pub fn sort(&self, name: &str) -> Option<Sort> {
        self.sorts.get(name).copied()
    }
}

/// Where names are looked up.
struct Resolver<'a> {
    sources: &'a Sources,
    models: &'a dyn Models,
    tree: &'a Tree,
    scope: &'a Scope,
    /// The name that is being defined by itself, and the sort that is tried for it.
    assumed: Option<(&'a str, Sort)>,
    /// The name that is being defined.
    defined: Option<&'a str>,
    log: &'a mut Log,
}

/// What was being resolved is wrong; the reason is in the log.
struct Failed;

type Resolved<T> = Result<T, Failed>;

/// Resolves the statements of a block for one node. Names defined in it are added to the scope.
pub fn block(
    sources: &Sources,
    models: &dyn Models,
    tree: &Tree,
    statements: &[ast::Statement],
    scope: &mut Scope,
    log: &mut Log,
) -> Vec<Statement> {
    let mut resolved = Vec::new();
    for statement in statements {
        match statement {
            ast::Statement::Definition(definition) => {
                let found = self::definition(sources, models, tree, definition, scope, log);
                // Whatever is wrong with a body, its name is defined: later uses are no further mistakes.
                match found {
                    Ok(found) => {
                        scope.define(&found.name, found.body.sort());
                        resolved.push(Statement::Definition(found));
                    }
                    Err(Failed) if scope.sort(&definition.name.text).is_none() => {
                        scope.define(&definition.name.text, guess(&definition.body));
                    }
                    Err(Failed) => {}
                }
            }
            ast::Statement::Command(command) => {
                let mut resolver = Resolver { sources, models, tree, scope, assumed: None, defined: None, log };
                let Ok(found) = resolver.command(command) else { continue };
                if let super::typed::CommandKind::Remove(names) = &found.kind {
                    names.iter().for_each(|name| scope.remove(name));
                }
                resolved.push(Statement::Command(found));
            }
        }
    }
    resolved
}

/// The sort that a wrong body seems to have, judged by its beginning.
fn guess(body: &ast::Expr) -> Sort {
    match &body.kind {
        ast::ExprKind::Label(_) | ast::ExprKind::Attribute(_) => Sort::Trans,
        ast::ExprKind::Formula(_) => Sort::States,
        ast::ExprKind::Name(name) => {
            CONSTANTS.iter().find(|(known, _)| known == name).map_or(Sort::States, |&(_, sort)| sort)
        }
        ast::ExprKind::Call(name, _) => match name.text.as_str() {
            "rsrc" | "rtgt" | "trace" | "loop" => Sort::Trans,
            _ => Sort::States,
        },
        ast::ExprKind::Not(inner) | ast::ExprKind::Chain(inner, _) => guess(inner),
        ast::ExprKind::And(parts) => guess(&parts[0]),
    }
}

fn definition(
    sources: &Sources,
    models: &dyn Models,
    tree: &Tree,
    definition: &ast::Definition,
    scope: &Scope,
    log: &mut Log,
) -> Resolved<Definition> {
    let name = &definition.name;
    if CONSTANTS.iter().any(|(known, _)| *known == name.text) || expr::is_function(&name.text) {
        let message = format!("`{}` has a fixed meaning", name.text);
        log.push(Diagnostic::error(codes::RESERVED, message, name.span, "choose another name"));
        return Err(Failed);
    }
    let body = &definition.body;
    let mut attempt = |sort: Option<Sort>, log: &mut Log| {
        let assumed = sort.map(|sort| (name.text.as_str(), sort));
        Resolver { sources, models, tree, scope, assumed, defined: Some(&name.text), log }.set(body)
    };
    let body = match definition.kind {
        Equation::Plain => attempt(None, log)?,
        Equation::Least | Equation::Greatest => recursive(&definition.name, log, &mut attempt)?,
    };
    Ok(Definition { name: name.text.clone(), kind: definition.kind, body, span: name.span })
}

/// Tries both sorts for a name that is defined by itself; one of them must fit.
fn recursive(
    name: &ast::Name,
    log: &mut Log,
    attempt: &mut dyn FnMut(Option<Sort>, &mut Log) -> Resolved<Set>,
) -> Resolved<Set> {
    let mut fits = Vec::new();
    let mut logs = Vec::new();
    for sort in [Sort::States, Sort::Trans] {
        let mut trial = Log::default();
        match attempt(Some(sort), &mut trial) {
            Ok(body) if body.sort() == sort => fits.push(body),
            Ok(body) => {
                trial.push(contradiction(name.span, sort, body.sort()));
                logs.push(trial);
            }
            Err(Failed) => logs.push(trial),
        }
    }
    if fits.len() == 2 {
        let message = format!("`{}` may be a set of states or of transitions", name.text);
        let diagnostic = Diagnostic::error(codes::AMBIGUOUS, message, name.span, "nothing in its body decides");
        log.push(diagnostic.with_help("intersect the body with `any_s` or with `any_t`"));
        return Err(Failed);
    }
    if let Some(body) = fits.pop() {
        return Ok(body);
    }
    // What is wrong under both assumptions is wrong anyway; of the rest, the shorter list explains more.
    let lists = logs.into_iter().map(|log| log.finish_by_place(codes::TOO_MANY).list);
    let shortest = lists.min_by_key(Vec::len).unwrap_or_default();
    log.extend(shortest);
    Err(Failed)
}

fn contradiction(span: Span, assumed: Sort, found: Sort) -> Diagnostic {
    let message = format!("the body uses its own name as {} but is {}", assumed.words(), found.words());
    Diagnostic::error(codes::SORT, message, span, "defined here")
}

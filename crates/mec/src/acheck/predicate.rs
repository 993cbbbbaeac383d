//! A state set of a specification as an expression, so that engines and the checker can take it for a property.

use std::sync::Arc;

use lapidary_base::Control;
use lapidary_ir::{Expr, Node, Tree};
use lapidary_text::{Diagnostic, SourceId, Sources, Span};

use super::algebra::Algebra;
use super::ast::{Equation, Link};
use super::evaluate::{Session, Value};
use super::limits::MAX_VALUATIONS;
use super::memory::Memory;
use super::resolve::Scope;
use super::run::{EngineChoice, Failure, Plan, plan, with_engine};
use super::typed::{Combined, Definition, Set, Sort, Statement, States};
use super::{codes, guard, words};
use crate::Models;

/// How a set became an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is defined by formulas alone.
    Formula,
    /// It was computed, and its configurations were written out.
    Evaluated,
}

/// A state set as an expression over the variables of its node.
#[derive(Clone, Copy, Debug)]
pub struct StateSet {
    pub expr: Expr,
    pub written: Written,
    /// Where its name is defined.
    pub span: Span,
}

/// The set `name` that a specification defines for `node`, as an expression of the node's tree. Commands are not run.
/// On every reachable configuration it is true just where the configuration is in the set.
///
/// A set defined by formulas alone becomes one formula and needs no search; any other is evaluated and written out.
pub fn state_set(
    sources: &Sources,
    script: SourceId,
    models: &dyn Models,
    node: &str,
    name: &str,
    engine: EngineChoice,
    control: &Control,
) -> Result<StateSet, Failure> {
    let plan = plan(sources, script, models, &Memory::default())?;
    let error =
        |message: String| Diagnostic::error(codes::UNNAMED, message, Span::new(script, 0, 0), "in this specification");
    let wrong = |message: String| Failure::Diagnostics(vec![error(message)]);
    let Some(model) = plan.models.iter().position(|model| model.node == node) else {
        return Err(wrong(format!("the specification has no block for node `{node}`")));
    };
    match plan.models[model].scope.sort(name) {
        Some(Sort::States) => {}
        Some(Sort::Trans) => return Err(wrong(format!("`{name}` is a set of transitions, but states are needed"))),
        None => {
            let error = error(format!("the specification defines no set `{name}` for node `{node}`"));
            return Err(Failure::Diagnostics(vec![with_state_sets(error, &plan.models[model].scope)]));
        }
    }
    let definitions = definitions(&plan, model);
    let tree = &plan.models[model].tree;
    let last = definitions.iter().rfind(|definition| definition.name == name);
    let span = last.map_or(Span::new(script, 0, 0), |definition| definition.span);
    if let Some(expr) = named(tree, &definitions, name) {
        return Ok(StateSet { expr, written: Written::Formula, span });
    }
    with_engine!(engine, control, |open| {
        let algebra = open(tree.clone()).map_err(Failure::Stop)?;
        let expr = evaluated(algebra, tree, &definitions, name, control)?;
        Ok(StateSet { expr, written: Written::Evaluated, span })
    })
}

/// Adds the names of the sets that could have been meant.
fn with_state_sets(diagnostic: Diagnostic, scope: &Scope) -> Diagnostic {
    let is_state_set = |name: &&String| scope.sort(name) == Some(Sort::States);
    let names: Vec<&str> = scope.names.iter().filter(is_state_set).map(String::as_str).take(12).collect();
    match names[..] {
        [] => diagnostic.with_help("it defines no set of states: `NAME := [formula];` is one"),
        _ => diagnostic.with_help(format!("its sets of states are `{}`", names.join("`, `"))),
    }
}

/// All definitions of one model, in order.
fn definitions<'a>(plan: &'a Plan, model: usize) -> Vec<&'a Definition> {
    let tasks = plan.tasks.iter().filter(|task| task.model == model);
    let statements = tasks.flat_map(|task| &task.statements);
    let definition = |statement: &'a Statement| match statement {
        Statement::Definition(definition) => Some(definition),
        Statement::Command(_) => None,
    };
    statements.filter_map(definition).collect()
}

fn evaluated<A: Algebra>(
    algebra: A,
    tree: &Arc<Tree>,
    definitions: &[&Definition],
    name: &str,
    control: &Control,
) -> Result<Expr, Failure> {
    let mut session = Session::new(algebra, control);
    for definition in definitions {
        session.define(definition)?;
    }
    let value = session.value(&Set::States(States::Named(name.to_owned()))).map_err(Failure::Stop)?;
    let Value::States(states) = value else { unreachable!("the sort was asked for before") };
    let words = words::of(tree);
    let rows = session.algebra.valuations(&states, &words.vars, MAX_VALUATIONS).map_err(Failure::Stop)?;
    Ok(guard::expression(tree, &words, &words.vars, &rows))
}

/// The last definition of a name as a formula, if it is one. A name that is defined twice may mean different things at
/// different places, so it is evaluated.
fn named(tree: &Tree, definitions: &[&Definition], name: &str) -> Option<Expr> {
    let place = definitions.iter().rposition(|definition| definition.name == name)?;
    let definition = definitions[place];
    match (&definition.body, definition.kind) {
        (Set::States(body), Equation::Plain) => formula(tree, &definitions[..place], body),
        (Set::States(_), Equation::Least | Equation::Greatest) | (Set::Trans(_), _) => None,
    }
}

/// A set as a formula over variables. Reachable configurations are all that matters, so `any_s` is `true`.
fn formula(tree: &Tree, before: &[&Definition], set: &States) -> Option<Expr> {
    let exprs = &tree.exprs;
    match set {
        States::Any => Some(exprs.bool(true)),
        States::Empty => Some(exprs.bool(false)),
        States::Formula(expr) => always_has_value(tree, *expr).then_some(*expr),
        States::Named(name) => named(tree, before, name),
        States::Combined(Combined::Not(inner)) => Some(exprs.not(formula(tree, before, inner)?)),
        States::Combined(Combined::And(parts)) => {
            let parts: Option<Vec<Expr>> = parts.iter().map(|part| formula(tree, before, part)).collect();
            Some(exprs.and(parts?))
        }
        States::Combined(Combined::Chain(first, rest)) => {
            let mut sum = formula(tree, before, first)?;
            for (link, part) in rest {
                let part = formula(tree, before, part)?;
                sum = match link {
                    Link::Or => exprs.or([sum, part]),
                    Link::Minus => exprs.and([sum, exprs.not(part)]),
                };
            }
            Some(sum)
        }
        States::Initial
        | States::Sources(_)
        | States::Targets(_)
        | States::Reach(..)
        | States::Coreach(..)
        | States::Unavoidable(..)
        | States::Pick(_)
        | States::Alike(..) => None,
    }
}

/// Whether nothing in the expression can fail to have a value; otherwise its negation would not be its complement.
fn always_has_value(tree: &Tree, expr: Expr) -> bool {
    let mut waiting = vec![expr];
    let mut seen = lapidary_base::hash::Set::default();
    while let Some(expr) = waiting.pop() {
        if !seen.insert(expr) {
            continue;
        }
        if matches!(tree.exprs.node(expr), Node::Div(..) | Node::Mod(..) | Node::Cell(..)) {
            return false;
        }
        tree.exprs.for_each_part(expr, |part| waiting.push(part));
    }
    true
}

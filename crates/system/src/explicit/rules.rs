//! The rules of a body.

use lapidary_base::Control;
use lapidary_ir::passes::Touched;
use lapidary_ir::{CommandId, Expr, Model, Statement};
use lapidary_verdict::Layout;

use super::body::{self, Executions, Form, Way};
use super::builder::{Builder, Whose};
use super::forks::Forking;
use super::guard::asked_value;
use super::rule::Rule;
use super::{Halt, Rules};
use crate::compile::{Compiler, Pool};

/// What all bodies of a model are compiled into.
pub struct Compilation<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    pub pool: &'a mut Pool,
    pub rules: &'a mut Rules,
    pub control: &'a Control,
}

/// The rules of the statement that leads to the initial states; each is to be tried in every state.
pub fn start(into: &mut Compilation<'_>) -> Result<Vec<Rule>, Halt> {
    let (model, mut found) = (into.model, Vec::new());
    let whose = Whose { label: "the initial statement", name: "the initial statement", span: None };
    for way in &body::ways(&model.start) {
        into.control.check()?;
        found.extend(rule(way, NOBODY, whose, (None, model.invariant.clone()), into)?);
    }
    Ok(found)
}

/// The initial statement is no command's; nobody asks whose step it was.
const NOBODY: CommandId = CommandId(u32::MAX);

/// Appends the rules of a command's body.
pub fn rules(
    body: &Statement,
    command: CommandId,
    whose: Whose<'_>,
    asked: &Touched<'_>,
    into: &mut Compilation<'_>,
) -> Result<Executions, Halt> {
    let ways = body::ways(body);
    for way in &ways {
        into.control.check()?;
        let invariant = asked.by(&body::leaves(way));
        let first = asked_value(into.model, way);
        let rule = rule(way, command, whose, (first.map(|(_, _, conjunct)| conjunct), invariant), into)?;
        let rule = rule.map(|rule| (first.map(|(var, value, _)| (var, value)), rule));
        into.rules.extend(rule);
    }
    Ok(body::executions(&ways))
}

/// None for a way that is never taken.
fn rule(
    way: &Way<'_>,
    command: CommandId,
    whose: Whose<'_>,
    (known, invariant): (Option<Expr>, Vec<Expr>),
    into: &mut Compilation<'_>,
) -> Result<Option<Rule>, Halt> {
    let (model, layout, control) = (into.model, into.layout, into.control);
    match body::form(way) {
        Form::Straight | Form::Branching => {
            let mut builder = Builder::new(whose, layout, control, Compiler::new(model, into.pool));
            builder.way(way, known)?;
            builder.require(invariant)?;
            Ok(builder.finish(command))
        }
        Form::Forking => {
            let forking = Forking::new(whose, (model, layout), into.pool, control);
            forking.rule(command, way, known, invariant)
        }
    }
}

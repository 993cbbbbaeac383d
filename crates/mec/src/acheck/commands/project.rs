//! `project`: a subnode that only proposes what some configuration, or every outcome of it, allows.
//!
//! Existential: a valuation of the subnode allows an event if some configuration of S with that valuation has a
//! transition of T1 with the event. Universal: if some configuration of S with that valuation has transitions with the
//! event, and all of them are in T2. ARC's own universal rule is not published; this one is ours.

use lapidary_base::Stop;
use lapidary_ir::tree::EPSILON;
use lapidary_ir::{EventRef, Tree};
use lapidary_text::{Diagnostic, Span};

use super::super::algebra::{Algebra, Operation, Row};
use super::super::codes;
use super::super::evaluate::{Halt, Session};
use super::super::guard;
use super::super::limits::MAX_VALUATIONS;
use super::super::typed::{Guards, Projection};
use super::super::words::Words;
use super::too_large;
use crate::Models;

pub fn project<A: Algebra>(
    session: &Session<'_, A>,
    models: &dyn Models,
    tree: &Tree,
    projection: &Projection,
    span: Span,
) -> Result<String, Halt> {
    let component = &tree.components[projection.component];
    let words = Words::new(tree, projection.component);
    let allowed = allowed(session, tree, projection, &words).map_err(|stop| too_large(stop, span))?;
    let mut conditions: Vec<(&str, Option<String>)> = Vec::new();
    for (event, rows) in component.events.ids().skip(1).zip(&allowed) {
        let condition = match rows.is_empty() {
            true => None,
            false => {
                let text = match projection.guards {
                    Guards::Simplified => guard::nested(&words, &words.vars, rows),
                    Guards::Listed => guard::listed(&words, &words.vars, rows),
                };
                let why = || Stop::Incomplete("a guard would be too long".to_owned());
                Some(text.ok_or_else(why).map_err(|stop| too_large(stop, span))?)
            }
        };
        conditions.push((&component.events[event].name, condition));
    }
    let condition = |event: &str| {
        let found = conditions.iter().find(|(name, _)| *name == event);
        found.and_then(|(_, condition)| condition.clone())
    };
    let Some(text) = models.restricted(&component.node, &projection.name, &condition) else {
        let message = format!("the text of node `{}` is not known", component.node);
        let diagnostic = Diagnostic::error(codes::NO_TEXT, message, span, "nothing can be projected on it");
        let diagnostic =
            diagnostic.with_help("its file has to be loaded, and the indexes of its events to be constants");
        return Err(Halt::Wrong(Box::new(diagnostic)));
    };
    let head = format!(
        "/*\n * This node is the result of the projection of the node '{}'\n * on its subnode '{}'.\n */\n",
        tree.name, component.node
    );
    Ok(head + &text)
}

/// For every event of the subnode but epsilon, the valuations that allow it.
fn allowed<A: Algebra>(
    session: &Session<'_, A>,
    tree: &Tree,
    projection: &Projection,
    words: &Words<'_>,
) -> Result<Vec<Vec<Row>>, Stop> {
    let algebra = &session.algebra;
    let states = session.states(&projection.states)?;
    let leaving = algebra.from(&states)?;
    let existential = algebra.trans(Operation::And, &session.trans(&projection.existential)?, &leaving)?;
    let universal = algebra.trans(Operation::And, &session.trans(&projection.universal)?, &leaving)?;
    let refused = algebra.trans(Operation::Minus, &leaving, &universal)?;
    let component = &tree.components[projection.component];
    let mut allowed = Vec::new();
    for event in component.events.ids().filter(|&event| event != EPSILON) {
        session.control.check()?;
        let label = algebra.labelled(&[EventRef { component: projection.component, event }])?;
        let part = |set: &A::Trans| algebra.sources(&algebra.trans(Operation::And, set, &label)?);
        let certain = algebra.states(Operation::Minus, &part(&universal)?, &part(&refused)?)?;
        let able = algebra.states(Operation::Or, &part(&existential)?, &certain)?;
        allowed.push(algebra.valuations(&able, &words.vars, MAX_VALUATIONS)?);
    }
    Ok(allowed)
}

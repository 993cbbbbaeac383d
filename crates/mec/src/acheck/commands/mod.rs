//! What commands print, as text.

mod dot;
mod modes;
mod project;
mod quotient;
mod show;

use lapidary_base::Stop;
use lapidary_ir::Tree;
use lapidary_text::{Diagnostic, Span};

use super::algebra::{Algebra, Operation};
use super::codes;
use super::evaluate::{Halt, Session, Value};
use super::limits::{MAX_EVENTS, MAX_GRAPH};
use super::typed::{Command, CommandKind, Set, States, Trans};
use super::{walks, words};
use crate::Models;

/// What a command has to say.
pub struct Said {
    pub text: String,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// A test that did not pass.
    Failed,
}

/// Runs one command on one model.
pub fn run<A: Algebra>(
    session: &mut Session<'_, A>,
    models: &dyn Models,
    tree: &Tree,
    command: &Command,
) -> Result<Said, Halt> {
    let done = |text: String| Ok(Said { text, outcome: Outcome::Done });
    match &command.kind {
        CommandKind::Show(shown) => done(show::show(session, &tree.name, shown)?),
        CommandKind::Test { words, set, expected } => Ok(test(session, words, set, *expected)?),
        CommandKind::Dot(states, trans) => {
            let (states, trans) = (session.states(states)?, session.trans(trans)?);
            done(graph(session, tree, &states, &trans).map_err(|stop| too_large(stop, command.span))?)
        }
        CommandKind::DotTrace(from, trans, to) => {
            done(dot_trace(session, tree, from, trans, to).map_err(|stop| too_large(stop, command.span))?)
        }
        CommandKind::Modes => {
            let listing = whole(session).map_err(|stop| too_large(stop, command.span))?;
            done(modes::modes(tree, listing, session.control)?)
        }
        CommandKind::Quotient => {
            let listing = whole(session).map_err(|stop| too_large(stop, command.span))?;
            done(quotient::quotient(tree, listing, session.control)?)
        }
        CommandKind::Project(projection) => done(project::project(session, models, tree, projection, command.span)?),
        CommandKind::Remove(names) => {
            names.iter().for_each(|name| session.forget(name));
            done(String::new())
        }
        CommandKind::Events => done(events(session, tree).map_err(|stop| too_large(stop, command.span))?),
    }
}

/// A limit on what is written out is a mistake of the command, which has a place; other stops are not.
fn too_large(stop: Stop, span: Span) -> Halt {
    match stop {
        Stop::Incomplete(why) => {
            let diagnostic =
                Diagnostic::error(codes::TOO_LARGE, "the result is too large to be written out", span, why);
            Halt::Wrong(Box::new(diagnostic.with_help("intersect the sets with smaller ones")))
        }
        Stop::Timeout | Stop::Memory(_) | Stop::Interrupted | Stop::Overflow(_) | Stop::Budget(_) => Halt::Stop(stop),
        Stop::NoAnswer(_) | Stop::Solver(_) => Halt::Stop(stop),
    }
}

fn test<A: Algebra>(session: &Session<'_, A>, words: &str, set: &Set, expected: u128) -> Result<Said, Stop> {
    let count = count(session, &session.value(set)?)?;
    Ok(match count == expected {
        true => Said { text: format!("TEST({words}={expected}) [PASSED]\n"), outcome: Outcome::Done },
        false => {
            Said { text: format!("TEST({words}={expected}) [FAILED] {words} = {count}\n"), outcome: Outcome::Failed }
        }
    })
}

fn count<A: Algebra>(session: &Session<'_, A>, value: &Value<A>) -> Result<u128, Stop> {
    match value {
        Value::States(states) => session.algebra.count_states(states),
        Value::Trans(trans) => session.algebra.count_trans(trans),
    }
}

/// All states and transitions.
fn whole<A: Algebra>(session: &Session<'_, A>) -> Result<super::algebra::Listing, Stop> {
    let algebra = &session.algebra;
    algebra.listing(&algebra.any_states(), &algebra.any_trans(), MAX_GRAPH)
}

fn graph<A: Algebra>(
    session: &Session<'_, A>,
    tree: &Tree,
    states: &A::States,
    trans: &A::Trans,
) -> Result<String, Stop> {
    let listing = session.algebra.listing(states, trans, MAX_GRAPH)?;
    Ok(dot::dot(tree, listing))
}

/// The graph of one shortest path; where the sets meet, of one state of both.
fn dot_trace<A: Algebra>(
    session: &Session<'_, A>,
    tree: &Tree,
    from: &States,
    trans: &Trans,
    to: &States,
) -> Result<String, Stop> {
    let algebra = &session.algebra;
    let (from, trans, to) = (session.states(from)?, session.trans(trans)?, session.states(to)?);
    let path = walks::trace(algebra, &from, &trans, &to, session.control)?;
    let both = algebra.states(Operation::And, &from, &to)?;
    let ends = algebra.states(Operation::Or, &algebra.sources(&path)?, &algebra.targets(&path)?)?;
    let states = algebra.states(Operation::Or, &ends, &algebra.least_state(&both)?)?;
    graph(session, tree, &states, &path)
}

fn events<A: Algebra>(session: &Session<'_, A>, tree: &Tree) -> Result<String, Stop> {
    let flat = session.algebra.events(&session.algebra.any_trans(), MAX_EVENTS)?;
    let words = words::of(tree);
    let mut text = format!("/*\n * Events for node : {}\n * # events : {}\n *\n", tree.name, flat.len());
    for event in words.sorted_events(flat) {
        let name = words.event(&event);
        text += &format!(" * {}\n", if name.is_empty() { "epsilon" } else { &name });
    }
    Ok(text + " */\n")
}

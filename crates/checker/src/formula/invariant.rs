//! Checks a formula: it holds initially, no step leads out of it, and no state in it spoils a claim. A state in which it
//! has no value is not in it.

use std::collections::BTreeMap;

use lapidary_ir::{Expr, Model};

use super::execution::{self, Ending, Pool};
use super::objection;
use super::talk::Talk;
use super::target;
use super::view::View;
use super::word::Word;
use super::{check_form, named, symbols};
use crate::Rejection;
use crate::certify::Claim;

pub fn check(model: &Model, claims: &[Claim], formula: Expr, word: &Word<'_>) -> Result<(), Rejection> {
    check_form(model, formula, "the invariant")?;
    let e = &model.exprs;
    let mut talk = Talk::new(model, word);
    let mut view = View::new(model, BTreeMap::new());
    let conditions = execution::configuration(&talk.terms, &mut view);
    talk.assert_all(conditions)?;
    let member = view.is(formula, true);

    let mut outside = execution::initial(&mut talk.terms, &mut view, word.control)?;
    outside.push(e.not(member));
    if let Some(state) = talk.example(&outside, &view)? {
        let objection = match objection::holds(model, formula, &state)? {
            true => objection::nonsense("a state outside of the invariant"),
            false => objection::not_initially(model, &state),
        };
        return Err(talk.object(objection));
    }

    talk.assert(member)?;
    let names = symbols(&mut talk.terms, "'");
    let moves = execution::moves(&mut talk.terms, &mut Pool::default(), &view, Ending::InConditions, word.control)?;
    for &claim in claims {
        let spoils = target::spoils(&talk.terms, &mut view, &moves, claim, word.control)?;
        if let Some(state) = talk.example(&[spoils], &view)? {
            let objection = match objection::holds(model, formula, &state)? {
                true => objection::spoils(model, claim, &state),
                false => objection::nonsense("a state of the invariant"),
            };
            return Err(talk.object(objection));
        }
    }
    for step in &moves {
        let (mut after, equations) = named(step, &names);
        let left = e.not(after.is(formula, true));
        talk.push()?;
        talk.assert_all(step.all_conditions(&talk.terms).into_iter().chain(equations).chain([left]))?;
        if talk.is_possible()? {
            let (from, to) = (talk.state(&view)?, talk.state(&after)?);
            let leaves = objection::holds(model, formula, &from)? && !objection::holds(model, formula, &to)?;
            let objection = match leaves {
                true => objection::leaves(model, step.command, &from, &to),
                false => objection::nonsense("a step out of the invariant"),
            };
            return Err(talk.object(objection));
        }
        talk.pop()?;
    }
    Ok(())
}

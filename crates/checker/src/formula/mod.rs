//! Checks formulas as certificates, with a solver: invariants, abstract blocks and k-induction.
//!
//! The steps of the model are put into terms here once more, by an execution that follows all ways through a body at
//! once; nothing of the encoding that engines use is used. In all three checks the set that is shown to be closed
//! consists of configurations only: values within their domains, the model's invariant true. So both may be taken for
//! granted before a step.

mod blocks;
mod bounds;
mod execution;
mod fold;
mod induction;
mod invariant;
mod members;
mod objection;
mod talk;
mod target;
mod trace;
mod view;
mod way;
mod word;

use std::collections::BTreeMap;

use lapidary_base::IdVec;
use lapidary_ir::{Expr, Model, Sort, VarId, validate};
use lapidary_smt::Terms;
use lapidary_verdict::{Blocks, Checked, Formula, Induction};

use self::execution::Move;
use self::objection::wrong;
use self::talk::Talk;
use self::view::View;
use self::word::Word;
use crate::Rejection;
use crate::certify::{Claim, Means};

pub use trace::blamed;

/// Checks a formula, blocks or an induction, and tells on whose word that rests. The formulas are copied among the expressions of a
/// model that is the checker's own, where the terms are made, too.
pub fn check(model: &Model, claims: &[Claim], evidence: Evidence<'_>, means: &Means<'_>) -> Result<Checked, Rejection> {
    let word = Word::new(means);
    let model = &model.apart();
    match evidence {
        Evidence::Invariant(formula) => invariant::check(model, claims, formula.within(&model.exprs), &word)?,
        Evidence::Blocks(blocks) => blocks::check(model, claims, blocks, &word)?,
        Evidence::Induction(induction) => induction::check(model, claims, induction, &word)?,
    }
    Ok(word.checked())
}

/// What is checked with a solver.
pub enum Evidence<'a> {
    Invariant(&'a Formula),
    Blocks(&'a Blocks),
    Induction(&'a Induction),
}

/// A Boolean expression over the model's variables.
fn check_form(model: &Model, expr: Expr, what: &str) -> Result<(), Rejection> {
    match validate::expression(model, expr) {
        Ok(Sort::Bool) => Ok(()),
        Ok(Sort::Int | Sort::Enum(_) | Sort::Bits(_) | Sort::Array(_)) => {
            Err(wrong(format!("{what} is malformed: it is not boolean")))
        }
        Err(why) => Err(wrong(format!("{what} is malformed: {why}"))),
    }
}

/// That an expression has a value in every state within the domains.
fn check_defined(talk: &mut Talk<'_>, expr: Expr, what: &str) -> Result<(), Rejection> {
    let model = talk.terms.model();
    let mut view = View::new(model, BTreeMap::new());
    let missing = model.exprs.not(view.read(expr).defined);
    if model.exprs.as_bool(missing) == Some(false) {
        return Ok(());
    }
    let mut parts = execution::domains(&talk.terms, &view);
    parts.push(missing);
    let Some(state) = talk.example(&parts, &view)? else { return Ok(()) };
    let objection = match crate::eval::eval(model, expr, &state) {
        Ok(_) => objection::nonsense(&format!("a state in which {what} has no value")),
        Err(_) => wrong(format!("{what} has no value in ({})", crate::words::state(model, &state))),
    };
    Err(talk.object(objection))
}

/// One more symbol for each variable.
fn symbols(terms: &mut Terms<'_>, suffix: &str) -> IdVec<VarId, VarId> {
    let model = terms.model();
    model.vars.iter().map(|var| terms.fresh(format!("{}{suffix}", var.name), var.domain)).collect()
}

/// The state after a move with names: values that are neither constants nor symbols get one of `names`, and the
/// equations say so.
fn named<'a>(step: &Move<'a>, names: &IdVec<VarId, VarId>) -> (View<'a>, Vec<Expr>) {
    let model = step.after.model;
    let e = &model.exprs;
    let mut values = step.after.values.clone();
    let mut equations = Vec::new();
    for (&var, value) in &mut values {
        let is_symbol = matches!(e.node(*value), lapidary_ir::Node::Var(_));
        if !is_symbol && !fold::is_constant(e, *value) {
            let name = e.var(names[var]);
            equations.push(e.eq(name, *value));
            *value = name;
        }
    }
    (View::new(model, values), equations)
}

#[cfg(test)]
mod tests;

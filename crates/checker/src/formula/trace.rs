//! A run that is none, put as a question: is there a run with just these states that shows what it was to show? A solver
//! that says so of what the built-in solver and the interpreter deny has invented it.

use lapidary_base::{Id, Stop};
use lapidary_ir::{Expr, Model, PropertyId, PropertyKind, Subject};
use lapidary_verdict::{State, Trace, Verdict};

use super::execution::{self, Ending, Pool};
use super::induction::Run;
use super::target;
use super::word::Word;
use crate::Rejection;
use crate::apply;
use crate::certify::{Claim, Means};

/// Why a run was rejected, seen in the light of what the solver says that was named for the search.
pub fn blamed(
    subject: &Subject,
    property: PropertyId,
    verdict: Verdict,
    trace: &Trace,
    rejection: Rejection,
    means: &Means<'_>,
) -> Rejection {
    let (Rejection::Wrong(why), Some(named)) = (&rejection, means.named) else { return rejection };
    // Engines that ask a solver about a hierarchy have made its flattening.
    let Some(model) = subject.made_model() else { return rejection };
    let is_reach = matches!(model.properties[property].kind, PropertyKind::Reach(_));
    // A run shows that an invariant does not hold, that a goal is reached, or that evaluating a goal errs.
    let claim = match (verdict, is_reach) {
        (Verdict::Violated, true) => Claim::NeverErrs(property),
        (Verdict::Violated | Verdict::Holds | Verdict::Unknown, _) => Claim::Decides(property),
    };
    match is_invented(model, claim, trace, &Word::new(means)) {
        Ok(true) => Rejection::Stopped(Stop::Solver(format!(
            "the solver {} lies: it answers sat of a run that is none, and the built-in solver unsat: {why}",
            named.word()
        ))),
        Ok(false) | Err(_) => rejection,
    }
}

fn is_invented(model: &Model, claim: Claim, trace: &Trace, word: &Word<'_>) -> Result<bool, Rejection> {
    let is_said = |state: &State| {
        let mut values = model.vars.iter().zip(state);
        state.len() == model.vars.len() && values.all(|(var, &value)| apply::is_value(model, var.domain, value))
    };
    if trace.states.is_empty() || !trace.states.iter().all(is_said) {
        return Ok(false);
    }
    let model = &model.apart();
    let e = &model.exprs;
    let mut run = Run::new(model, word)?;
    run.begin()?;
    for (number, state) in trace.states.iter().enumerate() {
        if number > 0 {
            run.extend()?;
        }
        let same = |var: lapidary_ir::VarId| {
            let value = run.talk.terms.constant(model.vars[var].domain, state[var.index()]);
            e.eq(run.states[number].value(var), value)
        };
        let same: Vec<Expr> = model.vars.ids().map(same).collect();
        run.talk.assert_all(same)?;
    }
    let Run { talk, states } = &mut run;
    let last = states.last_mut().expect("there is a first state");
    let moves = execution::moves(&mut talk.terms, &mut Pool::default(), last, Ending::InConditions, word.control)?;
    let shown = target::spoils(&talk.terms, last, &moves, claim, word.control)?;
    talk.assert(shown)?;
    talk.is_invented()
}

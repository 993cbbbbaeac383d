//! Checks k-induction: every run keeps the formula for its first `k` states, `k` states in a row with the formula are
//! never followed by one without, and no state with it spoils a claim.
//!
//! If the second part is claimed of different states only, the conclusion is the same. Take a shortest run to a state
//! without the formula. It has no state twice, since what lies between could be left out; all its states but the last have
//! the formula, since otherwise a shorter one would do; and by the first part at least `k` come before the last. So its
//! last `k + 1` states are all different, the first `k` of them have the formula and the last has not, which the
//! second part excludes.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_ir::model::Raw;
use lapidary_ir::{Expr, Model};
use lapidary_verdict::Induction;

use super::execution::{self, Ending, Pool};
use super::fold;
use super::objection::{self, nonsense, wrong};
use super::talk::Talk;
use super::target;
use super::view::View;
use super::word::Word;
use super::{check_defined, check_form, symbols};
use crate::Rejection;
use crate::certify::Claim;
use crate::words;

/// Runs are not followed further.
const MOST_STEPS: u32 = 10_000;

pub fn check(model: &Model, claims: &[Claim], induction: &Induction, word: &Word<'_>) -> Result<(), Rejection> {
    let Induction { k, ref formula, is_simple } = *induction;
    if k == 0 || k > MOST_STEPS {
        return Err(wrong(format!("k is {k}, not a number from 1 to {MOST_STEPS}")));
    }
    let formula = formula.within(&model.exprs);
    check_form(model, formula, "the formula")?;
    check_target(model, claims, formula, word)?;
    check_base(model, formula, k, word)?;
    check_step(model, formula, k, is_simple, word)
}

fn check_target(model: &Model, claims: &[Claim], formula: Expr, word: &Word<'_>) -> Result<(), Rejection> {
    let mut talk = Talk::new(model, word);
    check_defined(&mut talk, formula, "the formula")?;
    let mut view = View::new(model, BTreeMap::new());
    let conditions = execution::configuration(&talk.terms, &mut view);
    talk.assert_all(conditions)?;
    talk.assert(view.is(formula, true))?;
    let moves = execution::moves(&mut talk.terms, &mut Pool::default(), &view, Ending::InConditions, word.control)?;
    for &claim in claims {
        let spoils = target::spoils(&talk.terms, &mut view, &moves, claim, word.control)?;
        if let Some(state) = talk.example(&[spoils], &view)? {
            let objection = match objection::holds(model, formula, &state)? {
                true => objection::spoils(model, claim, &state),
                false => nonsense("a state with the formula"),
            };
            return Err(talk.object(objection));
        }
    }
    Ok(())
}

/// A run from any state, as long as it was made so far.
pub struct Run<'a> {
    pub talk: Talk<'a>,
    pub states: Vec<View<'a>>,
}

impl<'a> Run<'a> {
    pub fn new(model: &'a Model, word: &'a Word<'a>) -> Result<Self, Rejection> {
        let mut talk = Talk::new(model, word);
        let mut first = View::new(model, BTreeMap::new());
        let conditions = execution::configuration(&talk.terms, &mut first);
        talk.assert_all(conditions)?;
        Ok(Self { talk, states: vec![first] })
    }

    pub fn last(&mut self) -> &mut View<'a> {
        self.states.last_mut().expect("there is a first state")
    }

    /// The first state, which is the only one so far, is initial.
    pub fn begin(&mut self) -> Result<(), Rejection> {
        let control = self.talk.control();
        let first = self.states.last_mut().expect("there is a first state");
        let initial = execution::initial(&mut self.talk.terms, first, control)?;
        self.talk.assert_all(initial)
    }

    /// One step more: some move leads to the next state, whose symbols are new.
    pub fn extend(&mut self) -> Result<(), Rejection> {
        let Self { talk, states } = self;
        let last = states.last().expect("there is a first state");
        let model = last.model;
        let e = &model.exprs;
        let next = symbols(&mut talk.terms, &format!("@{}", states.len()));
        let kept = model.vars.ids().filter(|&var| !model.is_local(var));
        let next = kept.map(|var| (var, e.var(next[var]))).collect();
        let mut next = View::new(model, next);
        let mut ways = Vec::new();
        let control = talk.control();
        for step in execution::moves(&mut talk.terms, &mut Pool::default(), last, Ending::Elsewhere, control)? {
            let mut parts = step.all_conditions(&talk.terms);
            parts.extend(model.vars.ids().map(|var| e.eq(next.value(var), step.after.value(var))));
            ways.push(fold::all(e, parts));
        }
        talk.assert(fold::any(e, ways))?;
        let conditions = execution::configuration(&talk.terms, &mut next);
        talk.assert_all(conditions)?;
        states.push(next);
        Ok(())
    }

    /// The states of the example that the solver has, if the interpreter agrees that they are a run in which the
    /// formula is missing in the last state only.
    fn example(&mut self, formula: Expr) -> Result<Vec<Vec<Raw>>, Rejection> {
        let mut states = Vec::with_capacity(self.states.len());
        for view in &self.states {
            states.push(self.talk.state(view)?);
        }
        let model = self.talk.terms.model();
        for pair in states.windows(2) {
            let mut is_step = false;
            for command in model.commands.ids() {
                is_step = is_step || objection::is_step(model, command, &pair[0], &pair[1])?;
            }
            if !is_step {
                return Err(nonsense("a step"));
            }
        }
        for (i, state) in states.iter().enumerate() {
            let is_last = i + 1 == states.len();
            if !objection::is_configuration(model, state) || objection::holds(model, formula, state)? == is_last {
                return Err(nonsense("a run"));
            }
        }
        Ok(states)
    }
}

fn check_base(model: &Model, formula: Expr, k: u32, word: &Word<'_>) -> Result<(), Rejection> {
    let mut run = Run::new(model, word)?;
    run.begin()?;
    for n_steps in 0..k {
        if n_steps > 0 {
            run.extend()?;
        }
        let holds = run.last().is(formula, true);
        run.talk.push()?;
        run.talk.assert(model.exprs.not(holds))?;
        if run.talk.is_possible()? {
            let states = run.example(formula)?;
            let (first, last) = (&states[0], words::state(model, &states[states.len() - 1]));
            let objection = match (objection::is_initial(model, first)?, n_steps) {
                (false, _) => nonsense("an initial state"),
                (true, 0) => wrong(format!("the initial state ({last}) does not satisfy the formula")),
                (true, 1) => wrong(format!("({last}), which one step leads to, does not satisfy the formula")),
                (true, _) => wrong(format!("({last}), which {n_steps} steps lead to, does not satisfy the formula")),
            };
            return Err(run.talk.object(objection));
        }
        run.talk.pop()?;
        run.talk.assert(holds)?;
    }
    Ok(())
}

fn check_step(model: &Model, formula: Expr, k: u32, is_simple: bool, word: &Word<'_>) -> Result<(), Rejection> {
    let e = &model.exprs;
    let mut run = Run::new(model, word)?;
    for _ in 0..k {
        let holds = run.last().is(formula, true);
        run.talk.assert(holds)?;
        run.extend()?;
    }
    let holds = run.last().is(formula, true);
    run.talk.assert(e.not(holds))?;
    // That states differ is asked for only of those that did not.
    let mut differ: BTreeSet<(usize, usize)> = BTreeSet::new();
    while run.talk.is_possible()? {
        let states = run.example(formula)?;
        let same = if is_simple { pairs_of_same(&states) } else { Vec::new() };
        if same.is_empty() {
            let [first, last] = [0, states.len() - 1].map(|i| words::state(model, &states[i]));
            let different = if is_simple { " different" } else { "" };
            return Err(run.talk.object(wrong(format!(
                "a run of {k}{different} states that satisfy the formula, from ({first}) on, leads to ({last}), which does not"
            ))));
        }
        for (earlier, later) in same {
            // A solver that shows what was excluded would do so for ever.
            if !differ.insert((earlier, later)) {
                return Err(nonsense("a run of different states"));
            }
            let (one, other) = (&run.states[earlier], &run.states[later]);
            let differs = |var| e.not(e.eq(one.value(var), other.value(var)));
            let differs = fold::any(e, model.vars.ids().map(differs));
            run.talk.assert(differs)?;
        }
    }
    Ok(())
}

/// The numbers of states that are the same.
fn pairs_of_same(states: &[Vec<Raw>]) -> Vec<(usize, usize)> {
    let before = |later: usize| (0..later).map(move |earlier| (earlier, later));
    let pairs = (1..states.len()).flat_map(before);
    pairs.filter(|&(earlier, later)| states[earlier] == states[later]).collect()
}

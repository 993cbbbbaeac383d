//! What the states of a block have in common, in the words of the source or by the names of sets: for graphs of
//! abstractions.

use lapidary_base::{Control, Stop};
use lapidary_bdd::Set;
use lapidary_ir::{Expr, VarId, print};
use lapidary_system::SetAlgebra;
use lapidary_system::symbolic::Transitions;

use super::start::{Start, asked};
use crate::Task;

/// So many conditions are tried on every block.
const MOST_CONDITIONS: usize = 256;
/// So many lines of a label, and so many letters of a line, are read by people.
const MOST_LINES: usize = 8;
const MOST_LETTERS: usize = 60;

/// The values of the variables that are kept exact, the predicates of the initial abstraction, and the atoms of what is
/// asked.
pub struct Labels {
    conditions: Vec<Condition>,
}

struct Condition {
    holds: Set,
    text: String,
    /// What is said where it is false; nothing of values, since another value is said then.
    negated: Option<String>,
}

impl Labels {
    pub fn new(
        start: &Start,
        task: &Task<'_>,
        target: usize,
        system: &Transitions<'_>,
        control: &Control,
    ) -> Result<Self, Stop> {
        let model = task.subject.declared();
        let symbolic = &system.system;
        let mut encoder = symbolic.places.encoder(&symbolic.space, &model.exprs, &model.families);
        let mut conditions = Vec::new();
        for (formula, is_value) in said(start, task, target) {
            control.check()?;
            let negated = (!is_value).then(|| shown(task, model.exprs.not(formula)));
            conditions.push(Condition { holds: encoder.holds(formula)?, text: shown(task, formula), negated });
        }
        Ok(Self { conditions })
    }

    /// Of sets that have names.
    pub fn of_sets(sets: impl IntoIterator<Item = (Set, String)>) -> Self {
        let condition = |(holds, text): (Set, String)| Condition { holds, negated: Some(format!("not {text}")), text };
        Self { conditions: sets.into_iter().take(MOST_CONDITIONS).map(condition).collect() }
    }

    /// One line for every condition that all states of the block agree on.
    pub fn of(&self, system: &Transitions<'_>, block: &Set) -> Result<Vec<String>, Stop> {
        let mut lines: Vec<String> = Vec::new();
        for Condition { holds, text, negated } in &self.conditions {
            let line = if system.is_subset(block, holds)? {
                Some(text)
            } else if negated.is_some() && !system.intersects(block, holds)? {
                negated.as_ref()
            } else {
                None
            };
            match line {
                Some(_) if lines.len() == MOST_LINES => {
                    lines.push("...".to_owned());
                    break;
                }
                Some(line) if !lines.contains(line) => lines.push(line.clone()),
                Some(_) | None => {}
            }
        }
        Ok(lines)
    }
}

/// The conditions, and whether they only give a variable its value.
fn said(start: &Start, task: &Task<'_>, target: usize) -> Vec<(Expr, bool)> {
    let kept = start.kept(task);
    let mut said: Vec<(Expr, bool)> = Vec::new();
    for &var in &kept {
        let values = values(task, var);
        if said.len() + values.len() > MOST_CONDITIONS {
            break;
        }
        said.extend(values.into_iter().map(|value| (value, true)));
    }
    // What is asked matters whatever the abstraction begins with.
    let asked = asked(task.subject.declared(), task.goals[target].target);
    for formula in start.formulas(task, target, false).into_iter().chain(asked) {
        if said.len() == MOST_CONDITIONS {
            break;
        }
        if said.iter().all(|&(other, _)| other != formula) {
            said.push((formula, false));
        }
    }
    said
}

/// `x = 0`, `x = 1`, ...
fn values(task: &Task<'_>, var: VarId) -> Vec<Expr> {
    let model = task.subject.declared();
    let domain = model.vars[var].domain;
    let (lo, hi) = model.bounds(domain).expect("all domains are finite");
    if hi.abs_diff(lo) >= MOST_CONDITIONS as u64 {
        return Vec::new();
    }
    let exprs = &model.exprs;
    (lo..=hi).map(|number| exprs.eq(exprs.var(var), domain.constant(exprs, number))).collect()
}

fn shown(task: &Task<'_>, formula: Expr) -> String {
    let text = print::show(task.subject.declared(), formula);
    match text.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{} ...", text[..end].trim_end()),
        None => text,
    }
}

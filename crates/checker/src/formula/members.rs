//! The blocks of a certificate: checked for their form, and found by the states in them.

use std::collections::BTreeMap;

use lapidary_base::Id;
use lapidary_base::hash::Set;
use lapidary_ir::model::Raw;
use lapidary_ir::{Expr, Model, VarId};
use lapidary_smt::Terms;
use lapidary_verdict::{Block, Blocks, Formula};

use super::check_form;
use super::fold;
use super::objection::{nonsense, wrong};
use super::view::View;
use crate::Rejection;
use crate::apply;
use crate::eval::{self, Error};
use crate::finding;

/// The blocks with the same values of the control variables, by their numbers.
pub type Groups<'b> = BTreeMap<&'b [Raw], Vec<usize>>;

pub struct Members<'b> {
    model: &'b Model,
    pub all: &'b Blocks,
    /// Its predicates, among the model's expressions.
    pub predicates: Vec<Expr>,
    /// Without the blocks that have no state because a value is outside its domain.
    pub groups: Groups<'b>,
}

impl<'b> Members<'b> {
    pub fn new(model: &'b Model, all: &'b Blocks) -> Result<Self, Rejection> {
        let mut seen: Set<VarId> = Set::default();
        for &var in &all.control {
            let Some(declared) = model.vars.get(var) else {
                return Err(wrong(format!("the blocks are malformed: there is no variable number {}", var.0)));
            };
            if model.is_local(var) {
                return Err(wrong(format!("the blocks are malformed: {} is local to a statement", declared.name)));
            }
            if !seen.insert(var) {
                return Err(wrong(format!("the blocks are malformed: {} is listed twice", declared.name)));
            }
        }
        let predicates = Formula::all_within(&all.predicates, &model.exprs);
        for (number, &predicate) in predicates.iter().enumerate() {
            check_form(model, predicate, &predicate_name(number))?;
        }
        let mut groups: Groups<'b> = BTreeMap::new();
        for (number, block) in all.blocks.iter().enumerate() {
            check_block(all, block).map_err(|why| wrong(format!("block {number} is malformed: {why}")))?;
            let mut values = all.control.iter().zip(&block.control);
            if values.all(|(&var, &value)| eval::in_domain(model, var, value)) {
                groups.entry(&block.control).or_default().push(number);
            }
        }
        Ok(Self { model, all, predicates, groups })
    }

    /// The view in which control variables have these values and all others stand for themselves.
    pub fn view(&self, terms: &Terms<'b>, control: &[Raw]) -> View<'b> {
        let constant = |(&var, &value): (&VarId, &Raw)| (var, terms.constant(self.model.vars[var].domain, value));
        View::new(self.model, self.all.control.iter().zip(control).map(constant).collect())
    }

    /// That the state of a view satisfies a block's literals.
    pub fn literals(&self, number: usize, view: &mut View<'_>) -> Vec<Expr> {
        let literals = &self.all.blocks[number].literals;
        literals.iter().map(|&(predicate, wanted)| view.is(self.predicates[predicate as usize], wanted)).collect()
    }

    /// That the state of a view is in a block.
    pub fn contains(&self, terms: &Terms<'_>, number: usize, view: &mut View<'_>) -> Expr {
        let e = &self.model.exprs;
        let control = self.all.control.iter().zip(&self.all.blocks[number].control);
        // No term says that a variable has what is no value.
        if !control.clone().all(|(&var, &value)| apply::is_value(self.model, self.model.vars[var].domain, value)) {
            return e.bool(false);
        }
        let value = |(&var, &value): (&VarId, &Raw)| {
            fold::eq(e, view.value(var), terms.constant(self.model.vars[var].domain, value))
        };
        let mut parts: Vec<Expr> = control.map(value).collect();
        if parts.iter().all(|&part| e.as_bool(part) != Some(false)) {
            parts.extend(self.literals(number, view));
        }
        fold::all(e, parts)
    }

    /// The block with the fewest literals that a state is in.
    pub fn find(&self, state: &[Raw]) -> Result<Option<usize>, Rejection> {
        let control: Vec<Raw> = self.all.control.iter().map(|var| state[var.index()]).collect();
        let Some(group) = self.groups.get(&control[..]) else { return Ok(None) };
        let mut truths = Vec::with_capacity(self.predicates.len());
        for (number, &predicate) in self.predicates.iter().enumerate() {
            truths.push(match eval::truth(self.model, predicate, state) {
                Ok(truth) => truth,
                Err(Error::Overflow) => return Err(finding::overflow(predicate_name(number))),
                // Every predicate has a value within the domains.
                Err(Error::Undefined) => return Err(nonsense("a state")),
            });
        }
        let fits = |number: &&usize| {
            let literals = &self.all.blocks[**number].literals;
            literals.iter().all(|&(predicate, wanted)| truths[predicate as usize] == wanted)
        };
        let found = group.iter().filter(fits).min_by_key(|&&number| self.all.blocks[number].literals.len());
        Ok(found.copied())
    }

    /// Is the state in this block?
    pub fn is_in(&self, number: usize, state: &[Raw]) -> bool {
        let block = &self.all.blocks[number];
        let mut values = self.all.control.iter().zip(&block.control);
        let is_true = |predicate: u32| eval::truth(self.model, self.predicates[predicate as usize], state);
        values.all(|(var, &value)| state[var.index()] == value)
            && block.literals.iter().all(|&(predicate, wanted)| is_true(predicate) == Ok(wanted))
    }
}

pub fn predicate_name(number: usize) -> String {
    format!("predicate {number}")
}

fn check_block(all: &Blocks, block: &Block) -> Result<(), String> {
    if block.control.len() != all.control.len() {
        return Err(format!("it has {} values for {} variables", block.control.len(), all.control.len()));
    }
    let mut last = None;
    for &(predicate, _) in &block.literals {
        if predicate as usize >= all.predicates.len() {
            return Err(format!("there is no predicate number {predicate}"));
        }
        if last.is_some_and(|last| last >= predicate) {
            return Err("its literals are not in rising order".to_owned());
        }
        last = Some(predicate);
    }
    Ok(())
}

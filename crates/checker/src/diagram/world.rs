//! The configurations and the members of the set, for a choice of which definitions are in force.

use lapidary_base::IdVec;
use lapidary_ir::{Expr, Model, VarId};
use lapidary_verdict::Diagram;
use oxidd::VarNo;

use super::definitions::{self, Definitions};
use super::encode::{Column, Encoder};
use super::members;
use super::space::{Set, Space};
use crate::Rejection;

/// What all worlds share.
pub struct Base<'a> {
    pub model: &'a Model,
    pub diagram: &'a Diagram,
    /// Of the model's invariant.
    pub conjuncts: &'a [Expr],
    pub definitions: &'a Definitions,
    pub columns: &'a IdVec<VarId, Column>,
    pub space: &'a Space<'a>,
}

pub struct World<'a> {
    /// The defined variables that have their own columns here; all others are read through their definitions.
    pub kept: Vec<VarId>,
    pub encoder: Encoder<'a>,
    /// All values within their domains, local variables at the first one.
    pub within: Set,
    /// Within the domains, and the model's invariant is true.
    pub inside: Set,
    /// The states of the set that are inside.
    pub members: Set,
}

fn within(model: &Model, encoder: &mut Encoder<'_>) -> Result<Set, Rejection> {
    let space = encoder.space;
    let mut within = space.all.clone();
    for var in model.vars.ids() {
        let values = match model.is_local(var) {
            true => encoder.columns[var]
                .bits
                .iter()
                .try_fold(space.all.clone(), |first, &bit| space.without(&first, &space.bit(bit)?))?,
            false => encoder.in_domain(var)?,
        };
        within = space.and(&within, &values)?;
    }
    Ok(within)
}

impl<'a> World<'a> {
    pub fn new(base: &'a Base<'a>, kept: Vec<VarId>) -> Result<Self, Rejection> {
        let (model, space) = (base.model, base.space);
        let in_force = definitions::in_force(model, base.definitions, &kept);
        let mut encoder = Encoder::new(model, space, base.columns, in_force);
        let within = within(model, &mut encoder)?;
        let mut inside = within.clone();
        let is_used = |conjunct: Expr| {
            base.definitions.list.iter().any(|other| other.conjunct == conjunct && !kept.contains(&other.var))
        };
        for &conjunct in base.conjuncts.iter().filter(|conjunct| !is_used(**conjunct)) {
            inside = space.and(&inside, &encoder.truth(conjunct)?.yes)?;
        }
        let members = members::members(&mut encoder, base.diagram)?;
        let members = space.and(&members, &inside)?;
        Ok(Self { kept, encoder, within, inside, members })
    }

    /// A set of this world as one in which the kept variables are read through their definitions too.
    pub fn forget_kept(&self, set: &Set) -> Result<Set, Rejection> {
        let columns = self.kept.iter().map(|&var| &self.encoder.columns[var]);
        let bits: Vec<VarNo> = columns.flat_map(|column| column.bits.iter().copied()).collect();
        self.encoder.space.and_exists(set, &self.encoder.space.all, &bits)
    }
}

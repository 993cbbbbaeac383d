//! Which parts of a model's invariant a command can break: those that speak of what it writes. The others were true before
//! the step, and nothing that they speak of changes.

use std::collections::BTreeSet;

use lapidary_base::hash::Set;
use lapidary_base::{Id, IdVec};

use super::paths::Leaf;
use crate::expr::{Expr, Node};
use crate::model::{Destination, Model, VarId};

/// The parts of the invariant by the variables that they speak of.
pub struct Touched<'a> {
    model: &'a Model,
    by_var: IdVec<VarId, Vec<usize>>,
}

impl<'a> Touched<'a> {
    pub fn new(model: &'a Model) -> Self {
        let mut by_var: IdVec<VarId, Vec<usize>> = model.vars.ids().map(|_| Vec::new()).collect();
        for (number, &part) in model.invariant.iter().enumerate() {
            spoken_of(model, part).into_iter().for_each(|var| by_var[var].push(number));
        }
        Self { model, by_var }
    }

    /// The parts that have to be asked for after this way through a body, in the order of the model.
    pub fn by(&self, path: &[Leaf<'_>]) -> Vec<Expr> {
        self.by_writes(&written(self.model, path))
    }

    /// The parts that have to be asked for where these variables may have been written.
    pub fn by_writes(&self, written: &BTreeSet<VarId>) -> Vec<Expr> {
        let parts: BTreeSet<usize> = written.iter().flat_map(|&var| self.by_var[var].iter().copied()).collect();
        parts.into_iter().map(|number| self.model.invariant[number]).collect()
    }
}

/// The variables that may be written, each once.
fn written(model: &Model, path: &[Leaf<'_>]) -> BTreeSet<VarId> {
    let assignments = path.iter().flat_map(|leaf| match leaf {
        Leaf::Assign(assignments) => *assignments,
        Leaf::Assume(_) | Leaf::Refute(_) => &[],
    });
    let mut all = BTreeSet::new();
    for assignment in assignments {
        match assignment.to {
            Destination::Var(var) => all.extend([var]),
            Destination::Cell(family, _) => all.extend(cells(model, family)),
        }
    }
    all
}

fn spoken_of(model: &Model, root: Expr) -> BTreeSet<VarId> {
    let (mut found, mut seen, mut open) = (BTreeSet::new(), Set::default(), vec![root]);
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match model.exprs.node(expr) {
            Node::Var(var) => found.extend([*var]),
            Node::Cell(family, _) => found.extend(cells(model, *family)),
            _ => {}
        }
        model.exprs.for_each_part(expr, |part| open.push(part));
    }
    found
}

fn cells(model: &Model, family: crate::model::FamilyId) -> impl Iterator<Item = VarId> {
    let row = &model.families[family];
    let first = row.first.index();
    (first..first + row.len as usize).map(VarId::new)
}

//! Columns for the present and the next configuration, bit beside bit, and the variables that need none.

use std::collections::BTreeSet;

use lapidary_base::IdVec;
use lapidary_ir::model::Raw;
use lapidary_ir::tree::Vector;
use lapidary_ir::{ComponentId, Declarations, Expr, Tree, VarId};
use oxidd::VarNo;

use crate::diagram::encode::Column;
use crate::initial;

/// The columns of variables in the present and in the next configuration.
#[derive(Default)]
pub struct Columns {
    pub now: IdVec<VarId, Column>,
    pub then: IdVec<VarId, Column>,
}

impl Columns {
    pub fn n_bits(&self) -> VarNo {
        let bits = self.now.iter().chain(&self.then).flat_map(|column| &column.bits);
        bits.max().map_or(0, |&last| last + 1)
    }
}

/// Columns with these bounds; `order` says in which order they lie, and what it leaves out comes last.
pub fn columns(bounds: &IdVec<VarId, (Raw, Raw)>, order: &[VarId], first: VarNo) -> Columns {
    let mut n_bits = first;
    let mut placed: IdVec<VarId, Option<(Column, Column)>> = bounds.iter().map(|_| None).collect();
    for var in order.iter().copied().chain(bounds.ids()) {
        if placed[var].is_none() {
            placed[var] = Some(pair(bounds[var], &mut n_bits));
        }
    }
    let mut columns = Columns::default();
    for (now, then) in placed.into_vec().into_iter().flatten() {
        columns.now.push(now);
        columns.then.push(then);
    }
    columns
}

/// The greatest bit on top, as the values of a diagram's edges are sorted; the next configuration's below the present's.
fn pair((lo, hi): (Raw, Raw), n_bits: &mut VarNo) -> (Column, Column) {
    let width = u64::BITS - hi.abs_diff(lo).leading_zeros();
    let column = |offset| Column { bits: (0..width).map(|i| *n_bits + 2 * (width - 1 - i) + offset).collect(), lo, hi };
    let found = (column(0), column(1));
    *n_bits += 2 * width;
    found
}

/// Flows that an assertion determines; they are read through their definitions. Of the two sides of an equation, the one
/// that `asked` leaves out is defined.
///
/// Where it is asked what a subcomponent can do by itself, assertions further up do not hold yet. So an assertion defines
/// flows further down only as long as nobody on the way asks, which is where there are priorities or optional parts.
pub fn definitions(tree: &Tree, model: &Declarations, asked: &BTreeSet<VarId>) -> IdVec<VarId, Option<Expr>> {
    let mut values: IdVec<VarId, Option<Expr>> = tree.vars.iter().map(|_| None).collect();
    for component in tree.components.ids() {
        define(tree, model, component, asked, &mut values);
    }
    values
}

/// Does it depend on what is possible here and below which events can be fired?
pub fn is_blocking(tree: &Tree, component: ComponentId) -> bool {
    let declared = &tree.components[component];
    !declared.priorities.is_empty() || declared.vectors.iter().any(Vector::has_optional)
}

fn define(
    tree: &Tree,
    model: &Declarations,
    component: ComponentId,
    asked: &BTreeSet<VarId>,
    values: &mut IdVec<VarId, Option<Expr>>,
) {
    let assertions = tree.components[component].assertions.iter();
    let conjuncts: Vec<Expr> = assertions.flat_map(|assertion| model.exprs.conjuncts(assertion.expr)).collect();
    if conjuncts.is_empty() {
        return;
    }
    let flows = flows(tree, component);
    for conjunct in conjuncts {
        let mut equations = initial::equations(model, conjunct);
        equations.sort_by_key(|(var, ..)| asked.contains(var));
        let usable = equations.into_iter().find(|(var, _, reads)| {
            flows.contains(var) && values[*var].is_none() && !depends(model, values, reads, *var)
        });
        if let Some((var, value, _)) = usable {
            values[var] = Some(value);
        }
    }
}

/// The flows that assertions of the component may define.
fn flows(tree: &Tree, component: ComponentId) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut pending = vec![component];
    while let Some(inner) = pending.pop() {
        found.extend(tree.components[inner].own_vars().filter(|&var| !tree.is_state(var)));
        pending.extend(tree.components[inner].subs.iter().copied().filter(|&sub| !is_blocking(tree, sub)));
    }
    found
}

/// Do some of these variables depend on `var` through definitions?
fn depends(model: &Declarations, values: &IdVec<VarId, Option<Expr>>, reads: &BTreeSet<VarId>, var: VarId) -> bool {
    let mut seen = reads.clone();
    let mut pending: Vec<VarId> = reads.iter().copied().collect();
    while let Some(read) = pending.pop() {
        if read == var {
            return true;
        }
        let Some(value) = values[read] else { continue };
        pending.extend(initial::variables(model, value).into_iter().filter(|&more| seen.insert(more)));
    }
    false
}

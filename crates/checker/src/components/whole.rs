//! Checks a set of configurations, given as a diagram, on the tree itself: the same composition without any blocks.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::{Control, Id, IdVec};
use lapidary_ir::tree::ROOT;
use lapidary_ir::{ComponentId, Declarations, Expr, Property, PropertyId, Tree, VarId};
use lapidary_verdict::Diagram;
use oxidd::VarNo;

use super::columns::{self, Columns};
use super::compose::Local;
use super::concrete::{Concrete, When};
use super::form::wrong;
use super::{claimed, formula, leaving, model, stuck, words};
use crate::Rejection;
use crate::certify::Claim;
use crate::diagram::members;
use crate::diagram::space::{self, Set};
use crate::diagram::suspects;
use crate::initial;

/// Does the set show all the claims, by the composition semantics of the tree?
pub fn certify_diagram_on_tree(
    tree: &Tree,
    properties: &IdVec<PropertyId, Property>,
    claims: &[Claim],
    diagram: &Diagram,
    control: &Control,
) -> Result<(), Rejection> {
    certify_from(tree, Start::Declared, properties, claims, diagram, control)
}

/// The same for runs that begin wherever this formula holds, whatever the tree declares.
pub fn certify_diagram_on_tree_from(
    tree: &Tree,
    start: Expr,
    properties: &IdVec<PropertyId, Property>,
    claims: &[Claim],
    diagram: &Diagram,
    control: &Control,
) -> Result<(), Rejection> {
    certify_from(tree, Start::Formula(start), properties, claims, diagram, control)
}

/// Where runs begin.
#[derive(Clone, Copy)]
enum Start {
    Declared,
    Formula(Expr),
}

fn certify_from(
    tree: &Tree,
    start: Start,
    properties: &IdVec<PropertyId, Property>,
    claims: &[Claim],
    diagram: &Diagram,
    control: &Control,
) -> Result<(), Rejection> {
    let claims = claimed(properties, claims)?;
    let model = model(tree);
    diagram.validate(&model).map_err(|why| Rejection::Wrong(format!("the diagram is malformed: {why}")))?;
    let definitions = columns::definitions(tree, &model, &diagram.order.iter().copied().collect());
    let columns = layout(tree, &model, diagram, &definitions);
    space::attempts(columns.n_bits(), control, |space| {
        let mut concrete = Concrete::new(tree, &model, space, &columns, &definitions);
        check(&mut concrete, start, &claims, diagram)
    })
}

/// In the diagram's order; what it leaves out comes after all that it depends on.
fn layout(tree: &Tree, model: &Declarations, diagram: &Diagram, definitions: &IdVec<VarId, Option<Expr>>) -> Columns {
    let mut places: IdVec<VarId, usize> = tree.vars.iter().map(|_| usize::MAX).collect();
    for (place, &var) in diagram.order.iter().enumerate() {
        places[var] = place;
    }
    let mut order: Vec<(usize, bool, VarId)> = places.ids().map(|var| (places[var], false, var)).collect();
    // A flow that some assertion determines belongs beside what determines it.
    let assertions = tree.components.iter().flat_map(|component| &component.assertions);
    for conjunct in assertions.flat_map(|assertion| model.exprs.conjuncts(assertion.expr)) {
        for (var, _, reads) in initial::equations(model, conjunct) {
            if places[var] == usize::MAX && definitions[var].is_none() {
                let last = reads.iter().map(|&read| places[read]).filter(|&place| place != usize::MAX).max();
                order[var.index()] = (last.unwrap_or(usize::MAX), true, var);
            }
        }
    }
    order.sort_unstable();
    let order: Vec<VarId> = order.into_iter().map(|(.., var)| var).collect();
    columns::columns(&tree.vars.ids().map(|var| tree.bounds(var)).collect(), &order, 0)
}

fn check(
    concrete: &mut Concrete<'_>,
    start: Start,
    claims: &[(Claim, &Property)],
    diagram: &Diagram,
) -> Result<(), Rejection> {
    let (space, tree) = (concrete.space, concrete.tree);
    let inside = configurations(concrete, When::Now)?;
    let set = space.and(&members::members(&mut concrete.now, diagram)?, &inside)?;
    let start = match start {
        Start::Declared => concrete.initial(|_| true)?,
        Start::Formula(formula) => concrete.now.truth(formula)?.yes,
    };
    let missed = space.without(&space.and(&inside, &start)?, &set)?;
    if let Some(bits) = space.pick(&missed) {
        let shown = concrete.shown(&bits, When::Now, tree.vars.ids());
        return wrong(format!("the initial configuration ({shown}) is not in the set"));
    }
    let composer = concrete.composer();
    let steps = composer.steps(ROOT, &locals(concrete, &set)?)?;
    let present: Vec<VarNo> = tree.vars.ids().flat_map(|var| concrete.bits(var, When::Now)).collect();
    let next = members::members(&mut concrete.then, diagram)?;
    if let Some((step, bits)) = leaving(&composer, &steps, &set, &next, &present)? {
        let shown = |when| concrete.shown(&bits, when, tree.vars.ids());
        let (from, to, by) = (shown(When::Now), shown(When::Then), words(tree, step));
        return wrong(format!("({from}) leads by {by} to ({to}), which is not in the set"));
    }
    for &(claim, property) in claims {
        let suspects = match formula(property) {
            Some((formula, fine)) => suspects::formula(&mut concrete.now, property, claim, formula, fine)?,
            None => stuck(&composer, &steps, &set)?,
        };
        if let Some(bits) = space.pick(&space.and(&suspects, &set)?) {
            let shown = concrete.shown(&bits, When::Now, tree.vars.ids());
            return wrong(format!("the set contains ({shown}), against {}", property.name));
        }
    }
    Ok(())
}

/// What the components can do where a member is: each is told only how the members look from its subtree.
fn locals(concrete: &mut Concrete<'_>, set: &Set) -> Result<BTreeMap<ComponentId, Local>, Rejection> {
    let (space, tree) = (concrete.space, concrete.tree);
    let mut locals = BTreeMap::new();
    let mut looks: IdVec<ComponentId, Set> = IdVec::new();
    for component in tree.components.ids() {
        let look = match tree.components[component].parent {
            None => set.clone(),
            Some(parent) => {
                let inner: BTreeSet<VarId> = tree.subtree_vars(component).collect();
                let is_outside = |var: &VarId| !inner.contains(var);
                let others = tree.subtree_vars(parent).filter(is_outside);
                let bits: Vec<VarNo> = others.flat_map(|var| concrete.bits(var, When::Now)).collect();
                space.and_exists(&looks[parent], &space.all, &bits)?
            }
        };
        locals.insert(component, Local::Alone(concrete.relations(component, &look)?));
        looks.push(look);
    }
    Ok(locals)
}

fn configurations(concrete: &mut Concrete<'_>, when: When) -> Result<Set, Rejection> {
    let (space, tree) = (concrete.space, concrete.tree);
    tree.components
        .ids()
        .try_fold(space.all.clone(), |inside, component| space.and(&inside, &concrete.configurations(component, when)?))
}

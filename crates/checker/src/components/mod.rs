//! Checks covers of components (Chucri 2012, chapter 5): the covers are sound, and a set of combinations of blocks
//! contains the initial ones, is left by no abstract step and misses what must not be reached.
//!
//! That proves something about the tree itself because nothing couples the covers but events: no expression reads across
//! them, and where an event can block another the blocks are neat, so that what a block can do all its members can.
//! The same composition, over configurations instead of blocks, checks diagrams on the tree.

pub(crate) mod columns;
pub(crate) mod compose;
pub(crate) mod concrete;
mod covers;
mod form;
mod whole;

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::{Control, Id, IdVec};
use lapidary_ir::model::Raw;
use lapidary_ir::tree::ROOT;
use lapidary_ir::{ComponentId, Declarations, Expr, Property, PropertyId, PropertyKind, Tree, Var, VarId};
use lapidary_verdict::Components;
use oxidd::VarNo;

use self::columns::Columns;
use self::compose::{Composer, Local, Step};
use self::concrete::{Concrete, When};
use self::covers::{Covered, Covers, Neatness};
use self::form::wrong;
use crate::Rejection;
use crate::certify::Claim;
use crate::diagram::encode::Encoder;
use crate::diagram::space::{self, Set, Space};
use crate::diagram::suspects::{self, Fine};
use crate::finding;
use crate::tree::why;

pub use whole::{certify_diagram_on_tree, certify_diagram_on_tree_from};

/// Do the covers show all the claims about the tree? The expressions of `properties` are the tree's.
pub fn certify_components(
    tree: &Tree,
    properties: &IdVec<PropertyId, Property>,
    claims: &[Claim],
    components: &Components,
    control: &Control,
) -> Result<(), Rejection> {
    let claims = claimed(properties, claims)?;
    let model = model(tree);
    let numbers = form::check(tree, &model, components)?;
    let (of_numbers, of_vars) = layout(tree, &numbers, components);
    let blocks = components.covers.iter().flat_map(|cover| &cover.blocks);
    let definitions =
        columns::definitions(tree, &model, &blocks.flat_map(|block| block.order.iter().copied()).collect());
    let n_bits = of_numbers.n_bits().max(of_vars.n_bits());
    space::attempts(n_bits, control, |space| {
        let encoder = |columns| Encoder::new(&numbers, space, columns, numbers.vars.iter().map(|_| None).collect());
        let concrete = Concrete::new(tree, &model, space, &of_vars, &definitions);
        let (now, then) = (encoder(&of_numbers.now), encoder(&of_numbers.then));
        check(&mut Covers { tree, space, components, concrete, now, then }, &claims)
    })
}

/// The tree's variables and expressions, for the encoder.
fn model(tree: &Tree) -> Declarations {
    let (exprs, enums, vars) = (tree.exprs.above(), tree.enums.clone(), tree.vars.clone());
    Declarations { name: tree.name.clone(), exprs, enums, vars, ..Declarations::default() }
}

/// The claims with their properties, if they are of a kind that is checked on trees.
fn claimed<'p>(
    properties: &'p IdVec<PropertyId, Property>,
    claims: &[Claim],
) -> Result<Vec<(Claim, &'p Property)>, Rejection> {
    let mut found = Vec::new();
    for &claim in claims {
        let id = claim.property();
        let Some(property) = properties.get(id) else {
            return wrong(format!("the model has no property number {}", id.0));
        };
        match property.kind {
            PropertyKind::Invariant(_) | PropertyKind::Reach(_) | PropertyKind::DeadlockFree => {}
            PropertyKind::NoErrors => {
                return wrong(format!("{} is about commands, and a hierarchy has none", property.name));
            }
            PropertyKind::Ltl(_) => return Err(finding::unsupported(property)),
        }
        found.push((claim, property));
    }
    Ok(found)
}

/// Cover by cover, in the order of the combinations: its number, then its variables in the order of its diagrams.
fn layout(tree: &Tree, numbers: &Declarations, components: &Components) -> (Columns, Columns) {
    let n_covers = components.covers.len();
    let shifted = |var: VarId| VarId::new(var.index() + n_covers);
    let of_number = |var: &Var| numbers.bounds(var.domain).expect("numbers of blocks are finite");
    let bounds: IdVec<VarId, (Raw, Raw)> =
        numbers.vars.iter().map(of_number).chain(tree.vars.ids().map(|var| tree.bounds(var))).collect();
    let mut order = Vec::new();
    let rest = (0..n_covers).map(Components::number);
    for number in components.reachable.order.iter().copied().chain(rest) {
        let cover = &components.covers[number.index()];
        order.push(number);
        let longest = cover.blocks.iter().map(|block| &block.order).max_by_key(|order| order.len());
        order.extend(longest.into_iter().flatten().map(|&var| shifted(var)));
        order.extend(form::vars(tree, cover).into_iter().map(shifted));
    }
    let all = columns::columns(&bounds, &order, 0);
    let (mut of_numbers, mut of_vars) = (Columns::default(), Columns::default());
    for (id, (now, then)) in bounds.ids().zip(all.now.into_vec().into_iter().zip(all.then.into_vec())) {
        let part = if id.index() < n_covers { &mut of_numbers } else { &mut of_vars };
        part.now.push(now);
        part.then.push(then);
    }
    (of_numbers, of_vars)
}

fn check(covers: &mut Covers<'_>, claims: &[(Claim, &Property)]) -> Result<(), Rejection> {
    let n_covers = covers.components.covers.len();
    let covered = (0..n_covers).map(|number| covers.covered(number)).collect::<Result<Vec<Covered>, _>>()?;
    let locals = locals(covers, &covered, claims)?;
    let reachable = covers.reachable(&covered, When::Now)?;
    check_initial(covers, &covered, &reachable)?;
    let next = covers.reachable(&covered, When::Then)?;
    let composer = covers.composer();
    let steps = composer.steps(ROOT, &locals)?;
    if let Some((step, bits)) = leaving(&composer, &steps, &reachable, &next, &present(covers))? {
        let (from, to) = (covers.combination(&bits, When::Now), covers.combination(&bits, When::Then));
        let by = words(covers.tree, step);
        return wrong(format!("the blocks ({from}) lead by {by} to ({to}), which is not in the set of combinations"));
    }
    for &(claim, property) in claims {
        match formula(property) {
            Some((formula, fine)) => {
                let suspects = suspects::formula(&mut covers.concrete.now, property, claim, formula, fine)?;
                check_target(covers, &covered, &reachable, property, &suspects)?;
            }
            None => {
                let stuck = stuck(&covers.composer(), &steps, &reachable)?;
                if let Some(bits) = covers.space.pick(&stuck) {
                    let shown = covers.combination(&bits, When::Now);
                    return wrong(format!("the blocks ({shown}) have no step, against {}", property.name));
                }
            }
        }
    }
    Ok(())
}

/// The formula of a property and the value that it should have; none if it is about deadlocks.
fn formula(property: &Property) -> Option<(Expr, Fine)> {
    match property.kind {
        PropertyKind::Invariant(formula) => Some((formula, Fine::Yes)),
        PropertyKind::Reach(formula) => Some((formula, Fine::No)),
        PropertyKind::DeadlockFree | PropertyKind::NoErrors | PropertyKind::Ltl(_) => None,
    }
}

fn locals(
    covers: &mut Covers<'_>,
    covered: &[Covered],
    claims: &[(Claim, &Property)],
) -> Result<BTreeMap<ComponentId, Local>, Rejection> {
    let asks_for_deadlocks = claims.iter().any(|(_, property)| property.kind == PropertyKind::DeadlockFree);
    let alone: BTreeSet<ComponentId> =
        covers.components.covers.iter().filter(|cover| !cover.is_subtree).map(|cover| cover.component).collect();
    let mut locals = BTreeMap::new();
    for (number, one) in covered.iter().enumerate() {
        let neatness = match asks_for_deadlocks {
            true => Neatness::Everything,
            false => covers.neatness(number, &alone),
        };
        locals.insert(covers.components.covers[number].component, covers.local(number, one, neatness)?);
    }
    Ok(locals)
}

fn check_initial(covers: &mut Covers<'_>, covered: &[Covered], reachable: &Set) -> Result<(), Rejection> {
    let space = covers.space;
    let mut missed = space.not(reachable)?;
    for (number, one) in covered.iter().enumerate() {
        missed = space.and(&missed, &covers.initial(number, one)?)?;
    }
    match space.pick(&missed) {
        None => Ok(()),
        Some(bits) => {
            let shown = covers.combination(&bits, When::Now);
            wrong(format!("the blocks ({shown}) have an initial configuration, but are not in the set of combinations"))
        }
    }
}

/// No configuration in a reachable combination of blocks is a suspect.
fn check_target(
    covers: &Covers<'_>,
    covered: &[Covered],
    reachable: &Set,
    property: &Property,
    suspects: &Set,
) -> Result<(), Rejection> {
    let space = covers.space;
    let through = covered.iter().try_fold(suspects.clone(), |set, one| covers.through(one, &set))?;
    let Some(bits) = space.pick(&space.and(&through, reachable)?) else { return Ok(()) };
    let mut found = space.and(suspects, &exactly(space, &bits, &present(covers))?)?;
    for one in covered {
        found = covers.within(one, &found)?;
    }
    let blocks = covers.combination(&bits, When::Now);
    let bits = space.pick(&found).unwrap_or(bits);
    let shown = covers.concrete.shown(&bits, When::Now, covers.tree.vars.ids());
    wrong(format!("the blocks ({blocks}) contain ({shown}), against {}", property.name))
}

/// The bits of the numbers of present blocks.
fn present(covers: &Covers<'_>) -> Vec<VarNo> {
    (0..covers.components.covers.len()).flat_map(|number| covers.number_bits(number, When::Now)).collect()
}

/// The set of what agrees with `bits` on these ones.
fn exactly(space: &Space<'_>, bits: &[bool], on: &[VarNo]) -> Result<Set, Rejection> {
    on.iter().try_fold(space.all.clone(), |set, &bit| match bits[bit as usize] {
        true => space.and(&set, &space.bit(bit)?),
        false => space.without(&set, &space.bit(bit)?),
    })
}

/// A step from a member to what is no member, with the bits of both; `present` are the bits of where it begins.
fn leaving<'s>(
    composer: &Composer<'_>,
    steps: &'s [Step],
    members: &Set,
    next: &Set,
    present: &[VarNo],
) -> Result<Option<(&'s Step, Vec<bool>)>, Rejection> {
    let space = composer.space;
    let outside = space.not(next)?;
    let cube = composer.next_cube(ROOT)?;
    for step in steps {
        let relation = step.moves.any(space)?;
        let sources = space.and_exists_in(&relation, &outside, &cube)?;
        let Some(bits) = space.pick(&space.and(&sources, members)?) else { continue };
        let pair = space.and(&space.and(&relation, &exactly(space, &bits, present)?)?, &outside)?;
        return Ok(space.pick(&pair).map(|bits| (step, bits)));
    }
    Ok(None)
}

/// The members from which nothing but idling is possible.
fn stuck(composer: &Composer<'_>, steps: &[Step], members: &Set) -> Result<Set, Rejection> {
    let cube = composer.next_cube(ROOT)?;
    steps.iter().try_fold(members.clone(), |stuck, step| {
        let able = composer.space.and_exists_in(&step.moves.busy, &composer.space.all, &cube)?;
        composer.space.without(&stuck, &able)
    })
}

/// How a step of the root came about.
fn words(tree: &Tree, step: &Step) -> String {
    let vector = step.vector.map(|number| &tree.components[ROOT].vectors[number]);
    match vector {
        Some(vector) if !vector.parts.is_empty() => why::vector_name(tree, vector),
        Some(_) => "epsilon or hidden events".to_owned(),
        None if step.top.event == lapidary_ir::tree::EPSILON => "epsilon or hidden events".to_owned(),
        None => tree.event_name(step.top),
    }
}

//! Components abstracted by the blocks of a cover: what engine `hierarchical` ended with.

use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::Set;
use lapidary_engines::symbolic::capacity;
use lapidary_ir::tree::Component;
use lapidary_ir::{ComponentId, Tree, VarId};
use lapidary_system::abstraction::{Local, Predicate, Refused};
use lapidary_verdict::{Child, Components, Cover, Diagram};

use super::{Trouble, Writing, written_out};

/// An abstraction of a component that was read back and found to simulate it.
pub struct Covered {
    pub text: String,
    pub n_blocks: usize,
    pub n_transitions: usize,
    pub is_exact: bool,
}

/// Why a component's cover is not written.
pub enum CoveredError {
    /// A sentence.
    Refused(String),
    Stopped(Stop),
    Internal(String),
}

/// The component at a path, abstracted by the blocks of its cover: its state is the number of the block, in bits.
pub fn covered(
    tree: &Tree,
    components: &Components,
    path: &str,
    writing: Writing,
    control: &Control,
) -> Result<Covered, CoveredError> {
    let refused = |what: String| CoveredError::Refused(what);
    let Some(id) = tree.component(path) else {
        let known = components.covers.iter().map(|cover| shown(&tree.components[cover.component]));
        let known: Vec<String> = known.collect();
        return Err(refused(format!("there is no component `{path}`; there are {}", known.join(", "))));
    };
    let cover = components.covers.iter().find(|cover| cover.component == id && !cover.is_subtree);
    let Some(cover) = cover else {
        let whole = components.covers.iter().find(|cover| cover.is_subtree && tree.contains(cover.component, id));
        let within = whole.map_or(String::new(), |cover| shown(&tree.components[cover.component]));
        return Err(refused(format!(
            "`{path}` is part of {within}, which was taken as one component with all below it"
        )));
    };
    let mut local = Local::new(tree, id, capacity(control, 1), control).map_err(|why| trouble(tree, why))?;
    let predicates = bits(tree, id, cover, &local).map_err(CoveredError::Stopped)?;
    let meaning = |bit: usize| format!("bit {bit} of the number of the block, of {}", cover.blocks.len());
    let meanings: Vec<String> = (0..predicates.len()).map(meaning).collect();
    let node = &tree.components[id].node;
    let written = written_out(&mut local, (&predicates, &meanings), writing, node, control);
    let made = written.map_err(|why| match why {
        Trouble::Stopped(stop) => CoveredError::Stopped(stop),
        Trouble::File(message) | Trouble::Internal(message) => CoveredError::Internal(message),
        Trouble::Text(list) => {
            CoveredError::Refused(list.first().map_or_else(String::new, |diagnostic| diagnostic.message.clone()))
        }
    })?;
    let (n_transitions, is_exact) = (made.n_transitions, made.is_exact);
    Ok(Covered { text: made.text, n_blocks: cover.blocks.len(), n_transitions, is_exact })
}

fn shown(component: &Component) -> String {
    match component.path.is_empty() {
        true => "the root (an empty path)".to_owned(),
        false => format!("`{}`", component.path),
    }
}

fn trouble(tree: &Tree, why: Refused) -> CoveredError {
    match why {
        Refused::Stopped(stop) => CoveredError::Stopped(stop),
        Refused::TooLarge(what) => CoveredError::Refused(what),
        Refused::Outside(outside) => {
            CoveredError::Refused(format!("it reads `{}` of another component", tree.vars[outside.var].name))
        }
    }
}

/// The number of the block as predicates; blocks that overlap count by the first one.
fn bits(tree: &Tree, id: ComponentId, cover: &Cover, local: &Local) -> Result<Vec<Predicate>, Stop> {
    let space = &local.space;
    let n_bits = usize::BITS - (cover.blocks.len().max(2) - 1).leading_zeros();
    let mut sets = vec![space.none(); n_bits as usize];
    let mut rest = local.configurations.clone();
    for (number, block) in cover.blocks.iter().enumerate() {
        let block = space.and(&set(&tree.components[id], block, local)?, &rest)?;
        rest = space.minus(&rest, &block)?;
        for (bit, set) in sets.iter_mut().enumerate().filter(|(bit, _)| number >> bit & 1 == 1) {
            debug_assert!(bit < n_bits as usize);
            *set = space.or(set, &block)?;
        }
    }
    let predicate = |(bit, set): (usize, Set)| Predicate { name: format!("block_{bit}"), set };
    Ok(sets.into_iter().enumerate().map(predicate).collect())
}

/// A diagram over the tree's variables as a set of the component's configurations.
fn set(component: &Component, diagram: &Diagram, local: &Local) -> Result<Set, Stop> {
    let space = &local.space;
    let families = IdVec::new();
    let mut encoder = local.places.encoder(space, &local.tree.exprs, &families);
    let mut sets: Vec<Set> = Vec::new();
    let below = |child: Child, sets: &[Set]| match child {
        Child::None => space.none(),
        Child::All => space.all(),
        Child::Node(number) => sets[number as usize].clone(),
    };
    for node in &diagram.nodes {
        let var = local.tree.exprs.var(VarId(node.var.0 - component.vars.0));
        let mut all = space.none();
        for &(lo, hi, child) in &node.edges {
            let within = encoder.within(var, lo, hi)?;
            all = space.or(&all, &space.and(&within, &below(child, &sets))?)?;
        }
        sets.push(all);
    }
    space.and(&below(diagram.root, &sets), &local.configurations)
}

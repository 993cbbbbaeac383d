//! The states of a diagram as a set of bit vectors.

use lapidary_base::hash::Map;
use lapidary_ir::VarId;
use lapidary_ir::model::Raw;
use lapidary_verdict::{Child, Diagram};

use super::encode::Encoder;
use super::numbers;
use super::space::Set;
use crate::Rejection;

/// Node by node, children before parents. What it says of values outside the domains does not matter.
pub fn members(encoder: &mut Encoder<'_>, diagram: &Diagram) -> Result<Set, Rejection> {
    let space = encoder.space;
    let mut ranges: Map<(VarId, Raw, Raw), Set> = Map::default();
    let mut sets: Vec<Set> = Vec::with_capacity(diagram.nodes.len());
    for node in &diagram.nodes {
        let mut set = space.none.clone();
        for &(lo, hi, child) in &node.edges {
            let range = match ranges.get(&(node.var, lo, hi)) {
                Some(range) => range.clone(),
                None => {
                    let (number, _) = encoder.variable_number(node.var)?;
                    let range = numbers::within(space, &number, lo, hi)?;
                    ranges.insert((node.var, lo, hi), range.clone());
                    range
                }
            };
            let through = match child {
                Child::None => continue,
                Child::All => range,
                Child::Node(below) => space.and(&range, &sets[below as usize])?,
            };
            set = space.or(&set, &through)?;
        }
        sets.push(set);
    }
    match diagram.root {
        Child::None => Ok(space.none.clone()),
        Child::All => Ok(space.all.clone()),
        Child::Node(number) => Ok(sets[number as usize].clone()),
    }
}

//! How many bits expressions have, each found once: those that get theirs from their parts may be deep.

use lapidary_base::hash::Map;

use crate::expr::{Expr, Exprs, Node};
use crate::model::{FamilyId, VarId};
use crate::types::Sort;

/// The widths of the expressions of one collection, all of them bit-vectors.
#[derive(Clone, Default)]
pub struct Widths {
    known: Map<Expr, u32>,
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Bits(u32),
    /// As many bits as this expression, whose value it has.
    Of(Expr),
}

impl Widths {
    /// Given what is known of variables, and the first ones of families.
    pub fn of(
        &mut self,
        exprs: &Exprs,
        expr: Expr,
        var: impl Fn(VarId) -> Width,
        first: impl Fn(FamilyId) -> VarId,
    ) -> u32 {
        let (mut way, mut at) = (Vec::new(), expr);
        let width = loop {
            if let Some(&known) = self.known.get(&at) {
                break known;
            }
            way.push(at);
            match exprs.node(at) {
                Node::Bits(width, _) => break *width,
                Node::Var(id) => match var(*id) {
                    Width::Bits(width) => break width,
                    Width::Of(other) => at = other,
                },
                Node::Cell(id, _) => at = exprs.var(first(*id)),
                Node::Ite(_, _, otherwise) => at = *otherwise,
                Node::Apply(function, parts) => match function.gives(|id| exprs.array_type(id)) {
                    Some(Sort::Bits(width)) => break width,
                    Some(Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Array(_)) => unreachable!("{NONE}"),
                    None => at = parts[0],
                },
                Node::Bool(_) | Node::Int(_) | Node::Literal(..) | Node::Value(..) => unreachable!("{NONE}"),
                Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Eq(..) | Node::Lt(..) | Node::Le(..) => {
                    unreachable!("{NONE}")
                }
                Node::Add(_) | Node::Neg(_) | Node::Mul(..) | Node::Div(..) | Node::Mod(..) => unreachable!("{NONE}"),
            }
        };
        way.into_iter().for_each(|part| {
            self.known.insert(part, width);
        });
        width
    }
}

const NONE: &str = "only bit-vectors have a width";

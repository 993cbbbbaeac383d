//! Of a formula about merged ways: the atoms that decide it in one state, with every choice taken as it is there.
//!
//! They are what the way that the state takes would have said by itself. Together, each as it is in the state, they decide the
//! formula in the same way wherever they hold.

use lapidary_base::Stop;
use lapidary_base::hash::{Map, Set};
use lapidary_ir::passes::rebuilt;
use lapidary_ir::{Expr, Node, VarId};

use super::space::Space;

/// Where a formula is looked at.
pub struct Spot<'s, 'a> {
    pub space: &'s Space<'a>,
    pub state: &'s [i64],
    pub inputs: &'s [(VarId, i64)],
}

impl Spot<'_, '_> {
    /// The atoms in the order in which they are met. None of them has choices inside.
    pub fn deciding(&self, formula: Expr) -> Result<Vec<Expr>, Stop> {
        let exprs = self.space.exprs();
        let (mut found, mut seen, mut open) = (Vec::new(), Set::default(), vec![formula]);
        let mut images: Map<Expr, Expr> = Map::default();
        while let Some(expr) = open.pop() {
            if !seen.insert(expr) {
                continue;
            }
            match exprs.node(expr) {
                Node::Bool(_) => {}
                Node::Not(part) => open.push(*part),
                Node::And(parts) => self.decide(parts, false, &mut open)?,
                Node::Or(parts) => self.decide(parts, true, &mut open)?,
                Node::Ite(condition, then, otherwise) => {
                    let taken = if self.holds(*condition)? { *then } else { *otherwise };
                    open.extend([taken, *condition]);
                }
                Node::Eq(a, b) if self.space.terms.is_bool(*a) => open.extend([*b, *a]),
                _ => {
                    let atom = self.resolved(expr, &mut images, &mut open)?;
                    if !found.contains(&atom) {
                        found.push(atom);
                    }
                }
            }
        }
        Ok(found)
    }

    fn holds(&self, term: Expr) -> Result<bool, Stop> {
        self.space.holds(term, self.state, self.inputs)
    }

    /// The first part that decides alone, else all parts.
    fn decide(&self, parts: &[Expr], deciding: bool, open: &mut Vec<Expr>) -> Result<(), Stop> {
        for &part in parts {
            if self.holds(part)? == deciding {
                open.push(part);
                return Ok(());
            }
        }
        open.extend(parts.iter().rev());
        Ok(())
    }

    /// A term with its choices taken; what they depended on is put with what is `open`.
    fn resolved(&self, root: Expr, images: &mut Map<Expr, Expr>, open: &mut Vec<Expr>) -> Result<Expr, Stop> {
        let exprs = self.space.exprs();
        let mut stack = vec![root];
        while let Some(&expr) = stack.last() {
            let waiting = stack.len();
            let image = match exprs.node(expr) {
                _ if images.contains_key(&expr) => None,
                Node::Ite(condition, then, otherwise) => {
                    let taken = if self.holds(*condition)? { *then } else { *otherwise };
                    let image = images.get(&taken).copied();
                    match image {
                        Some(_) => open.push(*condition),
                        None => stack.push(taken),
                    }
                    image
                }
                node => {
                    exprs.for_each_part(expr, |part| {
                        if !images.contains_key(&part) {
                            stack.push(part)
                        }
                    });
                    (stack.len() == waiting).then(|| rebuilt(exprs, node, &|part| images[&part]))
                }
            };
            if stack.len() == waiting {
                stack.pop();
                images.extend(image.map(|image| (expr, image)));
            }
        }
        Ok(images[&root])
    }
}

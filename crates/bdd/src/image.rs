//! Conjunction, quantification and renaming in one recursion over the diagrams.
//!
//! The package's own relational product goes on after one branch of a quantified bit gave everything, and its
//! substitution makes every node by a general choice; here neither is paid for, and no intermediate set is built.

use oxidd::bcdd::BCDDFunction;
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, Function, HasLevel, InnerNode, Manager, Node};
use oxidd_core::util::{EdgeDropGuard, Own};
use oxidd_core::{ApplyCache, HasApplyCache, LevelView};
use oxidd_rules_bdd::complement_edge::{BCDDOp, EdgeTag};

use crate::walk::{EdgeRef, ManagerOf};

/// Under these the package's cache keeps our results. It uses them itself with other operands: never with a number.
const OF_ONE: BCDDOp = BCDDOp::UniqueNand;
const OF_TWO: BCDDOp = BCDDOp::UniqueAnd;

/// What becomes of the bit of a level.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Quantify,
    /// It is decided at this level from now on.
    MoveTo(u32),
}

/// What becomes of every bit, prepared.
#[derive(Clone)]
pub(crate) struct Image {
    /// Names the image among those of its space, in the cache.
    id: u32,
    /// By level; all levels below the last one stay as they are.
    actions: Vec<Action>,
    /// Levels from here on are not quantified.
    n_quantifying: usize,
}

impl Image {
    pub fn new(id: u32, mut actions: Vec<Action>) -> Self {
        while actions.last() == Some(&Action::MoveTo(actions.len().saturating_sub(1) as u32)) {
            actions.pop();
        }
        let n_quantifying = actions.iter().rposition(|action| *action == Action::Quantify).map_or(0, |last| last + 1);
        Self { id, actions, n_quantifying }
    }

    /// Applies the image to a set.
    pub fn of(&self, set: &BCDDFunction) -> AllocResult<BCDDFunction> {
        set.with_manager_shared(|manager, edge| {
            Ok(BCDDFunction::from_edge(manager, Run { image: self, manager }.one(edge)?.into_edge()))
        })
    }

    /// Applies the image to the intersection of two sets.
    pub fn of_both(&self, a: &BCDDFunction, b: &BCDDFunction) -> AllocResult<BCDDFunction> {
        a.with_manager_shared(|manager, edge| {
            let image = Run { image: self, manager }.two(edge, b.as_edge(manager))?;
            Ok(BCDDFunction::from_edge(manager, image.into_edge()))
        })
    }
}

/// A result that is released unless somebody takes it.
type Made<'a, 'id> = EdgeDropGuard<'a, ManagerOf<'id>>;

#[derive(Clone, Copy)]
struct Run<'a, 'id: 'a> {
    image: &'a Image,
    manager: &'a ManagerOf<'id>,
}

impl<'a, 'id> Run<'a, 'id> {
    fn one(self, f: EdgeRef<'_, 'id>) -> AllocResult<Made<'a, 'id>> {
        let manager = self.manager;
        let level = match manager.get_node(f) {
            Node::Inner(node) => node.level(),
            Node::Terminal(_) => return Ok(self.copy(f)),
        };
        let Some(&action) = self.image.actions.get(level as usize) else {
            return Ok(self.copy(f));
        };
        // Where nothing is quantified any more, the complement of a set has the complement as its image.
        let turn = level as usize >= self.image.n_quantifying && f.tag() == EdgeTag::Complemented;
        let f = if turn { f.with_tag(EdgeTag::None) } else { f };
        let made = match manager.apply_cache().get_extended(manager, OF_ONE, (&[f], &[self.image.id])) {
            Some(([known], [])) => EdgeDropGuard::new(manager, known),
            None => {
                let (one, zero) = self.halves(f);
                let one = self.one(one)?;
                let made = match action {
                    Action::Quantify if is_all(manager, one.borrowed()) => one,
                    Action::Quantify => self.or(one, self.one(zero)?)?,
                    Action::MoveTo(to) => self.node(to, one, self.one(zero)?)?,
                };
                let (key, value) = ((&[f][..], &[self.image.id][..]), (&[made.borrowed()][..], &[][..]));
                manager.apply_cache().add_extended(manager, OF_ONE, key, value);
                made
            }
        };
        Ok(if turn { self.complement(made) } else { made })
    }

    fn two(self, f: EdgeRef<'_, 'id>, g: EdgeRef<'_, 'id>) -> AllocResult<Made<'a, 'id>> {
        let manager = self.manager;
        let (f_level, g_level) = match (manager.get_node(f), manager.get_node(g)) {
            (Node::Terminal(_), _) => return if f.tag() == EdgeTag::None { self.one(g) } else { Ok(self.copy(f)) },
            (_, Node::Terminal(_)) => return if g.tag() == EdgeTag::None { self.one(f) } else { Ok(self.copy(g)) },
            (Node::Inner(f), Node::Inner(g)) => (f.level(), g.level()),
        };
        if f.node_id() == g.node_id() {
            return if f == g { self.one(f) } else { Ok(EdgeDropGuard::new(manager, BCDDFunction::f_edge(manager))) };
        }
        let level = f_level.min(g_level);
        let Some(&action) = self.image.actions.get(level as usize) else {
            return Ok(EdgeDropGuard::new(manager, BCDDFunction::and_edge(manager, f, g)?));
        };
        let key = if f < g { [f, g] } else { [g, f] };
        if let Some(([known], [])) = manager.apply_cache().get_extended(manager, OF_TWO, (&key, &[self.image.id])) {
            return Ok(EdgeDropGuard::new(manager, known));
        }
        let (f_one, f_zero) = if f_level == level { self.halves(f) } else { (f, f) };
        let (g_one, g_zero) = if g_level == level { self.halves(g) } else { (g, g) };
        let one = self.two(f_one, g_one)?;
        let made = match action {
            Action::Quantify if is_all(manager, one.borrowed()) => one,
            Action::Quantify => self.or(one, self.two(f_zero, g_zero)?)?,
            Action::MoveTo(to) => self.node(to, one, self.two(f_zero, g_zero)?)?,
        };
        let value = (&[made.borrowed()][..], &[][..]);
        manager.apply_cache().add_extended(manager, OF_TWO, (&key, &[self.image.id]), value);
        Ok(made)
    }

    /// The parts of an inner node where its bit is one and where it is zero.
    fn halves<'e>(self, edge: EdgeRef<'e, 'id>) -> (EdgeRef<'e, 'id>, EdgeRef<'e, 'id>)
    where
        'a: 'e,
    {
        BCDDFunction::cofactors_edge(self.manager, edge).expect("inner nodes have cofactors")
    }

    fn copy(self, edge: EdgeRef<'_, 'id>) -> Made<'a, 'id> {
        EdgeDropGuard::new(self.manager, self.manager.clone_edge(edge))
    }

    fn complement(self, made: Made<'a, 'id>) -> Made<'a, 'id> {
        let edge = made.into_edge();
        let tag = !edge.tag();
        EdgeDropGuard::new(self.manager, edge.with_tag(tag))
    }

    fn or(self, a: Made<'a, 'id>, b: Made<'a, 'id>) -> AllocResult<Made<'a, 'id>> {
        Ok(EdgeDropGuard::new(self.manager, BCDDFunction::or_edge(self.manager, a.borrowed(), b.borrowed())?))
    }

    /// One where the bit of the level is one, else the other.
    fn node(self, level: u32, one: Made<'a, 'id>, zero: Made<'a, 'id>) -> AllocResult<Made<'a, 'id>> {
        let manager = self.manager;
        if one.borrowed() == zero.borrowed() {
            return Ok(one);
        }
        if !is_below(manager, one.borrowed(), level) || !is_below(manager, zero.borrowed(), level) {
            let bit = EdgeDropGuard::new(manager, BCDDFunction::var_edge(manager, level)?);
            let made = BCDDFunction::ite_edge(manager, bit.borrowed(), one.borrowed(), zero.borrowed())?;
            return Ok(EdgeDropGuard::new(manager, made));
        }
        // The edge to the part where the bit is one is never complemented.
        let tag = one.tag();
        let (one, zero) =
            if tag == EdgeTag::None { (one, zero) } else { (self.complement(one), self.complement(zero)) };
        let node = InnerNode::new(level, [one.into_edge(), zero.into_edge()]);
        let made: Own<_> = manager.level(level).get_or_insert(node)?;
        Ok(EdgeDropGuard::new(manager, made.with_tag(tag)))
    }
}

fn is_all<'id>(manager: &ManagerOf<'id>, edge: EdgeRef<'_, 'id>) -> bool {
    edge.tag() == EdgeTag::None && manager.get_node(edge).is_any_terminal()
}

fn is_below<'id>(manager: &ManagerOf<'id>, edge: EdgeRef<'_, 'id>, level: u32) -> bool {
    match manager.get_node(edge) {
        Node::Inner(node) => node.level() > level,
        Node::Terminal(_) => true,
    }
}

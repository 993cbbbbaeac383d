//! The operations on sets, node by node, so that each of them can be stopped: the package's own cannot.
//!
//! Results are kept in the package's cache, under the names that its own operations would use.

use std::cell::{Cell, OnceCell};

use lapidary_base::{Control, Stop};
use oxidd::util::{OutOfMemory, Ref};
use oxidd::{BooleanFunction, Function, HasLevel, InnerNode, Manager};
use oxidd_core::util::{EdgeDropGuard, Own};
use oxidd_core::{ApplyCache, HasApplyCache, LevelView};
use oxidd_rules_bdd::complement_edge::{BCDDOp, EdgeTag};

use super::space::Set;

pub type Nodes<'id> = <Set as Function>::Manager<'id>;
type Raw<'id> = <Nodes<'id> as Manager>::Edge;
type Node<'id> = <Nodes<'id> as Manager>::InnerNode;
/// What a set is made of: a node, or the complement of what a node stands for.
pub type Edge<'a, 'id> = Ref<'a, Raw<'id>>;
pub type Owned<'id> = Own<Raw<'id>>;

/// Why there is no result. What the stop was is told by [`Work::stop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// All nodes are used.
    Full,
    Stopped,
}

impl From<OutOfMemory> for Halt {
    fn from(_: OutOfMemory) -> Self {
        Self::Full
    }
}

/// How many nodes are worked on between two looks at the limits.
const PATIENCE: u32 = 5000;

/// Operations on two sets that a cache entry stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pairwise {
    Both,
    OneOfThem,
}

/// One operation under way.
pub struct Work<'a, 'id: 'a> {
    pub nodes: &'a Nodes<'id>,
    control: &'a Control,
    left: Cell<u32>,
    stop: OnceCell<Stop>,
}

impl<'a, 'id> Work<'a, 'id> {
    pub fn new(nodes: &'a Nodes<'id>, control: &'a Control) -> Self {
        Self { nodes, control, left: Cell::new(PATIENCE), stop: OnceCell::new() }
    }

    /// What a stopped operation was stopped by.
    pub fn stop(self) -> Stop {
        self.stop.into_inner().expect("a stopped operation knows why")
    }

    fn count(&self) -> Result<(), Halt> {
        if let Some(left) = self.left.get().checked_sub(1) {
            self.left.set(left);
            return Ok(());
        }
        self.left.set(PATIENCE);
        self.control.check().map_err(|stop| {
            self.stop.get_or_init(|| stop);
            Halt::Stopped
        })
    }

    fn inner<'e>(&self, edge: Edge<'e, 'id>) -> Option<&'e Node<'id>>
    where
        'a: 'e,
    {
        match self.nodes.get_node(edge) {
            oxidd::Node::Inner(node) => Some(node),
            oxidd::Node::Terminal(_) => None,
        }
    }

    fn same(&self, edge: Edge<'_, 'id>) -> Owned<'id> {
        self.nodes.clone_edge(edge)
    }

    fn constant(&self, value: bool) -> Owned<'id> {
        if value { Set::t_edge(self.nodes) } else { Set::f_edge(self.nodes) }
    }

    /// The set that is `high` where the bit is set and `low` elsewhere; both depend on lower bits alone.
    fn decide(&self, bit: u32, high: Guard<'a, 'id>, low: Guard<'a, 'id>) -> Result<Owned<'id>, Halt> {
        if high.borrowed() == low.borrowed() {
            return Ok(high.into_edge());
        }
        // A node never begins with a complement: the edge to the node has it instead.
        let (high, low) = (high.into_edge(), low.into_edge());
        let tag = high.tag();
        let children = if tag == EdgeTag::None { [high, low] } else { [inverted(high), inverted(low)] };
        let node = self.nodes.level(bit).get_or_insert(InnerNode::new(bit, children))?;
        Ok(node.with_tag(tag))
    }

    fn guard(&self, edge: Owned<'id>) -> Guard<'a, 'id> {
        EdgeDropGuard::new(self.nodes, edge)
    }

    /// What is in both sets, or in exactly one of them.
    pub fn pairwise(&self, how: Pairwise, a: Edge<'_, 'id>, b: Edge<'_, 'id>) -> Result<Owned<'id>, Halt> {
        let is_equal = a == b;
        if is_equal || a == complement(b) {
            return Ok(match how {
                Pairwise::Both if is_equal => self.same(a),
                Pairwise::Both => self.constant(false),
                Pairwise::OneOfThem => self.constant(!is_equal),
            });
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let (x, y) = match (self.inner(a), self.inner(b)) {
            (Some(x), Some(y)) => (x, y),
            (None, _) => return Ok(self.with_constant(how, a.tag(), b)),
            (_, None) => return Ok(self.with_constant(how, b.tag(), a)),
        };
        let name = match how {
            Pairwise::Both => BCDDOp::And,
            Pairwise::OneOfThem => BCDDOp::Xor,
        };
        if let Some(known) = self.nodes.apply_cache().get(self.nodes, name, &[a, b]) {
            return Ok(known);
        }
        self.count()?;
        let bit = x.level().min(y.level());
        let ([a1, a0], [b1, b0]) = (parts(a, x, bit), parts(b, y, bit));
        let high = self.guard(self.pairwise(how, a1, b1)?);
        let low = self.guard(self.pairwise(how, a0, b0)?);
        let made = self.decide(bit, high, low)?;
        self.nodes.apply_cache().add(self.nodes, name, &[a, b], made.borrowed());
        Ok(made)
    }

    /// With everything, whose edge has no complement, or with nothing.
    fn with_constant(&self, how: Pairwise, constant: EdgeTag, other: Edge<'_, 'id>) -> Owned<'id> {
        match (how, constant) {
            (Pairwise::Both, EdgeTag::None) | (Pairwise::OneOfThem, EdgeTag::Complemented) => self.same(other),
            (Pairwise::Both, EdgeTag::Complemented) => self.constant(false),
            (Pairwise::OneOfThem, EdgeTag::None) => self.same(complement(other)),
        }
    }

    fn both(&self, a: Edge<'_, 'id>, b: Edge<'_, 'id>) -> Result<Owned<'id>, Halt> {
        self.pairwise(Pairwise::Both, a, b)
    }

    pub fn either(&self, a: Edge<'_, 'id>, b: Edge<'_, 'id>) -> Result<Owned<'id>, Halt> {
        self.both(complement(a), complement(b)).map(inverted)
    }

    /// `then` within the condition, `otherwise` outside of it.
    pub fn choose(
        &self,
        condition: Edge<'_, 'id>,
        then: Edge<'_, 'id>,
        otherwise: Edge<'_, 'id>,
    ) -> Result<Owned<'id>, Halt> {
        let Some(c) = self.inner(condition) else {
            return Ok(self.same(if condition.tag() == EdgeTag::None { then } else { otherwise }));
        };
        if then == otherwise {
            return Ok(self.same(then));
        }
        if then == complement(otherwise) {
            return self.pairwise(Pairwise::OneOfThem, condition, then).map(inverted);
        }
        let (t, o) = match (self.inner(then), self.inner(otherwise)) {
            (Some(t), Some(o)) => (t, o),
            (None, _) if then.tag() == EdgeTag::None => return self.either(condition, otherwise),
            (None, _) => return self.both(complement(condition), otherwise),
            (_, None) if otherwise.tag() == EdgeTag::None => {
                return self.both(condition, complement(then)).map(inverted);
            }
            (_, None) => return self.both(condition, then),
        };
        let key = [condition, then, otherwise];
        if let Some(known) = self.nodes.apply_cache().get(self.nodes, BCDDOp::Ite, &key) {
            return Ok(known);
        }
        self.count()?;
        let bit = c.level().min(t.level()).min(o.level());
        let [[c1, c0], [t1, t0]] = [parts(condition, c, bit), parts(then, t, bit)];
        let [o1, o0] = parts(otherwise, o, bit);
        let high = self.guard(self.choose(c1, t1, o1)?);
        let low = self.guard(self.choose(c0, t0, o0)?);
        let made = self.decide(bit, high, low)?;
        self.nodes.apply_cache().add(self.nodes, BCDDOp::Ite, &key, made.borrowed());
        Ok(made)
    }

    /// Where both sets hold for some values of the bits of the cube, the conjunction of them.
    pub fn meet(&self, a: Edge<'_, 'id>, b: Edge<'_, 'id>, cube: Edge<'_, 'id>) -> Result<Owned<'id>, Halt> {
        if a == complement(b) {
            return Ok(self.constant(false));
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let (x, y) = match (self.inner(a), self.inner(b)) {
            (None, _) if a.tag() == EdgeTag::None => (None, self.inner(b)),
            (_, None) if b.tag() == EdgeTag::None => (self.inner(a), None),
            (Some(x), Some(_)) if a == b => (Some(x), None),
            (Some(x), Some(y)) => (Some(x), Some(y)),
            _ => return Ok(self.constant(false)),
        };
        // Of a pair with everything, or with itself, one set remains.
        let Some(bit) = [x, y].into_iter().flatten().map(HasLevel::level).min() else {
            return Ok(self.constant(true));
        };
        let cube = self.from(cube, bit);
        let Some(quantified) = self.inner(cube).map(HasLevel::level) else { return self.both(a, b) };
        let everything = self.guard(self.constant(true));
        let (a, b) = match (x, y) {
            (Some(_), Some(_)) => (a, b),
            (Some(_), None) => (everything.borrowed(), a),
            (None, _) => (everything.borrowed(), b),
        };
        let key = [a, b, cube];
        if let Some(known) = self.nodes.apply_cache().get(self.nodes, BCDDOp::ExistAnd, &key) {
            return Ok(known);
        }
        self.count()?;
        let half = |edge| self.inner(edge).map_or([edge, edge], |node| parts(edge, node, bit));
        let ([a1, a0], [b1, b0]) = (half(a), half(b));
        let high = self.guard(self.meet(a1, b1, cube)?);
        let made = if quantified != bit {
            let low = self.guard(self.meet(a0, b0, cube)?);
            self.decide(bit, high, low)?
        } else if high.borrowed() == everything.borrowed() {
            high.into_edge()
        } else {
            let low = self.guard(self.meet(a0, b0, cube)?);
            self.either(high.borrowed(), low.borrowed())?
        };
        self.nodes.apply_cache().add(self.nodes, BCDDOp::ExistAnd, &key, made.borrowed());
        Ok(made)
    }

    /// The bits of a cube from one on.
    fn from<'e>(&self, mut cube: Edge<'e, 'id>, bit: u32) -> Edge<'e, 'id>
    where
        'a: 'e,
    {
        while let Some(node) = self.inner(cube).filter(|node| node.level() < bit) {
            cube = node.child(0);
        }
        cube
    }

    /// With sets in place of bits; `number` tells this substitution from others.
    pub fn replace(&self, a: Edge<'_, 'id>, by: &[Edge<'_, 'id>], number: u32) -> Result<Owned<'id>, Halt> {
        let Some(node) = self.inner(a) else { return Ok(self.same(a)) };
        let Some(&instead) = by.get(node.level() as usize) else { return Ok(self.same(a)) };
        // The complement of a set becomes the complement.
        let tag = a.tag();
        let plain = a.with_tag(EdgeTag::None);
        let key = (&[plain][..], &[number][..]);
        let known = self.nodes.apply_cache().get_extended(self.nodes, BCDDOp::Substitute, key);
        let made = match known {
            Some(([known], [])) => known,
            None => {
                self.count()?;
                let high = self.guard(self.replace(node.child(0), by, number)?);
                let low = self.guard(self.replace(node.child(1), by, number)?);
                let made = self.choose(instead, high.borrowed(), low.borrowed())?;
                let value = (&[made.borrowed()][..], &[][..]);
                self.nodes.apply_cache().add_extended(self.nodes, BCDDOp::Substitute, key, value);
                made
            }
        };
        Ok(if tag == EdgeTag::None { made } else { inverted(made) })
    }
}

/// An edge that is given back if nobody takes it.
type Guard<'a, 'id> = EdgeDropGuard<'a, Nodes<'id>>;

pub fn inverted<E: oxidd::Edge<Tag = EdgeTag>>(edge: Own<E>) -> Own<E> {
    let tag = edge.tag();
    edge.with_tag(!tag)
}

pub fn complement<'e, 'id>(edge: Edge<'e, 'id>) -> Edge<'e, 'id> {
    edge.with_tag(!edge.tag())
}

/// What remains where a bit is set and where it is not; the edge's node depends on nothing above that bit.
fn parts<'e, 'id>(edge: Edge<'e, 'id>, node: &'e Node<'id>, bit: u32) -> [Edge<'e, 'id>; 2] {
    match (node.level() == bit, edge.tag()) {
        (false, _) => [edge, edge],
        (true, EdgeTag::None) => [node.child(0), node.child(1)],
        (true, EdgeTag::Complemented) => [complement(node.child(0)), complement(node.child(1))],
    }
}

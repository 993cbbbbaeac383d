//! The algebra of sets as recursions: intersection, symmetric difference, choice, and what remains for one value of a bit.
//!
//! They keep their results where the package keeps those of its own, under the same keys.

use oxidd::HasLevel;
use oxidd_core::{ApplyCache, HasApplyCache};
use oxidd_rules_bdd::complement_edge::{BCDDOp, EdgeTag};

use crate::run::{Halt, Made, OwnEdge, Run, halves, not, turned};
use crate::walk::EdgeRef;

impl<'a, 'id> Run<'a, 'id> {
    pub fn and(&self, f: EdgeRef<'_, 'id>, g: EdgeRef<'_, 'id>) -> Result<OwnEdge<'id>, Halt> {
        if f.with_tag(EdgeTag::None) == g.with_tag(EdgeTag::None) {
            return Ok(if f == g { self.copy(f) } else { self.none() });
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let (Some(f_node), Some(g_node)) = (self.inner(f), self.inner(g)) else {
            // Everything is the terminal, and nothing its complement.
            let (constant, other) = if self.inner(f).is_none() { (f, g) } else { (g, f) };
            return Ok(self.copy(if constant.tag() == EdgeTag::None { other } else { constant }));
        };
        let cache = self.manager.apply_cache();
        if let Some(known) = cache.get(self.manager, BCDDOp::And, &[f, g]) {
            return Ok(known);
        }
        self.step()?;
        let level = f_node.level().min(g_node.level());
        let ((f_one, f_zero), (g_one, g_zero)) = (halves(f, f_node, level), halves(g, g_node, level));
        let (one, zero) = if self.splits() {
            self.fork(move |run| run.and(f_one, g_one), move |run| run.and(f_zero, g_zero))?
        } else {
            let one = self.hold(self.and(f_one, g_one)?);
            (one, self.hold(self.and(f_zero, g_zero)?))
        };
        let made = self.node(level, one.into_edge(), zero.into_edge())?;
        cache.add(self.manager, BCDDOp::And, &[f, g], made.borrowed());
        Ok(made)
    }

    pub fn or(&self, f: EdgeRef<'_, 'id>, g: EdgeRef<'_, 'id>) -> Result<OwnEdge<'id>, Halt> {
        Ok(turned(self.and(not(f), not(g))?))
    }

    /// Where exactly one of them holds.
    pub fn xor(&self, f: EdgeRef<'_, 'id>, g: EdgeRef<'_, 'id>) -> Result<OwnEdge<'id>, Halt> {
        if f.with_tag(EdgeTag::None) == g.with_tag(EdgeTag::None) {
            return Ok(if f == g { self.none() } else { self.all() });
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let (Some(f_node), Some(g_node)) = (self.inner(f), self.inner(g)) else {
            let (constant, other) = if self.inner(f).is_none() { (f, g) } else { (g, f) };
            return Ok(self.copy(if constant.tag() == EdgeTag::None { not(other) } else { other }));
        };
        let cache = self.manager.apply_cache();
        if let Some(known) = cache.get(self.manager, BCDDOp::Xor, &[f, g]) {
            return Ok(known);
        }
        self.step()?;
        let level = f_node.level().min(g_node.level());
        let ((f_one, f_zero), (g_one, g_zero)) = (halves(f, f_node, level), halves(g, g_node, level));
        let (one, zero) = if self.splits() {
            self.fork(move |run| run.xor(f_one, g_one), move |run| run.xor(f_zero, g_zero))?
        } else {
            let one = self.hold(self.xor(f_one, g_one)?);
            (one, self.hold(self.xor(f_zero, g_zero)?))
        };
        let made = self.node(level, one.into_edge(), zero.into_edge())?;
        cache.add(self.manager, BCDDOp::Xor, &[f, g], made.borrowed());
        Ok(made)
    }

    /// `g` where `f` holds, else `h`.
    pub fn ite(&self, f: EdgeRef<'_, 'id>, g: EdgeRef<'_, 'id>, h: EdgeRef<'_, 'id>) -> Result<OwnEdge<'id>, Halt> {
        if let Some(simpler) = self.simple_ite(f, g, h) {
            return simpler;
        }
        let inner = "a choice with a constant is a simpler operation";
        let nodes = [f, g, h].map(|edge| self.inner(edge).expect(inner));
        let cache = self.manager.apply_cache();
        if let Some(known) = cache.get(self.manager, BCDDOp::Ite, &[f, g, h]) {
            return Ok(known);
        }
        self.step()?;
        let level = nodes[0].level().min(nodes[1].level()).min(nodes[2].level());
        let (f_one, f_zero) = halves(f, nodes[0], level);
        let (g_one, g_zero) = halves(g, nodes[1], level);
        let (h_one, h_zero) = halves(h, nodes[2], level);
        let (one, zero) = if self.splits() {
            self.fork(move |run| run.ite(f_one, g_one, h_one), move |run| run.ite(f_zero, g_zero, h_zero))?
        } else {
            let one = self.hold(self.ite(f_one, g_one, h_one)?);
            (one, self.hold(self.ite(f_zero, g_zero, h_zero)?))
        };
        let made = self.node(level, one.into_edge(), zero.into_edge())?;
        cache.add(self.manager, BCDDOp::Ite, &[f, g, h], made.borrowed());
        Ok(made)
    }

    /// A choice that an operation on two sets makes, or none.
    #[inline(always)]
    fn simple_ite(
        &self,
        f: EdgeRef<'_, 'id>,
        g: EdgeRef<'_, 'id>,
        h: EdgeRef<'_, 'id>,
    ) -> Option<Result<OwnEdge<'id>, Halt>> {
        let [f_node, g_node, h_node] = [f, g, h].map(|edge| edge.with_tag(EdgeTag::None));
        if g_node == h_node {
            return Some(if g == h { Ok(self.copy(g)) } else { self.xor(f, g).map(turned) });
        }
        if f_node == g_node {
            return Some(if f == g { self.or(f, h) } else { self.and(not(f), h) });
        }
        if f_node == h_node {
            return Some(if f == h { self.and(f, g) } else { self.and(f, not(g)).map(turned) });
        }
        if self.inner(f).is_none() {
            return Some(Ok(self.copy(if f.tag() == EdgeTag::None { g } else { h })));
        }
        if self.inner(g).is_none() {
            return Some(if g.tag() == EdgeTag::None { self.or(f, h) } else { self.and(not(f), h) });
        }
        if self.inner(h).is_none() {
            return Some(if h.tag() == EdgeTag::None { self.and(f, not(g)).map(turned) } else { self.and(f, g) });
        }
        None
    }

    /// What remains of the set where a bit has one value: `literal` is that set.
    pub fn restrict(&self, f: EdgeRef<'_, 'id>, literal: EdgeRef<'_, 'id>) -> Result<OwnEdge<'id>, Halt> {
        let bit = self.inner(literal).expect("a literal has a bit").level();
        let Some(node) = self.inner(f).filter(|node| node.level() <= bit) else { return Ok(self.copy(f)) };
        let level = node.level();
        if level == bit {
            let (one, zero) = halves(f, node, level);
            return Ok(self.copy(if literal.tag() == EdgeTag::None { one } else { zero }));
        }
        // The complement of a set leaves the complement.
        let tag = f.tag();
        let f = f.with_tag(EdgeTag::None);
        let cache = self.manager.apply_cache();
        let made = match cache.get(self.manager, BCDDOp::Restrict, &[f, literal]) {
            Some(known) => known,
            None => {
                self.step()?;
                let (one, zero) = halves(f, node, level);
                let one: Made<'a, 'id> = self.hold(self.restrict(one, literal)?);
                let zero = self.hold(self.restrict(zero, literal)?);
                let made = self.node(level, one.into_edge(), zero.into_edge())?;
                cache.add(self.manager, BCDDOp::Restrict, &[f, literal], made.borrowed());
                made
            }
        };
        Ok(if tag == EdgeTag::None { made } else { turned(made) })
    }
}

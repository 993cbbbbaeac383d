//! Conjunction, quantification and renaming in one recursion over the diagrams.
//!
//! The package's own relational product goes on after one branch of a quantified bit gave everything, and its
//! substitution makes every node by a general choice; here neither is paid for, and no intermediate set is built.

use oxidd::bcdd::BCDDFunction;
use oxidd::{BooleanFunction, HasLevel};
use oxidd_core::{ApplyCache, HasApplyCache};
use oxidd_rules_bdd::complement_edge::{BCDDOp, EdgeTag};

use crate::run::{Halt, Made, OwnEdge, Run, halves, turned};
use crate::walk::EdgeRef;

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

    /// The image of a set.
    pub fn of<'id>(&self, run: &Run<'_, 'id>, f: EdgeRef<'_, 'id>) -> Result<OwnEdge<'id>, Halt> {
        let manager = run.manager;
        let Some(node) = run.inner(f) else { return Ok(run.copy(f)) };
        let level = node.level();
        let Some(&action) = self.actions.get(level as usize) else { return Ok(run.copy(f)) };
        // Where nothing is quantified any more, the complement of a set has the complement as its image.
        let turns = level as usize >= self.n_quantifying && f.tag() == EdgeTag::Complemented;
        let f = if turns { f.with_tag(EdgeTag::None) } else { f };
        let made = match manager.apply_cache().get_extended(manager, OF_ONE, (&[f], &[self.id])) {
            Some(([known], [])) => known,
            None => {
                run.step()?;
                let (one, zero) = halves(f, node, level);
                let made = self.joined(run, action, move |run| self.of(run, one), move |run| self.of(run, zero))?;
                let (key, value) = ((&[f][..], &[self.id][..]), (&[made.borrowed()][..], &[][..]));
                manager.apply_cache().add_extended(manager, OF_ONE, key, value);
                made
            }
        };
        Ok(if turns { turned(made) } else { made })
    }

    /// The image of the intersection of two sets.
    pub fn of_both<'id>(
        &self,
        run: &Run<'_, 'id>,
        f: EdgeRef<'_, 'id>,
        g: EdgeRef<'_, 'id>,
    ) -> Result<OwnEdge<'id>, Halt> {
        let manager = run.manager;
        let Some(f_node) = run.inner(f) else {
            return if f.tag() == EdgeTag::None { self.of(run, g) } else { Ok(run.copy(f)) };
        };
        let Some(g_node) = run.inner(g) else {
            return if g.tag() == EdgeTag::None { self.of(run, f) } else { Ok(run.copy(g)) };
        };
        if f.node_id() == g.node_id() {
            return if f == g { self.of(run, f) } else { Ok(run.none()) };
        }
        let level = f_node.level().min(g_node.level());
        let Some(&action) = self.actions.get(level as usize) else { return run.and(f, g) };
        let key = if f < g { [f, g] } else { [g, f] };
        if let Some(([known], [])) = manager.apply_cache().get_extended(manager, OF_TWO, (&key, &[self.id])) {
            return Ok(known);
        }
        run.step()?;
        let ((f_one, f_zero), (g_one, g_zero)) = (halves(f, f_node, level), halves(g, g_node, level));
        let one = move |run: &Run<'_, 'id>| self.of_both(run, f_one, g_one);
        let zero = move |run: &Run<'_, 'id>| self.of_both(run, f_zero, g_zero);
        let made = self.joined(run, action, one, zero)?;
        let value = (&[made.borrowed()][..], &[][..]);
        manager.apply_cache().add_extended(manager, OF_TWO, (&key, &[self.id]), value);
        Ok(made)
    }

    /// The image of a node, from those of its halves.
    #[inline(always)]
    fn joined<'a, 'id>(
        &self,
        run: &Run<'a, 'id>,
        action: Action,
        one: impl Fn(&Run<'a, 'id>) -> Result<OwnEdge<'id>, Halt> + Send,
        zero: impl Fn(&Run<'a, 'id>) -> Result<OwnEdge<'id>, Halt> + Send,
    ) -> Result<OwnEdge<'id>, Halt> {
        let (one, zero) = if run.splits() {
            run.fork(one, zero)?
        } else {
            let one = run.hold(one(run)?);
            if action == Action::Quantify && is_all(run, one.borrowed()) {
                return Ok(one.into_edge());
            }
            let zero = run.hold(zero(run)?);
            (one, zero)
        };
        match action {
            Action::Quantify => run.or(one.borrowed(), zero.borrowed()),
            Action::MoveTo(to) => decided(run, to, one, zero),
        }
    }
}

/// One where the bit of the level is one, else the other.
fn decided<'a, 'id>(
    run: &Run<'a, 'id>,
    level: u32,
    one: Made<'a, 'id>,
    zero: Made<'a, 'id>,
) -> Result<OwnEdge<'id>, Halt> {
    if is_below(run, one.borrowed(), level) && is_below(run, zero.borrowed(), level) {
        return run.node(level, one.into_edge(), zero.into_edge());
    }
    if one.borrowed() == zero.borrowed() {
        return Ok(one.into_edge());
    }
    let bit = run.hold(BCDDFunction::var_edge(run.manager, level)?);
    run.ite(bit.borrowed(), one.borrowed(), zero.borrowed())
}

fn is_all<'id>(run: &Run<'_, 'id>, edge: EdgeRef<'_, 'id>) -> bool {
    edge.tag() == EdgeTag::None && run.inner(edge).is_none()
}

fn is_below<'id>(run: &Run<'_, 'id>, edge: EdgeRef<'_, 'id>, level: u32) -> bool {
    run.inner(edge).is_none_or(|node| node.level() > level)
}

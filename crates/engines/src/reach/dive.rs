//! Depth-first order: the first step of a state is followed to its end before the second is looked at.

use lapidary_base::Stop;
use lapidary_ir::CommandId;
use lapidary_system::{Lattice, State, Successors};

use super::search::{STEPS_PER_LOOK, Search};
use super::store::{Edge, Node, Store};

/// Steps that were listed but not followed yet, the next one on top.
#[derive(Default)]
struct Pending {
    states: Vec<u64>,
    elements: Vec<u64>,
    /// Where each comes from and by what, and how deep it leads.
    origins: Vec<(Node, CommandId, u64)>,
}

impl<S: Successors, T: Store> Search<'_, S, T> {
    /// Explores all that can be reached from a stored node and was not met before.
    pub(super) fn dive(&mut self, from: Node, met: &mut dyn FnMut(&Self)) -> Result<(), Stop> {
        let (words, element_words) = (self.system.words(), self.system.lattice().words());
        let mut pending = Pending::default();
        self.push_steps(from, 0, &mut pending)?;
        self.tell(met);
        let mut n_followed: usize = 0;
        while let (false, Some((from, action, depth))) = (self.is_decided(), pending.origins.pop()) {
            // Most steps lead to states that are known, and nothing else is counted of those.
            n_followed += 1;
            if n_followed.is_multiple_of(STEPS_PER_LOOK) {
                self.control.check()?;
            }
            let (start, element) = (pending.states.len() - words, pending.elements.len() - element_words);
            let state = State { discrete: &pending.states[start..], element: &pending.elements[element..] };
            // What covers an evicted node has larger steps.
            let stored = match self.store.is_stored(from) {
                true => self.offer(self.store.hash(state), state, Edge { from, action }, depth)?,
                false => None,
            };
            pending.states.truncate(start);
            pending.elements.truncate(element);
            match stored {
                Some(node) if !self.is_decided() => self.push_steps(node, depth, &mut pending)?,
                Some(_) | None => {}
            }
            self.tell(met);
        }
        Ok(())
    }

    /// Lists the steps of a state, so that the first one ends on top.
    fn push_steps(&mut self, node: Node, depth: u64, pending: &mut Pending) -> Result<(), Stop> {
        let words = (self.system.words(), self.system.lattice().words());
        self.expansion.clear();
        self.store.take(node);
        self.expand(node, depth)?;
        let steps = std::mem::take(&mut self.expansion.steps);
        for k in (0..steps.len()).rev() {
            let State { discrete, element } = steps.state(k, words);
            self.count_step(steps.actions[k]);
            pending.states.extend_from_slice(discrete);
            pending.elements.extend_from_slice(element);
            pending.origins.push((node, steps.actions[k], depth + 1));
        }
        self.expansion.steps = steps;
        self.report_progress(1)
    }
}

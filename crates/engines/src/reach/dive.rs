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
    origins: Vec<Origin>,
}

/// Where a step comes from, and how deep it leads.
#[derive(Clone, Copy)]
struct Origin {
    from: Node,
    action: CommandId,
    depth: u64,
    /// How often the node had grown when the step was listed.
    age: u32,
}

/// With more steps than this, and twice as many as were left the last time, those that are out of date are dropped.
const LEAST_PENDING: usize = 1 << 12;

impl Pending {
    fn keep(&mut self, (words, element_words): (usize, usize), is_due: impl Fn(Origin) -> bool) {
        let mut n_kept = 0;
        for i in 0..self.origins.len() {
            if is_due(self.origins[i]) {
                self.origins[n_kept] = self.origins[i];
                self.states.copy_within(i * words..(i + 1) * words, n_kept * words);
                self.elements.copy_within(i * element_words..(i + 1) * element_words, n_kept * element_words);
                n_kept += 1;
            }
        }
        self.origins.truncate(n_kept);
        self.states.truncate(n_kept * words);
        self.elements.truncate(n_kept * element_words);
    }
}

impl<S: Successors, T: Store> Search<'_, S, T> {
    /// Explores all that can be reached from a stored node and was not met before.
    pub(super) fn dive(&mut self, from: Node, met: &mut dyn FnMut(&Self)) -> Result<(), Stop> {
        let (words, element_words) = (self.system.words(), self.system.lattice().words());
        let mut pending = Pending::default();
        self.push_steps(from, 0, &mut pending)?;
        self.tell(met);
        let (mut n_followed, mut most_pending): (usize, usize) = (0, LEAST_PENDING);
        while let (false, Some(origin)) = (self.is_decided(), pending.origins.pop()) {
            let Origin { from, action, depth, .. } = origin;
            // Most steps lead to states that are known, and nothing else is counted of those.
            n_followed += 1;
            if n_followed.is_multiple_of(STEPS_PER_LOOK) {
                self.control.check()?;
            }
            let (start, element) = (pending.states.len() - words, pending.elements.len() - element_words);
            let state = State { discrete: &pending.states[start..], element: &pending.elements[element..] };
            let stored = match self.is_due(origin) {
                true => self.offer(self.store.hash(state), state, Edge { from, action }, depth)?,
                false => None,
            };
            pending.states.truncate(start);
            pending.elements.truncate(element);
            match stored {
                Some(node) if !self.is_decided() => self.push_steps(node, depth, &mut pending)?,
                Some(_) | None => {}
            }
            if !T::IS_FIXED && pending.origins.len() > most_pending {
                self.control.check()?;
                pending.keep((words, element_words), |origin| self.is_due(origin));
                most_pending = LEAST_PENDING.max(2 * pending.origins.len());
            }
            self.tell(met);
        }
        Ok(())
    }

    /// What covers an evicted node has larger steps, and so has a node that grew since.
    fn is_due(&self, Origin { from, age, .. }: Origin) -> bool {
        T::IS_FIXED || self.store.is_stored(from) && self.age(from) == age
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
            pending.origins.push(Origin {
                from: node,
                action: steps.actions[k],
                depth: depth + 1,
                age: self.age(node),
            });
        }
        self.expansion.steps = steps;
        self.report_progress(1)
    }
}

//! Depth-first order: the first step of a state is followed to its end before the second is looked at.

use lapidary_base::Stop;
use lapidary_system::Successors;
use lapidary_system::successors::Element;

use super::passed::{self, Node};
use super::search::{STEPS_PER_LOOK, Search};

/// Steps that were listed but not followed yet, the next one on top.
struct Pending<E> {
    states: Vec<u64>,
    elements: Vec<E>,
    /// Where each comes from, and how deep it leads.
    origins: Vec<(Node, u64)>,
}

impl<S: Successors> Search<'_, S> {
    /// Explores all that can be reached from a stored state and was not met before.
    pub(super) fn dive(&mut self, from: Node, met: &mut dyn FnMut(&Self)) -> Result<(), Stop> {
        let words = self.system.words();
        let mut pending = Pending { states: Vec::new(), elements: Vec::new(), origins: Vec::new() };
        self.push_steps(from, 0, &mut pending)?;
        self.tell(met);
        let mut n_followed: usize = 0;
        while let (false, Some((parent, depth))) = (self.is_decided(), pending.origins.pop()) {
            // Most steps lead to states that are known, and nothing else is counted of those.
            n_followed += 1;
            if n_followed.is_multiple_of(STEPS_PER_LOOK) {
                self.control.check()?;
            }
            let start = pending.states.len() - words;
            let element = pending.elements.pop().expect("a step has an element");
            let state = &pending.states[start..];
            let stored = self.store(passed::hash(state), state, &element, parent, depth)?;
            pending.states.truncate(start);
            match stored {
                Some(node) if !self.is_decided() => self.push_steps(node, depth, &mut pending)?,
                Some(_) | None => {}
            }
            self.tell(met);
        }
        Ok(())
    }

    /// Lists the steps of a state, so that the first one ends on top.
    fn push_steps(&mut self, node: Node, depth: u64, pending: &mut Pending<Element<S>>) -> Result<(), Stop> {
        let words = self.system.words();
        self.steps.clear();
        self.expand(node)?;
        for k in (0..self.steps.len()).rev() {
            self.count_step(self.steps.actions[k]);
            pending.states.extend_from_slice(&self.steps.states[k * words..(k + 1) * words]);
            pending.elements.push(self.steps.elements[k].clone());
            pending.origins.push((node, depth + 1));
        }
        self.report_progress(1)
    }
}

//! The second part of a round: a thread enters into its half of the table what belongs there, and tests the targets on what is new.

use std::hint::black_box;
use std::ops::Range;

use lapidary_base::Control;
use lapidary_system::{State, Steps, Successors};

use super::super::passed::{Slots, matches, node_of};
use super::super::rows::Rows;
use super::super::store::{Node, same};
use super::Halt;
use super::hand::Unknown;

/// More states than one thread can enter into its half of the table.
pub const MOST_FRESH: usize = 1 << 20;
/// So many states are entered together, and between two looks at the limits so many times a target is tested on one.
const ENTERED_AT_ONCE: usize = 1 << 6;
const TESTS_PER_LOOK: usize = 1 << 12;

/// What one thread enters into one half.
pub struct Desk {
    pub fresh: Fresh,
    /// For which there was no room before the end.
    pub late: Unknown,
    pub scratch: Steps,
    pub open: Vec<usize>,
    pub outcome: Result<(), Halt>,
}

/// New states that have no numbers yet.
#[derive(Default)]
pub struct Fresh {
    pub tags: Vec<u64>,
    pub states: Vec<u64>,
    /// Their slots.
    pub places: Vec<usize>,
}

/// The number that a new state has until it gets its own.
pub fn provisional(n_nodes: usize, list: usize, i: usize) -> Result<Node, Halt> {
    if i < MOST_FRESH { Ok(Node((n_nodes + list * MOST_FRESH + i) as u32)) } else { Err(Halt::Eventful) }
}

/// What new states are tested for.
pub struct Targets<'t, S> {
    pub system: &'t S,
    pub open: &'t mut Vec<usize>,
    pub scratch: &'t mut Steps,
    pub control: &'t Control,
    pub n_tests: usize,
}

impl<S: Successors> Targets<'_, S> {
    pub fn test(&mut self, state: &[u64]) -> Result<(), Halt> {
        self.n_tests += 1 + self.open.len();
        if self.n_tests >= TESTS_PER_LOOK {
            self.control.look()?;
            self.n_tests = 0;
        }
        if self.open.is_empty() {
            return Ok(());
        }
        let mut hit = Vec::new();
        self.system.hits(State::plain(state), self.open, &mut hit, self.scratch)?;
        if hit.is_empty() { Ok(()) } else { Err(Halt::Eventful) }
    }
}

/// One half of the table, while it is filled.
pub struct Half<'t> {
    pub slots: &'t mut [u64],
    /// The place of the first slot, of all of so many.
    pub start: usize,
    pub n_slots: usize,
    pub kind: Slots,
    pub states: &'t Rows<u64>,
    pub fresh: &'t mut Fresh,
    pub number: usize,
}

/// What becomes of an unknown state.
enum Place {
    New(usize),
    Known,
    /// No room is left before the end.
    Late,
}

impl Half<'_> {
    /// Enters what is still not known, and tests the targets on it.
    pub fn enter<S: Successors>(
        &mut self,
        unknown: &Unknown,
        range: Range<usize>,
        late: &mut Unknown,
        targets: &mut Targets<'_, S>,
    ) -> Result<(), Halt> {
        let words = self.states.width();
        for start in range.clone().step_by(ENTERED_AT_ONCE) {
            let end = range.end.min(start + ENTERED_AT_ONCE);
            // The slots are loaded at once, so that the waits for memory overlap.
            for &hash in &unknown.hashes[start..end] {
                black_box(self.slots[self.home(hash)]);
            }
            for i in start..end {
                let (tag, hash, state) =
                    (unknown.tags[i], unknown.hashes[i], &unknown.states[i * words..(i + 1) * words]);
                match self.place(hash, state) {
                    Place::Known => {}
                    Place::Late => late.push(tag, hash, state),
                    Place::New(place) => {
                        let node = provisional(self.states.len(), self.number, self.fresh.tags.len())?;
                        self.slots[place] = self.kind.slot(hash, state, node);
                        self.fresh.push(tag, state, self.start + place);
                        targets.test(state)?;
                    }
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash as usize & (self.n_slots - 1)) - self.start
    }

    #[inline(always)]
    fn place(&self, hash: u64, state: &[u64]) -> Place {
        for (i, &slot) in self.slots[self.home(hash)..].iter().enumerate() {
            if slot == self.kind.empty() {
                return Place::New(self.home(hash) + i);
            }
            let is_known = match self.kind {
                Slots::States => slot == state[0],
                Slots::Numbers => matches(slot, hash) && same(self.row(node_of(slot)), state),
            };
            if is_known {
                return Place::Known;
            }
        }
        Place::Late
    }

    fn row(&self, node: Node) -> &[u64] {
        let (number, words) = (node.0 as usize, self.states.width());
        match number.checked_sub(self.states.len()) {
            None => self.states.row(number),
            Some(new) => {
                let i = new - self.number * MOST_FRESH;
                &self.fresh.states[i * words..(i + 1) * words]
            }
        }
    }
}

impl Fresh {
    pub fn clear(&mut self) {
        self.tags.clear();
        self.states.clear();
        self.places.clear();
    }

    #[inline(always)]
    pub fn push(&mut self, tag: u64, state: &[u64], place: usize) {
        self.tags.push(tag);
        self.states.extend_from_slice(state);
        self.places.push(place);
    }

    pub fn undo(&self, slots: &mut [u64], kind: Slots) {
        self.places.iter().rev().for_each(|&place| slots[place] = kind.empty());
    }
}

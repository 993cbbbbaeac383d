//! What a backward search tells a forward search that runs beside it: markings from which the target can be covered.
//!
//! All markings and transitions are those of the smaller net of [`super::reduce`], which both searches make alike. Elements
//! come in batches, so that the lock is taken rarely, and are read in batches, too.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use lapidary_base::Id;
use lapidary_ir::{PlaceId, Sparse, Tokens, TransitionId};
use lapidary_system::net::Marking;

use super::Step;

/// An element of a backward search, as it is handed over.
#[derive(Clone, Debug)]
pub struct Element {
    pub marking: Marking,
    /// The transition that leads from this marking above an element that was published before, and the index of that one.
    /// `None`: the marking is a target.
    pub origin: Option<(TransitionId, usize)>,
}

/// An element as it is read: from every marking above this one a target can be covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    pub marking: Sparse,
    /// For [`Exchange::path`].
    pub index: usize,
}

/// Further elements are not kept: they are the large ones, and nobody would find the time to look at them.
const MAX_ELEMENTS: usize = 500_000;

/// Shared by two searches for the same targets.
#[derive(Debug, Default)]
pub struct Exchange {
    /// By the number of the target, of which only few have elements.
    boards: Mutex<BTreeMap<usize, Board>>,
}

/// The elements of one target, one after the other.
#[derive(Debug, Default)]
struct Board {
    n_places: usize,
    entries: Vec<(PlaceId, Tokens)>,
    /// Where the entries of each element end.
    ends: Vec<usize>,
    origins: Vec<Option<(TransitionId, usize)>>,
}

impl Exchange {
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends elements. The index of an element is the number of elements that were published for its target before it.
    pub fn publish(&self, target: usize, elements: &[Element]) {
        let mut boards = self.boards();
        let board = boards.entry(target).or_default();
        for element in elements.iter().take(MAX_ELEMENTS.saturating_sub(board.ends.len())) {
            board.n_places = element.marking.len();
            let marked = element.marking.iter().enumerate().filter(|&(_, &tokens)| tokens > 0);
            board.entries.extend(marked.map(|(place, &tokens)| (PlaceId::new(place), tokens)));
            board.ends.push(board.entries.len());
            board.origins.push(element.origin);
        }
    }

    /// The targets for which there are elements, ascending.
    pub fn targets(&self) -> Vec<usize> {
        self.boards().iter().filter(|(_, board)| !board.ends.is_empty()).map(|(&target, _)| target).collect()
    }

    /// How many elements there are for a target.
    pub fn len(&self, target: usize) -> usize {
        self.boards().get(&target).map_or(0, |board| board.ends.len())
    }

    /// Is there nothing at all?
    pub fn is_empty(&self) -> bool {
        self.boards().values().all(|board| board.ends.is_empty())
    }

    /// The elements of a target from this index on.
    pub fn elements(&self, target: usize, from: usize) -> Vec<Published> {
        let boards = self.boards();
        let Some(board) = boards.get(&target) else { return Vec::new() };
        (from..board.ends.len()).map(|index| Published { marking: board.entries(index).to_vec(), index }).collect()
    }

    /// The steps from any marking above an element to the target.
    pub fn path(&self, target: usize, index: usize) -> Vec<Step> {
        let boards = self.boards();
        let Some(board) = boards.get(&target) else { return Vec::new() };
        let mut steps = Vec::new();
        let mut at = index;
        while let Some(&Some((transition, next))) = board.origins.get(at) {
            steps.push(Step { transition, demand: board.marking(next) });
            at = next;
        }
        steps
    }

    /// A search that ended in a panic has at worst published less.
    fn boards(&self) -> MutexGuard<'_, BTreeMap<usize, Board>> {
        self.boards.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Board {
    fn entries(&self, index: usize) -> &[(PlaceId, Tokens)] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.entries[start..self.ends[index]]
    }

    fn marking(&self, index: usize) -> Marking {
        let mut marking: Marking = vec![0; self.n_places].into();
        for &(place, tokens) in self.entries(index) {
            marking[place.index()] = tokens;
        }
        marking
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_an_element_leads_through_its_origins() {
        let exchange = Exchange::new();
        let element = |marking: [Tokens; 2], origin: Option<(u32, usize)>| Element {
            marking: marking.into(),
            origin: origin.map(|(transition, index)| (TransitionId(transition), index)),
        };
        exchange.publish(1, &[element([0, 2], None), element([1, 1], Some((4, 0)))]);
        exchange.publish(1, &[element([2, 0], Some((5, 1)))]);
        assert_eq!((exchange.len(0), exchange.len(1)), (0, 3));
        let new = exchange.elements(1, 2);
        assert_eq!(new, [Published { marking: vec![(PlaceId(0), 2)], index: 2 }]);
        let path: Vec<(u32, Vec<Tokens>)> =
            exchange.path(1, 2).into_iter().map(|step| (step.transition.0, step.demand.to_vec())).collect();
        assert_eq!(path, [(5, vec![1, 1]), (4, vec![0, 2])]);
        assert!(exchange.path(1, 0).is_empty());
    }
}

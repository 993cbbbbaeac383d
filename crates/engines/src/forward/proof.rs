//! Labels of the smaller net as a certificate about the whole net.

use std::sync::Arc;

use lapidary_base::Id;
use lapidary_ir::{Net, PlaceId, Tokens};
use lapidary_verdict::{Certificate, Ideals};

use crate::coverability::Reduced;

use super::label::{Count, OMEGA};

/// Places that were left out may have any number of tokens, but for those that never have one. Transitions that were
/// left out bring nothing to the others.
pub fn ideals<'r>(net: &Net, reduced: &Reduced, labels: impl IntoIterator<Item = &'r [Count]>) -> Certificate {
    let mut number: Vec<Option<usize>> = vec![None; net.places.len()];
    for (new, old) in reduced.places.enumerated() {
        number[old.index()] = Some(new.index());
    }
    let mut is_unmarkable = vec![false; net.places.len()];
    reduced.unmarkable.iter().for_each(|place| is_unmarkable[place.index()] = true);
    let bound = |place: PlaceId, label: &[Count]| match number[place.index()] {
        Some(new) if label[new] == OMEGA => Some(None),
        Some(new) => (label[new] > 0).then(|| Some(Tokens::from(label[new]))),
        None => (!is_unmarkable[place.index()]).then_some(None),
    };
    let ideal = |label: &[Count]| net.places.ids().filter_map(|place| Some((place, bound(place, label)?))).collect();
    let mut ideals: Vec<Vec<(PlaceId, Option<Tokens>)>> = labels.into_iter().map(ideal).collect();
    ideals.sort_unstable();
    Certificate::Ideals(Arc::new(Ideals { ideals }))
}

//! Arcs of a transition, gathered one after the other in any order, as LoLA and PNML list them.

use lapidary_ir::{Destinations, Flow, Guard, PlaceId, Range, Sparse, Tokens, Transition};
use lapidary_text::Span;

use super::limits::MAX_NUMBER;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arc {
    Take(Tokens),
    Put(Tokens),
    /// So many tokens have to be there.
    Read(Tokens),
    /// Fewer tokens than this, which is not zero, have to be there.
    Inhibit(Tokens),
    /// All tokens are removed.
    Reset,
}

/// The transition with these arcs; none if the numbers for a place grow too large.
pub fn transition(name: String, span: Span, arcs: &[(PlaceId, Arc)]) -> Option<Transition> {
    let take = |&(place, arc): &(PlaceId, Arc)| if let Arc::Take(tokens) = arc { Some((place, tokens)) } else { None };
    let put = |&(place, arc): &(PlaceId, Arc)| if let Arc::Put(tokens) = arc { Some((place, tokens)) } else { None };
    let mut take = merged(arcs.iter().filter_map(take).collect())?;
    let mut put = merged(arcs.iter().filter_map(put).collect())?;
    let mut guards = Vec::new();
    for (place, range) in ranges(arcs) {
        let taken = tokens(&take, place);
        if range.hi.is_some_and(|hi| hi < range.lo) {
            // Nothing is within the range: what is needed is taken and put back, and the upper bound forbids it.
            let more = range.lo.saturating_sub(taken);
            take = merged([take, vec![(place, more)]].concat())?;
            put = merged([put, vec![(place, more)]].concat())?;
            guards.push(Guard { place, range: Range { lo: 0, hi: range.hi }, span });
        } else if range.hi.is_some() || range.lo > taken {
            guards.push(Guard { place, range, span });
        }
    }
    let mut reset: Vec<PlaceId> = arcs.iter().filter(|(_, arc)| *arc == Arc::Reset).map(|&(place, _)| place).collect();
    reset.sort_unstable();
    reset.dedup();
    let flows = reset.into_iter().map(|from| Flow { from, to: Destinations::All(Sparse::new()) }).collect();
    let signed = |(place, tokens)| (place, i64::try_from(tokens).expect("numbers that are read fit in 60 bits"));
    Some(Transition { name, guards, take, flows, put: put.into_iter().map(signed).collect(), span })
}

fn tokens(sparse: &Sparse, place: PlaceId) -> Tokens {
    sparse.binary_search_by_key(&place, |entry| entry.0).map_or(0, |at| sparse[at].1)
}

/// What the reading and inhibiting arcs demand of each place, ascending.
fn ranges(arcs: &[(PlaceId, Arc)]) -> Vec<(PlaceId, Range)> {
    let range = |arc: Arc| match arc {
        Arc::Read(lo) => Some(Range::at_least(lo)),
        Arc::Inhibit(tokens) => Some(Range { lo: 0, hi: tokens.checked_sub(1) }),
        Arc::Take(_) | Arc::Put(_) | Arc::Reset => None,
    };
    let mut found: Vec<(PlaceId, Range)> = arcs.iter().filter_map(|&(place, arc)| Some((place, range(arc)?))).collect();
    found.sort_by_key(|&(place, _)| place);
    found.dedup_by(|next, kept| {
        if next.0 != kept.0 {
            return false;
        }
        let hi = [kept.1.hi, next.1.hi].into_iter().flatten().min();
        kept.1 = Range { lo: kept.1.lo.max(next.1.lo), hi };
        true
    });
    found
}

/// Ascending, each place once, without zeros.
pub fn merged(mut entries: Sparse) -> Option<Sparse> {
    entries.sort_unstable();
    let mut sums = Sparse::new();
    for (place, tokens) in entries {
        match sums.last_mut() {
            Some(last) if last.0 == place => last.1 = last.1.checked_add(tokens).filter(|&sum| sum <= MAX_NUMBER)?,
            Some(_) | None => sums.push((place, tokens)),
        }
    }
    sums.retain(|&(_, tokens)| tokens > 0);
    Some(sums)
}

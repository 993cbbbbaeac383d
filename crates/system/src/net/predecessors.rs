//! Minimal predecessors: the least markings from which a transition leads above a given one.

use lapidary_base::{Id, Stop};
use lapidary_ir::{Destinations, PlaceId, Tokens, Transition};

use super::{Counts, Marking};

/// A transition with more minimal predecessors of one marking is given up.
pub const MAX_PREDECESSORS: usize = 1_000_000;

/// Appends the minimal markings from which the transition can lead to `point` or above. Upper bounds of guards are
/// taken only as far as they exclude everything above a predecessor: of a net with such guards the result
/// generates more markings than there are predecessors.
pub fn predecessors(transition: &Transition, point: &[Tokens], out: &mut Vec<Marking>) -> Result<(), Stop> {
    let missing = missing(transition, point);
    let mut search = Search { sources: Vec::new(), found: Vec::new() };
    for &(place, tokens) in &missing {
        search.sources.push((tokens, sources(transition, place)));
    }
    let demands = vec![Need::default(); point.len()];
    search.fill(0, demands)?;
    let mut minimal: Vec<Marking> = Vec::new();
    let mut markings: Vec<Marking> = search.found.iter().filter_map(|need| before(transition, need)).collect();
    markings.sort_unstable_by_key(|marking| marking.iter().map(|&tokens| u128::from(tokens)).sum::<u128>());
    for marking in markings {
        if !minimal.iter().any(|least| least.iter().zip(&marking).all(|(a, b)| a <= b)) {
            minimal.push(marking);
        }
    }
    out.append(&mut minimal);
    Ok(())
}

/// What must arrive in each place, the part that is put there aside.
fn missing(transition: &Transition, point: &[Tokens]) -> Vec<(PlaceId, Tokens)> {
    let put = |place: PlaceId| match transition.put.binary_search_by_key(&place, |entry| entry.0) {
        Ok(at) => i128::from(transition.put[at].1),
        Err(_) => 0,
    };
    let places = (0..point.len()).map(PlaceId::new);
    let missing = places.map(|place| (place, i128::from(point[place.index()]) - put(place)));
    missing.filter(|&(_, tokens)| tokens > 0).map(|(place, tokens)| (place, tokens as Tokens)).collect()
}

#[derive(Clone, Copy)]
struct Source {
    place: PlaceId,
    times: Tokens,
    counts: Counts,
}

/// From where tokens come to a place.
fn sources(transition: &Transition, place: PlaceId) -> Vec<Source> {
    let mut sources = Vec::new();
    if !transition.flows.iter().any(|flow| flow.from == place) {
        sources.push(Source { place, times: 1, counts: Counts::ForAll });
    }
    for flow in &transition.flows {
        match &flow.to {
            Destinations::All(to) => {
                let times = to.iter().find(|&&(to, _)| to == place).map(|&(_, times)| times);
                sources.extend(times.map(|times| Source { place: flow.from, times, counts: Counts::ForAll }));
            }
            Destinations::One(to) if to.contains(&place) => {
                sources.push(Source { place: flow.from, times: 1, counts: Counts::ForOne });
            }
            Destinations::One(_) => {}
        }
    }
    sources
}

/// How many tokens a place must have left once the transition has taken its own.
#[derive(Clone, Copy, Default)]
struct Need {
    tokens: Tokens,
}

struct Search {
    /// Per place that misses tokens: how many, and where they can come from.
    sources: Vec<(Tokens, Vec<Source>)>,
    found: Vec<Vec<Need>>,
}

impl Search {
    fn fill(&mut self, at: usize, needs: Vec<Need>) -> Result<(), Stop> {
        let Some((missing, sources)) = self.sources.get(at).cloned() else {
            self.found.push(needs);
            return match self.found.len() > MAX_PREDECESSORS {
                true => Err(Stop::Incomplete(format!("a marking has more than {MAX_PREDECESSORS} predecessors"))),
                false => Ok(()),
            };
        };
        self.split(at, missing, &sources, needs)
    }

    /// All ways to let the missing tokens come from the sources, in which the last one brings the rest.
    fn split(&mut self, at: usize, missing: Tokens, sources: &[Source], needs: Vec<Need>) -> Result<(), Stop> {
        if missing == 0 {
            return self.fill(at + 1, needs);
        }
        let Some((source, rest)) = sources.split_first() else { return Ok(()) };
        let most = missing.div_ceil(source.times);
        let least = if rest.is_empty() { most } else { 0 };
        for brought in least..=most {
            let mut needs = needs.clone();
            let need = &mut needs[source.place.index()].tokens;
            *need = match source.counts {
                Counts::ForAll => (*need).max(brought),
                Counts::ForOne => need.saturating_add(brought),
            };
            self.split(at, missing.saturating_sub(brought.saturating_mul(source.times)), rest, needs)?;
        }
        Ok(())
    }
}

/// With what is taken and what guards ask for; `None` if a guard excludes it and all above.
fn before(transition: &Transition, needs: &[Need]) -> Option<Marking> {
    let mut marking: Marking = needs.iter().map(|need| need.tokens).collect();
    for &(place, tokens) in &transition.take {
        marking[place.index()] = marking[place.index()].checked_add(tokens)?;
    }
    for guard in &transition.guards {
        let tokens = &mut marking[guard.place.index()];
        *tokens = (*tokens).max(guard.range.lo);
        if guard.range.hi.is_some_and(|hi| hi < *tokens) {
            return None;
        }
    }
    Some(marking)
}

//! Transitions as the backward search wants them: what they put and take apart from where tokens move, and which
//! transitions can bring tokens to a place.

use lapidary_base::{Id, Stop};
use lapidary_ir::{Destinations, PlaceId, Tokens, Transition};

use super::{Counts, MAX_PREDECESSORS};
use crate::well_structured::Failed;

#[derive(Clone, Copy, Debug)]
struct Source {
    place: usize,
    times: Tokens,
    counts: Counts,
}

/// What a transition does to one place, where it does anything.
#[derive(Clone, Debug)]
pub struct Touch {
    pub place: usize,
    pub take: Tokens,
    pub put: i64,
    /// What guards ask for.
    pub lo: Tokens,
    pub hi: Option<Tokens>,
    /// From where tokens come, if not from the place itself.
    moved: Option<Vec<Source>>,
}

#[derive(Clone, Debug)]
pub struct Rule {
    /// Ascending by place.
    pub touches: Vec<Touch>,
    pub is_plain: bool,
    /// The places that may have more tokens afterwards: where a marking asks for none of them, its predecessors are above it.
    pub raises: Vec<usize>,
}

impl Rule {
    pub fn new(transition: &Transition) -> Self {
        let mut touches = Vec::new();
        let mut raises = Vec::new();
        let is_plain = transition.is_plain();
        let inbound = inbound(transition);
        for place in touched(transition) {
            let take = find(&transition.take, place).unwrap_or(0);
            let put = find(&transition.put, place).unwrap_or(0);
            let guard = transition.guards.binary_search_by_key(&place, |guard| guard.place).ok();
            let guard = guard.map(|at| transition.guards[at].range);
            let moved = moved(transition, &inbound, place);
            let is_raised = match &moved {
                None => i128::from(put) > i128::from(take),
                Some(sources) => put > 0 || brings(sources, place.index()),
            };
            raises.extend(is_raised.then_some(place.index()));
            if put != 0 || take != 0 || guard.is_some() || moved.is_some() {
                let (lo, hi) = guard.map_or((0, None), |range| (range.lo, range.hi));
                touches.push(Touch { place: place.index(), take, put, lo, hi, moved });
            }
        }
        Self { touches, is_plain, raises }
    }

    /// The greatest number in it.
    pub fn greatest(&self) -> Tokens {
        let of = |touch: &Touch| touch.take.max(touch.lo).max(touch.put.unsigned_abs());
        self.touches.iter().map(of).max().unwrap_or(0)
    }

    /// Hands the markings from which the rule leads above `point` to `found`, among them all minimal ones.
    pub fn predecessors(&self, point: &[Tokens], found: &mut Found<'_>) -> Result<(), Failed> {
        let mut split = Split { rule: self, contested: Vec::new(), found, n_found: 0 };
        let mut needs = point.to_vec();
        // What has to be left in each place: places that tokens flow to ask their sources instead.
        for touch in self.touches.iter().filter(|touch| touch.moved.is_some()) {
            needs[touch.place] = 0;
        }
        for touch in &self.touches {
            let missing = i128::from(point[touch.place]) - i128::from(touch.put);
            let missing = Tokens::try_from(missing.max(0)).map_err(|_| overflow())?;
            match touch.moved.as_deref() {
                None => needs[touch.place] = missing,
                Some(_) if missing == 0 => {}
                Some([]) => return Ok(()),
                Some(&[Source { place, times, counts: Counts::ForAll }]) => {
                    needs[place] = needs[place].max(missing.div_ceil(times));
                }
                Some(sources) => split.contested.push((missing, sources)),
            }
        }
        split.fill(0, &mut needs)
    }
}

pub type Found<'a> = dyn FnMut(&[Tokens]) -> Result<(), Failed> + 'a;

fn overflow() -> Failed {
    Failed::Stop(Stop::Overflow("a marking of a backward search".to_owned()))
}

fn find<T: Copy>(list: &[(PlaceId, T)], place: PlaceId) -> Option<T> {
    list.binary_search_by_key(&place, |entry| entry.0).ok().map(|at| list[at].1)
}

/// Where tokens go, and from where: ascending by the first, then in the order of flows.
type Inbound = Vec<(PlaceId, Source)>;

fn inbound(transition: &Transition) -> Inbound {
    let mut inbound = Vec::new();
    for flow in &transition.flows {
        let place = flow.from.index();
        match &flow.to {
            Destinations::All(to) => {
                inbound.extend(to.iter().map(|&(to, times)| (to, Source { place, times, counts: Counts::ForAll })));
            }
            Destinations::One(to) => {
                inbound.extend(to.iter().map(|&to| (to, Source { place, times: 1, counts: Counts::ForOne })));
            }
        }
    }
    inbound.sort_by_key(|&(to, _)| to);
    inbound
}

/// All places that a transition speaks of, ascending.
fn touched(transition: &Transition) -> Vec<PlaceId> {
    let mut places: Vec<PlaceId> = transition.guards.iter().map(|guard| guard.place).collect();
    places.extend(transition.take.iter().map(|entry| entry.0));
    places.extend(transition.put.iter().map(|entry| entry.0));
    for flow in &transition.flows {
        places.push(flow.from);
        match &flow.to {
            Destinations::All(to) => places.extend(to.iter().map(|entry| entry.0)),
            Destinations::One(to) => places.extend(to),
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}

/// From where tokens come to a place; `None` if it only keeps its own.
fn moved(transition: &Transition, inbound: &Inbound, place: PlaceId) -> Option<Vec<Source>> {
    let stays = transition.flows.binary_search_by_key(&place, |flow| flow.from).is_err();
    let start = inbound.partition_point(|entry| entry.0 < place);
    let here = inbound[start..].iter().take_while(|entry| entry.0 == place);
    let mut sources: Vec<Source> = here.map(|entry| entry.1).collect();
    if stays && sources.is_empty() {
        return None;
    }
    if stays {
        sources.push(Source { place: place.index(), times: 1, counts: Counts::ForAll });
    }
    Some(sources)
}

fn brings(sources: &[Source], place: usize) -> bool {
    sources.iter().any(|source| source.place != place || source.times > 1)
}

/// The ways to let the tokens of contested places come from several sources.
struct Split<'r, 'f, 'g> {
    rule: &'r Rule,
    contested: Vec<(Tokens, &'r [Source])>,
    found: &'f mut Found<'g>,
    n_found: usize,
}

impl Split<'_, '_, '_> {
    fn fill(&mut self, at: usize, needs: &mut Vec<Tokens>) -> Result<(), Failed> {
        match self.contested.get(at) {
            Some(&(missing, sources)) => self.split(at, missing, sources, needs),
            None => self.report(needs),
        }
    }

    fn split(&mut self, at: usize, missing: Tokens, rest: &[Source], needs: &mut Vec<Tokens>) -> Result<(), Failed> {
        if missing == 0 {
            return self.fill(at + 1, needs);
        }
        let Some((source, rest)) = rest.split_first() else { return Ok(()) };
        let had = needs[source.place];
        let most = missing.div_ceil(source.times);
        let least = match source.counts {
            _ if rest.is_empty() => most,
            // What another place asks of this source counts here, too.
            Counts::ForAll => most.min(had),
            Counts::ForOne => 0,
        };
        for brought in least..=most {
            needs[source.place] = match source.counts {
                Counts::ForAll => had.max(brought),
                Counts::ForOne => had.checked_add(brought).ok_or_else(overflow)?,
            };
            self.split(at, missing.saturating_sub(brought.saturating_mul(source.times)), rest, needs)?;
        }
        needs[source.place] = had;
        Ok(())
    }

    /// With what is taken and what guards ask for, unless a guard excludes it and all above.
    fn report(&mut self, needs: &[Tokens]) -> Result<(), Failed> {
        self.n_found += 1;
        if self.n_found > MAX_PREDECESSORS {
            let why = format!("a marking has more than {MAX_PREDECESSORS} predecessors");
            return Err(Failed::Stop(Stop::Incomplete(why)));
        }
        let mut marking = needs.to_vec();
        for touch in &self.rule.touches {
            let tokens = &mut marking[touch.place];
            *tokens = tokens.checked_add(touch.take).ok_or_else(overflow)?.max(touch.lo);
            if touch.hi.is_some_and(|hi| hi < *tokens) {
                return Ok(());
            }
        }
        (self.found)(&marking)
    }
}

/// Which rules can bring tokens to each place, one place after the other.
#[derive(Clone, Debug)]
pub struct Raisers {
    n_rules: usize,
    rules: Vec<usize>,
    /// Where the rules of each place end.
    ends: Vec<usize>,
}

impl Raisers {
    pub fn new(n_places: usize, rules: &[Rule]) -> Self {
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); n_places];
        for (number, rule) in rules.iter().enumerate() {
            rule.raises.iter().for_each(|&place| of[place].push(number));
        }
        let mut raisers = Self { n_rules: rules.len(), rules: Vec::new(), ends: Vec::with_capacity(n_places) };
        for mut numbers in of {
            raisers.rules.append(&mut numbers);
            raisers.ends.push(raisers.rules.len());
        }
        raisers
    }

    /// The rules that bring tokens to any of the places, ascending.
    pub fn of(&self, places: impl Iterator<Item = usize>, set: &mut Vec<u64>, out: &mut Vec<usize>) {
        set.clear();
        set.resize(self.n_rules.div_ceil(64), 0);
        for place in places {
            let start = if place == 0 { 0 } else { self.ends[place - 1] };
            for &number in &self.rules[start..self.ends[place]] {
                set[number / 64] |= 1 << (number % 64);
            }
        }
        out.clear();
        for (word, &bits) in set.iter().enumerate() {
            let mut rest = bits;
            while rest != 0 {
                out.push(word * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

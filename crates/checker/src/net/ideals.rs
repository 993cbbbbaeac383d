//! A union of ideals: initial markings are below one of them, no transition leads from below one to above all, and none
//! meets the target.

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Destinations, Model, Net, PlaceId, Tokens, Transition};
use lapidary_verdict::Ideals;

use super::greatest::{Greatest, Ideal, Limit, is_at_most};
use super::{check_places, target, wrong};
use crate::Rejection;
use crate::certify::Claim;

/// Ways of tokens to choose that are looked at for one ideal and one transition.
const MOST_WAYS: usize = 1_000_000;
/// Limits are looked at after so many of them.
const PATIENCE: usize = 256;

pub fn check(net: &Net, model: &Model, claims: &[Claim], ideals: &Ideals, control: &Control) -> Result<(), Rejection> {
    for (number, ideal) in ideals.ideals.iter().enumerate() {
        let places = ideal.iter().map(|entry| entry.0);
        check_places(net, places).map_err(|why| wrong(format!("ideal {number}: {why}")))?;
    }
    let greatest = Greatest::new(net.places.len(), ideals.ideals.iter().map(|ideal| &ideal[..]));
    let initial: Vec<(PlaceId, Limit)> =
        net.initial.enumerated().map(|(place, range)| (place, range.hi.map(u128::from))).collect();
    if !greatest.has(&initial) {
        return Err(wrong(format!("the initial markings are not below one ideal: {}", shown(net, &initial))));
    }
    let moves: Vec<Move<'_>> = net.transitions.iter().map(Move::new).collect();
    for (number, ideal) in ideals.ideals.iter().enumerate() {
        control.check()?;
        for step in &moves {
            if let Some(after) = leads_out(ideal, step, &greatest, control)? {
                let (name, after) = (&step.transition.name, shown(net, &after));
                return Err(wrong(format!("{name} leads out of the set: from ideal {number} to {after}")));
            }
        }
    }
    let mut within = |marking: &[Tokens]| {
        let some = marking.iter().enumerate().filter(|(_, tokens)| **tokens > 0);
        let marking: Vec<(PlaceId, Limit)> =
            some.map(|(place, &tokens)| (PlaceId::new(place), Some(u128::from(tokens)))).collect();
        greatest.has(&marking)
    };
    target::check(net, model, claims, &mut within, control)
}

/// `p=2 q=w`, where `w` is any number.
fn shown(net: &Net, limit: &[(PlaceId, Limit)]) -> String {
    let word = |&(place, tokens): &(PlaceId, Limit)| {
        let tokens = tokens.map_or("w".to_owned(), |tokens| tokens.to_string());
        format!("{}={tokens}", net.places[place].name)
    };
    let some = limit.iter().filter(|entry| entry.1 != Some(0));
    let words: Vec<String> = some.map(word).collect();
    if words.is_empty() { "the empty marking".to_owned() } else { words.join(" ") }
}

fn sum(a: Limit, b: Limit) -> Limit {
    // Beyond 64 bits all finite numbers are above all of an ideal, so there they need not be told apart.
    Some(a?.saturating_add(b?))
}

fn product(times: Tokens, limit: Limit) -> Limit {
    Some(limit?.saturating_mul(u128::from(times)))
}

/// A transition and the places whose tokens it may change, ascending.
struct Move<'a> {
    transition: &'a Transition,
    places: Vec<PlaceId>,
}

impl<'a> Move<'a> {
    fn new(transition: &'a Transition) -> Self {
        let Transition { guards, take, flows, put, .. } = transition;
        let mut places: Vec<PlaceId> = take.iter().map(|entry| entry.0).collect();
        // An upper bound limits what stays.
        places.extend(guards.iter().map(|guard| guard.place));
        places.extend(put.iter().map(|entry| entry.0));
        for flow in flows {
            places.push(flow.from);
            match &flow.to {
                Destinations::All(to) => places.extend(to.iter().map(|entry| entry.0)),
                Destinations::One(to) => places.extend(to),
            }
        }
        places.sort_unstable();
        places.dedup();
        Self { transition, places }
    }

    fn slot(&self, place: PlaceId) -> usize {
        self.places.binary_search(&place).expect("all places of a transition are listed")
    }
}

/// Tokens of one place that choose: how many, and the slots where they may go.
struct Choice {
    tokens: u128,
    to: Vec<usize>,
}

/// What the markings of an ideal in which the transition is enabled become, in the places that it may change.
struct Image {
    /// What comes for sure, negative puts apart.
    sure: Vec<Limit>,
    choices: Vec<Choice>,
}

/// A limit of markings that the transition leads to from the ideal and that is below no ideal of the set.
fn leads_out(
    ideal: &Ideal,
    step: &Move<'_>,
    greatest: &Greatest<'_>,
    control: &Control,
) -> Result<Option<Vec<(PlaceId, Limit)>>, Rejection> {
    let Some(image) = image(ideal, step) else { return Ok(None) };
    let mut search = Search { step, ideal, greatest, choices: &image.choices, n_ways: 0, control };
    search.run(image.sure)
}

fn most(ideal: &Ideal, place: PlaceId) -> Limit {
    match ideal.binary_search_by_key(&place, |entry| entry.0) {
        Ok(at) => ideal[at].1.map(u128::from),
        Err(_) => Some(0),
    }
}

/// `None` if the transition is enabled nowhere in the ideal.
fn image(ideal: &Ideal, step: &Move<'_>) -> Option<Image> {
    let left = left(ideal, step)?;
    let mut sure = left.clone();
    let flows = &step.transition.flows;
    flows.iter().for_each(|flow| sure[step.slot(flow.from)] = Some(0));
    let mut choices = Vec::new();
    for flow in flows {
        let moved = left[step.slot(flow.from)];
        match (&flow.to, moved) {
            (Destinations::All(to), _) => {
                for &(place, times) in to {
                    let slot = step.slot(place);
                    sure[slot] = sum(sure[slot], product(times, moved));
                }
            }
            (Destinations::One(to), Some(tokens)) => {
                choices.push(Choice { tokens, to: to.iter().map(|&place| step.slot(place)).collect() });
            }
            // Out of any number, any number can go to each of the places at once.
            (Destinations::One(to), None) => to.iter().for_each(|&place| sure[step.slot(place)] = None),
        }
    }
    for &(place, tokens) in step.transition.put.iter().filter(|entry| entry.1 > 0) {
        let slot = step.slot(place);
        sure[slot] = sum(sure[slot], Some(u128::from(tokens.unsigned_abs())));
    }
    Some(Image { sure, choices })
}

/// What is left of the greatest numbers with which the transition is enabled.
fn left(ideal: &Ideal, step: &Move<'_>) -> Option<Vec<Limit>> {
    let Transition { guards, take, .. } = step.transition;
    let is_enough = |place: PlaceId, tokens: Tokens| most(ideal, place).is_none_or(|most| most >= u128::from(tokens));
    let is_enabled = guards.iter().all(|guard| is_enough(guard.place, guard.range.lo))
        && take.iter().all(|&(place, tokens)| is_enough(place, tokens));
    if !is_enabled {
        return None;
    }
    let mut left: Vec<Limit> = step.places.iter().map(|&place| most(ideal, place)).collect();
    for guard in guards {
        if let Some(hi) = guard.range.hi.map(u128::from) {
            let most = &mut left[step.slot(guard.place)];
            *most = Some(most.map_or(hi, |most| most.min(hi)));
        }
    }
    for &(place, tokens) in take {
        let most = &mut left[step.slot(place)];
        if let Some(before) = *most {
            *most = Some(before.checked_sub(u128::from(tokens))?);
        }
    }
    Some(left)
}

/// Ways in which tokens choose, most of them settled together: if all tokens could go everywhere at once and the result
/// were still in the set, nothing needs to be told apart.
struct Search<'a> {
    step: &'a Move<'a>,
    ideal: &'a Ideal,
    greatest: &'a Greatest<'a>,
    choices: &'a [Choice],
    n_ways: usize,
    control: &'a Control,
}

/// A part of the ways: the first choices are settled, and of the next one the first destinations.
struct Part {
    sure: Vec<Limit>,
    choice: usize,
    destination: usize,
    /// Tokens of this choice that are not settled yet.
    rest: u128,
}

impl Search<'_> {
    fn run(&mut self, sure: Vec<Limit>) -> Result<Option<Vec<(PlaceId, Limit)>>, Rejection> {
        let rest = self.choices.first().map_or(0, |choice| choice.tokens);
        let mut open = vec![Part { sure, choice: 0, destination: 0, rest }];
        while let Some(part) = open.pop() {
            self.be_patient()?;
            // Nothing is to be told apart if this part is enabled nowhere, or in the set everywhere.
            let Some(after) = self.after(self.at_most(&part)) else { continue };
            let Some(after) = self.outside(&after) else { continue };
            if part.choice == self.choices.len() {
                return Ok(Some(after));
            }
            self.split(part, &mut open);
        }
        Ok(None)
    }

    fn be_patient(&mut self) -> Result<(), Rejection> {
        self.n_ways += 1;
        if self.n_ways.is_multiple_of(PATIENCE) {
            self.control.check()?;
        }
        if self.n_ways > MOST_WAYS {
            let name = &self.step.transition.name;
            let why = format!("the tokens of {name} can choose in more than {MOST_WAYS} ways from one ideal");
            return Err(Stop::Incomplete(why).into());
        }
        Ok(())
    }

    /// All tokens that are not settled, at every destination that they may still choose.
    fn at_most(&self, part: &Part) -> Vec<Limit> {
        let mut most = part.sure.clone();
        for (number, choice) in self.choices.iter().enumerate().skip(part.choice) {
            let is_first = number == part.choice;
            let (tokens, skipped) = if is_first { (part.rest, part.destination) } else { (choice.tokens, 0) };
            for &slot in &choice.to[skipped..] {
                most[slot] = sum(most[slot], Some(tokens));
            }
        }
        most
    }

    /// Less what is taken from what has arrived; `None` where that is not there.
    fn after(&self, mut limit: Vec<Limit>) -> Option<Vec<Limit>> {
        for &(place, tokens) in self.step.transition.put.iter().filter(|entry| entry.1 < 0) {
            let limit = &mut limit[self.step.slot(place)];
            if let Some(before) = *limit {
                *limit = Some(before.checked_sub(u128::from(tokens.unsigned_abs()))?);
            }
        }
        Some(limit)
    }

    /// The limit with the places that do not change, if it is below no ideal.
    fn outside(&self, after: &[Limit]) -> Option<Vec<(PlaceId, Limit)>> {
        let changed = self.step.places.iter().copied().zip(after.iter().copied());
        // Most transitions stay below the ideal that they start from.
        if changed.clone().all(|(place, tokens)| is_at_most(tokens, most(self.ideal, place))) {
            return None;
        }
        let stays = self.ideal.iter().filter(|entry| self.step.places.binary_search(&entry.0).is_err());
        let mut whole: Vec<(PlaceId, Limit)> = stays.map(|&(place, most)| (place, most.map(u128::from))).collect();
        whole.extend(changed);
        whole.sort_unstable_by_key(|entry| entry.0);
        (!self.greatest.has(&whole)).then_some(whole)
    }

    /// One token more goes to the next destination, or none does.
    fn split(&self, part: Part, open: &mut Vec<Part>) {
        let Part { mut sure, choice, destination, rest } = part;
        let to = &self.choices[choice].to;
        let slot = to[destination];
        if rest == 0 || destination + 1 == to.len() {
            sure[slot] = sum(sure[slot], Some(rest));
            let rest = self.choices.get(choice + 1).map_or(0, |choice| choice.tokens);
            open.push(Part { sure, choice: choice + 1, destination: 0, rest });
            return;
        }
        let mut more = sure.clone();
        more[slot] = sum(more[slot], Some(1));
        open.push(Part { sure: more, choice, destination, rest: rest - 1 });
        // This part is looked at first, for it ends sooner.
        open.push(Part { sure, choice, destination: destination + 1, rest });
    }
}

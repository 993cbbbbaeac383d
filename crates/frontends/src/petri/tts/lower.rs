//! A step as a transition: the shared state changes, one thread moves or stays, the others flow.

use lapidary_ir::{Destinations, Flow, Guard, PlaceId, Range, Sparse, Tokens, Transition};
use lapidary_text::{Sources, Span};

use super::super::lexer;
use super::super::properties::Target;
use super::parse::{Kinds, Step};
use super::target::Wanted;
use super::{LEXIS, Places, State};

/// None for a step that does nothing.
pub fn transition(step: &Step, name: String, places: &Places) -> Option<Transition> {
    let flows = flows(step, places);
    let does_something = step.kind == Kinds::Spawn || step.from != step.to || !flows.is_empty();
    let mut effect = Effect { guards: Vec::new(), take: Vec::new(), put: Vec::new(), span: step.span };
    effect.moves(places.of(step.from.0), places.of(step.to.0), &flows);
    let (from, to) = (places.of(step.from.1), places.of(step.to.1));
    match step.kind {
        Kinds::Move => effect.moves(from, to, &flows),
        Kinds::Transfer => {}
        Kinds::Spawn => {
            effect.moves(from, from, &flows);
            effect.add(to);
        }
    }
    let Effect { mut guards, mut take, mut put, span } = effect;
    guards.sort_by_key(|guard| guard.place);
    take.sort_unstable();
    put.sort_unstable();
    does_something.then_some(Transition { name, guards, take, flows, put, span })
}

/// So many passive moves are named.
const MAX_NAMED: usize = 3;

/// `0 1 -> 0 2 3 ~> 4`, as the text has it; a long list of passive moves is left out.
pub fn name(step: &Step) -> String {
    let number = |state: State| match state {
        State::Shared(number) | State::Local(number) => number,
    };
    let arrow = match step.kind {
        Kinds::Move => "->",
        Kinds::Transfer => "~>",
        Kinds::Spawn => "+>",
    };
    let pair = |(shared, local): (State, State)| format!("{} {}", number(shared), number(local));
    let mut name = format!("{} {arrow} {}", pair(step.from), pair(step.to));
    for &(from, to) in step.passive.iter().take(MAX_NAMED) {
        name += &format!(" {} ~> {}", number(from), number(to));
    }
    if step.passive.len() > MAX_NAMED {
        name += " ...";
    }
    name
}

struct Effect {
    guards: Vec<Guard>,
    take: Sparse,
    put: Vec<(PlaceId, i64)>,
    span: Span,
}

impl Effect {
    /// A token moves. One that stays is only needed to be there, unless the others of its place move without it.
    fn moves(&mut self, from: PlaceId, to: PlaceId, flows: &[Flow]) {
        if from == to && flows.iter().all(|flow| flow.from != from) {
            self.guards.push(Guard { place: from, range: Range::at_least(1), span: self.span });
            return;
        }
        self.take.push((from, 1));
        self.add(to);
    }

    fn add(&mut self, place: PlaceId) {
        match self.put.iter_mut().find(|put| put.0 == place) {
            Some(put) => put.1 += 1,
            None => self.put.push((place, 1)),
        }
    }
}

/// Where the threads go that do not act. A local state whose threads all stay has no flow.
fn flows(step: &Step, places: &Places) -> Vec<Flow> {
    let whole = (step.kind == Kinds::Transfer).then_some((step.from.1, step.to.1));
    let moves = whole.into_iter().chain(step.passive.iter().copied());
    let mut moves: Vec<(PlaceId, PlaceId)> = moves.map(|(from, to)| (places.of(from), places.of(to))).collect();
    moves.sort_unstable();
    moves.dedup();
    let groups = moves.chunk_by(|this, that| this.0 == that.0);
    let flow = |group: &[(PlaceId, PlaceId)]| match *group {
        [(from, to)] if from == to => None,
        [(from, to)] => Some(Flow { from, to: Destinations::All(vec![(to, 1)]) }),
        _ => Some(Flow { from: group[0].0, to: Destinations::One(group.iter().map(|&(_, to)| to).collect()) }),
    };
    groups.filter_map(flow).collect()
}

pub fn target(sources: &Sources, wanted: Wanted, places: &Places) -> Target {
    let at_least = |(state, tokens)| (places.of(state), Range::at_least(tokens));
    let cube = |states: Vec<(State, Tokens)>| {
        let mut cube: Vec<(PlaceId, Range)> = states.into_iter().map(at_least).collect();
        cube.sort_by_key(|&(place, _)| place);
        cube
    };
    let text = lexer::on_one_line(sources.text(wanted.span), &LEXIS);
    Target { cubes: wanted.states.into_iter().map(cube).collect(), text, span: wanted.span }
}

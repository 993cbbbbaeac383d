//! Thread transition systems, `.tts`: one shared state and any number of threads, each with a local state.
//!
//! A place for each shared state, one token in all of them together, and a place for each local state; only for those
//! that occur somewhere, since a file may speak of half a million states and use three.

mod lower;
mod parse;
mod target;

use lapidary_base::hash::{Map, Set};
use lapidary_ir::{Net, Place, PlaceId, Range};
use lapidary_text::{Log, SourceId, Sources, Span};

use super::lexer::{Comment, Lexis, Lines, Quotes};
use super::properties::{self, Target};
use target::Wanted;

pub const LEXIS: Lexis = Lexis {
    signs: &["->", "~>", "+>", "|", "/", ","],
    comments: &[Comment { open: "#", close: None }],
    is_word: |_, character| character.is_ascii_alphanumeric() || character == '_',
    lines: Lines::Matter,
    quotes: Quotes::AreStrange,
};

/// A state by its kind and number: shared ones come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    Shared(u64),
    Local(u64),
}

impl State {
    fn name(self) -> String {
        match self {
            Self::Shared(number) => format!("s{number}"),
            Self::Local(number) => format!("l{number}"),
        }
    }
}

/// The states that occur and their places, in the order of the states.
struct Places {
    known: Map<State, PlaceId>,
}

impl Places {
    fn of(&self, state: State) -> PlaceId {
        *self.known.get(&state).expect("all states that occur have a place")
    }
}

/// Reads a system; further targets come from files, the initial states perhaps from an option.
pub fn load(
    sources: &Sources,
    source: SourceId,
    targets: &[SourceId],
    initial: Option<SourceId>,
    log: &mut Log,
) -> (Net, Vec<Target>) {
    let file = parse::file(sources, source, log);
    let mut wanted = file.targets;
    for &source in targets {
        wanted.extend(target::file(sources, source, &file.size, log));
    }
    let head = Span::new(source, 0, 0);
    let initial = match initial {
        Some(source) => target::initial(sources, source, &file.size, log),
        None => vec![(State::Shared(0), Range::exactly(1)), (State::Local(0), Range::ANY)],
    };
    let in_steps = file.steps.iter().flat_map(parse::Step::states);
    let in_target = |wanted: &Wanted| {
        let span = wanted.span;
        wanted.states.iter().flatten().map(|&(state, _)| (state, span)).collect::<Vec<_>>()
    };
    let in_targets = wanted.iter().flat_map(in_target);
    let in_initial = initial.iter().map(|&(state, _)| (state, head));
    let mut occurring: Vec<(State, Span)> = in_steps.chain(in_targets).chain(in_initial).collect();
    // The first place in the text where a state occurs stands for it: the sort is stable.
    occurring.sort_by_key(|&(state, _)| state);
    occurring.dedup_by_key(|&mut (state, _)| state);
    let mut net = Net { name: properties::stem(sources, source).to_owned(), ..Net::default() };
    let mut places = Places { known: Map::default() };
    for (state, span) in occurring {
        let place = net.places.push(Place { name: state.name(), span });
        places.known.insert(state, place);
        net.initial.push(Range::exactly(0));
    }
    for (state, range) in initial {
        net.initial[places.of(state)] = range;
    }
    let mut names: Set<String> = Set::default();
    for (i, step) in file.steps.iter().enumerate() {
        if !log.goes_on() {
            break;
        }
        let text = lower::name(step);
        let name = if names.contains(&text) { format!("{text} (step {})", i + 1) } else { text };
        names.insert(name.clone());
        if let Some(transition) = lower::transition(step, name, &places) {
            net.transitions.push(transition);
        }
    }
    (net, wanted.into_iter().map(|wanted| lower::target(sources, wanted, &places)).collect())
}

//! Nets by hand, and what must be true of an answer.

use lapidary_base::{Control, Id};
use lapidary_engines::lazy::{Choose, Covering, Ended, Limits, Search};
use lapidary_ir::{Destinations, Flow, Guard, Net, Place, PlaceId, Range, Tokens, Transition, TransitionId};
use lapidary_system::boxes::{BoxStep, Cuboid, Interval, Region};
use lapidary_text::{SourceId, Span};

pub fn span() -> Span {
    Span::new(SourceId(0), 0, 0)
}

pub fn place(at: usize) -> PlaceId {
    PlaceId::new(at)
}

/// Fires always and changes nothing.
pub fn idle(name: &str) -> Transition {
    let name = name.to_owned();
    Transition { name, guards: vec![], take: vec![], flows: vec![], put: vec![], span: span() }
}

pub fn guard(at: usize, range: Range) -> Guard {
    Guard { place: place(at), range, span: span() }
}

/// Each of the tokens counts once in each of these places.
pub fn flow(from: usize, to: &[usize]) -> Flow {
    Flow { from: place(from), to: Destinations::All(to.iter().map(|&to| (place(to), 1)).collect()) }
}

pub fn net(names: &[&str], initial: &[Range], transitions: Vec<Transition>) -> Net {
    let places = names.iter().map(|&name| Place { name: name.to_owned(), span: span() }).collect();
    let made = Net {
        name: "net".to_owned(),
        places,
        transitions: transitions.into_iter().collect(),
        initial: initial.iter().copied().collect(),
    };
    assert_eq!(made.validate(), Ok(()));
    made
}

/// Table 1 of the paper without the commands that are named.
pub fn table_1(without: &[&str]) -> Net {
    let (x, y, z) = (0, 1, 2);
    let at_least = |at, n| vec![guard(at, Range::at_least(n))];
    let put = |at: usize, n: i64| vec![(place(at), n)];
    let all = vec![
        Transition { flows: vec![flow(y, &[])], put: put(y, 1), ..idle("c1") },
        Transition { guards: at_least(y, 2), flows: vec![flow(x, &[]), flow(y, &[])], put: put(x, 1), ..idle("c2") },
        Transition { guards: at_least(x, 1), put: put(x, 1), ..idle("c3") },
        Transition { guards: at_least(x, 1), take: vec![(place(x), 1)], put: put(y, 1), ..idle("c4") },
        Transition { flows: vec![flow(x, &[x, z]), flow(z, &[])], ..idle("c5") },
        Transition { guards: at_least(x, 1), put: put(y, 1), ..idle("c6") },
        Transition { guards: at_least(y, 2), take: vec![(place(y), 1)], put: put(x, 1), ..idle("c7") },
        Transition { flows: vec![flow(y, &[y, z]), flow(z, &[])], ..idle("c8") },
    ];
    let kept = all.into_iter().filter(|transition| !without.contains(&&*transition.name)).collect();
    net(&["x", "y", "z"], &[Range::exactly(0); 3], kept)
}

/// The markings with at least so many tokens in these places.
pub fn at_least(net: &Net, bounds: &[(usize, Tokens)]) -> Region {
    let mut cuboid = Cuboid::all(net.places.len());
    bounds.iter().for_each(|&(at, n)| cuboid.intervals[at] = Interval::at_least(n));
    Region::of(vec![cuboid])
}

pub fn names(net: &Net, trace: &[TransitionId]) -> String {
    let names: Vec<&str> = trace.iter().map(|&transition| &*net.transitions[transition].name).collect();
    names.join(" ")
}

pub fn atoms(net: &Net, atoms: &[(PlaceId, Tokens)]) -> String {
    let shown: Vec<String> = atoms.iter().map(|&(at, n)| format!("{} >= {n}", net.places[at].name)).collect();
    shown.join(", ")
}

/// Every refinement in one line.
pub fn story(net: &Net, search: &Search<'_>) -> Vec<String> {
    let line = |round: &lapidary_engines::lazy::Refinement| {
        let (pivot, error) = (names(net, &round.pivot), names(net, &round.error));
        format!("step {}: pivot [{pivot}], trace [{error}], adds {}", round.step, atoms(net, &round.atoms))
    };
    search.refinements.iter().map(line).collect()
}

pub fn search<'a>(net: &'a Net, error: &Region, covering: Covering, control: &'a Control) -> Search<'a> {
    Search::new(net, error.clone(), covering, Limits::default(), control)
}

/// Runs to the end, and looks at what it returns.
pub fn run(net: &Net, error: &Region, search: &mut Search<'_>, choose: &mut dyn Choose, control: &Control) -> Ended {
    let ended = search.run(choose).expect("no limit");
    if let Ended::Correct(reach) = &ended {
        assert_eq!(problem(net, error, reach, control), None);
    }
    ended
}

/// Why a region is no inductive invariant that excludes the error markings.
pub fn problem(net: &Net, error: &Region, reach: &Region, control: &Control) -> Option<String> {
    let initial = Cuboid { intervals: net.initial.iter().map(|&range| Interval::of(range)).collect() };
    let within = |region: &Region| region.is_subset(reach, control).expect("no limit");
    if !within(&Region::of(vec![initial])) {
        return Some("an initial marking is missing".to_owned());
    }
    if reach.meets(error) {
        return Some("it has an error marking".to_owned());
    }
    // The atoms of the region describe it, so an image is inside exactly if its abstraction is.
    let thresholds = reach.thresholds(net.places.len());
    let leaves = |transition: &&Transition| {
        let post = BoxStep::new(transition).abstract_post(reach, &thresholds, control).expect("no limit");
        !within(&post)
    };
    net.transitions.iter().find(leaves).map(|transition| format!("transition {} leaves it", transition.name))
}

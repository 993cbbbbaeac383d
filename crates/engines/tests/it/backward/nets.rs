//! Small nets: written down in a line per transition, or random.

use lapidary_base::{Control, Id};
use lapidary_engines::{Answer, Engine, Target, Task, goals};
use lapidary_ir::passes;
use lapidary_ir::{CountedNet, Net, Place, PlaceId, Range, Subject, Tokens, Transition};
use lapidary_reference::nets::{self, Features};
use lapidary_system::net::Marking;
use lapidary_text::{SourceId, Sources, Span};

pub fn span() -> Span {
    Span::new(SourceId(0), 0, 0)
}

pub fn place(i: usize) -> PlaceId {
    PlaceId::new(i)
}

/// Places `p0`, `p1`, ... with these initial ranges.
pub fn net(initial: &[Range]) -> Net {
    let places = (0..initial.len()).map(|i| Place { name: format!("p{i}"), span: span() }).collect();
    Net {
        name: "net".to_owned(),
        places,
        transitions: Vec::new().into_iter().collect(),
        initial: initial.iter().copied().collect(),
    }
}

/// Adds a transition that takes and puts.
pub fn plain(net: &mut Net, take: &[(usize, Tokens)], put: &[(usize, i64)]) {
    let mut transition = idle(net);
    transition.take = take.iter().map(|&(at, tokens)| (place(at), tokens)).collect();
    transition.put = put.iter().map(|&(at, tokens)| (place(at), tokens)).collect();
    net.transitions.push(transition);
}

pub fn idle(net: &Net) -> Transition {
    let name = format!("t{}", net.transitions.len());
    Transition { name, guards: Vec::new(), take: Vec::new(), flows: Vec::new(), put: Vec::new(), span: span() }
}

/// One target: any of these markings or more.
pub fn ask(engine: &dyn Engine, net: &Net, target: &[Marking]) -> Answer {
    net.validate().expect("nets of tests are well formed");
    let model = passes::counters(net);
    let exprs = &model.exprs;
    let above = |marking: &Marking| {
        let marked = marking.iter().enumerate().filter(|&(_, &tokens)| tokens > 0);
        exprs.and(
            marked.map(|(at, &tokens)| exprs.le(exprs.int(tokens as i64), exprs.var(passes::place_var(place(at))))),
        )
    };
    let targets = [Target::States(exprs.or(target.iter().map(above)))];
    let sources = Sources::default();
    let subject = Subject::Net(CountedNet { net: net.clone(), sums: Vec::new(), model: model.clone() });
    let task = Task { subject: &subject, goals: &goals(&targets), sources: &sources };
    assert_eq!(engine.prepare(&task, &Control::new()).map(|_| ()), Ok(()));
    engine.run(&task, &lapidary_base::Control::new()).pop().expect("one answer per target")
}

/// A random net, and the least markings of what is asked.
pub fn random(seed: u64, features: &Features) -> (Net, Vec<Marking>) {
    let problem = nets::random(seed, features);
    let target = problem.minimal().into_iter().map(Marking::from).collect();
    (problem.net, target)
}

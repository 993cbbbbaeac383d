//! Small nets: written down in a line per transition, or drawn from a fixed sequence.

use lapidary_base::{Control, Id};
use lapidary_engines::{Answer, Engine, Target, Task, goals};
use lapidary_ir::passes;
use lapidary_ir::{CountedNet, Destinations, Flow, Guard, Net, Place, PlaceId, Range, Subject, Tokens, Transition};
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

/// A fixed sequence of numbers.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn sparse(&mut self, n_places: usize, one_in: u64, most: u64) -> Vec<(PlaceId, Tokens)> {
        let mut sparse = Vec::new();
        for at in 0..n_places {
            if self.below(one_in) == 0 {
                sparse.push((place(at), 1 + self.below(most)));
            }
        }
        sparse
    }

    pub fn transition(&mut self, net: &Net, bounds: Bounds) -> Transition {
        let n = net.places.len();
        let mut transition = idle(net);
        transition.take = self.sparse(n, 3, 2);
        transition.put = self.sparse(n, 3, 2).into_iter().map(|(at, tokens)| (at, tokens as i64)).collect();
        for (at, lo) in self.sparse(n, 8, 2) {
            let hi = (bounds == Bounds::Some && self.below(2) == 0).then(|| lo + self.below(2));
            transition.guards.push(Guard { place: at, range: Range { lo, hi }, span: span() });
        }
        if self.below(2) == 0 {
            return transition;
        }
        for (at, tokens) in &mut transition.put {
            *tokens *= if self.below(6) == 0 && at.index() < n { -1 } else { 1 };
        }
        for from in (0..n).map(place) {
            if self.below(3) != 0 {
                continue;
            }
            let to = self.sparse(n, 2, 2);
            let to = match self.below(3) {
                0 if to.len() >= 2 => Destinations::One(to.iter().map(|entry| entry.0).collect()),
                1 => Destinations::All(to),
                _ => Destinations::All(vec![(place(self.below(n as u64) as usize), 1)]),
            };
            transition.flows.push(Flow { from, to });
        }
        transition
    }

    pub fn net(&mut self, bounds: Bounds) -> (Net, Vec<Marking>) {
        let n = 2 + self.below(3) as usize;
        let initial: Vec<Range> = (0..n)
            .map(|_| match self.below(5) {
                0 => Range::at_least(self.below(2)),
                1 => Range { lo: 0, hi: Some(1 + self.below(2)) },
                2 => Range::exactly(1 + self.below(2)),
                _ => Range::exactly(0),
            })
            .collect();
        let mut net = net(&initial);
        for _ in 0..1 + self.below(4) {
            let transition = self.transition(&net, bounds);
            net.transitions.push(transition);
        }
        let target = (0..1 + self.below(2)).map(|_| (0..n).map(|_| self.below(3)).collect()).collect();
        (net, target)
    }
}

/// May guards have upper bounds?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    None,
    Some,
}

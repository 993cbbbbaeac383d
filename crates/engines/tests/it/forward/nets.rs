//! Small nets: written down, or at random with a fixed seed.

use lapidary_engines::Target;
use lapidary_ir::passes::counters;
use lapidary_ir::{
    Destinations, Expr, Flow, Guard, Model, Net, Place, PlaceId, Range, Sparse, Tokens, Transition, VarId,
};
use lapidary_text::{SourceId, Span};

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    pub fn is_one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

pub fn span() -> Span {
    Span::new(SourceId(0), 0, 0)
}

pub fn empty(initial: &[Range]) -> Net {
    let place = |i: usize| Place { name: format!("p{i}"), span: span() };
    Net {
        name: "test".to_owned(),
        places: (0..initial.len()).map(place).collect(),
        initial: initial.iter().copied().collect(),
        ..Net::default()
    }
}

pub fn sparse(numbers: &[Tokens]) -> Sparse {
    let entries = numbers.iter().enumerate().filter(|&(_, &tokens)| tokens > 0);
    entries.map(|(place, &tokens)| (PlaceId(place as u32), tokens)).collect()
}

/// Takes and puts.
pub fn plain(take: &[Tokens], put: &[Tokens]) -> Transition {
    Transition {
        name: "t".to_owned(),
        guards: Vec::new(),
        take: sparse(take),
        flows: Vec::new(),
        put: sparse(put).into_iter().map(|(place, tokens)| (place, tokens as i64)).collect(),
        span: span(),
    }
}

pub fn petri(initial: &[Tokens], transitions: &[(&[Tokens], &[Tokens])]) -> Net {
    let initial: Vec<Range> = initial.iter().map(|&tokens| Range::exactly(tokens)).collect();
    let mut net = empty(&initial);
    net.transitions = transitions.iter().map(|(take, put)| plain(take, put)).collect();
    net
}

/// What random nets may have beside takes and puts.
#[derive(Clone, Copy, Default)]
pub struct Shape {
    pub flows: bool,
    pub choices: bool,
    pub bounds: bool,
}

pub fn random(random: &mut Random, shape: Shape) -> Net {
    let n_places = 2 + random.below(4) as usize;
    let initial: Vec<Range> = (0..n_places).map(|_| initial_range(random)).collect();
    let mut net = empty(&initial);
    let n_transitions = 1 + random.below(5);
    net.transitions = (0..n_transitions).map(|_| transition(random, n_places, shape)).collect();
    assert_eq!(net.validate(), Ok(()));
    net
}

fn initial_range(random: &mut Random) -> Range {
    match random.below(8) {
        0..4 => Range::exactly(0),
        4..6 => Range::exactly(1),
        6 => Range { lo: 0, hi: Some(2) },
        _ => Range::at_least(random.below(2)),
    }
}

fn transition(random: &mut Random, n_places: usize, shape: Shape) -> Transition {
    let mut numbers = |few: u64| -> Vec<Tokens> {
        (0..n_places).map(|_| if random.is_one_in(few) { 1 + random.below(5) / 4 } else { 0 }).collect()
    };
    let mut transition = plain(&numbers(3), &numbers(3));
    if random.is_one_in(6) {
        let place = PlaceId(random.below(n_places as u64) as u32);
        transition.guards.push(Guard { place, range: Range::at_least(1 + random.below(2)), span: span() });
    }
    if shape.bounds && random.is_one_in(2) {
        let place = PlaceId(random.below(n_places as u64) as u32);
        let hi = random.below(2);
        transition.guards = vec![Guard { place, range: Range { lo: 0, hi: Some(hi) }, span: span() }];
    }
    if shape.flows && random.is_one_in(2) {
        for from in (0..n_places as u32).map(PlaceId) {
            if random.is_one_in(3) {
                transition.flows.push(Flow { from, to: destinations(random, n_places, shape) });
            }
        }
        if random.is_one_in(4) {
            let place = PlaceId(random.below(n_places as u64) as u32);
            transition.put.retain(|&(other, _)| other != place);
            transition.put.push((place, -1));
            transition.put.sort_unstable();
        }
    }
    transition
}

fn destinations(random: &mut Random, n_places: usize, shape: Shape) -> Destinations {
    let mut places: Vec<PlaceId> =
        (0..1 + random.below(2)).map(|_| PlaceId(random.below(n_places as u64) as u32)).collect();
    places.sort_unstable();
    places.dedup();
    if shape.choices && places.len() > 1 && random.is_one_in(2) {
        return Destinations::One(places);
    }
    if random.is_one_in(4) {
        places.clear();
    }
    Destinations::All(places.into_iter().map(|place| (place, 1 + random.below(5) / 4)).collect())
}

/// At least so many tokens.
pub fn random_marking(random: &mut Random, n_places: usize) -> Vec<Tokens> {
    let mut marking: Vec<Tokens> =
        (0..n_places).map(|_| if random.is_one_in(2) { random.below(4) } else { 0 }).collect();
    if marking.iter().all(|&tokens| tokens == 0) {
        marking[0] = 2;
    }
    marking
}

/// A net, its model, and targets.
pub struct Case {
    pub net: Net,
    pub model: Model,
    pub targets: Vec<Target>,
}

impl Case {
    /// Can one of the markings be covered?
    pub fn new(net: Net, markings: &[Vec<Tokens>]) -> Self {
        let model = counters(&net);
        let exprs = &model.exprs;
        let cover = |marking: &Vec<Tokens>| -> Expr {
            let place = |(i, &tokens): (usize, &Tokens)| exprs.le(exprs.int(tokens as i64), exprs.var(VarId(i as u32)));
            exprs.and(marking.iter().enumerate().map(place))
        };
        let formula = exprs.or(markings.iter().map(cover));
        Self { targets: vec![Target::States(formula)], net, model }
    }
}

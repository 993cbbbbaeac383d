//! Nets of any size, to see how time grows with it.

use lapidary_ir::{Net, Place, PlaceId, Range, Tokens, Transition, TransitionId};
use lapidary_text::{SourceId, Span};

const NOWHERE: Span = Span { source: SourceId(0), start: 0, end: 0 };

/// Dining philosophers: each takes the fork on the left, then the one on the right, eats, and puts both back.
pub struct Philosophers {
    pub net: Net,
    pub n: u32,
}

impl Philosophers {
    pub fn new(n: u32) -> Self {
        let mut family = Self { net: Net { name: format!("philosophers_{n}"), ..Net::default() }, n };
        for i in 0..n {
            for (name, tokens) in [("think", 1), ("left", 0), ("eat", 0), ("fork", 1)] {
                add_place(&mut family.net, format!("{name}{i}"), tokens);
            }
        }
        for i in 0..n {
            let (think, left, eat) = (family.place(i, 0), family.place(i, 1), family.eating(i));
            let (own, next) = (family.place(i, 3), family.place(i + 1, 3));
            let net = &mut family.net;
            add_transition(net, format!("take_left{i}"), &[think, own], &[left]);
            add_transition(net, format!("take_right{i}"), &[left, next], &[eat]);
            add_transition(net, format!("put{i}"), &[eat], &[think, own, next]);
        }
        family
    }

    fn place(&self, philosopher: u32, number: u32) -> PlaceId {
        PlaceId(philosopher % self.n * 4 + number)
    }

    /// The place that has a token while this philosopher eats.
    pub fn eating(&self, philosopher: u32) -> PlaceId {
        self.place(philosopher, 2)
    }
}

/// `p0 -> p1 -> ...` with a token in `p0`. The transitions are listed from the last one to the first, so that whoever goes
/// through them again and again finds one a time.
pub fn chain(n: u32) -> Net {
    let mut net = Net { name: format!("chain_{n}"), ..Net::default() };
    for i in 0..n {
        add_place(&mut net, format!("p{i}"), Tokens::from(i == 0));
    }
    for i in (1..n).rev() {
        add_transition(&mut net, format!("t{i}"), &[PlaceId(i - 1)], &[PlaceId(i)]);
    }
    net
}

fn add_place(net: &mut Net, name: String, tokens: Tokens) {
    net.places.push(Place { name, span: NOWHERE });
    net.initial.push(Range::exactly(tokens));
}

/// One token from each of the first, one to each of the second.
fn add_transition(net: &mut Net, name: String, from: &[PlaceId], to: &[PlaceId]) -> TransitionId {
    let mut take: Vec<(PlaceId, Tokens)> = from.iter().map(|&place| (place, 1)).collect();
    let mut put: Vec<(PlaceId, i64)> = to.iter().map(|&place| (place, 1)).collect();
    take.sort_unstable();
    put.sort_unstable();
    net.transitions.push(Transition { name, guards: Vec::new(), take, flows: Vec::new(), put, span: NOWHERE })
}

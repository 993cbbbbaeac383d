//! A net without the upper bounds of its guards: whatever it cannot cover, the net with them cannot reach.

use lapidary_ir::{Guard, Net, Range, Transition};

pub fn relaxed(net: &Net) -> Net {
    let guard = |guard: &Guard| Guard { range: Range::at_least(guard.range.lo), ..*guard };
    let transitions = net.transitions.iter().map(|transition| Transition {
        guards: transition.guards.iter().map(guard).filter(|guard| guard.range != Range::ANY).collect(),
        ..transition.clone()
    });
    Net { transitions: transitions.collect(), ..net.clone() }
}

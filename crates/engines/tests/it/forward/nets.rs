//! Small nets, written down.

use lapidary_engines::Target;
use lapidary_ir::passes::counters;
use lapidary_ir::{Expr, Model, Net, Place, PlaceId, Range, Sparse, Tokens, Transition, VarId};
use lapidary_text::{SourceId, Span};

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

//! Builds small nets and certificates about them.

use std::sync::Arc;

use expect_test::Expect;
use lapidary_base::{Control, Id};
use lapidary_checker::{Claim, Rejection, certify_net};
use lapidary_ir::{
    Destinations, Expr, Exprs, Flow, Guard, Model, Net, Place, PlaceId, Property, PropertyId, PropertyKind, Range,
    Sparse, Tokens, Transition, VarId, passes,
};
use lapidary_verdict::{Basis, Certificate, Checked, Ideals};

use super::build::NOWHERE;

/// Places with their initial numbers of tokens, by number: 0 is `p`, then `q`, `r`, `s`.
pub const P: PlaceId = PlaceId(0);
pub const Q: PlaceId = PlaceId(1);
pub const R: PlaceId = PlaceId(2);
pub const S: PlaceId = PlaceId(3);

pub fn net(initial: &[Range], transitions: Vec<Transition>) -> Net {
    let place = |name: &&str| Place { name: (*name).to_owned(), span: NOWHERE };
    let places = ["p", "q", "r", "s"][..initial.len()].iter().map(place).collect();
    let net = Net { name: "net".to_owned(), places, transitions: transitions.into(), initial: initial.to_vec().into() };
    assert_eq!(net.validate(), Ok(()));
    net
}

pub fn exactly<const N: usize>(tokens: [Tokens; N]) -> [Range; N] {
    tokens.map(Range::exactly)
}

pub fn transition(name: &str) -> Transition {
    let (guards, take, flows, put) = Default::default();
    Transition { name: name.to_owned(), guards, take, flows, put, span: NOWHERE }
}

pub fn moves(name: &str, take: &[(PlaceId, Tokens)], put: &[(PlaceId, i64)]) -> Transition {
    Transition { take: take.to_vec(), put: put.to_vec(), ..transition(name) }
}

pub fn all(from: PlaceId, to: &[(PlaceId, Tokens)]) -> Flow {
    Flow { from, to: Destinations::All(to.to_vec()) }
}

pub fn one(from: PlaceId, to: &[PlaceId]) -> Flow {
    Flow { from, to: Destinations::One(to.to_vec()) }
}

pub fn guard(place: PlaceId, lo: Tokens, hi: Option<Tokens>) -> Guard {
    Guard { place, range: Range { lo, hi }, span: NOWHERE }
}

pub fn add_property(model: &mut Model, name: &str, kind: PropertyKind) -> PropertyId {
    super::build::add_property(model, name, kind)
}

/// `value >= tokens` for places.
pub fn at_least(exprs: &Exprs, marking: &[(PlaceId, i64)]) -> Expr {
    exprs.and(marking.iter().map(|&(place, tokens)| exprs.le(exprs.int(tokens), exprs.var(VarId::new(place.index())))))
}

/// The model, with the property that no marking above this one is reached.
pub fn avoids(net: &Net, marking: &[(PlaceId, i64)]) -> (Model, PropertyId) {
    let mut model = passes::counters(net);
    let kind = PropertyKind::Invariant(model.exprs.not(at_least(&model.exprs, marking)));
    let (name, faults, text) = ("safe".to_owned(), Vec::new(), String::new());
    let property = model.properties.push(Property { name, kind, faults, text, span: NOWHERE });
    (model, property)
}

pub fn basis(minimal: &[&[(PlaceId, Tokens)]], inequalities: &[&[(PlaceId, Tokens)]]) -> Certificate {
    let owned =
        |list: &[&[(PlaceId, Tokens)]]| -> Vec<Sparse> { list.iter().map(|entries| entries.to_vec()).collect() };
    Certificate::Basis(Arc::new(Basis { minimal: owned(minimal), inequalities: owned(inequalities) }))
}

pub fn ideals(ideals: &[&[(PlaceId, Option<Tokens>)]]) -> Certificate {
    Certificate::Ideals(Arc::new(Ideals { ideals: ideals.iter().map(|ideal| ideal.to_vec()).collect() }))
}

/// What the checker says of a certificate that no marking above this one is reached.
pub fn judged(net: &Net, avoided: &[(PlaceId, i64)], certificate: &Certificate) -> Result<Checked, Rejection> {
    let (model, property) = avoids(net, avoided);
    certify_net(net, &model, &[Claim::Decides(property)], certificate, &Control::new())
}

#[track_caller]
pub fn accepted(net: &Net, avoided: &[(PlaceId, i64)], certificate: &Certificate) {
    assert_eq!(judged(net, avoided, certificate), Ok(Checked::Fully));
}

pub fn rejected(net: &Net, avoided: &[(PlaceId, i64)], certificate: &Certificate, expect: Expect) {
    match judged(net, avoided, certificate) {
        Err(Rejection::Wrong(why)) => expect.assert_eq(&why),
        other => panic!("the certificate is wrong, but: {other:?}"),
    }
}

//! Asks the checker about an enumeration, with one thread and with several.

use std::sync::Arc;

use lapidary_base::Control;
use lapidary_checker::{Backend, Means, Rejection, certify_model};
use lapidary_ir::model::Raw;
use lapidary_ir::{Model, PropertyId, PropertyKind};
use lapidary_verdict::{Certificate, Checked, Enumeration};

use super::build::{self, add_property};

pub fn judge(model: &Model, properties: &[PropertyId], listed: Enumeration) -> Result<Checked, Rejection> {
    let certificate = Certificate::Enumeration(Arc::new(listed));
    let (solver, control) = (Backend::default(), Control::new());
    let means = Means::new(&solver, &control);
    let answer = certify_model(model, properties, &certificate, &means);
    let again = certify_model(model, properties, &certificate, &Means { jobs: 3, ..means });
    assert_eq!(answer, again, "the number of threads makes no difference");
    answer
}

pub fn judge_states<S: AsRef<[Raw]>>(
    model: &Model,
    properties: &[PropertyId],
    states: &[S],
) -> Result<Checked, Rejection> {
    judge(model, properties, build::enumeration(model, states))
}

pub fn wrong(why: &str) -> Result<Checked, Rejection> {
    Err(Rejection::Wrong(why.to_owned()))
}

/// A property that every state satisfies, for models whose steps are what matters.
pub fn add_trivial(model: &mut Model) {
    let always = model.exprs.bool(true);
    add_property(model, "any", PropertyKind::Invariant(always));
}

//! Nets that are larger than those of any collection, and limits that end the work on them.

use std::time::Duration;

use lapidary_base::{Control, Stop};
use lapidary_checker::{Claim, certify_net, replay_net};
use lapidary_engines::backward::BackwardEngine;
use lapidary_engines::coverability::reduce;
use lapidary_engines::forward::ForwardEngine;
use lapidary_engines::{Engine, Outcome, Target, Task, goals};
use lapidary_ir::passes::{counters, place_var};
use lapidary_ir::{CountedNet, Model, Net, PlaceId, Property, PropertyId, PropertyKind, Subject};
use lapidary_reference::families::{Philosophers, chain};
use lapidary_system::net::Marking;
use lapidary_text::{SourceId, Sources, Span};
use lapidary_verdict::Verdict;

/// The model of a net with the property that some places never have a token at once.
fn never(net: &Net, places: &[PlaceId]) -> (Model, PropertyId) {
    let mut model = counters(net);
    let exprs = &model.exprs;
    let marked = exprs.and(places.iter().map(|&place| exprs.le(exprs.int(1), exprs.var(place_var(place)))));
    let kind = PropertyKind::Invariant(exprs.not(marked));
    let (name, span) = ("never".to_owned(), Span::new(SourceId(0), 0, 0));
    let property = model.properties.push(Property { text: name.clone(), name, kind, faults: Vec::new(), span });
    (model, property)
}

fn ask(engine: &dyn Engine, net: &Net, model: &Model, control: &Control) -> Outcome {
    let PropertyKind::Invariant(formula) = model.properties[PropertyId(0)].kind else { panic!("an invariant") };
    let (targets, sources) = ([Target::States(model.exprs.not(formula))], Sources::default());
    let subject = Subject::Net(CountedNet { net: net.clone(), sums: Vec::new(), model: model.clone() });
    let task = Task { subject: &subject, goals: &goals(&targets), sources: &sources };
    engine.run(&task, control).pop().expect("one target, one answer").outcome
}

/// Neighbours never eat at once, which one inequality about a few places shows; one alone does.
fn philosophers(n: u32, engines: &[&dyn Engine]) {
    let family = Philosophers::new(n);
    let (net, control) = (&family.net, Control::new());
    let (model, property) = never(net, &[family.eating(0), family.eating(1)]);
    match ask(&BackwardEngine::default(), net, &model, &control) {
        Outcome::Excluded(certificate) => {
            let checked = certify_net(net, &model, &[Claim::Decides(property)], &certificate, &control);
            assert!(checked.is_ok(), "{checked:?}");
        }
        other => panic!("neighbours share a fork: {other:?}"),
    }
    let (model, property) = never(net, &[family.eating(0)]);
    for &engine in engines {
        match ask(engine, net, &model, &control) {
            Outcome::Found(trace) => {
                assert_eq!(replay_net(net, &model, property, Verdict::Violated, &trace, &control), Ok(()));
            }
            other => panic!("{}: philosopher 0 can eat: {other:?}", engine.name()),
        }
    }
}

#[test]
fn three_hundred_philosophers_are_decided() {
    philosophers(300, &[&BackwardEngine::default(), &ForwardEngine::default()]);
}

/// `forward` keeps a number for every place of every label: of ten thousand labels that is a gigabyte and a half.
#[test]
#[ignore = "slow: some seconds"]
fn ten_thousand_philosophers_are_decided() {
    philosophers(10_000, &[&BackwardEngine::default()]);
    philosophers(2_000, &[&ForwardEngine::default()]);
}

/// In rounds over all transitions this would take a round for each place.
#[test]
fn a_long_chain_is_reduced_in_one_go() {
    let n = 20_000;
    let net = chain(n);
    let mut target: Marking = vec![0; n as usize].into();
    target[n as usize - 1] = 1;
    let reduced = reduce(&net, &[target]);
    assert_eq!((reduced.net.places.len(), reduced.net.transitions.len()), (n as usize, n as usize - 1));
    assert!(reduced.unmarkable.is_empty() && reduced.unlimited.is_empty());
}

/// The very target breaks an inequality: nothing is searched, so whoever prunes has to look at the limits.
#[test]
fn a_limit_ends_what_comes_before_the_search_and_is_told_as_it_is() {
    let family = Philosophers::new(5);
    let (model, _) = never(&family.net, &[family.eating(0), family.eating(1)]);
    let control = Control::new().with_timeout(Some(Duration::ZERO));
    for engine in [&BackwardEngine::default() as &dyn Engine, &ForwardEngine::default()] {
        let outcome = ask(engine, &family.net, &model, &control);
        assert!(matches!(outcome, Outcome::Unknown(Stop::Timeout)), "{}: {outcome:?}", engine.name());
    }
}

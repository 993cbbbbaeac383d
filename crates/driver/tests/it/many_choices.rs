//! Vectors with many optional parts and hierarchies with millions of flat events: nothing lists the choices.

use std::sync::Arc;

use lapidary_base::{Control, Id, IdVec};
use lapidary_bdd::{Capacity, Set};
use lapidary_checker::{Budget, Claim, certify_components, certify_diagram_on_tree, certify_tree, replay_tree};
use lapidary_engines::hierarchy::{Analysis, Refinement};
use lapidary_engines::symbolic::whole;
use lapidary_engines::{Outcome, Target, Task, goals};
use lapidary_ir::passes::flatten;
use lapidary_ir::tree::{EPSILON, ROOT};
use lapidary_ir::{Action, EventId, Expr, FlatEvent, Property, PropertyId, PropertyKind, Subject, Tree};
use lapidary_reference::altarica::{Arithmetic, Hierarchy, Shape, hierarchy};
use lapidary_reference::seeds;
use lapidary_system::composition::Between;
use lapidary_system::symbolic::{self, Copies, Frame, Guarded, Symbolic};
use lapidary_text::Sources;
use lapidary_verdict::{Certificate, Checked, Enumeration, Field, Layout, State, Trace};

use crate::hierarchical_support::{engine, others};
use crate::meanings::tree;

const CAPACITY: Capacity = Capacity { nodes: 1 << 20, cache: 1 << 18, threads: 1 };

fn trace(events: &[FlatEvent], states: &[State]) -> Trace {
    Trace { states: states.to_vec(), actions: events.iter().cloned().map(Action::Vector).collect(), loop_start: None }
}

/// The union of what all groups do, over the same variables.
fn relation(frame: &Frame<'_>) -> Set {
    let states: Vec<_> = frame.tree.vars.ids().filter(|&var| frame.tree.is_state(var)).collect();
    let pieces = frame.pieces(&mut Guarded::new(frame), &Control::new()).expect("room enough");
    let widened = pieces.iter().map(|piece| piece.widened(&states, &frame.space, &frame.places).expect("room enough"));
    frame.space.or_all(&widened.collect::<Vec<Set>>()).expect("room enough")
}

/// Listing the choices is the plain way to say what a vector means.
#[test]
fn composing_by_the_number_of_optional_parts_is_composing_choice_by_choice() {
    let mut n_optional = 0;
    for seed in seeds::of(0..400) {
        let arithmetic = if seed.is_multiple_of(2) { Arithmetic::Total } else { Arithmetic::Partial };
        let Hierarchy { text, root } = hierarchy(seed, &Shape { n_nodes: 4, max_valuations: 250, arithmetic });
        let tree = tree("random.alt", &text, Some(&root));
        n_optional += usize::from(tree.components.iter().any(|one| one.vectors.iter().any(|v| v.n_optional() > 1)));
        for events in [0, 1] {
            let copies = Copies { variables: 2, events };
            let mut frame = Frame::new(&tree, copies, CAPACITY, &Control::new()).expect("room enough");
            frame.most_listed = u64::MAX;
            let listed = relation(&frame);
            frame.most_listed = 0;
            assert!(relation(&frame) == listed, "seed {seed}, {events} labels\n{text}");
        }
    }
    assert!(n_optional >= seeds::least(40), "vectors with several optional parts: {n_optional}");
}

/// As many parts as there are take part with every tick.
fn broadcast(n_parts: usize, count: &str, more: &str) -> String {
    let names: Vec<String> = (0..n_parts).map(|i| format!("a{i}")).collect();
    let optional: Vec<String> = names.iter().map(|name| format!("{name}.e?")).collect();
    format!(
        "node A state x : bool; event e; trans not x |- e -> x := true; init x := false; edon
node Main sub {} : A; event tick; sync <tick, {}> {count}; trans true |- tick -> ; {more} edon",
        names.join(", "),
        optional.join(", ")
    )
}

fn reachable(system: &Symbolic) -> Set {
    let mut all = system.initial.clone();
    loop {
        let before = all.clone();
        for group in &system.groups {
            let next = system.post(group, &all).expect("room enough");
            all = system.space.or(&all, &next).expect("room enough");
        }
        if all == before {
            return all;
        }
    }
}

fn property(kind: PropertyKind) -> IdVec<PropertyId, Property> {
    let span = lapidary_text::Span::new(lapidary_text::SourceId(0), 0, 0);
    IdVec::from(vec![Property { name: "p".to_owned(), kind, faults: Vec::new(), text: String::new(), span }])
}

const CLAIMS: [Claim; 1] = [Claim::Decides(PropertyId(0))];

/// All parts have the same value.
fn all_alike(tree: &Tree) -> Expr {
    let exprs = &tree.exprs;
    let vars: Vec<Expr> = tree.vars.ids().map(|var| exprs.var(var)).collect();
    exprs.and(vars.windows(2).map(|pair| exprs.eq(pair[0], pair[1])).collect::<Vec<_>>())
}

/// The root's event with that of so many parts, the first ones.
fn tick(tree: &Tree, n_parts: usize) -> FlatEvent {
    let is_there = |number: usize| number <= n_parts;
    tree.components.ids().map(|id| if is_there(id.index()) { EventId(1) } else { EPSILON }).collect()
}

fn states(tree: &Tree, n_set: &[usize]) -> Vec<State> {
    let state = |&n: &usize| (0..tree.vars.len()).map(|var| i64::from(var < n)).collect::<Vec<i64>>().into();
    n_set.iter().map(state).collect()
}

fn broadcasts(n_parts: usize) {
    let tree = tree("broadcast.alt", &broadcast(n_parts, ">= 1", ""), None);
    let control = Control::new();
    let system = symbolic::compose(&tree, CAPACITY, &control).expect("room enough");
    let set = reachable(&system);
    assert_eq!(system.space.count(&set, &system.columns()), Ok(Some(2)));
    let stuck = system.space.and(&system.deadlocks(&control).expect("room enough"), &set).expect("room enough");
    assert_eq!(system.space.count(&stuck, &system.columns()), Ok(Some(1)), "where all are set nothing ticks");
    let diagram = whole(&system, &set).expect("room enough");
    let asked = property(PropertyKind::Invariant(all_alike(&tree)));
    assert_eq!(certify_diagram_on_tree(&tree, &asked, &CLAIMS, &diagram, &control), Ok(()));
    let wrong = property(PropertyKind::DeadlockFree);
    assert!(certify_diagram_on_tree(&tree, &wrong, &CLAIMS, &diagram, &control).is_err());
    let run = states(&tree, &[0, n_parts]);
    assert_eq!(replay_tree(&tree, &trace(&[tick(&tree, n_parts)], &run), &control), Ok(()));
    let mut between = Between::new(&tree, CAPACITY, &control).expect("room enough");
    assert_eq!(between.event(&run[0], &run[1], &control), Ok(Some(tick(&tree, n_parts))));
    assert_eq!(between.event(&run[0], &states(&tree, &[1])[0], &control), Ok(None));
    let few = replay_tree(&tree, &trace(&[tick(&tree, n_parts - 1)], &states(&tree, &[0, n_parts - 1])), &control);
    assert!(few.is_err_and(|why| why.to_string().contains("broadcast: more")));
}

#[test]
fn sixteen_parts_are_composed_replayed_and_certified() {
    broadcasts(16);
}

#[test]
fn forty_parts_are_composed_replayed_and_certified() {
    broadcasts(40);
}

#[test]
fn a_hundred_parts_are_composed_replayed_and_certified() {
    broadcasts(100);
}

/// So many of forty that there are more than 10^11 choices, and no larger one wins.
#[test]
fn half_of_forty_parts_take_part() {
    let tree = tree("half.alt", &broadcast(40, "<= 20", ""), None);
    let control = Control::new();
    let system = symbolic::compose(&tree, CAPACITY, &control).expect("room enough");
    let set = reachable(&system);
    let n_choices = 137_846_528_820;
    assert_eq!(system.space.count(&set, &system.columns()), Ok(Some(2 + n_choices)));
    let diagram = whole(&system, &set).expect("room enough");
    let exprs = &tree.exprs;
    let one_alone = exprs.and(tree.vars.ids().map(|var| match var.index() {
        0 => exprs.var(var),
        _ => exprs.not(exprs.var(var)),
    }));
    let asked = property(PropertyKind::Invariant(exprs.not(one_alone)));
    assert_eq!(certify_diagram_on_tree(&tree, &asked, &CLAIMS, &diagram, &control), Ok(()));
    let run = |n_parts: &[usize], n_set: &[usize]| {
        let events: Vec<FlatEvent> = n_parts.iter().map(|&n| tick(&tree, n)).collect();
        replay_tree(&tree, &trace(&events, &states(&tree, n_set)), &control)
    };
    assert_eq!(run(&[20], &[0, 20]), Ok(()));
    let words = |result: Result<(), lapidary_checker::Rejection>| result.unwrap_err().to_string();
    // All the choices of twenty would have to be listed to see that one of them can be fired.
    assert!(words(run(&[20, 19], &[0, 20, 39])).contains("step 2"), "nineteen of the other twenty");
    assert!(words(run(&[19], &[0, 19])).contains("cannot be fired"));
    assert!(words(run(&[21], &[0, 21])).contains("step 1"));
    let mut between = Between::new(&tree, CAPACITY, &control).expect("room enough");
    let ends = states(&tree, &[0, 20, 19]);
    assert_eq!(between.event(&ends[0], &ends[1], &control), Ok(Some(tick(&tree, 20))));
    assert_eq!(between.event(&ends[0], &ends[2], &control), Ok(None));
}

/// At most one part may be set: the assertion refuses all larger choices.
fn one_of(n_parts: usize) -> Tree {
    let pairs = (0..n_parts).flat_map(|i| (0..i).map(move |j| format!("not (a{i}.x and a{j}.x)")));
    let assertion = format!("assert {};", pairs.collect::<Vec<_>>().join("; "));
    tree("one.alt", &broadcast(n_parts, ">= 0", &assertion), None)
}

#[test]
fn assertions_refuse_larger_choices_without_a_list_of_them() {
    let (tree, control) = (one_of(40), Control::new());
    let mut events = tick(&tree, 1);
    let run = states(&tree, &[0, 1]);
    assert_eq!(replay_tree(&tree, &trace(&[events.clone()], &run), &control), Ok(()));
    assert!(
        replay_tree(&tree, &trace(&[tick(&tree, 0)], &states(&tree, &[0, 0])), &control).is_err(),
        "one can take part"
    );
    events[ROOT] = EPSILON;
    assert!(replay_tree(&tree, &trace(&[events], &run), &control).is_err(), "none without a tick");
    let mut between = Between::new(&tree, CAPACITY, &control).expect("room enough");
    assert_eq!(between.event(&run[0], &run[1], &control), Ok(Some(tick(&tree, 1))));
}

#[test]
fn listed_configurations_are_certified_where_steps_cannot_be_listed() {
    let (tree, control) = (one_of(24), Control::new());
    let one_set = |set: usize| -> State { (1..=24).map(|var| i64::from(var == set)).collect::<Vec<i64>>().into() };
    let all: Vec<State> = (0..=24).map(one_set).collect();
    let listed = |states: &[State]| {
        let field = |shift: u32| Field { word: 0, shift, bits: 1, lo: 0 };
        let layout = Layout { fields: (0..24).map(field).collect(), words: 1 };
        let packed =
            states.iter().map(|state| state.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit == 1)));
        Enumeration { layout, chunks: vec![packed.collect()], n_states: states.len() }
    };
    let certify = |states: &[State]| certify_tree(&tree, &listed(states), Budget::default(), 2, &control);
    assert_eq!(certify(&all), Ok(Checked::Fully));
    let why = certify(&all[..24]).unwrap_err().to_string();
    assert!(why.contains("a23.x=true") && why.contains("tick"), "{why}");
}

/// Eight components with hidden events below a node with priorities: each does one of five things or nothing, whatever
/// the others do, so that there are more than a million flat events at the root.
fn parallel(n_parts: usize) -> String {
    let names: Vec<String> = (0..n_parts).map(|i| format!("p{i}")).collect();
    let names = names.join(", ");
    format!(
        "node Leaf state x : [0, 5]; event a, b, c, d, e;
 trans x < 5 |- a -> x := x + 1; x > 0 |- b -> x := x - 1; x = 2 |- c -> x := 0; x = 3 |- d -> x := 0;
  x < 4 |- e -> x := x + 2;
 init x := 0; edon
node Hidden sub l : Leaf; edon
node Group sub {names} : Hidden; s : Leaf; event stop < go; state on : bool;
 trans not on |- go -> on := true; true |- stop -> on := false;
 sync <go, s.a>; <stop, s.b?> >= 0;
 init on := false; edon
node Main sub g : Group; h : Hidden; event t; trans true |- t -> ; sync <t, g.go>; <t, g.stop>; edon"
    )
}

#[test]
fn millions_of_flat_events_are_composed_replayed_and_certified() {
    let tree = tree("parallel.alt", &parallel(8), None);
    assert!(flatten(&tree).is_err(), "too many flat events for a flattening");
    let control = Control::new();
    let system = symbolic::compose(&tree, CAPACITY, &control).expect("room enough");
    let set = reachable(&system);
    let diagram = whole(&system, &set).expect("room enough");
    let exprs = &tree.exprs;
    let never = tree.vars.ids().find(|&var| tree.vars[var].name == "g.on").expect("the group's switch");
    let asked = property(PropertyKind::Invariant(exprs.or([exprs.var(never), exprs.not(exprs.var(never))])));
    assert_eq!(certify_diagram_on_tree(&tree, &asked, &CLAIMS, &diagram, &control), Ok(()));
    let mut between = Between::new(&tree, CAPACITY, &control).expect("room enough");
    // A walk: every next configuration is one that the diagrams know, every event one that the checker accepts.
    let families = IdVec::new();
    let pick = |set: &Set| system.pick(exprs, &families, set).expect("room enough").expect("never stuck");
    let mut run = vec![pick(&system.initial)];
    let mut events = Vec::new();
    for step in 0..12 {
        let here = system.single(run.last().expect("a start")).expect("room enough");
        let moving: Vec<Set> =
            system.groups.iter().map(|group| system.post(group, &here).expect("room enough")).collect();
        let able: Vec<&Set> = moving.iter().filter(|next| !system.space.is_none(next)).collect();
        let next = pick(able[step * 5 % able.len()]);
        let event = between.event(&run[step], &next, &control).expect("no limits");
        events.push(event.expect("the diagrams have the step"));
        run.push(next);
    }
    assert_eq!(replay_tree(&tree, &trace(&events, &run), &control), Ok(()));
    let swapped = [&events[1..], &events[..1]].concat();
    assert!(replay_tree(&tree, &trace(&swapped, &run), &control).is_err());
}

#[test]
fn engines_of_hierarchies_answer_for_forty_parts() {
    let (tree, control) = (Arc::new(tree("broadcast.alt", &broadcast(40, ">= 0", ""), None)), Control::new());
    let exprs = &tree.exprs;
    let targets = [Target::States(exprs.not(all_alike(&tree)))];
    let sources = Sources::default();
    let subject = Subject::Tree(lapidary_ir::Hierarchy::new(Arc::clone(&tree), IdVec::new()));
    let task = Task { subject: &subject, goals: &goals(&targets), sources: &sources };
    let asked = property(PropertyKind::Invariant(all_alike(&tree)));
    let symbolic =
        others(Analysis::Forward, Refinement::Direct).into_iter().filter(|engine| engine.name() != "explicit");
    for engine in symbolic.chain([Box::new(engine(Analysis::Forward, Refinement::Direct)) as Box<_>]) {
        let answer = engine.run(&task, &control).remove(0);
        let checked = match &answer.outcome {
            Outcome::Excluded(Certificate::Diagram(set)) => {
                certify_diagram_on_tree(&tree, &asked, &CLAIMS, set, &control)
            }
            Outcome::Excluded(Certificate::Components(covers)) => {
                certify_components(&tree, &asked, &CLAIMS, covers, &control)
            }
            other => panic!("{}: {other:?}", engine.name()),
        };
        assert_eq!(checked, Ok(()), "{}", engine.name());
    }
}

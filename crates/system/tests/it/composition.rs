//! What trees mean: published numbers, and what each subtle rule says.

use std::collections::BTreeMap;

use crate::common::{Builder, agreed, by_event};
use lapidary_base::Control;
use lapidary_ir::tree::{Comparison, ComponentId, EventRef};
use lapidary_ir::types::EnumType;
use lapidary_ir::{Domain, EnumId, Expr, Tree, VarId};
use lapidary_system::composition::{configurations, explore_all};

const OBJECT: EnumId = EnumId(0);
const BIT: Domain = Domain::Bool;

fn counts(expected: &[(&str, usize)]) -> BTreeMap<String, usize> {
    expected.iter().map(|&(event, n)| (event.to_owned(), n)).collect()
}

/// A component with one cell that holds nothing, an a or a b.
fn cell(b: &mut Builder, parent: Option<ComponentId>, name: &str) -> (EventRef, EventRef) {
    let id = b.component(parent, name);
    let no = b.tree.exprs.literal(OBJECT, 0);
    let (var, object) = b.state(id, "object", Domain::Enum(OBJECT), Some(no));
    let is_empty = b.flow(id, "isEmpty", BIT);
    let (push, pop) = (b.event(id, "push"), b.event(id, "pop"));
    let holds_nothing = b.tree.exprs.eq(object, no);
    b.assertion(id, b.tree.exprs.eq(is_empty, holds_nothing));
    for thing in [1, 2].map(|number| b.tree.exprs.literal(OBJECT, number)) {
        b.transition(holds_nothing, push, &[(var, thing)]);
        let holds_it = b.tree.exprs.eq(object, thing);
        b.transition(holds_it, pop, &[(var, no)]);
    }
    (push, pop)
}

/// The events of a stack towards its user: at its top, and below.
struct Stack {
    push_top: EventRef,
    push_below: EventRef,
    pop_top: EventRef,
    pop_below: EventRef,
}

fn begin(b: &mut Builder, parent: Option<ComponentId>, name: &str) -> (ComponentId, Stack) {
    let id = b.component(parent, name);
    let [push_top, push_below, pop_top, pop_below] = ["pushT", "pushS", "popT", "popS"].map(|name| b.event(id, name));
    for event in [push_top, push_below, pop_top, pop_below] {
        b.transition(b.tree.exprs.bool(true), event, &[]);
    }
    b.priority(push_top, push_below);
    b.priority(pop_below, pop_top);
    (id, Stack { push_top, push_below, pop_top, pop_below })
}

fn two_cells(b: &mut Builder, parent: Option<ComponentId>, name: &str) -> Stack {
    let (id, stack) = begin(b, parent, name);
    let (push, pop) = cell(b, Some(id), "Top");
    b.vector(id, &[stack.push_top, push]);
    b.vector(id, &[stack.pop_top, pop]);
    let (push, pop) = cell(b, Some(id), "Stack");
    b.vector(id, &[stack.push_below, push]);
    b.vector(id, &[stack.pop_below, pop]);
    stack
}

fn stacks() -> Builder {
    let mut b = Builder::default();
    let literals = ["no", "a", "b"].map(str::to_owned).to_vec();
    b.tree.enums.push(EnumType { name: "Object".to_owned(), literals });
    b
}

fn three_cells() -> Tree {
    let mut b = stacks();
    let (id, stack) = begin(&mut b, None, "");
    let (push, pop) = cell(&mut b, Some(id), "Top");
    b.vector(id, &[stack.push_top, push]);
    b.vector(id, &[stack.pop_top, pop]);
    let below = two_cells(&mut b, Some(id), "Stack");
    b.vector(id, &[stack.push_below, below.push_top]);
    b.vector(id, &[stack.push_below, below.push_below]);
    b.vector(id, &[stack.pop_below, below.pop_top]);
    b.vector(id, &[stack.pop_below, below.pop_below]);
    b.finish()
}

fn everything(tree: &Tree) -> (usize, usize) {
    let graph = explore_all(tree, &Control::new()).unwrap();
    (graph.n_states(), graph.transitions.len())
}

#[test]
fn stacks_have_the_published_numbers_of_configurations_and_transitions() {
    let mut b = stacks();
    cell(&mut b, None, "");
    let one = b.finish();
    let mut b = stacks();
    two_cells(&mut b, None, "");
    let two = b.finish();
    assert_eq!(everything(&one), (3, 7));
    assert_eq!(everything(&two), (9, 27));
    assert_eq!(agreed(&two).n_states(), 7);
    assert_eq!(everything(&three_cells()), (27, 91));
    assert_eq!(agreed(&three_cells()).n_states(), 15);
}

#[test]
fn events_that_nobody_mentions_run_beside_what_is_above_them() {
    let mut b = Builder::default();
    let mut parent = None;
    let mut add = |name: &str, event: &str| {
        let id = b.component(parent, name);
        let (var, x) = b.state(id, "x", BIT, None);
        let event = b.event(id, event);
        b.transition(x, event, &[(var, b.tree.exprs.not(x))]);
        parent = Some(id);
    };
    add("", "c");
    add("b", "b");
    add("a", "a");
    let tree = b.finish();
    let graph = agreed(&tree);
    assert_eq!((graph.n_states(), graph.n_initial), (8, 8));
    let expected = [("epsilon", 8), ("b.a.a", 4), ("b.b", 4), ("c", 4), ("<c, b.a.a>", 2)];
    assert_eq!(by_event(&tree, &graph), counts(&expected));
}

/// A counter up to `most` with an event that counts.
fn counter(b: &mut Builder, parent: ComponentId, name: &str, most: i64) -> (VarId, Expr, EventRef) {
    let id = b.component(Some(parent), name);
    let zero = b.tree.exprs.int(0);
    let (var, n) = b.state(id, "n", Domain::Range { lo: 0, hi: most }, Some(zero));
    let up = b.event(id, "up");
    b.transition(b.tree.exprs.bool(true), up, &[(var, b.tree.exprs.add([n, b.tree.exprs.int(1)]))]);
    (var, n, up)
}

#[test]
fn a_transition_that_leaves_a_domain_is_not_fired_and_does_not_beat_a_lower_one() {
    let mut b = Builder::default();
    let root = b.component(None, "");
    let (low, high) = (b.event(root, "low"), b.event(root, "high"));
    for event in [low, high] {
        b.transition(b.tree.exprs.bool(true), event, &[]);
    }
    b.priority(low, high);
    let (_, _, first) = counter(&mut b, root, "A", 1);
    let (_, _, second) = counter(&mut b, root, "B", 2);
    b.vector(root, &[low, second]);
    b.vector(root, &[high, first]);
    let tree = b.finish();
    let graph = agreed(&tree);
    assert_eq!(by_event(&tree, &graph), counts(&[("epsilon", 4), ("<high, A.up>", 1), ("<low, B.up>", 2)]));
}

/// `A` prefers `up` over `down`, where its own assertion says so; the root's assertion knows more.
fn preference(
    where_is_the_assertion: impl Fn(ComponentId, ComponentId) -> ComponentId,
) -> (usize, BTreeMap<String, usize>) {
    let mut b = Builder::default();
    let root = b.component(None, "");
    let a = b.component(Some(root), "A");
    let (lo, hi) = (0, 2);
    let one = b.tree.exprs.int(1);
    let (var, n) = b.state(a, "n", Domain::Range { lo, hi }, Some(one));
    let (up, down) = (b.event(a, "up"), b.event(a, "down"));
    b.transition(b.tree.exprs.bool(true), up, &[(var, b.tree.exprs.add([n, one]))]);
    b.transition(b.tree.exprs.bool(true), down, &[(var, b.tree.exprs.sub(n, one))]);
    b.priority(down, up);
    b.assertion(where_is_the_assertion(root, a), b.tree.exprs.le(n, one));
    let tree = b.finish();
    let graph = agreed(&tree);
    (graph.n_states(), by_event(&tree, &graph))
}

#[test]
fn priorities_are_judged_with_the_assertions_of_the_subtree_alone() {
    // Within A nothing above one exists, so up cannot be fired at one, and down can.
    assert_eq!(preference(|_, a| a), (2, counts(&[("epsilon", 2), ("A.down", 1), ("A.up", 1)])));
    // A alone would go up from one, so down is beaten, and then the root forbids up: nothing is left.
    assert_eq!(preference(|root, _| root), (1, counts(&[("epsilon", 1)])));
}

#[test]
fn free_flows_take_all_allowed_values_with_every_step_epsilon_included() {
    let mut b = Builder::default();
    let root = b.component(None, "");
    let no = b.tree.exprs.bool(false);
    let (var, open) = b.state(root, "open", BIT, Some(no));
    let range = Domain::Range { lo: 0, hi: 3 };
    let (f, g, h) = (b.flow(root, "f", range), b.flow(root, "g", range), b.flow(root, "h", BIT));
    let toggle = b.event(root, "toggle");
    b.transition(b.tree.exprs.eq(f, b.tree.exprs.int(0)), toggle, &[(var, b.tree.exprs.not(open))]);
    // Closed: nothing flows. Open: f + g = 3.
    let e = &b.tree.exprs;
    let sum = e.ite(open, e.int(3), e.int(0));
    let balance = e.eq(e.add([f, g]), sum);
    let (bound, tells) = (e.le(f, e.int(1)), e.eq(h, e.lt(f, g)));
    [balance, bound, tells].into_iter().for_each(|expr| b.assertion(root, expr));
    let tree = b.finish();
    let graph = agreed(&tree);
    // Closed has (0, 0), open has (0, 3) and (1, 2).
    assert_eq!((graph.n_states(), graph.n_initial), (3, 1));
    assert_eq!(by_event(&tree, &graph), counts(&[("epsilon", 5), ("toggle", 3)]));
    assert_eq!(configurations(&tree, 3, &Control::new()).unwrap().len(), 3);
    assert!(configurations(&tree, 2, &Control::new()).is_err());
}

fn broadcast(n_mandatory: usize, count: Option<(Comparison, i64)>) -> BTreeMap<String, usize> {
    let mut b = Builder::default();
    let root = b.component(None, "");
    let all = b.event(root, "all");
    b.transition(b.tree.exprs.bool(true), all, &[]);
    let ups = ["A", "B"].map(|name| counter(&mut b, root, name, 1).2);
    let mandatory: Vec<EventRef> = [all].into_iter().chain(ups).take(n_mandatory).collect();
    b.broadcast(root, &mandatory, &ups[n_mandatory - 1..], count);
    let tree = b.finish();
    by_event(&tree, &agreed(&tree))
}

#[test]
fn a_broadcast_takes_as_many_optional_events_as_can_be_fired() {
    assert_eq!(broadcast(1, None), counts(&[("epsilon", 2), ("<all, A.up, B.up>", 1), ("all", 1)]));
    // Not all at once: one after the other, and never none.
    let one = Some((Comparison::Eq, 1));
    assert_eq!(broadcast(1, one), counts(&[("epsilon", 4), ("<all, A.up>", 2), ("<all, B.up>", 2)]));
    let few = Some((Comparison::Lt, 1));
    assert_eq!(broadcast(1, few), counts(&[("epsilon", 1), ("all", 1)]));
    // A has to take part, and it can only once.
    assert_eq!(broadcast(2, None), counts(&[("epsilon", 2), ("<all, A.up, B.up>", 1)]));
}

#[test]
fn the_components_own_event_may_be_optional_too() {
    let mut b = Builder::default();
    let root = b.component(None, "");
    let no = b.tree.exprs.bool(false);
    let (var, done) = b.state(root, "done", BIT, Some(no));
    let (own, other) = (b.event(root, "own"), b.event(root, "other"));
    b.transition(b.tree.exprs.not(done), own, &[(var, b.tree.exprs.bool(true))]);
    b.transition(done, other, &[]);
    b.priority(own, other);
    let ups = ["A", "B"].map(|name| counter(&mut b, root, name, 1).2);
    b.broadcast(root, &[ups[0]], &[own, ups[1]], None);
    let tree = b.finish();
    let graph = agreed(&tree);
    let expected = [("epsilon", 2), ("<own, A.up, B.up>", 1), ("other", 1)];
    assert_eq!(by_event(&tree, &graph), counts(&expected));
}

#[test]
fn public_events_are_lifted_instead_of_hidden() {
    let family = |is_public: bool| {
        let mut b = Builder::default();
        let root = b.component(None, "");
        let go = b.event(root, "go");
        b.transition(b.tree.exprs.bool(true), go, &[]);
        let middle = b.component(Some(root), "M");
        let id = b.component(Some(middle), "L");
        let (var, x) = b.state(id, "x", BIT, Some(b.tree.exprs.bool(false)));
        let event = if is_public { b.public(id, "flip") } else { b.event(id, "flip") };
        b.transition(b.tree.exprs.bool(true), event, &[(var, b.tree.exprs.not(x))]);
        let tree = b.finish();
        by_event(&tree, &agreed(&tree))
    };
    let hidden = [("epsilon", 2), ("go", 2), ("M.L.flip", 2), ("<go, M.L.flip>", 2)];
    assert_eq!(family(false), counts(&hidden));
    assert_eq!(family(true), counts(&[("epsilon", 2), ("go", 2), ("M.L.flip", 2)]));
}

#[test]
fn expressions_without_a_value_satisfy_nothing_and_beat_nothing() {
    let mut b = Builder::default();
    let root = b.component(None, "");
    let range = Domain::Range { lo: 0, hi: 2 };
    let (var, n) = b.state(root, "n", range, None);
    let quotient = b.flow(root, "quotient", range);
    let (low, high, broken) = (b.event(root, "low"), b.event(root, "high"), b.event(root, "broken"));
    let e = &b.tree.exprs;
    let (yes, one, two) = (e.bool(true), e.int(1), e.int(2));
    // No configuration has n = 0: two divided by it has no value.
    let assertion = e.eq(quotient, e.div(two, n));
    let at_most_one = e.le(e.div(two, e.sub(n, one)), two);
    let down = e.sub(n, one);
    b.assertion(root, assertion);
    b.transition(yes, low, &[(var, one)]);
    // At one this guard has no value; at two it is true.
    b.transition(at_most_one, high, &[(var, two)]);
    // From one this would lead to zero, where there are no flows.
    b.transition(yes, broken, &[(var, down)]);
    b.priority(low, high);
    b.priority(high, broken);
    b.priority(low, broken);
    let tree = b.finish();
    let graph = agreed(&tree);
    assert_eq!(graph.n_states(), 2);
    assert_eq!(by_event(&tree, &graph), counts(&[("epsilon", 2), ("low", 1), ("broken", 1)]));
}

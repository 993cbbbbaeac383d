//! Each subtle step of the algorithm on a net that needs it.

use lapidary_base::{Control, Id};
use lapidary_engines::lazy::{Covering, Ended, InOrder, Mark, Order};
use lapidary_ir::{Net, Range, Transition, TransitionId};
use lapidary_system::boxes::{Region, Step};

use crate::nets::{at_least, flow, idle, net, place, run, search, story, table_1};

const BREADTH_FIRST: Order = Order::BreadthFirst;

/// `pre(trace, error)`.
fn pre(net: &Net, trace: &[usize], error: &Region, control: &Control) -> Region {
    let before = |region: Region, &at: &usize| {
        Step::new(&net.transitions[TransitionId::new(at)]).pre(&region, control).expect("no limit")
    };
    trace.iter().rev().fold(error.clone(), before)
}

/// Both the root and `c1` miss the error region of the first trace `c1 c2 c5`.
#[test]
fn the_pivot_node_is_the_first_one_backwards() {
    let (net, control) = (table_1(&["c8"]), Control::new());
    let error = at_least(&net, &[(2, 2)]);
    assert!(pre(&net, &[0, 1, 4], &error, &control).is_empty() && pre(&net, &[1, 4], &error, &control).is_empty());
    let mut search = search(&net, &error, Covering::Shallower, &control);
    run(&net, &error, &mut search, &mut InOrder::new(BREADTH_FIRST), &control);
    assert_eq!(search.refinements[0].pivot, [TransitionId::new(0)]);
}

/// One token goes from `a` over `b` and `c` to `e`, where two would be an error.
#[test]
fn the_focus_operator_takes_the_atoms_of_every_suffix() {
    let moved = |from, to, name| Transition { flows: vec![flow(from, &[to]), flow(to, &[])], ..idle(name) };
    let initial = [Range::exactly(1), Range::exactly(0), Range::exactly(0), Range::exactly(0)];
    let net = net(&["a", "b", "c", "e"], &initial, vec![moved(0, 1, "t1"), moved(1, 2, "t2"), moved(2, 3, "t3")]);
    let (control, error) = (Control::new(), at_least(&net, &[(3, 2)]));
    let mut search = search(&net, &error, Covering::Shallower, &control);
    run(&net, &error, &mut search, &mut InOrder::new(BREADTH_FIRST), &control);
    assert_eq!(story(&net, &search), ["step 10: pivot [], trace [t1 t2 t3], adds b >= 2, c >= 2"]);
}

/// Two commands lead to the same region in depth 1.
#[test]
fn nodes_are_covered_by_shallower_nodes_only() {
    let assign = |name| Transition { flows: vec![flow(0, &[])], put: vec![(place(0), 1)], ..idle(name) };
    let net = net(&["p"], &[Range::exactly(0)], vec![assign("t1"), assign("t2")]);
    let (control, error) = (Control::new(), at_least(&net, &[(0, 2)]));
    let marks = |covering: Covering| {
        let mut search = search(&net, &error, covering, &control);
        run(&net, &error, &mut search, &mut InOrder::new(BREADTH_FIRST), &control);
        (search.n_marked(Mark::Uncovered), search.n_marked(Mark::Covered))
    };
    assert_eq!(marks(Covering::Shallower), (3, 4));
    assert_eq!(marks(Covering::NotDeeper), (2, 3));
}

/// What the other orders do with the paper's example.
#[test]
fn other_orders_happen_to_end_on_table_1() {
    for (order, expected) in [(Order::DepthFirst, 0), (Order::Random(1), 0), (Order::Random(2), 0)] {
        let (net, control) = (table_1(&[]), Control::new());
        let error = at_least(&net, &[(2, 2)]);
        let mut search = search(&net, &error, Covering::Any, &control);
        let ended = run(&net, &error, &mut search, &mut InOrder::new(order), &control);
        assert!(matches!(ended, Ended::Correct(_)));
        assert_eq!(search.refinements.len(), expected, "{order:?} {:?}", story(&net, &search));
    }
}

//! Each subtle step of the algorithm on a net that needs it.

use lapidary_base::{Control, Id};
use lapidary_engines::lazy::{Covering, Ended, InOrder, Limits, Mark, Order, Refinement, Search};
use lapidary_ir::{Net, Range, Transition, TransitionId};
use lapidary_system::boxes::{BoxStep, Region};

use super::nets::{at_least, flow, guard, idle, names, net, place, run, search, story, table_1};

const BREADTH_FIRST: Order = Order::BreadthFirst;

/// `pre(trace, error)`.
fn pre(net: &Net, trace: &[usize], error: &Region, control: &Control) -> Region {
    let before = |region: Region, &at: &usize| {
        BoxStep::new(&net.transitions[TransitionId::new(at)]).pre(&region, control).expect("no limit")
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
    assert_eq!(story(&net, &search), ["step 13: pivot [], trace [t1 t2 t3], adds b >= 2, c >= 2"]);
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

/// The node `b1 b2 b3` is covered by `a c`, as long as nothing tells one token in `x` from five. When `a` is refined
/// because of the trace `c e1 e2`, it has to be looked at again: from there the error is real.
#[test]
fn covered_nodes_are_reopened_when_their_coverer_is_refined() {
    let (x, s, p, q1, q2, r, u, w) = (0, 1, 2, 3, 4, 5, 6, 7);
    // Places are emptied rather than taken from, so that their old contents are gone for sure.
    let moved = |name, from: usize, to: usize| Transition {
        guards: vec![guard(from, Range::at_least(1))],
        flows: vec![flow(from, &[])],
        put: vec![(place(to), 1)],
        ..idle(name)
    };
    let assigned = |name, from, to, tokens| {
        let (flows, put) = (vec![flow(x, &[]), flow(from, &[])], vec![(place(x), tokens), (place(to), 1)]);
        Transition { flows, put, ..moved(name, from, to) }
    };
    let guards = vec![guard(x, Range::at_least(2)), guard(r, Range::at_least(1))];
    let e1 = Transition { guards, ..moved("e1", r, u) };
    let transitions = vec![
        moved("a", s, p),
        assigned("c", p, r, 1),
        moved("b1", s, q1),
        moved("b2", q1, q2),
        assigned("b3", q2, r, 5),
        e1,
        moved("e2", u, w),
    ];
    let initial = [0, 1, 0, 0, 0, 0, 0, 0].map(Range::exactly);
    let net = net(&["x", "s", "p", "q1", "q2", "r", "u", "w"], &initial, transitions);
    let (control, error) = (Control::new(), at_least(&net, &[(w, 1)]));
    let mut search = search(&net, &error, Covering::Shallower, &control);
    let ended = run(&net, &error, &mut search, &mut InOrder::new(BREADTH_FIRST), &control);
    assert_eq!(story(&net, &search), ["step 8: pivot [a], trace [c e1 e2], adds x >= 2"]);
    let Ended::NotCorrect(trace) = ended else { panic!("{ended:?}") };
    assert_eq!(names(&net, &trace), "b1 b2 b3 e1 e2");
}

/// What the other orders do with the paper's example, in a few rounds.
fn rounds(order: Order) -> (bool, Vec<Refinement>) {
    let (net, control) = (table_1(&[]), Control::new());
    let limits = Limits { most_refinements: Some(30), most_nodes: Some(20_000) };
    let mut search = Search::new(&net, at_least(&net, &[(2, 2)]), Covering::Any, limits, &control);
    let ended = search.run(&mut InOrder::new(order));
    (matches!(ended, Ok(Ended::Correct(_))), search.refinements)
}

/// Depth-first is itself a sequence of choices as in section 5: after the first round every pivot node is one deeper than
/// the last, and the constants grow with them.
#[test]
fn depth_first_refines_deeper_and_deeper_on_table_1() {
    let (is_answered, rounds) = rounds(Order::DepthFirst);
    assert!(!is_answered && rounds.len() == 30);
    for (i, round) in rounds.iter().enumerate().skip(1) {
        assert_eq!(round.pivot.len(), i + 2);
        assert_eq!(round.atoms, [(place(0), i as u64 + 2)]);
    }
}

#[test]
fn random_choices_may_end_on_table_1() {
    let (is_answered, rounds) = rounds(Order::Random(1));
    assert!(is_answered, "{rounds:?}");
}

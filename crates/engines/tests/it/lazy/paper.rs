//! The example of section 5 of the paper, with the counts of an independent slow implementation.

use lapidary_base::{Control, Id};
use lapidary_engines::lazy::{Choose, Covering, Ended, InOrder, Limits, Mark, NodeId, Open, Order, Search, Tree};
use lapidary_ir::{Net, Range, Transition, TransitionId};

use super::nets::{at_least, atoms, guard, run, search, story, table_1};

struct Counts {
    steps: u64,
    nodes: u64,
    uncovered: usize,
    covered: usize,
    nodes_ever: usize,
}

fn check(net: &Net, expected_story: &[&str], counts: Counts) {
    let (control, error) = (Control::new(), at_least(net, &[(2, 2)]));
    let mut search = search(net, &error, Covering::Shallower, &control);
    let ended = run(net, &error, &mut search, &mut InOrder::new(Order::BreadthFirst), &control);
    assert!(matches!(ended, Ended::Correct(_)));
    assert_eq!(story(net, &search), expected_story);
    assert_eq!(search.clock, counts.steps);
    assert_eq!(search.tree.n_nodes, counts.nodes);
    assert_eq!(search.n_marked(Mark::Uncovered), counts.uncovered);
    assert_eq!(search.n_marked(Mark::Covered), counts.covered);
    assert_eq!(search.tree.nodes.len(), counts.nodes_ever);
}

#[test]
fn table_1_as_printed_takes_one_refinement_of_the_root() {
    check(
        &table_1(&[]),
        &["step 9: pivot [], trace [c1 c8], adds y >= 2"],
        Counts { steps: 19, nodes: 10, uncovered: 3, covered: 7, nodes_ever: 32 },
    );
}

#[test]
fn without_c8_the_run_of_the_text_appears() {
    check(
        &table_1(&["c8"]),
        &[
            "step 11: pivot [c1], trace [c2 c5], adds x >= 2, y >= 2",
            "step 33: pivot [], trace [c1 c2 c3 c5], adds x >= 2, y >= 2",
        ],
        Counts { steps: 38, nodes: 5, uncovered: 2, covered: 3, nodes_ever: 70 },
    );
}

/// The command c8 with a guard on a place.
fn guarded(at: usize, least: u64) -> Net {
    let mut net = table_1(&[]);
    let c8: &mut Transition = net.transitions.iter_mut().last().expect("eight commands");
    c8.guards.push(guard(at, Range::at_least(least)));
    net
}

#[test]
fn with_guards_on_c8_the_counts_are_those_of_the_slow_implementation() {
    check(
        &guarded(0, 1),
        &[
            "step 11: pivot [c1], trace [c2 c5], adds x >= 2, y >= 2",
            "step 31: pivot [], trace [c1 c7 c8], adds y >= 2, y >= 3",
        ],
        Counts { steps: 36, nodes: 5, uncovered: 2, covered: 3, nodes_ever: 79 },
    );
    check(
        &guarded(1, 2),
        &["step 8: pivot [], trace [c1 c8], adds y >= 2"],
        Counts { steps: 13, nodes: 5, uncovered: 2, covered: 3, nodes_ever: 25 },
    );
}

/// Follows each of these traces once, from the first node on it that is open to its end: below `c1 c2` they go up `k` times
/// and down `k` times, for `k` = 0, 1, 2, .... The root is never a pivot node. Nothing is covered on the way: what
/// was uncovered before is deleted with each refinement, and a longer way down ends in greater regions.
struct Loops {
    k: usize,
}

impl Loops {
    fn trace(&self) -> Vec<TransitionId> {
        let [c1, c2, c3, c4, c5] = [0, 1, 2, 3, 4].map(TransitionId::new);
        let ups_and_downs = std::iter::repeat_n(c3, self.k).chain(std::iter::repeat_n(c4, self.k));
        [c1, c2].into_iter().chain(ups_and_downs).chain([c5]).collect()
    }
}

impl Choose for Loops {
    fn choose(&mut self, tree: &Tree, _: &Open) -> NodeId {
        let (mut at, trace) = (Tree::ROOT, self.trace());
        for &label in &trace {
            if tree.nodes[at].mark == Mark::Unprocessed {
                break;
            }
            let child = tree.children(at).find(|&child| tree.nodes[child].parent == Some((at, label)));
            at = child.expect("the trace is possible, and its nodes are not covered");
        }
        if tree.depth(at) as usize == trace.len() {
            self.k += 1;
        }
        at
    }
}

const N_LOOPS: u64 = 300;

#[test]
fn choices_that_never_refine_the_root_never_end() {
    let (net, control) = (table_1(&[]), Control::new());
    let limits = Limits { most_refinements: Some(N_LOOPS), most_nodes: None };
    let mut search = Search::new(&net, at_least(&net, &[(2, 2)]), Covering::Any, limits, &control);
    let ended = search.run(&mut Loops { k: 0 });
    assert!(ended.is_err_and(|stop| stop.to_string() == "no answer after 300 refinements"));
    assert_eq!(search.refinements.len() as u64, N_LOOPS);
    let greatest = |round: usize| search.refinements[round].atoms.iter().map(|atom| atom.1).max();
    for (i, round) in search.refinements.iter().enumerate() {
        assert!(!round.pivot.is_empty(), "the root is no pivot node");
        assert!(i == 0 || greatest(i - 1) < greatest(i), "round {i} adds {}", atoms(&net, &round.atoms));
    }
}

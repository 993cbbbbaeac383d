//! Covers of components: which are accepted, and in which words the others are not.

use std::collections::BTreeSet;

use crate::common::cutting::{Blocks, Cut, Tuple, certificate, cut, is, model, property, tree};
use expect_test::{Expect, expect};
use lapidary_base::{Control, IdVec, Stop};
use lapidary_checker::tree::Composition;
use lapidary_checker::{Claim, Rejection, certify_components, certify_diagram_on_tree};
use lapidary_ir::model::Raw;
use lapidary_ir::{ComponentId, Expr, Node, Property, PropertyId, PropertyKind, Tree, VarId};
use lapidary_verdict::{Child, Components};

const ASKED: Claim = Claim::Decides(PropertyId(0));

/// `.` stands for the root alone, `A` for a component alone, `A*` for its subtree; each with its blocks as lists of
/// local configurations, by their places in the order of their values.
fn covers(tree: &Tree, list: &[(&str, &[&[usize]])], reachable: &[&[usize]]) -> Components {
    let model = model(tree);
    let (mut cuts, mut blocks): (Vec<Cut>, Blocks) = (Vec::new(), Vec::new());
    for (name, of_cut) in list {
        let path = name.trim_end_matches('*').trim_matches('.');
        let component = tree.component(path).expect("a component");
        cuts.push(cut(tree, &model, component, name.ends_with('*')));
        blocks.push(of_cut.iter().map(|block| block.iter().copied().collect()).collect());
    }
    let reachable: BTreeSet<Tuple> = reachable.iter().map(|tuple| tuple.to_vec()).collect();
    certificate(tree, &cuts, &blocks, &reachable)
}

fn var(tree: &Tree, name: &str) -> VarId {
    tree.vars.ids().find(|&var| tree.vars[var].name == name).expect("a variable")
}

/// `x=1 & y=0` is never true.
fn never(tree: &Tree, values: &[(&str, Raw)]) -> IdVec<PropertyId, Property> {
    let target = tree.exprs.and(values.iter().map(|&(name, value)| is(tree, var(tree, name), value)));
    property("never", PropertyKind::Invariant(tree.exprs.not(target)))
}

fn no_deadlock() -> IdVec<PropertyId, Property> {
    property("deadlock_free", PropertyKind::DeadlockFree)
}

fn verify(tree: &Tree, asked: &IdVec<PropertyId, Property>, components: &Components) -> Result<(), Rejection> {
    certify_components(tree, asked, &[ASKED], components, &Control::new())
}

fn says(tree: &Tree, asked: &IdVec<PropertyId, Property>, components: &Components, expect: Expect) {
    match verify(tree, asked, components) {
        Ok(()) => expect.assert_eq("accepted"),
        Err(found) => expect.assert_eq(&found.to_string()),
    }
}

const PAIR: &str = "
node Switch
  state on : bool; init on := false; event up, down;
  trans not on |- up -> on := true; on |- down -> on := false;
edon
node Pair
  sub A, B : Switch;
  sync <A.up, B.up>; <A.down, B.down>;
edon";

const BOTH: [(&str, &[&[usize]]); 3] = [(".", &[&[0]]), ("A", &[&[0], &[1]]), ("B", &[&[0], &[1]])];

#[test]
fn two_switches_that_move_together_are_never_apart() {
    let tree = tree(PAIR, "Pair");
    let apart = never(&tree, &[("A.on", 1), ("B.on", 0)]);
    let together: [&[usize]; 2] = [&[0, 0, 0], &[0, 1, 1]];
    assert_eq!(verify(&tree, &apart, &covers(&tree, &BOTH, &together)), Ok(()));
    assert_eq!(verify(&tree, &no_deadlock(), &covers(&tree, &BOTH, &together)), Ok(()));
    // The blocks may overlap, and the order of covers does not matter.
    let other = covers(
        &tree,
        &[("B", &[&[0], &[1], &[1]]), (".", &[&[0]]), ("A", &[&[0], &[1]])],
        &[&[0, 0, 0], &[1, 0, 1], &[2, 0, 1]],
    );
    assert_eq!(verify(&tree, &apart, &other), Ok(()));
    let whole = covers(&tree, &[(".*", &[&[0], &[3], &[1, 2]])], &[&[0], &[1]]);
    assert_eq!(verify(&tree, &apart, &whole), Ok(()));
    // Nothing is asked of the root, which has no priorities: one block for all.
    let lumped = covers(&tree, &[(".", &[&[0]]), ("A", &[&[0, 1]]), ("B", &[&[0, 1]])], &[&[0, 0, 0]]);
    let nothing = property("nothing", PropertyKind::Reach(tree.exprs.bool(false)));
    assert_eq!(verify(&tree, &nothing, &lumped), Ok(()));
}

#[test]
fn malformed_covers_are_refused() {
    let tree = tree(PAIR, "Pair");
    let asked = never(&tree, &[("A.on", 1), ("B.on", 0)]);
    let good = covers(&tree, &BOTH, &[&[0, 0, 0], &[0, 1, 1]]);
    let changed = |change: fn(&mut Components), expect: Expect| {
        let mut components = good.clone();
        change(&mut components);
        says(&tree, &asked, &components, expect);
    };
    changed(|_| {}, expect!["accepted"]);
    changed(|c| drop(c.covers.pop()), expect!["B is in no cover"]);
    changed(|c| c.covers.push(c.covers[1].clone()), expect!["A is in two covers"]);
    changed(|c| c.covers[0].is_subtree = true, expect!["A is in two covers"]);
    changed(
        |c| c.covers[1].component = ComponentId(7),
        expect!["there is a cover of component number 7, which is not there"],
    );
    changed(
        |c| c.covers[1].blocks[1] = c.covers[2].blocks[1].clone(),
        expect!["block 1 of A asks for B.on, which is not a variable of its cover"],
    );
    changed(
        |c| c.covers[1].blocks[0].root = Child::Node(3),
        expect!["the diagram of block 0 of A is malformed: the root 3 is no node"],
    );
    changed(
        |c| drop(c.covers[2].blocks.pop()),
        expect!["the set of combinations is malformed: node 1: 1..1 is not a range of values of `B`"],
    );
    changed(
        |c| c.reachable.order[0] = VarId(3),
        expect!["the set of combinations is malformed: the model has no variable number 3"],
    );
    changed(
        |c| {
            c.covers.iter_mut().for_each(|cover| cover.blocks.clear());
            c.reachable.root = Child::None;
            c.reachable.nodes.clear();
        },
        expect!["the configuration () of Pair is in no block"],
    );
}

#[test]
fn sets_of_combinations_that_prove_nothing_are_refused() {
    let tree = tree(PAIR, "Pair");
    let apart = never(&tree, &[("A.on", 1), ("B.on", 0)]);
    let of = |list, reachable| covers(&tree, list, reachable);
    let holed: [(&str, &[&[usize]]); 3] = [BOTH[0], ("A", &[&[0]]), BOTH[2]];
    says(&tree, &apart, &of(&holed, &[&[0, 0, 0]]), expect!["the configuration (A.on=true) of A is in no block"]);
    says(
        &tree,
        &apart,
        &of(&BOTH, &[&[0, 1, 1]]),
        expect!["the blocks (Pair=0 A=0 B=0) have an initial configuration, but are not in the set of combinations"],
    );
    says(
        &tree,
        &apart,
        &of(&BOTH, &[&[0, 0, 0]]),
        expect![
            "the blocks (Pair=0 A=0 B=0) lead by <A.up, B.up> to (Pair=0 A=1 B=1), which is not in the set of combinations"
        ],
    );
    says(
        &tree,
        &apart,
        &of(&BOTH, &[&[0, 0, 0], &[0, 1, 1], &[0, 1, 0]]),
        expect!["the blocks (Pair=0 A=1 B=0) contain (A.on=true B.on=false), against never"],
    );
    let lumped: [(&str, &[&[usize]]); 3] = [BOTH[0], BOTH[1], ("B", &[&[0, 1]])];
    says(
        &tree,
        &apart,
        &of(&lumped, &[&[0, 0, 0], &[0, 1, 0]]),
        expect!["the blocks (Pair=0 A=1 B=0) contain (A.on=true B.on=false), against never"],
    );
    says(
        &tree,
        &no_deadlock(),
        &of(&BOTH, &[&[0, 0, 0], &[0, 1, 1], &[0, 1, 0]]),
        expect!["the blocks (Pair=0 A=1 B=0) have no step, against deadlock_free"],
    );
    says(
        &tree,
        &no_deadlock(),
        &of(&lumped, &[&[0, 0, 0], &[0, 1, 0]]),
        expect!["block 0 of B is not neat: B.up is possible in a part of it, but not in (B.on=true)"],
    );
}

/// `1 / x = 1` has no value where x is 0.
fn reciprocal(tree: &Tree, name: &str) -> Expr {
    let exprs = &tree.exprs;
    let number = exprs.intern(Node::Ite(exprs.var(var(tree, name)), exprs.int(1), exprs.int(0)));
    exprs.intern(Node::Eq(exprs.intern(Node::Div(exprs.int(1), number)), exprs.int(1)))
}

#[test]
fn a_formula_without_a_value_is_as_bad_as_a_false_one() {
    let tree = tree(PAIR, "Pair");
    let good = covers(&tree, &BOTH, &[&[0, 0, 0], &[0, 1, 1]]);
    let asked = property("one", PropertyKind::Reach(tree.exprs.not(reciprocal(&tree, "A.on"))));
    let why = expect!["the blocks (Pair=0 A=0 B=0) contain (A.on=false B.on=false), against one"];
    says(&tree, &asked, &good, why);
    let never_errs = [Claim::NeverErrs(PropertyId(0))];
    let found = certify_components(&tree, &asked, &never_errs, &good, &Control::new());
    assert!(matches!(found, Err(Rejection::Wrong(_))), "{found:?}");
    let asked = property("on", PropertyKind::Invariant(tree.exprs.var(var(&tree, "A.on"))));
    assert_eq!(certify_components(&tree, &asked, &never_errs, &good, &Control::new()), Ok(()));
}

#[test]
fn other_claims_are_not_decided_on_trees() {
    let tree = tree(PAIR, "Pair");
    let good = covers(&tree, &BOTH, &[&[0, 0, 0], &[0, 1, 1]]);
    says(
        &tree,
        &property("no_errors", PropertyKind::NoErrors),
        &good,
        expect!["no_errors is about commands, and a hierarchy has none"],
    );
    says(&tree, &IdVec::new(), &good, expect!["the model has no property number 0"]);
    let cancelled = Control::new().with_timeout(Some(std::time::Duration::ZERO));
    let asked = never(&tree, &[("A.on", 1), ("B.on", 0)]);
    let stopped = certify_components(&tree, &asked, &[ASKED], &good, &cancelled);
    assert_eq!(stopped, Err(Rejection::Stopped(Stop::Timeout)));
}

#[test]
fn what_reads_across_covers_has_to_be_merged() {
    let text = "
node Leaf
  state on : bool; flow seen : bool; init on := false; event up;
  assert seen = on; trans not on |- up -> on := true;
edon
node Top
  sub A, B : Leaf; flow all : bool; state n : bool; init n := false; event tick;
  ASSERT
  trans GUARD |- tick -> n := UPDATE;
edon";
    let made = |assertion: &str, guard: &str, update: &str| {
        let text = text.replace("ASSERT", assertion).replace("GUARD", guard).replace("UPDATE", update);
        tree(&text, "Top")
    };
    // The local configurations of a leaf are off and on; the root's are all values of `all` and `n`.
    let list: [(&str, &[&[usize]]); 3] = [(".", &[&[0, 1, 2, 3]]), ("A", &[&[0], &[1]]), ("B", &[&[0], &[1]])];
    let all: [&[usize]; 4] = [&[0, 0, 0], &[0, 0, 1], &[0, 1, 0], &[0, 1, 1]];
    let check = |assertion: &str, guard: &str, update: &str, expect: Expect| {
        let tree = made(assertion, guard, update);
        let mut certificate = covers(&tree, &list[1..], &[]);
        let whole = covers(&made("", "true", "true"), &list, &all);
        certificate.covers.insert(0, whole.covers[0].clone());
        certificate.reachable = whole.reachable;
        says(&tree, &never(&tree, &[("A.on", 1), ("A.seen", 0)]), &certificate, expect);
    };
    check("", "true", "true", expect!["accepted"]);
    check(
        "assert all = (A.seen and B.seen);",
        "true",
        "true",
        expect!["assertion 1 of Top reads A.seen, which is outside of its cover (it alone)"],
    );
    check(
        "",
        "A.seen",
        "true",
        expect!["a guard of tick of Top reads A.seen, which is outside of its cover (it alone)"],
    );
    check(
        "",
        "true",
        "B.seen",
        expect!["an update of tick of Top reads B.seen, which is outside of its cover (it alone)"],
    );
    let coupled = made("assert all = (A.seen and B.seen);", "true", "true");
    let n_rows = cut(&coupled, &model(&coupled), ComponentId(0), true).rows.len();
    let one_block: Vec<usize> = (0..n_rows).collect();
    let merged = covers(&coupled, &[(".*", &[&one_block])], &[&[0]]);
    assert_eq!(verify(&coupled, &never(&coupled, &[("all", 1), ("A.on", 0)]), &merged), Ok(()));
}

/// Chucri 2012, figure 5.10: a single node with the priority a < b.
const FIGURE: &str = "
node Lambda
  state q : {q1, q2, q3, q4}; init q := q1; event a < b;
  trans q = q1 |- a -> q := q2; q = q3 |- b -> q := q4;
edon";

#[test]
fn figure_5_10_is_refused_because_its_cover_is_not_neat() {
    let tree = tree(FIGURE, "Lambda");
    let reached = never(&tree, &[("q", 1)]);
    // With the priority the abstract system cannot leave by `a`, and misses the run q1, a, q2.
    let unsound = covers(&tree, &[(".", &[&[0, 2], &[1], &[3]])], &[&[0], &[2]]);
    says(
        &tree,
        &reached,
        &unsound,
        expect!["block 0 of Lambda is not neat: a is possible in a part of it, but not in (q=q3)"],
    );
    let neat = covers(&tree, &[(".", &[&[0], &[1], &[2], &[3]])], &[&[0], &[1]]);
    says(&tree, &reached, &neat, expect!["the blocks (Lambda=1) contain (q=q2), against never"]);
    assert_eq!(verify(&tree, &never(&tree, &[("q", 3)]), &neat), Ok(()));
    // As a merged subtree its priorities are settled inside, so there a block need not be neat.
    let merged = covers(&tree, &[(".*", &[&[0, 2], &[1], &[3]])], &[&[0], &[2]]);
    says(
        &tree,
        &reached,
        &merged,
        expect!["the blocks (Lambda=0) lead by a to (Lambda=1), which is not in the set of combinations"],
    );
    let priority_free = self::tree(&FIGURE.replace("a < b", "a, b"), "Lambda");
    let rough = covers(&priority_free, &[(".", &[&[0, 2], &[1], &[3]])], &[&[0], &[2]]);
    says(
        &priority_free,
        &reached,
        &rough,
        expect!["the blocks (Lambda=0) lead by <a> to (Lambda=1), which is not in the set of combinations"],
    );
}

#[test]
fn below_priorities_and_broadcasts_blocks_have_to_be_neat() {
    let leaf = "
node Leaf state n : [0, 2]; init n := 0; event go; trans n = 0 |- go -> n := 1; edon
node Other state n : [0, 1]; init n := 0; event go; trans n = 0 |- go -> n := 1; edon
";
    let list: [(&str, &[&[usize]]); 3] = [(".", &[&[0]]), ("A", &[&[0, 1], &[2]]), ("B", &[&[0], &[1]])];
    let set: [&[usize]; 2] = [&[0, 0, 0], &[0, 0, 1]];
    let check = |node: &str, expect: Expect| {
        let tree = tree(&format!("{leaf}{node}"), "Top");
        says(&tree, &never(&tree, &[("A.n", 2)]), &covers(&tree, &list, &set), expect);
    };
    check("node Top sub A : Leaf; B : Other; edon", expect!["accepted"]);
    check(
        "node Top sub A : Leaf; B : Other; event one < two; trans true |- one, two ->; sync <one, A.go>; <two, B.go>; edon",
        expect!["block 0 of A is not neat: A.go is possible in a part of it, but not in (A.n=1)"],
    );
    check(
        "node Top sub A : Leaf; B : Other; sync <A.go?, B.go?>; edon",
        expect!["block 0 of A is not neat: A.go is possible in a part of it, but not in (A.n=1)"],
    );
}

#[test]
fn a_block_in_which_only_a_part_can_move_out_of_sight_shows_no_step() {
    let text = "
node Leaf state n : bool; init n := false; event go; trans not n |- go -> n := true; edon
node Mid sub L : Leaf; edon
node Top sub M : Mid; edon";
    let tree = tree(text, "Top");
    let lumped = covers(&tree, &[(".", &[&[0]]), ("M*", &[&[0, 1]])], &[&[0, 0]]);
    says(
        &tree,
        &no_deadlock(),
        &lumped,
        expect!["block 0 of M is not neat: what it hides is possible in a part of it, but not in (M.L.n=true)"],
    );
    let apart = covers(&tree, &[(".", &[&[0]]), ("M*", &[&[0], &[1]])], &[&[0, 0], &[0, 1]]);
    says(&tree, &no_deadlock(), &apart, expect!["the blocks (Top=0 M=1) have no step, against deadlock_free"]);
}

#[test]
fn an_assertion_does_not_hold_yet_where_priorities_below_it_are_settled() {
    // By itself `S` could fire `hi`, so `lo` is blocked there; that `hi` is impossible is only known above.
    let text = "
node Inner
  state s, n : bool; flow f : bool; init s := false, n := false; event lo < hi;
  assert f or not s; trans true |- hi -> s := true; true |- lo -> n := true;
edon
node Top sub S : Inner; state x : bool; init x := false; assert S.f = x; edon";
    let tree = tree(text, "Top");
    let start = vec![0; tree.vars.len()];
    let steps = Composition::new(&tree).successors(&start, &Control::new()).unwrap();
    assert!(steps.iter().all(|(_, next)| **next == *start), "{steps:?}");
    let asked = never(&tree, &[("S.n", 1)]);
    let all: Vec<VarId> = tree.vars.ids().collect();
    let set = crate::common::diagrams::diagram(&all, &[start]);
    assert_eq!(certify_diagram_on_tree(&tree, &asked, &[ASKED], &set, &Control::new()), Ok(()));
    let n_rows = cut(&tree, &model(&tree), ComponentId(0), true).rows.len();
    let rest: Vec<usize> = (1..n_rows).collect();
    assert_eq!(verify(&tree, &asked, &covers(&tree, &[(".*", &[&[0], &rest])], &[&[0]])), Ok(()));
}

#[test]
fn diagrams_are_checked_on_the_tree_itself() {
    let tree = tree(PAIR, "Pair");
    let vars: Vec<VarId> = tree.vars.ids().collect();
    let set = |rows: &[[Raw; 2]]| {
        crate::common::diagrams::diagram(&vars, &rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>())
    };
    let says = |asked: &IdVec<PropertyId, Property>, rows: &[[Raw; 2]], expect: Expect| match certify_diagram_on_tree(
        &tree,
        asked,
        &[ASKED],
        &set(rows),
        &Control::new(),
    ) {
        Ok(()) => expect.assert_eq("accepted"),
        Err(found) => expect.assert_eq(&found.to_string()),
    };
    let apart = never(&tree, &[("A.on", 1), ("B.on", 0)]);
    says(&apart, &[[0, 0], [1, 1]], expect!["accepted"]);
    says(&no_deadlock(), &[[0, 0], [1, 1]], expect!["accepted"]);
    says(&apart, &[[1, 1]], expect!["the initial configuration (A.on=false B.on=false) is not in the set"]);
    says(
        &apart,
        &[[0, 0]],
        expect!["(A.on=false B.on=false) leads by <A.up, B.up> to (A.on=true B.on=true), which is not in the set"],
    );
    says(&apart, &[[0, 0], [1, 1], [1, 0]], expect!["the set contains (A.on=true B.on=false), against never"]);
    says(
        &no_deadlock(),
        &[[0, 0], [1, 1], [1, 0]],
        expect!["the set contains (A.on=true B.on=false), against deadlock_free"],
    );
}

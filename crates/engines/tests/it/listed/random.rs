//! Every way to store and every order, against brute force.

use std::collections::{BTreeMap, VecDeque};

use lapidary_base::Control;
use lapidary_checker::covered::certify_covered;
use lapidary_engines::reach::ordered::{Evict, Ordered, Strategy, Update};
use lapidary_engines::reach::path::{self, Executed, Path};
use lapidary_engines::reach::search::Search;
use lapidary_engines::reach::store::{Node, Store};
use lapidary_engines::reach::waiting::Waiting;
use lapidary_system::{Join, Lattice, State, Successors};
use lapidary_verdict::{Covered, Enumeration, Layout};

use super::toys::{Kind, Order, Row, TARGET, Told, Toy};
use lapidary_reference::dice::Dice;

/// A target that is never met, so that the search runs to its end.
const NEVER: usize = TARGET + 1;

const KINDS: [Kind; 3] = [Kind::Counters, Kind::Sets, Kind::Flat];

/// All reachable states, and after how many steps.
fn exact(toy: &Toy) -> BTreeMap<Row, usize> {
    let mut found: BTreeMap<Row, usize> = toy.initial.iter().map(|row| (row.clone(), 0)).collect();
    let mut open: VecDeque<Row> = toy.initial.iter().cloned().collect();
    while let Some(row) = open.pop_front() {
        let distance = found[&row] + 1;
        for next in (0..toy.arrows.len()).filter_map(|arrow| toy.takes(arrow, &row)) {
            found.entry(next.clone()).or_insert_with(|| {
                open.push_back(next);
                distance
            });
        }
    }
    found
}

fn covers(toy: &Toy, rows: &[Row], (place, element): &Row) -> bool {
    let discrete = toy.discrete(*place);
    rows.iter().any(|(at, other)| at == place && toy.order.leq(&discrete, element, other))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Orders {
    Breadth,
    Depth,
    /// Large elements first.
    Ranked,
}

struct Found<'t> {
    store: Ordered<'t, Order>,
    hit: Option<Node>,
    n_grown: u64,
}

impl Found<'_> {
    fn rows(&self, toy: &Toy) -> Vec<Row> {
        self.store.stored().map(|node| toy.row(self.store.state(node))).collect()
    }
}

fn search<'t>(toy: &'t Toy, update: Update<'t>, order: Orders, target: usize) -> Found<'t> {
    let store = Ordered::new(&toy.order, toy.words(), update);
    let control = Control::new();
    let waiting = if order == Orders::Depth { Waiting::Nobody } else { Waiting::fifo() };
    let rank = |state: State<'_>| u64::MAX - state.element.iter().sum::<u64>();
    let mut search = Search::new(toy, store, waiting, vec![false; toy.arrows.len()], &control);
    if order == Orders::Ranked {
        search = search.ranked(&rank);
    }
    search.run(vec![target], Vec::new(), &mut |_| ()).expect("there are no limits");
    let hit = search.hits.first().map(|hit| hit.node);
    Found { hit, n_grown: search.n_grown, store: search.store }
}

/// A run of the system itself, of which each step is what it is said to be.
fn is_run(toy: &Toy, found: &Found<'_>, path: &Path, elements: &[Vec<u64>]) {
    let places: Vec<u64> = path.nodes.iter().map(|&node| toy.row(found.store.state(node)).0).collect();
    let rows: Vec<Row> = places.into_iter().zip(elements.iter().cloned()).collect();
    assert!(toy.initial.contains(&rows[0]), "{toy:?}: {rows:?}");
    for (pair, action) in rows.windows(2).zip(&path.actions) {
        assert_eq!(toy.takes(action.0 as usize, &pair[0]).as_ref(), Some(&pair[1]), "{toy:?}: {rows:?}");
    }
    assert!(toy.meets(rows.last().expect("a path has a node")), "{toy:?}: {rows:?}");
}

fn path_to(toy: &Toy, found: &Found<'_>, node: Node) -> Path {
    path::path(toy, &found.store, node, &Control::new(), &mut || Ok(())).expect("there are no limits")
}

/// The exact elements along a path, each by itself.
fn can_be_taken(toy: &Toy, found: &Found<'_>, path: &Path) -> bool {
    let place = |node: Node| toy.row(found.store.state(node)).0;
    let mut rows: Vec<Row> = toy.initial.iter().filter(|row| row.0 == place(path.nodes[0])).cloned().collect();
    for (&action, &node) in path.actions.iter().zip(&path.nodes[1..]) {
        rows = rows
            .iter()
            .filter_map(|row| toy.takes(action.0 as usize, row))
            .filter(|row| row.0 == place(node))
            .collect();
    }
    rows.iter().any(|row| toy.meets(row))
}

/// Rows in chunks of a few.
fn certificate(toy: &Toy, rows: &[Row]) -> Covered {
    let chunks = rows.chunks(3).map(|rows| {
        rows.iter().flat_map(|(place, element)| [toy.discrete(*place), element.clone()].concat()).collect()
    });
    let layout = Layout { words: toy.words(), ..Layout::default() };
    let listed = Enumeration { layout, chunks: chunks.collect(), n_states: rows.len() };
    Covered { listed, element_words: toy.order.words() }
}

fn is_accepted(toy: &Toy, rows: &[Row]) -> bool {
    certify_covered(&Told(toy), &certificate(toy, rows), &Control::new()).is_ok()
}

/// What the checker asks, asked by brute force.
fn is_inductive(toy: &Toy, rows: &[Row]) -> bool {
    let steps = |row: &Row| (0..toy.arrows.len()).filter_map(|arrow| toy.takes(arrow, row)).collect::<Vec<_>>();
    !rows.iter().any(|row| toy.meets(row))
        && toy.initial.iter().all(|row| covers(toy, rows, row))
        && rows.iter().flat_map(steps).all(|row| covers(toy, rows, &row))
}

#[derive(Default, Debug)]
struct Seen {
    runs: usize,
    candidates: usize,
    evicted: usize,
    grown: usize,
    rejected: usize,
    accepted: usize,
}

fn check(toy: &Toy, seen: &mut Seen) {
    let exact = exact(toy);
    let rows: Vec<Row> = exact.keys().cloned().collect();
    let distance = exact.iter().filter(|(row, _)| toy.meets(row)).map(|(_, &distance)| distance).min();
    for order in [Orders::Breadth, Orders::Depth, Orders::Ranked] {
        let mut simple = search(toy, Update::Simple, order, NEVER).rows(toy);
        simple.sort();
        assert_eq!(simple, rows, "{toy:?}, {order:?}");
        finds(toy, Update::Simple, order, distance, seen);
        for evict in [Evict::Nobody, Evict::Waiting, Evict::Everybody] {
            check_cover(toy, (order, evict), &exact, distance, seen);
            let always = |_: &[u64], _: &[u64], _: &[u64]| true;
            let close = |_: &[u64], a: &[u64], b: &[u64]| a[0].abs_diff(b[0]) <= 1;
            for strategy in [&always as &dyn Strategy, &close] {
                check_join(toy, (order, evict), strategy, &rows, distance, seen);
            }
        }
    }
}

/// Without joins what is found is a run, and breadth-first a shortest one, unless what waits may go.
fn finds(toy: &Toy, update: Update<'_>, order: Orders, distance: Option<usize>, seen: &mut Seen) {
    let found = search(toy, update, order, TARGET);
    assert_eq!(found.hit.is_some(), distance.is_some(), "{toy:?}, {order:?}");
    let Some(node) = found.hit else { return };
    let path = path_to(toy, &found, node);
    let elements: Vec<Vec<u64>> = path.nodes.iter().map(|&node| found.store.state(node).element.to_vec()).collect();
    is_run(toy, &found, &path, &elements);
    let keeps_waiting = matches!(update, Update::Simple | Update::Cover(Evict::Nobody));
    if order == Orders::Breadth && keeps_waiting {
        assert_eq!(Some(path.actions.len()), distance, "{toy:?}");
    }
    seen.runs += 1;
}

fn check_cover(
    toy: &Toy,
    (order, evict): (Orders, Evict),
    exact: &BTreeMap<Row, usize>,
    distance: Option<usize>,
    seen: &mut Seen,
) {
    let update = Update::Cover(evict);
    let found = search(toy, update, order, NEVER);
    let stored = found.rows(toy);
    seen.evicted += found.store.len() - stored.len();
    assert_eq!(stored.len(), found.store.n_stored());
    assert!(stored.iter().all(|row| exact.contains_key(row)), "{toy:?}, {order:?}, {evict:?}: {stored:?}");
    assert!(exact.keys().all(|row| covers(toy, &stored, row)), "{toy:?}, {order:?}, {evict:?}: {stored:?}");
    finds(toy, update, order, distance, seen);
    if evict == Evict::Everybody {
        let others = |i: usize| [&stored[..i], &stored[i + 1..]].concat();
        let is_needed = |i: usize| !covers(toy, &others(i), &stored[i]);
        assert!((0..stored.len()).all(is_needed), "{toy:?}, {order:?}: {stored:?}");
        check_certificates(toy, &stored, distance, seen);
        let covered = found.store.into_covered(Layout::default());
        let is_accepted = certify_covered(&Told(toy), &covered, &Control::new()).is_ok();
        assert_eq!((is_accepted, covered.listed.n_states), (distance.is_none(), stored.len()), "{toy:?}: {stored:?}");
    }
}

/// Of the greatest elements each is needed, and none can be smaller.
fn check_certificates(toy: &Toy, stored: &[Row], distance: Option<usize>, seen: &mut Seen) {
    assert_eq!(is_accepted(toy, stored), distance.is_none(), "{toy:?}: {stored:?}");
    for i in 0..stored.len() {
        let mut fewer = stored.to_vec();
        let (place, element) = fewer.remove(i);
        assert!(!is_accepted(toy, &fewer), "{toy:?}: {fewer:?}");
        let discrete = toy.discrete(place);
        let below = lower(toy, &element).into_iter().filter(|low| !toy.order.leq(&discrete, &element, low));
        for low in below {
            let mut lowered = stored.to_vec();
            lowered[i].1 = low;
            assert!(!is_accepted(toy, &lowered), "{toy:?}: {lowered:?}");
            seen.rejected += 1;
        }
    }
    seen.accepted += usize::from(distance.is_none());
}

/// Elements right below.
fn lower(toy: &Toy, element: &[u64]) -> Vec<Vec<u64>> {
    match toy.order.kind {
        Kind::Counters => {
            let one_less = |which: usize| {
                let mut low = element.to_vec();
                low[which] = low[which].checked_sub(1)?;
                Some(low)
            };
            (0..2).filter_map(one_less).collect()
        }
        Kind::Sets => (0..4).filter(|i| element[0] >> i & 1 == 1).map(|i| vec![element[0] & !(1 << i)]).collect(),
        Kind::Flat => (0..element[0]).map(|low| vec![low]).filter(|low| toy.order.leq(&[], low, element)).collect(),
    }
}

fn check_join(
    toy: &Toy,
    (order, evict): (Orders, Evict),
    strategy: &dyn Strategy,
    exact: &[Row],
    distance: Option<usize>,
    seen: &mut Seen,
) {
    let update = Update::Join(&toy.order as &dyn Join, strategy, evict);
    let found = search(toy, update, order, NEVER);
    let stored = found.rows(toy);
    seen.grown += found.n_grown as usize;
    assert!(exact.iter().all(|row| covers(toy, &stored, row)), "{toy:?}, {order:?}, {evict:?}: {stored:?}");
    assert_eq!(is_accepted(toy, &stored), is_inductive(toy, &stored), "{toy:?}: {stored:?}");
    assert!(is_accepted(toy, &stored) || stored.iter().any(|row| toy.meets(row)), "{toy:?}: {stored:?}");
    for i in 0..stored.len() {
        let fewer = [&stored[..i], &stored[i + 1..]].concat();
        assert_eq!(is_accepted(toy, &fewer), is_inductive(toy, &fewer), "{toy:?}: {fewer:?}");
    }
    let found = search(toy, update, order, TARGET);
    // What joins add is more than what is there, never less.
    assert!(found.hit.is_some() || distance.is_none(), "{toy:?}, {order:?}, {evict:?}");
    let Some(node) = found.hit else { return };
    let path = path_to(toy, &found, node);
    match path::execute(toy, &found.store, &path, TARGET, &Control::new()).expect("there are no limits") {
        Executed::Run(elements) => {
            is_run(toy, &found, &path, &elements);
            seen.runs += 1;
        }
        Executed::Candidate(_) => {
            assert!(!can_be_taken(toy, &found, &path), "{toy:?}: {path:?}");
            seen.candidates += 1;
        }
    }
}

/// Rows that are no states are refused before anything is asked of them; a limit ends the check among many rows of one part.
#[test]
fn rows_that_are_no_states_are_refused_and_limits_hold_among_many() {
    let toy = Toy::random(Kind::Sets, &mut Dice::new(1));
    let mut rows = search(&toy, Update::Cover(Evict::Everybody), Orders::Breadth, NEVER).rows(&toy);
    rows.push((0, vec![1 << 40]));
    let refused = certify_covered(&Told(&toy), &certificate(&toy, &rows), &Control::new());
    let why = format!("state {} is malformed: too large", rows.len() - 1);
    assert_eq!(refused, Err(lapidary_checker::Rejection::Wrong(why)));
    let control = Control::new();
    control.cancel();
    let many: Vec<Row> = (0..3_000).map(|_| (0, vec![0])).collect();
    let stopped = certify_covered(&Told(&toy), &certificate(&toy, &many), &control);
    assert_eq!(stopped, Err(lapidary_checker::Rejection::Stopped(lapidary_base::Stop::Interrupted)));
}

#[test]
fn a_thousand_random_systems_are_searched_as_by_brute_force() {
    let mut seen = Seen::default();
    for seed in 0..1_000 {
        let mut dice = Dice::new(seed);
        check(&Toy::random(KINDS[seed as usize % 3], &mut dice), &mut seen);
    }
    let Seen { runs, candidates, evicted, grown, rejected, accepted } = seen;
    let least =
        [(runs, 10_000), (candidates, 300), (evicted, 1_000), (grown, 5_000), (rejected, 1_000), (accepted, 500)];
    assert!(least.iter().all(|(n, least)| n >= least), "{seen:?}");
}

//! Two steps between the same places: which one was taken, only the element tells.

use lapidary_base::{Control, Stop};
use lapidary_engines::reach::ordered::{Evict, Ordered, Update};
use lapidary_engines::reach::path::{self, Executed};
use lapidary_engines::reach::search::Search;
use lapidary_engines::reach::store::{Edge, Node, Offered, Store};
use lapidary_engines::reach::waiting::Waiting;
use lapidary_ir::CommandId;
use lapidary_system::successors::Visit;
use lapidary_system::{Grew, Join, Lattice, State, Steps, Successors};

use super::toys::{Arrow, Change, Count, Kind, Order, TARGET, Toy};

/// From place 0 to place 1 by several steps, each with what it adds to a set.
fn sets(added: &[u64], target: u64) -> Toy {
    let arrow = |&add: &u64| Arrow { from: 0, to: 1, guard: vec![0], change: Change::Masked(!0, add) };
    Toy {
        order: Order { kind: Kind::Sets, dead: vec![false; 2] },
        arrows: added.iter().map(arrow).collect(),
        initial: vec![(0, vec![0])],
        target: (1, vec![target]),
    }
}

#[test]
fn the_step_that_was_taken_is_named() {
    let (toy, control) = (sets(&[0b001, 0b010, 0b100], 0b010), Control::new());
    for update in [Update::Simple, Update::Cover(Evict::Everybody)] {
        let store = Ordered::new(&toy.order, toy.words(), update);
        let mut search = Search::new(&toy, store, Waiting::fifo(), vec![false; 3], &control);
        search.run(vec![TARGET], Vec::new(), &mut |_| ()).expect("there are no limits");
        let path = path::path(&toy, &search.store, search.hits[0].node, &control, &mut || Ok(())).expect("no limits");
        assert_eq!(path.actions.iter().map(|action| action.0).collect::<Vec<_>>(), [1]);
    }
}

/// What the joined element met is explained by its first parent: where one contribution alone is enough, the path is a run; where
/// both are needed, or the other one, it is a candidate.
#[test]
fn a_joined_element_is_explained_by_its_first_contribution_only() {
    let cases = [
        (0b01, Executed::Run(vec![vec![0], vec![0b01]])),
        (0b10, Executed::Candidate(1)),
        (0b11, Executed::Candidate(1)),
    ];
    let always = |_: &[u64], _: &[u64], _: &[u64]| true;
    for (target, expected) in cases {
        let (toy, control) = (sets(&[0b01, 0b10], target), Control::new());
        let update = Update::Join(&toy.order as &dyn Join, &always, Evict::Everybody);
        let mut search =
            Search::new(&toy, Ordered::new(&toy.order, 1, update), Waiting::fifo(), vec![false; 2], &control);
        search.run(vec![TARGET], Vec::new(), &mut |_| ()).expect("there are no limits");
        let node = search.hits[0].node;
        let path = path::path(&toy, &search.store, node, &control, &mut || Ok(())).expect("no limits");
        let executed = path::execute(&toy, &search.store, &path, TARGET, &control);
        assert_eq!(executed, Ok(expected), "{target:b}");
    }
}

/// Places one after the other, and one that is joined again and again: each growth counts as a state does.
#[test]
fn a_budget_ends_a_search_that_only_grows() {
    let arrow = Arrow { from: 0, to: 0, guard: vec![0, 0], change: Change::Counters([Count::Up, Count::Keep]) };
    let toy = Toy {
        order: Order { kind: Kind::Counters, dead: vec![false] },
        arrows: vec![arrow],
        initial: vec![(0, vec![0, 0])],
        target: (0, vec![9, 9]),
    };
    let (control, always) = (Control::new(), |_: &[u64], _: &[u64], _: &[u64]| true);
    let update = Update::Join(&toy.order as &dyn Join, &always, Evict::Everybody);
    let store = Ordered::new(&toy.order, 0, update);
    let mut search = Search::new(&toy, store, Waiting::fifo(), vec![false; 1], &control).with_most_states(Some(3));
    let ended = search.run(vec![TARGET], Vec::new(), &mut |_| ());
    assert_eq!((ended, search.counts.states), (Err(Stop::Budget("3 states".to_owned())), 1));
}

/// Many elements at one place, none above another: what is compared counts, and the limits are looked at all the while.
#[test]
fn a_search_among_many_elements_is_stopped() {
    let store = |order: &'static Antichain| Ordered::new(order, 0, Update::Cover(Evict::Everybody));
    static ORDER: Antichain = Antichain;
    let (mut store, control, evicted) = (store(&ORDER), Control::new(), &mut Vec::new());
    control.cancel();
    let offer = |number: u64| {
        let state = State { discrete: &[], element: &[number] };
        store.offer(store.hash(state), state, Edge::START, evicted, &control)
    };
    let stopped = (0..20_000).map(offer).position(|offered| offered == Err(Stop::Interrupted));
    assert!(stopped.is_some_and(|n| n < 200), "stopped after {stopped:?} states");
}

/// Every element lies below itself only.
struct Antichain;

impl Lattice for Antichain {
    fn words(&self) -> usize {
        1
    }

    fn leq(&self, _: &[u64], a: &[u64], b: &[u64]) -> bool {
        a == b
    }
}

/// The table of discrete parts grows, and parts are found again.
#[test]
fn thousands_of_discrete_parts_are_found_again() {
    for update in [Update::Simple, Update::Cover(Evict::Everybody)] {
        let (mut store, control, evicted) = (Ordered::new(&Antichain, 1, update), Control::new(), &mut Vec::new());
        for round in 0..2 {
            for number in 0..5_000u64 {
                let state = State { discrete: &[number * 7], element: &[number % 3] };
                let offered = store.offer(store.hash(state), state, Edge::START, evicted, &control);
                let node = Node(number as u32);
                let expected = if round == 0 { Offered::New(node) } else { Offered::Covered(Some(node)) };
                assert_eq!(offered, Ok(expected));
            }
        }
    }
}

/// A counter at one place that grows again and again, and at each step a hundred steps aside: those of outgrown elements are not
/// held on to, and none is followed.
struct Tower;

const HEIGHT: u64 = 20_000;

impl Lattice for Tower {
    fn words(&self) -> usize {
        1
    }

    fn leq(&self, _: &[u64], a: &[u64], b: &[u64]) -> bool {
        a[0] <= b[0]
    }
}

impl Join for Tower {
    fn join(&self, _: &[u64], into: &mut [u64], other: &[u64]) -> Grew {
        let grows = other[0] > into[0];
        into[0] = into[0].max(other[0]);
        if grows { Grew::Yes } else { Grew::No }
    }
}

impl Successors for Tower {
    type Lat = Self;

    fn lattice(&self) -> &Self {
        self
    }

    fn words(&self) -> usize {
        1
    }

    fn all_ones_is_free(&self) -> bool {
        true
    }

    fn initial(&self, _: &Control, visit: &mut Visit<'_>) -> Result<(), Stop> {
        visit(State { discrete: &[0], element: &[0] })
    }

    fn successors(&self, state: State<'_>, out: &mut Steps) -> Result<(), Stop> {
        let (place, height) = (state.discrete[0], state.element[0]);
        if place > 0 {
            return Ok(());
        }
        let steps = (0..=100).map(|aside| if aside == 0 { (0, HEIGHT.min(height + 1)) } else { (aside, height) });
        for (to, height) in steps {
            out.actions.push(CommandId(to as u32));
            out.states.push(to);
            out.elements.push(height);
        }
        Ok(())
    }

    fn hits(&self, _: State<'_>, _: &mut Vec<usize>, _: &mut Vec<usize>, _: &mut Steps) -> Result<(), Stop> {
        Ok(())
    }
}

#[test]
fn steps_of_outgrown_elements_are_dropped_depth_first() {
    let (control, always) = (Control::new(), |_: &[u64], _: &[u64], _: &[u64]| true);
    let store = Ordered::new(&Tower, 1, Update::Join(&Tower, &always, Evict::Everybody));
    let mut search = Search::new(&Tower, store, Waiting::Nobody, vec![false; 101], &control);
    search.run(vec![TARGET], Vec::new(), &mut |_| ()).expect("there are no limits");
    let heights: Vec<u64> = search.store.stored().map(|node| search.store.state(node).element[0]).collect();
    assert_eq!(heights, vec![HEIGHT; 101]);
    // Of two million steps aside, those of the last height are followed.
    assert_eq!((search.counts.states, search.n_grown), (101, HEIGHT));
}

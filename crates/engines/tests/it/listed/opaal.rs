//! The database of the paper on opaal (figure 5): its printed numbers of states depend on which element is joined, and on
//! where the result stands. The model is a reconstruction: explicit and refined numbers are those that are printed.

use lapidary_base::{Control, Stop};
use lapidary_engines::reach::ordered::{Evict, Ordered, Update};
use lapidary_engines::reach::search::Search;
use lapidary_engines::reach::store::Store;
use lapidary_engines::reach::waiting::Waiting;
use lapidary_ir::CommandId;
use lapidary_system::successors::Visit;
use lapidary_system::{Grew, Join, Lattice, State, Steps, Successors};

/// Users present for sure, and users absent for sure, as bits: fewer bits say less.
struct Database {
    n_users: u32,
}

const START: u64 = 0;
const IDLE: u64 = 1;
const LOGIN: u64 = 2;
const WORK: u64 = 3;
const LOGOUT: u64 = 4;

impl Lattice for Database {
    fn words(&self) -> usize {
        2
    }

    fn leq(&self, _: &[u64], a: &[u64], b: &[u64]) -> bool {
        b[0] & !a[0] == 0 && b[1] & !a[1] == 0
    }
}

impl Join for Database {
    fn join(&self, _: &[u64], into: &mut [u64], other: &[u64]) -> Grew {
        let before = [into[0], into[1]];
        into[0] &= other[0];
        into[1] &= other[1];
        if before == [into[0], into[1]] { Grew::No } else { Grew::Yes }
    }
}

impl Database {
    /// How many users may be present.
    fn zeros(&self, absent: u64) -> u32 {
        self.n_users - absent.count_ones()
    }
}

impl Successors for Database {
    type Lat = Self;

    fn lattice(&self) -> &Self {
        self
    }

    fn words(&self) -> usize {
        2
    }

    fn all_ones_is_free(&self) -> bool {
        true
    }

    fn initial(&self, _: &Control, visit: &mut Visit<'_>) -> Result<(), Stop> {
        visit(State { discrete: &[START, 0], element: &[0, 0] })
    }

    fn successors(&self, state: State<'_>, out: &mut Steps) -> Result<(), Stop> {
        let (&[place, user], &[present, absent]) = (state.discrete, state.element) else {
            unreachable!("two words each")
        };
        let mut lead = |action: u32, place: u64, user: u64, present: u64, absent: u64| {
            out.actions.push(CommandId(action));
            out.states.extend([place, user]);
            out.elements.extend([present, absent]);
        };
        let bit = 1 << user;
        match place {
            START => lead(0, IDLE, 0, 0, (1 << self.n_users) - 1),
            LOGIN => lead(4, IDLE, 0, present | bit, absent & !bit),
            WORK => lead(5, IDLE, 0, present, absent),
            LOGOUT => lead(6, IDLE, 0, present & !bit, absent | bit),
            _ => {
                let may_log_in = self.zeros(absent) < self.n_users - 1;
                for (action, to, is_enabled) in [(1, LOGIN, may_log_in), (2, WORK, true), (3, LOGOUT, true)] {
                    (0..u64::from(self.n_users))
                        .filter(|_| is_enabled)
                        .for_each(|u| lead(action, to, u, present, absent));
                }
            }
        }
        Ok(())
    }

    fn hits(&self, _: State<'_>, _: &mut Vec<usize>, _: &mut Vec<usize>, _: &mut Steps) -> Result<(), Stop> {
        Ok(())
    }
}

/// How many states are kept at the end, and how often one was added or grew.
fn kept(database: &Database, update: Update<'_>) -> (usize, u64) {
    let control = Control::new();
    let store = Ordered::new(database, 2, update);
    let mut search = Search::new(database, store, Waiting::fifo(), vec![false; 7], &control);
    search.run(vec![0], Vec::new(), &mut |_| ()).expect("there are no limits");
    (search.store.n_stored(), search.store.len() as u64 + search.n_grown)
}

fn explicit(n_users: u32) -> usize {
    let n = n_users as usize;
    (3 * n + 1) * (1 << n) - n * n - 3 * n
}

#[test]
fn every_state_is_stored_without_joins() {
    for n_users in [8, 9, 10] {
        let database = Database { n_users };
        assert_eq!(kept(&database, Update::Simple).0, explicit(n_users));
        // All elements at a place are reached with as many bits at least, so none covers another.
        assert_eq!(kept(&database, Update::Cover(Evict::Waiting)).0, explicit(n_users));
    }
    assert_eq!([8, 9, 10, 11].map(explicit), [6312, 14228, 31614, 69478], "as printed");
}

#[test]
fn joining_everything_keeps_little_and_adds_twice_as_often() {
    for n_users in [8, 9, 16] {
        let n = n_users as usize;
        let all = |_: &[u64], _: &[u64], _: &[u64]| true;
        let database = Database { n_users };
        let (n_kept, n_added) = kept(&database, Update::Join(&database, &all, Evict::Nobody));
        assert_eq!((n_kept, n_added), (3 * n + 2, 6 * n as u64 + 2));
    }
}

#[test]
fn the_refined_strategy_keeps_the_printed_numbers_of_states() {
    let refined = |n_users: u32, evict: Evict| {
        let zeros = move |element: &[u64]| n_users - element[1].count_ones();
        let may_join = move |_: &[u64], a: &[u64], b: &[u64]| zeros(a) + zeros(b) < n_users;
        let database = Database { n_users };
        kept(&database, Update::Join(&database, &may_join, evict)).0
    };
    let sizes = [8, 9, 10, 11, 12];
    assert_eq!(sizes.map(|n| refined(n, Evict::Nobody)), [787, 1238, 976, 1036, 1707]);
    assert_eq!(sizes.map(|n| refined(n, Evict::Everybody)), [469, 1238, 945, 1036, 1707]);
}

#[test]
fn asking_what_the_join_would_be_keeps_fewer() {
    let not_full = |_: &[u64], a: &[u64], b: &[u64]| a[1] & b[1] != 0;
    let databases = [8, 9, 10, 11, 12].map(|n_users| Database { n_users });
    let numbers = databases.map(|database| kept(&database, Update::Join(&database, &not_full, Evict::Nobody)).0);
    assert_eq!(numbers, [145, 181, 221, 265, 313]);
}

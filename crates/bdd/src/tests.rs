//! Operations against the package's own, and operations that are stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use lapidary_base::{Control, Stop};
use lapidary_reference::dice::Dice;
use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, Manager, ManagerRef};
use oxidd_core::{ApplyCache, HasApplyCache};

use crate::run::turned;
use crate::{Capacity, Column, ColumnSpec, Set, Space};

/// Bits of which every column has one.
fn bits(n_bits: u32, nodes: usize, threads: u32) -> Space {
    let spec = |bit| vec![ColumnSpec { name: format!("b{bit}"), size: 2 }];
    let groups: Vec<Vec<ColumnSpec>> = (0..n_bits).map(spec).collect();
    Space::new(Capacity { nodes, cache: 1 << 16, threads }, &groups, &Control::new()).expect("a small space")
}

/// A function of the bits by a random formula.
fn function(dice: &mut Dice, space: &Space, n_bits: u32) -> Set {
    let mut sets = space.bits(Column(0));
    for bit in 1..n_bits {
        let next = space.bits(Column(bit)).remove(0);
        let other = dice.pick(&sets);
        let made = match dice.below(4) {
            0 => space.and(&next, &other),
            1 => space.or(&other, &next),
            2 => space.xor(&other, &next),
            _ => space.minus(&other, &next),
        };
        sets.push(made.expect("a small set"));
    }
    let picked: Vec<Set> = (0..5).map(|_| dice.pick(&sets)).collect();
    let either = space.or_all(&picked[..3]).expect("a small set");
    space.xor(&either, &space.and_all(&picked[3..]).expect("a small set")).expect("a small set")
}

fn forget_results(space: &Space) {
    space.manager.with_manager_shared(|manager| manager.apply_cache().clear(manager));
}

#[test]
fn operations_give_what_the_packages_own_give() {
    const N: u32 = 9;
    let (space, mut dice) = (bits(N, 1 << 16, 2), Dice::new(7));
    for round in 0..60u32 {
        let [f, g, h] = [0; 3].map(|_| function(&mut dice, &space, N));
        let cube: Vec<Column> = (0..N).filter(|_| dice.one_in(3)).map(Column).collect();
        let vars = cube.iter().map(|&column| space.bits(column).remove(0)).collect::<Vec<Set>>();
        let vars = space.and_all(&vars).expect("a small set");
        let cube = space.cube(&cube).expect("a cube");
        // Every other round, all branches down to some depth are given to two threads.
        let splits = if round % 2 == 0 { 0 } else { 4 };
        let of_two = |how: fn(&Space, &Set, &Set, u32) -> Set| {
            forget_results(&space);
            how(&space, &f, &g, splits)
        };
        let ours = [
            of_two(|space, f, g, splits| {
                space.attempt(f, splits, |run, f| run.and(f, g.0.as_edge(run.manager))).expect("a small set")
            }),
            of_two(|space, f, g, splits| {
                space.attempt(f, splits, |run, f| run.or(f, g.0.as_edge(run.manager))).expect("a small set")
            }),
            of_two(|space, f, g, splits| {
                space.attempt(f, splits, |run, f| run.xor(f, g.0.as_edge(run.manager))).expect("a small set")
            }),
            of_two(|space, f, g, splits| {
                space.attempt(f, splits, |run, f| run.xor(f, g.0.as_edge(run.manager)).map(turned)).expect("small")
            }),
            space
                .attempt(&f, splits, |run, f| run.ite(f, g.0.as_edge(run.manager), h.0.as_edge(run.manager)))
                .expect("a small set"),
            space.exists(&f, &cube).expect("a small set"),
            space.forall(&f, &cube).expect("a small set"),
            space.and_exists(&f, &g, &cube).expect("a small set"),
            space.minus(&f, &g).expect("a small set"),
            space.implies(&f, &g).expect("a small set"),
        ];
        forget_results(&space);
        let theirs = [
            f.0.and(&g.0),
            f.0.or(&g.0),
            f.0.xor(&g.0),
            f.0.equiv(&g.0),
            f.0.ite(&g.0, &h.0),
            f.0.exists(&vars.0),
            f.0.forall(&vars.0),
            f.0.apply_exists(BooleanOperator::And, &g.0, &vars.0),
            g.0.imp_strict(&f.0),
            f.0.imp(&g.0),
        ];
        for (place, (ours, theirs)) in ours.into_iter().zip(theirs).enumerate() {
            assert!(ours.0 == theirs.expect("a small set"), "operation {place} in round {round}");
        }
        let bit = space.bits(Column(dice.below(N))).remove(0);
        forget_results(&space);
        let ours = space.attempt(&f, 0, |run, f| run.restrict(f, bit.0.as_edge(run.manager))).expect("a small set");
        forget_results(&space);
        assert!(ours.0 == f.0.restrict(&bit.0).expect("a small set"), "restriction in round {round}");
    }
}

/// Two sets of thousands of nodes whose intersection has more than could ever be made.
fn huge(space: &Space) -> (Set, Set) {
    let half = |pairs: std::ops::Range<u32>| {
        let equal: Vec<Set> = pairs.map(|i| space.equal(Column(i), Column(i + 26)).expect("a small set")).collect();
        equal.iter().fold(space.all(), |all, one| space.and(&all, one).expect("a large set"))
    };
    (half(0..13), half(13..26))
}

type Operation = fn(&Space, &Set, &Set) -> Result<Set, Stop>;

const LONG: [Operation; 5] = [
    |space, a, b| space.and(a, b),
    |space, a, b| space.xor(a, b),
    |space, a, b| space.or(a, b),
    |space, a, b| space.ite(a, b, &space.bits(Column(51)).remove(0)),
    |space, a, b| space.and_exists(a, b, &space.cube(&[Column(0)])?),
];

#[test]
fn a_deadline_ends_an_operation_from_within_and_nothing_is_left_of_it() {
    for threads in [1, 2] {
        let space = bits(52, 1 << 24, threads);
        let (a, b) = huge(&space);
        let count = || space.manager.with_manager_shared(|manager| (manager.num_inner_nodes(), manager.gc_count()));
        space.collect_garbage().expect("no limit");
        let (before, n_collected) = count();
        for (place, operation) in LONG.into_iter().enumerate() {
            let start = Instant::now();
            space.obey(&Control::new().with_timeout(Some(Duration::from_millis(30))));
            assert_eq!(operation(&space, &a, &b).err(), Some(Stop::Timeout), "operation {place}, {threads} threads");
            assert!(start.elapsed() < Duration::from_secs(3), "operation {place}, {threads} threads");
        }
        assert_eq!(count().1, n_collected, "a stop is no want of nodes");
        space.obey(&Control::new());
        assert!(space.intersects(&a, &b).expect("the space is usable"));
        space.collect_garbage().expect("no limit");
        assert_eq!(count().0, before, "{threads} threads");
    }
}

#[test]
fn an_interrupt_from_another_thread_ends_an_operation() {
    for threads in [1, 2] {
        let space = bits(52, 1 << 24, threads);
        let (a, b) = huge(&space);
        let flag = Arc::new(AtomicBool::new(false));
        space.obey(&Control::new().with_cancel(Arc::clone(&flag)));
        let interrupter = thread::spawn(move || {
            thread::sleep(Duration::from_millis(30));
            flag.store(true, Ordering::Relaxed);
        });
        assert_eq!(space.and(&a, &b).err(), Some(Stop::Interrupted));
        interrupter.join().expect("it only waits");
    }
}

#[test]
fn reading_a_set_can_be_stopped() {
    let space = bits(52, 1 << 20, 1);
    let (set, _) = huge(&space);
    let columns: Vec<Column> = space.columns().collect();
    space.obey(&Control::new().with_timeout(Some(Duration::ZERO)));
    let stopped = Some(Stop::Timeout);
    assert_eq!(space.count(&set, &columns).err(), stopped);
    assert_eq!(space.node_count(&set).err(), stopped);
    assert_eq!(space.support(&set).err(), stopped);
    assert_eq!(space.multi_valued(&set, &columns).err(), stopped);
    assert_eq!(space.for_each(&set, &columns, &mut |_| Ok(())).err(), stopped);
    assert_eq!(space.collect_garbage().err(), stopped);
    // From the lowest bit up, every choice is a walk through the diagram.
    let upwards: Vec<Column> = columns.iter().rev().copied().collect();
    assert_eq!(space.pick(&set, &upwards).err(), stopped);
}

#[test]
fn many_small_operations_are_stopped_like_one_that_is_large() {
    let space = bits(4, 1 << 10, 1);
    space.obey(&Control::new().with_timeout(Some(Duration::ZERO)));
    let stopped = (0..5000).find_map(|_| space.value(Column(1), 1).err());
    assert_eq!(stopped, Some(Stop::Timeout));
}

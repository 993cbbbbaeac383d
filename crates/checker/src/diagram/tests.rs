//! The checker's operations against the package's own, and operations that are stopped.

use std::time::{Duration, Instant};

use lapidary_base::{Control, Stop};
use lapidary_reference::dice::Dice;
use lapidary_reference::seeds;
use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager, Subst, VarNo};
use oxidd_core::{ApplyCache, HasApplyCache};

use super::space::{Set, Space};
use crate::Rejection;

const N: VarNo = 8;

/// A random function of the bits.
fn function(space: &Space<'_>, seed: u64) -> Set {
    let mut dice = Dice::new(seed);
    let bit = |dice: &mut Dice| space.bit(dice.below(N)).expect("a small set");
    let mut set = bit(&mut dice);
    for _ in 0..12 {
        let other = bit(&mut dice);
        let made = match dice.below(5) {
            0 => space.and(&set, &other),
            1 => space.or(&set, &other),
            2 => space.xor(&set, &other),
            3 => space.without(&other, &set),
            _ => space.ite(&other, &set, &bit(&mut dice)),
        };
        set = made.expect("a small set");
    }
    set
}

fn forget_results(set: &Set) {
    set.with_manager_shared(|nodes, _| nodes.apply_cache().clear(nodes));
}

#[test]
fn operations_give_what_the_packages_own_give() {
    let control = Control::new();
    // The package collects its garbage on a thread of its own, which a busy machine may keep waiting: there is room for all.
    let space = Space::new(N, 1 << 20, &control).expect("a small space");
    for (i, seed) in seeds::of(0..300).into_iter().enumerate() {
        if i % 16 == 15 {
            space.all.with_manager_shared(|nodes, _| nodes.gc());
        }
        let [f, g, h] = [3 * seed, 3 * seed + 1, 3 * seed + 2].map(|seed| function(&space, seed));
        let bits: Vec<VarNo> = (0..N).filter(|bit| seed >> bit & 1 == 1).collect();
        let cube = space.cube(&bits).expect("a small set");
        let by: Vec<Set> = bits.iter().map(|&bit| function(&space, seed ^ u64::from(bit) << 20)).collect();
        let ours = || {
            forget_results(&f);
            [
                space.and(&f, &g),
                space.or(&f, &g),
                space.xor(&f, &g),
                space.without(&f, &g),
                space.ite(&f, &g, &h),
                space.and_exists_in(&f, &g, &cube),
                space.and_exists_in(&f, &space.all, &cube),
                space.and_exists_in(&f, &f, &cube),
                space.substitute(&f, &bits, &by),
                space.not(&f),
            ]
        };
        let ours = ours();
        forget_results(&f);
        let theirs = [
            f.and(&g),
            f.or(&g),
            f.xor(&g),
            g.imp_strict(&f),
            f.ite(&g, &h),
            f.apply_exists(BooleanOperator::And, &g, &cube),
            f.exists(&cube),
            f.exists(&cube),
            f.substitute(&Subst::new(&bits, &by)),
            f.not(),
        ];
        for (place, (ours, theirs)) in ours.into_iter().zip(theirs).enumerate() {
            assert!(ours == Ok(theirs.expect("a small set")), "operation {place} with seed {seed}");
        }
    }
}

/// Two sets whose intersection has more nodes than could ever be made.
fn huge(space: &Space<'_>) -> (Set, Set) {
    let half = |pairs: std::ops::Range<VarNo>| {
        pairs.fold(space.all.clone(), |all, i| {
            let bit = |number| space.bit(number).expect("a small set");
            let differ = space.xor(&bit(i), &bit(i + 26)).expect("a small set");
            space.without(&all, &differ).expect("a large set")
        })
    };
    (half(0..13), half(13..26))
}

#[test]
fn a_deadline_ends_an_operation_from_within_and_nothing_is_left_of_it() {
    // The limits are those of a control that has been there for a while.
    let build = Control::new();
    let space = Space::new(52, 1 << 23, &build).expect("room enough");
    let (a, b) = huge(&space);
    let count = |set: &Set| set.with_manager_shared(|nodes, _| (nodes.num_inner_nodes(), nodes.gc_count()));
    a.with_manager_shared(|nodes, _| nodes.gc());
    let (before, n_collected) = count(&a);
    let control = Control::new().with_timeout(Some(Duration::from_millis(100)));
    let hurried = space.under(&control);
    let start = Instant::now();
    assert!(hurried.and(&a, &b) == Err(Rejection::Stopped(Stop::Timeout)), "it is no want of nodes");
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(count(&a).1, n_collected);
    let bit = space.bit(51).expect("a small set");
    assert!(space.and(&a, &bit).is_ok(), "the space is usable");
    drop(bit);
    a.with_manager_shared(|nodes, _| nodes.gc());
    assert_eq!(count(&a).0, before);
}

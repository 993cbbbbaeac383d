//! Initial partitions by values are those by one predicate per value.

use lapidary_base::{Control, Stop};
use lapidary_engines::cover::initial::{MOST_BLOCKS, by_value, partition};
use lapidary_reference::dice::Dice;
use lapidary_system::SetSystem;

use super::listed::{Bits, Listed};

/// The states that a function gives a value between two.
fn within(system: &Listed, value: &[i64], lo: i64, hi: i64) -> Result<Bits, Stop> {
    Ok(system.set((0..system.n).filter(|&state| (lo..=hi).contains(&value[state]))))
}

#[test]
fn halving_gives_the_blocks_of_all_values_in_their_order() {
    let (mut dice, control) = (Dice::new(9), Control::new());
    for number in 0..2_000 {
        let n = 1 + dice.below(12);
        let system = Listed::new(n, &[], &[]);
        let lo = dice.between(-5, 3);
        let hi = lo + dice.below(8);
        let value: Vec<i64> = (0..n).map(|_| dice.between(lo, hi)).collect();
        let some = system.set(dice.some(n, 50));
        let blocks = partition(&system, vec![system.all()], &[some], MOST_BLOCKS, &control).expect("there is room");
        let predicates: Vec<Bits> =
            (lo..hi).map(|one| within(&system, &value, one, one).expect("there is room")).collect();
        let expected = partition(&system, blocks.clone(), &predicates, MOST_BLOCKS, &control).expect("there is room");
        let found =
            by_value(&system, blocks, (lo, hi), |lo, hi| within(&system, &value, lo, hi), MOST_BLOCKS, &control);
        assert_eq!(found.expect("there is room"), expected, "case {number}");
    }
}

#[test]
fn the_widest_range_is_halved_without_overflow_and_without_listing_its_values() {
    let system = Listed::new(3, &[], &[]);
    let value = [i64::MIN, 0, i64::MAX];
    let bounds = (i64::MIN, i64::MAX);
    let of = |lo, hi| within(&system, &value, lo, hi);
    let found = by_value(&system, vec![system.all()], bounds, of, MOST_BLOCKS, &Control::new()).expect("there is room");
    assert_eq!(found, [0, 1, 2].map(|state| system.set([state])));
}

#[test]
fn too_many_blocks_are_refused() {
    let n = MOST_BLOCKS + 1;
    let system = Listed::new(n, &[], &[]);
    let one_by_one = (0..n).map(|state| system.set([state])).take(3).collect();
    let few = by_value(&system, one_by_one, (0, 0), |_, _| Ok(system.all()), MOST_BLOCKS, &Control::new());
    assert_eq!(few.map(|blocks| blocks.len()), Ok(3));
    let many = vec![system.set([0]); n];
    assert!(by_value(&system, many, (0, 0), |_, _| Ok(system.all()), MOST_BLOCKS, &Control::new()).is_err());
}

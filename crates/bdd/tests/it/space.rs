//! Sets of valuations against explicit sets.

use std::collections::BTreeSet;

use lapidary_base::{Control, Stop, Whose};
use lapidary_bdd::{Capacity, Child, Column, ColumnSpec, Decision, Set, Space};
use lapidary_reference::dice::Dice;

type Explicit = BTreeSet<Vec<u64>>;

fn groups(sizes: &[&[u64]]) -> Vec<Vec<ColumnSpec>> {
    let spec = |&size: &u64| ColumnSpec { name: format!("c{size}"), size };
    sizes.iter().map(|group| group.iter().map(spec).collect()).collect()
}

fn space(sizes: &[&[u64]]) -> Space {
    Space::new(Capacity { nodes: 1 << 20, cache: 1 << 14, threads: 1 }, &groups(sizes), &Control::new()).unwrap()
}

/// Columns 0 and 1, 2 and 3 are pairs of equal size; 4 has one value only.
const SIZES: [&[u64]; 4] = [&[5, 5], &[3, 3], &[1], &[6]];
const N_COLUMNS: usize = 6;

fn flat() -> Vec<u64> {
    SIZES.concat()
}

fn columns() -> Vec<Column> {
    (0..N_COLUMNS as u32).map(Column).collect()
}

fn all_valuations() -> Explicit {
    let mut all = vec![Vec::new()];
    for size in flat() {
        all = all.iter().flat_map(|v: &Vec<u64>| (0..size).map(|x| [&v[..], &[x]].concat())).collect();
    }
    all.into_iter().collect()
}

fn point(space: &Space, columns: &[Column], values: &[u64]) -> Set {
    let parts: Vec<Set> = columns.iter().zip(values).map(|(&c, &v)| space.value(c, v).unwrap()).collect();
    space.and_all(&parts).unwrap()
}

fn random_set(dice: &mut Dice, space: &Space, columns: &[Column]) -> (Set, Explicit) {
    let sizes = flat();
    let explicit: Explicit = (0..dice.below(60))
        .map(|_| columns.iter().map(|column| dice.below(sizes[column.0 as usize])).collect())
        .collect();
    let points: Vec<Set> = explicit.iter().map(|values| point(space, columns, values)).collect();
    (space.or_all(&points).unwrap(), explicit)
}

fn listed(space: &Space, set: &Set, columns: &[Column]) -> Vec<Vec<u64>> {
    let mut found = Vec::new();
    space
        .for_each(set, columns, &mut |values| {
            found.push(values.to_vec());
            Ok(())
        })
        .unwrap();
    found
}

#[test]
fn sets_are_combined_counted_listed_and_picked_like_explicit_ones() {
    let space = space(&SIZES);
    let mut dice = Dice::new(7);
    let columns = columns();
    let domains: Vec<Set> = columns.iter().map(|&column| space.domain(column).unwrap()).collect();
    let domain = space.and_all(&domains).unwrap();
    let all = all_valuations();
    assert_eq!(space.count(&domain, &columns).unwrap(), Some(all.len() as u128));
    for _ in 0..60 {
        let (a, in_a) = random_set(&mut dice, &space, &columns);
        let (b, in_b) = random_set(&mut dice, &space, &columns);
        let b = space.or(&a, &b).unwrap();
        let in_b: Explicit = in_a.union(&in_b).cloned().collect();
        let check = |set: Set, expected: Explicit| {
            let set = space.and(&set, &domain).unwrap();
            assert_eq!(space.count(&set, &columns).unwrap(), Some(expected.len() as u128));
            assert_eq!(space.pick(&set, &columns).unwrap().as_ref(), expected.first());
            let listed = listed(&space, &set, &columns);
            assert_eq!(listed.len(), expected.len());
            assert_eq!(listed.into_iter().collect::<Explicit>(), expected);
        };
        check(space.and(&a, &b).unwrap(), in_a.intersection(&in_b).cloned().collect());
        check(space.minus(&b, &a).unwrap(), in_b.difference(&in_a).cloned().collect());
        check(space.not(&b).unwrap(), all.difference(&in_b).cloned().collect());
        check(
            space.implies(&b, &a).unwrap(),
            all.iter().filter(|v| !in_b.contains(*v) || in_a.contains(*v)).cloned().collect(),
        );
        check(
            space.iff(&b, &a).unwrap(),
            all.iter().filter(|v| in_b.contains(*v) == in_a.contains(*v)).cloned().collect(),
        );
        check(space.ite(&a, &space.none(), &b).unwrap(), in_b.difference(&in_a).cloned().collect());
        assert!(space.is_subset(&a, &b).unwrap());
        assert_eq!(space.is_subset(&b, &a).unwrap(), in_b == in_a);
        assert_eq!(space.intersects(&a, &b).unwrap(), !in_a.is_empty());
    }
}

#[test]
fn picks_are_least_in_the_order_of_the_columns_asked_for() {
    let space = space(&SIZES);
    let mut dice = Dice::new(21);
    for _ in 0..100 {
        let mut order = columns();
        dice.shuffle(&mut order);
        let (set, explicit) = random_set(&mut dice, &space, &order);
        assert_eq!(space.pick(&set, &order).unwrap().as_ref(), explicit.first());
        let some = &order[..3];
        let least = explicit.first().map(|values| values[..3].to_vec());
        assert_eq!(space.pick(&set, some).unwrap(), least, "other columns are forgotten");
    }
}

#[test]
fn quantifying_keeps_what_some_or_all_values_give() {
    let space = space(&SIZES);
    let mut dice = Dice::new(3);
    let columns = columns();
    let kept = [Column(0), Column(3), Column(5)];
    let cube = space.cube(&[Column(2), Column(1), Column(4)]).unwrap();
    let project = |values: &Vec<u64>| vec![values[0], values[3], values[5]];
    for _ in 0..50 {
        let (a, in_a) = random_set(&mut dice, &space, &columns);
        let (b, in_b) = random_set(&mut dice, &space, &columns);
        let b = space.or(&a, &b).unwrap();
        let some = space.exists(&a, &cube).unwrap();
        let expected: Explicit = in_a.iter().map(project).collect();
        assert_eq!(listed(&space, &some, &kept).into_iter().collect::<Explicit>(), expected);
        let every = space.forall(&space.not(&a).unwrap(), &cube).unwrap();
        assert!(every == space.not(&some).unwrap());
        assert!(space.and_exists(&a, &b, &cube).unwrap() == some);
        let product = space.and_exists(&b, &space.value(Column(5), 2).unwrap(), &cube).unwrap();
        let both = in_a.union(&in_b).filter(|values| values[5] == 2);
        assert_eq!(space.count(&product, &kept).unwrap(), Some(both.map(project).collect::<Explicit>().len() as u128));
    }
}

/// The columns that are quantified, and those that are renamed.
type Projected<'a> = (&'a [Column], &'a [(Column, Column)]);

#[test]
fn images_are_products_that_are_renamed_wherever_the_columns_are() {
    let space = space(&SIZES);
    let mut dice = Dice::new(17);
    // From lower to upper levels, from upper to lower ones, and between groups.
    let cases: [Projected; 4] = [
        (&[Column(0), Column(2)], &[(Column(1), Column(0)), (Column(3), Column(2))]),
        (&[Column(1), Column(3)], &[(Column(0), Column(1)), (Column(2), Column(3))]),
        (
            &[Column(5)],
            &[(Column(0), Column(1)), (Column(1), Column(0)), (Column(3), Column(2)), (Column(2), Column(3))],
        ),
        (&[Column(4)], &[]),
    ];
    for round in 0..80 {
        let (quantified, pairs) = cases[round % cases.len()];
        let (a, _) = random_set(&mut dice, &space, &columns()[..5]);
        let (b, _) = random_set(&mut dice, &space, &[Column(0), Column(1), Column(2)]);
        let relation = if round % 3 == 0 { space.or(&a, &space.not(&b).unwrap()).unwrap() } else { b };
        let fused = space.image(&a, &relation, &space.projection(quantified, pairs)).unwrap();
        let product = space.exists(&space.and(&a, &relation).unwrap(), &space.cube(quantified).unwrap()).unwrap();
        assert!(space.rename(&product, &space.renaming(pairs)).unwrap() == fused, "round {round}");
        let sorted = |set: &Set, order: &[Column]| listed(&space, set, order).into_iter().collect::<Explicit>();
        let kept: Vec<Column> = columns().into_iter().filter(|column| !quantified.contains(column)).collect();
        let to = |column: &Column| pairs.iter().find(|(from, _)| from == column).map_or(*column, |(_, to)| *to);
        let moved: Vec<Column> = kept.iter().map(to).collect();
        assert_eq!(sorted(&product, &kept), sorted(&fused, &moved), "round {round}");
    }
}

#[test]
fn renaming_is_simultaneous() {
    let space = space(&SIZES);
    let mut dice = Dice::new(5);
    let next = space.renaming(&[(Column(0), Column(1)), (Column(2), Column(3))]);
    let back = space.renaming(&[(Column(1), Column(0)), (Column(3), Column(2))]);
    let swap = space.renaming(&[(Column(0), Column(1)), (Column(1), Column(0))]);
    let nothing = space.renaming(&[(Column(5), Column(5))]);
    for _ in 0..50 {
        let (now, explicit) = random_set(&mut dice, &space, &[Column(0), Column(2), Column(5)]);
        let later = space.rename(&now, &next).unwrap();
        assert_eq!(
            listed(&space, &later, &[Column(1), Column(3), Column(5)]).into_iter().collect::<Explicit>(),
            explicit
        );
        assert!(space.rename(&later, &back).unwrap() == now);
        assert!(space.rename(&now, &nothing).unwrap() == now);
        let (pair, explicit) = random_set(&mut dice, &space, &[Column(0), Column(1)]);
        let swapped: Explicit = explicit.into_iter().map(|values| vec![values[1], values[0]]).collect();
        let pair = space.rename(&pair, &swap).unwrap();
        assert_eq!(listed(&space, &pair, &[Column(0), Column(1)]).into_iter().collect::<Explicit>(), swapped);
    }
}

#[test]
fn values_ranges_and_equality_know_the_domains() {
    let space = space(&SIZES);
    let count = |set: &Set, column: u32| space.count(set, &[Column(column)]).unwrap();
    for (column, size) in flat().into_iter().enumerate().map(|(column, size)| (column as u32, size)) {
        for lo in 0..=size {
            for hi in 0..=size + 9 {
                let expected = (lo..=hi.min(size - 1)).count() as u128;
                assert_eq!(count(&space.range(Column(column), lo, hi).unwrap(), column), Some(expected));
            }
        }
        assert_eq!(count(&space.domain(Column(column)).unwrap(), column), Some(u128::from(size)));
    }
    assert!(space.is_all(&space.domain(Column(4)).unwrap()) && space.is_all(&space.value(Column(4), 0).unwrap()));
    assert!(space.is_none(&space.value(Column(4), 1).unwrap()));
    let equal = space.equal(Column(0), Column(2)).unwrap();
    let equal = space.and_all(&[equal, space.domain(Column(0)).unwrap(), space.domain(Column(2)).unwrap()]).unwrap();
    let expected: Vec<Vec<u64>> = (0..3).map(|x| vec![x, x]).collect();
    assert_eq!(listed(&space, &equal, &[Column(0), Column(2)]), expected);
    assert_eq!(space.support(&equal).unwrap(), [Column(0), Column(2)]);
    assert_eq!(space.name(Column(5)), "c6");
}

fn value_of(decision: &Decision, order: &[Column], values: &[u64]) -> bool {
    let mut at = decision.root;
    while let Child::Node(node) = at {
        let node = &decision.nodes[node];
        let value = values[order.iter().position(|&column| column == node.column).unwrap()];
        at = node.children.iter().find(|(lo, hi, _)| *lo <= value && value <= *hi).unwrap().2;
    }
    at == Child::All
}

#[test]
fn decisions_over_columns_are_small_and_say_the_same() {
    let space = space(&SIZES);
    let mut dice = Dice::new(11);
    let all = all_valuations();
    for _ in 0..30 {
        let mut order = columns();
        dice.shuffle(&mut order);
        let (set, explicit) = random_set(&mut dice, &space, &columns());
        let decision = space.multi_valued(&set, &order).unwrap();
        for (at, node) in decision.nodes.iter().enumerate() {
            assert!(node.children.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0 && pair[0].2 != pair[1].2));
            assert!(node.children.iter().all(|(.., child)| *child < Child::Node(at)), "children come first");
            assert_eq!(
                (node.children[0].0, node.children[node.children.len() - 1].1 + 1),
                (0, space.size(node.column))
            );
        }
        for values in &all {
            let in_order: Vec<u64> = order.iter().map(|column| values[column.0 as usize]).collect();
            assert_eq!(value_of(&decision, &order, &in_order), explicit.contains(values));
        }
    }
    let range = space.range(Column(5), 1, 4).unwrap();
    let decision = space.multi_valued(&range, &columns()).unwrap();
    assert_eq!(decision.nodes[0].children, [(0, 0, Child::None), (1, 4, Child::All), (5, 5, Child::None)]);
    assert_eq!(space.multi_valued(&space.domain(Column(0)).unwrap(), &columns()).unwrap().root, Child::All);
}

#[test]
fn wide_columns_are_neither_counted_nor_decided_value_by_value() {
    let mut space = space(&[&[u64::MAX, 1 << 63]]);
    let more = space.add_group(groups(&[&[1 << 40]]).remove(0)).unwrap();
    let set = space.range(Column(0), 10, u64::MAX - 2).unwrap();
    assert_eq!(space.count(&set, &[Column(0)]).unwrap(), Some(u128::from(u64::MAX - 11)));
    assert_eq!(space.count(&set, &[Column(0), Column(1)]).unwrap(), Some(u128::from(u64::MAX - 11) << 63));
    assert_eq!(space.count(&set, &[Column(0), Column(1), more[0]]).unwrap(), None, "too many to number");
    assert_eq!(space.count(&space.none(), &[Column(0), Column(1), more[0]]).unwrap(), Some(0));
    assert_eq!(space.pick(&set, &[Column(0), more[0]]).unwrap(), Some(vec![10, 0]));
    let decision = space.multi_valued(&set, &[Column(0)]).unwrap();
    assert_eq!(decision.nodes[0].children.len(), 3);
    // The bits of both columns alternate, but the set does not depend on the other one.
    let decision = space.multi_valued(&set, &[Column(1), Column(0)]).unwrap();
    assert_eq!(decision.nodes.len(), 1);
}

#[test]
fn running_out_of_nodes_stops_and_the_space_stays_usable() {
    for threads in [1, 2] {
        for nodes in [30, 200, 3000] {
            // The hidden-weighted product of far-apart bits is exponential in this order.
            let sizes = vec![2u64; 40];
            let capacity = Capacity { nodes, cache: 1 << 10, threads };
            let small = match Space::new(capacity, &groups(&[&sizes]), &Control::new()) {
                Ok(space) => space,
                Err(stop) => {
                    assert_eq!(stop, Stop::Memory(Whose::Tables));
                    continue;
                }
            };
            let mut product = small.all();
            let stopped = (0..20).try_for_each(|i| {
                let same = small.equal(Column(i), Column(i + 20))?;
                product = small.and(&product, &same)?;
                Ok(())
            });
            assert_eq!(stopped, Err(Stop::Memory(Whose::Tables)), "{nodes} nodes do not suffice");
            drop(product);
            let one = small.and(&small.value(Column(0), 1).unwrap(), &small.value(Column(20), 1).unwrap());
            assert!(!small.is_none(&one.unwrap()));
        }
    }
}

#[test]
fn garbage_is_collected_when_nodes_run_out() {
    let sizes = vec![2u64; 24];
    let space =
        Space::new(Capacity { nodes: 6000, cache: 1 << 10, threads: 1 }, &groups(&[&sizes]), &Control::new()).unwrap();
    let mut dice = Dice::new(13);
    for _ in 0..300 {
        // Each conjunction has up to a thousand nodes; none is kept.
        let mut product = space.all();
        for i in 0..8 {
            let other = 8 + dice.below(16);
            product = space.and(&product, &space.equal(Column(i), Column(other)).unwrap()).unwrap();
        }
        assert!(!space.is_none(&product));
    }
    assert!(space.nodes_in_use() <= 6000);
}

#[test]
fn an_error_of_the_visitor_ends_the_listing() {
    let space = space(&SIZES);
    let mut seen = 0;
    let stopped = space.for_each(&space.all(), &columns(), &mut |_| {
        seen += 1;
        if seen == 3 { Err(Stop::Interrupted) } else { Ok(()) }
    });
    assert_eq!((stopped, seen), (Err(Stop::Interrupted), 3));
}

#[test]
fn two_threads_give_what_one_gives() {
    let result = |threads| {
        let sizes = vec![3u64; 16];
        let space =
            Space::new(Capacity { nodes: 1 << 20, cache: 1 << 14, threads }, &groups(&[&sizes]), &Control::new())
                .unwrap();
        let columns: Vec<Column> = (0..16).map(Column).collect();
        let domains: Vec<Set> = columns.iter().map(|&column| space.domain(column).unwrap()).collect();
        let domain = space.and_all(&domains).unwrap();
        let differ = |at: &[(u32, u32)]| {
            at.iter().fold(domain.clone(), |set, &(a, b)| {
                space.minus(&set, &space.equal(Column(a), Column(b)).unwrap()).unwrap()
            })
        };
        let set = differ(&[(0, 9), (1, 10), (2, 11), (3, 12), (4, 13), (5, 14)]);
        let other = differ(&[(0, 10), (1, 11), (2, 12), (3, 13), (4, 14), (5, 15)]);
        let cube = space.cube(&columns[12..]).unwrap();
        let some = space.and_exists(&set, &other, &cube).unwrap();
        let both = space.and(&set, &other).unwrap();
        assert!(space.exists(&both, &cube).unwrap() == some);
        let nodes = [&set, &some].map(|set| space.node_count(set).unwrap());
        (nodes, space.count(&both, &columns), space.pick(&both, &columns))
    };
    assert_eq!(result(1), result(2));
    assert_eq!(result(1), result(1));
}

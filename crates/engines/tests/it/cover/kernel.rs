//! Closure, reduction and kernel paths (sections 4.2, 4.3 and 4.5).

use lapidary_base::Control;
use lapidary_engines::cover::SearchAlgorithm;
use lapidary_engines::cover::approximation::{Approximation, BlockId};
use lapidary_engines::cover::derivation::Derivation;
use lapidary_engines::cover::kernel::Witness;
use lapidary_reference::dice::Dice;
use lapidary_reference::seeds;

use super::listed::{Bits, Listed};

/// A certified approximation; what is certified is given, so its derivations say nothing.
fn approximation<'s>(
    system: &'s Listed,
    blocks: &[Bits],
    target: &Bits,
    reached: &[usize],
    reaches: &[usize],
) -> Approximation<'s, Listed> {
    let mut made = Approximation::new(system, blocks.to_vec(), target.clone()).expect("there is room");
    made.connect_everything(&Control::new()).expect("there is room");
    for &place in reached {
        made.block_mut(id(place)).reached = Some(Derivation::given(blocks[place].clone()));
    }
    for &place in reaches {
        made.block_mut(id(place)).reaches = Some(Derivation::given(blocks[place].clone()));
    }
    made
}

fn id(place: usize) -> BlockId {
    BlockId(u32::try_from(place).expect("few blocks"))
}

fn close(mut made: Approximation<'_, Listed>) -> Approximation<'_, Listed> {
    made.close(&Control::new()).expect("there is room");
    made
}

fn reduce(mut made: Approximation<'_, Listed>) -> Approximation<'_, Listed> {
    made.reduce(&Control::new()).expect("there is room");
    made
}

/// The triple: blocks, those reached, those that reach the target.
fn triple(made: &Approximation<'_, Listed>) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let all = made.kernel().map(|(id, _)| id.0).collect();
    let reached = made.kernel().filter(|(_, block)| block.reached.is_some()).map(|(id, _)| id.0).collect();
    let reaches = made.kernel().filter(|(_, block)| block.reaches.is_some()).map(|(id, _)| id.0).collect();
    (all, reached, reaches)
}

/// The chain 0 -> 1 -> 2 -> 3 -> 4, of which 3 is known to be reached.
fn chain(system: &Listed) -> Approximation<'_, Listed> {
    let blocks: Vec<Bits> = (0..5).map(|state| system.set([state])).collect();
    approximation(system, &blocks, &system.set([4]), &[3], &[])
}

#[test]
fn reduction_before_closure_loses_a_kernel_path() {
    let system = Listed::new(5, &[(0, 1), (1, 2), (2, 3), (3, 4)], &[0]);
    let (reduced, closed) = (reduce(chain(&system)), close(chain(&system)));
    assert_eq!(triple(&reduced).0, [3, 4], "3 is reached, so no kernel path goes through it");
    let is_kernel_path = |made: &Approximation<'_, Listed>| {
        let both = made.kernel().filter(|(id, _)| [1, 2].contains(&id.0)).count() == 2;
        both && made.block(id(1)).is_start() && made.block(id(2)).is_end()
    };
    assert!(is_kernel_path(&closed), "closure certifies 1 as reached and 2 as reaching the target");
    assert!(is_kernel_path(&reduce(close(chain(&system)))));
    assert!(!is_kernel_path(&close(reduced)), "what reduction dropped is gone");
}

#[test]
fn a_kernel_path_does_not_go_through_certified_blocks() {
    let system = Listed::new(5, &[(0, 1), (1, 2), (2, 3), (3, 4)], &[0]);
    for how in [SearchAlgorithm::Bfs, SearchAlgorithm::Dfs] {
        let path = chain(&system).kernel_path(how);
        assert_eq!(path, Some(vec![id(3), id(4)]));
    }
}

#[test]
fn each_disjunct_of_the_condition_w_is_a_witness_by_itself() {
    let system = Listed::new(3, &[(0, 1), (1, 2)], &[0]);
    let blocks: Vec<Bits> = (0..3).map(|state| system.set([state])).collect();
    let witness = |reached: &[usize], reaches: &[usize]| {
        approximation(&system, &blocks, &system.set([2]), reached, reaches).witness()
    };
    assert_eq!(witness(&[], &[]), None);
    assert_eq!(witness(&[0, 1], &[2]), Some(Witness::Step(id(1), id(2))));
    assert_eq!(witness(&[], &[0]), Some(Witness::Initial(id(0))));
    assert_eq!(witness(&[2], &[]), Some(Witness::Final(id(2))));
    assert_eq!(witness(&[1], &[1]), Some(Witness::Both(id(1))));
    assert_eq!(witness(&[0], &[2]), None);
}

/// Blocks that need not cover, and certificates that are right but need not be complete.
fn random(dice: &mut Dice) -> (Listed, Vec<Bits>, Bits, Vec<usize>, Vec<usize>) {
    let n = 2 + dice.below(9);
    let mut edges = Vec::new();
    for from in 0..n {
        for to in 0..n {
            if dice.percent(22) {
                edges.push((from, to));
            }
        }
    }
    let initial = dice.some(n, 25);
    let system = Listed::new(n, &edges, &initial);
    let target = system.set(dice.some(n, 25));
    let n_blocks = 1 + dice.below(8);
    let mut blocks: Vec<Bits> = (0..n_blocks).map(|_| system.set(dice.some(n, 30))).collect();
    blocks.retain(|block| !block.members().is_empty());
    let (forward, backward) = (system.reachable(), system.co_reachable(&target));
    let mut within = |of: &Bits| {
        let inside = |block: &Bits| block.members().iter().all(|&state| of.has(state));
        (0..blocks.len()).filter(|&place| inside(&blocks[place]) && dice.percent(50)).collect::<Vec<usize>>()
    };
    let (reached, reaches) = (within(&forward), within(&backward));
    (system, blocks, target, reached, reaches)
}

/// Proposition 4.4.
#[test]
fn closing_and_reducing_once_is_as_good_as_any_further_combination() {
    let mut dice = Dice::new(44);
    let (mut n_compared, mut n_pruned) = (0, 0);
    while n_compared < 1000 {
        let (system, blocks, target, reached, reaches) = random(&mut dice);
        let make = || approximation(&system, &blocks, &target, &reached, &reaches);
        if close(make()).witness().is_some() {
            continue;
        }
        n_compared += 1;
        let once = triple(&reduce(close(make())));
        n_pruned += usize::from(!once.0.is_empty() && once.0.len() < blocks.len());
        assert_eq!(once, triple(&close(reduce(close(make())))), "case {n_compared}");
        assert_eq!(once, triple(&reduce(close(reduce(make())))), "case {n_compared}");
    }
    assert!(n_pruned > 50, "the cases are worth something: {n_pruned}");
}

/// Definition 4.3, whatever the order of the search: also with transitions into blocks that were certified later.
#[test]
fn what_the_search_finds_is_a_kernel_path_and_it_finds_one_wherever_there_is_one() {
    let mut n_long = 0;
    for number in seeds::of(0..20_000) {
        let mut dice = Dice::new(number * 7919 + 43);
        let (system, blocks, target, reached, reaches) = random(&mut dice);
        let made = approximation(&system, &blocks, &target, &reached, &reaches);
        if made.witness().is_some() {
            continue;
        }
        let has_kernel = reduce(approximation(&system, &blocks, &target, &reached, &reaches)).kernel().next().is_some();
        for how in [SearchAlgorithm::Bfs, SearchAlgorithm::Dfs] {
            let Some(path) = made.kernel_path(how) else {
                assert!(!has_kernel, "case {number}, {how:?}: there is a kernel path");
                continue;
            };
            assert!(has_kernel, "case {number}, {how:?}: kernel paths have kernel states");
            let (first, last) = (made.block(path[0]), made.block(path[path.len() - 1]));
            assert!(first.is_start() && last.is_end(), "case {number}, {how:?}: {path:?}");
            assert!(
                path.windows(2).all(|pair| made.block(pair[0]).succs.contains(&pair[1])),
                "case {number}: {path:?}"
            );
            let between = path.iter().take(path.len() - 1).skip(1);
            n_long += usize::from(path.len() > 2);
            for &id in between {
                assert!(!made.block(id).is_certified(), "case {number}, {how:?}: {path:?} goes through {id:?}");
            }
        }
    }
    assert!(n_long > seeds::least(100), "the cases are worth something: {n_long}");
}

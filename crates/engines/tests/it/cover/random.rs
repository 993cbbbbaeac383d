//! Random systems: the loops give the answer of a plain search, with evidence, whatever the heuristics are.

use lapidary_base::Control;
use lapidary_engines::cover::approximation::BlockId;
use lapidary_engines::cover::initial::{MOST_BLOCKS, cover, partition};
use lapidary_engines::cover::{Analysis, Certification, Heuristics, PCegar, Pick, Refinement, SearchAlgorithm};
use lapidary_engines::scheme::{self, Ended};
use lapidary_reference::dice::Dice;
use lapidary_reference::seeds;
use lapidary_system::{SetAlgebra, SetSystem};

use super::listed::{Bits, Listed};

struct Case {
    system: Listed,
    target: Bits,
    blocks: Vec<Bits>,
}

fn case(dice: &mut Dice) -> Case {
    let n = 2 + dice.below(11);
    let percent = 8 + dice.below(20);
    let mut edges = Vec::new();
    for from in 0..n {
        for to in 0..n {
            if dice.percent(percent) {
                edges.push((from, to));
            }
        }
    }
    let initial = dice.some(n, 20);
    let system = Listed::new(n, &edges, &initial);
    let target = system.set(dice.some(n, 15));
    let n_predicates = dice.below(4);
    let predicates: Vec<Bits> = (0..n_predicates).map(|_| system.set(dice.some(n, 40))).collect();
    let blocks = match dice.percent(30) {
        true => cover(&system, system.all(), &predicates),
        false => partition(&system, vec![system.all()], &predicates, MOST_BLOCKS, &Control::new()),
    };
    Case { blocks: blocks.expect("there is room"), system, target }
}

fn heuristics(dice: &mut Dice) -> Heuristics {
    let certification = match dice.below(4) {
        0 => Certification::NONE,
        1 => Certification::USUAL,
        _ => Certification {
            initial: dice.percent(50),
            split: dice.percent(50),
            feasibility: dice.percent(50),
            closure: dice.percent(50),
        },
    };
    Heuristics {
        certification,
        search: if dice.percent(50) { SearchAlgorithm::Bfs } else { SearchAlgorithm::Dfs },
        analysis: if dice.percent(50) { Analysis::Forward } else { Analysis::Backward },
        refinement: if dice.percent(70) { Refinement::Direct } else { Refinement::Sigma },
        pick: if dice.percent(80) { Pick::Kernel } else { Pick::Factor },
    }
}

/// What plain search says: is the target in reach?
fn is_reached(case: &Case) -> bool {
    case.system.reachable().members().iter().any(|&state| case.target.has(state))
}

/// The evidence shows what it should.
fn check_evidence(case: &Case, loops: &mut PCegar<'_, Listed>, ended: Ended, what: &str) {
    let (system, control) = (&case.system, Control::new());
    match ended {
        Ended::Genuine => {
            let run = loops.run(&control).expect("there is room");
            let states: Vec<usize> = run.iter().map(|set| set.members()[0]).collect();
            assert!(system.initial.has(states[0]), "{what}: {states:?}");
            assert!(states.windows(2).all(|pair| system.steps[pair[0]].contains(&pair[1])), "{what}: {states:?}");
            assert!(case.target.has(*states.last().expect("not empty")), "{what}: {states:?}");
        }
        Ended::Safe => {
            let set = loops.certificate(&control).expect("there is room");
            assert_eq!(system.is_subset(&system.initial, &set), Ok(true), "{what}");
            assert_eq!(system.intersects(&set, &case.target), Ok(false), "{what}");
            let post = system.post(0, &set).expect("there is room");
            assert_eq!(system.is_subset(&post, &set), Ok(true), "{what}");
        }
        Ended::Undecided => panic!("{what}: there was no limit"),
    }
}

#[test]
fn all_heuristics_agree_with_plain_search_and_show_why() {
    let (mut n_reached, tried) = (0, seeds::of(0..20_000));
    for &number in &tried {
        let mut dice = Dice::new(number * 7919 + 1);
        let case = case(&mut dice);
        let heuristics = heuristics(&mut dice);
        let what = format!("case {number}: {heuristics:?}");
        let mut loops = PCegar::new(&case.system, case.blocks.clone(), case.target.clone(), heuristics).expect("room");
        let ended = scheme::run(&mut loops, None, &Control::new()).expect("there is room");
        let expected = is_reached(&case);
        n_reached += usize::from(expected);
        assert_eq!(ended == Ended::Genuine, expected, "{what}");
        check_evidence(&case, &mut loops, ended, &what);
    }
    assert!((tried.len() / 10..tried.len() / 10 * 9).contains(&n_reached), "both answers occur: {n_reached}");
}

/// Splits any block of the path with more than one state, in any way: also certified ones. Now and then it leaves the
/// choice to the heuristics, whose splits certify what they split off.
fn chooser(mut dice: Dice, n: usize) -> impl FnMut(&[(BlockId, Bits)]) -> Option<(BlockId, Bits)> {
    move |path| {
        if dice.percent(50) {
            return None;
        }
        let large: Vec<&(BlockId, Bits)> = path.iter().filter(|(_, set)| set.members().len() > 1).collect();
        let (id, set) = large.get(dice.below(large.len().max(1)))?;
        let members = set.members();
        let taken = 1 + dice.below(members.len() - 1);
        let first = dice.below(members.len());
        let part = (0..taken).map(|place| members[(first + place) % members.len()]);
        Some((*id, Bits::of(n, part)))
    }
}

/// How many answers were wrong on so many systems, with splits that a test chooses.
fn n_wrong(n_cases: u64, inherits: bool) -> u32 {
    let mut wrong = 0;
    // Wrong answers are rare, so all of them are tried: they are small.
    for number in 0..n_cases {
        let mut dice = Dice::new(number * 7919 + 5);
        let case = case(&mut dice);
        let mut heuristics = heuristics(&mut dice);
        heuristics.pick = Pick::Kernel;
        if heuristics.certification == Certification::NONE {
            heuristics.certification = Certification::USUAL;
        }
        let made = PCegar::new(&case.system, case.blocks.clone(), case.target.clone(), heuristics).expect("room");
        let mut loops = made.with_chooser(Box::new(chooser(Dice::new(number), case.system.n)));
        loops.inherits = inherits;
        let ended = scheme::run(&mut loops, None, &Control::new()).expect("there is room");
        let is_right = (ended == Ended::Genuine) == is_reached(&case);
        wrong += u32::from(!is_right);
        if inherits {
            let what = format!("case {number}: {heuristics:?}");
            check_evidence(&case, &mut loops, ended, &what);
        }
    }
    wrong
}

/// Lines 15 and 16: what is certified of a block is certified of its parts.
#[test]
fn any_split_of_any_block_is_right_as_long_as_parts_inherit_what_is_certified() {
    assert_eq!(n_wrong(20_000, true), 0);
}

#[test]
fn without_lines_15_and_16_an_answer_is_wrong() {
    assert!(n_wrong(20_000, false) > 0);
}

#[test]
fn a_loop_may_be_stopped_and_taken_up_again_with_other_heuristics_at_any_time() {
    let mut n_restarted = 0;
    for number in seeds::of(0..10_000) {
        let mut dice = Dice::new(number * 7919 + 3);
        let case = case(&mut dice);
        let first = heuristics(&mut dice);
        let mut loops = PCegar::new(&case.system, case.blocks.clone(), case.target.clone(), first).expect("room");
        let mut ended = Ended::Undecided;
        while ended == Ended::Undecided {
            loops.heuristics = Heuristics { pick: first.pick, ..heuristics(&mut dice) };
            ended = scheme::run(&mut loops, Some(1), &Control::new()).expect("there is room");
            n_restarted += usize::from(ended == Ended::Undecided);
        }
        let what = format!("case {number}");
        assert_eq!(ended == Ended::Genuine, is_reached(&case), "{what}");
        check_evidence(&case, &mut loops, ended, &what);
    }
    assert!(n_restarted > seeds::least(1_000), "loops are taken up again: {n_restarted}");
}

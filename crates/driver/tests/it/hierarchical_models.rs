//! Counting wheels and queues (Chucri 2012, section 5.1.3), small ones by all engines and large ones by `hierarchical`.

use crate::hierarchical_support::{Case, Expected, n_blocks};
use lapidary_engines::Outcome;

/// A counter of decimal wheels: `Link2` has two, and every further link adds one in front. The last wheel stops at a
/// position of its own; where that is not nine, it never turns the next one.
fn wheels(n_wheels: usize, stop: u32) -> Case {
    let mut text = String::new();
    for (name, most) in [("Wheel", 9), ("Last", stop)] {
        text.push_str(&format!(
            "node {name} state p : [0,9]; init p := 0; event inc, reset;\n  \
             trans p < {most} |- inc -> p := p + 1; p = 9 |- reset -> p := 0; edon\n"
        ));
    }
    for n in 2..=n_wheels {
        let lo = if n == 2 { "Last".to_owned() } else { format!("Link{}", n - 1) };
        text.push_str(&format!(
            "node Link{n} sub hi : Wheel; lo : {lo}; event inc, reset; trans true |- inc, reset -> ;\n  \
             sync <lo.inc>; <inc, hi.inc, lo.reset>; <reset, hi.reset, lo.reset>; edon\n"
        ));
    }
    Case::new(&text, &format!("Link{n_wheels}"))
}

/// The position of the wheel that is this far from the last one.
fn wheel(n_wheels: usize, from_last: usize) -> String {
    match from_last {
        0 => format!("{}p", "lo.".repeat(n_wheels - 1)),
        _ => format!("{}hi.p", "lo.".repeat(n_wheels - 1 - from_last)),
    }
}

#[test]
fn three_wheels_count() {
    let case = wheels(3, 9);
    let answer = case.decides("hi.p < 2 or lo.hi.p != 0 or lo.lo.p != 1", Expected::Fails);
    assert!(matches!(&answer.outcome, Outcome::Found(trace) if trace.n_steps() == 201));
    case.decides("hi.p = 0 or lo.hi.p < 3", Expected::Fails);
    let stuck = wheels(3, 7);
    stuck.decides("hi.p = 0 and lo.hi.p = 0", Expected::Holds);
    stuck.decides("lo.lo.p < 7", Expected::Fails);
    stuck.decides("lo.lo.p < 8", Expected::Holds);
}

#[test]
fn a_stuck_wheel_keeps_nineteen_others_still() {
    let case = wheels(20, 7);
    let all: Vec<String> = (1..20).map(|place| format!("{} = 0", wheel(20, place))).collect();
    let answer = case.ours(&all.join(" and "), Expected::Holds);
    let blocks = n_blocks(&answer);
    assert!(blocks.iter().all(|&n_blocks| n_blocks < 10), "{blocks:?}");
    assert!(answer.stats.count("iterations") >= Some(3), "{:?}", answer.stats);
}

#[test]
fn the_third_of_twenty_wheels_turns_after_a_hundred_steps() {
    let case = wheels(20, 9);
    let answer = case.ours(&format!("{} = 0", wheel(20, 2)), Expected::Fails);
    let Outcome::Found(trace) = &answer.outcome else { panic!("{:?}", answer.outcome) };
    assert_eq!(trace.n_steps(), 100);
}

/// A row of cells; objects are put into the last one and taken out of the first, and shifted forward on the way.
fn queue(n_cells: usize, shift_wins: bool) -> Case {
    let last = n_cells - 1;
    let mut text = "node Cell state full : bool; data : [0,15]; init full := false, data := 0; event put, get;\n  \
         trans not full |- put -> full := true, data := (data + 1) mod 16; full |- get -> full := false; edon\n"
        .to_owned();
    text.push_str(&format!("node Queue sub c : Cell[{n_cells}]; event put, get"));
    (0..last).for_each(|place| text.push_str(&format!(", shift{place}")));
    text.push_str(";\n");
    if shift_wins {
        for place in 0..last {
            text.push_str(&format!("  event put < shift{place}; event get < shift{place};\n"));
        }
    }
    text.push_str("  trans true |- put, get");
    (0..last).for_each(|place| text.push_str(&format!(", shift{place}")));
    text.push_str(&format!(" -> ;\n  sync <put, c[{last}].put>; <get, c[0].get>;\n"));
    for place in 0..last {
        text.push_str(&format!("    <shift{place}, c[{place}].put, c[{}].get>;\n", place + 1));
    }
    text.push_str("edon\n");
    Case::new(&text, "Queue")
}

/// An object stands behind an empty cell at no two places.
fn one_gap(n_cells: usize) -> String {
    let gap = |place: usize| format!("(not c[{place}].full and c[{}].full)", place + 1);
    let mut pairs = Vec::new();
    for first in 0..n_cells - 1 {
        pairs.extend((first + 2..n_cells - 1).map(|second| format!("not ({} and {})", gap(first), gap(second))));
    }
    pairs.join(" and ")
}

#[test]
fn objects_of_a_queue_move_up_before_anything_else_happens() {
    let case = queue(4, true);
    let answer = case.decides(&one_gap(4), Expected::Holds);
    assert_eq!(n_blocks(&answer), [1, 2, 2, 2, 2]);
    case.decides("not (c[0].full and c[1].full and c[2].full and c[3].full)", Expected::Fails);
    case.decides("c[0].data < 2", Expected::Fails);
}

#[test]
fn without_its_priority_shift_comes_too_late() {
    queue(4, false).decides(&one_gap(4), Expected::Fails);
}

#[test]
fn twenty_cells_move_up_whatever_they_carry() {
    let case = queue(20, true);
    let answer = case.ours(&one_gap(20), Expected::Holds);
    let blocks = n_blocks(&answer);
    assert!(blocks.iter().all(|&n_blocks| n_blocks <= 2), "{blocks:?}");
}

#[test]
fn twenty_cells_are_full_after_two_hundred_and_ten_steps() {
    let case = queue(20, true);
    let full: Vec<String> = (0..20).map(|place| format!("c[{place}].full")).collect();
    let answer = case.ours(&format!("not ({})", full.join(" and ")), Expected::Fails);
    let Outcome::Found(trace) = &answer.outcome else { panic!("{:?}", answer.outcome) };
    assert_eq!(trace.n_steps(), 210);
    assert_eq!(answer.stats.count("iterations"), Some(1));
}

#[test]
fn what_a_cell_carries_is_told_apart_only_where_it_is_asked_for() {
    let case = queue(20, true);
    let answer = case.ours("c[0].data < 3", Expected::Fails);
    let Outcome::Found(trace) = &answer.outcome else { panic!("{:?}", answer.outcome) };
    assert_eq!(trace.n_steps(), 62);
    // Two blocks of every cell, one of the queue itself, and some more of the first cell.
    let (_, blocks) = answer.stats.spreads.iter().find(|(name, _)| *name == "abstract_states").expect("it is counted");
    assert!((42..=48).contains(&blocks.last), "{blocks:?}");
}

/// The queue of figure 5.7: a link makes a queue of a cell and a queue behind it; its own shift wins over its own
/// other events, and is hidden from above. Nothing is taken out of the first cell.
const LINKED: &str = "
node Cell state has : {no, a, b}; init has := no; event putA, putB, getA, getB;
  trans has = no |- putA -> has := a; has = no |- putB -> has := b;
        has = a |- getA -> has := no; has = b |- getB -> has := no; edon
node Queue2 sub head, tail : Cell; event putA, putB, getA, getB, shiftA, shiftB; PRIORITIES
  trans true |- putA, putB, getA, getB, shiftA, shiftB -> ;
  sync <putA, tail.putA>; <putB, tail.putB>; <getA, head.getA>; <getB, head.getB>;
       <shiftA, head.putA, tail.getA>; <shiftB, head.putB, tail.getB>; edon
node First state has : {no, a, b}; init has := no; event putA, putB;
  trans has = no |- putA -> has := a; has = no |- putB -> has := b; edon
node Queue3 sub head : First; tail : Queue2; event putA, putB, shiftA, shiftB; PUTS
  trans true |- putA, putB, shiftA, shiftB -> ;
  sync <putA, tail.putA>; <putB, tail.putB>;
       <shiftA, head.putA, tail.getA>; <shiftB, head.putB, tail.getB>; edon
";

fn linked(shift_wins: bool) -> Case {
    let lower = |event: &&str| format!("event {event} < shiftA; event {event} < shiftB;");
    let priorities = |events: &[&str]| match shift_wins {
        true => events.iter().map(lower).collect::<String>(),
        false => String::new(),
    };
    let text = LINKED.replace("PRIORITIES", &priorities(&["putA", "putB", "getA", "getB"]));
    Case::new(&text.replace("PUTS", &priorities(&["putA", "putB"])), "Queue3")
}

#[test]
fn linked_queues_shift_first_at_every_level() {
    // Nothing is put while something can be shifted, at any level.
    let gap = "head.has != no or tail.head.has = no or tail.tail.has = no";
    linked(true).decides(gap, Expected::Holds);
    linked(false).decides(gap, Expected::Fails);
    // Cells that are full are told from empty ones to begin with where there are priorities, and are found out otherwise.
    let full = "head.has != a or tail.head.has != b or tail.tail.has != a";
    let iterations = |shift_wins| linked(shift_wins).decides(full, Expected::Fails).stats.count("iterations");
    assert_eq!(iterations(true), Some(1));
    assert!(iterations(false) > Some(1));
}

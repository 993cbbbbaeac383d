//! The motivating example of chapter 4 (Figure 4.1), with integers modulo 16.

use std::sync::{Arc, Mutex};

use lapidary_base::{Control, Event, Sink};
use lapidary_engines::cover::approximation::{Approximation, BlockId};
use lapidary_engines::cover::{Analysis, Certification, Heuristics, PCegar, Refinement, dot};
use lapidary_engines::scheme::{self, Ended, Explored, Refined, Scheme};

use super::listed::{Bits, Listed};

const M: usize = 16;
const LOCATIONS: [char; 7] = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];

fn state(location: char, x: usize, y: usize) -> usize {
    let place = LOCATIONS.iter().position(|&known| known == location).expect("a location");
    (place * M + x % M) * M + y % M
}

/// A->B x:=y; A->C y:=y+1; B->D [x<=y]; C->D x:=y; C->E x:=x+1; E->D y:=y+1; D->F [x!=y]; F->G [x<y].
fn program() -> Listed {
    let mut edges = Vec::new();
    for (x, y) in (0..M).flat_map(|x| (0..M).map(move |y| (x, y))) {
        edges.push((state('A', x, y), state('B', y, y)));
        edges.push((state('A', x, y), state('C', x, y + 1)));
        edges.push((state('C', x, y), state('D', y, y)));
        edges.push((state('C', x, y), state('E', x + 1, y)));
        edges.push((state('E', x, y), state('D', x, y + 1)));
        if x <= y {
            edges.push((state('B', x, y), state('D', x, y)));
        }
        if x != y {
            edges.push((state('D', x, y), state('F', x, y)));
        }
        if x < y {
            edges.push((state('F', x, y), state('G', x, y)));
        }
    }
    let initial: Vec<usize> = (0..M * M).collect();
    Listed::new(LOCATIONS.len() * M * M, &edges, &initial)
}

/// One block per location; its number is the location's.
fn cover(program: &Listed) -> Vec<Bits> {
    (0..LOCATIONS.len()).map(|place| program.set(place * M * M..(place + 1) * M * M)).collect()
}

fn heuristics(certification: Certification) -> Heuristics {
    Heuristics { certification, analysis: Analysis::Forward, refinement: Refinement::Direct, ..Heuristics::default() }
}

const WITH_CLOSURE: Certification = Certification { closure: true, ..Certification::USUAL };

fn loops(program: &Listed, certification: Certification) -> PCegar<'_, Listed> {
    let blocks = cover(program);
    let target = blocks[6].clone();
    PCegar::new(program, blocks, target, heuristics(certification)).expect("there is room")
}

fn names(path: &[BlockId]) -> String {
    path.iter().map(|id| LOCATIONS[id.0 as usize]).collect()
}

#[test]
fn the_initial_abstraction_has_exactly_eight_must_transitions() {
    let (program, control) = (program(), Control::new());
    let blocks = cover(&program);
    let mut graph = Approximation::new(&program, blocks.clone(), blocks[6].clone()).expect("there is room");
    graph.connect_everything(&control).expect("there is room");
    let pairs: Vec<(BlockId, BlockId)> =
        graph.kept().flat_map(|(id, block)| block.succs.iter().map(move |&next| (id, next))).collect();
    let (mut reached, mut reach) = (Vec::new(), Vec::new());
    for (from, to) in pairs {
        let step = names(&[from, to]);
        if graph.must_reached(from, to, &control).expect("there is room") {
            reached.push(step.clone());
        }
        if graph.must_reach(from, to, &control).expect("there is room") {
            reach.push(step);
        }
    }
    assert_eq!(reached, ["AC", "CE", "ED"]);
    assert_eq!(reach, ["AB", "AC", "CD", "CE", "ED"]);
}

#[test]
fn pcegar_with_closure_ends_in_one_iteration_on_the_kernel_path_d_f_g() {
    let (program, control) = (program(), Control::new());
    let mut loops = loops(&program, WITH_CLOSURE);
    let Explored::Candidate(path) = loops.explore(&control).expect("there is room") else {
        panic!("there is a kernel path to look at");
    };
    assert_eq!(names(&path), "DFG");
    let kernel: Vec<BlockId> = loops.approximation.kernel().map(|(id, _)| id).collect();
    assert_eq!(names(&kernel), "DFG", "reduction leaves the kernel states only");
    assert!(matches!(loops.refine(path, &control), Ok(Refined::Genuine)));
    assert_eq!(loops.counts.cex_length, [3]);
}

#[test]
fn cegar_needs_three_iterations() {
    let (program, control) = (program(), Control::new());
    let mut loops = loops(&program, Certification::NONE);
    assert_eq!(scheme::run(&mut loops, None, &control), Ok(Ended::Genuine));
    assert_eq!(loops.counts.cex_length, [5, 5, 6]);
}

#[test]
fn the_run_goes_back_through_the_derivations_of_certified_blocks() {
    let (program, control) = (program(), Control::new());
    for certification in [Certification::NONE, Certification::USUAL, WITH_CLOSURE] {
        let mut loops = loops(&program, certification);
        assert_eq!(scheme::run(&mut loops, None, &control), Ok(Ended::Genuine));
        let run = loops.run(&control).expect("there is room");
        let states: Vec<usize> = run.iter().map(|set| set.members()[0]).collect();
        assert!(states[0] < M * M, "the run begins in A");
        assert!(states.windows(2).all(|pair| program.steps[pair[0]].contains(&pair[1])), "{states:?}");
        assert!(*states.last().expect("not empty") >= 6 * M * M, "the run ends in G");
    }
}

/// Keeps what it is told.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Event>>>);

impl Sink for Kept {
    fn event(&self, event: &Event) {
        self.0.lock().expect("one thread").push(event.clone());
    }
}

#[test]
fn every_abstraction_is_told_of_when_it_is_asked_for() {
    let program = program();
    for shows in [false, true] {
        let kept = Kept::default();
        let control = Control::new().with_sink(Box::new(kept.clone()));
        let mut loops = loops(&program, Certification::NONE);
        loops.shows_abstractions = shows;
        assert_eq!(scheme::run(&mut loops, None, &control), Ok(Ended::Genuine));
        let events = kept.0.lock().expect("one thread");
        let numbers: Vec<u64> = events
            .iter()
            .filter_map(|event| if let Event::Abstraction { i, .. } = event { Some(*i) } else { None })
            .collect();
        assert_eq!(numbers, if shows { vec![1, 2, 3] } else { vec![] });
    }
}

#[test]
fn a_graph_marks_initial_final_and_certified_blocks() {
    let (program, control) = (program(), Control::new());
    let mut loops = loops(&program, WITH_CLOSURE);
    assert!(matches!(loops.explore(&control), Ok(Explored::Candidate(_))));
    let expected = "digraph abstraction {
  rankdir=LR;
  node [shape=ellipse];
  b3 [label=\"3\", style=filled, fillcolor=lightblue];
  b5 [label=\"5\"];
  b6 [label=\"6\", peripheries=2, style=filled, fillcolor=lightsalmon];
  b3 -> b5;
  b5 -> b6;
}
";
    assert_eq!(dot(&loops.approximation), expected);
    let mut all = Approximation::new(&program, cover(&program), program.set(0..M)).expect("there is room");
    all.connect_everything(&control).expect("there is room");
    let text = dot(&all);
    assert!(text.contains("  i0 -> b0;\n") && text.contains("  b0 -> b1;\n"), "{text}");
    assert_eq!((text.matches("peripheries").count(), text.matches("point").count()), (1, 1), "{text}");
}

#[test]
fn what_is_certified_counts_also_where_it_ends_the_loop_before_any_path() {
    let (system, control) = (Listed::new(2, &[(0, 1)], &[0]), Control::new());
    let blocks = vec![system.set([0]), system.set([1])];
    let target = system.set([1]);
    let mut loops = PCegar::new(&system, blocks, target, heuristics(Certification::USUAL)).expect("there is room");
    assert_eq!(scheme::run(&mut loops, None, &control), Ok(Ended::Genuine));
    assert_eq!((loops.counts.most_reached, loops.counts.most_reaching), (1, 1));
    assert_eq!((loops.counts.cex_length.len(), loops.has_feasible_path()), (0, false));
}

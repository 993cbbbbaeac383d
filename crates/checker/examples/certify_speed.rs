//! How long the check of a large enumeration takes: the lift with eight floors, 6,029,289 states.
#![allow(clippy::print_stdout, reason = "a measurement is for reading")]

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/it/common/build.rs"]
mod build;
#[path = "../tests/it/common/lift.rs"]
mod lift;

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use lapidary_base::hash::Set;
use lapidary_base::{Control, memory};
use lapidary_checker::{Backend, Means, certify_model};
use lapidary_verdict::{Certificate, Enumeration};

fn main() {
    let model = lift::lift(8);
    let started = Instant::now();
    let states = reachable_by_hand();
    assert_eq!(states.len(), 6_029_289, "the number of reachable states is known");
    println!("search by hand: {} states, {:.2} s", states.len(), started.elapsed().as_secs_f64());
    let listed = Enumeration {
        layout: build::layout(&model),
        n_states: states.len(),
        chunks: states.chunks(1 << 16).map(<[u64]>::to_vec).collect(),
    };
    drop(states);
    let certificate = Certificate::Enumeration(Arc::new(listed));
    let properties: Vec<_> = model.properties.ids().collect();
    for jobs in [1, 2, 1, 2] {
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let (solver, control) = (Backend::default(), Control::new());
        let means = Means { jobs, ..Means::new(&solver, &control) };
        let answer = certify_model(&model, &properties, &certificate, &means);
        let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        println!("{jobs} threads: {answer:?}, {wall:.2} s, processor {cpu:.2} s");
    }
    println!("peak memory: {} MB", memory::peak_resident().unwrap_or(0) >> 20);
}

/// Processor time of all threads, which other work on the machine disturbs less than the clock on the wall.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or("");
    let ticks: f64 = after_name.split_ascii_whitespace().skip(11).take(2).filter_map(|n| n.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// All reachable states of `lift(8)` in breadth-first order, packed in 32 bits in the order of the variables: written
/// by hand with shifts, so that it shares nothing with that model but the idea.
fn reachable_by_hand() -> Vec<u64> {
    let start = 1 << 3;
    let mut seen: Set<u64> = Set::default();
    let mut order = vec![start];
    seen.insert(start);
    let mut next = 0;
    while let Some(&state) = order.get(next) {
        next += 1;
        for_each_next(state, |state| {
            if seen.insert(state) {
                order.push(state);
            }
        });
    }
    order
}

fn for_each_next(state: u64, mut visit: impl FnMut(u64)) {
    let (cab, up, requests, pc) = (state & 7, state >> 3 & 1, state >> 13 & 0xffff, state >> 29);
    let goto = |state: u64, phase: u64| (state & !(7 << 29)) | (phase << 29);
    for i in (0..16).filter(|i| requests >> i & 1 == 0) {
        visit(state | 1 << (13 + i));
    }
    let floors = (requests | requests >> 8) & 0xff;
    let (below, above) = (floors & ((1 << cab) - 1), floors >> (cab + 1));
    match (pc, up) {
        (0, _) if floors >> cab & 1 == 1 => visit(goto(state, 1)),
        (0, 1) if above != 0 => visit(state + 1),
        (0, 1) if below != 0 => visit(state & !8),
        (0, 0) if below != 0 => visit(state - 1),
        (0, 0) if above != 0 => visit(state | 8),
        (0, _) => {}
        (1, _) => visit(goto((state | 1 << (5 + cab)) & !(0x101 << (13 + cab)), 2)),
        (2, _) => visit(goto(state | 1 << 4, 3)),
        (3, _) => visit(goto(state, 4)),
        (4, _) => visit(goto(state & !(1 << 4), 5)),
        _ => visit(goto(state & !(1 << (5 + cab)), 0)),
    }
}

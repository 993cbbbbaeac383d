//! How long the check of a large enumeration takes: the lift with eight floors, 6,029,289 states.
#![allow(clippy::print_stdout, reason = "a measurement is for reading")]

#[path = "../tests/common/build.rs"]
mod build;
#[path = "../tests/common/lift.rs"]
mod lift;

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use lapidary_base::{Control, memory};
use lapidary_checker::{Backend, Means, certify};
use lapidary_verdict::{Certificate, Enumeration};

fn main() {
    let model = lift::lift(8);
    let started = Instant::now();
    let states = lift::reachable_by_hand();
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
        let answer = certify(&model, &properties, &certificate, &means);
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

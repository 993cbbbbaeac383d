//! How long the check of many abstract blocks takes: rings of processes with a counter without bounds.
#![allow(clippy::print_stdout, reason = "a measurement is for reading")]

use std::sync::Arc;
use std::time::Instant;

use lapidary_base::Control;
use lapidary_checker::{Backend, Means, certify_model};
use lapidary_ir::{Model, VarId, parse};
use lapidary_text::Sources;
use lapidary_verdict::{Block, Blocks, Certificate, Formula};

/// `n` processes with three places each; a token counter `c` goes up with every step.
fn ring(n: usize) -> Model {
    let mut text = "model ring;\nvar c : int;\nvar d : int;\ninit c = 0 & d = 0;\n".to_owned();
    for i in 0..n {
        text.push_str(&format!("control var pc[{i}] : 0..2;\ninit pc[{i}] = 0;\n"));
    }
    for i in 0..n {
        for from in 0..3 {
            let (label, to) = (format!("move[{i},{from}]"), (from + 1) % 3);
            text.push_str(&format!(
                "command {label}: {{ assume pc[{i}] = {from}; pc[{i}] := {to}, c := c + 1, d := c - d; }}\n"
            ));
        }
    }
    text.push_str("property p: invariant 0 <= c & d <= c;\n");
    let mut sources = Sources::default();
    let id = sources.add("ring.lir", text);
    parse::parse(&sources, id).0.expect("a sound model")
}

fn main() {
    for n in [5, 6, 7] {
        let model = ring(n);
        let texts = ["0 <= d", "d <= c", "c = 0", "1 < c"];
        let predicates = texts.map(|text| parse::expr(&model, text).expect("an expression")).to_vec();
        let control: Vec<VarId> = (2..2 + n as u32).map(VarId).collect();
        let mut blocks = Vec::new();
        for number in 0..3i64.pow(n as u32) {
            let control: Vec<i64> = (0..n as u32).map(|i| number / 3i64.pow(i) % 3).collect();
            // 0 <= d & d <= c is inductive; the other predicates only cut it into pieces.
            for rest in [&[(2, true), (3, false)], &[(2, false), (3, false)], &[(2, false), (3, true)]] {
                let literals = [(0, true), (1, true)].iter().chain(rest).copied().collect();
                blocks.push(Block { control: control.clone(), literals });
            }
        }
        let n_blocks = blocks.len();
        let predicates = Formula::all(&model.exprs, &predicates);
        let certificate = Certificate::Blocks(Arc::new(Blocks { control, predicates, blocks }));
        let (solver, control) = (Backend::default(), Control::new());
        let properties: Vec<_> = model.properties.ids().collect();
        for jobs in [1, 2] {
            let started = Instant::now();
            let answer =
                certify_model(&model, &properties, &certificate, &Means { jobs, ..Means::new(&solver, &control) });
            let seconds = started.elapsed().as_secs_f64();
            println!(
                "{n_blocks} blocks, {} commands, {jobs} threads: {answer:?}, {seconds:.2} s",
                model.commands.len()
            );
        }
    }
}

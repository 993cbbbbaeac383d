//! An approximation as a graph for Graphviz.

use std::fmt::Write;

use lapidary_system::SetSystem;

use super::approximation::{Approximation, Block, BlockId};

/// Blocks by their numbers, and the transitions between them. An arrow from nowhere leads to a block with initial
/// states, a double border is around one with states of the target. Filled blocks are certified: lightblue, all their
/// states can be reached; lightsalmon, all of them reach the target; plum, both.
pub fn dot<Y: SetSystem>(approximation: &Approximation<'_, Y>) -> String {
    labelled(approximation, &|_| Vec::new())
}

/// The same with lines below the numbers.
pub fn labelled<Y: SetSystem>(approximation: &Approximation<'_, Y>, lines: &dyn Fn(&Y::Set) -> Vec<String>) -> String {
    let mut text = "digraph abstraction {\n  rankdir=LR;\n  node [shape=ellipse];\n".to_owned();
    for (BlockId(number), block) in approximation.kernel() {
        let lines: String = lines(&block.set).iter().map(|line| format!("\\n{}", escaped(line))).collect();
        line(&mut text, format_args!("  b{number} [label=\"{number}{lines}\"{}];", marks(block)));
    }
    for (BlockId(number), _) in approximation.kernel().filter(|(_, block)| block.is_initial) {
        line(&mut text, format_args!("  i{number} [shape=point];"));
        line(&mut text, format_args!("  i{number} -> b{number};"));
    }
    for (BlockId(from), block) in approximation.kernel() {
        for &to in block.succs.iter().filter(|&&to| approximation.block(to).is_kernel) {
            line(&mut text, format_args!("  b{from} -> b{};", to.0));
        }
    }
    text.push_str("}\n");
    text
}

fn marks<S>(block: &Block<S>) -> String {
    let mut marks = String::new();
    if block.is_final {
        marks.push_str(", peripheries=2");
    }
    let color = match (block.reached.is_some(), block.reaches.is_some()) {
        (false, false) => return marks,
        (true, false) => "lightblue",
        (false, true) => "lightsalmon",
        (true, true) => "plum",
    };
    marks + &format!(", style=filled, fillcolor={color}")
}

fn escaped(line: &str) -> String {
    line.replace('\\', "\\\\").replace('"', "\\\"")
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("texts take everything");
}

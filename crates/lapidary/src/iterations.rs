//! Listeners to refinement loops: a line per iteration, and the graphs of their abstractions.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Mutex;

use lapidary_base::event::Iteration;
use lapidary_base::{Event, Sink};

/// Writes a line per iteration to the error stream.
pub struct IterationLines;

impl Sink for IterationLines {
    fn event(&self, event: &Event) {
        match event {
            Event::PropertyStart { name, .. } => drop(writeln!(std::io::stderr(), "{name}:")),
            // Whoever closed the error stream does not want to know.
            Event::Iteration(iteration) => drop(writeln!(std::io::stderr(), "{}", line(iteration))),
            _ => {}
        }
    }
}

fn line(iteration: &Iteration) -> String {
    let Iteration { i, abs_states, abs_trans, certified_pos, certified_neg, pruned, cex_len, refiner, .. } = iteration;
    let certified = format!("certified {certified_neg} reached and {certified_pos} reaching");
    format!(
        "  {i}: {abs_states} blocks, {abs_trans} transitions, {certified}, {pruned} pruned, \
         counterexample of {cex_len}, {refiner}"
    )
}

/// Writes the graph of every abstraction, one after the other.
pub struct AbstractionFile {
    state: Mutex<(BufWriter<File>, Option<std::io::Error>)>,
}

impl AbstractionFile {
    pub fn create(path: &Path) -> std::io::Result<Self> {
        Ok(Self { state: Mutex::new((BufWriter::new(File::create(path)?), None)) })
    }

    /// The first failure to write, if there was one.
    pub fn failure(&self) -> Option<std::io::Error> {
        let mut state = self.state.lock().ok()?;
        let flushed = state.0.flush().err();
        state.1.take().or(flushed)
    }
}

impl Sink for AbstractionFile {
    fn event(&self, event: &Event) {
        let text = match event {
            Event::PropertyStart { name, .. } => format!("// {}\n", name.replace('\n', " ")),
            Event::Abstraction { i, dot } => format!("// iteration {i}\n{dot}"),
            _ => return,
        };
        let Ok(mut state) = self.state.lock() else { return };
        if let Err(error) = state.0.write_all(text.as_bytes()) {
            state.1.get_or_insert(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_what_an_iteration_counted() {
        let iteration = Iteration {
            i: 3,
            abs_states: 9,
            abs_trans: 20,
            certified_pos: 1,
            certified_neg: 2,
            pruned: 4,
            cex_len: 5,
            predicates: 0,
            refiner: "direct forward".to_owned(),
        };
        let expected = "  3: 9 blocks, 20 transitions, certified 2 reached and 1 reaching, 4 pruned, \
                        counterexample of 5, direct forward";
        assert_eq!(line(&iteration), expected);
    }
}

//! Listeners to refinement loops: a line per iteration, and the graphs of their abstractions.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Mutex;

use lapidary_base::event::Iteration;
use lapidary_base::{Event, Sink};

use crate::late::LateFile;

/// Writes a line per iteration to the error stream.
#[derive(Default)]
pub struct IterationLines(Mutex<Heading>);

impl Sink for IterationLines {
    fn event(&self, event: &Event) {
        let Ok(mut heading) = self.0.lock() else { return };
        let text = match event {
            Event::PropertyStart { name, .. } => return heading.next(name),
            Event::Iteration(iteration) => {
                let name = heading.take().map(|name| format!("{name}:\n")).unwrap_or_default();
                format!("{name}{}", line(iteration))
            }
            _ => return,
        };
        // Whoever closed the error stream does not want to know.
        drop(writeln!(std::io::stderr(), "{text}"));
    }
}

/// The property that iterations belong to, until it was named. Properties without any iteration are not named: all of
/// them are announced before the first one is looked at.
#[derive(Default)]
struct Heading(Option<String>);

impl Heading {
    fn next(&mut self, name: &str) {
        self.0 = Some(name.replace('\n', " "));
    }

    fn take(&mut self) -> Option<String> {
        self.0.take()
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
    state: Mutex<(BufWriter<LateFile>, Option<std::io::Error>)>,
    heading: Mutex<Heading>,
}

impl AbstractionFile {
    pub fn create(path: &Path) -> std::io::Result<Self> {
        Ok(Self { state: Mutex::new((BufWriter::new(LateFile::open(path)?), None)), heading: Mutex::default() })
    }

    /// A file without graphs is empty.
    pub fn begin(&self) {
        if let Ok(mut state) = self.state.lock()
            && let Err(error) = state.0.get_mut().begin()
        {
            state.1.get_or_insert(error);
        }
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
        let Ok(mut heading) = self.heading.lock() else { return };
        let text = match event {
            Event::PropertyStart { name, .. } => return heading.next(name),
            Event::Abstraction { i, dot } => {
                let name = heading.take().map(|name| format!("// {name}\n")).unwrap_or_default();
                format!("{name}// iteration {i}\n{dot}")
            }
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
    fn a_property_is_named_once_and_only_where_it_has_abstractions() {
        let path = std::env::temp_dir().join(format!("lapidary-abstractions-{}.dot", std::process::id()));
        let file = AbstractionFile::create(&path).expect("a file can be written");
        let start =
            |name: &str| file.event(&Event::PropertyStart { name: name.to_owned(), engine: "cegar".to_owned() });
        let graph = |i| file.event(&Event::Abstraction { i, dot: "digraph {}\n".to_owned() });
        ["a", "b\nc", "a", "b\nc"].into_iter().for_each(start);
        [1, 2].into_iter().for_each(graph);
        assert!(file.failure().is_none());
        let text = std::fs::read_to_string(&path).expect("the file is there");
        assert_eq!(text, "// b c\n// iteration 1\ndigraph {}\n// iteration 2\ndigraph {}\n");
        std::fs::remove_file(path).expect("what was made can be removed");
    }

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

//! The file of events, and the one of abstractions: what happens goes to a file while a run goes on.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use lapidary_base::{Event, Sink};
use lapidary_driver::events::Lines;
use lapidary_driver::events::told::{Graphs, Iterations};

use crate::late::LateFile;

/// A file to which the texts of events are written.
struct Written<T> {
    writer: BufWriter<LateFile>,
    texts: T,
    /// The first failure; a full disk must not stop the search, but it is told at the end.
    failure: Option<io::Error>,
}

impl<T> Written<T> {
    fn create(path: &Path, texts: T) -> io::Result<Mutex<Self>> {
        Ok(Mutex::new(Self { writer: BufWriter::new(LateFile::open(path)?), texts, failure: None }))
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failure.get_or_insert(error);
        }
    }

    /// A file to which nothing is written is empty.
    fn begin(&mut self) {
        let begun = self.writer.get_mut().begin();
        self.note(begun);
    }

    fn failure(&mut self) -> Option<io::Error> {
        let flushed = self.writer.flush().err();
        self.failure.take().or(flushed)
    }
}

/// Writes one object a line. Lines are written at once: whoever follows the file sees them as they come.
pub struct EventFile(Mutex<Written<Lines>>);

impl EventFile {
    pub fn create(path: &Path) -> io::Result<Self> {
        Written::create(path, Lines::new()).map(Self)
    }

    pub fn begin(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).begin();
    }

    /// The first failure to write, if there was one.
    pub fn failure(&self) -> Option<io::Error> {
        self.0.lock().ok()?.failure()
    }
}

impl Sink for EventFile {
    fn event(&self, event: &Event) {
        // A poisoned lock means that another thread panicked: the run is lost anyway.
        let Ok(mut file) = self.0.lock() else { return };
        let line = file.texts.line(event);
        let written = writeln!(file.writer, "{line}").and_then(|()| file.writer.flush());
        file.note(written);
    }
}

/// Writes the graph of every abstraction, one after the other.
pub struct AbstractionFile(Mutex<Written<Graphs>>);

impl AbstractionFile {
    pub fn create(path: &Path) -> io::Result<Self> {
        Written::create(path, Graphs::default()).map(Self)
    }

    pub fn begin(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).begin();
    }

    /// The first failure to write, if there was one.
    pub fn failure(&self) -> Option<io::Error> {
        self.0.lock().ok()?.failure()
    }
}

impl Sink for AbstractionFile {
    fn event(&self, event: &Event) {
        let Ok(mut file) = self.0.lock() else { return };
        if let Some(text) = file.texts.text(event) {
            let written = file.writer.write_all(text.as_bytes());
            file.note(written);
        }
    }
}

/// Writes a line per iteration to the error stream.
#[derive(Default)]
pub struct IterationLines(Mutex<Iterations>);

impl Sink for IterationLines {
    fn event(&self, event: &Event) {
        let Ok(mut iterations) = self.0.lock() else { return };
        if let Some(text) = iterations.text(event) {
            // Whoever closed the error stream does not want to know.
            drop(writeln!(io::stderr(), "{text}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_is_in_the_file_at_once_and_graphs_are_at_the_end() {
        let folder = std::env::temp_dir();
        let path = |name: &str| folder.join(format!("lapidary-event-file-{}-{name}", std::process::id()));
        let (lines, dots) = (path("events.jsonl"), path("graphs.dot"));
        let events = EventFile::create(&lines).expect("a file can be written");
        let graphs = AbstractionFile::create(&dots).expect("a file can be written");
        let start = Event::PropertyStart { name: "a".to_owned(), engine: "cegar".to_owned() };
        let graph = Event::Abstraction { i: 1, dot: "digraph {}\n".to_owned() };
        for event in [&start, &graph] {
            events.event(event);
            graphs.event(event);
        }
        let read = |path| std::fs::read_to_string(path).expect("the file is there");
        assert_eq!(read(&lines).lines().count(), 2);
        assert!(events.failure().is_none() && graphs.failure().is_none());
        assert_eq!(read(&dots), "// a\n// iteration 1\ndigraph {}\n");
        [lines, dots].iter().for_each(|path| std::fs::remove_file(path).expect("what was made can be removed"));
    }
}

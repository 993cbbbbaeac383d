//! Prints and writes what a session finds. Its models and scripts are never overwritten.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lapidary_driver::mec::Desk;
use lapidary_mec::acheck::{Mode, Output};
use lapidary_text::diagnostic::render;
use lapidary_text::{Diagnostic, Sources};

use crate::console::Console;
use crate::outputs::identity;

pub struct Printer<'a> {
    pub console: &'a mut Console,
    /// Where relative paths begin.
    directory: PathBuf,
    /// The identities of the files that must not be written.
    protected: Vec<PathBuf>,
    /// Set by an interrupt: then a terminal shows `^C` on the line where the next text would begin.
    interrupted: Option<Arc<AtomicBool>>,
    /// Why the console could not be written, if so.
    failure: Option<io::Error>,
}

impl<'a> Printer<'a> {
    pub fn new(console: &'a mut Console, directory: PathBuf) -> Self {
        Self { console, directory, protected: Vec::new(), interrupted: None, failure: None }
    }

    /// From now on the file is not written.
    pub fn protect(&mut self, path: &str) {
        let file = identity(Path::new(path));
        if !self.protected.contains(&file) {
            self.protected.push(file);
        }
    }

    /// The user types on a terminal and may interrupt.
    pub fn watch(&mut self, interrupted: Arc<AtomicBool>) {
        self.interrupted = Some(interrupted);
    }

    /// Whether all could be told so far.
    pub fn written(&mut self) -> io::Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    fn note(&mut self, result: io::Result<()>) {
        if let (Err(error), None) = (result, &self.failure) {
            self.failure = Some(error);
        }
    }
}

impl Output for Printer<'_> {
    fn text(&mut self, text: &str) {
        let result = self.console.out.text(text);
        self.note(result);
    }

    fn file(&mut self, path: &str, mode: Mode, text: &str) -> io::Result<()> {
        let path = self.directory.join(path);
        if self.protected.contains(&identity(&path)) {
            return Err(io::Error::other("it is a model or a script of this session"));
        }
        let mut options = OpenOptions::new();
        match mode {
            Mode::Replace => options.write(true).truncate(true),
            Mode::Append => options.append(true),
        };
        options.create(true).open(path)?.write_all(text.as_bytes())
    }
}

impl Desk for Printer<'_> {
    fn report(&mut self, sources: &Sources, diagnostics: &[Diagnostic]) {
        let echoed = self.interrupted.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        for (i, diagnostic) in diagnostics.iter().enumerate() {
            let head = if echoed && i == 0 { "\n" } else { "" };
            let text = render(diagnostic, sources, self.console.err.palette.style());
            let result = self.console.err.line(&format!("{head}{text}"));
            self.note(result);
        }
    }

    fn keep(&mut self, path: &str) {
        self.protect(path);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::console::tests::captured;

    #[test]
    fn files_begin_anew_or_grow_and_models_stay_as_they_are() {
        let place = std::env::temp_dir().join(format!("lapidary-printer-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("m.alt"), "model").unwrap();
        let (mut console, ..) = captured();
        let mut printer = Printer::new(&mut console, place.clone());
        printer.keep(place.join("m.alt").to_str().unwrap());
        for (mode, text) in [(Mode::Append, "a"), (Mode::Replace, "b"), (Mode::Append, "c")] {
            printer.file("out.res", mode, text).unwrap();
        }
        assert_eq!(fs::read_to_string(place.join("out.res")).unwrap(), "bc");
        for path in ["m.alt", "./m.alt", "missing/out.res"] {
            assert!(printer.file(path, Mode::Replace, "x").is_err(), "{path}");
        }
        assert_eq!(fs::read_to_string(place.join("m.alt")).unwrap(), "model");
        fs::remove_dir_all(place).unwrap();
    }
}

//! In which form answers are printed: as they come, or as one document about all models.

use std::io;
use std::time::{Duration, SystemTime};

use lapidary_base::Control;
use lapidary_driver::sarif::{Ending, Log};
use lapidary_driver::{Exit, LoadError, Loaded, json};
use lapidary_verdict::Report;

use crate::args::Format;
use crate::console::Console;
use crate::render::junit::{self, Head};
use crate::render::report::{self, Options};

pub enum Answers {
    Text,
    /// A document for each model.
    Json,
    /// One document, to which a suite is added for each model.
    Junit {
        n_suites: usize,
    },
    /// One document, printed when all is known.
    Sarif(Box<Log>),
}

impl Answers {
    pub fn new(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
            Format::Junit => Self::Junit { n_suites: 0 },
            Format::Sarif => Self::Sarif(Box::default()),
        }
    }

    /// Before the first model.
    pub fn begin(&self, console: &mut Console) -> io::Result<()> {
        match self {
            Self::Junit { .. } => console.out.text(junit::BEGIN),
            Self::Text | Self::Json | Self::Sarif(_) => Ok(()),
        }
    }

    /// A model that was checked. `options` is for what people read.
    pub fn report(
        &mut self,
        loaded: &Loaded,
        report: &Report,
        exit: Exit,
        options: &Options<'_>,
        control: &Control,
        console: &mut Console,
    ) -> io::Result<()> {
        match self {
            Self::Text => console.out.text(&report::render(loaded, report, options)),
            Self::Json => console.out.line_by(|out| json::write(loaded, report, exit.code(), control, out)),
            Self::Junit { n_suites } => {
                let head = head(n_suites, &loaded.path, control);
                console.out.by(|out| junit::write(&head, loaded, report, options, out))
            }
            Self::Sarif(log) => {
                log.add_report(loaded, report, control);
                Ok(())
            }
        }
    }

    /// A model that could not be loaded; people were told already.
    pub fn failure(
        &mut self,
        path: &str,
        error: &LoadError,
        exit: Exit,
        control: &Control,
        console: &mut Console,
    ) -> io::Result<()> {
        match self {
            Self::Text => Ok(()),
            Self::Json => console.out.line_by(|out| json::write_unloadable(path, error, exit.code(), out)),
            Self::Junit { n_suites } => {
                let head = head(n_suites, path, control);
                console.out.by(|out| junit::write_failure(&head, error, out))
            }
            Self::Sarif(log) => {
                log.add_failure(error);
                Ok(())
            }
        }
    }

    /// Something was asked about a model that cannot be; people were told already.
    pub fn misuse(&mut self, path: &str, complaint: &str, control: &Control, console: &mut Console) -> io::Result<()> {
        match self {
            Self::Text | Self::Json => Ok(()),
            Self::Junit { n_suites } => {
                let head = head(n_suites, path, control);
                console.out.by(|out| junit::write_misuse(&head, complaint, out))
            }
            Self::Sarif(log) => {
                log.notify(&format!("{path}: {complaint}"));
                Ok(())
            }
        }
    }

    /// After the last model.
    pub fn end(&self, exit: Exit, console: &mut Console) -> io::Result<()> {
        match self {
            Self::Text | Self::Json => Ok(()),
            Self::Junit { .. } => console.out.text(junit::END),
            Self::Sarif(log) => {
                let ending =
                    Ending { exit_code: exit.code(), meaning: exit.meaning(), is_complete: exit.is_complete() };
                console.out.line_by(|out| log.write(&ending, out))
            }
        }
    }
}

/// The next suite of JUnit's.
fn head<'a>(n_suites: &mut usize, path: &'a str, control: &Control) -> Head<'a> {
    let (number, took) = (*n_suites, control.start().elapsed());
    *n_suites += 1;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    Head { number, path, started: now.saturating_sub(took), seconds: took.as_secs_f64() }
}

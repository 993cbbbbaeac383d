//! The two streams of the process. Results go to `out`; progress, warnings and errors go to `err`.

use std::io::{self, BufWriter, IsTerminal, Write};

use lapidary_text::diagnostic::{Style, render};
use lapidary_text::{Diagnostic, Severity, Sources};

/// The width of a text that does not go to a terminal: fixed, so that it is the same everywhere.
pub const PIPED_WIDTH: usize = 100;

/// When to colour a stream; `Auto` does so on a terminal, unless the environment has NO_COLOR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColourChoice {
    #[default]
    Auto,
    Always,
    Never,
}

/// What a piece of text means; the terminal shows it by a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Good,
    Bad,
    Open,
    Strong,
}

/// Whether inks are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    Plain,
    Ansi,
}

impl Palette {
    pub fn paint(self, ink: Ink, text: &str) -> String {
        let code = match ink {
            Ink::Good => "32",
            Ink::Bad => "31",
            Ink::Open => "33",
            Ink::Strong => "1",
        };
        match self {
            Self::Plain => text.to_owned(),
            Self::Ansi => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }

    pub fn style(self) -> Style {
        match self {
            Self::Plain => Style::Plain,
            Self::Ansi => Style::Coloured,
        }
    }
}

/// A stream to write whole texts to. When its reader goes away it falls silent instead of failing.
pub struct Stream {
    writer: Box<dyn Write + Send>,
    closed: bool,
    pub palette: Palette,
}

impl Stream {
    pub fn new(writer: Box<dyn Write + Send>, palette: Palette) -> Self {
        Self { writer, closed: false, palette }
    }

    /// Writes and flushes, so that what one stream says stands before what the other says next.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() { Ok(()) } else { self.by(|out| out.write_all(text.as_bytes())) }
    }

    /// The same for what is written piece by piece.
    pub fn by(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        match write(&mut self.writer).and_then(|()| self.writer.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            result => result,
        }
    }

    pub fn line(&mut self, line: &str) -> io::Result<()> {
        self.text(&format!("{line}\n"))
    }

    /// A line that is written piece by piece.
    pub fn line_by(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        self.by(|out| {
            write(out)?;
            out.write_all(b"\n")
        })
    }

    /// Has the reader gone away? Then further work for this stream is wasted.
    pub fn is_closed(&self) -> bool {
        self.closed
    }
}

pub struct Console {
    pub out: Stream,
    pub err: Stream,
    /// Columns of `out`.
    pub width: usize,
    /// How many warnings were told, wherever they came from.
    pub n_warnings: usize,
}

impl Console {
    /// The streams of this process.
    pub fn of_process(choice: ColourChoice) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let palette = |is_terminal: bool| match choice {
            ColourChoice::Always => Palette::Ansi,
            ColourChoice::Never => Palette::Plain,
            ColourChoice::Auto if is_terminal && !no_color => Palette::Ansi,
            ColourChoice::Auto => Palette::Plain,
        };
        let (out, err) = (io::stdout(), io::stderr());
        let width = if out.is_terminal() { terminal_width() } else { PIPED_WIDTH };
        let (out_palette, err_palette) = (palette(out.is_terminal()), palette(err.is_terminal()));
        Self {
            out: Stream::new(Box::new(BufWriter::new(out)), out_palette),
            err: Stream::new(Box::new(err), err_palette),
            width,
            n_warnings: 0,
        }
    }

    /// `error: ...` on the error stream.
    pub fn error(&mut self, message: &str) -> io::Result<()> {
        let head = self.err.palette.paint(Ink::Bad, "error:");
        self.err.line(&format!("{head} {message}"))
    }

    /// `warning: ...` on the error stream.
    pub fn warning(&mut self, message: &str) -> io::Result<()> {
        self.n_warnings += 1;
        let head = self.err.palette.paint(Ink::Open, "warning:");
        self.err.line(&format!("{head} {message}"))
    }

    /// What is to be said about a place in a text, on the error stream.
    pub fn diagnostic(&mut self, diagnostic: &Diagnostic, sources: &Sources) -> io::Result<()> {
        self.n_warnings += usize::from(diagnostic.severity == Severity::Warning);
        self.err.line(&render(diagnostic, sources, self.err.palette.style()))
    }
}

/// Narrow terminals would make columns useless, very wide ones make lines that no eye follows.
fn terminal_width() -> usize {
    let columns = terminal_size::terminal_size().map_or(PIPED_WIDTH, |(width, _)| usize::from(width.0));
    columns.clamp(60, 160)
}

#[cfg(test)]
pub mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A writer whose text a test can read afterwards.
    #[derive(Clone, Default)]
    pub struct Captured(Arc<Mutex<Vec<u8>>>);

    impl Captured {
        pub fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A console that keeps what it is told: the console, its results, its errors.
    pub fn captured() -> (Console, Captured, Captured) {
        let (out, err) = (Captured::default(), Captured::default());
        let stream = |to: &Captured| Stream::new(Box::new(to.clone()), Palette::Plain);
        (Console { out: stream(&out), err: stream(&err), width: PIPED_WIDTH, n_warnings: 0 }, out, err)
    }

    struct Broken;

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_went_away_is_no_error() {
        let mut stream = Stream::new(Box::new(Broken), Palette::Plain);
        assert!(stream.line("unheard").is_ok());
        assert!(stream.is_closed());
    }
}

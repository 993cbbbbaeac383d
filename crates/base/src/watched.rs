//! An output that ends with an error once a limit is reached.

use std::io::{self, Write};

use crate::control::{Control, Stop};

/// So many bytes are written between two looks at the limits; what is shorter takes but a moment.
pub const BETWEEN_LOOKS: usize = 1 << 20;

/// Where the bytes go that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A limit on memory counts.
    InMemory,
    /// Nothing of it is kept: whoever has no memory left can still write.
    Elsewhere,
}

pub struct Watched<W> {
    out: W,
    kept: Kept,
    control: Control,
    n_unwatched: usize,
    stop: Option<Stop>,
}

impl<W: Write> Watched<W> {
    pub fn new(out: W, kept: Kept, control: Control) -> Self {
        Self { out, kept, control, n_unwatched: 0, stop: None }
    }

    /// What was written to, and the limit that ended the writing.
    pub fn into_parts(self) -> (W, Option<Stop>) {
        (self.out, self.stop)
    }

    fn look(&mut self) -> io::Result<()> {
        if self.n_unwatched >= BETWEEN_LOOKS {
            self.n_unwatched = 0;
            match self.control.look() {
                Err(Stop::Memory(_)) if self.kept == Kept::Elsewhere => {}
                Err(stop) => self.stop = Some(stop),
                Ok(()) => {}
            }
        }
        match &self.stop {
            Some(stop) => Err(io::Error::other(stop.to_string())),
            None => Ok(()),
        }
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.look()?;
        let n_written = self.out.write(bytes)?;
        self.n_unwatched += n_written;
        Ok(n_written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

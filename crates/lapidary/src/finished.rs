//! Files that are written to their end within the limits of a run, or are not left behind.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use lapidary_base::{Control, Stop};

/// So many bytes are written between two looks at the limits; what is shorter takes but a moment.
const BETWEEN_LOOKS: usize = 1 << 20;

/// Writes a file with what was found: past the limits there is a little time left to do so. In words why not.
pub fn write(
    path: &Path,
    control: &Control,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    let failed = |why: &dyn fmt::Display| format!("cannot write {}: {why}", path.display());
    let file = File::create(path).map_err(|error| failed(&error))?;
    let watched = Watched { out: file, control: control.with_grace(), n_unwatched: 0, stop: None };
    let mut out = BufWriter::new(watched);
    let written = content(&mut out).and_then(|()| out.flush());
    // What is still in the buffer of an unfinished file is of no use.
    let (watched, _) = out.into_parts();
    match (watched.stop, written) {
        (Some(stop), _) => Err(failed(&format!("{stop}, {}", removed(path)))),
        (None, Err(error)) => Err(failed(&error)),
        (None, Ok(())) => Ok(()),
    }
}

/// Half a trace or half a certificate must not pass for a whole one. Devices and pipes stay what they are.
fn removed(path: &Path) -> &'static str {
    let is_removed = fs::canonicalize(path).is_ok_and(|file| file.is_file() && fs::remove_file(file).is_ok());
    if is_removed { "the unfinished file is removed" } else { "what was written is not finished" }
}

/// An output that ends with an error once a limit is reached.
struct Watched<W> {
    out: W,
    control: Control,
    n_unwatched: usize,
    stop: Option<Stop>,
}

impl<W> Watched<W> {
    fn look(&mut self) -> io::Result<()> {
        if self.n_unwatched >= BETWEEN_LOOKS {
            self.n_unwatched = 0;
            match self.control.look() {
                // Nothing is kept in memory of what is written.
                Ok(()) | Err(Stop::Memory(_)) => {}
                Err(stop) => self.stop = Some(stop),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("lapidary-finished-{name}-{}", std::process::id()))
    }

    fn given_up() -> Control {
        let control = Control::new();
        control.cancel();
        control
    }

    #[test]
    fn what_takes_but_a_moment_is_written_whatever_the_limits_say() {
        let path = place("short");
        assert_eq!(write(&path, &given_up(), |out| out.write_all(b"found")), Ok(()));
        assert_eq!(fs::read(&path).expect("a file"), b"found");
        fs::remove_file(path).expect("it can be removed");
    }

    #[test]
    fn an_unfinished_file_is_told_of_and_not_left_behind() {
        let path = place("long");
        let long = |out: &mut dyn Write| (0..4 * BETWEEN_LOOKS / 8).try_for_each(|_| out.write_all(b"a state\n"));
        let said = write(&path, &given_up(), long).expect_err("nobody waits for it");
        assert!(said.ends_with("interrupted, the unfinished file is removed"), "{said}");
        assert!(!path.exists());
        assert_eq!(write(&path, &Control::new(), long), Ok(()));
        assert_eq!(fs::metadata(&path).expect("a file").len(), 4 * BETWEEN_LOOKS as u64);
        fs::remove_file(path).expect("it can be removed");
    }
}

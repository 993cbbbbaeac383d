//! Files that are written to their end within the limits of a run, or are not left behind.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use lapidary_base::Control;
use lapidary_driver::Exit;

use lapidary_base::watched::{Kept, Watched};

/// A file that could not be written.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its name, and the reason.
    pub why: String,
    /// How a command ends that was to write it.
    pub exit: Exit,
}

/// Writes a file with what was found: past the limits there is a little time left to do so.
pub fn write(
    path: &Path,
    control: &Control,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let failed =
        |why: &dyn fmt::Display, exit| Failure { why: format!("cannot write {}: {why}", path.display()), exit };
    let file = File::create(path).map_err(|error| failed(&error, Exit::Input))?;
    let mut out = BufWriter::new(Watched::new(file, Kept::Elsewhere, control.with_grace()));
    let written = content(&mut out).and_then(|()| out.flush());
    // What is still in the buffer of an unfinished file is of no use.
    let (watched, _) = out.into_parts();
    match (watched.into_parts().1, written) {
        (Some(stop), _) => Err(failed(&format!("{stop}, {}", removed(path)), Exit::of_stop(&stop))),
        (None, Err(error)) => Err(failed(&error, Exit::Input)),
        (None, Ok(())) => Ok(()),
    }
}

/// Half a trace or half a certificate must not pass for a whole one. Devices and pipes stay what they are.
fn removed(path: &Path) -> &'static str {
    let is_removed = fs::canonicalize(path).is_ok_and(|file| file.is_file() && fs::remove_file(file).is_ok());
    if is_removed { "the unfinished file is removed" } else { "what was written is not finished" }
}

#[cfg(test)]
mod tests {
    use lapidary_base::watched::BETWEEN_LOOKS;

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
        assert!(said.why.ends_with("interrupted, the unfinished file is removed"), "{said:?}");
        assert_eq!(said.exit, Exit::Interrupted);
        assert!(!path.exists());
        assert_eq!(write(&path, &Control::new(), long), Ok(()));
        assert_eq!(fs::metadata(&path).expect("a file").len(), 4 * BETWEEN_LOOKS as u64);
        fs::remove_file(path).expect("it can be removed");
        let nowhere =
            write(Path::new("/nonexistent/file"), &Control::new(), long).expect_err("there is no such folder");
        assert_eq!(nowhere.exit, Exit::Input);
    }
}

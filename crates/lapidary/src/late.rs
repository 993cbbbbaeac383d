//! A file that is there from the beginning and is overwritten only when something is written to it, or at the end: until then
//! it may turn out to be one that must not be.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

pub struct LateFile {
    file: File,
    /// Nothing of what was there before is left, or must not be touched: a stream may be a file that others write, too.
    is_begun: bool,
}

impl LateFile {
    /// Fails where the file cannot be written.
    pub fn open(path: &Path) -> io::Result<Self> {
        let is_stream = path.starts_with("/dev") || path.starts_with("/proc");
        let mut options = OpenOptions::new();
        let options = if is_stream { options.append(true) } else { options.write(true).truncate(false) };
        let file = options.create(true).open(path)?;
        let is_begun = is_stream || !file.metadata()?.is_file();
        Ok(Self { file, is_begun })
    }

    /// Throws away what was in the file before.
    pub fn begin(&mut self) -> io::Result<()> {
        if !self.is_begun {
            self.file.set_len(0)?;
        }
        self.is_begun = true;
        Ok(())
    }
}

impl Write for LateFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begin()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_stays_until_something_is_written() {
        let path = std::env::temp_dir().join(format!("lapidary-late-{}.txt", std::process::id()));
        let read = || std::fs::read_to_string(&path).expect("the file is there");
        std::fs::write(&path, "a long text that was there").expect("it can be written");
        drop(LateFile::open(&path).expect("it can be opened"));
        assert_eq!(read(), "a long text that was there");
        let mut file = LateFile::open(&path).expect("it can be opened");
        file.write_all(b"one ").and_then(|()| file.write_all(b"two")).expect("it can be written");
        assert_eq!(read(), "one two");
        LateFile::open(&path).and_then(|mut file| file.begin()).expect("it can be emptied");
        assert_eq!(read(), "");
        std::fs::remove_file(path).expect("what was made can be removed");
    }
}

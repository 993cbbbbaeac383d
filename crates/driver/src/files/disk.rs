//! The file system of the machine. No other part of this crate or below looks at files.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Files, plain};

/// Files as the operating system has them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        // Devices do not say how long they are.
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn identity(&self, path: &str) -> PathBuf {
        Path::new(path).canonicalize().unwrap_or_else(|_| plain(path))
    }

    fn is_file(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }
}

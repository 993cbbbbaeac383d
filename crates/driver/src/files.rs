//! Where the texts of models are: a trait, so that whoever asks decides it. Only [`Disk`] knows of a file system.

mod disk;

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lapidary_base::hash::Map;

pub use disk::Disk;

/// Files, wherever they are. Paths are written as the user or another file writes them.
pub trait Files: Send + Sync {
    /// The bytes of a file; of a longer one so many.
    fn read(&self, path: &str, most: u64) -> io::Result<Vec<u8>>;

    /// One name for all the ways to write the path of a file, whether it is there or not.
    fn identity(&self, path: &str) -> PathBuf;

    /// Whether something can be read there: no folder, and not nothing.
    fn is_file(&self, path: &str) -> bool;
}

/// The files of this machine.
pub fn disk() -> Arc<dyn Files> {
    Arc::new(Disk)
}

/// Texts in memory: all that there is, or what is newer than other files, as an editor has it.
#[derive(Clone)]
pub struct Texts {
    texts: Map<PathBuf, Arc<[u8]>>,
    below: Option<Arc<dyn Files>>,
}

impl Texts {
    /// No file at all.
    pub fn new() -> Self {
        Self { texts: Map::default(), below: None }
    }

    /// Files in which nothing is changed yet.
    pub fn over(files: Arc<dyn Files>) -> Self {
        Self { texts: Map::default(), below: Some(files) }
    }

    /// The same files, with this one.
    pub fn with(mut self, path: &str, text: impl Into<Vec<u8>>) -> Self {
        self.put(path, text);
        self
    }

    /// From now on this is what a file holds.
    pub fn put(&mut self, path: &str, text: impl Into<Vec<u8>>) {
        self.texts.insert(self.identity(path), text.into().into());
    }

    /// From now on the file is what it is without this text: as the files below have it, or not there.
    pub fn take_away(&mut self, path: &str) {
        self.texts.remove(&self.identity(path));
    }
}

impl Default for Texts {
    fn default() -> Self {
        Self::new()
    }
}

impl Files for Texts {
    fn read(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        match (self.texts.get(&self.identity(path)), &self.below) {
            (Some(text), _) => Ok(text[..text.len().min(usize::try_from(most).unwrap_or(usize::MAX))].to_vec()),
            (None, Some(below)) => below.read(path, most),
            (None, None) => Err(io::Error::new(io::ErrorKind::NotFound, "there is no such file")),
        }
    }

    fn identity(&self, path: &str) -> PathBuf {
        self.below.as_ref().map_or_else(|| plain(path), |below| below.identity(path))
    }

    fn is_file(&self, path: &str) -> bool {
        self.texts.contains_key(&self.identity(path)) || self.below.as_ref().is_some_and(|below| below.is_file(path))
    }
}

/// Files that are read once: whoever asks again gets what was there the first time.
pub struct Once {
    files: Arc<dyn Files>,
    read: Mutex<Map<PathBuf, Arc<[u8]>>>,
}

impl Once {
    pub fn new(files: Arc<dyn Files>) -> Self {
        Self { files, read: Mutex::default() }
    }
}

impl Files for Once {
    fn read(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        let identity = self.identity(path);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = read.get(&identity) {
            return Ok(bytes[..bytes.len().min(usize::try_from(most).unwrap_or(usize::MAX))].to_vec());
        }
        let bytes = self.files.read(path, most)?;
        // What is cut off may be wanted by somebody else.
        if (bytes.len() as u64) < most {
            read.insert(identity, bytes.as_slice().into());
        }
        Ok(bytes)
    }

    fn identity(&self, path: &str) -> PathBuf {
        self.files.identity(path)
    }

    fn is_file(&self, path: &str) -> bool {
        self.files.is_file(path)
    }
}

/// A path without the detours that can be seen in it.
fn plain(path: &str) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in Path::new(path).components() {
        let is_name = matches!(plain.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            Component::ParentDir if is_name => {
                plain.pop();
            }
            Component::ParentDir | Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: u64 = 100;

    #[test]
    fn a_text_is_found_however_its_path_is_written() {
        let texts = Texts::new().with("tank/main.alt", "node A edon");
        for path in ["tank/main.alt", "./tank/main.alt", "tank/lib/../main.alt", "x/../tank/./main.alt"] {
            assert!(texts.is_file(path), "{path}");
            assert_eq!(texts.read(path, MOST).ok(), Some(b"node A edon".to_vec()), "{path}");
        }
        assert_eq!(texts.read("tank/main.alt", 4).ok(), Some(b"node".to_vec()));
        for path in ["main.alt", "tank", "../tank/main.alt", "/tank/main.alt"] {
            assert!(!texts.is_file(path) && texts.read(path, MOST).is_err(), "{path}");
        }
    }

    #[test]
    fn what_is_newer_hides_what_lies_below() {
        let below = Texts::new().with("a.gcl", "old").with("b.gcl", "other");
        let mut texts = Texts::over(Arc::new(below)).with("./a.gcl", "new");
        let read =
            |texts: &Texts, path: &str| texts.read(path, MOST).ok().and_then(|text| String::from_utf8(text).ok());
        assert_eq!((read(&texts, "a.gcl").as_deref(), read(&texts, "b.gcl").as_deref()), (Some("new"), Some("other")));
        texts.take_away("a.gcl");
        assert_eq!((read(&texts, "a.gcl").as_deref(), read(&texts, "c.gcl")), (Some("old"), None));
    }

    #[test]
    fn a_file_is_what_it_was_when_it_was_first_read() {
        struct Changing(Mutex<u8>);
        impl Files for Changing {
            fn read(&self, _: &str, _: u64) -> io::Result<Vec<u8>> {
                let mut n_read = self.0.lock().expect("one thread");
                *n_read += 1;
                Ok(vec![*n_read])
            }
            fn identity(&self, path: &str) -> PathBuf {
                plain(path)
            }
            fn is_file(&self, _: &str) -> bool {
                true
            }
        }
        let once = Once::new(Arc::new(Changing(Mutex::new(0))));
        let read = |path: &str, most| once.read(path, most).ok();
        assert_eq!(
            (read("a", MOST), read("./a", MOST), read("b", MOST)),
            (Some(vec![1]), Some(vec![1]), Some(vec![2]))
        );
        assert_eq!((read("c", 1), read("c", MOST)), (Some(vec![3]), Some(vec![4])), "what was cut off is read again");
    }
}

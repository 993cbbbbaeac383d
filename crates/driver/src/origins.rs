//! The files that a model is read from: each read once, and one hash over all of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lapidary_base::hash::Map;
use lapidary_frontends::altarica::Library;
use lapidary_text::{SourceId, Sources};
use sha2::{Digest, Sha256};

use crate::encoding;
use crate::files::Files;

/// Larger files are surely not models, and spans count in 32 bits.
const MAX_BYTES: u64 = 1 << 28;

/// Where files are, and what was read of them so far, in this order.
pub(crate) struct Origins {
    files: Arc<dyn Files>,
    read: Vec<(String, [u8; 32])>,
    /// The texts of files by where they lie, however that was written.
    known: Map<PathBuf, SourceId>,
}

impl Origins {
    /// Nothing was read yet.
    pub fn new(files: &Arc<dyn Files>) -> Self {
        Self { files: Arc::clone(files), read: Vec::new(), known: Map::default() }
    }

    /// The bytes of a file that are no part of the model, or a sentence that says why there are none.
    pub fn look_into(&self, path: &str) -> Result<Vec<u8>, String> {
        let bytes = self.files.read(path, MAX_BYTES).map_err(|error| format!("cannot read {path}: {error}"))?;
        if bytes.len() as u64 >= MAX_BYTES {
            return Err(format!("{path}: the file is larger than 256 MiB"));
        }
        Ok(bytes)
    }

    /// Whether there is such a file.
    pub fn is_file(&self, path: &str) -> bool {
        self.files.is_file(path)
    }

    /// Reads a file; its bytes count.
    pub fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        let bytes = self.look_into(path)?;
        self.note(path, &bytes);
        Ok(bytes)
    }

    fn note(&mut self, path: &str, bytes: &[u8]) {
        self.read.push((path.to_owned(), Sha256::digest(bytes).into()));
    }

    /// From now on this is the text of a file.
    pub fn remember(&mut self, path: &str, source: SourceId) {
        self.known.insert(self.files.identity(path), source);
    }

    /// Files whose texts came to be from this number on are read anew when they are asked for.
    pub fn forget_from(&mut self, n_texts: usize) {
        self.known.retain(|_, source| (source.0 as usize) < n_texts);
    }

    /// The text of a file, if it was read already.
    pub fn text(&self, path: &str) -> Option<SourceId> {
        self.known.get(&self.files.identity(path)).copied()
    }

    /// The text of a file of a language that is older than UTF-8; a file that was read already is the same text.
    pub fn open(&mut self, sources: &mut Sources, path: &str) -> Result<SourceId, String> {
        if let Some(known) = self.text(path) {
            return Ok(known);
        }
        let bytes = self.read(path)?;
        let source = sources.add(path, encoding::old(bytes));
        self.remember(path, source);
        Ok(source)
    }

    /// The names of all files, as they were first read.
    pub fn names(&self) -> Vec<String> {
        self.read.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Of one file the hash that every tool gives; of several the hash of their hashes, in the order of reading. Where
    /// the files lie and how they are called does not matter.
    pub fn sha256(&self) -> String {
        let digest: [u8; 32] = match &self.read[..] {
            [(_, only)] => *only,
            several => several.iter().fold(Sha256::new(), |all, (_, one)| all.chain_update(one)).finalize().into(),
        };
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Where a path leads that stands in another file.
pub(crate) fn beside(file: &str, path: &str) -> String {
    Path::new(file).with_file_name("").join(path).display().to_string()
}

/// The texts of a model, with the files beside them.
pub(crate) struct Shelf<'a> {
    pub sources: &'a mut Sources,
    pub files: &'a mut Origins,
}

impl Library for Shelf<'_> {
    fn sources(&self) -> &Sources {
        self.sources
    }

    fn open(&mut self, from: SourceId, name: &str) -> Result<SourceId, String> {
        let path = beside(&self.sources.get(from).name, name);
        self.files.open(self.sources, &path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Texts;

    fn none() -> Arc<dyn Files> {
        Arc::new(Texts::new())
    }

    #[test]
    fn the_hash_of_one_file_is_its_own_and_of_several_that_of_their_hashes() {
        let mut files = Origins::new(&none());
        files.note("a.alt", b"abc");
        assert_eq!(files.sha256(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let of = |names: [&str; 2], texts: [&[u8]; 2]| {
            let mut files = Origins::new(&none());
            names.iter().zip(texts).for_each(|(name, text)| files.note(name, text));
            files.sha256()
        };
        let both = of(["a.alt", "b.alt"], [b"abc", b"def"]);
        assert_eq!(both, of(["elsewhere/x.alt", "y.alt"], [b"abc", b"def"]));
        let mut digests = Sha256::digest(b"abc").to_vec();
        digests.extend(Sha256::digest(b"def"));
        let expected: [u8; 32] = Sha256::digest(&digests).into();
        assert_eq!(both, expected.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        let others = [of(["a", "b"], [b"def", b"abc"]), of(["a", "b"], [b"ab", b"cdef"])];
        assert!(others.iter().all(|other| *other != both), "order and borders matter");
    }

    #[test]
    fn paths_in_a_file_begin_where_it_lies() {
        assert_eq!(beside("tank/main.alt", "lib/valve.alt"), "tank/lib/valve.alt");
        assert_eq!(beside("main.alt", "valve.alt"), "valve.alt");
        assert_eq!(beside("tank/main.alt", "/lib/valve.alt"), "/lib/valve.alt");
    }
}

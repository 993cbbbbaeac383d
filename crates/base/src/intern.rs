//! An append-only interner: equal items get equal ids, and `&self` is enough to add one.
//!
//! Items live in chunks that double in size and are never moved, so a reference to an item stays good for as
//! long as the interner does, even while other threads add more.

use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use std::sync::{Mutex, OnceLock};

use hashbrown::HashTable;

use crate::Id;
use crate::hash::FixedState;

const FIRST_CHUNK_BITS: u32 = 6;
const N_CHUNKS: usize = 27;

pub struct Interner<I, T> {
    chunks: [OnceLock<Box<[OnceLock<T>]>>; N_CHUNKS],
    /// The ids by hash of their item. Its length is the number of items: whoever adds one holds this lock.
    table: Mutex<HashTable<u32>>,
    id: PhantomData<fn() -> I>,
}

impl<I: Id, T: Eq + Hash> Interner<I, T> {
    pub fn new() -> Self {
        Self { chunks: [const { OnceLock::new() }; N_CHUNKS], table: Mutex::new(HashTable::new()), id: PhantomData }
    }

    /// The id of `item`, a new one if it was not seen before.
    pub fn intern(&self, item: T) -> I {
        self.intern_hashed(hash(&item), item)
    }

    /// The same for an item whose [`hash`] is known.
    pub fn intern_hashed(&self, hash: u64, item: T) -> I {
        let mut table = self.table.lock().expect("no thread panics while it interns");
        if let Some(&found) = table.find(hash, |&id| *self.at(id) == item) {
            return I::new(found as usize);
        }
        let id = table.len();
        let raw = u32::try_from(id).expect("fewer than 2^32 interned items");
        let (chunk, offset) = place(raw);
        let slots = self.chunks[chunk].get_or_init(|| empty_chunk(chunk));
        assert!(slots[offset].set(item).is_ok(), "a fresh slot is empty");
        table.insert_unique(hash, raw, |&id| self::hash(self.at(id)));
        I::new(id)
    }

    /// The id of `item`, if it was seen before.
    pub fn find(&self, item: &T) -> Option<I> {
        self.find_hashed(hash(item), item)
    }

    /// The same for an item whose [`hash`] is known.
    pub fn find_hashed(&self, hash: u64, item: &T) -> Option<I> {
        let table = self.table.lock().expect("no thread panics while it interns");
        table.find(hash, |&id| self.at(id) == item).map(|&id| I::new(id as usize))
    }

    pub fn len(&self) -> usize {
        self.table.lock().expect("no thread panics while it interns").len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, id: I) -> &T {
        self.at(u32::try_from(id.index()).expect("ids come from intern"))
    }

    fn at(&self, id: u32) -> &T {
        let (chunk, offset) = place(id);
        let slots = self.chunks[chunk].get().expect("ids come from intern");
        slots[offset].get().expect("ids come from intern")
    }
}

impl<I: Id, T: Eq + Hash> Default for Interner<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

/// By which all interners find an item: who asks several of them computes it once.
pub fn hash<T: Hash>(item: &T) -> u64 {
    FixedState.hash_one(item)
}

fn empty_chunk<T>(chunk: usize) -> Box<[OnceLock<T>]> {
    (0..1usize << (FIRST_CHUNK_BITS as usize + chunk)).map(|_| OnceLock::new()).collect()
}

/// Chunk c holds the 2^(6+c) items that follow the 2^(6+c) - 2^6 items of the chunks before it.
fn place(id: u32) -> (usize, usize) {
    let shifted = u64::from(id) + (1 << FIRST_CHUNK_BITS);
    let top = 63 - shifted.leading_zeros();
    ((top - FIRST_CHUNK_BITS) as usize, (shifted - (1 << top)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::id! { struct Word(u32); }

    #[test]
    fn equal_items_share_an_id_and_references_survive_growth() {
        let words: Interner<Word, String> = Interner::new();
        let first = words.intern("zero".to_owned());
        let kept = words.get(first);
        let ids: Vec<Word> = (0..10_000).map(|i| words.intern(i.to_string())).collect();
        assert_eq!(kept, "zero");
        assert_eq!(words.intern("zero".to_owned()), first);
        assert_eq!(words.len(), 10_001);
        for (i, id) in ids.into_iter().enumerate() {
            assert_eq!(words.get(id), &i.to_string());
        }
    }

    #[test]
    fn chunks_follow_each_other_without_gap() {
        assert_eq!(place(0), (0, 0));
        assert_eq!(place(63), (0, 63));
        assert_eq!(place(64), (1, 0));
        assert_eq!(place(191), (1, 127));
        assert_eq!(place(192), (2, 0));
    }
}

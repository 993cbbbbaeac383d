//! Which packed states are members: an open-addressing table with linear probing.
//!
//! What a slot holds is the business of its [`Kind`]. States of one word are held themselves, so that a lookup waits
//! for memory once; of longer states the number is held, with a tag from the hash that spares most comparisons with
//! other states, and the words stay in the certificate. A slot of zero is empty.

use std::hint;
use std::marker::PhantomData;

use lapidary_base::{Control, Stop};

use crate::Rejection;
use crate::members::Members;
use crate::threads;

/// Slots for each two states.
const SLOTS_PER_TWO: usize = 3;
const STATES_PER_LOOK: usize = 1 << 16;
/// States that are entered together.
const BATCH: usize = 256;

pub enum Index<'a> {
    Short(Table<OneWord<u32>>),
    Long(Table<OneWord<u64>>),
    Numbers(Table<Numbers<'a>>),
}

impl<'a> Index<'a> {
    /// `covered` are the bits of each word that a well-formed state may use. Malformed members may pass for others
    /// here; they are objected to elsewhere.
    pub fn new(members: &'a Members<'a>, covered: &[u64], jobs: usize, control: &Control) -> Result<Self, Rejection> {
        match *covered {
            [covered] if covered >> 32 == 0 => {
                Ok(Self::Short(Table::new(OneWord::new(members), members, jobs, control)?))
            }
            [_] => Ok(Self::Long(Table::new(OneWord::new(members), members, jobs, control)?)),
            _ => Ok(Self::Numbers(Table::new(Numbers::new(members)?, members, jobs, control)?)),
        }
    }

    pub fn contains(&self, packed: &[u64]) -> bool {
        match self {
            Self::Short(table) => table.contains(packed),
            Self::Long(table) => table.contains(packed),
            Self::Numbers(table) => table.contains(packed),
        }
    }

    /// The position of the first state of the batch that is not a member.
    pub fn first_missing(&self, batch: &[u64], n_words: usize, lookups: &mut Vec<Lookup>) -> Option<usize> {
        match self {
            Self::Short(table) => table.first_missing(batch, 1, lookups),
            Self::Long(table) => table.first_missing(batch, 1, lookups),
            Self::Numbers(table) => table.first_missing(batch, n_words, lookups),
        }
    }
}

/// What the slots of a table hold.
pub trait Kind: Sync {
    type Slot: Copy + Default + PartialEq + Send + Sync;

    fn slot(&self, number: usize, packed: &[u64], hash: u64) -> Self::Slot;

    /// Is this slot, which is not empty, that of the state?
    fn is(&self, slot: Self::Slot, packed: &[u64], hash: u64) -> bool;
}

/// The state itself, xor a word that is not a member: no member becomes zero.
pub struct OneWord<W> {
    no_member: u64,
    width: PhantomData<fn() -> W>,
}

/// A number of the width of a slot.
pub trait Word: Copy + Default + PartialEq + Send + Sync {
    fn low(word: u64) -> Self;
}

impl Word for u32 {
    #[inline]
    fn low(word: u64) -> Self {
        word as u32
    }
}

impl Word for u64 {
    #[inline]
    fn low(word: u64) -> Self {
        word
    }
}

impl<W: Word> OneWord<W> {
    /// Of the numbers up to that of the states, inclusive, at least one is no state.
    fn new(members: &Members<'_>) -> Self {
        let mut is_member = vec![false; members.len() + 1];
        for (_, packed) in members.iter() {
            if let Some(is_member) = usize::try_from(packed[0]).ok().and_then(|word| is_member.get_mut(word)) {
                *is_member = true;
            }
        }
        let no_member = is_member.iter().position(|is_member| !is_member);
        let no_member = no_member.expect("n states do not take n + 1 numbers") as u64;
        Self { no_member, width: PhantomData }
    }
}

impl<W: Word> Kind for OneWord<W> {
    type Slot = W;

    #[inline]
    fn slot(&self, _: usize, packed: &[u64], _: u64) -> W {
        W::low(packed[0] ^ self.no_member)
    }

    #[inline]
    fn is(&self, slot: W, packed: &[u64], _: u64) -> bool {
        slot == W::low(packed[0] ^ self.no_member)
    }
}

/// A state's number plus one in the low bits, a tag in the others.
pub struct Numbers<'a> {
    members: &'a Members<'a>,
    /// The bits of the number.
    mask: u32,
}

impl<'a> Numbers<'a> {
    fn new(members: &'a Members<'a>) -> Result<Self, Stop> {
        match u32::try_from(members.len() + 1) {
            Ok(greatest) => Ok(Self { members, mask: u32::MAX >> greatest.leading_zeros() }),
            Err(_) => Err(Stop::Incomplete("the checker cannot index 2^32 states or more".to_owned())),
        }
    }
}

impl Kind for Numbers<'_> {
    type Slot = u32;

    #[inline]
    fn slot(&self, number: usize, _: &[u64], hash: u64) -> u32 {
        (number as u32 + 1) | (hash as u32 & !self.mask)
    }

    #[inline]
    fn is(&self, slot: u32, packed: &[u64], hash: u64) -> bool {
        (slot ^ hash as u32) & !self.mask == 0 && self.members.get(((slot & self.mask) - 1) as usize) == packed
    }
}

pub struct Table<K: Kind> {
    kind: K,
    /// More than there are states, so that every walk meets an empty one.
    slots: Vec<K::Slot>,
}

impl<K: Kind> Table<K> {
    fn new(kind: K, members: &Members<'_>, jobs: usize, control: &Control) -> Result<Self, Rejection> {
        let n_slots = members.len() / 2 * SLOTS_PER_TWO + 64;
        control.reserve((n_slots * size_of::<K::Slot>()) as u64)?;
        let mut table = Self { kind, slots: vec![K::Slot::default(); n_slots] };
        table.fill(members, jobs, control)?;
        Ok(table)
    }

    /// Each thread looks at all states and enters those whose home is in its own part of the table. The few that do
    /// not find room before the end of their part are entered afterwards, when the whole table can be walked.
    fn fill(&mut self, members: &Members<'_>, jobs: usize, control: &Control) -> Result<(), Stop> {
        let (kind, n_slots) = (&self.kind, self.slots.len());
        let per_job = n_slots.div_ceil(jobs);
        let parts = self.slots.chunks_mut(per_job).enumerate();
        let late = threads::side_by_side(parts, |(i, slots)| {
            Part { kind, n_slots, base: i * per_job, slots }.fill(members, control)
        });
        for late in late {
            late?.into_iter().for_each(|number| self.enter(number, members.get(number)));
        }
        Ok(())
    }

    fn enter(&mut self, number: usize, packed: &[u64]) {
        let hash = hash(packed);
        if let Err(empty) = self.walk(home(hash, self.slots.len()), packed, hash) {
            self.slots[empty] = self.kind.slot(number, packed, hash);
        }
    }

    fn contains(&self, packed: &[u64]) -> bool {
        let hash = hash(packed);
        self.walk(home(hash, self.slots.len()), packed, hash).is_ok()
    }

    /// The slot of the state, or the first empty one where it would be.
    #[inline]
    fn walk(&self, home: usize, packed: &[u64], hash: u64) -> Result<usize, usize> {
        let mut at = home;
        loop {
            let slot = self.slots[at];
            if slot == K::Slot::default() {
                return Err(at);
            }
            if self.kind.is(slot, packed, hash) {
                return Ok(at);
            }
            at = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        }
    }

    /// The first pass loads the slots but branches on none, so that the waits for memory overlap; the walks of the
    /// second pass find them in the nearest cache.
    fn first_missing(&self, batch: &[u64], n_words: usize, lookups: &mut Vec<Lookup>) -> Option<usize> {
        lookups.clear();
        lookups.extend(batch.chunks_exact(n_words).map(|packed| {
            let hash = hash(packed);
            let home = home(hash, self.slots.len());
            hint::black_box(self.slots[home]);
            Lookup { home, hash }
        }));
        let mut states = batch.chunks_exact(n_words).zip(lookups.iter());
        states.position(|(packed, lookup)| self.walk(lookup.home, packed, lookup.hash).is_err())
    }
}

/// A state on its way through a batch.
pub struct Lookup {
    home: usize,
    hash: u64,
}

/// The slots of a table that one thread fills.
struct Part<'t, K: Kind> {
    kind: &'t K,
    n_slots: usize,
    /// The number of the first of `slots` in the whole table.
    base: usize,
    slots: &'t mut [K::Slot],
}

/// A state on its way into a table.
struct Entry<'m> {
    number: usize,
    packed: &'m [u64],
    hash: u64,
    /// Where its walk starts, within the part.
    from: usize,
}

impl<K: Kind> Part<'_, K> {
    /// The numbers of the states that found no room. States wait in batches, as those that are looked up do.
    fn fill(mut self, members: &Members<'_>, control: &Control) -> Result<Vec<usize>, Stop> {
        let mut late = Vec::new();
        let mut batch: Vec<Entry<'_>> = Vec::with_capacity(BATCH);
        for (number, packed) in members.iter() {
            if number % STATES_PER_LOOK == 0 {
                control.check()?;
            }
            let hash = hash(packed);
            let from = home(hash, self.n_slots).wrapping_sub(self.base);
            let Some(slot) = self.slots.get(from) else { continue };
            hint::black_box(*slot);
            batch.push(Entry { number, packed, hash, from });
            if batch.len() == BATCH {
                batch.drain(..).for_each(|entry| self.enter(entry, &mut late));
            }
        }
        batch.drain(..).for_each(|entry| self.enter(entry, &mut late));
        Ok(late)
    }

    fn enter(&mut self, entry: Entry<'_>, late: &mut Vec<usize>) {
        let Entry { number, packed, hash, from } = entry;
        // A state that is listed twice is entered once.
        let kind = self.kind;
        let is_place = |slot: &&mut K::Slot| **slot == K::Slot::default() || kind.is(**slot, packed, hash);
        match self.slots[from..].iter_mut().find(is_place) {
            Some(slot) => *slot = kind.slot(number, packed, hash),
            None => late.push(number),
        }
    }
}

/// The slot where the walk for a state starts: the hash as a fraction of the table.
#[inline]
fn home(hash: u64, n_slots: usize) -> usize {
    ((u128::from(hash) * n_slots as u128) >> 64) as usize
}

/// Multiplications by odd constants carry every bit of the words into the high half, which picks the slot.
#[inline]
fn hash(packed: &[u64]) -> u64 {
    packed.iter().fold(0, |hash, &word| {
        let mixed = (hash ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed ^ (mixed >> 32)).wrapping_mul(0xa3ee_63d8_4dab_b0b7)
    })
}

#[cfg(test)]
mod tests {
    use lapidary_verdict::Enumeration;

    use super::*;

    fn squares(n: u64, n_words: usize) -> Enumeration {
        let words = (0..n).flat_map(|i| (0..n_words as u64).map(move |w| i * i + w));
        Enumeration { chunks: vec![words.collect()], n_states: n as usize, ..Enumeration::default() }
    }

    #[test]
    fn exactly_the_listed_states_are_members() {
        for (jobs, covered) in
            [(1, vec![u64::MAX]), (1, vec![u64::MAX >> 32]), (3, vec![u64::MAX >> 32]), (2, vec![1 << 30; 3])]
        {
            let n_words = covered.len();
            let listed = squares(5000, n_words);
            let members = Members::new(&listed, n_words).unwrap();
            let index = Index::new(&members, &covered, jobs, &Control::new()).unwrap();
            let mut lookups = Vec::new();
            let absent: Vec<u64> = (0..n_words as u64).map(|w| 30 + w).collect();
            let batch = [&listed.chunks[0][2 * n_words..12 * n_words], &absent].concat();
            assert_eq!(index.first_missing(&batch, n_words, &mut lookups), Some(10));
            assert_eq!(index.first_missing(&batch[..10 * n_words], n_words, &mut lookups), None);
            assert!((2..5000).all(|i| index.contains(&listed.chunks[0][i * n_words..(i + 1) * n_words])));
            assert!(!index.contains(&absent));
        }
    }

    #[test]
    fn a_state_that_is_listed_many_times_takes_one_slot() {
        let listed = Enumeration { chunks: vec![vec![7; 100_000]], n_states: 100_000, ..Enumeration::default() };
        let members = Members::new(&listed, 1).unwrap();
        let Ok(Index::Short(table)) = Index::new(&members, &[7], 2, &Control::new()) else {
            panic!("three bits are short");
        };
        assert_eq!(table.slots.iter().filter(|&&slot| slot != 0).count(), 1);
    }

    #[test]
    fn an_empty_set_has_no_members() {
        let listed = Enumeration::default();
        let members = Members::new(&listed, 1).unwrap();
        assert!(!Index::new(&members, &[1], 2, &Control::new()).unwrap().contains(&[0]));
    }
}

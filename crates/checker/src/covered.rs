//! Checks a set of states with elements of a lattice: every initial state and every exact successor of a listed one lies below a
//! listed one, and no listed one meets what must not be met.
//!
//! What elements are and which lie below which is asked of a [`Meaning`], which each language with elements gives to the checker
//! for itself: the order of the engines is not used.

use std::cell::Cell;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_verdict::Covered;

use crate::Rejection;

const LISTED_PER_LOOK: usize = 1 << 10;
const COMPARED_PER_LOOK: usize = 1 << 12;
/// In the index of rows, about.
const BYTES_PER_ROW: usize = 64;

/// What the words of a state mean.
pub trait Meaning {
    /// Words per discrete part and per element.
    fn words(&self) -> (usize, usize);

    /// Whether these words are a state at all; if not, why. Nothing else is asked of words that are none.
    fn malformed(&self, state: Listed<'_>) -> Option<String>;

    /// Whether the element lies below the other at this discrete part. Steps and targets must be monotone in it.
    fn is_below(&self, discrete: &[u64], element: &[u64], other: &[u64]) -> bool;

    fn initial(&self, visit: &mut Visit<'_>) -> Result<(), Rejection>;

    /// Visits what the steps of a state lead to.
    fn successors(&self, state: Listed<'_>, visit: &mut Visit<'_>) -> Result<(), Rejection>;

    /// Why a state must not be met, if it must not.
    fn objection(&self, state: Listed<'_>) -> Result<Option<String>, Rejection>;

    /// For messages.
    fn shown(&self, state: Listed<'_>) -> String;
}

/// A state in two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed<'a> {
    pub discrete: &'a [u64],
    pub element: &'a [u64],
}

pub type Visit<'a> = dyn FnMut(Listed<'_>) -> Result<(), Rejection> + 'a;

/// Does the set keep every run, and is nothing in it that must not be met?
pub fn certify_covered(meaning: &dyn Meaning, covered: &Covered, control: &Control) -> Result<(), Rejection> {
    let rows = Rows::new(meaning, covered)?;
    let set = Set::new(meaning, &rows, control)?;
    meaning.initial(&mut |state| match set.covers(state)? {
        true => Ok(()),
        false => Err(wrong(format!("the initial state ({}) is not covered", meaning.shown(state)))),
    })?;
    for number in 0..rows.len() {
        if number % LISTED_PER_LOOK == 0 {
            control.check()?;
        }
        let state = rows.get(number);
        let told = || format!("state {number} ({})", meaning.shown(state));
        if let Some(why) = meaning.objection(state)? {
            return Err(wrong(format!("{} {why}", told())));
        }
        meaning.successors(state, &mut |next| match set.covers(next)? {
            true => Ok(()),
            false => Err(wrong(format!("{} leads to ({}), which is not covered", told(), meaning.shown(next)))),
        })?;
    }
    Ok(())
}

fn wrong(why: String) -> Rejection {
    Rejection::Wrong(why)
}

/// The listed states by number.
struct Rows<'c> {
    chunks: Vec<&'c [u64]>,
    /// The number of the first state of each chunk.
    starts: Vec<usize>,
    n_rows: usize,
    words: (usize, usize),
}

impl<'c> Rows<'c> {
    fn new(meaning: &dyn Meaning, covered: &'c Covered) -> Result<Self, Rejection> {
        let words = meaning.words();
        let listed = &covered.listed;
        if (listed.layout.words, covered.element_words) != words {
            let (has, wants) = ((listed.layout.words, covered.element_words), words);
            return Err(wrong(format!("states have {wants:?} words, and the listed ones {has:?}")));
        }
        let row = words.0 + words.1;
        let (mut starts, mut n_rows) = (Vec::new(), 0);
        for (number, chunk) in listed.chunks.iter().enumerate() {
            if row == 0 || !chunk.len().is_multiple_of(row) {
                let n_words = chunk.len();
                return Err(wrong(format!("chunk {number} has {n_words} words, not a multiple of {row}")));
            }
            starts.push(n_rows);
            n_rows += chunk.len() / row;
        }
        if n_rows != listed.n_states {
            let claimed = listed.n_states;
            return Err(wrong(format!("the certificate lists {n_rows} states but claims {claimed}")));
        }
        Ok(Self { chunks: listed.chunks.iter().map(Vec::as_slice).collect(), starts, n_rows, words })
    }

    fn len(&self) -> usize {
        self.n_rows
    }

    fn get(&self, number: usize) -> Listed<'c> {
        let chunk = self.starts.partition_point(|&start| start <= number) - 1;
        let (discrete, element) = self.words;
        let at = (number - self.starts[chunk]) * (discrete + element);
        let row = &self.chunks[chunk][at..at + discrete + element];
        Listed { discrete: &row[..discrete], element: &row[discrete..] }
    }
}

/// By discrete part, the listed states that have it: the last one, and for each its element and the one before it.
struct Set<'s> {
    meaning: &'s dyn Meaning,
    last: Map<&'s [u64], usize>,
    listed: Vec<(&'s [u64], Option<usize>)>,
    control: &'s Control,
    /// Comparisons since the last look at the limits, in all searches together.
    n_compared: Cell<usize>,
}

impl<'s> Set<'s> {
    fn new(meaning: &'s dyn Meaning, rows: &'s Rows<'s>, control: &'s Control) -> Result<Self, Rejection> {
        control.reserve((rows.len() * BYTES_PER_ROW) as u64)?;
        let listed = Vec::with_capacity(rows.len());
        let mut set = Self { meaning, last: Map::default(), listed, control, n_compared: Cell::new(0) };
        for number in 0..rows.len() {
            if number % LISTED_PER_LOOK == 0 {
                control.check()?;
            }
            let state = rows.get(number);
            if let Some(why) = meaning.malformed(state) {
                return Err(wrong(format!("state {number} is malformed: {why}")));
            }
            let before = set.last.insert(state.discrete, number);
            set.listed.push((state.element, before));
        }
        Ok(set)
    }

    fn covers(&self, state: Listed<'_>) -> Result<bool, Stop> {
        let mut next = self.last.get(state.discrete).copied();
        self.count()?;
        while let Some(number) = next {
            let (element, before) = self.listed[number];
            if self.meaning.is_below(state.discrete, state.element, element) {
                return Ok(true);
            }
            self.count()?;
            next = before;
        }
        Ok(false)
    }

    fn count(&self) -> Result<(), Stop> {
        self.n_compared.set(self.n_compared.get() + 1);
        if self.n_compared.get() < COMPARED_PER_LOOK {
            return Ok(());
        }
        self.n_compared.set(0);
        self.control.check()
    }
}

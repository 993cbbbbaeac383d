//! Values that are no numbers: wide bit-vectors and arrays. Each is kept once, so that states can be compared number by number.
//!
//! A number that stands for one (the [`ValueId`]) means something only beside the pool that made it, which all arenas of
//! expressions about one model share. Its order means nothing.

use lapidary_base::hash::Map;
use lapidary_base::{Id, Interner, id};

use crate::model::Raw;
use crate::types::{ArrayId, ArrayType, EnumId, Sort};

id! {
    /// A value that is no number, of the pool that made it.
    pub struct ValueId(u32);
}

/// Bit-vectors of at most so many bits are numbers: their bits, so that `raw as u64` is the unsigned value.
pub const WORD_BITS: u32 = 64;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// More than 64 bits, the lowest first; what does not belong to the last word is zero.
    Bits(Box<[u64]>),
    Array(ArrayValue),
}

/// A function from indexes to elements. It is normal: equal functions are written in one way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayValue {
    pub default: Raw,
    /// Where it has another element; ascending by the numbers of the indexes.
    pub entries: Box<[(Raw, Raw)]>,
}

impl ArrayValue {
    pub fn at(&self, index: Raw) -> Raw {
        match self.entries.binary_search_by_key(&index, |&(at, _)| at) {
            Ok(i) => self.entries[i].1,
            Err(_) => self.default,
        }
    }
}

/// Values and types of arrays, each once.
#[derive(Default)]
pub struct Values {
    values: Interner<ValueId, Value>,
    arrays: Interner<ArrayId, ArrayType>,
}

impl Values {
    pub fn array(&self, index: Sort, element: Sort) -> ArrayId {
        self.arrays.intern(ArrayType { index, element })
    }

    pub fn array_type(&self, id: ArrayId) -> ArrayType {
        *self.arrays.get(id)
    }

    pub fn n_array_types(&self) -> usize {
        self.arrays.len()
    }

    pub fn get(&self, raw: Raw) -> &Value {
        self.values.get(ValueId::new(usize::try_from(raw).expect("numbers of values are not negative")))
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The number of a bit-vector, given its words, the lowest first; bits beyond the width are dropped.
    pub fn bits(&self, width: u32, words: &[u64]) -> Raw {
        let word = |i: usize| words.get(i).copied().unwrap_or(0);
        if width <= WORD_BITS {
            return (word(0) & mask(width)) as Raw;
        }
        let n_words = width.div_ceil(WORD_BITS) as usize;
        let last = width - (n_words as u32 - 1) * WORD_BITS;
        let words = (0..n_words).map(|i| if i + 1 < n_words { word(i) } else { word(i) & mask(last) });
        self.intern(Value::Bits(words.collect()))
    }

    /// The words of a bit-vector, the lowest first.
    pub fn words(&self, width: u32, raw: Raw) -> Vec<u64> {
        match width <= WORD_BITS {
            true => vec![raw as u64],
            false => match self.get(raw) {
                Value::Bits(words) => words.to_vec(),
                Value::Array(_) => unreachable!("the number of a bit-vector stands for one"),
            },
        }
    }

    /// What an array's number stands for.
    pub fn array_value(&self, raw: Raw) -> &ArrayValue {
        match self.get(raw) {
            Value::Array(array) => array,
            Value::Bits(_) => unreachable!("the number of an array stands for one"),
        }
    }

    /// The number of the array with an element everywhere.
    pub fn fill(&self, default: Raw) -> Raw {
        self.intern(Value::Array(ArrayValue { default, entries: Box::new([]) }))
    }

    /// The number of the array with these elements, the last one of each index, and `default` elsewhere. `n_indexes` is how many
    /// indexes there are, if they are finitely many.
    pub fn listed(&self, n_indexes: Option<u64>, default: Raw, entries: impl IntoIterator<Item = (Raw, Raw)>) -> Raw {
        let mut last: Map<Raw, Raw> = Map::default();
        for (index, element) in entries {
            last.insert(index, element);
        }
        let mut entries: Vec<(Raw, Raw)> = last.drain().filter(|&(_, element)| element != default).collect();
        entries.sort_unstable();
        let mut default = default;
        // Of finitely many indexes the default may be what only few have: the most frequent element is the default, and among
        // equally frequent ones the one with the least number.
        if let Some(n) = n_indexes.filter(|&n| entries.len() as u64 >= n.div_ceil(2)) {
            (default, entries) = balanced(n, default, entries);
        }
        self.intern(Value::Array(ArrayValue { default, entries: entries.into() }))
    }

    pub fn store(&self, n_indexes: Option<u64>, array: Raw, index: Raw, element: Raw) -> Raw {
        let ArrayValue { default, entries } = self.array_value(array);
        self.listed(n_indexes, *default, entries.iter().copied().chain([(index, element)]))
    }

    /// Whether a number is that of a value of a sort, which exists.
    pub fn is_of(&self, sort: Sort, raw: Raw, literals: &dyn Fn(EnumId) -> usize) -> bool {
        let value = || usize::try_from(raw).ok().filter(|&number| number < self.len()).map(|_| self.get(raw));
        match sort {
            Sort::Bool => raw == 0 || raw == 1,
            Sort::Int => true,
            Sort::Enum(id) => usize::try_from(raw).is_ok_and(|number| number < literals(id)),
            Sort::Bits(width) if width <= WORD_BITS => raw as u64 & !mask(width) == 0,
            Sort::Bits(width) => match value() {
                Some(Value::Bits(words)) => {
                    let last = words.last().copied().unwrap_or(0);
                    words.len() == width.div_ceil(WORD_BITS) as usize
                        && last & !mask(width - (words.len() as u32 - 1) * WORD_BITS) == 0
                }
                Some(Value::Array(_)) | None => false,
            },
            Sort::Array(id) => {
                let ArrayType { index, element } = self.array_type(id);
                let Some(Value::Array(array)) = value() else { return false };
                let is_entry =
                    |&(at, it): &(Raw, Raw)| self.is_of(index, at, literals) && self.is_of(element, it, literals);
                self.is_of(element, array.default, literals) && array.entries.iter().all(is_entry)
            }
        }
    }

    /// How many values a sort has, if they are finitely many and can be counted; `literals` says how many an enumeration has.
    pub fn n_values(&self, sort: Sort, literals: &dyn Fn(EnumId) -> usize) -> Option<u64> {
        match sort {
            Sort::Bool => Some(2),
            Sort::Int => None,
            Sort::Enum(id) => Some(literals(id) as u64),
            Sort::Bits(width) => 1u64.checked_shl(width),
            Sort::Array(id) => {
                let ArrayType { index, element } = self.array_type(id);
                let n_indexes = u32::try_from(self.n_values(index, literals)?).ok()?;
                self.n_values(element, literals)?.checked_pow(n_indexes)
            }
        }
    }

    fn intern(&self, value: Value) -> Raw {
        self.values.intern(value).index() as Raw
    }
}

/// The same function over so many indexes, which are the numbers from zero on, with the most frequent element as the default.
fn balanced(n: u64, default: Raw, entries: Vec<(Raw, Raw)>) -> (Raw, Vec<(Raw, Raw)>) {
    let mut counts: Map<Raw, u64> = Map::default();
    counts.insert(default, n.saturating_sub(entries.len() as u64));
    for &(_, element) in &entries {
        *counts.entry(element).or_insert(0) += 1;
    }
    let mut counts: Vec<(Raw, u64)> = counts.drain().collect();
    counts.sort_unstable_by_key(|&(element, count)| (std::cmp::Reverse(count), element));
    let common = counts[0].0;
    if common == default {
        return (default, entries);
    }
    let at = |index: Raw| match entries.binary_search_by_key(&index, |&(at, _)| at) {
        Ok(i) => entries[i].1,
        Err(_) => default,
    };
    let all = (0..n as Raw).map(|index| (index, at(index)));
    (common, all.filter(|&(_, element)| element != common).collect())
}

/// So many ones, at most 64.
pub const fn mask(width: u32) -> u64 {
    if width >= WORD_BITS { u64::MAX } else { (1 << width) - 1 }
}

/// A bit-vector's unsigned value in decimal digits, given its words.
pub fn decimal(words: &[u64]) -> String {
    let mut rest = words.to_vec();
    let mut groups = Vec::new();
    while rest.iter().any(|&word| word != 0) {
        groups.push(divide(&mut rest, GROUP));
    }
    let Some(first) = groups.pop() else { return "0".to_owned() };
    groups.iter().rev().fold(first.to_string(), |text, group| format!("{text}{group:019}"))
}

/// The words of a number in decimal digits, the lowest first; bits beyond so many words are dropped, which is told.
pub fn words_of_decimal(digits: &str, n_words: usize) -> Option<Vec<u64>> {
    let mut words = vec![0u64; n_words];
    for digit in digits.bytes() {
        let mut carry = u128::from(digit.checked_sub(b'0').filter(|&digit| digit < 10)?);
        for word in &mut words {
            let product = u128::from(*word) * 10 + carry;
            *word = product as u64;
            carry = product >> 64;
        }
        if carry != 0 {
            return None;
        }
    }
    Some(words)
}

/// The largest power of ten in a word.
const GROUP: u64 = 10_000_000_000_000_000_000;

/// Divides in place and gives the remainder.
fn divide(words: &mut [u64], by: u64) -> u64 {
    let mut rest = 0u128;
    for word in words.iter_mut().rev() {
        let dividend = (rest << 64) | u128::from(*word);
        *word = (dividend / u128::from(by)) as u64;
        rest = dividend % u128::from(by);
    }
    rest as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_arrays_have_one_number_however_they_are_written() {
        let values = Values::default();
        let two = Some(2);
        let plain = values.fill(1);
        assert_eq!(values.listed(two, 0, [(0, 1), (1, 1)]), plain);
        assert_eq!(values.listed(two, 5, [(0, 0), (1, 1)]), values.listed(two, 0, [(1, 1)]));
        assert_eq!(values.listed(two, 1, [(0, 0)]), values.listed(two, 0, [(1, 1)]));
        assert_eq!(values.listed(None, 0, [(7, 3), (2, 0), (7, 0)]), values.fill(0));
        assert_ne!(values.listed(None, 0, [(0, 1), (1, 1)]), plain);
        let one = values.store(None, values.fill(0), 4, 9);
        assert_eq!((values.array_value(one).at(4), values.array_value(one).at(5)), (9, 0));
        assert_eq!(values.store(None, one, 4, 0), values.fill(0));
    }

    #[test]
    fn wide_numbers_are_written_and_read() {
        let values = Values::default();
        let digits = "340282366920938463463374607431768211455";
        let words = words_of_decimal(digits, 2).expect("128 bits");
        assert_eq!((words.as_slice(), decimal(&words)), ([u64::MAX, u64::MAX].as_slice(), digits.to_owned()));
        assert_eq!(words_of_decimal("340282366920938463463374607431768211456", 2), None);
        assert_eq!(decimal(&[0, 1]), "18446744073709551616");
        let raw = values.bits(100, &words);
        assert_eq!(values.words(100, raw), [u64::MAX, mask(36)]);
        assert_eq!((values.bits(64, &[u64::MAX]), values.bits(8, &[257])), (-1, 1));
    }
}

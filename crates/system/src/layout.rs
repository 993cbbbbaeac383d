//! Packing states: every variable gets as many bits as its domain needs, and no field crosses a word. Local variables are
//! the same in every state and need none.

use lapidary_base::IdVec;
use lapidary_ir::{Domain, Life, Model, Var};
use lapidary_verdict::{Field, Layout};

/// How many of the last words are tried for a field before a new word is begun.
const OPEN_WORDS: usize = 8;

pub fn layout(model: &Model) -> Layout {
    let mut used: Vec<u32> = vec![0];
    let width = |var: &Var| match var.life {
        Life::State => width(model, var.domain),
        Life::Local => (0, model.first(var.domain)),
    };
    let fields: IdVec<_, Field> = model.vars.iter().map(|var| place(&mut used, width(var))).collect();
    Layout { fields, words: used.len() }
}

/// The bits that a domain needs, and the number that zero bits stand for.
fn width(model: &Model, domain: Domain) -> (u32, i64) {
    let Some((lo, hi)) = model.bounds(domain) else { return (64, 0) };
    let span = hi.wrapping_sub(lo) as u64;
    match 64 - span.leading_zeros() {
        64 => (64, 0),
        bits => (bits, lo),
    }
}

/// Puts a field into the first open word with room for it.
fn place(used: &mut Vec<u32>, (bits, lo): (u32, i64)) -> Field {
    let from = used.len().saturating_sub(OPEN_WORDS);
    let fitting = (from..used.len()).find(|&word| used[word] + bits <= 64);
    let word = fitting.unwrap_or_else(|| {
        used.push(0);
        used.len() - 1
    });
    // A field of no bits at the end of a full word would be shifted by 64.
    let shift = if bits == 0 { 0 } else { used[word] };
    used[word] += bits;
    Field { word: u32::try_from(word).expect("states have fewer than 2^32 words"), shift, bits, lo }
}

/// Ones in the `bits` lowest places.
pub fn mask(bits: u32) -> u64 {
    if bits == 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Reads one field of a packed state.
#[inline(always)]
pub fn read(field: Field, words: &[u64]) -> i64 {
    let raw = (words[field.word as usize] >> field.shift) & mask(field.bits);
    (raw as i64).wrapping_add(field.lo)
}

/// Writes one field of a packed state. The value must fit the field.
#[inline(always)]
pub fn write(field: Field, words: &mut [u64], value: i64) {
    let word = &mut words[field.word as usize];
    let raw = value.wrapping_sub(field.lo) as u64;
    debug_assert_eq!(raw & mask(field.bits), raw, "values fit their fields");
    *word = (*word & !(mask(field.bits) << field.shift)) | (raw << field.shift);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_values_beside_each_other() {
        let mut used = vec![0];
        let widths = [(3, -2), (0, 7), (64, 0), (61, 0), (1, 0), (33, 5)];
        let fields: Vec<Field> = widths.into_iter().map(|width| place(&mut used, width)).collect();
        let values = [5, 7, i64::MIN, 1 << 60, 1, 1 << 32];
        let mut words = vec![0; used.len()];
        for (field, value) in fields.iter().zip(values) {
            write(*field, &mut words, value);
        }
        assert_eq!(fields.iter().map(|field| read(*field, &words)).collect::<Vec<_>>(), values);
        assert_eq!(used.len(), 3);
    }
}

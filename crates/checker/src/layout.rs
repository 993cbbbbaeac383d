//! Packed states: a layout that was found to fit the model, and the way between words and numbers.

use lapidary_base::Id;
use lapidary_ir::model::Raw;
use lapidary_ir::value::WORD_BITS;
use lapidary_ir::{Declarations, Domain, VarId};
use lapidary_verdict::{Field, Layout};

use crate::Rejection;
use crate::eval;
use crate::words;

/// Every domain fits its field, no field crosses a word and no two overlap.
pub struct Codec {
    slots: Vec<Slot>,
    /// The bits of each word that belong to a field.
    covered: Vec<u64>,
}

/// A field, ready for use, with the domain that its numbers must stay in.
#[derive(Clone, Copy)]
struct Slot {
    word: usize,
    shift: u32,
    mask: u64,
    lo: Raw,
    domain: (Raw, Raw),
}

/// What is wrong with a packed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    StrayBits,
    Outside(VarId, Raw),
}

/// Some bits of one word and what they are or become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Part {
    word: usize,
    mask: u64,
    value: u64,
}

/// Values for some variables, as bits of a packed state: to be compared with, or to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    /// In place, because most states have one word; without bits where nothing is said of any variable.
    first: Part,
    /// One for each further word.
    rest: Vec<Part>,
}

impl Bits {
    #[inline]
    pub fn matches(&self, packed: &[u64]) -> bool {
        let is = |part: &Part| packed[part.word] & part.mask == part.value;
        is(&self.first) && self.rest.iter().all(is)
    }

    #[inline]
    pub fn write(&self, packed: &mut [u64]) {
        self.first.write(packed);
        self.rest.iter().for_each(|part| part.write(packed));
    }

    fn add(&mut self, new: Part) {
        if self.first.mask == 0 {
            self.first = new;
            return;
        }
        let parts = std::iter::once(&mut self.first).chain(&mut self.rest);
        match parts.into_iter().find(|part| part.word == new.word) {
            Some(part) => {
                part.mask |= new.mask;
                part.value |= new.value;
            }
            None => self.rest.push(new),
        }
    }
}

impl Part {
    #[inline]
    fn write(&self, packed: &mut [u64]) {
        let word = &mut packed[self.word];
        *word = (*word & !self.mask) | self.value;
    }
}

impl Codec {
    pub fn new(model: &Declarations, layout: &Layout) -> Result<Self, Rejection> {
        if layout.words == 0 {
            return Err(Rejection::Wrong("the layout has no words".to_owned()));
        }
        if layout.fields.len() != model.vars.len() {
            let (fields, vars) = (layout.fields.len(), model.vars.len());
            return Err(Rejection::Wrong(format!("the layout has {fields} fields for {vars} variables")));
        }
        let mut codec = Self { slots: Vec::new(), covered: vec![0; layout.words] };
        for (var, field) in layout.fields.enumerated() {
            let slot = slot(model, var, field, layout.words)
                .map_err(|why| Rejection::Wrong(format!("the field of {} {why}", model.vars[var].name)))?;
            codec.add(model, var, slot)?;
        }
        Ok(codec)
    }

    fn add(&mut self, model: &Declarations, var: VarId, slot: Slot) -> Result<(), Rejection> {
        let bits = slot.mask << slot.shift;
        if self.covered[slot.word] & bits != 0 {
            let shares = |other: &Slot| other.word == slot.word && (other.mask << other.shift) & bits != 0;
            let other = self.slots.iter().position(shares).map_or("another", |i| &model.vars[VarId::new(i)].name);
            return Err(Rejection::Wrong(format!("the fields of {other} and {} overlap", model.vars[var].name)));
        }
        self.covered[slot.word] |= bits;
        self.slots.push(slot);
        Ok(())
    }

    /// How many words a state takes.
    pub fn n_words(&self) -> usize {
        self.covered.len()
    }

    /// The bits of each word that belong to a field.
    pub fn covered(&self) -> &[u64] {
        &self.covered
    }

    /// Fills `values` with the numbers of a packed state, provided that it is well formed.
    #[inline]
    pub fn decode(&self, packed: &[u64], values: &mut [Raw]) -> Result<(), Malformed> {
        // All fields are read before anything is judged: a branch per field would cost more than the reading.
        let mut outside = false;
        for (slot, value) in self.slots.iter().zip(values.iter_mut()) {
            *value = slot.read(packed);
            outside |= *value < slot.domain.0 || *value > slot.domain.1;
        }
        let stray = packed.iter().zip(&self.covered).fold(0, |stray, (word, covered)| stray | (word & !covered));
        if outside || stray != 0 {
            return Err(self.malformed(packed));
        }
        Ok(())
    }

    #[cold]
    fn malformed(&self, packed: &[u64]) -> Malformed {
        let is_outside = |slot: &Slot| !(slot.domain.0..=slot.domain.1).contains(&slot.read(packed));
        match self.slots.iter().position(is_outside) {
            Some(i) => Malformed::Outside(VarId::new(i), self.slots[i].read(packed)),
            None => Malformed::StrayBits,
        }
    }

    /// Packs numbers that are within their domains.
    pub fn encode(&self, values: &[Raw], packed: &mut [u64]) {
        packed.fill(0);
        for (slot, &value) in self.slots.iter().zip(values) {
            packed[slot.word] |= slot.bits_of(value);
        }
    }

    /// Is the number one that this variable may have?
    #[inline]
    pub fn admits(&self, var: usize, value: Raw) -> bool {
        let (lo, hi) = self.slots[var].domain;
        lo <= value && value <= hi
    }

    /// The least and the greatest number of a variable; 64 bits for an unbounded one.
    pub fn domain(&self, var: usize) -> (Raw, Raw) {
        self.slots[var].domain
    }

    /// Gives a variable of a packed state a number within its domain.
    #[inline]
    pub fn put(&self, packed: &mut [u64], var: usize, value: Raw) {
        self.part(var, value).write(packed);
    }

    /// Adds a value within its domain for a variable that `bits` says nothing of yet.
    pub fn require(&self, bits: &mut Bits, var: usize, value: Raw) {
        bits.add(self.part(var, value));
    }

    #[inline]
    fn part(&self, var: usize, value: Raw) -> Part {
        let slot = &self.slots[var];
        Part { word: slot.word, mask: slot.mask << slot.shift, value: slot.bits_of(value) }
    }
}

impl Slot {
    /// Sums that wrap end below `lo`, which is at most the least value of the domain: they are found outside.
    #[inline]
    fn read(&self, packed: &[u64]) -> Raw {
        self.lo.wrapping_add(((packed[self.word] >> self.shift) & self.mask) as Raw)
    }

    #[inline]
    fn bits_of(&self, value: Raw) -> u64 {
        ((value.wrapping_sub(self.lo) as u64) & self.mask) << self.shift
    }
}

fn slot(model: &Declarations, var: VarId, field: &Field, n_words: usize) -> Result<Slot, String> {
    let Field { word, shift, bits, lo } = *field;
    let name = words::domain(model, model.vars[var].domain);
    let domain = eval::bounds(model, model.vars[var].domain);
    match model.vars[var].domain {
        Domain::Bits(width) if width > WORD_BITS => {
            return Err(format!("cannot hold {name}, which is wider than a word"));
        }
        Domain::Array(_) => return Err(format!("cannot hold {name}, whose values are no numbers")),
        Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) | Domain::Bits(_) => {}
    }
    if word as usize >= n_words {
        return Err(format!("lies in word {word} of {n_words}"));
    }
    if model.is_local(var) {
        let lo = model.first(model.vars[var].domain);
        return match (bits, field.lo == lo) {
            (0, true) => Ok(Slot { word: word as usize, shift: 0, mask: 0, lo, domain }),
            _ => Err(format!("is not that of a local variable, which has no bits and always is {lo}")),
        };
    }
    if bits > 64 || shift > 64 - bits {
        return Err(format!("crosses the end of its word: {bits} bits from bit {shift}"));
    }
    let (mask, greatest) = match bits {
        0 => (0, i128::from(lo)),
        64 if lo != 0 => return Err("fills its word but starts at a number other than 0".to_owned()),
        64 => (u64::MAX, i128::from(Raw::MAX)),
        _ => ((1 << bits) - 1, i128::from(lo) + (1 << bits) - 1),
    };
    let least = if bits == 64 { Raw::MIN } else { lo };
    if domain.0 < least || i128::from(domain.1) > greatest {
        return Err(format!("is too narrow for {name}: {bits} bits from {lo}"));
    }
    // A field without bits may stand at bit 64, where no shift reaches.
    let shift = if bits == 0 { 0 } else { shift };
    Ok(Slot { word: word as usize, shift, mask, lo, domain })
}

#[cfg(test)]
mod tests {
    use lapidary_ir::{Life, Var};
    use lapidary_text::{SourceId, Span};

    use super::*;

    fn model(domains: &[Domain]) -> Declarations {
        let span = Span::new(SourceId(0), 0, 0);
        let var = |(i, &domain)| Var { name: format!("x{i}"), domain, control: false, life: Life::State, span };
        Declarations { vars: domains.iter().enumerate().map(var).collect(), ..Declarations::default() }
    }

    #[test]
    fn numbers_survive_packing_at_the_ends_of_their_domains() {
        let wide = Domain::Range { lo: 1, hi: i64::MAX };
        let model = model(&[Domain::Int, wide, Domain::Range { lo: -2, hi: 1 }, Domain::Range { lo: 7, hi: 7 }]);
        let field = |word, shift, bits, lo| Field { word, shift, bits, lo };
        let fields = vec![field(0, 0, 64, 0), field(1, 0, 63, 1), field(2, 5, 2, -2), field(2, 64, 0, 7)];
        let codec = Codec::new(&model, &Layout { fields: fields.into(), words: 3 }).unwrap();
        let (mut packed, mut read) = ([0; 3], [0; 4]);
        for values in [[i64::MIN, 1, -2, 7], [i64::MAX, i64::MAX, 1, 7], [0, 2, 0, 7]] {
            codec.encode(&values, &mut packed);
            assert_eq!(codec.decode(&packed, &mut read), Ok(()));
            assert_eq!(read, values);
        }
        // One more than the greatest 64-bit number wraps, and must not come out as a value.
        packed[1] = (1 << 63) - 1;
        assert_eq!(codec.decode(&packed, &mut read), Err(Malformed::Outside(VarId(1), i64::MIN)));
    }
}

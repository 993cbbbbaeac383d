//! What a rule changes in the packed state.

use lapidary_ir::VarId;
use lapidary_verdict::{Field, Layout};

use crate::bytecode::Register;
use crate::compile::Pool;
use crate::layout;

#[derive(Default)]
pub struct Patch {
    /// Word, bits to clear, bits to set: everything that is constant.
    pub constants: Vec<(u32, u64, u64)>,
    pub fields: Vec<(Field, Register)>,
    /// The field of the variable at an index behind a first one gets a value.
    pub cells: Vec<(VarId, Register, Register)>,
}

/// A field's value in its place, zero around it.
pub fn constant_bits(field: Field, value: i64) -> u64 {
    let mut words = [0];
    layout::write(Field { word: 0, ..field }, &mut words, value);
    words[0]
}

impl Patch {
    pub fn set_constant(&mut self, field: Field, value: i64) {
        let (clear, set) = (layout::mask(field.bits) << field.shift, constant_bits(field, value));
        match self.constants.iter_mut().find(|(word, ..)| *word == field.word) {
            Some((_, all_clear, all_set)) => {
                *all_clear |= clear;
                *all_set |= set;
            }
            None => self.constants.push((field.word, clear, set)),
        }
    }

    #[inline(always)]
    pub fn apply(&self, layout: &Layout, registers: &[i64], next: &mut [u64]) {
        for &(word, clear, set) in &self.constants {
            let word = &mut next[word as usize];
            *word = (*word & !clear) | set;
        }
        for &(field, register) in &self.fields {
            layout::write(field, next, registers[register.0 as usize]);
        }
        for &(first, index, value) in &self.cells {
            let var = VarId(first.0 + registers[index.0 as usize] as u32);
            layout::write(layout.fields[var], next, registers[value.0 as usize]);
        }
    }

    pub fn link(&mut self, pool: &Pool) {
        self.fields.iter_mut().for_each(|(_, register)| pool.link(register));
        for (_, index, value) in &mut self.cells {
            pool.link(index);
            pool.link(value);
        }
    }
}

//! The enumerations of a tree: one for every list of symbols.

use lapidary_base::IdVec;
use lapidary_base::hash::Map;
use lapidary_ir::{EnumId, EnumType};

use super::value::Symbol;

#[derive(Clone, Debug, Default)]
pub struct Enums {
    types: IdVec<EnumId, EnumType>,
    symbols: IdVec<EnumId, Vec<Symbol>>,
    by_symbols: Map<Vec<Symbol>, EnumId>,
    numbers: Map<(EnumId, Symbol), u32>,
}

impl Enums {
    /// The enumeration of these symbols, under the name of the domain that declares it.
    pub fn of(&mut self, symbols: &[Symbol], name: &str) -> EnumId {
        if let Some(&known) = self.by_symbols.get(symbols) {
            return known;
        }
        let literals = symbols.iter().map(|symbol| symbol.to_string()).collect();
        let id = self.types.push(EnumType { name: name.to_owned(), literals });
        self.symbols.push(symbols.to_vec());
        self.by_symbols.insert(symbols.to_vec(), id);
        for (number, symbol) in (0..).zip(symbols) {
            self.numbers.insert((id, symbol.clone()), number);
        }
        id
    }

    pub fn symbols(&self, of: EnumId) -> &[Symbol] {
        &self.symbols[of]
    }

    /// The number of a symbol in an enumeration that has it.
    pub fn number(&self, of: EnumId, symbol: &Symbol) -> Option<u32> {
        self.numbers.get(&(of, symbol.clone())).copied()
    }

    pub fn types(&self) -> &IdVec<EnumId, EnumType> {
        &self.types
    }
}

//! Names as SMT-LIB has them: those of the model as far as they may be, each for one thing.

use std::collections::BTreeSet;

use lapidary_base::IdVec;
use lapidary_base::hash::Map;
use lapidary_ir::VarId;

use super::{Horn, Predicate, PredicateId};
use crate::terms::Terms;

/// Words that mean something by themselves.
const TAKEN: [&str; 27] = [
    "_", "and", "or", "not", "xor", "ite", "let", "forall", "exists", "match", "par", "as", "true", "false",
    "distinct", "div", "mod", "abs", "select", "store", "const", "concat", "extract", "is", "Bool", "Int", "Array",
];

/// The names of a file.
pub struct Names {
    pub predicates: IdVec<PredicateId, String>,
    vars: IdVec<VarId, String>,
    given: BTreeSet<String>,
}

impl Names {
    pub fn new(horn: &Horn<'_>) -> Self {
        let mut given = BTreeSet::new();
        let mut own = |name: &str| own(name, &mut given);
        let vars = horn.terms.model().vars.iter().map(|var| own(&var.name)).collect();
        let predicates = horn.predicates.iter().map(|Predicate { name, .. }| own(name)).collect();
        Self { predicates, vars, given }
    }

    /// The names within a clause that reads these symbols.
    pub fn within(&self, terms: &Terms<'_>, symbols: &[VarId]) -> Map<VarId, String> {
        let mut given = BTreeSet::new();
        let mut named = |&symbol: &VarId| match self.vars.get(symbol) {
            Some(name) => (symbol, name.clone()),
            None => (symbol, self.further(terms.name(symbol), &mut given)),
        };
        symbols.iter().map(&mut named).collect()
    }

    fn further(&self, name: &str, given: &mut BTreeSet<String>) -> String {
        loop {
            let name = own(name, given);
            if !self.given.contains(&name) {
                return name;
            }
        }
    }
}

/// The name itself, or one like it that nothing else has.
fn own(name: &str, given: &mut BTreeSet<String>) -> String {
    let plain: String = name.chars().map(|c| if is_printable(c) { c } else { '_' }).collect();
    let numbered = (2..).map(|n: u32| format!("{plain}.{n}"));
    let mut candidates = std::iter::once(plain.clone()).chain(numbered).filter(|name| !is_taken(name));
    let name = candidates.find(|name| !given.contains(&quoted(name))).expect("there are more numbers than names");
    given.insert(quoted(&name));
    quoted(&name)
}

fn is_printable(c: char) -> bool {
    matches!(c, ' '..='~') && c != '|' && c != '\\'
}

/// Functions on bit-vectors are words that begin with `bv`; parts of terms are bound as `e12`.
fn is_taken(name: &str) -> bool {
    let is_part = name.strip_prefix('e').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let is_function = name.starts_with("bv") && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_part || is_function || TAKEN.contains(&name)
}

fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '?' | '!');
    match name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') && name.chars().all(is_plain) {
        true => name.to_owned(),
        false => format!("|{name}|"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_symbols_and_each_is_given_once() {
        let mut given = BTreeSet::new();
        let names = ["x", "flag[1]", "x", "and", "e12", "a|b\n", "", "7", "bvadd", "x.2", "é"];
        let owned: Vec<String> = names.iter().map(|name| own(name, &mut given)).collect();
        let expected = ["x", "|flag[1]|", "x.2", "and.2", "e12.2", "a_b_", "||", "|7|", "bvadd.2", "x.2.2", "_.2"];
        assert_eq!(owned, expected);
    }
}

//! Types of variables: what their values are made of.
//!
//! Every type is a list of leaves, each with a path and finitely many values: a scalar has one leaf with an empty path,
//! a configuration one for every variable of the tree, an event one for every component. Equal names are equal types.

use lapidary_base::hash::Map;
use lapidary_base::{IdVec, id};
use lapidary_ir::{Domain, Tree};

id! {
    pub struct TypeId(u32);
    /// A literal of an enumeration or the name of an event. Enumerations share their literals.
    pub struct Symbol(u32);
}

/// The name of the event that every component always has.
pub const EPSILON_NAME: &str = "eps";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    Bool,
    Range { lo: i64, hi: i64 },
    Enum(Vec<Symbol>),
}

impl Scalar {
    pub fn size(&self) -> u64 {
        match self {
            Self::Bool => 2,
            Self::Range { lo, hi } => hi.abs_diff(*lo).saturating_add(1),
            Self::Enum(symbols) => symbols.len() as u64,
        }
    }

    /// Whether values of both can be compared: numbers with numbers, literals with literals.
    pub fn is_alike(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// The value that stands at a place of its column; symbols count by their number.
    pub fn value(&self, code: u64) -> i64 {
        let code = i64::try_from(code).expect("columns have 64-bit values");
        match self {
            Self::Bool => code,
            Self::Range { lo, .. } => lo + code,
            Self::Enum(symbols) => i64::from(symbols[usize::try_from(code).expect("codes are places")].0),
        }
    }

    /// Where a value stands in its column, if it is one of its values.
    pub fn code(&self, value: i64) -> Option<u64> {
        match self {
            Self::Bool => u64::try_from(value).ok().filter(|code| *code < 2),
            Self::Range { lo, hi } => (*lo..=*hi).contains(&value).then(|| value.abs_diff(*lo)),
            Self::Enum(symbols) => symbols.iter().position(|symbol| i64::from(symbol.0) == value).map(|at| at as u64),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// `Top.object`, `V[0].rate`; of a component its path, empty for the root.
    pub path: String,
    pub scalar: Scalar,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Plain,
    /// `N!c` of this node.
    Configuration(String),
    /// `N!ev` of this node.
    Event(String),
}

#[derive(Clone, Debug)]
pub struct TypeData {
    /// As types are written.
    pub name: String,
    pub leaves: Vec<Leaf>,
    pub origin: Origin,
}

/// The types and symbols of a session; they only become more.
#[derive(Default)]
pub struct Types {
    list: IdVec<TypeId, TypeData>,
    by_name: Map<String, TypeId>,
    domains: Map<String, TypeId>,
    symbols: IdVec<Symbol, String>,
    by_symbol: Map<String, Symbol>,
}

/// The most leaves a type may have.
pub const MAX_LEAVES: usize = 10_000;

impl Types {
    pub fn get(&self, id: TypeId) -> &TypeData {
        &self.list[id]
    }

    pub fn name(&self, id: TypeId) -> &str {
        &self.list[id].name
    }

    pub fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.by_symbol.get(text) {
            return symbol;
        }
        let symbol = self.symbols.push(text.to_owned());
        self.by_symbol.insert(text.to_owned(), symbol);
        symbol
    }

    pub fn find_symbol(&self, text: &str) -> Option<Symbol> {
        self.by_symbol.get(text).copied()
    }

    /// The text of a symbol given by its number.
    pub fn symbol_text(&self, value: i64) -> &str {
        &self.symbols[Symbol(u32::try_from(value).expect("symbols count from zero"))]
    }

    pub fn all_symbols(&self) -> impl Iterator<Item = &str> {
        self.symbols.iter().map(String::as_str)
    }

    pub fn declare(&mut self, name: &str, ty: TypeId) {
        self.domains.insert(name.to_owned(), ty);
    }

    pub fn domain(&self, name: &str) -> Option<TypeId> {
        self.domains.get(name).copied()
    }

    pub fn add(&mut self, data: TypeData) -> TypeId {
        if let Some(&id) = self.by_name.get(&data.name) {
            return id;
        }
        let name = data.name.clone();
        let id = self.list.push(data);
        self.by_name.insert(name, id);
        id
    }

    pub fn find(&self, name: &str) -> Option<TypeId> {
        self.by_name.get(name).copied()
    }

    /// The type that a scalar has by itself.
    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        let name = self.scalar_name(&scalar);
        let leaves = vec![Leaf { path: String::new(), scalar }];
        self.add(TypeData { name, leaves, origin: Origin::Plain })
    }

    fn scalar_name(&self, scalar: &Scalar) -> String {
        match scalar {
            Scalar::Bool => "bool".to_owned(),
            Scalar::Range { lo, hi } => format!("[{lo}, {hi}]"),
            Scalar::Enum(symbols) => {
                let texts: Vec<&str> = symbols.iter().map(|&symbol| self.symbols[symbol].as_str()).collect();
                format!("{{{}}}", texts.join(", "))
            }
        }
    }

    /// `N!c`: one leaf per variable.
    pub fn configuration(&mut self, node: &str, tree: &Tree) -> TypeId {
        let mut leaves = Vec::new();
        for var in tree.vars.iter() {
            let scalar = match var.domain {
                Domain::Bool => Scalar::Bool,
                Domain::Range { lo, hi } => Scalar::Range { lo, hi },
                Domain::Int => Scalar::Range { lo: i64::MIN, hi: i64::MAX },
                Domain::Bits(_) | Domain::Array(_) => unreachable!("AltaRica has neither bit-vectors nor arrays"),
                Domain::Enum(id) => {
                    let literals = tree.enums[id].literals.iter();
                    Scalar::Enum(literals.map(|literal| self.symbol(literal)).collect())
                }
            };
            leaves.push(Leaf { path: var.name.clone(), scalar });
        }
        self.add(TypeData { name: format!("{node}!c"), leaves, origin: Origin::Configuration(node.to_owned()) })
    }

    /// `N!ev`: one leaf per component, whose values are the component's events.
    pub fn event(&mut self, node: &str, tree: &Tree) -> TypeId {
        let mut leaves = Vec::new();
        for component in tree.components.iter() {
            let names = component.events.iter().map(|event| match event.name.as_str() {
                "" => EPSILON_NAME,
                name => name,
            });
            let symbols = names.map(|name| self.symbol(name)).collect();
            leaves.push(Leaf { path: component.path.clone(), scalar: Scalar::Enum(symbols) });
        }
        self.add(TypeData { name: format!("{node}!ev"), leaves, origin: Origin::Event(node.to_owned()) })
    }

    /// A value in words.
    pub fn show(&self, scalar: &Scalar, code: u64) -> String {
        match scalar {
            Scalar::Bool => (code != 0).to_string(),
            Scalar::Range { .. } => scalar.value(code).to_string(),
            Scalar::Enum(_) => self.symbol_text(scalar.value(code)).to_owned(),
        }
    }
}

/// One step down a path.
pub fn join(prefix: &str, step: &str) -> String {
    match prefix.is_empty() || step.is_empty() || step.starts_with('[') {
        true => format!("{prefix}{step}"),
        false => format!("{prefix}.{step}"),
    }
}

/// What remains of a path below a prefix: empty if they are equal.
pub fn below<'a>(path: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(prefix)?;
    match rest.chars().next() {
        None => Some(rest),
        Some(_) if prefix.is_empty() => Some(rest),
        Some('.') => Some(&rest[1..]),
        Some('[') => Some(rest),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_lies_below_its_prefixes_only_at_steps() {
        assert_eq!(below("Top.object", "Top"), Some("object"));
        assert_eq!(below("Top.object", "To"), None);
        assert_eq!(below("V[0].rate", "V"), Some("[0].rate"));
        assert_eq!(below("V[0].rate", "V[0]"), Some("rate"));
        assert_eq!(below("x", "x"), Some(""));
        assert_eq!(below("x", ""), Some("x"));
    }

    #[test]
    fn codes_and_values_are_inverse() {
        let scalar = Scalar::Range { lo: -2, hi: 3 };
        assert_eq!((scalar.size(), scalar.value(0), scalar.code(3), scalar.code(4)), (6, -2, Some(5), None));
    }

    #[test]
    fn equal_types_are_one() {
        let mut types = Types::default();
        let (a, b) = (types.symbol("a"), types.symbol("b"));
        let first = types.scalar(Scalar::Enum(vec![a, b]));
        assert_eq!(types.name(first), "{a, b}");
        assert_eq!(types.scalar(Scalar::Enum(vec![a, b])), first);
        assert_ne!(types.scalar(Scalar::Enum(vec![b, a])), first);
    }
}

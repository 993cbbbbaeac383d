//! Sorts, values, and all values of a sort.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    Bool,
    Int,
    /// Of this width.
    Bits(u32),
    /// The enumeration with this number.
    Enum(usize),
    /// From the first to the second.
    Array(Box<Sort>, Box<Sort>),
}

impl Sort {
    pub fn array(index: Sort, element: Sort) -> Sort {
        Sort::Array(Box::new(index), Box::new(element))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    pub name: String,
    pub literals: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Bool(bool),
    Int(i128),
    /// The width, and the bits as a number.
    Bits(u32, u128),
    /// The enumeration and the literal.
    Literal(usize, usize),
    /// By its cells. Where the indexes are finitely many they are all there; else those that are not have the other value,
    /// and none that is there has it. Equal arrays are equal values.
    Array(BTreeMap<Value, Value>, Option<Box<Value>>),
    /// Any one of infinitely many values, which nobody has looked at.
    Unset,
}

impl Value {
    /// As rows of states show it.
    pub fn text(&self, enums: &[Enumeration]) -> String {
        match self {
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Bits(width, bits) => format!("{width}'b{bits:0width$b}", width = *width as usize),
            Value::Literal(id, literal) => format!("{}.{}", enums[*id].name, enums[*id].literals[*literal]),
            Value::Array(cells, default) => {
                let cell = |(index, value): (&Value, &Value)| format!("{} <- {}", index.text(enums), value.text(enums));
                let rest = default.iter().map(|value| format!("default <- {}", value.text(enums)));
                format!("[{}]", cells.iter().map(cell).chain(rest).collect::<Vec<_>>().join(", "))
            }
            Value::Unset => "any".to_owned(),
        }
    }

    /// An array by its cells and what all others have.
    pub(crate) fn array(
        index: &Sort,
        cells: BTreeMap<Value, Value>,
        default: Value,
        enums: &[Enumeration],
    ) -> Option<Value> {
        if has_infinitely_many(index) {
            let cells = cells.into_iter().filter(|(_, value)| *value != default).collect();
            return Some(Value::Array(cells, Some(Box::new(default))));
        }
        let cell = |index: Value| {
            let value = cells.get(&index).unwrap_or(&default).clone();
            (index, value)
        };
        Some(Value::Array(values(index, enums)?.into_iter().map(cell).collect(), None))
    }
}

/// An array like this is not listed: it has more values than any test wants.
const MOST: usize = 4096;

/// How far from zero a number is that `havoc` gives: enough where an `assume` behind it keeps it nearer.
pub const WINDOW: i128 = 12;

/// All values of a sort; none if they are infinitely many, or far too many.
pub fn values(sort: &Sort, enums: &[Enumeration]) -> Option<Vec<Value>> {
    match sort {
        Sort::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Sort::Int => None,
        Sort::Bits(width) if *width > MOST.ilog2() => None,
        Sort::Bits(width) => Some((0..1 << width).map(|bits| Value::Bits(*width, bits)).collect()),
        Sort::Enum(id) => Some((0..enums[*id].literals.len()).map(|literal| Value::Literal(*id, literal)).collect()),
        Sort::Array(index, element) => {
            let (indexes, elements) = (values(index, enums)?, values(element, enums)?);
            let n_arrays = elements.len().checked_pow(u32::try_from(indexes.len()).ok()?)?;
            if n_arrays > MOST {
                return None;
            }
            let mut all = vec![BTreeMap::new()];
            for index in indexes {
                let with = |cells: &BTreeMap<Value, Value>, element: &Value| {
                    let mut cells = cells.clone();
                    cells.insert(index.clone(), element.clone());
                    cells
                };
                all = all.iter().flat_map(|cells| elements.iter().map(move |element| with(cells, element))).collect();
            }
            Some(all.into_iter().map(|cells| Value::Array(cells, None)).collect())
        }
    }
}

/// What a variable starts with that nothing is said about: any value, told apart only where they are finitely many.
pub fn start(sort: &Sort, enums: &[Enumeration]) -> Vec<Value> {
    values(sort, enums).unwrap_or_else(|| vec![Value::Unset])
}

fn has_infinitely_many(sort: &Sort) -> bool {
    match sort {
        Sort::Int => true,
        Sort::Bool | Sort::Bits(_) | Sort::Enum(_) => false,
        Sort::Array(index, element) => has_infinitely_many(index) || has_infinitely_many(element),
    }
}

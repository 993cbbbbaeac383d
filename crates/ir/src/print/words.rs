//! Bit-vectors and arrays in the exact form: `@bits[8](255)`, `@value(int -> bool)(false; 3: true)`.

use crate::expr::Exprs;
use crate::function::Function;
use crate::model::Raw;
use crate::print::names::{Names, name};
use crate::types::{ArrayId, ArrayType, EnumId, Sort};
use crate::value::decimal;

pub fn sort(names: &Names, exprs: &Exprs, sort: Sort) -> String {
    match sort {
        Sort::Bool => "bool".to_owned(),
        Sort::Int => "int".to_owned(),
        Sort::Enum(id) => names.enumeration(id).to_owned(),
        Sort::Bits(width) => format!("@bits[{width}]"),
        Sort::Array(id) => format!("@array{}", array(names, exprs, id)),
    }
}

/// `(int -> bool)`
pub fn array(names: &Names, exprs: &Exprs, id: ArrayId) -> String {
    let ArrayType { index, element } = exprs.array_type(id);
    format!("({} -> {})", sort(names, exprs, index), sort(names, exprs, element))
}

/// What stands before the parts of a function.
pub fn head(names: &Names, exprs: &Exprs, function: Function) -> String {
    let word = function.word();
    match function {
        Function::Extract { high, low } => format!("@{word}[{high},{low}]"),
        Function::Concat(width) | Function::ZeroExtend(width) | Function::SignExtend(width) => {
            format!("@{word}[{width}]")
        }
        Function::Select(id) | Function::Store(id) | Function::Fill(id) => {
            format!("@{word}{}", array(names, exprs, id))
        }
        _ => format!("@{word}"),
    }
}

/// A constant of a sort that is known where it is read.
pub fn constant(
    names: &Names,
    exprs: &Exprs,
    literals: &dyn Fn(EnumId, Raw) -> Option<String>,
    of: Sort,
    raw: Raw,
) -> String {
    let values = exprs.values();
    match of {
        Sort::Bool => if raw == 0 { "false" } else { "true" }.to_owned(),
        Sort::Int => raw.to_string(),
        Sort::Enum(id) => {
            let literal = literals(id, raw).unwrap_or_else(|| format!("#{raw}"));
            format!("{}::{}", names.enumeration(id), name(&literal))
        }
        Sort::Bits(width) => decimal(&values.words(width, raw)),
        Sort::Array(id) => {
            let ArrayType { index, element } = exprs.array_type(id);
            let array = values.array_value(raw);
            let constant = |of: Sort, raw: Raw| constant(names, exprs, literals, of, raw);
            let entries: Vec<String> = array
                .entries
                .iter()
                .map(|&(at, it)| format!("{}: {}", constant(index, at), constant(element, it)))
                .collect();
            let entries = if entries.is_empty() { String::new() } else { format!("; {}", entries.join(", ")) };
            format!("({}{entries})", constant(element, array.default))
        }
    }
}

//! Sorts, functions and constants in the words of SMT-LIB.

use std::borrow::Cow;
use std::fmt::Write;

use lapidary_base::Stop;
use lapidary_ir::{ArrayId, ArrayValue, Expr, Function, Node, Raw, Sort};

use crate::terms::{TermSort, Terms};

/// Cells, and arrays of which solvers are not told, are refused.
pub fn is_for_solvers(terms: &Terms<'_>, expr: Expr) -> Result<(), Stop> {
    match terms.exprs().node(expr) {
        Node::Cell(..) => Err(Stop::Incomplete("a term has a cell of an array".to_owned())),
        Node::Var(var) => is_sort_for_solvers(terms, terms.sort(*var)),
        Node::Value(id, _) | Node::Apply(Function::Select(id) | Function::Store(id) | Function::Fill(id), _) => {
            is_sort_for_solvers(terms, TermSort::Array(*id))
        }
        _ => Ok(()),
    }
}

pub fn is_sort_for_solvers(terms: &Terms<'_>, sort: TermSort) -> Result<(), Stop> {
    match sort {
        TermSort::Bool | TermSort::Int | TermSort::Bits(_) => Ok(()),
        TermSort::Array(id) => {
            let (index, element) = terms.array(id)?;
            is_sort_for_solvers(terms, index)?;
            is_sort_for_solvers(terms, element)
        }
    }
}

fn array(terms: &Terms<'_>, id: ArrayId) -> (TermSort, TermSort) {
    terms.array(id).expect("other arrays are refused")
}

pub fn sort_text(terms: &Terms<'_>, sort: TermSort) -> String {
    match sort {
        TermSort::Bool => "Bool".to_owned(),
        TermSort::Int => "Int".to_owned(),
        TermSort::Bits(width) => format!("(_ BitVec {width})"),
        TermSort::Array(id) => {
            let (index, element) = array(terms, id);
            format!("(Array {} {})", sort_text(terms, index), sort_text(terms, element))
        }
    }
}

/// What stands before the parts of a function, of which this is the first one.
pub fn function_text(terms: &Terms<'_>, function: Function, first: Expr) -> Cow<'static, str> {
    // How many bits an extension adds.
    let added = |to: u32| match terms.sort_of(first) {
        Sort::Bits(width) => to - width,
        Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Array(_) => unreachable!("validated terms are well sorted"),
    };
    match function {
        Function::Extract { high, low } => format!("(_ extract {high} {low})").into(),
        Function::ZeroExtend(to) => format!("(_ zero_extend {})", added(to)).into(),
        Function::SignExtend(to) => format!("(_ sign_extend {})", added(to)).into(),
        Function::Fill(id) => format!("(as const {})", sort_text(terms, TermSort::Array(id))).into(),
        plain => plain.word().into(),
    }
}

/// A value, as its number says it. Recursion is bounded, because types of arrays are small.
pub fn constant(terms: &Terms<'_>, sort: TermSort, raw: Raw, to: &mut String) {
    match sort {
        TermSort::Bool => to.push_str(if raw == 0 { "false" } else { "true" }),
        TermSort::Int if raw < 0 => write!(to, "(- {})", raw.unsigned_abs()).expect("strings take everything"),
        TermSort::Int => write!(to, "{raw}").expect("strings take everything"),
        TermSort::Bits(width) => bits(&terms.exprs().values().words(width, raw), width, to),
        TermSort::Array(id) => {
            let (index, element) = array(terms, id);
            let ArrayValue { default, entries } = terms.exprs().values().array_value(raw);
            entries.iter().for_each(|_| to.push_str("(store "));
            write!(to, "((as const {}) ", sort_text(terms, sort)).expect("strings take everything");
            constant(terms, element, *default, to);
            to.push(')');
            for &(at, it) in entries {
                to.push(' ');
                constant(terms, index, at, to);
                to.push(' ');
                constant(terms, element, it, to);
                to.push(')');
            }
        }
    }
}

fn bits(words: &[u64], width: u32, to: &mut String) {
    let (prefix, digit_bits) = if width.is_multiple_of(4) { ("#x", 4) } else { ("#b", 1) };
    to.push_str(prefix);
    for low in (0..width).step_by(digit_bits).rev() {
        let digit = words[(low / 64) as usize] >> (low % 64) & ((1 << digit_bits) - 1);
        to.push(char::from_digit(digit as u32, 16).expect("a digit"));
    }
}

//! The values of expressions, worked out apart from any engine: numbers of 128 bits, and arrays as maps.

use std::collections::BTreeMap;

use lapidary_ir::{Expr, Function, Model, Node, Raw, Sort, VarId};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Bool(bool),
    Int(i128),
    Bits(u32, u128),
    /// Entries that are the same as the default are left out.
    Array(BTreeMap<Value, Value>, Box<Value>),
}

pub type Values = BTreeMap<VarId, Value>;

pub fn evaluate(model: &Model, values: &Values, expr: Expr) -> Value {
    let value = |part: Expr| evaluate(model, values, part);
    let truth = |part: Expr| value(part) == Value::Bool(true);
    let int = |part: Expr| match value(part) {
        Value::Int(value) => value,
        other => panic!("{other:?} is no number"),
    };
    match model.exprs.node(expr) {
        Node::Bool(value) => Value::Bool(*value),
        Node::Int(value) => Value::Int(i128::from(*value)),
        Node::Literal(_, number) => Value::Int(i128::from(*number)),
        Node::Bits(width, raw) => constant(model, Sort::Bits(*width), *raw),
        Node::Value(id, raw) => constant(model, Sort::Array(*id), *raw),
        Node::Var(var) => values[var].clone(),
        Node::Cell(..) => panic!("there are no families"),
        Node::Not(a) => Value::Bool(!truth(*a)),
        Node::And(parts) => Value::Bool(parts.iter().all(|&part| truth(part))),
        Node::Or(parts) => Value::Bool(parts.iter().any(|&part| truth(part))),
        Node::Ite(a, b, c) => value(if truth(*a) { *b } else { *c }),
        Node::Eq(a, b) => Value::Bool(value(*a) == value(*b)),
        Node::Lt(a, b) => Value::Bool(int(*a) < int(*b)),
        Node::Le(a, b) => Value::Bool(int(*a) <= int(*b)),
        Node::Add(parts) => Value::Int(parts.iter().map(|&part| int(part)).sum()),
        Node::Neg(a) => Value::Int(-int(*a)),
        Node::Mul(a, b) => Value::Int(int(*a) * int(*b)),
        Node::Div(a, b) => Value::Int(int(*a).div_euclid(int(*b))),
        Node::Mod(a, b) => Value::Int(int(*a).rem_euclid(int(*b))),
        Node::Apply(function, parts) => apply(*function, parts.iter().map(|&part| value(part)).collect()),
    }
}

/// A number as the pool has it.
pub fn constant(model: &Model, sort: Sort, raw: Raw) -> Value {
    match sort {
        Sort::Bool => Value::Bool(raw != 0),
        Sort::Int | Sort::Enum(_) => Value::Int(i128::from(raw)),
        Sort::Bits(width) => {
            let words = model.exprs.values().words(width, raw);
            Value::Bits(width, words.iter().rev().fold(0, |value, &word| value << 64 | u128::from(word)))
        }
        Sort::Array(id) => {
            let (of, array) = (model.exprs.array_type(id), model.exprs.values().array_value(raw));
            let entry = |&(index, element): &(Raw, Raw)| {
                (constant(model, of.index, index), constant(model, of.element, element))
            };
            Value::Array(
                array.entries.iter().map(entry).collect(),
                Box::new(constant(model, of.element, array.default)),
            )
        }
    }
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

fn signed(width: u32, value: u128) -> i128 {
    let free = 128 - width;
    ((value << free) as i128) >> free
}

fn apply(function: Function, mut parts: Vec<Value>) -> Value {
    match function {
        Function::Select(_) => {
            let Value::Array(entries, default) = &parts[0] else { panic!("no array") };
            return entries.get(&parts[1]).unwrap_or(default).clone();
        }
        Function::Store(_) => {
            let (value, index) = (parts.pop().unwrap(), parts.pop().unwrap());
            let Some(Value::Array(mut entries, default)) = parts.pop() else { panic!("no array") };
            if *default == value {
                entries.remove(&index);
            } else {
                entries.insert(index, value);
            }
            return Value::Array(entries, default);
        }
        Function::Fill(_) => return Value::Array(BTreeMap::new(), Box::new(parts.remove(0))),
        _ => {}
    }
    let numbers: Vec<(u32, u128)> = parts
        .iter()
        .map(|part| match part {
            Value::Bits(width, value) => (*width, *value),
            other => panic!("{other:?} is no bit-vector"),
        })
        .collect();
    let (width, a) = numbers[0];
    let b = numbers.get(1).map_or(0, |&(_, value)| value);
    let (left, right) = (signed(width, a), signed(width, b));
    let bits = |value: u128| Value::Bits(width, value & mask(width));
    let shift = |shifted: Option<u128>, beyond: u128| bits(shifted.filter(|_| b < u128::from(width)).unwrap_or(beyond));
    let by = u32::try_from(b).unwrap_or(u32::MAX);
    match function {
        Function::BitNot => bits(!a),
        Function::BitNeg => bits(a.wrapping_neg()),
        Function::BitAnd => bits(a & b),
        Function::BitOr => bits(a | b),
        Function::BitXor => bits(a ^ b),
        Function::BitAdd => bits(a.wrapping_add(b)),
        Function::BitMul => bits(a.wrapping_mul(b)),
        Function::BitUdiv => bits(a.checked_div(b).unwrap_or(u128::MAX)),
        Function::BitUrem => bits(a.checked_rem(b).unwrap_or(a)),
        Function::BitShl => shift(a.checked_shl(by), 0),
        Function::BitLshr => shift(a.checked_shr(by), 0),
        Function::BitAshr => {
            shift(left.checked_shr(by).map(|value| value as u128), if left < 0 { u128::MAX } else { 0 })
        }
        Function::Ult => Value::Bool(a < b),
        Function::Ule => Value::Bool(a <= b),
        Function::Slt => Value::Bool(left < right),
        Function::Sle => Value::Bool(left <= right),
        Function::Concat(whole) => Value::Bits(whole, a << (whole - width) | b),
        Function::Extract { high, low } => Value::Bits(high - low + 1, a >> low & mask(high - low + 1)),
        Function::ZeroExtend(to) => Value::Bits(to, a),
        Function::SignExtend(to) => Value::Bits(to, left as u128 & mask(to)),
        Function::Select(_) | Function::Store(_) | Function::Fill(_) => unreachable!("done above"),
    }
}

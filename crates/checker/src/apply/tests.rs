//! Functions against arithmetic that is written here once more, by the interpreter and by closures.

use std::collections::BTreeMap;

use lapidary_base::IdVec;
use lapidary_ir::model::Raw;
use lapidary_ir::{ArrayId, Declarations, Domain, Expr, Function, Life, Node, Sort, Var, VarId};
use lapidary_reference::dice::Dice;
use lapidary_text::{SourceId, Span};

use crate::atoms;
use crate::compile::{Compiler, Truth};
use crate::eval;

const WIDTHS: [u32; 8] = [1, 2, 5, 8, 63, 64, 65, 128];

/// Variables of these domains, by number.
fn model(domains: &[Domain]) -> Declarations {
    let mut model = Declarations::default();
    declare(&mut model, domains);
    model
}

fn declare(model: &mut Declarations, domains: &[Domain]) {
    let span = Span::new(SourceId(0), 0, 0);
    let var = |&domain: &Domain| Var { name: "x".to_owned(), domain, control: false, life: Life::State, span };
    model.vars = domains.iter().map(var).collect::<IdVec<VarId, Var>>();
}

fn ones(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

fn raw(model: &Declarations, width: u32, value: u128) -> Raw {
    model.exprs.values().bits(width, &[value as u64, (value >> 64) as u64])
}

/// Numbers at which something happens, and some others.
fn interesting(width: u32) -> Vec<u128> {
    let (all, sign, n) = (ones(width), 1 << (width - 1), u128::from(width));
    let mut numbers =
        vec![0, 1, 2, 3, 7, n - 1, n, n + 1, all, all - 1, all / 2, sign, sign ^ 1, all / 3, 1 << (width / 2)];
    let mut dice = Dice::new(u64::from(width));
    numbers.extend((0..4).map(|_| (0..16).fold(0u128, |number, _| number << 8 | dice.below(256) as u128)));
    numbers.iter_mut().for_each(|number| *number &= all);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The number with a sign that a bit-vector means, as far as 128 bits have room for it.
fn signed(width: u32, a: u128) -> i128 {
    if a >> (width - 1) == 1 { a.wrapping_sub(ones(width)).wrapping_sub(1) as i128 } else { a as i128 }
}

/// Bit by bit or by the arithmetic of 128 bits.
fn expected(function: Function, width: u32, a: u128, b: u128) -> u128 {
    let by = usize::try_from(b.min(200)).expect("few");
    let bit = |i: usize| if i < width as usize { a >> i & 1 } else { 0 };
    let from_bits = |bit: &dyn Fn(usize) -> u128| (0..width as usize).fold(0, |sum, i| sum | bit(i) << i);
    let value = match function {
        Function::BitNot => from_bits(&|i| 1 - bit(i)),
        Function::BitNeg => 0u128.wrapping_sub(a),
        Function::BitAnd => a & b,
        Function::BitOr => a | b,
        Function::BitXor => a ^ b,
        Function::BitAdd => a.wrapping_add(b),
        Function::BitMul => a.wrapping_mul(b),
        Function::BitUdiv => a.checked_div(b).unwrap_or(u128::MAX),
        Function::BitUrem => a.checked_rem(b).unwrap_or(a),
        Function::BitShl => from_bits(&|i| if i < by { 0 } else { bit(i - by) }),
        Function::BitLshr => from_bits(&|i| bit(i + by)),
        Function::BitAshr => from_bits(&|i| bit((i + by).min(width as usize - 1))),
        Function::Ult => u128::from(a < b),
        Function::Ule => u128::from(a <= b),
        Function::Slt => u128::from(signed(width, a) < signed(width, b)),
        Function::Sle => u128::from(signed(width, a) <= signed(width, b)),
        _ => unreachable!("a plain function"),
    };
    value & ones(width)
}

/// The interpreter and closures give this number.
fn assert_gives(model: &Declarations, expr: Expr, state: &[Raw], expected: Raw, what: &dyn Fn() -> String) {
    assert_eq!(eval::eval(model, expr, state), Ok(i128::from(expected)), "{}", what());
    let mut compiler = Compiler::new(model);
    assert_eq!(compiler.value(expr)(state), Some(expected), "{} as a closure", what());
    if model.sort(expr) == Sort::Bool {
        assert_eq!(compiler.test(expr)(state), Truth::from(expected == 1), "{} as a test", what());
    }
}

#[test]
fn functions_of_one_width_mean_what_smt_lib_says() {
    for width in WIDTHS {
        let model = model(&[Domain::Bits(width); 2]);
        let e = &model.exprs;
        for function in Function::PLAIN {
            let parts: Vec<Expr> = (0..function.n_parts() as u32).map(|i| e.var(VarId(i))).collect();
            let expr = e.apply(function, parts);
            let given = if model.sort(expr) == Sort::Bool { 1 } else { width };
            for &a in &interesting(width) {
                for &b in &interesting(width) {
                    let state = [raw(&model, width, a), raw(&model, width, b)];
                    let expected = raw(&model, given, expected(function, width, a, b));
                    assert_gives(&model, expr, &state, expected, &|| format!("{function:?} {width} {a} {b}"));
                }
            }
        }
    }
}

#[test]
fn comparisons_with_constants_are_atoms_that_say_the_same() {
    for width in WIDTHS {
        let model = model(&[Domain::Bits(width)]);
        let (e, x) = (&model.exprs, model.exprs.var(VarId(0)));
        for &c in &interesting(width) {
            let constant = e.wide_bits(width, &[c as u64, (c >> 64) as u64]);
            let comparisons =
                [e.ult(x, constant), e.ule(x, constant), e.ult(constant, x), e.ule(constant, x), e.eq(x, constant)];
            for expr in comparisons {
                let is_atom = atoms::atom(&model, expr).is_some();
                assert_eq!(is_atom, width < 64 || matches!(e.node(expr), Node::Eq(..)));
                for &a in &interesting(width) {
                    let state = [raw(&model, width, a)];
                    let expected = i64::from(match e.node(expr) {
                        Node::Apply(Function::Ult, parts) if parts[0] == x => a < c,
                        Node::Apply(Function::Ult, _) => c < a,
                        Node::Apply(_, parts) if parts[0] == x => a <= c,
                        Node::Apply(..) => c <= a,
                        _ => a == c,
                    });
                    assert_gives(&model, expr, &state, expected, &|| format!("{expr:?} {width} {a} {c}"));
                }
            }
        }
    }
}

#[test]
fn bits_are_put_together_taken_apart_and_extended() {
    for upper in [1, 5, 8, 63, 64, 65] {
        for lower in [1, 3, 8, 60, 63] {
            let width = upper + lower;
            let model = model(&[Domain::Bits(upper), Domain::Bits(lower), Domain::Bits(width)]);
            let e = &model.exprs;
            let [a, b, both] = [0, 1, 2].map(|i| e.var(VarId(i)));
            for &x in &interesting(upper) {
                for &y in &interesting(lower) {
                    let whole = x << lower | y;
                    let state = [raw(&model, upper, x), raw(&model, lower, y), raw(&model, width, whole)];
                    let gives = |expr, width, value: u128| {
                        assert_gives(&model, expr, &state, raw(&model, width, value), &|| {
                            format!("{:?} {upper} {lower} {x} {y}", e.node(expr))
                        });
                    };
                    gives(e.concat(a, b, width), width, whole);
                    gives(e.extract(both, width - 1, lower), upper, x);
                    gives(e.extract(both, lower - 1, 0), lower, y);
                    gives(e.extract(both, lower, lower - 1), 2, whole >> (lower - 1) & 3);
                    gives(e.zero_extend(a, width), width, x);
                    gives(e.sign_extend(a, width), width, signed(upper, x) as u128 & ones(width));
                }
            }
        }
    }
}

#[test]
fn what_is_made_of_other_functions_means_what_it_is_called() {
    for width in [1, 5, 8, 64, 65] {
        let model = model(&[Domain::Bits(width); 2]);
        let e = &model.exprs;
        let [a, b] = [0, 1].map(|i| e.var(VarId(i)));
        let (sdiv, srem, smod) = (e.bit_sdiv(a, b, width), e.bit_srem(a, b, width), e.bit_smod(a, b, width));
        let (rol, ror) = (e.bit_rol(a, b, width), e.bit_ror(a, b, width));
        for &x in &interesting(width) {
            for &y in &interesting(width).into_iter().filter(|&y| y != 0).collect::<Vec<_>>() {
                let state = [raw(&model, width, x), raw(&model, width, y)];
                let (s, t) = (signed(width, x), signed(width, y));
                let floor_mod = (s % t + t) % t;
                let turned = |by: u32| (x << by | x >> (width - by)) & ones(width);
                let by = (y % u128::from(width)) as u32;
                let expected = [
                    (sdiv, (s / t) as u128),
                    (srem, (s % t) as u128),
                    (smod, floor_mod as u128),
                    (rol, if by == 0 { x } else { turned(by) }),
                    (ror, if by == 0 { x } else { turned(width - by) }),
                ];
                for (expr, expected) in expected {
                    let expected = raw(&model, width, expected & ones(width));
                    assert_gives(&model, expr, &state, expected, &|| format!("{width} {x} {y}"));
                }
            }
        }
    }
}

#[test]
fn very_wide_numbers_obey_the_laws_of_arithmetic() {
    let mut dice = Dice::new(1);
    for width in [129, 200, 256, 1000, 4096] {
        let model = model(&[Domain::Bits(width); 3]);
        let (e, values) = (&model.exprs, model.exprs.values());
        let [a, b, c] = [0, 1, 2].map(|i| e.var(VarId(i)));
        let again = e.bit_add(e.bit_mul(e.bit_udiv(a, b), b), e.bit_urem(a, b));
        let spread = e.bit_add(e.bit_mul(a, b), e.bit_mul(a, c));
        let half = width / 2;
        let turned = e.concat(e.extract(a, half - 1, 0), e.extract(a, width - 1, half), width);
        let laws = [
            e.eq(again, a),
            e.or([e.ult(e.bit_urem(a, b), b), e.eq(b, e.bits(width, 0))]),
            e.eq(e.bit_mul(a, e.bit_add(b, c)), spread),
            e.eq(e.bit_add(a, e.bit_neg(a)), e.bits(width, 0)),
            e.eq(e.bit_not(a), e.bit_sub(e.bit_neg(a), e.bits(width, 1))),
            e.eq(turned, e.bit_rol(a, e.bits(width, u64::from(width - half)), width)),
            e.eq(e.bit_shl(a, e.bits(width, 70)), e.bit_mul(a, e.wide_bits(width, &[0, 64]))),
            e.eq(e.bit_lshr(a, e.bits(width, 70)), e.bit_udiv(a, e.wide_bits(width, &[0, 64]))),
            e.eq(
                e.slt(a, b),
                e.ult(
                    e.bit_sub(a, e.bit_shl(e.bits(width, 1), e.bits(width, u64::from(width - 1)))),
                    e.bit_sub(b, e.bit_shl(e.bits(width, 1), e.bits(width, u64::from(width - 1)))),
                ),
            ),
            e.eq(e.extract(e.sign_extend(a, width + 77), width - 1, 0), a),
            e.eq(e.extract(e.bit_ashr(a, e.bits(width, 65)), width - 66, 0), e.extract(a, width - 1, 65)),
        ];
        for _ in 0..20 {
            let mut number = |n_words: usize| -> Raw {
                let words: Vec<u64> =
                    (0..n_words).map(|_| (0..8).fold(0, |sum, _| sum << 8 | dice.below(256) as u64)).collect();
                values.bits(width, &words)
            };
            let state = [number(64), number(1 + width as usize / 100), number(64)];
            for (i, &law) in laws.iter().enumerate() {
                assert_gives(&model, law, &state, 1, &|| format!("law {i} of {width} bits"));
            }
        }
    }
}

#[test]
fn the_widest_numbers_are_divided_in_a_moment() {
    let width = lapidary_ir::function::MAX_WIDTH;
    let model = model(&[Domain::Bits(width); 2]);
    let e = &model.exprs;
    let [a, b] = [0, 1].map(|i| e.var(VarId(i)));
    let words = vec![u64::MAX; 1024];
    let state = [e.values().bits(width, &words), e.values().bits(width, &words[..512])];
    let again = e.bit_add(e.bit_mul(e.bit_udiv(a, b), b), e.bit_urem(a, b));
    assert_eq!(eval::truth(&model, e.eq(again, a), &state), Ok(true));
}

/// An array as a map of all indexes that matter.
type Plain = BTreeMap<Raw, Raw>;

fn array_model(index: Sort, element: Sort) -> (Declarations, ArrayId) {
    let mut model = Declarations::default();
    let id = model.exprs.array(index, element);
    declare(&mut model, &[Domain::Array(id), index.domain(), element.domain(), Domain::Array(id)]);
    (model, id)
}

#[test]
fn arrays_are_functions_that_are_equal_when_their_elements_are() {
    for (index, element, n_indexes) in [
        (Sort::Bool, Sort::Int, 2),
        (Sort::Bits(2), Sort::Bool, 4),
        (Sort::Int, Sort::Int, 5),
        (Sort::Int, Sort::Bits(65), 5),
    ] {
        let (model, id) = array_model(index, element);
        let e = &model.exprs;
        let [array, at, it, other] = [0, 1, 2, 3].map(|i| e.var(VarId(i)));
        let (select, store) =
            (e.apply(Function::Select(id), [array, at]), e.apply(Function::Store(id), [array, at, it]));
        let (fill, same) = (e.apply(Function::Fill(id), [it]), e.eq(array, other));
        let element_of = |number: usize| match element {
            Sort::Bits(width) => e.values().bits(width, &[number as u64 % 2, 1]),
            Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Array(_) => number as Raw % 2,
        };
        let mut dice = Dice::new(7);
        let first = e.values().fill(element_of(0));
        let plain = |value: Raw| -> Plain { (0..n_indexes).map(|i| (i, value)).collect() };
        let mut known: Vec<(Raw, Plain)> = vec![(first, plain(element_of(0)))];
        for _ in 0..300 {
            let (number, elements) = known[dice.below(known.len())].clone();
            let (i, value) = (dice.below(n_indexes as usize) as Raw, element_of(dice.below(2)));
            let state = [number, i, value, first];
            let gives = |expr| {
                let found = eval::eval(&model, expr, &state).expect("it has a value") as Raw;
                assert_eq!(Compiler::new(&model).value(expr)(&state), Some(found));
                found
            };
            assert_eq!(gives(select), elements[&i]);
            let mut changed = elements;
            changed.insert(i, value);
            known.push((gives(store), changed));
            known.push((gives(fill), plain(value)));
        }
        for (a, left) in &known {
            assert!(super::is_value(&model, Domain::Array(id), *a));
            for (b, right) in known.iter().step_by(7) {
                let is_same = (index != Sort::Int && left == right) || a == b;
                // Arrays over all integers that agree on a few may differ elsewhere.
                assert!(a != b || left == right);
                assert_eq!(eval::truth(&model, same, &[*a, 0, 0, *b]), Ok(is_same), "{left:?} {right:?}");
            }
        }
    }
}

#[test]
fn integers_that_no_state_keeps_index_arrays_but_are_not_put_into_them() {
    let (model, id) = array_model(Sort::Int, Sort::Int);
    let e = &model.exprs;
    let [array, at, it] = [0, 1, 2].map(|i| e.var(VarId(i)));
    let large = e.add([at, at]);
    let state = [e.values().listed(None, 3, [(0, 4)]), i64::MAX, 1, 0];
    assert_eq!(eval::eval(&model, e.apply(Function::Select(id), [array, large]), &state), Ok(3));
    for parts in [[array, large, it], [array, it, large]] {
        assert_eq!(eval::eval(&model, e.apply(Function::Store(id), parts), &state), Err(eval::Error::Overflow));
    }
}

#[test]
fn numbers_of_no_value_are_outside_the_domain() {
    let mut model = Declarations::default();
    let values = |model: &Declarations| {
        let (short, array) = (model.exprs.values().bits(65, &[1, 1]), model.exprs.values().fill(1));
        (short, model.exprs.values().bits(200, &[1, 1]), array)
    };
    let (wide, wider, array) = values(&model);
    let (ints, bools) = (model.exprs.array(Sort::Int, Sort::Int), model.exprs.array(Sort::Bool, Sort::Bool));
    // As nobody writes it: all indexes are listed.
    let other = model.exprs.values().listed(None, 0, [(0, 1), (1, 1)]);
    let domains = [Domain::Bits(8), Domain::Bits(65), Domain::Array(ints), Domain::Array(bools), Domain::Bits(64)];
    declare(&mut model, &domains);
    let cases: [(u32, &[Raw], &[Raw]); 5] = [
        (0, &[0, 255], &[-1, 256]),
        (1, &[wide], &[wider, array, -1, 1000]),
        (2, &[array, other], &[wide, -1, 1000]),
        (3, &[array], &[other, wide, -1]),
        (4, &[-1, i64::MIN, 5], &[]),
    ];
    for (var, inside, outside) in cases {
        assert!(inside.iter().all(|&value| eval::in_domain(&model, VarId(var), value)), "variable {var}");
        assert!(!outside.iter().any(|&value| eval::in_domain(&model, VarId(var), value)), "variable {var}");
    }
}

#[test]
fn shared_and_deep_expressions_know_their_widths() {
    for width in [7, 64, 65, 100] {
        let model = model(&[Domain::Bits(width), Domain::Bits(width), Domain::Bool]);
        let e = &model.exprs;
        let [x, y, p] = [0, 1, 2].map(|i| e.var(VarId(i)));
        let step = |part: Expr| e.ite(p, e.bit_add(part, e.bit_xor(part, y)), e.bit_neg(e.bit_mul(part, y)));
        let shared = (0..40).fold(x, |part, _| step(part));
        let deep = (0..20_000).fold(x, |part, _| e.bit_lshr(e.bit_shl(part, e.bits(width, 1)), e.bits(width, 1)));
        for p in [0, 1] {
            for &a in &interesting(width) {
                let b = interesting(width)[3];
                let state = [raw(&model, width, a), raw(&model, width, b), p];
                let one = |part: u128| match p {
                    0 => part.wrapping_mul(b).wrapping_neg() & ones(width),
                    _ => part.wrapping_add(part ^ b) & ones(width),
                };
                let expected = raw(&model, width, (0..40).fold(a, |part, _| one(part)));
                assert_gives(&model, shared, &state, expected, &|| format!("shared {width} {a}"));
                let cut = raw(&model, width, a & ones(width) >> 1);
                if a < 8 {
                    assert_gives(&model, deep, &state, cut, &|| format!("deep {width} {a}"));
                }
            }
        }
    }
}

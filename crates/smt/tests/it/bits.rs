//! Functions on bit-vectors mean for every solver what they mean bit by bit.

use lapidary_base::Control;
use lapidary_ir::value::decimal;
use lapidary_ir::{Domain, Expr, Exprs, Function, Model, Sort, VarId};
use lapidary_reference::dice::Dice;
use lapidary_smt::{Backend, FullSolver, Sat, Terms};

use crate::support::bits::{Bits, is_less, meaning};

lapidary_reference::with_z3!(z3_knows_every_function,);
lapidary_reference::with_cvc5!(cvc5_knows_every_function,);

#[cfg(feature = "z3")]
#[test]
fn z3_in_process_knows_every_function() {
    every_function(&Backend::default());
}

fn z3_knows_every_function() {
    every_function(&Backend::parse("z3").expect("there"));
}

fn cvc5_knows_every_function() {
    every_function(&Backend::parse("cvc5").expect("there"));
}

const WIDTHS: [u32; 7] = [1, 5, 8, 63, 64, 65, 128];

/// Corners, and numbers in between.
fn samples(width: u32) -> Vec<Bits> {
    let mut dice = Dice::new(u64::from(width));
    let mut random = || (0..width).map(|_| dice.one_in(2)).collect();
    let one = |at: u32| (0..width).map(|i| i == at).collect();
    let all = [vec![false; width as usize], vec![true; width as usize], one(0), one(width - 1), random(), random()];
    let mut distinct: Vec<Bits> = Vec::new();
    all.into_iter().for_each(|bits| {
        if !distinct.contains(&bits) {
            distinct.push(bits)
        }
    });
    distinct
}

fn words(bits: &[bool]) -> Vec<u64> {
    let word = |chunk: &[bool]| chunk.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
    bits.chunks(64).map(word).collect()
}

fn constant(e: &Exprs, bits: &[bool]) -> Expr {
    e.wide_bits(bits.len() as u32, &words(bits))
}

/// The functions of bit-vectors of a width, and those that take them apart and put them together.
fn functions(width: u32) -> Vec<Function> {
    let mut all = Function::PLAIN.to_vec();
    all.extend([Function::Concat(2 * width), Function::ZeroExtend(width), Function::SignExtend(width)]);
    all.extend([Function::ZeroExtend(width + 3), Function::SignExtend(width + 3), Function::SignExtend(width + 64)]);
    all.push(Function::Extract { high: width - 1, low: 0 });
    all.push(Function::Extract { high: width / 2, low: width / 2 });
    all.push(Function::Extract { high: width - 1, low: width / 3 });
    all
}

/// What is applied is constants and variables that are bound to them, so that rewriting and search both speak.
fn every_function(backend: &Backend) {
    for width in WIDTHS {
        let (samples, control, model) = (samples(width), Control::new(), Model::default());
        let (mut solver, mut terms) = (backend.open(&control).expect("it starts"), Terms::within(&model));
        for function in functions(width) {
            let other = if function.n_parts() == 1 { &samples[..1] } else { &samples[..] };
            for a in &samples {
                for b in other {
                    applied(&mut *solver, &mut terms, function, [a, b]);
                }
            }
        }
    }
}

fn applied(solver: &mut dyn FullSolver, terms: &mut Terms<'_>, function: Function, samples: [&Bits; 2]) {
    let n_parts = function.n_parts();
    let width = samples[0].len() as u32;
    let gives = function.gives(|_| unreachable!("no arrays")).unwrap_or(Sort::Bits(width));
    let vars: Vec<VarId> = (0..n_parts).map(|_| terms.fresh("x", Domain::Bits(width))).collect();
    let result = terms.fresh("y", gives.domain());
    let e = terms.exprs();
    let samples = &samples[..n_parts];
    let expected = meaning(function, &samples.iter().map(|&bits| bits.clone()).collect::<Vec<_>>());
    let expected = match gives {
        Sort::Bool => e.bool(expected[0]),
        _ => constant(e, &expected),
    };
    let constants: Vec<Expr> = samples.iter().map(|bits| constant(e, bits)).collect();
    let bound = vars.iter().zip(&constants).map(|(&var, &value)| e.eq(e.var(var), value));
    let of_constants = e.eq(e.apply(function, constants.iter().copied()), expected);
    let is_result = e.eq(e.var(result), e.apply(function, vars.iter().map(|&var| e.var(var))));
    let words: Vec<String> = samples.iter().map(|bits| decimal(&words(bits))).collect();
    let shown = format!("{function:?} {width} {words:?}");
    let asked = e.and(bound.chain([is_result, of_constants]));
    let wrong = e.not(e.and([of_constants, e.eq(e.var(result), expected)]));
    solver.push().expect("pushed");
    solver.assert(terms, asked).expect("asserted");
    assert_eq!(solver.check(terms, &[]), Ok(Sat::Yes), "{shown}");
    let raws: Vec<i64> = constants.iter().chain([&expected]).map(|&value| e.raw(value).expect("constants")).collect();
    let asked: Vec<VarId> = vars.iter().copied().chain([result]).collect();
    assert_eq!(solver.values(terms, &asked), Ok(raws), "{shown}");
    solver.assert(terms, wrong).expect("asserted");
    assert_eq!(solver.check(terms, &[]), Ok(Sat::No), "{shown}");
    solver.pop().expect("popped");
}

#[test]
fn the_meanings_of_the_tests_are_those_of_small_numbers() {
    let of = |number: u64| -> Bits { (0..4).map(|i| number >> i & 1 == 1).collect() };
    let number = |bits: &[bool]| words(bits)[0];
    let (twelve, five, zero) = (of(12), of(5), of(0));
    for (function, a, b, expected) in [
        (Function::BitNot, &five, &zero, 10),
        (Function::BitNeg, &five, &zero, 11),
        (Function::BitAdd, &twelve, &five, 1),
        (Function::BitMul, &five, &five, 9),
        (Function::BitUdiv, &twelve, &five, 2),
        (Function::BitUrem, &twelve, &five, 2),
        (Function::BitUdiv, &twelve, &zero, 15),
        (Function::BitUrem, &twelve, &zero, 12),
        (Function::BitShl, &five, &of(1), 10),
        (Function::BitShl, &five, &of(4), 0),
        (Function::BitLshr, &twelve, &of(2), 3),
        (Function::BitAshr, &twelve, &of(1), 14),
        (Function::BitAshr, &twelve, &of(9), 15),
        (Function::Ult, &twelve, &five, 0),
        (Function::Slt, &twelve, &five, 1),
        (Function::Sle, &five, &five, 1),
        (Function::Concat(8), &twelve, &five, 0xc5),
        (Function::SignExtend(6), &twelve, &zero, 0x3c),
        (Function::Extract { high: 3, low: 2 }, &twelve, &zero, 3),
    ] {
        let parts = [a.clone(), b.clone()];
        assert_eq!(number(&meaning(function, &parts[..function.n_parts()])), expected, "{function:?}");
    }
    assert!(is_less(&five, &twelve) && !is_less(&five, &five));
}

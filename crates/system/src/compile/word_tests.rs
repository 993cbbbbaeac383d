//! Functions on bit-vectors against what they mean, one by one, in programs and one node at a time.

use lapidary_ir::{Domain, Expr, Family, FamilyId, Function, Life, Model, Sort, Var, VarId};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::Meaning;
use lapidary_text::{SourceId, Span};

use super::{Compiler, Pool};
use crate::evaluate::Scope;

const WIDTHS: [u32; 8] = [1, 2, 3, 7, 32, 33, 63, 64];

/// Two variables of each width, and two of half of it, or one bit.
fn model(width: u32) -> Model {
    let mut model = Model::default();
    for (name, width) in [("a", width), ("b", width), ("c", (width / 2).max(1))] {
        let (domain, span) = (Domain::Bits(width), Span::new(SourceId(0), 0, 0));
        model.vars.push(Var { name: name.to_owned(), domain, control: false, life: Life::State, span });
    }
    model
}

/// Every function that fits, over variables of this width.
fn functions(model: &Model, width: u32) -> Vec<Expr> {
    let e = &model.exprs;
    let (a, b, c) = (e.var(VarId(0)), e.var(VarId(1)), e.var(VarId(2)));
    let half = (width / 2).max(1);
    let mut list: Vec<Expr> =
        Function::PLAIN.iter().map(|&f| e.apply(f, [a, b].into_iter().take(f.n_parts()))).collect();
    list.extend([e.extract(a, width - 1, width / 2), e.extract(a, width / 2, 0), e.extract(a, 0, 0)]);
    list.extend([e.zero_extend(c, width), e.sign_extend(c, width), e.zero_extend(a, width), e.sign_extend(a, 64)]);
    list.extend([e.bit_sdiv(a, b, width), e.bit_srem(a, b, width), e.bit_smod(a, b, width)]);
    list.extend([e.bit_rol(a, b, width), e.bit_ror(a, b, width), e.bit_sub(a, b)]);
    if width + half <= 64 {
        list.extend([e.concat(a, c, width + half), e.concat(c, a, width + half)]);
    }
    list
}

/// Often next to the least and the greatest values, with and without signs.
fn value(dice: &mut Dice, width: u32) -> i64 {
    let near = dice.between(-2, 2) as u64;
    let bits = match dice.below(4) {
        0 => near,
        1 => (1u64 << (width - 1)).wrapping_add(near),
        2 => near & u64::from(width) | u64::from(width),
        _ => dice.between(i64::MIN, i64::MAX) as u64,
    };
    (bits & lapidary_ir::value::mask(width)) as i64
}

fn expected(model: &Model, expr: Expr, state: &[i64]) -> i64 {
    let read = |var: VarId| Some(i128::from(state[var.0 as usize]));
    let sort = |var: VarId| model.vars[var].domain.sort();
    let meaning =
        Meaning { exprs: &model.exprs, read: &read, cell: &|_, _| None, sort: &sort, n_literals: &|_| unreachable!() };
    meaning.value(expr).map(|value| i64::try_from(value).expect("at most 64 bits")).expect("functions have values")
}

fn stepped(model: &Model, expr: Expr, state: &[i64]) -> Option<i64> {
    let family = |id: FamilyId| -> Family { model.families[id].clone() };
    let (read, sort) = (|var: VarId| state[var.0 as usize], |var: VarId| model.vars[var].domain.sort());
    Scope { exprs: &model.exprs, family: &family, read: &read, sort: &sort, enums: &model.enums }.value(expr)
}

fn run(model: &Model, expr: Expr, state: &[i64]) -> i64 {
    let mut pool = Pool::new(model);
    let mut compiler = Compiler::new(model, &mut pool);
    let mut value = compiler.value(expr);
    let mut program = compiler.finish();
    pool.link(&mut value);
    pool.link_program(&mut program);
    let mut registers = pool.registers();
    registers[..state.len()].copy_from_slice(state);
    assert_eq!(program.run(&mut registers), Ok(true));
    registers[value.0 as usize]
}

#[test]
fn functions_on_words_mean_what_they_mean() {
    let dice = &mut Dice::new(5);
    for width in WIDTHS {
        let model = model(width);
        for expr in functions(&model, width) {
            for _ in 0..60 {
                let state = [value(dice, width), value(dice, width), value(dice, (width / 2).max(1))];
                let expected = expected(&model, expr, &state);
                let shown = lapidary_ir::print::show(&model, expr);
                assert_eq!(run(&model, expr, &state), expected, "{shown} of {width} bits in {state:?}");
                assert_eq!(stepped(&model, expr, &state), Some(expected), "{shown} of {width} bits in {state:?}");
            }
        }
    }
}

/// Both halves of a wide vector are known from narrow ones, where all parts are.
#[test]
fn functions_on_wide_vectors_agree_with_those_on_words() {
    let dice = &mut Dice::new(6);
    for width in [7, 31, 60, 64] {
        let model = model(width);
        let e = &model.exprs;
        let (a, b) = (e.var(VarId(0)), e.var(VarId(1)));
        let (wide_a, wide_b) = (e.sign_extend(a, 3 * 64), e.sign_extend(b, 3 * 64));
        let (tall_a, tall_b) = (e.zero_extend(a, 130), e.zero_extend(b, 130));
        let mut pairs = Vec::new();
        for function in Function::PLAIN {
            let parts = |a, b| [a, b].into_iter().take(function.n_parts());
            let narrow = e.apply(function, parts(a, b));
            let is_unsigned = matches!(
                function,
                Function::BitUdiv | Function::BitUrem | Function::BitLshr | Function::Ult | Function::Ule
            );
            let wide = match function {
                // A quotient by zero has more ones where there is more room.
                _ if is_unsigned => e.apply(function, parts(tall_a, tall_b)),
                Function::BitShl | Function::BitAshr => e.apply(function, parts(wide_a, e.zero_extend(b, 3 * 64))),
                _ => e.apply(function, parts(wide_a, wide_b)),
            };
            match e.sort(narrow, |_| Sort::Bits(width), |_| Sort::Bool) {
                Sort::Bits(_) => pairs.push((narrow, e.extract(wide, width - 1, 0))),
                _ => pairs.push((narrow, wide)),
            }
        }
        let stacked = e.concat(e.concat(a, b, 2 * width), wide_a, 2 * width + 192);
        pairs.push((a, e.extract(stacked, 2 * width + 191, width + 192)));
        pairs.push((b, e.extract(stacked, width + 191, 192)));
        pairs.push((a, e.extract(stacked, width - 1, 0)));
        for (narrow, wide) in pairs {
            for _ in 0..60 {
                let state = [value(dice, width), value(dice, width), 0];
                let shown = lapidary_ir::print::show(&model, wide);
                assert_eq!(stepped(&model, wide, &state), stepped(&model, narrow, &state), "{shown} in {state:?}");
            }
        }
    }
}

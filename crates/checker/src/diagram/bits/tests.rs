//! Functions on sets against the interpreter, on all values of small widths.

use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_ir::{Declarations, Domain, Expr, Function, Life, Sort, Var, VarId};
use lapidary_text::{SourceId, Span};
use oxidd::VarNo;

use crate::Rejection;
use crate::diagram::encode::{Column, Encoder, Value};
use crate::diagram::numbers::{self, Number};
use crate::diagram::space::Space;
use crate::eval;

fn variables(domains: &[Domain]) -> (Declarations, IdVec<VarId, Column>, VarNo) {
    let span = Span::new(SourceId(0), 0, 0);
    let var = |&domain: &Domain| Var { name: "x".to_owned(), domain, control: false, life: Life::State, span };
    let model = Declarations { vars: domains.iter().map(var).collect(), ..Declarations::default() };
    let mut n_bits = 0;
    let column = |var: &Var| {
        let (lo, hi) = model.bounds(var.domain).expect("a small domain");
        let width = u64::BITS - hi.abs_diff(lo).leading_zeros();
        n_bits += width;
        Column { bits: (n_bits - width..n_bits).collect(), lo, hi }
    };
    let columns = model.vars.iter().map(column).collect();
    (model, columns, n_bits)
}

/// In every state both give the same number.
fn assert_agrees(model: &Declarations, columns: &IdVec<VarId, Column>, space: &Space<'_>, exprs: &[Expr]) {
    let mut encoder = Encoder::new(model, space, columns, model.vars.iter().map(|_| None).collect());
    let mut states: Vec<Vec<i64>> = vec![Vec::new()];
    for column in columns.iter() {
        let longer = |state: &Vec<i64>| (column.lo..=column.hi).map(|value| [&state[..], &[value]].concat()).collect();
        states = states.iter().flat_map(|state| -> Vec<Vec<i64>> { longer(state) }).collect();
    }
    for &expr in exprs {
        let value = encoder.value(expr).expect("a small set");
        if let Value::Truth(truth) = &value {
            assert!(truth.yes == space.not(&truth.no).expect("a small set"));
        }
        let (number, _) = encoder.number(expr).expect("a small set");
        for state in &states {
            let expected = eval::eval(model, expr, state).expect("it has a value") as i64;
            let mut here = space.all.clone();
            for var in model.vars.ids() {
                let (column, _) = encoder.variable_number(var).expect("a small set");
                let value = Number::constant(space, state[var.index()]).expect("a small number");
                here = space
                    .and(&here, &numbers::equal(space, &column, &value).expect("a small set"))
                    .expect("a small set");
            }
            let constant = Number::constant(space, expected).expect("a small number");
            let equal = numbers::equal(space, &number, &constant).expect("a small set");
            assert!(
                space.without(&here, &equal).expect("a small set") == space.none,
                "{:?} {state:?}",
                model.exprs.node(expr)
            );
        }
    }
}

#[test]
fn all_functions_give_what_the_interpreter_gives_on_all_small_values() {
    for width in 1..=4 {
        let (model, columns, n_bits) = variables(&[Domain::Bits(width), Domain::Bits(width)]);
        let e = &model.exprs;
        let [a, b] = [0, 1].map(|i| e.var(VarId(i)));
        let mut exprs: Vec<Expr> = Function::PLAIN
            .iter()
            .map(|function| e.apply(*function, [a, b].into_iter().take(function.n_parts())))
            .collect();
        exprs.extend([e.bit_sdiv(a, b, width), e.bit_srem(a, b, width), e.bit_smod(a, b, width)]);
        exprs.extend([e.bit_rol(a, b, width), e.bit_ror(a, b, width), e.bit_sub(a, e.bits(width, 1))]);
        exprs.extend([e.concat(a, b, 2 * width), e.zero_extend(a, width + 3), e.sign_extend(a, width + 3)]);
        exprs.extend(
            (0..width)
                .flat_map(|high| (0..=high).map(move |low| (high, low)))
                .map(|(high, low)| e.extract(a, high, low)),
        );
        exprs.extend([e.eq(a, b), e.ite(e.ult(a, b), a, b), e.eq(e.extract(a, 0, 0), e.bits(1, 1))]);
        let control = Control::new();
        let space = Space::new(n_bits, 1 << 20, &control).expect("a small space");
        assert_agrees(&model, &columns, &space, &exprs);
    }
}

#[test]
fn shifts_by_a_vector_of_many_bits_and_wide_parts_are_fine() {
    let (model, columns, n_bits) = variables(&[Domain::Bits(3)]);
    let (e, x) = (&model.exprs, model.exprs.var(VarId(0)));
    let long = e.concat(e.bits(60, 1 << 59), x, 63);
    let far = e.bit_lshr(long, e.zero_extend(e.bit_mul(e.zero_extend(x, 8), e.bits(8, 11)), 63));
    let longer = e.concat(long, e.bits(60, 5), 123);
    let exprs = [e.extract(far, 62, 0), e.extract(e.bit_add(longer, longer), 70, 55), e.bit_mul(long, e.bits(63, 3))];
    let control = Control::new();
    let space = Space::new(n_bits, 1 << 20, &control).expect("a small space");
    assert_agrees(&model, &columns, &space, &exprs);
}

#[test]
fn arrays_and_what_is_too_wide_end_the_check_without_a_panic() {
    let (model, columns, n_bits) = variables(&[Domain::Bits(3)]);
    let (e, x) = (&model.exprs, model.exprs.var(VarId(0)));
    let id = e.array(Sort::Bits(3), Sort::Bits(3));
    let array = e.apply(Function::Store(id), [e.fill(id, e.bits(3, 0)), x, x]);
    let filled = e.apply(Function::Fill(id), [x]);
    let wide = e.sign_extend(x, 500);
    let control = Control::new();
    let space = Space::new(n_bits, 1 << 20, &control).expect("a small space");
    let mut encoder = Encoder::new(&model, &space, &columns, model.vars.iter().map(|_| None).collect());
    for expr in [e.apply(Function::Select(id), [array, x]), e.eq(array, filled), e.slt(wide, e.bit_add(wide, wide))] {
        let stopped = encoder.truth(expr).map(|_| ());
        assert!(matches!(stopped, Err(Rejection::Stopped(Stop::Incomplete(_) | Stop::Overflow(_)))), "{stopped:?}");
    }
}

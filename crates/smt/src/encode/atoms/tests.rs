//! Forms of atoms against their values.

use lapidary_ir::passes::substitute;
use lapidary_ir::{Domain, Model};

use super::*;

const ENDS: [i64; 6] = [i64::MIN, i64::MIN + 1, -1, 1, i64::MAX - 1, i64::MAX];

/// The value of an atom where both symbols have a value.
fn at(terms: &Terms<'_>, atom: Expr, x: i64, y: i64) -> Option<bool> {
    let exprs = terms.exprs();
    let values = [(lapidary_ir::VarId(0), exprs.int(x)), (lapidary_ir::VarId(1), exprs.int(y))];
    exprs.as_bool(substitute(exprs, atom, &values.into_iter().collect()))
}

/// Comparisons `a x + b y + c ? d` of all kinds.
fn comparisons(terms: &Terms<'_>, [a, b, c, d]: [i64; 4]) -> [Expr; 4] {
    let exprs = terms.exprs();
    let (x, y) = (exprs.var(lapidary_ir::VarId(0)), exprs.var(lapidary_ir::VarId(1)));
    let left = exprs.add([exprs.mul(exprs.int(a), x), exprs.mul(exprs.int(b), y), exprs.int(c)]);
    let right = exprs.int(d);
    [exprs.lt(left, right), exprs.le(right, left), exprs.eq(left, right), exprs.not(exprs.le(left, right))]
}

#[test]
fn the_form_of_an_atom_says_the_same() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    terms.fresh("x", Domain::Int);
    terms.fresh("y", Domain::Int);
    let mut table = AtomTable::default();
    for (a, b, c) in (-4..=4).flat_map(|a| (-4..=4).flat_map(move |b| (-6..=6).map(move |c| (a, b, c)))) {
        for atom in comparisons(&terms, [a, b, c, 1]) {
            let normal = table.normal(&terms, atom);
            for (x, y) in (-5..=5).flat_map(|x| (-5..=5).map(move |y| (x, y))) {
                let found = match normal {
                    Normal::Constant(value) => Some(value),
                    Normal::Literal(Literal { atom, is_positive }) => {
                        at(&terms, atom, x, y).map(|value| value == is_positive)
                    }
                };
                assert!(found.is_some());
                assert_eq!(found, at(&terms, atom, x, y), "{a} x + {b} y + {c} at {x}, {y}");
            }
            // The form of the form is the form.
            if let Normal::Literal(literal) = normal {
                let again = Literal { is_positive: true, ..literal };
                assert_eq!(table.normal(&terms, literal.atom), Normal::Literal(again));
            }
        }
    }
}

#[test]
fn numbers_at_the_ends_break_nothing() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    terms.fresh("x", Domain::Int);
    terms.fresh("y", Domain::Int);
    let mut table = AtomTable::default();
    for a in ENDS {
        for (b, c, d) in ENDS.iter().flat_map(|&b| ENDS.iter().flat_map(move |&c| ENDS.map(move |d| (b, c, d)))) {
            for atom in comparisons(&terms, [a, b, c, d]) {
                let normal = table.normal(&terms, atom);
                let Some(expected) = at(&terms, atom, 0, 0) else { continue };
                let found = match normal {
                    Normal::Constant(value) => Some(value),
                    Normal::Literal(Literal { atom, is_positive }) => {
                        at(&terms, atom, 0, 0).map(|value| value == is_positive)
                    }
                };
                assert_eq!(found.unwrap_or(expected), expected, "{a} x + {b} y + {c} ? {d}");
            }
        }
    }
}

fn literal(normal: Normal) -> Literal {
    match normal {
        Normal::Literal(literal) => literal,
        Normal::Constant(value) => panic!("constantly {value}"),
    }
}

#[test]
fn what_says_the_same_or_the_opposite_is_one_atom() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let (x, y) = (terms.fresh("x", Domain::Int), terms.fresh("y", Domain::Int));
    let (e, mut table) = (terms.exprs(), AtomTable::default());
    let (x, y) = (e.var(x), e.var(y));
    let mut normal = |atom: Expr| literal(table.normal(&terms, atom));
    let less = normal(e.lt(x, y));
    assert_eq!(less, normal(e.le(e.add([x, e.int(1)]), y)));
    assert_eq!(less, normal(e.lt(e.mul(e.int(3), x), e.mul(e.int(3), y))));
    assert_eq!(less, normal(e.not(e.le(y, x))));
    assert_eq!(normal(e.le(y, x)), Literal { is_positive: false, ..less });
    // 2x <= 5 is x <= 2, and 2x <= -5 is x <= -3.
    let twice = e.mul(e.int(2), x);
    assert_eq!(normal(e.le(twice, e.int(5))), normal(e.le(x, e.int(2))));
    assert_eq!(normal(e.le(twice, e.int(-5))), normal(e.le(x, e.int(-3))));
    assert_eq!(normal(e.eq(x, e.add([y, e.int(2)]))), normal(e.eq(e.sub(y, e.int(-2)), x)));
    assert_eq!(table.normal(&terms, e.eq(twice, e.int(5))), Normal::Constant(false));
    assert_eq!(table.normal(&terms, e.lt(x, e.add([x, e.int(1)]))), Normal::Constant(true));
}

#[test]
fn choices_are_taken_out_of_their_atom() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.fresh(name, Domain::Int));
    let (e, mut table) = (terms.exprs(), AtomTable::default());
    let (x, y, z) = (e.var(x), e.var(y), e.var(z));
    let atoms = table.of_formula(&terms, e.lt(e.max(x, y), z));
    let expected = [e.le(y, x), e.lt(x, z), e.lt(y, z)].map(|atom| literal(table.normal(&terms, atom)).atom);
    assert_eq!(atoms, expected);
}

#[test]
fn a_formula_is_folded_where_its_atoms_decide() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let (x, y) = (terms.fresh("x", Domain::Int), terms.fresh("y", Domain::Int));
    let (e, mut table) = (terms.exprs(), AtomTable::default());
    let (x, y) = (e.var(x), e.var(y));
    let formula = e.and([e.lt(x, y), e.lt(x, e.add([x, e.int(1)])), e.not(e.le(y, x))]);
    let less = literal(table.normal(&terms, e.lt(x, y))).atom;
    assert_eq!(table.simplified(&terms, formula), less);
    let never = e.or([e.lt(x, x), e.eq(e.mul(e.int(2), x), e.int(5))]);
    assert_eq!(table.simplified(&terms, never), e.bool(false));
}

/// Where a divisor is a quotient, that it is not zero has no value everywhere either.
#[test]
fn atoms_have_a_value_everywhere_also_where_divisions_are_nested() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let (x, y) = (terms.fresh("x", Domain::Int), terms.fresh("y", Domain::Int));
    let exprs = terms.exprs();
    let (x, y) = (exprs.var(x), exprs.var(y));
    let nested = exprs.lt(exprs.modulo(x, exprs.div(x, y)), exprs.int(1));
    let atoms = AtomTable::default().of_formula(&terms, nested);
    assert!(atoms.len() >= 3, "{atoms:?}");
    for (x, y) in (-3..=3).flat_map(|x| (-3..=3).map(move |y| (x, y))) {
        assert!(atoms.iter().all(|&atom| at(&terms, atom, x, y).is_some()), "x = {x}, y = {y}");
    }
}

#[test]
fn comparisons_of_bit_vectors_have_one_form() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let [x, y] = ["x", "y"].map(|name| terms.fresh(name, Domain::Bits(8)));
    let array = terms.exprs().array(Sort::Bits(8), Sort::Bool);
    let a = terms.fresh("a", Domain::Array(array));
    let e = &model.exprs;
    let (x, y, a) = (e.var(x), e.var(y), e.var(a));
    let mut table = AtomTable::default();
    let literal = |atom, is_positive| Normal::Literal(Literal { atom, is_positive });
    for (formula, expected) in [
        (e.ult(x, y), literal(e.ule(y, x), false)),
        (e.not(e.ult(x, y)), literal(e.ule(y, x), true)),
        (e.slt(x, y), literal(e.sle(y, x), false)),
        (e.ule(y, x), literal(e.ule(y, x), true)),
        (e.eq(y, x), literal(e.eq(x, y), true)),
        (e.intern(Node::Eq(x, x)), Normal::Constant(true)),
        (e.intern(Node::Eq(e.bits(8, 3), e.bits(8, 4))), Normal::Constant(false)),
        (e.select_of(array, a, x), literal(e.select_of(array, a, x), true)),
    ] {
        assert_eq!(table.normal(&terms, formula), expected);
    }
    let chosen = e.ite(e.ult(x, y), x, y);
    let formula = e.and([e.eq(chosen, e.bits(8, 3)), e.select_of(array, a, chosen)]);
    let read = |index| e.select_of(array, a, index);
    let [is_x, is_y] = [x, y].map(|part| e.eq(part, e.bits(8, 3)));
    assert_eq!(table.of_formula(&terms, formula), [e.ule(y, x), is_x, is_y, read(x), read(y)]);
    let both = e.or([e.ult(x, y), e.not(e.ule(y, x))]);
    assert_eq!(table.simplified(&terms, both), e.not(e.ule(y, x)));
}

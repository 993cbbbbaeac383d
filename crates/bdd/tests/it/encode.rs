//! Expressions as diagrams against a brute-force evaluator, partial semantics included.

use lapidary_base::{Control, Stop};
use lapidary_bdd::{Binding, Capacity, Column, ColumnSpec, Encoder, Set, Space};
use lapidary_ir::expr::{Expr, Exprs};
use lapidary_ir::model::{FamilyId, VarId};
use lapidary_ir::{Function, Sort};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::{self, Leaves, Meaning, Values};

/// Integers from -2 to 4, from 0 to 2, from 3 to 3, from -1 to 0; two Booleans; one integer that is defined by others.
const INTS: [(i64, u64); 4] = [(-2, 7), (0, 3), (3, 1), (-1, 2)];
const BOOLS: u32 = 2;
const N_COLUMNS: u32 = INTS.len() as u32 + BOOLS;
const DEFINED: u32 = N_COLUMNS;
/// The family of cells is made of the integer variables.
const FAMILY: (VarId, u32) = (VarId(0), INTS.len() as u32);

fn leaves(e: &Exprs) -> Leaves {
    let ints = (0..INTS.len() as u32).chain([DEFINED; 3]);
    let bools = (0..BOOLS).map(|bool| e.var(VarId(INTS.len() as u32 + bool)));
    Leaves {
        numbers: ints.map(|var| e.var(VarId(var))).collect(),
        truths: bools.chain([e.bool(false), e.bool(true)]).collect(),
        rows: vec![(FamilyId(0), i64::from(FAMILY.1))],
        values: Values::Perhaps,
    }
}

/// The value of an expression; `None` if it has none.
fn value(e: &Exprs, expr: Expr, definition: Expr, vars: &[i128]) -> Option<i128> {
    let read = |var: VarId| match var {
        VarId(DEFINED) => value(e, definition, definition, vars),
        VarId(var) => Some(vars[var as usize]),
    };
    let cell = |_, index| u32::try_from(index).ok().filter(|&index| index < FAMILY.1).map(VarId);
    expressions::value(e, expr, &read, &cell)
}

fn space(groups: &[&[u64]]) -> Space {
    let spec = |&size: &u64| ColumnSpec { name: String::new(), size };
    let groups: Vec<Vec<ColumnSpec>> = groups.iter().map(|group| group.iter().map(spec).collect()).collect();
    Space::new(Capacity { nodes: 1 << 20, cache: 1 << 16, threads: 1 }, &groups, &Control::new()).unwrap()
}

fn bind(definition: Expr) -> impl Fn(VarId) -> Binding {
    move |var| match var.0 {
        DEFINED => Binding::Defined(definition),
        n if n < INTS.len() as u32 => Binding::Column { column: Column(n), lo: INTS[n as usize].0 },
        n => Binding::Column { column: Column(n), lo: 0 },
    }
}

/// All valuations of the variables, with the set of each.
fn valuations(space: &Space) -> Vec<(Vec<i128>, Set)> {
    let mut found = Vec::new();
    let columns: Vec<Column> = (0..N_COLUMNS).map(Column).collect();
    space
        .for_each(&space.all(), &columns, &mut |values| {
            let points: Vec<Set> = columns
                .iter()
                .zip(values)
                .map(|(&column, &value)| space.value(column, value))
                .collect::<Result<_, _>>()?;
            let lo = |i: usize| INTS.get(i).map_or(0, |(lo, _)| i128::from(*lo));
            let vars = values.iter().enumerate().map(|(i, &value)| lo(i) + i128::from(value)).collect();
            found.push((vars, space.and_all(&points)?));
            Ok(())
        })
        .unwrap();
    assert_eq!(found.len(), 7 * 3 * 2 * 2 * 2);
    found
}

#[test]
fn random_expressions_have_the_values_of_the_brute_force_evaluator() {
    let e = Exprs::new();
    let (mut dice, leaves) = (Dice::new(1), leaves(&e));
    // One more column, to compare with.
    let space = space(&[&[7, 3, 1, 2], &[2, 2], &[5]]);
    let target = Column(N_COLUMNS);
    let points = valuations(&space);
    let (mut undefined, mut inside) = (0, 0);
    for round in 0..300 {
        let definition = e.div(e.add([e.var(VarId(0)), e.int(round % 5)]), e.var(VarId(1)));
        let mut encoder = Encoder::new(&space, &e, |_| FAMILY, bind(definition));
        let number = leaves.number(&e, &mut dice, 3);
        let truth = leaves.truth(&e, &mut dice, 4);
        let as_truth = encoder.truth(truth).unwrap();
        let bits = encoder.number(number).unwrap();
        let equal = encoder.equals(number, target, -2).unwrap();
        let within = encoder.within(number, -1, 3).unwrap();
        for (vars, point) in &points {
            let is_in = |set: &Set| space.intersects(set, point).unwrap();
            let expected = value(&e, truth, definition, vars);
            assert_eq!(is_in(&as_truth.yes), expected == Some(1), "round {round} at {vars:?}");
            assert_eq!(is_in(&as_truth.no), expected == Some(0), "round {round} at {vars:?}");
            let expected = value(&e, number, definition, vars);
            let weight = |(weight, bit)| i128::from(is_in(bit)) << weight;
            let sign = i128::from(is_in(bits.sign())) << (bits.bits.len() - 1);
            let got = bits.bits.iter().enumerate().map(weight).sum::<i128>() - 2 * sign;
            assert_eq!(is_in(&bits.defined).then_some(got), expected, "round {round} at {vars:?}");
            assert!(expected.is_none_or(|value| bits.lo <= value && value <= bits.hi));
            let targets = space.pick(&space.and(&equal, point).unwrap(), &[target]).unwrap();
            let reachable = expected.filter(|value| (-2..3).contains(value));
            assert_eq!(targets, reachable.map(|value| vec![(value + 2) as u64]), "round {round} at {vars:?}");
            assert_eq!(is_in(&within), expected.is_some_and(|value| (-1..=3).contains(&value)));
            undefined += u32::from(expected.is_none());
            inside += u32::from(reachable.is_some());
        }
    }
    assert!(undefined > 1000 && inside > 1000, "the expressions are worth testing: {undefined} {inside}");
}

#[test]
fn division_keeps_the_remainder_from_being_negative_for_all_signs() {
    let e = Exprs::new();
    let space = space(&[&[41], &[21]]);
    let bind = |var: VarId| Binding::Column { column: Column(var.0), lo: if var.0 == 0 { -20 } else { -10 } };
    let mut encoder = Encoder::new(&space, &e, |_| (VarId(0), 0), bind);
    let (a, b) = (e.var(VarId(0)), e.var(VarId(1)));
    let (quotient, remainder) = (encoder.number(e.div(a, b)).unwrap(), encoder.number(e.modulo(a, b)).unwrap());
    assert_eq!((quotient.lo, quotient.hi, remainder.lo, remainder.hi), (-20, 20, 0, 9));
    for x in -20i64..=20 {
        for y in -10i64..=10 {
            let point = e.and([e.eq(a, e.int(x)), e.eq(b, e.int(y))]);
            let point = encoder.holds(point).unwrap();
            assert_eq!(space.intersects(&quotient.defined, &point).unwrap(), y != 0);
            if y != 0 {
                let right =
                    e.and([e.eq(e.div(a, b), e.int(x.div_euclid(y))), e.eq(e.modulo(a, b), e.int(x.rem_euclid(y)))]);
                let right = encoder.holds(right).unwrap();
                assert!(space.is_subset(&point, &right).unwrap(), "{x} by {y}");
            }
        }
    }
}

#[test]
fn parts_that_are_never_evaluated_do_not_matter() {
    let e = Exprs::new();
    let space = space(&[&[4]]);
    let bind = |var: VarId| Binding::Column { column: Column(var.0), lo: 0 };
    let mut encoder = Encoder::new(&space, &e, |_| (VarId(0), 1), bind);
    let x = e.var(VarId(0));
    let bad = e.eq(e.div(e.int(1), x), e.int(1));
    let guarded = encoder.truth(e.and([e.lt(e.int(0), x), bad])).unwrap();
    assert!(guarded.no == space.not(&guarded.yes).unwrap(), "the guard excludes the division by zero");
    let bare = encoder.truth(e.and([bad, e.lt(e.int(0), x)])).unwrap();
    assert!(bare.yes == guarded.yes && bare.no != guarded.no);
    assert_eq!(space.count(&bare.no, &[Column(0)]).unwrap(), Some(2));
    // A part behind `false` may not even be computable.
    let huge = e.mul(e.int(i64::MAX), e.add([x, e.int(2)]));
    assert!(matches!(encoder.truth(e.lt(huge, x)), Err(Stop::Overflow(_))));
    assert!(encoder.truth(e.and([e.lt(x, e.int(0)), e.lt(huge, x)])).is_ok());
}

#[test]
fn definitions_and_expressions_nested_ten_thousand_deep_are_translated() {
    let e = Exprs::new();
    let space = space(&[&[2], &[2]]);
    let mut nested = e.var(VarId(0));
    for level in 0..10_000 {
        nested =
            if level % 2 == 0 { e.not(e.eq(nested, e.var(VarId(1)))) } else { e.ite(nested, nested, e.var(VarId(0))) };
    }
    let definitions: Vec<Expr> =
        (2..10_002).map(|var| e.not(e.and([e.var(VarId(var - 1)), e.var(VarId(1))]))).collect();
    let bind = |var: VarId| match var.0 {
        0 | 1 => Binding::Column { column: Column(var.0), lo: 0 },
        n => Binding::Defined(definitions[n as usize - 2]),
    };
    let mut encoder = Encoder::new(&space, &e, |_| (VarId(0), 0), bind);
    let nested = encoder.truth(nested).unwrap();
    assert!(space.not(&nested.yes).unwrap() == nested.no);
    // Variable 2 is not (x1 and x1); each next one negates the last where x1 holds.
    let chained = encoder.holds(e.var(VarId(10_001))).unwrap();
    assert_eq!(space.count(&chained, &[Column(0), Column(1)]).unwrap(), Some(4));
    let number = encoder.number(e.add([e.var(VarId(10_000)), e.int(1)])).unwrap();
    assert_eq!((number.lo, number.hi), (1, 2));
}

/// Two vectors of a width and a narrower one, in all their values.
#[test]
fn functions_on_bit_vectors_mean_what_they_mean() {
    for width in 1..=4u32 {
        let e = Exprs::new();
        let half = (width / 2).max(1);
        let space = space(&[&[1 << width, 1 << width], &[1 << half]]);
        let bind = |var: VarId| Binding::Column { column: Column(var.0), lo: 0 };
        let mut encoder = Encoder::new(&space, &e, |_| (VarId(0), 0), bind);
        let (a, b, c) = (e.var(VarId(0)), e.var(VarId(1)), e.var(VarId(2)));
        let plain = |f: Function| e.apply(f, [a, b].into_iter().take(f.n_parts()));
        let mut list: Vec<Expr> = Function::PLAIN.into_iter().map(plain).collect();
        list.extend([e.extract(a, width - 1, width / 2), e.extract(a, width / 2, 0), e.concat(a, c, width + half)]);
        list.extend([e.zero_extend(c, width), e.sign_extend(c, width), e.sign_extend(a, 64), e.zero_extend(a, 64)]);
        list.extend([e.bit_sdiv(a, b, width), e.bit_srem(a, b, width), e.bit_smod(a, b, width)]);
        list.extend([e.bit_rol(a, b, width), e.bit_ror(a, b, width), e.bit_sub(a, e.bits(width, 1))]);
        list.extend([e.bit_udiv(a, e.bits(width, 0)), e.bit_urem(a, e.bits(width, 3)), e.bit_shl(e.bits(width, 1), b)]);
        let columns = [Column(0), Column(1), Column(2)];
        let mut points = Vec::new();
        space
            .for_each(&space.all(), &columns, &mut |values| {
                let point = columns.iter().zip(values).map(|(&column, &value)| space.value(column, value));
                let point = point.collect::<Result<Vec<_>, _>>()?;
                points.push((values.to_vec(), space.and_all(&point)?));
                Ok(())
            })
            .unwrap();
        for expr in list {
            let number = encoder.number(expr).unwrap();
            for (values, point) in &points {
                let is_in = |set: &Set| space.intersects(set, point).unwrap();
                let read = |var: VarId| Some(i128::from(values[var.0 as usize]));
                let sort = |var: VarId| Sort::Bits(if var.0 == 2 { half } else { width });
                let (cell, n_literals) = (|_, _| None, |_| unreachable!("no enumerations"));
                let meaning = Meaning { exprs: &e, read: &read, cell: &cell, sort: &sort, n_literals: &n_literals };
                let expected = meaning.value(expr).unwrap() as u64;
                let got: u64 = (0..64).map(|weight| u64::from(is_in(number.bit(weight))) << weight).sum();
                assert_eq!(got, expected, "{:?} of {width} bits at {values:?}", e.node(expr));
                assert!(is_in(&number.defined) && number.lo <= i128::from(got) && i128::from(got) <= number.hi);
            }
        }
    }
}

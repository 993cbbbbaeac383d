//! Programs of random expressions with many shared parts, against their evaluation as plain trees.

use lapidary_base::Id;
use lapidary_ir::{Declarations, Domain, Expr, Family, FamilyId, Life, Node, Var, VarId};
use lapidary_reference::dice::Dice;
use lapidary_text::{SourceId, Span};

use super::{Compiler, Pool};
use crate::evaluate::Scope;

const N_VARS: usize = 4;

fn model() -> Declarations {
    let var = |i: usize| Var {
        name: format!("x{i}"),
        domain: Domain::Range { lo: -3, hi: 3 },
        control: false,
        life: Life::State,
        span: Span::new(SourceId(0), 0, 0),
    };
    let families = vec![Family { name: "x[_]".to_owned(), first: VarId(0), len: N_VARS as u32 }];
    Declarations { vars: (0..N_VARS).map(var).collect(), families: families.into(), ..Declarations::default() }
}

/// Numbers and conditions, each level over the levels before it, mostly the last: trees double with each.
fn expression(model: &Declarations, dice: &mut Dice, n_levels: usize) -> (Expr, Expr) {
    let e = &model.exprs;
    let mut numbers: Vec<Expr> = (0..N_VARS).map(|i| e.var(VarId::new(i))).chain([e.int(0), e.int(2)]).collect();
    let mut truths: Vec<Expr> = vec![e.lt(numbers[0], numbers[1]), e.eq(numbers[2], e.int(1))];
    for _ in 0..n_levels {
        let mut number = |from: &[Expr]| from[from.len() - 1 - dice.below(3)];
        let (a, b) = (number(&numbers), number(&numbers));
        let (p, q) = (truths[truths.len() - 1], truths[truths.len() - 2]);
        numbers.push(match dice.below(9) {
            0 => e.ite(p, a, b),
            1 => e.ite(q, e.modulo(a, b), b),
            2 => e.modulo(e.add([a, b, a]), e.int(7)),
            3 => e.cell(FamilyId(0), e.modulo(e.add([a, b]), e.int(5))),
            4 => e.div(e.mul(a, b), e.int(3)),
            5 => e.ite(e.ne(b, e.int(0)), e.div(a, b), a),
            6 => e.modulo(e.sub(a, b), e.int(4)),
            7 => e.sub(e.neg(a), e.neg(e.ite(p, b, e.int(1)))),
            _ => e.ite(e.and([q, e.lt(a, b)]), a, e.add([b, e.int(1)])),
        });
        let c = numbers[numbers.len() - 1];
        truths.push(match dice.below(5) {
            0 => e.and([p, e.le(c, a)]),
            1 => e.or([q, e.lt(b, c)]),
            2 => e.not(e.eq(c, b)),
            3 => e.ite(p, e.le(a, b), q),
            _ => e.intern(Node::Eq(p, e.lt(c, a))),
        });
    }
    (numbers[numbers.len() - 1], truths[truths.len() - 1])
}

/// The plain meaning, as a tree.
fn plain(model: &Declarations, expr: Expr, state: &[i64]) -> Option<i64> {
    let of = |part: &Expr| plain(model, *part, state);
    Some(match model.exprs.node(expr) {
        Node::Bits(..) | Node::Value(..) | Node::Apply(..) => unreachable!("there are none here"),
        Node::Bool(value) => i64::from(*value),
        Node::Int(value) => *value,
        Node::Literal(_, number) => i64::from(*number),
        Node::Var(var) => state[var.index()],
        Node::Cell(_, index) => *state.get(usize::try_from(of(index)?).ok()?)?,
        Node::Not(a) => 1 - of(a)?,
        Node::And(parts) => {
            for part in parts {
                if of(part)? == 0 {
                    return Some(0);
                }
            }
            1
        }
        Node::Or(parts) => {
            for part in parts {
                if of(part)? == 1 {
                    return Some(1);
                }
            }
            0
        }
        Node::Ite(c, a, b) => of(if of(c)? == 1 { a } else { b })?,
        Node::Eq(a, b) => i64::from(of(a)? == of(b)?),
        Node::Lt(a, b) => i64::from(of(a)? < of(b)?),
        Node::Le(a, b) => i64::from(of(a)? <= of(b)?),
        Node::Add(parts) => parts.iter().try_fold(0i64, |sum, part| sum.checked_add(of(part)?))?,
        Node::Neg(a) => of(a)?.checked_neg()?,
        Node::Mul(a, b) => of(a)?.checked_mul(of(b)?)?,
        Node::Div(a, b) => of(a)?.checked_div_euclid(of(b)?)?,
        Node::Mod(a, b) => of(a)?.checked_rem_euclid(of(b)?)?,
    })
}

/// The program's answer: the value of the number where the condition has the wanted truth value.
fn compiled(model: &Declarations, number: Expr, truth: Expr, states: &[Vec<i64>]) -> (usize, Vec<Option<i64>>) {
    let mut pool = Pool::new(model);
    let mut compiler = Compiler::new(model, &mut pool);
    compiler.require(truth, true);
    let mut value = compiler.value(number);
    let mut program = compiler.finish();
    pool.link(&mut value);
    pool.link_program(&mut program);
    let mut registers = pool.registers();
    let run = |state: &Vec<i64>| {
        registers[..N_VARS].copy_from_slice(state);
        matches!(program.run(&mut registers), Ok(true)).then(|| registers[value.0 as usize])
    };
    (program.ops.len(), states.iter().map(run).collect())
}

fn states(dice: &mut Dice, n: usize) -> Vec<Vec<i64>> {
    (0..n).map(|_| (0..N_VARS).map(|_| dice.between(-3, 3)).collect()).collect()
}

fn scope_value(model: &Declarations, expr: Expr, state: &[i64]) -> Option<i64> {
    let family = |id: FamilyId| model.families[id].clone();
    let (read, sort) = (|var: VarId| state[var.index()], |var: VarId| model.vars[var].domain.sort());
    Scope { exprs: &model.exprs, family: &family, read: &read, sort: &sort, enums: &model.enums }.value(expr)
}

#[test]
fn programs_of_shared_expressions_agree_with_plain_trees() {
    let model = model();
    let (mut n_shared, mut n_values, mut n_none) = (0, 0, 0);
    for seed in 0..150 {
        let mut dice = Dice::new(seed);
        let n_levels = 6 + seed as usize % 10;
        let (number, truth) = expression(&model, &mut dice, n_levels);
        n_shared += usize::from(Pool::new(&model).shapes.is_heavy(&model.exprs, number));
        let states = states(&mut dice, 12);
        let (_, found) = compiled(&model, number, truth, &states);
        for (state, found) in states.iter().zip(found) {
            let expected = plain(&model, truth, state).filter(|&truth| truth == 1);
            let expected = expected.and_then(|_| plain(&model, number, state));
            assert_eq!(found, expected, "seed {seed} in {state:?}");
            assert_eq!(scope_value(&model, number, state), plain(&model, number, state), "seed {seed} in {state:?}");
            n_values += usize::from(found.is_some());
            n_none += usize::from(found.is_none());
        }
    }
    assert!(n_shared > 20 && n_values > 100 && n_none > 100, "{n_shared} {n_values} {n_none}");
}

#[test]
fn a_program_is_as_large_as_the_graph_and_as_fast() {
    let model = model();
    let e = &model.exprs;
    let x = e.var(VarId(0));
    let is_odd = |part: Expr| e.eq(e.modulo(part, e.int(2)), e.int(1));
    // A part is needed in both branches, and in none of them first.
    let step = |part: Expr| e.ite(is_odd(part), e.sub(part, e.int(3)), e.add([part, e.int(1)]));
    let number = (0..60).fold(x, |part, _| step(part));
    let truth = (0..60).fold(is_odd(x), |part, _| e.intern(Node::Eq(part, e.not(part))));
    let states = [vec![2, 0, 0, 0]];
    let (n_ops, found) = compiled(&model, number, e.not(truth), &states);
    assert!(n_ops < 3000, "{n_ops}");
    let expected = (0..60).fold(2i64, |x, _| if x.rem_euclid(2) == 1 { x - 3 } else { x + 1 });
    assert_eq!(found, [Some(expected)]);
    assert_eq!(scope_value(&model, number, &states[0]), Some(expected));
}

#[test]
fn a_deep_expression_needs_no_deep_stack() {
    let model = model();
    let e = &model.exprs;
    let deep = (0..20_000).fold(e.var(VarId(0)), |part, _| e.modulo(e.add([part, e.int(1)]), e.int(100)));
    let (_, found) = compiled(&model, deep, e.bool(true), &[vec![3, 0, 0, 0]]);
    assert_eq!(found, [Some(3)]);
    assert_eq!(scope_value(&model, deep, &[3, 0, 0, 0]), Some(3));
}

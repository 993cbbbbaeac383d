//! What is said of terms.

use lapidary_ir::{Domain, EnumId, FamilyId, Function, Model, Sort};

use super::*;

#[test]
fn every_operator_has_its_text() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let (x, b) = (terms.fresh("x", Domain::Int), terms.fresh("b", Domain::Bool));
    let e = terms.exprs();
    let (x, b) = (e.var(x), e.var(b));
    let cases = [
        (e.eq(x, e.int(-5)), "(= v0 (- 5))"),
        (e.lt(x, e.int(i64::MIN)), "(< v0 (- 9223372036854775808))"),
        (e.le(e.int(i64::MAX), x), "(<= 9223372036854775807 v0)"),
        (e.eq(x, e.literal(EnumId(0), 3)), "(= v0 3)"),
        (e.and([b, e.not(b)]), "(and v1 (not v1))"),
        (e.or([e.bool(false), b]), "v1"),
        (e.intern(Node::Or([b, e.bool(true)].into())), "(or v1 true)"),
        (e.eq(e.add([x, e.neg(x), e.int(2)]), e.int(0)), "(= (+ v0 (- v0) 2) 0)"),
        (e.eq(e.mul(x, x), e.ite(b, x, e.int(1))), "(= (* v0 v0) (ite v1 v0 1))"),
        (e.eq(e.div(x, e.int(-2)), e.modulo(x, e.int(-2))), "(= (div v0 (- 2)) (mod v0 (- 2)))"),
    ];
    for (term, expected) in cases {
        let mut script = Script::new(Declarations::Global);
        script.assert(&terms, term).expect("no cells");
        let text = script.take().0;
        let last = text.lines().last().expect("commands");
        assert_eq!(last, format!("(assert {expected})"));
    }
}

#[test]
fn shared_parts_are_bound() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let x = terms.fresh("x", Domain::Int);
    let e = terms.exprs();
    let x = e.var(x);
    let (two, low) = (e.add([x, x, e.int(1)]), e.mul(x, e.int(3)));
    let four = e.mul(two, two);
    let formula = e.and([e.lt(four, low), e.lt(low, e.neg(four))]);
    let mut script = Script::new(Declarations::Global);
    script.assert(&terms, formula).expect("no cells");
    let (a, b) = (two.0, four.0);
    let body = format!("(and (< e{b} (* v0 3)) (< (* v0 3) (- e{b})))");
    let bound = format!("(let ((e{a} (+ v0 v0 1))) (let ((e{b} (* e{a} e{a}))) {body}))");
    assert_eq!(script.take(), (format!("(declare-fun v0 () Int)\n(assert {bound})\n"), 2));
}

#[test]
fn the_text_is_as_large_as_the_graph() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let x = terms.fresh("x", Domain::Int);
    let e = terms.exprs();
    let mut doubled = e.var(x);
    for _ in 0..1000 {
        doubled = e.intern(Node::Add([doubled, doubled].into()));
    }
    let mut deep = e.var(x);
    for _ in 0..100_000 {
        deep = e.intern(Node::Neg(deep));
    }
    let mut script = Script::new(Declarations::Global);
    script.assert(&terms, e.lt(doubled, deep)).expect("no cells");
    let (text, _) = script.take();
    assert!(text.len() < 1_000_000);
    assert_eq!(text.matches('(').count(), text.matches(')').count());
    assert_eq!(text.matches("(- ").count(), 100_000);
    assert!(!text.contains(&"(- ".repeat(1 + MAX_DEPTH as usize)));
}

#[test]
fn what_a_pop_undoes_is_said_again() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let x = terms.fresh("x", Domain::Int);
    let e = terms.exprs();
    let term = e.lt(e.var(x), e.int(3));
    let say = |declarations| {
        let mut script = Script::new(declarations);
        script.push();
        assert_eq!(script.assumption(&terms, term).expect("no cells"), format!("p{}", term.0));
        script.pop();
        script.take();
        script.assumption(&terms, term).expect("no cells");
        script.take().0
    };
    let implied = format!("(assert (=> p{} (< v0 3)))\n", term.0);
    assert_eq!(say(Declarations::Global), implied);
    let declared = format!("(declare-fun v0 () Int)\n(declare-fun p{} () Bool)\n", term.0);
    assert_eq!(say(Declarations::Scoped), declared + &implied);
}

#[test]
fn literals_are_their_own_names_and_cells_are_refused() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let b = terms.fresh("b", Domain::Bool);
    let e = terms.exprs();
    let mut script = Script::new(Declarations::Global);
    assert_eq!(script.assumption(&terms, e.not(e.var(b))), Ok("(not v0)".to_owned()));
    assert_eq!(script.assumption(&terms, e.var(b)), Ok("v0".to_owned()));
    let cell = e.not(e.eq(e.cell(FamilyId(0), e.int(0)), e.int(1)));
    script.take();
    assert!(matches!(script.assert(&terms, cell), Err(Stop::Incomplete(_))));
    assert_eq!(script.take(), (String::new(), 0));
}

#[test]
fn every_function_has_its_text() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let e = model.exprs.clone();
    let (flags, rows) = {
        let flags = e.array(Sort::Int, Sort::Bool);
        (flags, e.array(Sort::Bits(3), Sort::Array(flags)))
    };
    let vars = [Domain::Bits(5), Domain::Bits(65), Domain::Array(flags), Domain::Array(rows), Domain::Int];
    let [x, y, a, r, i] = vars.map(|domain| e.var(terms.fresh("v", domain)));
    let said = |term: Expr| {
        let mut script = Script::new(Declarations::Global);
        script.assert(&terms, term).expect("for solvers");
        script.take().0.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let asserted = |term: Expr| said(term).pop().expect("commands");
    for function in Function::PLAIN {
        let parts = [x, x].into_iter().take(function.n_parts());
        let (word, text) = (function.word(), vec!["v0"; function.n_parts()].join(" "));
        let whole = e.apply(function, parts);
        let (term, expected) = match function.gives(|_| unreachable!("no arrays")) {
            Some(_) => (whole, format!("(assert ({word} {text}))")),
            None => (e.eq(whole, x), format!("(assert (= ({word} {text}) v0))")),
        };
        assert_eq!(asserted(term), expected);
    }
    let same = |a: Expr| e.eq(a, a);
    for (term, expected) in [
        (e.concat(x, y, 70), "(concat v0 v1)"),
        (e.extract(y, 64, 3), "((_ extract 64 3) v1)"),
        (e.zero_extend(x, 5), "((_ zero_extend 0) v0)"),
        (e.zero_extend(e.bit_add(x, x), 65), "((_ zero_extend 60) (bvadd v0 v0))"),
        (e.sign_extend(e.bits(5, 18), 8), "((_ sign_extend 3) #b10010)"),
        (e.bits(8, 0xa5), "#xa5"),
        (e.wide_bits(68, &[u64::MAX - 1, 5]), "#x5fffffffffffffffe"),
        (e.store_in(flags, a, i, e.bool(true)), "(store v2 v4 true)"),
        (e.fill(flags, e.lt(i, i)), "((as const (Array Int Bool)) (< v4 v4))"),
        (e.fill(flags, e.bool(false)), "((as const (Array Int Bool)) false)"),
        (e.select_of(rows, r, e.bits(3, 2)), "(select v3 #b010)"),
        (
            e.intern(Node::Value(flags, e.values().listed(None, 1, [(-3, 0), (2, 0)]))),
            "(store (store ((as const (Array Int Bool)) true) (- 3) false) 2 false)",
        ),
        (
            e.intern(Node::Value(rows, e.values().fill(e.values().fill(0)))),
            "((as const (Array (_ BitVec 3) (Array Int Bool))) ((as const (Array Int Bool)) false))",
        ),
    ] {
        let text = asserted(same(term));
        // What is long is bound, and what is short is said twice.
        assert!(text.contains(&format!(" {expected}")), "{text} without {expected}");
    }
    let declared = said(e.select_of(flags, e.select_of(rows, r, e.extract(x, 2, 0)), i));
    assert_eq!(
        declared[..3].iter().map(String::as_str).collect::<lapidary_base::hash::Set<_>>(),
        [
            "(declare-fun v0 () (_ BitVec 5))",
            "(declare-fun v3 () (Array (_ BitVec 3) (Array Int Bool)))",
            "(declare-fun v4 () Int)",
        ]
        .into_iter()
        .collect()
    );
}

//! Values in all forms, and what is none.

use lapidary_ir::{Domain, Model, Sort};
use lapidary_reference::dice::Dice;

use super::*;
use crate::smtlib::read;

const FUNCTIONS: &str = "
    (define-fun k!1 ((x!0 Int)) Int (ite (= x!0 3) 4 (ite (= x!0 (- 1)) 6 0)))
    (define-fun k!2 ((x!0 Bool)) (Array Int Int) (ite x!0 (_ as-array k!1) ((as const (Array Int Int)) 0)))
    (define-fun round ((x!0 Int)) Int (select (_ as-array round) x!0))
    (define-fun again ((x!0 Bool)) (Array Int Int) (store (_ as-array k!1) 3 (ite x!0 1 2)))
    (define-fun two ((x Int) (y Int)) Int 0)
    (define-fun none () Int 0)
";

fn read_as(model: &Model, text: &str, sort: TermSort) -> Result<Raw, Unread> {
    let (sexps, functions) = (read(text).expect("well formed"), read(FUNCTIONS).expect("well formed"));
    value(&Terms::within(model), &sexps[0], sort, &Functions::of(&functions), &Control::new())
}

#[test]
fn integers_of_all_sizes() {
    let model = Model::default();
    let int = |text: &str| read_as(&model, text, TermSort::Int);
    assert_eq!(int("0"), Ok(0));
    assert_eq!(int("(- 5)"), Ok(-5));
    assert_eq!(int("-5"), Ok(-5));
    assert_eq!(int("(- 9223372036854775808)"), Ok(i64::MIN));
    assert_eq!(int("9223372036854775807"), Ok(i64::MAX));
    assert_eq!(int("9223372036854775808"), Err(Unread::Beyond));
    assert_eq!(int("(- 9223372036854775809)"), Err(Unread::Beyond));
    for text in ["x", "(- x)", "(+ 5)", "(-)", "-", "--5", "+5", "1.0", "()", "\"5\"", "(- (- 5))", "true", "1e3"] {
        assert_eq!(int(text), Err(Unread::Garbage), "{text}");
    }
}

#[test]
fn booleans_are_words() {
    let model = Model::default();
    let bool = |text: &str| read_as(&model, text, TermSort::Bool);
    assert_eq!((bool("true"), bool("false"), bool("1")), (Ok(1), Ok(0), Err(Unread::Garbage)));
    assert_eq!(bool("(let ((a true) (b false)) (let ((a b)) a))"), Ok(0));
}

#[test]
fn bit_vectors_are_written_in_three_ways_and_have_their_width() {
    let model = Model::default();
    let bits = |text: &str, width: u32| read_as(&model, text, TermSort::Bits(width));
    for (text, width, expected) in [
        ("#b1", 1, 1),
        ("#b00101", 5, 5),
        ("#xfF", 8, 255),
        ("(_ bv5 8)", 8, 5),
        ("#xffffffffffffffff", 64, -1),
        ("(_ bv18446744073709551615 64)", 64, -1),
    ] {
        assert_eq!(bits(text, width), Ok(expected), "{text}");
    }
    let wide = model.exprs.values().bits(65, &[1 << 63, 1]);
    assert_eq!(bits(&format!("#b11{}", "0".repeat(63)), 65), Ok(wide));
    assert_eq!(bits("(_ bv27670116110564327424 65)", 65), Ok(wide));
    let wrong = ["#b1", "#b000000001", "#x012", "#b0000002", "#xg0", "(_ bv256 8)", "(_ bv5 9)", "(bv5 8)", "5"];
    for text in wrong.into_iter().chain(["(_ bv+5 8)", "(_ bv 8)", "(_ bv5 +8)", "#", "#x", "#c00", "\"#x00\""]) {
        assert_eq!(bits(text, 8), Err(Unread::Garbage), "{text}");
    }
}

#[test]
fn arrays_are_stores_in_constant_arrays() {
    let model = Model::default();
    let e = &model.exprs;
    let ints = e.array(Sort::Int, Sort::Int);
    let nested = e.array(Sort::Bool, Sort::Array(ints));
    let text = |of: &str| format!("(store (store {of} 3 4) (- 1) 6)");
    let zeros = "((as const (Array Int Int)) 0)";
    let expected = e.values().listed(None, 0, [(3, 4), (-1, 6)]);
    assert_eq!(read_as(&model, &text(zeros), TermSort::Array(ints)), Ok(expected));
    let over = format!("(store {zeros} 3 9)");
    assert_eq!(read_as(&model, &text(&over), TermSort::Array(ints)), Ok(expected));
    let bound = format!("(let ((a {zeros})) (let ((b (store a 3 4)) (a 7)) (store b (- 1) 6)))");
    assert_eq!(read_as(&model, &bound, TermSort::Array(ints)), Ok(expected));
    let shadowed = format!("(let ((a {zeros})) (let ((a (store a 3 4))) (store a (- 1) 6)))");
    assert_eq!(read_as(&model, &shadowed, TermSort::Array(ints)), Ok(expected));
    let both = format!("(let ((a {zeros})) (store ((as const (Array Bool (Array Int Int))) {bound}) true a))");
    let both_read = e.values().listed(Some(2), expected, [(1, e.values().fill(0))]);
    assert_eq!(read_as(&model, &both, TermSort::Array(nested)), Ok(both_read));
    for text in [
        "(store (lambda ((x Int)) (ite (= x 3) 4 0)) (- 1) 6)",
        "(lambda ((x Int)) (ite (= 3 x) 4 (ite (not (= x (- 1))) 0 6)))",
        "(lambda ((x Int)) (let ((a (= x 3)) (b (- 1))) (ite (or a (= x b)) (ite a 4 6) 0)))",
        "(lambda ((x Int)) (let ((y x)) (ite (and (= y 3) true) 4 (ite (= y (- 1)) 6 0))))",
    ] {
        assert_eq!(read_as(&model, text, TermSort::Array(ints)), Ok(expected), "{text}");
    }
    let function = "(lambda ((x Bool)) (lambda ((y Int)) (ite (and x (= y 5)) 7 0)))";
    let seven = e.values().listed(None, 0, [(5, 7)]);
    let expected = e.values().listed(Some(2), e.values().fill(0), [(1, seven)]);
    assert_eq!(read_as(&model, function, TermSort::Array(nested)), Ok(expected));
    let named = e.values().listed(
        Some(2),
        e.values().fill(0),
        [(1, read_as(&model, "(_ as-array k!1)", TermSort::Array(ints)).expect("read"))],
    );
    assert_eq!(read_as(&model, "(_ as-array k!2)", TermSort::Array(nested)), Ok(named));
    let again = [2, 1].map(|three| e.values().listed(None, 0, [(3, three), (-1, 6)]));
    let again = e.values().listed(Some(2), again[0], [(1, again[1])]);
    assert_eq!(read_as(&model, "(_ as-array again)", TermSort::Array(nested)), Ok(again));
    let flags = e.array(Sort::Bits(2), Sort::Bool);
    let three = e.values().listed(Some(4), 1, [(3, 0)]);
    assert_eq!(read_as(&model, "(lambda ((x (_ BitVec 2))) (not (= x #b11)))", TermSort::Array(flags)), Ok(three));
    for text in ["(lambda ((x Int)) x)", "(lambda ((x Int)) (+ x 1))", "(lambda ((x Int) (y Int)) 1)"] {
        assert_eq!(read_as(&model, text, TermSort::Array(ints)), Err(Unread::Garbage), "{text}");
    }
    for text in ["(lambda ((x Int)) (ite (< x 3) 1 2))", "(lambda ((x Int)) (ite (= x x) 1 2))", "(lambda x 1)"] {
        assert_eq!(read_as(&model, text, TermSort::Array(ints)), Err(Unread::Garbage), "{text}");
    }
    let garbage = [
        "(_ as-array k!0)",
        "(_ as-array two)",
        "(_ as-array none)",
        "(_ as-array round)",
        "0",
        "a",
        "(store a 1 2)",
        "((as const (Array Int Int)) true)",
    ];
    for text in garbage.into_iter().chain(["(let ((a a)) a)", "((as const) 1)", "(let (a) a)", "(let a b)"]) {
        assert_eq!(read_as(&model, text, TermSort::Array(ints)), Err(Unread::Garbage), "{text}");
    }
    assert_eq!(Domain::Array(ints).first(e.values()), e.values().fill(0));
}

#[test]
fn names_that_stand_for_names_do_not_exhaust_the_stack() {
    let model = Model::default();
    let chain = |n: u32| {
        let lets: String = (1..n).map(|i| format!("(let ((a{i} (not (or a{} false)))) ", i - 1)).collect();
        format!("(let ((a0 true)) {lets} a{} {})", n - 1, ")".repeat(n as usize - 1))
    };
    assert_eq!(read_as(&model, &chain(200), TermSort::Bool), Ok(0));
    let ends = read_as(&model, &chain(900), TermSort::Bool);
    assert!(matches!(ends, Ok(0) | Err(Unread::Garbage)));
}

#[test]
fn random_texts_never_panic() {
    let model = Model::default();
    let ints = model.exprs.array(Sort::Int, Sort::Int);
    let words = ["let", "lambda", "((x Int))", "(x 3)", "x", "3", "=", "ite", "store", "true", "(as const A)", "or"];
    let mut dice = Dice::new(3);
    let (mut n_read, sorts) = (0, [TermSort::Array(ints), TermSort::Int, TermSort::Bool, TermSort::Bits(4)]);
    for _ in 0..20_000 {
        let mut text = String::new();
        let mut open = 0;
        for _ in 0..dice.below(12u32) {
            match dice.below(4u32) {
                0 => {
                    text.push('(');
                    open += 1;
                }
                1 if open > 0 => {
                    text.push_str(") ");
                    open -= 1;
                }
                _ => text.extend([dice.pick(&words), " "]),
            }
        }
        text.push_str(&")".repeat(open));
        for sexp in read(&text).expect("well formed") {
            let sort = dice.pick(&sorts);
            n_read +=
                u32::from(value(&Terms::within(&model), &sexp, sort, &Functions::default(), &Control::new()).is_ok());
        }
    }
    assert!(n_read > 100);
}

//! How automata are lowered: one command for each edge, and fixed values for variables that nobody reads before they are written.

use lapidary_ir::{Model, PropertyKind, print};

use super::evaluate::{Value, Values, evaluate};
use super::{load, load_with, show};

/// The variables with a fixed initial value.
fn fixed(text: &str, options: &[(&str, &str)]) -> Vec<String> {
    let model = load(text, options);
    let fixed: Vec<_> =
        model.init.iter().flat_map(|&init| lapidary_ir::passes::variables(&model.exprs, init)).collect();
    fixed.iter().map(|&var| model.vars[var].name.clone()).filter(|name| name != "location").collect()
}

fn labels(model: &Model) -> Vec<&str> {
    model.commands.iter().map(|command| command.label.as_str()).collect()
}

#[test]
fn edges_are_commands_and_locations_are_values_of_one_variable() {
    let text = "var g : int main process p { var x : int var b : bool init loc A loc B error loc C
        A -> B { x := 1 havoc b } B -> B { assume x > 0 and b  x := x + g } B -> B B -> C { assume x < 0 assume b } }";
    let model = load(text, &[]);
    expect_test::expect![[r#"
        model m;
        processes 1;

        enum "" { A, B, C }

        control var location : #0;
        var g : int;
        var x : int;
        var b : bool;

        init location = #0::A;
        init x = 0;
        init !b;

        command "A -> B": {
          assume location = #0::A;
          x := 1, b := any, location := #0::B;
        }

        command "B -> B": {
          assume location = #0::B & 0 < x & b;
          x := x + g, location := #0::B;
        }

        command "B -> B (2)": {
          assume location = #0::B;
          location := #0::B;
        }

        command "B -> C": {
          assume location = #0::B & x < 0 & b;
          location := #0::C;
        }

        property error_unreachable:
          text "C is not reachable";
          invariant location != #0::C;
    "#]]
    .assert_eq(&print::model(&model));
}

#[test]
fn statements_keep_their_order_where_it_matters() {
    let text = "main process p { var x : int var y : int init loc A A -> A { x := y y := x assume y > 0 x := 2 } }";
    let printed = print::model(&load(text, &[]));
    for part in ["x := y;\n", "y := x;\n", "assume 0 < y", "x := 2, location := "] {
        assert!(printed.contains(part), "{part} is missing in\n{printed}");
    }
}

#[test]
fn what_is_written_before_it_is_read_starts_with_a_fixed_value() {
    let one =
        |edges: &str| format!("main process p {{ var x : int var y : int init loc A loc B error loc E {edges} }}");
    let none = [""; 0];
    assert_eq!(fixed(&one("A -> B { x := 1 } B -> E { assume x > 2 }"), &[]), ["x", "y"]);
    assert_eq!(fixed(&one("A -> B { x := 1 } A -> B B -> E { assume x > y }"), &[]), none);
    assert_eq!(fixed(&one("A -> B { havoc x y := x } B -> E { assume x > y }"), &[]), ["x", "y"]);
    // What is only read in order to write what nobody reads does not matter.
    assert_eq!(fixed(&one("A -> B { x := y } B -> B { y := x + 1 x := y }"), &[]), ["x", "y"]);
    assert_eq!(fixed(&one("A -> B { assume x > 0 x := 1 }"), &[]), ["y"]);
    // Round a cycle.
    assert_eq!(fixed(&one("A -> B { x := 1 } B -> B { assume y < x  y := y + 1 } B -> A"), &[]), ["x"]);
    // Reading and writing within one assignment.
    assert_eq!(fixed(&one("A -> A { x := x + 1 assume x < 10 }"), &[]), ["y"]);
}

#[test]
fn what_a_formula_reads_matters_everywhere() {
    let text = "main process p { var x : int var y : int init loc A loc B A -> B { x := y y := 1 } }";
    assert_eq!(fixed(text, &[]), ["x", "y"]);
    assert_eq!(fixed(text, &[("-p", "x = 1")]), [""; 0]);
    assert_eq!(fixed(text, &[("-p", "y = 1")]), ["x"]);
    assert_eq!(fixed(text, &[("-p", "location = A")]), ["x", "y"]);
}

#[test]
fn every_type_has_a_fixed_value() {
    let text = "main process p { var a : bool var b : int var c : bv[70] var d : [int] -> [bv[3]] -> bool init loc A }";
    assert_eq!(fixed(text, &[]), ["a", "b", "c", "d"]);
    lapidary_ir::validate::validate(&load(text, &[])).unwrap();
}

#[test]
fn names_that_hide_others_stay_apart() {
    let text =
        "var x : int var A : bool var location : int main process p { var x : bool init loc A A -> A { x := true } }
        process q { var z : int init loc L L -> L { z := x } }";
    let model = load(text, &[("-p", "location2 = A and x and location = 1")]);
    let names: Vec<&str> = model.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(names, ["location2", "x_2", "A", "location", "x"]);
    lapidary_ir::validate::validate(&model).unwrap();
}

#[test]
fn another_location_can_be_the_one_of_errors() {
    let text = "main process p { init loc A error loc B A -> B }";
    let asked = |options: &[(&str, &str)]| {
        let model = load(text, options);
        model.properties.iter().map(|property| property.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(asked(&[]), ["B is not reachable"]);
    assert_eq!(asked(&[("--errorloc", "A")]), ["A is not reachable"]);
    let (model, diagnostics, sources) = load_with("m.cfa", text, &[("--errorloc", "Bb")]);
    assert!(model.is_none() && show(&diagnostics, &sources).contains("did you mean `B`?"));
}

#[test]
fn parallel_edges_are_told_apart() {
    let model = load("main process p { init loc A loc B A -> B A -> B B -> A A -> B }", &[]);
    assert_eq!(labels(&model), ["A -> B", "A -> B (2)", "B -> A", "A -> B (3)"]);
}

/// What a formula is where `x` is 7, `y` is 0, and by zero everything divides to 100 and a tenth of it.
fn by_zero(formula: &str) -> bool {
    let text = "main process p { var x : int var y : int init loc A }";
    let model = load(text, &[("-p", formula)]);
    let value = |name: &str| match name {
        "x" => Value::Int(7),
        "y" | "location" => Value::Int(0),
        "a/0" => Value::Array([(Value::Int(7), Value::Int(100))].into(), Box::new(Value::Int(10))),
        "a mod 0" => Value::Array([].into(), Box::new(Value::Int(20))),
        "a rem 0" => Value::Array([].into(), Box::new(Value::Int(30))),
        other => panic!("unknown {other}"),
    };
    let values: Values = model.vars.enumerated().map(|(id, var)| (id, value(&var.name))).collect();
    let PropertyKind::Invariant(expr) = model.properties.iter().next().unwrap().kind else { panic!("no invariant") };
    evaluate(&model, &values, expr) == Value::Bool(true)
}

#[test]
fn by_zero_each_operator_is_one_function_of_the_dividend() {
    for formula in [
        "x / y = 100",
        "x / 0 = x / y",
        "y / y = 10",
        "x mod y = 20",
        "x rem 0 = 30",
        "x / (y + 2) = 3",
        "x rem (y - 2) = -1",
        "x mod (y - 2) = 1",
    ] {
        assert!(by_zero(formula), "{formula}");
    }
}

#[test]
fn there_is_no_function_where_no_divisor_can_be_zero() {
    let text = "main process p { var x : int init loc A A -> A { x := x / 3 mod -5 rem 7 } }";
    assert_eq!(load(text, &[]).vars.len(), 2);
}

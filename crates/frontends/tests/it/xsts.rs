//! What models in `.xsts` mean, shown by a small search over the lowered model.

mod broken;
mod support;

use lapidary_frontends::xsts::{Order, codes};
use lapidary_ir::{Domain, Life, Model, Statement};
use support::{codes_of, holds, initial, load, load_ordered, load_with, reached, values};

/// A model whose only variable is `x`, and whose transition is this.
fn with_body(body: &str) -> String {
    format!("var x : integer = 0 trans {{ {body} }} init {{}} env {{}}")
}

/// The values of `x` once the transition ran, and before.
fn after(body: &str, order: Order) -> Vec<i64> {
    values(
        &load_ordered(
            &format!("var done : boolean = false {}", with_body(&format!("assume !done; done := true; {body}"))),
            order,
        ),
        "x",
    )
}

#[test]
fn init_comes_once_and_then_env_and_trans_in_turns() {
    let model =
        load("var x : integer = 0 trans { assume x < 4; x := x + 2; } init { x := x + 1; } env { x := x * 2; }");
    let labels: Vec<&str> = model.commands.iter().map(|command| command.label.as_str()).collect();
    assert_eq!(labels, ["init", "env", "trans"]);
    // 0, init 1, env 2, trans 4, env 8, and then nothing.
    assert_eq!(values(&model, "x"), [0, 1, 2, 4, 8]);
    assert_eq!(reached(&model).len(), 5);
    let phase = model.vars.iter().find(|var| var.name == "phase").expect("a variable for the sections");
    assert!(phase.control && phase.life == Life::State);
}

#[test]
fn each_branch_of_a_section_is_a_command_with_its_place() {
    let text = "var phase : boolean = true trans { phase := false; } or { phase := true; } init {} env {} or { assume phase; }";
    let model = load(text);
    let shown = |span: lapidary_text::Span| &text[span.start as usize..span.end as usize];
    let commands: Vec<(&str, &str)> =
        model.commands.iter().map(|command| (command.label.as_str(), shown(command.span))).collect();
    let expected = [
        ("init", "{}"),
        ("env[1]", "{}"),
        ("env[2]", "{ assume phase; }"),
        ("trans[1]", "{ phase := false; }"),
        ("trans[2]", "{ phase := true; }"),
    ];
    assert_eq!(commands, expected);
    assert!(model.vars.iter().any(|var| var.name == "phase_2"), "the name of the sections' variable is free");
}

#[test]
fn the_property_holds_in_every_state_the_one_before_init_included() {
    assert!(!holds("var x : integer = 1 trans {} init { x := 0; } env {} prop { x == 0 }"));
    assert!(!holds("var x : integer = 0 trans { x := 0; } init {} env { x := 1; } prop { x == 0 }"));
    assert!(holds("var x : integer = 0 trans {} init { x := 0; } env {} prop { x == 0 }"));
}

#[test]
fn an_if_without_else_does_nothing_else() {
    assert_eq!(after("if (x == 1) x := 5; x := x + 1;", Order::Every), [0, 1]);
    assert_eq!(after("havoc done; if (done) x := 5; else x := 6; done := true;", Order::Every), [0, 5, 6]);
}

#[test]
fn a_transition_happens_as_a_whole_or_not_at_all() {
    assert_eq!(after("x := 1; assume x == 2;", Order::Every), [0]);
    assert_eq!(after("choice { x := 1; assume false; } or { x := 2; }", Order::Every), [0, 2]);
    assert_eq!(after("choice { x := 1; } or { x := 2; } assume x == 2; x := 7;", Order::Every), [0, 7]);
}

#[test]
fn the_branches_of_ort_run_in_every_order_or_in_that_of_the_text() {
    let two = "ort { x := x * 10 + 1; } { x := x * 10 + 2; }";
    assert_eq!(after(two, Order::Every), [0, 12, 21]);
    assert_eq!(after(two, Order::Declared), [0, 12]);
    let three = "ort { x := x * 10 + 1; } { x := x * 10 + 2; } { local var y : integer = x; x := y * 10 + 3; }";
    assert_eq!(after(three, Order::Every), [0, 123, 132, 213, 231, 312, 321]);
    assert_eq!(after(three, Order::Declared), [0, 123]);
    // A branch that is blocked in all orders blocks all.
    assert_eq!(after("ort { x := 1; } { x := 2; } { assume x > 2; }", Order::Every), [0]);
    // One that is blocked in some orders leaves the others.
    assert_eq!(after("ort { x := x + 1; } { assume x == 0; } { x := x + 2; }", Order::Every), [0, 3]);
    let nested = "ort { ort { x := x * 10 + 1; } { x := x * 10 + 2; } } { x := x * 10 + 3; }";
    assert_eq!(after(nested, Order::Every), [0, 123, 213, 312, 321]);
}

#[test]
fn many_branches_of_ort_take_rounds_and_not_orders() {
    let branches: String = (0..12).map(|i| format!("{{ x := x + {i}; }} ")).collect();
    let model = load(&with_body(&format!("ort {branches}")));
    let n_flags = model.vars.iter().filter(|var| var.life == Life::Local && var.domain == Domain::Bool).count();
    assert_eq!(n_flags, 12);
}

#[test]
fn literals_are_told_apart_by_the_other_side() {
    let types = "type Light : { red, green } type Door : { open, green } var l : Light = green var d : Door = green";
    let model = |body: &str| format!("{types} var x : integer = 0 trans {{ {body} }} init {{}} env {{}}");
    let found = load(&model("assume l == green && green == d && d != open; l := red; d := open; x := 1;"));
    assert_eq!((values(&found, "l"), values(&found, "d"), values(&found, "x")), (vec![0, 1], vec![0, 1], vec![0, 1]));
    assert_eq!(values(&load(&model("l := Light.red; assume l == Light.red; x := 1;")), "x"), [0, 1]);
    // A name that only one type has needs no other side.
    assert_eq!(values(&load(&model("assume if open == open then true else false; x := 1;")), "x"), [0, 1]);
    assert_eq!(codes_of(&model("assume green == green;")), [codes::AMBIGUOUS_LITERAL]);
    assert_eq!(codes_of(&model("l := open;")), [codes::TYPE_MISMATCH]);
    assert_eq!(
        values(
            &load(&model("l := if x == 0 then red else green; assume (if x == 0 then green else open) == d; x := 1;")),
            "x"
        ),
        [0, 1]
    );
}

#[test]
fn a_negation_takes_a_comparison_and_a_dot_is_part_of_a_name() {
    assert_eq!(after("if (!x == 1) x := 7;", Order::Every), [0, 7]);
    assert_eq!(after("if (!x == 0 && true) x := 7;", Order::Every), [0]);
    assert_eq!(after("local var a.b : integer = 3; x := a.b;", Order::Every), [0, 3]);
    assert_eq!(after("if (true xor x == 1 => false) x := 7;", Order::Every), [0]);
    assert_eq!(after("if (false => false => false) x := 7;", Order::Every), [0, 7]);
    assert_eq!(after("if (false iff false iff false) x := 7;", Order::Every), [0]);
    assert_eq!(after("x := 10 - 3 - 2 * 2;", Order::Every), [0, 3]);
}

#[test]
fn variables_of_blocks_hide_others_and_begin_with_any_value() {
    assert_eq!(after("local var x : integer = x + 1; x := 5;", Order::Every), [0]);
    assert_eq!(after("x := 1; { local var x : integer = 3; x := x + 1; } x := x + 1;", Order::Every), [0, 2]);
    assert_eq!(after("local var b : boolean; if (b) x := 1; else x := 2;", Order::Every), [0, 1, 2]);
    // A block begins anew each time.
    assert_eq!(after("for i from 0 to 3 do { local var y : integer = 1; x := x + y; y := 5; }", Order::Every), [0, 3]);
    let model = load(&with_body("{ local var y : integer = 1; x := y; } { local var y : boolean; assume y; }"));
    let locals: Vec<&str> =
        model.vars.iter().filter(|var| var.life == Life::Local).map(|var| var.name.as_str()).collect();
    assert_eq!(locals, ["y", "y_2"]);
    assert_eq!(codes_of(&with_body("local var y : integer; local var y : integer;")), [codes::DUPLICATE]);
}

#[test]
fn a_variable_of_a_block_that_is_written_before_it_is_read_takes_no_value() {
    let n_any = |model: &Model| format!("{:?}", model.commands).matches("Any").count();
    assert_eq!(n_any(&load(&with_body("local var y : integer; y := 1; x := y;"))), 0);
    assert_eq!(n_any(&load(&with_body("local var y : integer; if (x == 0) y := 1; x := y;"))), 1);
    assert_eq!(n_any(&load(&with_body("local var y : integer; if (x == 0) y := 1; else y := 2; x := y;"))), 0);
    assert_eq!(n_any(&load(&with_body("local var y : integer; choice { y := 1; } or { assume y == 2; y := 1; }"))), 1);
}

#[test]
fn loops_count_up_to_a_bound_that_they_leave_out() {
    assert_eq!(after("for i from 1 to 4 do x := x * 10 + i;", Order::Every), [0, 123]);
    assert_eq!(after("for i from 4 to 1 do x := 9;", Order::Every), [0]);
    assert_eq!(after("for i from -1 to 1 do x := x * 10 + i + 2;", Order::Every), [0, 12]);
    assert_eq!(after("for i from 0 to 2 do for j from i to 2 do x := x * 10 + i + j;", Order::Every), [0, 12]);
}

#[test]
fn bounds_that_are_constant_along_the_path_are_written_out() {
    let has_loop = |body: &str| format!("{:?}", load(&with_body(body)).commands).contains("While");
    let body = "choice { x := 3; } or { x := 3; } local var y : integer = 0; for i from 1 to x * x / x + 1 do y := y + 1; for i from 1 to y + 1 do { x := x - 1; }";
    assert!(!has_loop(body));
    assert_eq!(after(body, Order::Every), [0]);
    assert!(has_loop("choice { x := 3; } or { x := 4; } for i from 0 to x do x := x + 1;"));
    // Bounds are read once, before the loop.
    assert_eq!(after("choice { x := 3; } or { x := 4; } for i from 0 to x do x := x + 1;", Order::Every), [0, 6, 8]);
    assert_eq!(after("for i from 0 to 2000 do x := i;", Order::Every), [0, 1999]);
    // A variable that nothing writes is a constant.
    let model =
        load("var n : integer = 3 var x : integer = 0 trans { for i from 0 to n do assume x >= 0; } init {} env {}");
    assert!(!format!("{:?}", model.commands).contains("While"));
    assert_eq!(codes_of(&with_body("for i from 0 to 3 do i := 1;")), [codes::NOT_ASSIGNABLE]);
}

/// `a / b`, `a % b`, `a rem b`: of constants, and of variables.
const DIVISIONS: [(i64, i64, i64, i64, i64); 8] = [
    (5, 3, 1, 2, 2),
    (5, -3, -1, 2, -2),
    (-5, 3, -2, 1, 1),
    (-5, -3, 2, 1, -1),
    (6, 3, 2, 0, 0),
    (-6, -3, 2, 0, 0),
    (0, -7, 0, 0, 0),
    (1, -7, 0, 1, -1),
];

#[test]
fn division_is_that_of_the_table() {
    for (a, b, quotient, modulus, remainder) in DIVISIONS {
        let table = format!("a / b == {quotient} && a % b == {modulus} && a rem b == {remainder}");
        let constant = table
            .replace('a', &format!("({a})"))
            .replace("b ", &format!("({b}) "))
            .replace(&format!("re{}", "m"), "rem");
        let variables = format!(
            "var a : integer = {a} var b : integer = {b} trans {{}} init {{}} env {{}} prop {{ b != 0 && {table} }}"
        );
        assert!(holds(&variables), "{variables}");
        let constant = format!("trans {{}} init {{}} env {{}} prop {{ {constant} }}");
        assert!(holds(&constant), "{constant}");
    }
}

#[test]
fn a_divisor_that_may_be_zero_takes_an_unknown_function_of_each_operator() {
    let names = |text: &str| {
        load(text).vars.iter().map(|var| var.name.clone()).filter(|name| name.contains('0')).collect::<Vec<_>>()
    };
    let with =
        |body: &str| format!("var x : integer = 1 var y : integer = 1 trans {{ {body} }} init {{}} env {{ havoc y; }}");
    assert_eq!(names(&with("x := 7 / y; y := 8 / y + x % y; x := x rem y;")), ["a/0", "a%0", "a rem 0"]);
    assert_eq!(names(&with("x := 7 / 2 + 8 % (y % 2 + 1) - 9 rem -3;")), [""; 0]);
    for guarded in [
        "assume y != 0; x := 7 / y;",
        "assume 3 < y && x > 0; x := 7 / y;",
        "if (y == 0) x := 0; else x := 7 / y;",
        "if (y > 0 && 7 % y == 1) x := 2;",
        "x := if y != 0 then 7 / y else 0;",
        "assume y == 0 || 7 / y > 1;",
        "assume y != 0 => 7 / y > 1;",
    ] {
        assert_eq!(names(&with(guarded)), [""; 0], "{guarded}");
    }
    assert_eq!(names(&with("assume y != 0; y := y - 1; x := 7 / y;")), ["a/0"]);
    assert!(load(&with("x := 1 / 0;")).vars.iter().any(|var| var.name == "a/0"));
}

#[test]
fn what_is_never_read_begins_with_a_fixed_value() {
    let with = |rest: &str| load(&format!("var n : integer var b : boolean {rest}"));
    let begins = |model: &Model| model.init.len();
    // The section's variable always does.
    assert_eq!(begins(&with("trans { b := n > 0; } init { n := 0; } env {}")), 3);
    assert_eq!(begins(&with("trans { b := n > 0; } init {} env { n := 1; }")), 3);
    assert_eq!(begins(&with("trans { if (b) n := 1; } init { n := 0; } env {}")), 2, "b is read in the transition");
    assert_eq!(begins(&with("trans {} init { n := 0; b := true; } env {} prop { n == 0 }")), 2, "the property reads n");
    assert_eq!(begins(&with("trans {} init { choice { n := 1; } or { assume n == 2; } } env {}")), 2, "n may be read");
    let any = with("trans { assume b; } init { n := 0; } env {}");
    assert_eq!(initial(&any).len(), 2);
}

#[test]
fn declared_values_may_speak_of_other_variables() {
    let model = load(
        "type T : { a, b } var x : integer = 3 var y : integer = x + 1 var t : T = b trans { assume y == 4; x := 7; } init {} env {} ",
    );
    assert_eq!(model.init.len(), 4);
}

#[test]
fn properties_stand_in_the_model_or_in_files_and_temporal_ones_are_left_out() {
    let text = "var x : integer = 0 trans {} init {} env {} prop { x == 0 } ltl { F (x = 3 -> X y') }";
    let (loaded, diagnostics, _) = load_with("dir/m.xsts", text, "prop { x >= 0 }\n", Order::Every);
    let loaded = loaded.expect("it is fine");
    let names: Vec<(&str, &str)> =
        loaded.model.properties.iter().map(|it| (it.name.as_str(), it.text.as_str())).collect();
    assert_eq!(names, [("prop", "x == 0"), ("m", "x >= 0")]);
    assert_eq!(loaded.left_out, ["ltl"]);
    assert!(diagnostics.list.iter().any(|diagnostic| diagnostic.code == codes::LEFT_OUT));
}

#[test]
fn sections_in_another_order_are_read_with_a_word() {
    let text = "init {} var x : integer = 0 env {} trans { x := 1; } prop { x < 2 }";
    assert_eq!(codes_of(text), [codes::ORDER; 2]);
}

#[test]
fn arrays_are_functions_on_all_indexes() {
    let model = load(
        "var a : [integer] -> boolean = [0 <- true, default <- false]
         var b : [boolean] -> integer = [<boolean> default <- 3]
         trans { a[1] := !a[0]; a := a[b[true] <- true]; b[false] := 4; } init {} env {} prop { a[2] || a != a }",
    );
    let is_array = |name: &str| {
        matches!(model.vars.iter().find(|var| var.name == name).map(|var| var.domain), Some(Domain::Array(_)))
    };
    assert!(is_array("a") && !is_array("b"), "few cells are variables");
    assert!(matches!(model.commands.iter().last().map(|command| &command.body), Some(Statement::Sequence(_))));
    assert_eq!(codes_of(&with_body("x[0] := 1;")), [codes::NO_ARRAY]);
}

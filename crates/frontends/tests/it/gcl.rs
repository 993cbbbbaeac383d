//! What models in `.gcl` mean, shown by a small search over the lowered model.

mod broken;
mod random;
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use lapidary_frontends::gcl::codes;
use lapidary_ir::{PropertyKind, Statement};
use support::{load, load_with, print, print_ltl, search, show, verdict};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root().join(folder)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

#[test]
fn the_gallery_loads_without_a_word() {
    for path in files("examples", "gcl") {
        let text = fs::read_to_string(&path).unwrap();
        let (model, diagnostics, sources) = load_with(&path.to_string_lossy(), &text, &[]);
        assert!(diagnostics.list.is_empty() && model.is_some(), "{}", show(&diagnostics, &sources));
    }
}

/// The numbers of states that the head comments of the gallery promise.
#[test]
fn the_gallery_has_the_states_it_says() {
    let mut n_promises = 0;
    for path in files("examples", "gcl") {
        let text = fs::read_to_string(&path).unwrap();
        for line in text.lines().filter(|line| line.starts_with("//   lapidary check")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some(at) = words.iter().position(|word| word.starts_with("states")) else { continue };
            let Ok(n_states) = words[at - 1].parse::<usize>() else { continue };
            if n_states > 30_000 {
                continue;
            }
            let options: Vec<(&str, &str)> =
                words.windows(2).filter(|pair| pair[0] == "-D").map(|pair| (pair[0], pair[1])).collect();
            let (model, diagnostics, sources) = load_with(&path.to_string_lossy(), &text, &options);
            let model = model.unwrap_or_else(|| panic!("{}", show(&diagnostics, &sources)));
            if model.vars.iter().any(|var| model.bounds(var.domain).is_none()) {
                continue;
            }
            assert_eq!(search(&model, usize::MAX).states.len(), n_states, "{line}");
            n_promises += 1;
        }
    }
    assert!(n_promises > 5 || files("examples", "gcl").is_empty());
}

const PETERSON: &str = "
const N = 2;
type Loc = { idle, want, wait, crit };
var flag : bool[N] = false;
var turn : 0..N-1 = 0;
process P(i : 0..N-1) {
  control var pc : Loc = idle;
  request: pc = idle -> pc := want, flag[i] := true;
  yield:   pc = want -> pc := wait, turn := 1 - i;
  enter:   pc = wait & (!flag[1-i] | turn = i) -> pc := crit;
  leave:   pc = crit -> pc := idle, flag[i] := false;
}
invariant mutex: !(P[0].pc = crit & P[1].pc = crit);
reach     clash: P[0].pc = wait & P[1].pc = wait;
deadlock_free progress;
";

#[test]
fn peterson_keeps_its_promises_in_the_words_of_the_source() {
    let (model, warnings) = load(PETERSON);
    assert_eq!(warnings, "");
    let names: Vec<&str> = model.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(names, ["flag[0]", "flag[1]", "turn", "P[0].pc", "P[1].pc"]);
    let families: Vec<&str> = model.families.iter().map(|family| family.name.as_str()).collect();
    assert_eq!(families, ["flag[_]", "P[_].pc"]);
    let labels: Vec<&str> = model.commands.iter().map(|command| command.label.as_str()).take(5).collect();
    assert_eq!(labels, ["P[0].request", "P[0].yield", "P[0].enter", "P[0].leave", "P[1].request"]);
    assert!(model.commands.iter().all(|command| command.faults.is_empty()));
    assert_eq!((model.n_processes, model.name.as_str()), (2, "m"));
    let found = search(&model, usize::MAX);
    for (name, expected) in [("mutex", "holds"), ("clash", "holds"), ("progress", "holds"), ("no_errors", "holds")] {
        assert_eq!(verdict(&model, &found, name), expected, "{name}");
    }
}

#[test]
fn properties_are_those_of_the_text_then_no_errors_then_formulas() {
    let (model, _, _) = load_with("m.gcl", PETERSON, &[("-p", "turn  <\n 2"), ("-D", "N=2")]);
    let model = model.unwrap();
    let all: Vec<(&str, &str)> =
        model.properties.iter().map(|property| (property.name.as_str(), property.text.as_str())).collect();
    assert_eq!(
        all,
        [
            ("mutex", "!(P[0].pc = crit & P[1].pc = crit)"),
            ("clash", "P[0].pc = wait & P[1].pc = wait"),
            ("progress", ""),
            ("no_errors", "no step errs"),
            ("turn  <\n 2", "turn < 2"),
        ]
    );
    let (empty, _) = load("");
    assert_eq!(empty.properties.len(), 1);
}

/// The assumption of the only command, and its faults.
fn command(text: &str) -> (String, Vec<String>) {
    let (model, _) = load(text);
    let command = model.commands.iter().next().expect("there is a command");
    let Statement::Sequence(parts) = &command.body else { panic!("a body is a sequence") };
    let Statement::Assume(assumption) = parts[0] else { panic!("a body assumes first") };
    let faults = command.faults.iter().map(|fault| format!("{} | {}", fault.what, print(&model, fault.when)));
    let faults = faults.collect();
    search(&model, 1000);
    (print(&model, assumption), faults)
}

#[test]
fn a_range_error_is_excluded_by_the_body_and_told_by_a_fault() {
    let (assumption, faults) = command("var x : 0..3 = 0; var b : bool = false; go: b -> x := x + 1;");
    assert_eq!(assumption, "(b & !(3 < (x + 1)))");
    assert_eq!(faults, ["x := x + 1 leaves 0..3 | (b & (3 < (x + 1)))"]);
}

#[test]
fn checks_that_cannot_fail_are_left_out() {
    for guard in ["x < 3", "x + 1 <= 3", "!(x >= 3)", "x = 2", "3 > x & true", "!(x = 2 => x >= 3)"] {
        let (_, faults) = command(&format!("var x : 0..3 = 0; go: {guard} -> x := x + 1;"));
        assert_eq!(faults, [""; 0], "{guard}");
    }
    let (_, faults) = command("var x : 0..3 = 0; var a : bool[3] = false; go: x < 3 & a[x] -> x := (x + 1) mod 4;");
    assert_eq!(faults, [""; 0]);
    let (_, faults) = command("var x : 0..3 = 0; go: true -> x := min(max(x - 5, 0), 3);");
    assert_eq!(faults, [""; 0]);
    let (_, faults) = command("var x : 0..3 = 0; go: true -> x := if x = 3 then 0 else x div 2;");
    assert_eq!(faults, [""; 0]);
    let (_, faults) = command("var x : 0..3 = 0; go: true -> x := if x >= 3 then 0 else x + 1;");
    assert_eq!(faults, [""; 0]);
}

#[test]
fn faults_happen_only_where_evaluation_gets_to_them() {
    let (assumption, faults) = command("var x : -1..3 = 0; var a : bool[3] = false; go: x != 1 & a[x] -> skip;");
    assert_eq!(assumption, "(!(x = 1) & !((x < 0) | (2 < x)) & a[_]@x)");
    assert_eq!(faults, ["index x is outside a[0..2] | (!(x = 1) & ((x < 0) | (2 < x)))"]);
    let (_, faults) = command("var x : -1..3 = 0; var y : 0..1 = 0; go: (y = 1 | 2 div x = 1) & 1 mod y = 0 -> skip;");
    assert_eq!(
        faults,
        [
            "division by zero in 2 div x | (!(y = 1) & (x = 0))",
            "division by zero in 1 mod y | (!(!(y = 1) & (x = 0)) & ((y = 1) | ((2 div x) = 1)) & (y = 0))"
        ]
    );
    let (_, faults) = command("var x, y : 0..9 = 0; go: true -> x := if y > 4 then 9 div x else 9 div (2 div y);");
    assert_eq!(
        faults,
        [
            "division by zero in 9 div x | ((4 < y) & (x = 0))",
            "division by zero in 2 div y | (!(4 < y) & (y = 0))",
            "division by zero in 9 div (2 div y) | (!(4 < y) & !(y = 0) & ((2 div y) = 0))",
        ]
    );
}

#[test]
fn two_writes_to_one_cell_are_a_fault_where_they_can_meet() {
    let (assumption, faults) =
        command("var i, j : 0..2 = 0; var a : bool[3] = false; go: true -> a[i] := true, a[j] := false;");
    assert_eq!(assumption, "!(j = i)");
    assert_eq!(faults, ["a[i] and a[j] are one cell, written twice | (j = i)"]);
    let (_, faults) = command("var i : 0..1 = 0; var a : bool[3] = false; go: true -> a[i] := true, a[2] := false;");
    assert_eq!(faults, [""; 0]);
    let (assumption, faults) = command("var a : bool[3] = false; go[k in 1..1]: true -> a[k] := true, a[1] := false;");
    assert_eq!((assumption.as_str(), faults), ("false", vec!["cell a[1] is written twice | true".to_owned()]));
    let text = "process P(i : 0..1) { var x : bool = false; go: i = 0 -> x := true, P[0].x := false; }";
    assert_eq!(command(text).1, ["cell P[0].x is written twice | true"]);
}

#[test]
fn quantifiers_are_written_out_and_go_only_as_far_as_needed() {
    let (model, _) = load(
        "var a : 0..2[3] = 0;
         invariant all: forall i in 0..2: a[i] = 0;
         invariant none: forall i in 1..0: a[i] = 7;
         invariant some: exists i in 1..2: a[i] = a[i-1];
         invariant many: (count i in 0..2: a[i] = 1) + (sum i in 0..1: a[i] * i) <= 2;
         invariant partial: exists i in 0..2: 2 div a[i] = 1;",
    );
    let shown: Vec<String> = model
        .properties
        .iter()
        .filter_map(|property| match property.kind {
            PropertyKind::Invariant(expr) => Some(print(&model, expr)),
            _ => None,
        })
        .collect();
    assert_eq!(
        shown,
        [
            "((a[0] = 0) & (a[1] = 0) & (a[2] = 0))",
            "true",
            "((a[1] = a[0]) | (a[2] = a[1]))",
            "((((a[0] = 1) ? 1 : 0) + ((a[1] = 1) ? 1 : 0) + ((a[2] = 1) ? 1 : 0) + (a[0] * 0) + a[1]) <= 2)",
            "(((2 div a[0]) = 1) | ((2 div a[1]) = 1) | ((2 div a[2]) = 1))",
        ]
    );
    let faults: Vec<&str> = model.properties.iter().flat_map(|p| &p.faults).map(|f| f.what.as_str()).collect();
    assert_eq!(faults, ["division by zero in 2 div a[i]"]);
}

#[test]
fn cells_of_processes_are_found_by_constant_and_by_computed_indexes() {
    let text = "
        var k : 1..2 = 1;
        process P(i : 1..2, j : 0..1) { var buf : 0..9[2] = [i, 10 * j - j]; go: true -> buf[0] := buf[1]; }
        process Q() { var x : bool = true; set: x -> x := false, P[k][0].buf[1] := 5; }
        reach a: P[k][1].buf[0] = 1;
        reach b: P[2][1].buf[1] = 9;
        reach c: Q.x;";
    let (model, _) = load(text);
    let names: Vec<&str> = model.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(names[1..5], ["P[1][0].buf[0]", "P[1][0].buf[1]", "P[1][1].buf[0]", "P[1][1].buf[1]"]);
    assert_eq!(names[9], "Q.x");
    let shown: Vec<String> = model
        .properties
        .iter()
        .filter_map(|property| match property.kind {
            PropertyKind::Reach(expr) => Some(print(&model, expr)),
            _ => None,
        })
        .collect();
    // Row by row: ((k - 1) * 2 + 1) * 2 + 0.
    assert_eq!(shown, ["(P[_][_].buf[_]@((((k + -1) * 2) + 1) * 2) = 1)", "(P[2][1].buf[1] = 9)", "Q.x"]);
    let init: Vec<String> = model.init.iter().take(5).map(|&conjunct| print(&model, conjunct)).collect();
    assert_eq!(
        init[1..],
        ["(P[1][0].buf[0] = 1)", "(P[1][0].buf[1] = 0)", "(P[1][1].buf[0] = 1)", "(P[1][1].buf[1] = 9)"]
    );
    let found = search(&model, usize::MAX);
    for name in ["a", "b", "c", "no_errors"] {
        assert_eq!(verdict(&model, &found, name), "holds", "{name}");
    }
}

#[test]
fn an_index_of_a_process_may_be_out_of_bounds() {
    let text = "var k : 0..2 = 0; process P(i : 0..1) { var x : bool = true; } move: k < 2 -> k := k + 1;
                invariant good: P[k].x; reach never: !P[k].x;";
    let (model, _) = load(text);
    let found = search(&model, usize::MAX);
    assert_eq!(verdict(&model, &found, "good"), "violated");
    assert_eq!(verdict(&model, &found, "never"), "violated");
    let what: Vec<&str> = model.properties.iter().flat_map(|p| &p.faults).map(|f| f.what.as_str()).collect();
    assert_eq!(what, ["index k is outside P[0..1]"; 2]);
}

#[test]
fn shared_literals_belong_to_the_type_of_the_other_operand() {
    let text = "type A = { off, on }; type B = { on, off, broken };
        const start = broken;
        var a : A = on; var b : B = start; var c : A[2] = [on, off];
        go: a = on & off != b -> a := off, b := if a = off then off else on, c[0] := if a = c[1] then on else off;
        invariant i: (if a = on then off else on) = c[0] | b = off;";
    let (model, warnings) = load(text);
    assert_eq!(warnings, "");
    let init: Vec<String> = model.init.iter().map(|&conjunct| print(&model, conjunct)).collect();
    assert_eq!(init, ["(a = on)", "(b = broken)", "(c[0] = on)", "(c[1] = off)"]);
}

#[test]
fn temporal_formulas_follow_their_precedences() {
    let text = "var a, b, c : bool = false; const N = 1; var G : bool = true; var M : 0..3 = 0;
        ltl f1: G a => F b & !c U a W b;
        ltl f2: G F (a & b | c);
        ltl f3: a & b & X c & !b;
        ltl f4: forall i in 0..N: G (M = i => F M = i + 1);
        ltl f5: a => b => X c <=> G a;
        ltl f6: a R b M c;
        ltl f7: G G = false;
        invariant plain: G | M = 0;";
    let (model, _) = load(text);
    let shown: Vec<String> = model
        .properties
        .iter()
        .filter_map(|property| match &property.kind {
            PropertyKind::Ltl(ltl) => Some(print_ltl(&model, ltl)),
            _ => None,
        })
        .collect();
    assert_eq!(
        shown,
        [
            "[G a => [F b && [!c U [a W b]]]]",
            "G F ((a & b) | c)",
            "[[(a & b) && X c] && !b]",
            "[G [(M = 0) => F (M = 1)] && G [(M = 1) => F (M = 2)]]",
            "[[a => [b => X c]] <=> G a]",
            "[a R [b M c]]",
            "G !G",
        ]
    );
}

#[test]
fn initial_conditions_are_split_and_those_that_may_go_wrong_are_guarded() {
    let (model, warnings) = load("var x, y : 0..3; init x < 2 & y = x; init y != 3; go: x + y > 9 -> skip;");
    assert_eq!(warnings, "");
    let init: Vec<String> = model.init.iter().map(|&conjunct| print(&model, conjunct)).collect();
    assert_eq!(init, ["(x < 2)", "(y = x)", "!(y = 3)"]);
    let (model, warnings) = load("var x : 0..3; var a : bool[3]; init x > 0 & x < 3 & a[x]; go: a[0] -> skip;");
    assert_eq!(warnings, "");
    assert_eq!(support::initial(&model).len(), 8);
    let (model, warnings) = load("var x : 0..3; init 2 div x = 1; go: x = 0 -> skip;");
    assert!(warnings.contains(codes::INITIAL_ERROR), "{warnings}");
    assert_eq!(print(&model, model.init[0]), "(!(x = 0) & ((2 div x) = 1))");
    assert_eq!(support::initial(&model), [[2]]);
}

#[test]
fn inputs_definitions_and_bound_names_do_what_they_say() {
    let text = "const N = 3;
        define total = sum k in 0..N-1: a[k];
        var a : 0..1[N] = 0; var last : 0..N = 0;
        process P(i : 0..N-1) {
          define mine = a[i]; define next = (i + 1) mod N;
          init mine = 0;
          set: mine = 0 -> a[i] := input, last := i;
          pass[s in i..next]: mine = 1 & a[next] = 0 -> a[i] := 0, a[next] := 1, last := s;
        }
        invariant bound: total <= N;
        reach full: total = N & (forall i in 0..N-1: exists k in 0..i: k = i);";
    let (model, warnings) = load(text);
    assert_eq!(warnings, "");
    let labels: Vec<&str> = model.commands.iter().map(|command| command.label.as_str()).collect();
    assert_eq!(
        labels,
        ["P[0].set", "P[0].pass[0]", "P[0].pass[1]", "P[1].set", "P[1].pass[1]", "P[1].pass[2]", "P[2].set"]
    );
    let found = search(&model, usize::MAX);
    assert_eq!(found.states.len(), 24);
    for name in ["bound", "full", "no_errors"] {
        assert_eq!(verdict(&model, &found, name), "holds", "{name}");
    }
}

//! Formulas: what they mean, and that none is too deep or too large.

use lapidary_frontends::petri::{Language, codes};

use super::{Input, good, load, properties};

const NET: &str = "PLACE p, q-1, AND, X; MARKING p: 1; TRANSITION t CONSUME p: 2, q-1; PRODUCE p; \
                   TRANSITION u CONSUME X; PRODUCE AND;";

#[test]
fn formulas_are_read_as_lola_and_as_others_write_them() {
    let formulas = [
        ("EF p >= 2", "EF (p >= 2)"),
        ("REACHABLE p > 2", "EF (p > 2)"),
        ("EXPATH EVENTUALLY p # 2", "EF (NOT (p = 2))"),
        ("AG p <= 2", "AG (p <= 2)"),
        ("ALLPATH ALWAYS (p = 2)", "AG (p = 2)"),
        ("INVARIANT p < 2", "AG (p < 2)"),
        ("FORMULA p == 2", "AG (p = 2)"),
        ("p + 2 * q-1 <= 3 + X", "AG (p + 2 * \"q-1\" <= X + 3)"),
        ("(p - q-1) * 2 >= -4", "AG (2 * \"q-1\" <= 2 * p + 4)"),
        ("2 <= p - - 1", ""),
        ("p - 1 >= 0 & \"AND\" = 0 | !X != 3", "AG ((p >= 1 AND \"AND\" = 0) OR X = 3)"),
        ("NOT p >= 1 AND TRUE OR FALSE", "AG (NOT (p >= 1))"),
        ("p >= 1 -> q-1 >= 1 -> X >= 1", "AG (NOT (p >= 1) OR NOT (\"q-1\" >= 1) OR X >= 1)"),
        ("p>=1&&q-1>=1||X>=1", "AG ((p >= 1 AND \"q-1\" >= 1) OR X >= 1)"),
        ("p >= 1 <-> X >= 1", "AG ((p >= 1 AND X >= 1) OR (NOT (p >= 1) AND NOT (X >= 1)))"),
        ("EF FIREABLE(t) { a comment } AND NOT FIREABLE(u)", "EF (p >= 2 AND \"q-1\" >= 1 AND NOT (X >= 1))"),
        ("AG NOT DEADLOCK", "AG (NOT (DEADLOCK))"),
        ("EF DEADLOCK", "EF (NOT (p >= 2 AND \"q-1\" >= 1) AND NOT (X >= 1))"),
        ("p <= p", "AG (TRUE)"),
    ];
    for (formula, expected) in formulas {
        let input = Input { text: NET, formulas: vec![formula], ..Input::default() };
        if expected.is_empty() {
            assert!(load("m.lola", Language::Lola, &input).1.has_errors(), "{formula}");
            continue;
        }
        assert_eq!(properties(&good(Language::Lola, &input)), [format!("{formula}: {expected}")]);
    }
}

#[test]
fn what_is_written_is_read_again() {
    let input =
        Input { text: NET, formulas: vec!["EF p + 2 * q-1 <= 3 AND !(X = 1 | \"AND\" < p)"], ..Input::default() };
    let written = properties(&good(Language::Lola, &input))[0].split_once(": ").expect("a name").1.to_owned();
    let again = Input { text: NET, properties: vec![("again.formula", &written)], ..Input::default() };
    assert_eq!(properties(&good(Language::Lola, &again)), [format!("again: {written}")]);
}

#[test]
fn a_file_may_have_several_formulas() {
    let input = Input {
        text: NET,
        properties: vec![("f/some.formula", "EF p > 1 :\nAG p <= 1; AG X = 0;")],
        ..Input::default()
    };
    let expected = ["some_1: EF (p > 1)", "some_2: AG (p <= 1)", "some_3: AG (X = 0)"];
    assert_eq!(properties(&good(Language::Lola, &input)), expected);
}

#[test]
fn questions_are_put_together_and_merged_where_they_are_one() {
    let formulas = [
        ("NOT EF p > 1", "AG (NOT (p > 1))"),
        ("(EF p > 1) OR (EF X > 1)", "EF (p > 1 OR X > 1)"),
        ("NOT ((EF p > 1) OR EF X > 1)", "AG (NOT (p > 1) AND NOT (X > 1))"),
        ("(AG p > 1) AND NOT EF X > 1", "AG (p > 1 AND NOT (X > 1))"),
        ("EF EF p > 1", "EF (p > 1)"),
        ("EF (p > 1 OR NOT AG X > 1)", "EF (p > 1 OR NOT (X > 1))"),
        ("AG (p > 1 AND AG X > 1 AND p > 0)", "AG (p > 1 AND X > 1 AND p > 0)"),
        ("NOT EF (p > 1 OR NOT AG X > 1)", "AG (NOT (p > 1) AND X > 1)"),
        ("(EF p > 1) AND (EF X > 1)", "(EF (p > 1)) AND (EF (X > 1))"),
        ("(EF p > 1) -> EF X > 1", "(AG (NOT (p > 1))) OR (EF (X > 1))"),
        ("(AG p > 1) AND (EF X > 1) AND (AG X > 0)", "(AG (p > 1 AND X > 0)) AND (EF (X > 1))"),
        (
            "((EF p > 1) OR (AG X > 1)) AND ((EF p > 2) OR (AG X > 2) OR EF p > 3)",
            "((EF (p > 1)) OR (AG (X > 1))) AND ((EF (p > 2 OR p > 3)) OR (AG (X > 2)))",
        ),
        ("(NOT ((EF p > 1) OR (AG X > 1))) AND EF X > 3", "(AG (NOT (p > 1))) AND (EF (NOT (X > 1))) AND (EF (X > 3))"),
    ];
    for (formula, expected) in formulas {
        let input = Input { text: NET, properties: vec![("f.formula", formula)], ..Input::default() };
        assert_eq!(properties(&good(Language::Lola, &input)), [format!("f: {expected}")], "{formula}");
        // What is written is understood in the same way.
        let again = Input { text: NET, properties: vec![("f.formula", expected)], ..Input::default() };
        assert_eq!(properties(&good(Language::Lola, &again)), [format!("f: {expected}")], "{formula}");
    }
}

#[test]
fn parts_are_properties_with_names_and_texts_of_their_own() {
    let text = "((EF p > 1) OR NOT EF X > 1) AND\n EF FIREABLE(t)";
    let loaded = good(Language::Lola, &Input { text: NET, properties: vec![("f.formula", text)], ..Input::default() });
    let parts: Vec<String> = loaded.model.properties.iter().map(|one| format!("{}: {}", one.name, one.text)).collect();
    assert_eq!(parts, ["f[1]: EF p > 1", "f[2]: AG NOT (X > 1)", "f[3]: EF FIREABLE(t)"]);
    let [whole] = &loaded.combinations[..] else { panic!("one combination") };
    assert_eq!(whole.junction.words(&loaded.model), "(f[1] OR f[2]) AND f[3]");
    assert_eq!((whole.name.as_str(), whole.text.as_str()), ("f", "((EF p > 1) OR NOT EF X > 1) AND EF FIREABLE(t)"));
}

#[test]
fn what_a_formula_alone_means_is_asked_in_files_and_known_on_the_command_line() {
    for text in ["p >= 1", "FORMULA (p >= 1)", "(EF p >= 1) AND p >= 1", "NOT TRUE"] {
        let input = Input { text: NET, properties: vec![("f.formula", text)], ..Input::default() };
        let (_, diagnostics, _) = load("m.lola", Language::Lola, &input);
        assert_eq!(diagnostics.list.iter().map(|one| one.code).collect::<Vec<_>>(), [codes::FORMULA_BARE], "{text}");
    }
    assert_eq!(codes_of("p >= 1"), [""; 0]);
    assert_eq!(codes_of("(EF p >= 1) AND p >= 1"), [codes::FORMULA_BARE]);
    for nested in
        ["AG EF p >= 1", "EF (p >= 1 AND EF X >= 1)", "NOT AG (p >= 1 OR AG X >= 1)", "EF p >= 1 AND AG X >= 1"]
    {
        assert_eq!(codes_of(nested), [codes::FORMULA_TEMPORAL], "{nested}");
    }
}

fn codes_of(formula: &str) -> Vec<&'static str> {
    let (_, diagnostics, sources) =
        load("m.lola", Language::Lola, &Input { text: NET, formulas: vec![formula], ..Input::default() });
    super::show(&diagnostics, &sources);
    diagnostics.list.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn nesting_is_limited_and_long_chains_are_read() {
    for (open, close) in [("(", ")"), ("NOT ", ""), ("! (", ")")] {
        let deep = |n: usize| format!("{}p >= 1{}", open.repeat(n), close.repeat(n));
        assert_eq!(codes_of(&deep(5000)), [codes::TOO_DEEP], "{open}");
        assert_eq!(codes_of(&deep(60)), [""; 0], "{open}");
    }
    for operator in ["AND", "OR", "->"] {
        assert_eq!(codes_of(&format!("p >= 1{}", format!(" {operator} p >= 1").repeat(20_000))), [""; 0]);
    }
    assert_eq!(codes_of(&format!("p{} >= 1", " + p".repeat(20_000))), [""; 0]);
    assert_eq!(codes_of(&format!("p >= 1{}", " <-> p >= 1".repeat(20_000))), [codes::TOO_DEEP]);
    assert_eq!(codes_of(&format!("{}p >= 1", "EF ".repeat(5000))), [codes::TOO_DEEP]);
    assert_eq!(codes_of(&format!("EF p >= 1{}", " OR EF p >= 1".repeat(5000))), [codes::TOO_DEEP]);
    let long = format!("(EF p >= 1){}", " OR (AG p >= 1) AND (EF X >= 1)".repeat(20_000));
    assert_eq!(codes_of(&long), [codes::TOO_LONG]);
    let input = Input { text: NET, properties: vec![("f.formula", &long)], ..Input::default() };
    assert_eq!(good(Language::Lola, &input).model.properties.len(), 40_001);
    let deep = format!("<a><property><id>x</id><formula><exists-path><finally>{}", "<negation>".repeat(5000));
    let deep = format!("{deep}<true/>{}</finally></exists-path></formula></property></a>", "</negation>".repeat(5000));
    let (_, diagnostics, _) =
        load("m", Language::Lola, &Input { text: NET, properties: vec![("x", &deep)], ..Input::default() });
    assert_eq!(diagnostics.list[0].code, codes::TOO_DEEP);
}

#[test]
fn numbers_that_grow_too_large_are_refused() {
    let large = [
        "p >= 99999999999999999999",
        "p >= 1152921504606846977",
        "1152921504606846976 * 1152921504606846976 * p >= 1",
        "p + 1152921504606846976 + 1152921504606846976 >= 1",
        "p + 1152921504606846976 >= - 1152921504606846976",
    ];
    for formula in large {
        assert_eq!(codes_of(formula), [codes::LARGE_NUMBER], "{formula}");
    }
    assert_eq!(codes_of("p >= 1152921504606846976"), [""; 0]);
}

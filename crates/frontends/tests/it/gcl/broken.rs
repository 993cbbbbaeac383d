//! Broken input: every diagnostic has its example, and nothing that is read breaks the reader.

use std::fs;

use lapidary_frontends::gcl::{codes, limits};

use super::support::{load_with, show};
use super::{PETERSON, files};

/// Loads a text within some seconds, however large it grows when it is written out.
fn read_quickly(text: &str) -> Vec<&'static str> {
    let started = std::time::Instant::now();
    let (_, diagnostics, sources) = load_with("m.gcl", text, &[]);
    show(&diagnostics, &sources);
    let head: String = text.chars().take(60).collect();
    assert!(started.elapsed().as_secs() < 20, "{head} took {:?}", started.elapsed());
    diagnostics.list.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn nesting_is_limited_and_what_is_within_the_limit_is_read() {
    let forms = [
        ("(", ")"),
        ("!", ""),
        ("if true then ", " else false"),
        ("forall i in 0..0: ", ""),
        ("0 = -(if ", " then 0 else 1)"),
    ];
    for (open, close) in forms {
        let deep = |n: usize| format!("var b : bool; init {}b{};", open.repeat(n), close.repeat(n));
        assert_eq!(read_quickly(&deep(5000)), [codes::TOO_DEEP], "{open}");
        assert_eq!(read_quickly(&deep(60)), [""; 0], "{open}");
    }
    let numbers = |n: usize| format!("var x : int; init 0 = {}x{};", "-(1 + ".repeat(n), ")".repeat(n));
    assert_eq!(read_quickly(&numbers(60)), [""; 0]);
    let defines =
        |n: usize| (0..n).map(|i| format!("define d{i} = (if d{} then 1 else 2) = 1;", i + 1)).collect::<String>();
    assert_eq!(read_quickly(&format!("{} var d100 : bool;", defines(100))), [""; 0]);
    assert!(read_quickly(&format!("{} var d300 : bool;", defines(300))).contains(&codes::TOO_DEEP));
    let upwards: String = (0..3000).rev().map(|i| format!("const c{} = c{i} + 1;", i + 1)).collect();
    assert!(read_quickly(&format!("const c0 = 1; {upwards}")).contains(&codes::TOO_DEEP));
    let types: String = (1..3000).rev().map(|i| format!("type T{i} = T{};", i - 1)).collect();
    assert!(read_quickly(&format!("type T0 = bool; {types}")).contains(&codes::TOO_DEEP));
}

#[test]
fn long_chains_are_read_unless_they_nest_in_the_model() {
    let chain = |operator: &str| format!("var x : int = 1; init x{} = 1;", format!(" {operator} x").repeat(20_000));
    assert_eq!(read_quickly(&chain("+")), [""; 0]);
    assert_eq!(read_quickly(&chain("*")), [codes::TOO_DEEP]);
    assert_eq!(read_quickly(&chain("div")), [codes::TOO_DEEP]);
    assert_eq!(read_quickly(&format!("var x : bool; init x{};", " & x".repeat(20_000))), [""; 0]);
    assert_eq!(read_quickly(&format!("var x : bool; init x{};", " => x".repeat(20_000))), [""; 0]);
    assert_eq!(read_quickly(&format!("var x : bool; init x{};", " <=> x".repeat(20_000))), [codes::TOO_DEEP]);
    assert_eq!(read_quickly(&format!("var x : bool; ltl p: G x{};", " & G x".repeat(20_000))), [""; 0]);
    assert_eq!(read_quickly(&format!("var x : bool; ltl p: G x{};", " => G x".repeat(20_000))), [codes::TOO_DEEP]);
}

#[test]
fn what_grows_too_large_is_refused() {
    let defines: String = (1..100).map(|i| format!("define d{i} = d{} + d{};", i - 1, i - 1)).collect();
    let types: String = (1..3000).map(|i| format!("type T{i} = T{}[1];", i - 1)).collect();
    let texts = [
        format!("var x : int = 0; define d0 = x; {defines} invariant i: d99 > 0;"),
        "var x : 0..9; invariant i: forall a in 0..9999: forall b in 0..9999: x != a * b;".to_owned(),
        "const N = sum i in 0..999999999999: i;".to_owned(),
        "var a : bool[1000][1000];".to_owned(),
        "process P(i : 0..9223372036854775807) { }".to_owned(),
        "process P(i : 0..999, j : 0..999) { var x : bool; }".to_owned(),
        "var x : bool; go[i in 0..9999999999]: x -> skip;".to_owned(),
        "var x : 0..9; var a : 0..9[9]; invariant i: forall k in 0..5000: a[x + k] > a[a[x]];".to_owned(),
        format!("var x : int; invariant i: {}x{} > 0;", "max(1, ".repeat(150), ")".repeat(150)),
        format!("type T0 = bool; {types}"),
        format!("var x : 0..8; var a : bool[9]; go: true -> a[0] := true{};", ",\na[x] := true".repeat(20_000)),
        "x".repeat(limits::MAX_TEXT + 1),
    ];
    for text in texts {
        assert!(read_quickly(&text).contains(&codes::TOO_LARGE), "{}", &text[..60]);
    }
}

#[test]
fn whatever_is_read_nothing_breaks() {
    let texts = [
        "var x : -9223372036854775808..9223372036854775807 = -9223372036854775808; go: true -> x := -x;".to_owned(),
        "process P(i : -9223372036854775808..-9223372036854775807) { var x : bool = i = i; go: x -> x := !x; }"
            .to_owned(),
        "const A = -9223372036854775808 mod -1; const B = -9223372036854775808 div -1;".to_owned(),
        "{".repeat(10_000),
        "process P() {\n".repeat(10_000),
        "var x : {a, b, ".repeat(1000),
        "var v : {a}; init v = a;\n".repeat(10_000),
        (0..20_000).map(|i| format!("init y{i};\n")).collect(),
        (0..10_000).map(|i| format!("var v{i} : bool; init w{i};\n")).collect(),
        "@ a\n".repeat(50_000),
        format!("var x : bool; go: true -> x := true{};", ",\nx := true".repeat(20_000)),
        "\u{0}\u{7f}é\u{1F600} process { } ) ( ] [ := -> .. /*".to_owned(),
    ];
    for text in texts {
        read_quickly(&text);
    }
}

/// Every way to cut a model short or to leave a token out ends in a model or in diagnostics.
#[test]
fn broken_variants_of_good_models_never_panic() {
    let mut texts: Vec<String> =
        files("examples", "gcl").iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    texts.push(PETERSON.to_owned());
    for text in texts {
        let words: Vec<&str> = text.split_inclusive([' ', '\n', ';', '(', '[']).collect();
        for i in (0..words.len()).step_by(words.len() / 40 + 1) {
            let cut = words[..i].concat();
            let without = [&words[..i], &words[i + 1..]].concat().concat();
            let doubled = [&words[..=i], &words[i..]].concat().concat();
            let swapped = [&words[..i], &[";"], &words[i..]].concat().concat();
            for variant in [cut, without, doubled, swapped] {
                let (model, diagnostics, sources) = load_with("m.gcl", &variant, &[]);
                assert_eq!(model.is_none(), diagnostics.has_errors(), "{variant}");
                assert!(diagnostics.list.len() <= limits::MAX_SHOWN + 1);
                show(&diagnostics, &sources);
            }
        }
    }
}

/// The options that a broken file names in its first line: `// options: -D N=x`.
fn options(text: &str) -> Vec<(&str, &str)> {
    let Some(line) = text.lines().next().and_then(|line| line.strip_prefix("// options: ")) else { return Vec::new() };
    vec![line.split_at(2)].into_iter().map(|(option, value)| (option, value.trim())).collect()
}

#[test]
fn every_code_has_a_broken_file_with_its_rendering() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut produced = Vec::new();
    for path in files("corpus/broken/gcl", "gcl") {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let code = name.split('-').next().unwrap().to_owned();
        let (model, diagnostics, sources) = load_with(&name, &text, &options(&text));
        assert_eq!(model.is_none(), diagnostics.has_errors(), "{name}");
        assert!(diagnostics.list.iter().any(|diagnostic| diagnostic.code == code), "{name} does not produce its code");
        assert!(codes::TABLE.iter().any(|(known, _)| *known == code), "{name} is named after no code");
        let shown = show(&diagnostics, &sources).trim_end().to_owned() + "\n";
        let expected = path.with_extension("expected");
        if update {
            fs::write(&expected, &shown).unwrap();
        }
        let known = fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(known, shown, "{name}: run with UPDATE_EXPECT=1 if the new rendering is better");
        produced.push(code);
    }
    let missing: Vec<&str> =
        codes::TABLE.iter().map(|(code, _)| *code).filter(|code| !produced.iter().any(|found| found == code)).collect();
    assert_eq!(missing, [""; 0], "codes without a file in corpus/broken/gcl");
}

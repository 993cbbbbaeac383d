//! Broken input: every diagnostic has its example, and nothing that is read breaks the reader.

use std::fs;

use lapidary_frontends::cfa::{codes, limits};

use super::{files, load_with, show};

/// Loads a text within some seconds.
fn read_quickly(text: &str) -> Vec<&'static str> {
    let started = std::time::Instant::now();
    let (model, diagnostics, sources) = load_with("m.cfa", text, &[]);
    show(&diagnostics, &sources);
    assert_eq!(model.is_none(), diagnostics.has_errors());
    let head: String = text.chars().take(60).collect();
    assert!(started.elapsed().as_secs() < 10, "{head} took {:?}", started.elapsed());
    diagnostics.list.iter().map(|diagnostic| diagnostic.code).collect()
}

fn on_edge(statements: &str) -> String {
    format!(
        "main process p {{ var x : int var b : bool var v : bv[8] var a : [int] -> int init loc A A -> A {{ {statements} }} }}"
    )
}

#[test]
fn nesting_is_limited_and_what_is_within_the_limit_is_read() {
    let forms = [("(", ")"), ("- ", ""), ("if b then ", " else 0"), ("1 + (", ")"), ("(1, ", "")];
    for (open, close) in &forms[..4] {
        let deep = |n: usize| on_edge(&format!("x := {}x{}", open.repeat(n), close.repeat(n)));
        assert_eq!(read_quickly(&deep(5000)), [codes::TOO_DEEP], "{open}");
        assert_eq!(read_quickly(&deep(60)), [""; 0], "{open}");
    }
    assert_eq!(read_quickly(&on_edge(&format!("x := {}0{}", "a[".repeat(5000), "]".repeat(5000)))), [codes::TOO_DEEP]);
    assert_eq!(read_quickly(&on_edge(&format!("x := {}0{}", "(a[".repeat(150), "])".repeat(150)))), [codes::TOO_DEEP]);
}

#[test]
fn long_chains_are_read_unless_they_nest_in_the_model() {
    let chain =
        |to: &str, operator: &str| on_edge(&format!("{to} := {to}{}", format!(" {operator} {to}").repeat(20_000)));
    for (to, operator) in [("x", "+"), ("x", "-"), ("b", "and"), ("b", "or"), ("b", "imply")] {
        assert_eq!(read_quickly(&chain(to, operator)), [""; 0], "{operator}");
    }
    for (to, operator) in [("x", "*"), ("x", "rem"), ("b", "iff"), ("b", "xor"), ("v", "bvadd"), ("v", "bvsmod")] {
        assert_eq!(read_quickly(&chain(to, operator)), [codes::TOO_DEEP], "{operator}");
    }
}

#[test]
fn large_automata_are_read_in_time() {
    let edges =
        |n: usize| (0..n).map(|i| format!("L{i} -> L{} {{ x{i} := x{} + 1 }}\n", i + 1, i / 2)).collect::<String>();
    let declared = |n: usize| (0..=n).map(|i| format!("loc L{i} var x{i} : int\n")).collect::<String>();
    let text = |n| format!("main process p {{ init loc I {} {} I -> L0 }}", declared(n), edges(n));
    assert_eq!(read_quickly(&text(3000)), [""; 0]);
    let statements = (0..20_000).map(|i| format!("havoc x assume x > {i} x := x + 1\n")).collect::<String>();
    assert_eq!(read_quickly(&on_edge(&statements)), [""; 0]);
}

#[test]
fn what_is_too_large_is_refused() {
    let edges = format!("main process p {{ init loc A {} }}", "A -> A ".repeat(limits::MAX_EDGES + 1));
    assert_eq!(read_quickly(&edges), [codes::TOO_LARGE]);
    let vars = (0..=limits::MAX_VARIABLES).map(|i| format!("var x{i} : bool ")).collect::<String>();
    assert_eq!(read_quickly(&format!("{vars} main process p {{ init loc A }}")), [codes::TOO_LARGE]);
    let unknown = (0..50_000).map(|i| format!("A -> B{i} ")).collect::<String>();
    let known = (0..50_000).map(|i| format!("loc C{i} ")).collect::<String>();
    assert!(read_quickly(&format!("main process p {{ init loc A {known} {unknown} }}")).contains(&codes::TOO_MANY));
    let wide = (0..30_000).map(|i| format!("loc L{i} var x{i} : int A -> L{i} {{ x{i} := x0 }} ")).collect::<String>();
    assert_eq!(read_quickly(&format!("main process p {{ init loc A {wide} }}")), [""; 0]);
}

#[test]
fn whatever_is_read_nothing_breaks() {
    let texts = [
        "{".repeat(10_000),
        "main process p {\n".repeat(10_000),
        "A -> B ".repeat(10_000),
        "main process p { A -> A { x := ".repeat(1000),
        "@ a\n".repeat(50_000),
        "\u{0}\u{7f}é\u{1F600} process { } ) ( ] [ := -> .. /*".to_owned(),
        on_edge(&format!("v := {}'d{}", limits::MAX_WIDTH, "9".repeat(5000))),
        on_edge("v := 8'xff[99999999999999999999:0]"),
        on_edge("v := v bv_zero_extend bv[99999999999]"),
        "x".repeat(limits::MAX_TEXT + 1),
        on_edge("x := fpadd[[[ fpmax fptofp[ "),
    ];
    for text in texts {
        assert!(!read_quickly(&text).is_empty());
    }
}

const MODEL: &str = "var g : bv[8] main process p(n : int) { var a : [int] -> bv[8] var f : bool init loc A
    loc B final loc C error loc D A -> B { havoc g a := [0 <- 8'd3, default <- g] f := n > 0 iff not f }
    B -> C { assume a[n + 1] = g[8:4] ++ 4'xf g := if f then bvneg g else a[2 <- 8'b00000000][2] } B -> D
    { assume n rem 3 < 0 or g bvslt 8'd-3 n := n / n - (2 * n) mod 5 } } process q { init loc A }";

/// Every way to cut a model short or to leave a token out ends in a model or in diagnostics.
#[test]
fn broken_variants_of_good_models_never_panic() {
    let texts = files("examples").into_iter().map(|path| fs::read_to_string(path).unwrap());
    for text in texts.chain([MODEL.to_owned()]) {
        assert_eq!(read_quickly(&text), [""; 0], "{text}");
        let words: Vec<&str> = text.split_inclusive([' ', '\n', '(', '[']).collect();
        for i in 0..words.len() {
            let cut = words[..i].concat();
            let without = [&words[..i], &words[i + 1..]].concat().concat();
            let doubled = [&words[..=i], &words[i..]].concat().concat();
            let swapped = [&words[..i], &["} "], &words[i..]].concat().concat();
            for variant in [cut, without, doubled, swapped] {
                assert!(read_quickly(&variant).len() <= limits::MAX_SHOWN + 1);
            }
        }
    }
}

/// The options that a broken file names in its first line: `// options: --errorloc L`.
fn options(text: &str) -> Vec<(&str, &str)> {
    let line = text.lines().next().and_then(|line| line.strip_prefix("// options: "));
    line.and_then(|line| line.split_once(' ')).into_iter().collect()
}

#[test]
fn every_code_has_a_broken_file_with_its_rendering() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut produced = Vec::new();
    for path in files("corpus/broken/cfa") {
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
    assert_eq!(missing, [""; 0], "codes without a file in corpus/broken/cfa");
}

//! Broken input: every diagnostic has its example, and nothing that is read breaks the reader.

use std::fs;

use lapidary_frontends::altarica::{codes, limits};

use super::{files, load, show};

/// The first code that is about meaning.
const FIRST: &str = "alt020";

/// The node that a broken file has instantiated, named in its first line: `// instantiate: A`.
fn node(text: &str) -> Option<&str> {
    text.lines().next().and_then(|line| line.strip_prefix("// instantiate: "))
}

/// What is said when a text is loaded and its last node instantiated.
fn codes_of(text: &str) -> Vec<&'static str> {
    let (document, diagnostics, sources) = load("m.alt", text);
    show(&diagnostics, &sources);
    let mut list = diagnostics.list;
    if let Some(document) = document
        && let Some(last) = document.nodes().last()
    {
        let (tree, diagnostics) = document.instantiate(&sources, last);
        assert_eq!(tree.is_none(), diagnostics.has_errors());
        show(&diagnostics, &sources);
        list.extend(diagnostics.list);
    }
    list.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn every_code_of_meaning_has_a_broken_file_with_its_rendering() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut produced = Vec::new();
    for path in files("corpus/broken/alt") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let code = name.split('-').next().unwrap().to_owned();
        if *code < *FIRST {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let (document, mut diagnostics, sources) = load(&name, &text);
        assert_eq!(document.is_none(), diagnostics.has_errors(), "{name}");
        if let (Some(document), Some(node)) = (document, node(&text)) {
            diagnostics = document.instantiate(&sources, node).1;
        }
        assert!(diagnostics.list.iter().any(|diagnostic| diagnostic.code == code), "{name} does not produce its code");
        for diagnostic in &diagnostics.list {
            assert!(diagnostic.help.is_some(), "{name}: {}", diagnostic.message);
        }
        let shown = show(&diagnostics, &sources).trim_end().to_owned() + "\n";
        let expected = path.with_extension("expected");
        if update {
            fs::write(&expected, &shown).unwrap();
        }
        let known = fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(known, shown, "{name}: run with UPDATE_EXPECT=1 if the new rendering is better");
        produced.push(code);
    }
    let of_meaning = codes::TABLE.iter().map(|(code, _)| *code).filter(|code| *code >= FIRST);
    let missing: Vec<&str> = of_meaning.filter(|code| !produced.iter().any(|found| found == code)).collect();
    assert_eq!(missing, [""; 0], "codes without a file in corpus/broken/alt");
}

#[test]
fn what_grows_too_large_is_refused() {
    let levels: String = (1..300).map(|i| format!("node N{i} sub n : N{}; edon ", i - 1)).collect();
    let doubled: String = (1..40).map(|i| format!("node N{i} sub a, b : N{}; edon ", i - 1)).collect();
    let structs: String =
        (1..40).map(|i| format!("domain D{i} = struct a, b : D{} tcurts; ", i - 1)).collect::<String>();
    let arrays: String = (1..100).map(|i| format!("domain D{i} = D{}[1]; ", i - 1)).collect();
    let branches = "x = 1 : on, ".repeat(2000);
    let texts = [
        format!("node N0 edon {levels}"),
        format!("node N0 edon {doubled}"),
        format!("domain D0 = bool; {structs} node A state x : D39; edon"),
        format!("domain D0 = bool; {arrays} node A state x : D99; edon"),
        "node A state x : bool[1000000]; edon".to_owned(),
        "node A state x : bool[400][400]; edon".to_owned(),
        "node A event e[5000]; edon".to_owned(),
        "node A event e[1000] < f[1000]; edon".to_owned(),
        format!("node A event e0{}; edon", (1..3000).map(|i| format!(" < e{i}")).collect::<String>()),
        "node B event e[4000]; edon node A sub b : B[100]; edon".to_owned(),
        format!("node A state x : [0, 9]; s : {{on, off}}; assert s = case {{ {branches} else off }}; edon"),
        format!("node A state x, y : [0, 9]; assert y = min(x{}); edon", ", x - y + 1, x + 1".repeat(2000)),
        format!(
            "node A state a : bool[900]; i : [0, 999]; assert true{}; edon node B sub a : A[90]; edon",
            (0..60).map(|k| format!(" & a[i + {k}]")).collect::<String>()
        ),
        format!("node A state a : bool[900]; i : [0, 999]; assert true{}; edon", " & a[i]".repeat(9000)),
        format!(
            "sort S; {} node A state s : S; edon",
            (0..600).map(|i| format!("const c{i} : S; ")).collect::<String>()
        ),
    ];
    for text in texts {
        let codes = codes_of(&text);
        assert!(codes.contains(&codes::TOO_LARGE), "{}: {codes:?}", &text[..text.len().min(80)]);
    }
}

#[test]
fn large_models_within_the_limits_are_written_out() {
    let names: String = (0..3000).map(|i| format!("node N{i} state x : bool; edon ")).collect();
    let texts = [
        "node A state x : bool; event e; trans x |- e -> x := false; edon node B sub a : A[40000]; edon".to_owned(),
        "node A state a : [0, 9][9999]; i : [0, 9998]; assert a[i] = i; edon".to_owned(),
        format!("{names} node Last edon"),
        "node A event a[300] < b[300]; trans true |- a, b -> ; edon".to_owned(),
    ];
    for text in texts {
        assert_eq!(codes_of(&text), [""; 0], "{}", &text[..60]);
    }
}

#[test]
fn whatever_is_read_nothing_breaks() {
    let texts = [
        "node A state x : [-9223372036854775808, 9223372036854775807]; event e; trans true |- e -> x := -x / x; edon",
        "const A = -9223372036854775808 mod -1; const B = -9223372036854775808 / -1; node N edon",
        "const A = B; const B = A; node N sub n : N; edon",
        "node N param p : N; state p : p; edon",
        "sig f : f -> f; node A assert f(f(1)); edon",
        "node A sub a : A[A]; event e[e]; init a := a; param_set a := a; edon",
        "node A event e < e; sync <e>; <e?, e?> = 1; <>; edon",
        "node B event e; edon node A sub b : B[2][3]; event g; sync <g, b[2][1].e>; <b.e>; <b[2].e>; edon",
        "domain D = {}; node A state x : D; assert x = x; edon",
        "domain D = struct tcurts; node A state x : D; assert x = x; edon",
        "",
    ];
    for text in texts {
        codes_of(text);
    }
}

/// Every way to cut a model short, to leave a word out or to double one ends in a document or in diagnostics.
#[test]
fn broken_variants_of_good_models_never_panic() {
    for path in files("corpus/altarica") {
        let text = fs::read_to_string(&path).unwrap();
        let words: Vec<&str> = text.split_inclusive([' ', '\n', ';', '(', '[', '.']).collect();
        for i in (0..words.len()).step_by(words.len() / 60 + 1) {
            let without = [&words[..i], &words[i + 1..]].concat().concat();
            let doubled = [&words[..=i], &words[i..]].concat().concat();
            let swapped = [&words[..i], &words[words.len() - 1 - i..], &words[i..]].concat().concat();
            for variant in [words[..i].concat(), without, doubled, swapped] {
                let (document, diagnostics, _) = load("m.alt", &variant);
                assert_eq!(document.is_none(), diagnostics.has_errors(), "{variant}");
                assert!(diagnostics.list.len() <= limits::MAX_SHOWN + 1);
                codes_of(&variant);
            }
        }
    }
}

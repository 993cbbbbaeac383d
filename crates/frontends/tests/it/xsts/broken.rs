//! Broken input: every diagnostic has its example, and nothing that is read breaks the reader.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lapidary_frontends::xsts::{Order, codes, limits};

use super::support::{codes_of, load_with, show};

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

fn read_quickly(text: &str) -> Vec<&'static str> {
    let started = Instant::now();
    let found = codes_of(text);
    let head: String = text.chars().take(60).collect();
    assert!(started.elapsed().as_secs() < 20, "{head} took {:?}", started.elapsed());
    found
}

fn with_body(body: &str) -> String {
    format!("var x : integer = 0 var b : boolean = true trans {{ {body} }} init {{}} env {{}}")
}

#[test]
fn every_code_has_a_broken_file_with_its_rendering() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut produced = Vec::new();
    for path in files("corpus/broken/xsts", "xsts") {
        let text = fs::read_to_string(&path).unwrap();
        let properties = fs::read_to_string(path.with_extension("prop")).unwrap_or_default();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let code = name.split('-').next().unwrap().to_owned();
        let (loaded, diagnostics, sources) = load_with(&name, &text, &properties, Order::Every);
        assert_eq!(loaded.is_none(), diagnostics.has_errors(), "{name}");
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
    assert_eq!(missing, [""; 0], "codes without a file in corpus/broken/xsts");
}

#[test]
fn ten_thousand_statements_are_read_at_once() {
    let condition = (0..10).map(|i| format!("(x{i} == {i} && b{i} || !(x{i} <= 7))")).collect::<Vec<_>>().join(" || ");
    let declared: String = (0..10).map(|i| format!("var x{i} : integer = 0 var b{i} : boolean = false\n")).collect();
    let one = |i: usize| {
        let k = i % 10;
        format!(
            "choice {{ assume {condition}; x{k} := x{k} + 1; }} or {{ local var y : integer; y := {i}; x{k} := y; }}\n"
        )
    };
    let mut body = String::new();
    (0..10_000 / 5).for_each(|i| body += &one(i));
    let plain: String = (0..10_000)
        .map(|i| format!("x{} := x{} + {i} * x{} + 1000000 - {i}; havoc b{};\n", i % 10, i % 7, i % 3, i % 5))
        .collect();
    let padding = format!("// {}\n", "x".repeat(100)).repeat(5000);
    for body in [body, plain] {
        let text = format!("{declared} trans {{ {body} {padding} }} init {{}} env {{}}");
        assert!(text.len() > 1_000_000, "{}", text.len());
        let started = Instant::now();
        assert_eq!(codes_of(&text), [""; 0]);
        assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
    }
}

#[test]
fn nesting_is_limited_and_what_is_within_the_limit_is_read() {
    let forms = [
        ("assume ", "(", "b", ")", ";"),
        ("assume ", "!(", "b", ")", ";"),
        ("", "{", "", "}", ""),
        ("", "if (b) ", "x := 1;", "", ""),
    ];
    for (before, open, middle, close, end) in forms {
        let deep = |n: usize| with_body(&format!("{before}{}{middle}{}{end}", open.repeat(n), close.repeat(n)));
        assert_eq!(read_quickly(&deep(5000)), [codes::TOO_DEEP], "{open}");
        assert_eq!(read_quickly(&deep(60)), [""; 0], "{open}");
    }
    let product = |n: usize| with_body(&format!("x := x{};", " * x".repeat(n)));
    assert_eq!(read_quickly(&product(500)), [""; 0]);
    assert_eq!(read_quickly(&product(5000)), [codes::TOO_DEEP]);
}

#[test]
fn what_grows_too_large_is_refused() {
    let ort = |n: usize| {
        (0..n).fold("x := x + 1;".to_owned(), |inner, _| {
            format!("ort {{ {inner} }} {{ x := 2; }} {{ x := 3; }} {{ x := 4; }}")
        })
    };
    assert_eq!(read_quickly(&with_body(&ort(40))), [codes::TOO_LARGE]);
    let pairs = (0..60).fold("x := x + 1;".to_owned(), |inner, _| format!("ort {{ {inner} }} {{ x := 2; }}"));
    assert_eq!(read_quickly(&with_body(&pairs)), [codes::TOO_LARGE]);
    assert_eq!(read_quickly(&"x".repeat(limits::MAX_TEXT + 1)).first(), Some(&codes::TOO_LARGE));
    let squares: String = (0..100).map(|i| format!("local var v{i} : integer = x + x; ")).collect();
    assert_eq!(read_quickly(&with_body(&squares)), [""; 0]);
    let loops = (0..60).fold("x := x + 1;".to_owned(), |inner, i| format!("for i{i} from 0 to 900 do {inner}"));
    assert_eq!(read_quickly(&with_body(&loops)), [""; 0], "inner loops stay loops");
    assert_eq!(read_quickly(&with_body("for i from -9223372036854775808 to 9223372036854775807 do x := i;")), [""; 0]);
}

const GOOD: &str = "type Mode : { idle, busy } // a comment
ctrl var m : Mode = idle var n : integer = 0 var b : boolean var a : [integer] -> boolean = [0 <- true, default <- false]
trans { assume m == idle && b; m := Mode.busy; n := 0; local var k : integer = n % 3; a[k] := !a[n + 1]; }
or { choice { assume n < 3; n := n + 1; } or { havoc n; } ort { n := 1; } { b := false; } { m := idle; } }
or { if (n >= 3 || n rem 2 == 1) m := if b then idle else busy; else { for i from 0 to n do n := n / 2; } }
init {} env { havoc b; } prop { n <= 3 => m != busy iff true xor b }";

/// Every way to cut a model short or to leave a token out ends in a model or in diagnostics.
#[test]
fn broken_variants_of_good_models_never_panic() {
    let mut texts: Vec<String> =
        files("examples", "xsts").iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    texts.push(GOOD.to_owned());
    let others = ["}", "{", ";", "or", "==", "<-", "[", "(", "n", "local var", "ort", "1", "!", "if", "trans"];
    for text in texts {
        let words: Vec<&str> = text.split_inclusive([' ', '\n', ';', '(', '[']).collect();
        for i in 0..words.len() {
            let cut = words[..i].concat();
            let without = [&words[..i], &words[i + 1..]].concat().concat();
            let doubled = [&words[..=i], &words[i..]].concat().concat();
            let swapped = [&words[..i], &[others[i % others.len()], " "], &words[i + 1..]].concat().concat();
            let more = [&words[..i], &[others[i / 2 % others.len()], " "], &words[i..]].concat().concat();
            for variant in [cut, without, doubled, swapped, more] {
                let (loaded, diagnostics, sources) = load_with("m.xsts", &variant, "prop { n < 4 }", Order::Every);
                assert_eq!(loaded.is_none(), diagnostics.has_errors(), "{variant}");
                assert!(diagnostics.list.len() <= limits::MAX_SHOWN + 1);
                show(&diagnostics, &sources);
            }
        }
    }
}

#[test]
fn whatever_is_read_nothing_breaks() {
    let texts = [
        "{".repeat(10_000),
        "trans {\n".repeat(10_000),
        "type T : { a, b, ".repeat(1000),
        "var v : boolean\n".repeat(10_000),
        (0..20_000).map(|i| format!("prop {{ y{i} }}\n")).collect(),
        with_body(&(0..20_000).map(|i| format!("y{i} := z{i};\n")).collect::<String>()),
        "@ a\n".repeat(50_000),
        with_body(
            "x := -9223372036854775808 / -1; x := -9223372036854775808 % -1; x := 0 / 0; x := -(-9223372036854775808);",
        ),
        with_body(&format!("assume {};", "b => ".repeat(120) + "b")),
        "\u{0}\u{7f}é\u{1F600} trans { } ) ( ] [ := -> .. /*".to_owned(),
    ];
    for text in texts {
        read_quickly(&text);
    }
}

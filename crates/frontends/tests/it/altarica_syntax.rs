//! The syntax of `.alt`: real models are read, printed and read again; broken ones are explained.

mod broken;
mod damage;

use std::fs;
use std::path::{Path, PathBuf};

use lapidary_frontends::altarica::ast::{File, Item};
use lapidary_frontends::altarica::{parse, print};
use lapidary_reference::surroundings::corpus;
use lapidary_text::diagnostic::{Style, render};
use lapidary_text::{Diagnostics, Log, Sources};

lapidary_reference::with_corpus!(
    real_models_are_read_printed_and_read_again,
    generated_controllers_are_printed_in_their_own_style,
);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads the syntax of a text, and no more.
fn read(name: &str, text: &str) -> (File, Diagnostics, Sources) {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    let mut log = Log::default();
    let file = parse::file(&sources, source, &mut log);
    (file, log.finish(lapidary_frontends::altarica::codes::TOO_MANY), sources)
}

fn show(diagnostics: &Diagnostics, sources: &Sources) -> String {
    diagnostics.list.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain) + "\n\n").collect()
}

/// A file that is read without a word.
fn good(name: &str, text: &str) -> File {
    let (file, diagnostics, sources) = read(name, text);
    assert!(diagnostics.list.is_empty(), "{}", show(&diagnostics, &sources));
    file
}

/// A tree as text, without the places.
fn shape(file: &File) -> String {
    let written = format!("{file:?}");
    let mut parts = written.split("span: Span {");
    let mut shape = parts.next().unwrap_or("").to_owned();
    for part in parts {
        shape.push_str(part.split_once('}').expect("a span has an end").1);
    }
    shape
}

fn check_round_trip(name: &str, text: &str) {
    let file = good(name, text);
    let printed = print::file(&file);
    let again = good(name, &printed);
    assert_eq!(shape(&file), shape(&again), "{name}:\n{printed}");
    assert_eq!(printed, print::file(&again), "{name}");
}

/// All files of the real models that are not in this repository.
fn real_models() -> Vec<PathBuf> {
    let mut folders = vec![corpus("altarica")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            let is_model = path.extension().is_some_and(|suffix| suffix == "alt");
            match path.is_dir() {
                true => folders.push(path),
                false if is_model => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    files
}

/// Pieces of a node, which are pasted into models.
fn is_fragment(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("Optimisation"))
}

fn real_models_are_read_printed_and_read_again() {
    let models = real_models();
    for path in models.iter().filter(|path| !is_fragment(path)) {
        check_round_trip(&path.to_string_lossy(), &fs::read_to_string(path).unwrap());
    }
    assert!(models.len() > 50, "only {} models", models.len());
}

const EVERYTHING: &str = r#"
#define LAST (N - 1)
extern attribute version(1.5);
const N : integer = 3; Const M = -2 const free : integer;
sort Colour;
const red, 'dark green' : Colour;
sig mix : Colour, Colour -> Colour;
sig weight : [0, 3] * bool -> [0, N];
domain Level = [0, LAST];
DOMAIN Pair = struct left, right : Level; both : {a, b, "c d"}[2] tcurts;
node Valve : library, 'case'
  state rate : Level : public; stuck, 'state' : bool;
  flow f : bool : in, out; x' : bool[2][N];
  param p : Level; q, r : bool = true;
  event open[N] > {up, down}; a < b < c : public, 'in'; {g}; time
  trans rate < LAST & not stuck |- up -> rate := rate + 1, stuck := false
                                |- down, open[0] -> ;
        (rate = 0) = stuck |- time ->
  assert x'[0][1] => stuck => f; (stuck ? rate : -rate) >= -(3), true
  init rate := N / 2, 'state' := case { N = 3 : true, N mod 2 = 1 : false, else not true }
  extern law <event up> = exponential(1e-4); predicate 'broken' = <term (stuck)>;
edon
Node System
  sub V : Valve[N][2] : private; W, 'X Y' : Valve;
  param_set W.p := 1; 'X Y'.p := min(1, max(2, N), 3)
  sync <V[0][1].up, W.time?, 'X Y'.a?> >= 1; <V[0][0].up>; <W.a?, W.b?>[<= LAST]; <W.c?>=1;
  assert W.rate - (1 - 2) - 3 = 1 * (2 + 3) * 4 mod 5 / 6;
         (if W.f then 1 else 2) + if W.f then 3 else 4 + 5 > 0;
         ((a => b) => c) and (d or e) and not (f and g) or not not h and (i and j);
         mix(red, 'dark green') != red and weight(1, - (W.rate) = -9223372036854775808) > 0;
  state
  event
edon;
extern end
"#;

#[test]
fn all_of_the_language_is_printed_as_it_is_read() {
    check_round_trip("everything.alt", EVERYTHING);
    check_round_trip("empty.alt", "");
    for operator in ["and", "or", "+", "-", "=>", "="] {
        for n in [63, 64, 65, 66, 127, 128, 150] {
            let chain = vec!["x"; n].join(&format!(" {operator} "));
            let text =
                format!("node A assert {chain}; ({chain}) {operator} y {operator} z; y {operator} ({chain}) edon");
            check_round_trip("chain.alt", &text);
        }
    }
    let long = vec!["x"; 5000].join(" and ");
    check_round_trip("long.alt", &format!("node A assert {long}; y and ({long}) and ({long}) edon"));
}

fn node_of(file: &File) -> &lapidary_frontends::altarica::ast::Node {
    let mut nodes = file.items.iter().filter_map(|item| if let Item::Node(node) = item { Some(node) } else { None });
    nodes.next_back().expect("there is a node")
}

#[test]
fn a_restricted_node_keeps_only_what_its_conditions_allow() {
    let text = "node Ctrl
        trans true |- a, b, 'c d' -> ; x or y |- a -> x := true |- e[0] -> y := false, x := y;
        event a, b > 'c d'; e[2] : public;
        init x := true; sync <a, V.up>; state x, y : bool; sub V : Valve; flow f : [0,2];
        assert f = V.rate;
        trans x |- e[1] -> ;
      edon";
    let file = good("m.alt", text);
    let condition = |event: &str| match event {
        "a" => Some("f=1 or f=2".to_owned()),
        "'c d'" => Some("true".to_owned()),
        "e[0]" => Some("x".to_owned()),
        "e[1]" => Some("true".to_owned()),
        _ => None,
    };
    let printed = print::restricted(node_of(&file), "new name", &condition);
    let expected = "node 'new name'
 flow
  f : [0, 2];
 state
  x, y : bool;
 event
  a, b > 'c d';
  e[2] : public;
 sub
  V : Valve;
 assert
  f=V.rate;
 sync
  <a, V.up>;
 init
  x := true;
 trans
  f=1 or f=2 |- a -> ;
  true |- 'c d' -> ;
  (x or y) and (f=1 or f=2) |- a -> x := true;
  (x or y) and x |- e[0] -> y := false, x := y;
  x |- e[1] -> ;
edon
";
    assert_eq!(printed, expected);
    check_round_trip("restricted.alt", &printed);
    let none = print::restricted(node_of(&file), "N", &|_| None);
    assert!(!none.contains("trans"), "{none}");
}

/// Generated controllers come out as they went in, but for comments and quotes.
fn generated_controllers_are_printed_in_their_own_style() {
    let mut n_compared = 0;
    for path in real_models() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !path.to_string_lossy().contains("Controleurs/") || name.ends_with("Opt") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let file = good(&name, &text);
        let printed = print::restricted(node_of(&file), &name, &|_| Some("true".to_owned()));
        let lines = |text: &str| -> Vec<String> {
            let is_text = |line: &&str| line.starts_with("node") || line.starts_with("edon") || !line.contains('*');
            text.replace('\'', "").lines().filter(is_text).map(|line| line.trim_end().to_owned()).collect()
        };
        assert_eq!(lines(&printed), lines(&text), "{name}");
        n_compared += 1;
    }
    assert!(n_compared == 0 || n_compared > 20, "only {n_compared} controllers");
}

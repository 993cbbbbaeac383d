//! Models in several texts: read one after the other, and including each other.

use expect_test::{Expect, expect};
use lapidary_base::{Control, Stop};
use lapidary_frontends::altarica::{Document, Library, codes, limits, read_files};
use lapidary_text::{Diagnostics, SourceId, Sources};

use super::show;

/// Texts that include each other by their names.
#[derive(Default)]
struct Texts {
    sources: Sources,
    /// Names and texts that were not asked for yet.
    closed: Vec<(String, String)>,
    open: Vec<(String, SourceId)>,
}

impl Texts {
    fn new(texts: &[(&str, &str)]) -> Self {
        let closed = texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Self { closed, ..Self::default() }
    }

    fn find(&mut self, name: &str) -> Option<SourceId> {
        if let Some((_, known)) = self.open.iter().find(|(known, _)| known == name) {
            return Some(*known);
        }
        let (_, text) = self.closed.iter().find(|(closed, _)| closed == name)?;
        let source = self.sources.add(name, text.as_str());
        self.open.push((name.to_owned(), source));
        Some(source)
    }

    fn read(&mut self, names: &[&str], control: &Control) -> Result<(Option<Document>, Diagnostics), Stop> {
        let files: Vec<SourceId> = names.iter().map(|name| self.find(name).expect("there is such a text")).collect();
        read_files(self, &files, &[], control)
    }
}

impl Library for Texts {
    fn sources(&self) -> &Sources {
        &self.sources
    }

    fn open(&mut self, _from: SourceId, name: &str) -> Result<SourceId, String> {
        self.find(name).ok_or_else(|| format!("cannot read {name}"))
    }
}

/// The nodes that some of the texts declare together, and what is said about them.
fn read(texts: &[(&str, &str)], names: &[&str]) -> (Vec<String>, String) {
    let mut texts = Texts::new(texts);
    let (document, diagnostics) = texts.read(names, &Control::new()).expect("there is no limit");
    assert_eq!(document.is_none(), diagnostics.has_errors());
    let nodes = document.iter().flat_map(|document| document.nodes()).map(str::to_owned).collect();
    (nodes, show(&diagnostics, &texts.sources))
}

fn nodes(texts: &[(&str, &str)], names: &[&str]) -> Vec<String> {
    let (nodes, said) = read(texts, names);
    assert_eq!(said, "", "nothing is wrong");
    nodes
}

fn complaint(texts: &[(&str, &str)], names: &[&str], expected: Expect) {
    let (nodes, said) = read(texts, names);
    assert_eq!(nodes, [""; 0]);
    expected.assert_eq(&said);
}

#[test]
fn what_a_text_declares_and_defines_those_behind_it_know() {
    let texts = [
        ("setup", "#define NB 2\n#define CONTROL Loose\n"),
        ("parts", "const n = NB; node Loose state x : [0, n]; init x := 0; edon"),
        ("main", "node Main sub c : CONTROL; assert c.x <= NB; edon"),
        ("both", "#include \"setup\"\n# include <parts> // and\n#include \"main\"\nnode Last edon"),
    ];
    let warned = "warning[alt071]";
    let (named, said) = read(&texts, &["setup", "parts", "main"]);
    assert!(named == ["Loose", "Main"] && said.matches("[alt").count() == said.matches(warned).count(), "{said}");
    let (included, _) = read(&texts, &["both"]);
    assert_eq!(included, ["Loose", "Main", "Last"]);
    // The order matters.
    assert_eq!(read(&texts, &["parts", "setup", "main"]).0, [""; 0]);
}

#[test]
fn a_text_is_read_once_if_it_says_so() {
    let guarded = "#ifndef A_ALT\n#define A_ALT\nnode A edon\n#endif\n";
    let texts = [
        ("a", guarded),
        ("once", "#pragma once\nnode B edon\n"),
        ("main", "#include \"a\"\n#include \"once\"\n#include \"a\"\n#include \"once\"\nnode C edon"),
        ("other", "#include \"once\"\n#include \"a\"\nnode D edon"),
    ];
    assert_eq!(nodes(&texts, &["main", "other"]), ["A", "B", "C", "D"]);
    assert_eq!(nodes(&texts, &["main", "once"]), ["A", "B", "C"]);
}

#[test]
fn lines_that_are_not_read_include_nothing() {
    let texts = [("main", "#ifdef X\n#include \"nowhere\"\n#else\n#include \"x\"\n#endif\nnode A edon"), ("x", "")];
    assert_eq!(nodes(&texts, &["main"]), ["A"]);
}

#[test]
fn circles_end_by_their_conditions_or_are_shown() {
    let ends = [
        ("a", "#ifndef A_ALT\n#define A_ALT\n#include \"b\"\nnode A sub b : B; edon\n#endif\n"),
        ("b", "#ifndef B_ALT\n#define B_ALT\n#include \"a\"\nnode B edon\n#endif\n"),
    ];
    assert_eq!(nodes(&ends, &["a"]), ["B", "A"]);
    let endless = [
        ("main.alt", "#include \"a.alt\"\nnode Main edon\n"),
        ("a.alt", "// first\n#include \"b.alt\"\nnode A edon\n"),
        ("b.alt", "node B edon\n#include \"a.alt\"\n#include \"a.alt\"\n"),
    ];
    complaint(
        &endless,
        &["main.alt"],
        expect![[r#"
        error[alt015]: `a.alt` includes itself
         --> b.alt:2:1
          |
        2 | #include "a.alt"
          | ^^^^^^^^^^^^^^^^ this reads `a.alt` again
          |
         ::: a.alt:2:1
          |
        2 | #include "b.alt"
          | ---------------- `b.alt` is read because of this
          |
          = help: leave one of these out, or begin the file with `#pragma once`

    "#]],
    );
}

#[test]
fn mistakes_in_what_is_included_say_where_that_is_so() {
    let texts = [
        ("main.alt", "// The whole.\n#include \"lib.alt\"\nnode Main sub a : A; edon\n"),
        ("lib.alt", "#include \"a.alt\"\n"),
        ("a.alt", "node A state x : Nowhere; y : Nowhere; edon\n"),
    ];
    complaint(
        &texts,
        &["main.alt"],
        expect![[r#"
        error[alt020]: the domain `Nowhere` is not declared
         --> a.alt:1:18
          |
        1 | node A state x : Nowhere; y : Nowhere; edon
          |                  ^^^^^^^ not a domain or sort
          |
         ::: lib.alt:1:1
          |
        1 | #include "a.alt"
          | ---------------- included here
          |
         ::: main.alt:2:1
          |
        2 | #include "lib.alt"
          | ------------------ included here
          |
          = help: declare it: `domain D = [0, 3];`

        error[alt020]: the domain `Nowhere` is not declared
         --> a.alt:1:31
          |
        1 | node A state x : Nowhere; y : Nowhere; edon
          |                               ^^^^^^^ not a domain or sort
          |
          = help: declare it: `domain D = [0, 3];`

    "#]],
    );
}

#[test]
fn a_name_that_two_texts_declare_is_shown_in_both() {
    let texts = [
        ("a.alt", "node A edon\n"),
        ("b.alt", "\nnode A edon\n"),
        ("c.alt", "#include \"a.alt\"\n#include \"a.alt\"\n"),
    ];
    complaint(
        &texts,
        &["a.alt", "b.alt"],
        expect![[r#"
        error[alt021]: the node `A` is declared twice
         --> b.alt:2:6
          |
        2 | node A edon
          |      ^ declared again here
          |
         ::: a.alt:1:6
          |
        1 | node A edon
          |      - first declared here
          |
          = help: rename one of them

    "#]],
    );
    complaint(
        &texts,
        &["c.alt"],
        expect![[r#"
        error[alt021]: the node `A` is declared twice
         --> a.alt:1:6
          |
        1 | node A edon
          |      ^
          |      |
          |      declared again here
          |      first declared here
          |
         ::: c.alt:1:1
          |
        1 | #include "a.alt"
          | ---------------- included here
          |
          = help: its file is read twice; one that begins with `#pragma once` is not

    "#]],
    );
}

#[test]
fn directives_that_include_nothing_are_reported() {
    let texts = [("m.alt", "#include\n#include 'x'\n#include \"\"\n#include \"x\"\nnode A edon")];
    let (_, said) = read(&texts, &["m.alt"]);
    assert_eq!(said.matches(&format!("error[{}]", codes::INCLUDE)).count(), 4, "{said}");
}

#[test]
fn a_condition_ends_in_the_text_in_which_it_begins() {
    let open = [("main", "#include \"a\"\n#endif\nnode A edon"), ("a", "#ifdef X\n")];
    let (_, said) = read(&open, &["main"]);
    assert_eq!(said.matches(&format!("error[{}]", codes::CONDITIONAL)).count(), 2, "{said}");
    let closed = [("main", "#ifndef X\n#include \"a\"\n#endif\nnode A edon"), ("a", "#else\n#endif\n")];
    let (_, said) = read(&closed, &["main"]);
    assert_eq!(said.matches(&format!("error[{}]", codes::CONDITIONAL)).count(), 2, "{said}");
    assert_eq!(read(&[("a", "#ifdef X\n"), ("b", "#endif\nnode B edon")], &["a", "b"]).0, [""; 0]);
}

#[test]
fn what_is_included_does_not_grow_without_bounds() {
    let names: Vec<String> = (0..=30).map(|level| format!("t{level}")).collect();
    let text = |level: usize| format!("#include \"t{0}\"\n#include \"t{0}\"\n", level + 1);
    let doubled: Vec<String> = (0..30).map(text).chain([String::new()]).collect();
    let texts: Vec<(&str, &str)> = names.iter().zip(&doubled).map(|(name, text)| (&**name, &**text)).collect();
    let (_, said) = read(&texts, &["t0"]);
    assert!(said.contains(codes::TOO_LONG) && said.matches("error").count() == 1, "{said}");
    let names: Vec<String> = (0..=limits::MAX_INCLUDE_DEPTH + 1).map(|level| format!("t{level}")).collect();
    let chain: Vec<String> = (0..=limits::MAX_INCLUDE_DEPTH).map(|i| format!("#include \"t{}\"\n", i + 1)).collect();
    let texts: Vec<(&str, &str)> = names.iter().zip(&chain).map(|(name, text)| (&**name, &**text)).collect();
    let deepest = (names[limits::MAX_INCLUDE_DEPTH + 1].as_str(), "");
    let (_, said) = read(&[&texts[..], &[deepest]].concat(), &["t0"]);
    assert!(said.contains(codes::TOO_DEEP) && said.matches("error").count() == 1, "{said}");
    let long = "#define X 1\n".repeat(1000);
    let late = Control::new().with_timeout(Some(std::time::Duration::ZERO));
    assert_eq!(Texts::new(&[("long", &long)]).read(&["long"], &late).err(), Some(Stop::Timeout));
}

/// The beginnings of names are no places to stop at: whatever is cut, nothing panics.
#[test]
fn parts_of_texts_that_include_others_are_read_to_the_end() {
    let main = "#include \"lib\"\n#define N lib\nnode A state N : bool; init N := #include <lib>\nfalse; edon\n";
    let lib = "#ifdef N\n'x\n#else\nextern a <b\n#endif\nnode é";
    for cut in (0..main.len()).filter(|&cut| main.is_char_boundary(cut)) {
        for other in (0..lib.len()).filter(|&cut| lib.is_char_boundary(cut)) {
            read(&[("main", &main[..cut]), ("lib", &lib[..other])], &["main", "lib"]);
        }
    }
}

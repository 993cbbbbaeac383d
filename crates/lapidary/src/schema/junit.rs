//! JUnit documents keep to the rules that Ant's schema and Jenkins' have in common with each other and with us: which elements
//! there are, in which order, and with which attributes.

use std::time::Duration;

use lapidary_driver::Exit;
use lapidary_verdict::Report;
use roxmltree::{Document, Node};

use crate::args::TraceForm;
use crate::commands::tests::finished;
use crate::console::{PIPED_WIDTH, Palette};
use crate::render::fixture;
use crate::render::junit::{self, Head};
use crate::render::report::{Detail, Options};

/// An attribute: a number, seconds, a moment, or any text that is not empty.
#[derive(Clone, Copy)]
enum Value {
    Count,
    Seconds,
    Moment,
    Words,
    Any,
}

impl Value {
    fn takes(self, text: &str) -> bool {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            Self::Count => is_number(text),
            Self::Seconds => text.split_once('.').is_some_and(|(whole, part)| is_number(whole) && is_number(part)),
            Self::Moment => {
                let shape = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect::<String>();
                shape == "0000-00-00T00:00:00"
            }
            Self::Words => !text.trim().is_empty(),
            Self::Any => true,
        }
    }
}

type Attributes = &'static [(&'static str, Value)];

/// All of them are there, and no others.
const SUITE: Attributes = &[
    ("name", Value::Words),
    ("package", Value::Any),
    ("id", Value::Count),
    ("hostname", Value::Words),
    ("timestamp", Value::Moment),
    ("time", Value::Seconds),
    ("tests", Value::Count),
    ("failures", Value::Count),
    ("errors", Value::Count),
    ("skipped", Value::Count),
];
const CASE: Attributes = &[("name", Value::Words), ("classname", Value::Words), ("time", Value::Seconds)];
const OUTCOME: Attributes = &[("message", Value::Any), ("type", Value::Words)];
const SKIPPED: Attributes = &[("message", Value::Any)];
const PROPERTY: Attributes = &[("name", Value::Words), ("value", Value::Any)];

fn elements<'a, 'input>(node: Node<'a, 'input>) -> Vec<Node<'a, 'input>> {
    node.children().filter(Node::is_element).collect()
}

fn attributes(node: Node<'_, '_>, expected: Attributes) -> Result<(), String> {
    let names: Vec<&str> = node.attributes().map(|attribute| attribute.name()).collect();
    for name in &names {
        if !expected.iter().any(|(known, _)| known == name) {
            return Err(format!("{} has {name}", node.tag_name().name()));
        }
    }
    for (name, value) in expected {
        if !node.attribute(*name).is_some_and(|text| value.takes(text)) {
            return Err(format!("{} {name} is {:?}", node.tag_name().name(), node.attribute(*name)));
        }
    }
    Ok(())
}

/// What the schemas have against a document.
fn objection(text: &str) -> Option<String> {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => return Some(error.to_string()),
    };
    let root = document.root_element();
    if root.tag_name().name() != "testsuites" || root.attributes().count() > 0 {
        return Some("the root is testsuites, without attributes".to_owned());
    }
    elements(root).into_iter().enumerate().find_map(|(number, node)| suite(node, number).err())
}

fn suite(node: Node<'_, '_>, number: usize) -> Result<(), String> {
    if !node.has_tag_name("testsuite") {
        return Err(format!("{:?} among the suites", node.tag_name()));
    }
    attributes(node, SUITE)?;
    let parts = elements(node);
    let names: Vec<&str> = parts.iter().map(|part| part.tag_name().name()).collect();
    let cases = match &names[..] {
        ["properties", cases @ .., "system-out", "system-err"] if cases.iter().all(|&name| name == "testcase") => {
            &parts[1..parts.len() - 2]
        }
        _ => return Err(format!("a suite has {names:?}")),
    };
    elements(parts[0]).into_iter().try_for_each(|property| attributes(property, PROPERTY))?;
    let (mut failures, mut errors, mut skipped) = (0, 0, 0);
    for case in cases {
        attributes(*case, CASE)?;
        match &elements(*case)[..] {
            [] => {}
            [outcome] if outcome.has_tag_name("failure") => attributes(*outcome, OUTCOME).map(|()| failures += 1)?,
            [outcome] if outcome.has_tag_name("error") => attributes(*outcome, OUTCOME).map(|()| errors += 1)?,
            [outcome] if outcome.has_tag_name("skipped") => attributes(*outcome, SKIPPED).map(|()| skipped += 1)?,
            others => return Err(format!("a case has {others:?}")),
        }
    }
    let expected =
        [("id", number), ("tests", cases.len()), ("failures", failures), ("errors", errors), ("skipped", skipped)];
    for (name, count) in expected {
        if node.attribute(name) != Some(count.to_string().as_str()) {
            return Err(format!("{name} should be {count}"));
        }
    }
    Ok(())
}

/// The document of a command, which the schemas have nothing against.
fn document(words: &[&str]) -> (Exit, String) {
    let fixed = ["check", "--format", "junit", "--progress", "none", "-j", "1"];
    let run = finished(&[&fixed, words].concat());
    assert_eq!(objection(&run.out), None, "{words:?}:\n{}", run.out);
    (run.exit, run.out)
}

fn path(name: &str) -> String {
    format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Of every case its name, and what became of it: the element, its attributes and its text.
fn cases(text: &str) -> Vec<(String, String)> {
    let document = Document::parse(text).expect("XML");
    let told = |case: Node<'_, '_>| {
        let outcome = elements(case).first().map_or("passed".to_owned(), |outcome| {
            let words = ["message", "type"].map(|name| outcome.attribute(name).unwrap_or_default());
            format!("{} {}\n{}", outcome.tag_name().name(), words.join(" "), outcome.text().unwrap_or_default())
        });
        (case.attribute("name").unwrap_or_default().to_owned(), outcome)
    };
    document.descendants().filter(|node| node.has_tag_name("testcase")).map(told).collect()
}

#[test]
fn a_violated_property_fails_and_shows_its_run() {
    let model = path("examples/burns.gcl");
    let (exit, text) = document(&[&model, "-p", "mutex", "-p", "one_flag", "--engine", "explicit"]);
    assert_eq!(exit, Exit::Violated);
    let cases = cases(&text);
    assert_eq!((cases[0].0.as_str(), cases[0].1.as_str()), ("mutex", "passed"));
    assert_eq!(cases[1].0, "one_flag");
    let told = &cases[1].1;
    assert!(told.starts_with("failure violated: (count i in 0..N-1: flag[i])"), "{told}");
    assert!(told.contains("counterexample: 7 steps") && told.contains("\n   7  P[1].raise"), "{told}");
    assert!(text.contains("verdict: one_flag = violated  steps=7 replayed=yes"), "{text}");
    let (_, short) = document(&[&model, "-p", "one_flag", "--trace", "none", "--engine", "explicit"]);
    assert!(!short.contains("P[1].raise"), "{short}");
}

#[test]
fn unknown_is_an_error_unsupported_is_skipped_and_what_cannot_be_read_says_why() {
    let lamp = path("crates/lapidary/tests/cmd/models/temporal.in/lamp.gcl");
    let broken = path("crates/lapidary/tests/cmd/models/errors.in/broken.gcl");
    let burns = path("examples/burns.gcl");
    let (exit, text) = document(&[&burns, &lamp, &broken, "no such.gcl", "--engine", "forward"]);
    assert_eq!(exit, Exit::Input);
    let cases = cases(&text);
    assert!(cases[0].1.starts_with("error unknown: the engine refuses the task"), "{cases:?}");
    assert!(cases.iter().any(|(_, told)| told.starts_with("skipped no engine supports this: ltl")), "{cases:?}");
    let failed: Vec<&str> = cases.iter().filter(|(name, _)| name == "load").map(|(_, told)| told.as_str()).collect();
    assert_eq!(failed.len(), 2, "{cases:?}");
    assert!(failed[0].contains("broken.gcl:") && failed[0].contains("error[gcl"), "{}", failed[0]);
    assert!(failed[1].starts_with("error cannot read no such.gcl"), "{}", failed[1]);
}

#[test]
fn a_variable_that_nobody_has_is_an_error_of_the_model_asked() {
    let (exit, text) = document(&[&path("examples/burns.gcl"), "--engine", "cegar", "--control", "nobody"]);
    assert_eq!(exit, Exit::Usage);
    assert!(cases(&text)[0].1.starts_with("error --control nobody: no variable has such a name"), "{text}");
}

/// The document of a hand-made report.
fn of_report(path: &str, name: &str, report: &Report) -> String {
    let mut loaded = fixture::loaded();
    let first = loaded.declared().properties.ids().next().expect("a property");
    loaded.subject.declared_mut().properties[first].name = name.to_owned();
    let options = Options {
        detail: Detail::Normal,
        trace: TraceForm::Diff,
        width: PIPED_WIDTH,
        palette: Palette::Plain,
        engine: "auto",
        invocation: &fixture::invocation(),
        written: &[],
        seconds: 0.4,
        memory: 14_000_000,
    };
    let head = Head { number: 0, path, started: Duration::from_secs(1_794_994_500), seconds: 0.4 };
    let mut text = junit::BEGIN.as_bytes().to_vec();
    junit::write(&head, &loaded, report, &options, &mut text).expect("memory can be written");
    text.extend(junit::END.bytes());
    String::from_utf8(text).expect("only text is written")
}

#[test]
fn any_name_and_any_text_can_be_told() {
    let mut report = fixture::report();
    report.properties[0].explanation = Some("\u{1b}[1m ]]> \u{0}".to_owned());
    report.internal_errors.push("a <proof> was rejected".to_owned());
    let text = of_report("a \"b\" <c>.gcl", "x < 3 & \"y\"\u{7}", &report);
    assert_eq!(objection(&text), None, "{text}");
    let cases = cases(&text);
    assert_eq!(cases[0].0, "x < 3 & \"y\"\u{fffd}");
    assert!(cases[0].1.contains("\u{fffd}[1m ]]> \u{fffd}"), "{:?}", cases[0]);
    assert_eq!(cases[3].1, "error a <proof> was rejected internal\n");
}

#[test]
fn the_rules_refuse_what_is_no_report() {
    let good = of_report("small.gcl", "mutex", &fixture::report());
    assert_eq!(objection(&good), None, "{good}");
    let changes = [
        ("<testsuites>", "<testsuites time=\"1\">"),
        ("tests=\"3\"", "tests=\"2\""),
        ("failures=\"1\"", "failures=\"0\""),
        (" hostname=\"localhost\"", ""),
        ("timestamp=\"2026-11-18T09:35:00\"", "timestamp=\"2026-11-18 09:35\""),
        (" type=\"violated\"", ""),
        (" classname=\"small.gcl\"", ""),
        ("<system-out>", "<system-err></system-err><system-out>"),
        ("turn", "\u{1}"),
    ];
    for (from, to) in changes {
        assert!(good.contains(from), "{from}:\n{good}");
        assert!(objection(&good.replace(from, to)).is_some(), "{from} -> {to}");
    }
}

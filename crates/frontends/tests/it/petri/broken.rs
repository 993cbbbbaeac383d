//! Broken input: every diagnostic has its example, and nothing that is read breaks the reader.
//!
//! In `corpus/broken` a net is broken by itself; a file of properties or of initial states belongs to a small net that
//! is not broken. `UPDATE_EXPECT=1` writes the renderings anew.

use std::fs;
use std::path::{Path, PathBuf};

use lapidary_frontends::petri::{Language, codes, limits};
use lapidary_reference::mutate;
use lapidary_reference::seeds;
use lapidary_text::{Diagnostics, Sources};

use super::{Input, load, show};

const FOLDERS: [&str; 6] = ["lola", "mcc", "petri", "pnml", "spec", "tts"];

const LOLA: &str = "PLACE p, q; { two places } MARKING p: 2;\nTRANSITION t CONSUME p: 2; PRODUCE q;\n// end\n";
const TASKS: &str = "PLACE p, 2; MARKING p: 2;\nTRANSITION 7 CONSUME p; PRODUCE 2;\nANALYSE MARKING p: 1, 2; ANALYSE TRANSITION 7\n\
                     FORMULA (EXPATH EVENTUALLY \"2\" > 1) OR (AG p >= 0) ANALYSE PLACE p";
const TTS: &str = "2 3 # states\n0 0 -> 1 1\n1 0 -> 0 2  1 ~> 0  1 ~> 2\n0 2 +> 0 1\n0 1 ~> 0 0\n0|1,1\n";
const SPEC: &str = "vars a b_1 c # names\nrules a >= 1, b_1 in [0, 3], true -> a' = a - 1, b_1' = b_1 + c + 2, c' = 0;\n\
                    true -> c' = a + b_1 - 1; init a >= 1, b_1 = 0, c = 0\ntarget a >= 1, c >= 2\n b_1 = 3 invariants a = 1";
const PNML: &str = "<pnml><net id=\"n\" type=\"ptnet\"><page id=\"g\"><place id=\"p\"><initialMarking><text>1</text>\
                    </initialMarking></place><transition id=\"t\"/><arc source=\"p\" target=\"t\" type=\"inhibitor\">\
                    <inscription><text>2</text></inscription></arc></page></net></pnml>";
const FORMULA: &str =
    "EF (p + 2 * q <= 3 AND NOT FIREABLE(t)) : AG p = 1 -> q # 0 <-> TRUE; (EF p = 0) AND AG !DEADLOCK | \"p\" > 1";
const MCC: &str = "<property-set><property><id>y</id><formula><disjunction><all-paths><globally><integer-eq>\
                   <integer-product><integer-constant>2</integer-constant><tokens-count><place>p</place></tokens-count>\
                   </integer-product><integer-difference><tokens-count><place>q</place></tokens-count><integer-constant>1\
                   </integer-constant></integer-difference></integer-eq></globally></all-paths><deadlock/></disjunction>\
                   </formula></property><property><id>x</id><formula><exists-path><finally><negation><conjunction><integer-le>\
                   <integer-constant>1</integer-constant><tokens-count><place>p</place></tokens-count></integer-le>\
                   <is-fireable><transition>t</transition></is-fireable></conjunction></negation></finally>\
                   </exists-path></formula></property></property-set>";

/// Loads a broken text the way its suffix asks for.
fn load_file(name: &str, text: &str) -> (Diagnostics, Sources) {
    let with = |net: &'static str, properties| Input { text: net, properties, ..Input::default() };
    let (name, language, input) = match name.rsplit('.').next().expect("a suffix") {
        "spec" => (name, Language::Mist, with("", Vec::new())),
        "tts" => (name, Language::Tts, with("", Vec::new())),
        "pnml" => (name, Language::Pnml, with("", Vec::new())),
        "lola" => (name, Language::Lola, with("", Vec::new())),
        "prop" => ("net.tts", Language::Tts, with("2 3\n0 0 -> 1 2", vec![(name, text)])),
        "init" if name.starts_with("tts") => {
            ("net.tts", Language::Tts, Input { text: "2 3\n0 0 -> 1 2", initial: Some(text), ..Input::default() })
        }
        "init" => ("net.lola", Language::Lola, Input { text: LOLA, initial: Some(text), ..Input::default() }),
        _ => ("net.lola", Language::Lola, with(LOLA, vec![(name, text)])),
    };
    let input = if input.text.is_empty() { Input { text, ..input } } else { input };
    let (_, diagnostics, sources) = load(name, language, &input);
    (diagnostics, sources)
}

fn inputs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/broken").join(folder);
    let entries = fs::read_dir(folder).expect("the folder exists").map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|it| it != "expected")).collect();
    found.sort();
    found
}

#[test]
fn every_code_has_a_broken_file_with_its_rendering() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    // A text that is too long has a test of its own.
    let mut produced = vec![codes::TOO_LONG.to_owned()];
    for path in FOLDERS.iter().flat_map(|folder| inputs(folder)) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let code = name.split('-').next().unwrap().to_owned();
        let (diagnostics, sources) = load_file(&name, &fs::read_to_string(&path).unwrap());
        assert!(diagnostics.list.iter().any(|diagnostic| diagnostic.code == code), "{name} does not produce its code");
        assert!(codes::TABLE.iter().any(|(known, _)| *known == code), "{name} is named after no code");
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
    let all = codes::TABLE.iter().map(|(code, _)| *code);
    let missing: Vec<&str> = all.filter(|code| !produced.iter().any(|found| found == code)).collect();
    assert_eq!(missing, [""; 0], "codes without a file in corpus/broken");
}

#[test]
fn texts_that_are_too_long_are_not_read() {
    let text = " ".repeat(limits::MAX_TEXT + 1);
    let (_, diagnostics, _) = load("m.spec", Language::Mist, &Input { text: &text, ..Input::default() });
    assert!(diagnostics.list.iter().any(|diagnostic| diagnostic.code == codes::TOO_LONG));
}

#[test]
fn damaged_texts_never_panic() {
    let texts = [
        ("m.lola", LOLA),
        ("m.lola", TASKS),
        ("m.tts", TTS),
        ("m.spec", SPEC),
        ("m.pnml", PNML),
        ("m.formula", FORMULA),
        ("m.xml", MCC),
        ("m.prop", "0|1,1\n"),
        ("tts.init", "1|0,1/2"),
        ("tts.init", "0BU0,2"),
    ];
    for (name, text) in texts {
        let (diagnostics, sources) = load_file(name, text);
        assert!(!diagnostics.has_errors(), "{}", show(&diagnostics, &sources));
        for seed in seeds::of(0..240) {
            let (diagnostics, sources) =
                load_file(name, &mutate::mutate(text, texts[seed as usize % texts.len()].1, seed));
            assert!(diagnostics.list.len() <= limits::MAX_SHOWN + 1);
            // Showing takes far longer than reading.
            if seed % 4 == 0 {
                show(&diagnostics, &sources);
            }
        }
        for end in (0..text.len()).step_by(3).filter(|&end| text.is_char_boundary(end)) {
            load_file(name, &text[..end]);
        }
    }
}

#[test]
fn long_texts_of_unfinished_things_are_read_to_their_end() {
    let repeated = [
        "vars a ",
        "a >= 1, ",
        "a' = a + ",
        "-> ",
        "0 0 -> ",
        "0 ~> 1 ",
        "0|",
        "1,",
        "PLACE p, ",
        "p: ",
        "TRANSITION t ",
        "{",
        "(",
        "NOT ",
        "p + ",
        "EF ",
        "<page>",
        "<page id='g'>",
        "<place id='p'/>",
        "<negation>",
        "&amp;",
        "\"",
        "@ ",
        "#",
    ];
    for name in ["m.lola", "m.tts", "m.spec", "m.pnml", "m.formula", "m.xml", "m.prop", "tts.init"] {
        for part in repeated {
            let (diagnostics, _) = load_file(name, &part.repeat(10_000));
            assert!(diagnostics.list.len() <= limits::MAX_SHOWN + 1);
        }
    }
    let pages = format!("<pnml><net id='n'>{}{}</net></pnml>", "<page>".repeat(400_000), "</page>".repeat(400_000));
    assert_eq!(load_file("m.pnml", &pages).0.list, []);
}

//! The table of languages: suffixes that are told apart, pages, starters, and formats that are read back.

use std::fs;
use std::path::Path;

use super::*;
use crate::guess::{self, Kind};
use crate::load::open_text;
use crate::nets;

fn opened(path: &str, text: &str) -> Loaded {
    let request = LoadRequest { path: path.to_owned(), ..LoadRequest::default() };
    open_text(&request, text.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{path}: {}", error.render()))
}

#[test]
fn every_suffix_means_one_language() {
    for language in LANGUAGES {
        for suffix in language.suffixes {
            assert_eq!(of(&format!("dir.alt/m.{suffix}")), Some(language), ".{suffix}");
        }
    }
    assert_eq!((of("alt"), of("m.ALT"), of("m.txt")), (None, None, None));
}

#[test]
fn every_language_has_a_page_that_names_its_suffixes() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for language in LANGUAGES {
        let page = fs::read_to_string(docs.join(language.page)).unwrap_or_default();
        for suffix in language.suffixes {
            assert!(page.contains(&format!("`.{suffix}`")), "docs/{} says nothing of .{suffix}", language.page);
        }
    }
}

#[test]
fn a_starter_looks_like_its_language_and_can_be_read() {
    for language in LANGUAGES {
        match language.starter {
            Starter::Model { text, ask, why } => {
                let kind = guess::seems(text).map(|seems| seems.kind);
                assert_eq!(kind, Some(Kind::Model(language)), "{language:?}");
                let n_properties = opened(&format!("m.{}", language.suffix()), text).declared().properties.len();
                assert!(!ask.is_empty() || n_properties > 0, "{language:?}: there is nothing to ask");
                assert!(!why.is_empty(), "{language:?}");
            }
            Starter::None(why) => assert!(!why.is_empty(), "{language:?}"),
        }
    }
}

#[test]
fn a_sign_of_two_kinds_says_more_than_one_of_a_single_kind() {
    let text = "var x : bool;\nmodel m;\n";
    assert_eq!(guess::seems(text).map(|seems| seems.kind), Some(Kind::Model(&lir::LIR)));
    assert_eq!(guess::seems("var x : bool;\n").map(|seems| seems.kind), Some(Kind::Model(&gcl::GCL)));
}

#[test]
fn what_is_wrong_with_a_net_is_told_under_all_its_suffixes() {
    let text = "PLACE a; MARKING a: 1;\nPLACE b;\nTRANSITION t CONSUME nowhere: 1; PRODUCE a: 1;\n";
    for suffix in lola::LOLA.suffixes {
        let request = LoadRequest { path: format!("m.{suffix}"), ..LoadRequest::default() };
        let error = open_text(&request, text.into()).err().expect("it is wrong").render();
        assert!(!error.contains("seems to be"), ".{suffix}: {error}");
    }
}

#[test]
fn nets_are_written_under_the_suffix_of_the_language_and_read_back() {
    let text = "vars x y rules x >= 1 -> x' = x - 1, y' = y + 1; init x = 1, y = 0 target y >= 1";
    let loaded = opened("m.spec", text);
    let mut n_written = 0;
    for language in LANGUAGES {
        let path = format!("m.{}", language.suffix());
        let Some(files) = nets::written(&loaded, Path::new(&path)) else {
            assert!(language.writes.net().is_none(), "{language:?}");
            continue;
        };
        let files = files.unwrap_or_else(|why| panic!("{language:?}: {why}"));
        assert_eq!(files[0].path, Path::new(&path));
        let is_apart = matches!(language.writes, Writes::NetAndProperties(_));
        assert_eq!(files.len(), if is_apart { 2 } else { 1 }, "{language:?}");
        assert!(opened(&path, &files[0].text).subject.net().is_some(), "{language:?}");
        n_written += 1;
    }
    assert_eq!(n_written, written().1.len());
}

//! Thread transition systems: `.tts`, with targets in `.prop`.

use lapidary_frontends::petri;

use super::{Encoding, Language, Looks, Reads, Starter, Writes, net};
use crate::examples::Notation;

pub(crate) static TTS: Language = Language {
    what: "a thread transition system",
    suffixes: &["tts"],
    page: "languages/tts.md",
    comment: "#",
    starter: Starter::Model { text: include_str!("starter.tts"), ask: "", why: "check its target" },
    reads: &[Reads::Formulas, Reads::Initial],
    writes: Writes::Nothing,
    encoding: Encoding::Old,
    notation: Notation::None,
    looks: Looks::Lines(&[
        |line| is_number(line.word) && is_number(line.rest),
        |line| is_number(line.word) && line.text.contains("->"),
    ]),
    read: |text| net::read(text, &TTS, petri::Language::Tts, |net| vec![net.with_extension("prop")]),
    // It has no step that changes nothing.
    stay: |_, _| None,
};

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

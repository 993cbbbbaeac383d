//! Extended symbolic transition systems: `.xsts`, with properties in `.prop`.

use lapidary_frontends::xsts;
use lapidary_ir::Subject;
use lapidary_text::Sources;

use super::{Encoding, Language, Looks, Reads, Starter, Text, Writes};
use crate::examples::Notation;
use crate::guess::Line;
use crate::load::{Read, Refusal, Resolved, Typed, finish, names};
use crate::{nets, ranges};

const STAY: &str = "give the section that is blocked a branch that does nothing: `or {}`";

pub(crate) static XSTS: Language = Language {
    what: "a transition system (XSTS)",
    suffixes: &["xsts"],
    page: "languages/xsts.md",
    comment: "//",
    starter: Starter::Model { text: include_str!("starter.xsts"), ask: "", why: "check its property" },
    reads: &[Reads::Properties, Reads::Order],
    writes: Writes::Nothing,
    encoding: Encoding::Utf8,
    notation: Notation::Xsts,
    looks: Looks::Lines(&[
        |line| line.word == "trans" && begins_block(line),
        |line| line.word == "env" && begins_block(line),
    ]),
    read,
    stay: |_, _| Some(STAY.to_owned()),
};

/// A section: other languages have words like it, but no block behind them.
fn begins_block(line: &Line<'_>) -> bool {
    line.rest.is_empty() || line.rest.starts_with('{')
}

fn read(text: &mut Text<'_>) -> Result<Resolved, Refusal> {
    let Text { sources, source, files, request, control } = text;
    if let Some((name, _)) = request.defines.first() {
        let path = &request.path;
        return Err(Refusal::File(format!("{path}: an XSTS has no constants, so -D {name} sets nothing")));
    }
    let properties = nets::beside(sources, |model| vec![model.with_extension("prop")], files, request)?;
    // All that is typed is a text, before the model tells which of them are names.
    let typed = Typed::new(sources, request, &|_| false);
    let sources: &Sources = sources;
    let document = xsts::Document::open(sources, *source, &properties, control);
    let typed = typed.without(&|text| document.is_name(text));
    let order = request.ort.unwrap_or_default();
    let mut options = xsts::Options { order, properties, formulas: typed.all().to_vec() };
    let (loaded, diagnostics) = document.model(&options)?;
    let mut there = Vec::new();
    if diagnostics.has_errors() && !options.formulas.is_empty() {
        // What is wrong with the model itself is told alone.
        options.formulas.clear();
        let (loaded, diagnostics) = document.model(&options)?;
        let (loaded, _) = finish(loaded, diagnostics)?;
        there = names(&loaded.model, &[]);
    }
    let settled = |loaded: xsts::Loaded| {
        ranges::settled(loaded.model, control).map(|model| xsts::Loaded { model, left_out: loaded.left_out })
    };
    let loaded = loaded.map(settled).transpose()?;
    let read = |xsts::Loaded { model, left_out }| Read { left_out, ..Read::from(Subject::Model(model)) };
    typed.resolved(loaded.map(read), diagnostics, request, sources, &there)
}

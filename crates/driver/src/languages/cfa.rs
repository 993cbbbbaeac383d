//! Control-flow automata: `.cfa`, `.theta`.

use lapidary_frontends::cfa;
use lapidary_ir::{Model, Subject};
use lapidary_text::Sources;

use super::{Encoding, Language, Looks, Reads, Starter, Text, Writes};
use crate::examples::Notation;
use crate::load::{Read, Refusal, Resolved, Typed, finish, names};
use crate::ranges;

pub(crate) static CFA: Language = Language {
    what: "a control-flow automaton",
    suffixes: &["cfa", "theta"],
    page: "languages/cfa.md",
    comment: "//",
    starter: Starter::Model {
        text: include_str!("starter.cfa"),
        ask: "",
        why: "check that its error location is not reachable",
    },
    reads: &[Reads::ErrorLocation],
    writes: Writes::Nothing,
    encoding: Encoding::Utf8,
    notation: Notation::Cfa,
    looks: Looks::Lines(&[
        |line| ["init", "final", "error"].contains(&line.word) && line.rest.starts_with("loc "),
        |line| line.rest.starts_with("->") && line.word.starts_with(|c: char| !c.is_ascii_digit()),
    ]),
    read,
    // An edge from a location to itself is one more way to go on.
    stay: |_, _| Some("add an edge that changes nothing here, such as `Done -> Done`".to_owned()),
};

fn read(text: &mut Text<'_>) -> Result<Resolved, Refusal> {
    let Text { sources, source, request, control, .. } = text;
    if let Some((name, _)) = request.defines.first() {
        return Err(Refusal::File(format!("{}: -D {name}: automata have no constants", request.path)));
    }
    let named = request.error_location.as_deref();
    let error_location = named.map(|name| sources.add_option("--errorloc", name));
    // All that is typed is a text, before the model tells which of them are names.
    let typed = Typed::new(sources, request, &|_| false);
    let sources: &Sources = sources;
    let document = cfa::Document::open(sources, *source, control);
    let typed = typed.without(&|text| document.is_name(text));
    let mut options = cfa::Options { formulas: typed.all().to_vec(), error_location };
    let (model, diagnostics) = document.model(&options)?;
    let mut there = Vec::new();
    if diagnostics.has_errors() && !options.formulas.is_empty() {
        // What is wrong with the model itself is told alone.
        options.formulas.clear();
        let (model, diagnostics) = document.model(&options)?;
        let (model, _) = finish(model, diagnostics)?;
        there = names(&model, &[]);
    }
    let model = model.map(|model| ranges::settled(model, control)).transpose()?;
    let read = |model: Model| Read::from(Subject::Model(model));
    typed.resolved(model.map(read), diagnostics, request, sources, &there)
}

//! What the languages for nets have in common.

use std::path::{Path, PathBuf};

use lapidary_base::Id;
use lapidary_frontends::petri;
use lapidary_ir::model::Raw;
use lapidary_ir::{CountedNet, Subject};

use super::{Language, Reads, Text};
use crate::load::{Loaded, Read, Refusal, Resolved, Typed, names};
use crate::nets;

/// `beside`: where the properties of a net usually stand.
pub fn read(
    text: &mut Text<'_>,
    row: &Language,
    language: petri::Language,
    beside: fn(&Path) -> Vec<PathBuf>,
) -> Result<Resolved, Refusal> {
    let Text { sources, source, files, request, control } = text;
    let path = &request.path;
    if let Some((name, _)) = request.defines.first() {
        return Err(Refusal::File(format!("{path}: a net has no constants, so -D {name} sets nothing")));
    }
    let properties = nets::beside(sources, beside, files, request)?;
    let initial = match &request.initial {
        Some(_) if !row.reads(Reads::Initial) => {
            return Err(Refusal::File(format!("{path}: --init is for thread transition systems (.tts)")));
        }
        initial => initial.as_ref().map(|text| sources.add_option("--init", text.as_str())),
    };
    let options = petri::Options { properties, initial, ..Default::default() };
    let mut document = petri::Document::open(sources, *source, language, &options, control)?;
    let read = |petri::Loaded { net, sums, model, combinations, left_out }| Read {
        combinations,
        left_out,
        ..Read::from(Subject::Net(CountedNet { net, sums, model }))
    };
    if document.has_errors() {
        return Err(Refusal::Text(document.finish().1.list));
    }
    let names = document.asked().map(|(model, combinations)| names(model, combinations)).unwrap_or_default();
    let typed = Typed::new(sources, request, &|text| document.is_name(text));
    document.ask(sources, typed.all())?;
    let (loaded, diagnostics) = document.finish();
    typed.resolved(loaded.map(read), diagnostics, request, sources, &names)
}

/// A transition that changes nothing; `written` is what it looks like for a place that has a token.
pub fn stay(loaded: &Loaded, state: &[Raw], written: impl Fn(&str) -> String) -> Option<String> {
    let mut places = loaded.subject.net()?.places.enumerated();
    Some(match places.find(|(place, _)| state[place.index()] > 0) {
        Some((_, place)) => format!("add a transition that puts back what it takes{}", written(&place.name)),
        None => "add a transition that takes nothing and puts nothing".to_owned(),
    })
}

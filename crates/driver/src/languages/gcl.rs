//! Guarded commands: `.gcl`.

use lapidary_base::Id;
use lapidary_frontends::gcl;
use lapidary_ir::model::Raw;
use lapidary_ir::{Domain, Life, Model, Subject, Var, VarId};
use lapidary_text::Sources;

use super::{Encoding, Language, Looks, Starter, Text, Writes, name_for};
use crate::examples::Notation;
use crate::guess::declares;
use crate::load::{Loaded, Read, Refusal, Resolved, Typed, finish, names};

pub(crate) static GCL: Language = Language {
    what: "a model in guarded commands",
    suffixes: &["gcl"],
    page: "languages/gcl.md",
    comment: "//",
    starter: Starter::Model { text: include_str!("starter.gcl"), ask: "", why: "check its properties" },
    reads: &[],
    writes: Writes::Nothing,
    encoding: Encoding::Utf8,
    notation: Notation::Gcl,
    looks: Looks::Lines(&[declares]),
    read,
    stay: |loaded, state| {
        let (name, condition) = (name_for(loaded), condition(loaded, state));
        Some(format!("add a command that changes nothing here: `{name}: {condition} -> skip;`"))
    },
};

fn read(text: &mut Text<'_>) -> Result<Resolved, Refusal> {
    let Text { sources, source, request, control, .. } = text;
    let mut defines = Vec::new();
    for (name, value) in &request.defines {
        defines.push((name.clone(), sources.add_option(format!("-D {name}"), value.as_str())));
    }
    // All that is typed is a text, before the model tells which of them are names.
    let typed = Typed::new(sources, request, &|_| false);
    let sources: &Sources = sources;
    let document = gcl::Document::open(sources, *source);
    let typed = typed.without(&|text| document.is_name(text));
    let read = |model: Model| Read::from(Subject::Model(model));
    let mut options = gcl::Options { defines, formulas: typed.all().to_vec() };
    let (model, diagnostics) = document.model(&options, control)?;
    let mut there = Vec::new();
    if diagnostics.has_errors() && !options.formulas.is_empty() {
        // What is wrong with the model itself is told alone.
        options.formulas.clear();
        let (model, diagnostics) = document.model(&options, control)?;
        let (model, _) = finish(model, diagnostics)?;
        there = names(&model, &[]);
    }
    typed.resolved(model.map(read), diagnostics, request, sources, &there)
}

/// So many variables tell a state apart in a line that people read.
const MOST_VARIABLES: usize = 6;

/// What is true of a state; of a large one only a word.
fn condition(loaded: &Loaded, state: &[Raw]) -> String {
    let model = loaded.declared();
    let kept = || model.vars.enumerated().filter(|(_, var)| var.life == Life::State);
    match kept().count() {
        0 => return "true".to_owned(),
        n if n > MOST_VARIABLES => return "CONDITION".to_owned(),
        _ => {}
    }
    let value = |(id, var): (VarId, &Var)| match (var.domain, state[id.index()]) {
        (Domain::Bool, 0) => format!("!{}", var.name),
        (Domain::Bool, _) => var.name.clone(),
        (domain, value) => format!("{} = {}", var.name, model.show(domain, value)),
    };
    kept().map(value).collect::<Vec<_>>().join(" & ")
}

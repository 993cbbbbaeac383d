//! AltaRica: `.alt`, and `.project`, a list of such files.

use super::{Encoding, Language, Looks, Reads, Starter, Text, Writes, of};
use crate::combinations::Combinations;
use crate::examples::Notation;
use crate::hierarchy;
use crate::load::{Read, Refusal, Resolved};
use crate::origins::Shelf;
use crate::project::{self, Listed};

const STAY: &str = "give a node an event that changes nothing here: `event stay; trans CONDITION |- stay -> ;`";

pub(crate) static ALTARICA: Language = Language {
    what: "AltaRica",
    suffixes: &["alt"],
    page: "languages/altarica.md",
    comment: "//",
    starter: Starter::Model {
        text: include_str!("starter.alt"),
        ask: " -p 'not (A.on and B.on)'",
        why: "check an invariant",
    },
    reads: &[Reads::Node, Reads::Further],
    writes: Writes::Nothing,
    encoding: Encoding::Old,
    notation: Notation::AltaRica,
    looks: Looks::Lines(&[
        |line| ["node", "Node", "NODE"].contains(&line.word) && line.is_named,
        |line| ["edon", "Edon", "EDON"].contains(&line.word),
    ]),
    read,
    stay: |_, _| Some(STAY.to_owned()),
};

pub(crate) static PROJECT: Language = Language {
    what: "a list of AltaRica files",
    suffixes: &["project"],
    page: "languages/altarica.md",
    comment: "#",
    starter: Starter::None("it lists files that are there already"),
    reads: &[Reads::Node],
    writes: Writes::Nothing,
    encoding: Encoding::Utf8,
    notation: Notation::AltaRica,
    looks: Looks::Plain,
    read,
    stay: |_, _| Some(STAY.to_owned()),
};

fn read(text: &mut Text<'_>) -> Result<Resolved, Refusal> {
    let listed = listed(text)?;
    let mut shelf = Shelf { sources: text.sources, files: text.files };
    let read = hierarchy::load(&mut shelf, &listed, text.request, text.control)?;
    let hierarchy::Read { subject, inputs, evaluated, asked, predicates, warnings } = read;
    let read = Read { inputs, evaluated, ..Read::from(subject) };
    Ok(Resolved { read, asked, combinations: Combinations::default(), predicates, warnings })
}

/// The texts of an AltaRica model: those of a project, or the first one with all that are named with it.
pub(crate) fn listed(text: &mut Text<'_>) -> Result<Listed, Refusal> {
    let Text { sources, source, files, request, control } = text;
    if of(&request.path) == Some(&PROJECT) {
        return project::listed(sources, *source, files, control);
    }
    let mut listed = Listed { texts: vec![*source], root: None };
    for path in &request.further {
        control.check()?;
        if of(path) != Some(&ALTARICA) {
            return Err(Refusal::File(format!("{path}: only AltaRica files (.alt) are read as one model")));
        }
        if files.text(path).is_some() {
            return Err(Refusal::File(format!("{path} is given twice, and each file is read once")));
        }
        listed.texts.push(files.open(sources, path).map_err(Refusal::File)?);
    }
    Ok(listed)
}

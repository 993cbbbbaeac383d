//! MIST specifications: `.spec`.

use lapidary_frontends::petri::{self, print};

use super::{Encoding, Language, Looks, Reads, Starter, Writes, net};
use crate::examples::Notation;

pub(crate) static MIST: Language = Language {
    what: "a MIST specification",
    suffixes: &["spec"],
    page: "languages/mist.md",
    comment: "#",
    starter: Starter::Model { text: include_str!("starter.spec"), ask: "", why: "check its target" },
    reads: &[Reads::Formulas],
    writes: Writes::Net(|net, model, _| Ok(vec![("spec", print::spec(net, model)?)])),
    encoding: Encoding::Old,
    notation: Notation::None,
    looks: Looks::Lines(&[
        |line| line.word == "vars" && !line.rest.starts_with([':', '=']),
        |line| line.word == "rules" && !line.rest.starts_with([':', '=']),
    ]),
    // Its targets stand in the text itself.
    read: |text| net::read(text, &MIST, petri::Language::Mist, |_| Vec::new()),
    stay: |loaded, state| net::stay(loaded, state, |place| format!(": `{place} >= 1 -> {place}' = {place};`")),
};

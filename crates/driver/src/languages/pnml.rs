//! PNML: `.pnml`, with properties of the Model Checking Contest in `.xml`.

use std::path::{Path, PathBuf};

use lapidary_frontends::petri::{self, print};

use super::{Encoding, Language, Looks, Reads, Starter, Writes, net};
use crate::examples::Notation;

pub(crate) static PNML: Language = Language {
    what: "a PNML net",
    suffixes: &["pnml"],
    page: "languages/pnml.md",
    comment: "<!--",
    starter: Starter::Model { text: include_str!("starter.pnml"), ask: " -p 'full <= 2'", why: "check an invariant" },
    reads: &[Reads::Formulas],
    writes: Writes::NetAndProperties(|net, model, several| {
        Ok(vec![("pnml", print::pnml(net)?), ("xml", print::mcc(net, model, several)?)])
    }),
    encoding: Encoding::Old,
    notation: Notation::None,
    looks: Looks::Xml(&["<pnml", "<net "]),
    read: |text| net::read(text, &PNML, petri::Language::Pnml, beside),
    stay: |loaded, state| net::stay(loaded, state, |place| format!(", by arcs from and to `{place}`")),
};

/// The names that the Model Checking Contest gives to properties of `model.pnml`.
const CONTEST: [&str; 2] = ["ReachabilityCardinality.xml", "ReachabilityFireability.xml"];

fn beside(net: &Path) -> Vec<PathBuf> {
    let contest = CONTEST.iter().filter(|_| net.file_stem().is_some_and(|stem| stem == "model"));
    let contest = contest.map(|name| net.with_file_name(name));
    [net.with_extension("xml")].into_iter().chain(contest).collect()
}

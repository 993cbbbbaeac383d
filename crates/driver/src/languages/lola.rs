//! LoLA nets: `.lola` and older suffixes, with formulas in `.formula`.

use lapidary_frontends::petri::{self, print};
use lapidary_ir::{Combination, Model, Net};

use super::{Encoding, Language, Looks, Reads, Starter, Texts, Writes, name_for, net};
use crate::examples::Notation;

pub(crate) static LOLA: Language = Language {
    what: "a LoLA net",
    suffixes: &["lola", "llnet", "net"],
    page: "languages/lola.md",
    comment: "{",
    starter: Starter::Model { text: include_str!("starter.lola"), ask: " -p 'full <= 2'", why: "check an invariant" },
    reads: &[Reads::Formulas],
    writes: Writes::NetAndProperties(written),
    encoding: Encoding::Old,
    notation: Notation::None,
    looks: Looks::Lines(&[|line| line.word == "PLACE", |line| line.word == "TRANSITION"]),
    read: |text| net::read(text, &LOLA, petri::Language::Lola, |net| vec![net.with_extension("formula")]),
    stay: |loaded, state| {
        net::stay(loaded, state, |place| {
            format!(": `TRANSITION {} CONSUME {place}: 1; PRODUCE {place}: 1;`", name_for(loaded))
        })
    },
};

fn written(net: &Net, model: &Model, several: &[Combination]) -> Result<Texts, print::Unwritable> {
    // One formula a line; most files have one.
    let formulas = print::formulas(net, model, several)?.into_iter().map(|(_, formula)| formula);
    let formulas = formulas.collect::<Vec<String>>().join(" :\n") + "\n";
    Ok(vec![("lola", print::lola(net)?), ("formula", formulas)])
}

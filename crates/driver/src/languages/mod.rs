//! The table of languages: what there is to know of one beside its grammar. Each row stands in a module of its own.
//!
//! Loading, guessing, converting, starters, help and tests read the table; none of them knows a language by its suffix.
//! Only AltaRica, whose models may lie in several files, is known to those who put them together.

mod altarica;
mod cfa;
mod gcl;
mod lir;
mod lola;
mod mist;
mod net;
mod pnml;
#[cfg(test)]
mod tests;
mod tts;
mod xsts;

use std::fmt;
use std::path::Path;

use lapidary_base::Control;
use lapidary_frontends::petri::print::Unwritable;
use lapidary_ir::model::Raw;
use lapidary_ir::{Combination, Model, Net};
use lapidary_text::{SourceId, Sources};

use crate::examples::Notation;
use crate::guess::IsSign;
use crate::load::{LoadRequest, Loaded, Refusal, Resolved};
use crate::origins::Origins;
pub(crate) use altarica::{ALTARICA, PROJECT, listed};
pub(crate) use pnml::PNML;

/// All languages, in the order in which people are told of them. The first is that of a file that names none.
pub static LANGUAGES: [&Language; 10] =
    [&gcl::GCL, &cfa::CFA, &ALTARICA, &PROJECT, &lir::LIR, &mist::MIST, &tts::TTS, &PNML, &lola::LOLA, &xsts::XSTS];

/// A row. Rows are statics and are equal if they are the same.
pub struct Language {
    /// What a text in it is: `a LoLA net`.
    pub what: &'static str,
    /// Without their dots; the first is the one to write.
    pub suffixes: &'static [&'static str],
    /// Where it is described, below `docs`.
    pub page: &'static str,
    /// How its comments begin.
    pub comment: &'static str,
    pub starter: Starter,
    /// What can be said of a model beside its text.
    pub reads: &'static [Reads],
    pub writes: Writes,
    pub(crate) encoding: Encoding,
    pub(crate) notation: Notation,
    pub(crate) looks: Looks,
    pub(crate) read: fn(&mut Text<'_>) -> Result<Resolved, Refusal>,
    /// How to say that a state is an end: by a step that changes nothing, if the language has any.
    pub(crate) stay: fn(&Loaded, &[Raw]) -> Option<String>,
}

/// A commented model to start from.
pub enum Starter {
    Model {
        text: &'static str,
        /// What to ask about it first: the words behind the model, and what they mean. Nothing asks for the properties
        /// that the text has.
        ask: &'static str,
        why: &'static str,
    },
    /// Nobody starts with it, for this reason.
    None(&'static str),
}

/// Options with which a model is read. That constants (`-D`) are not there is told by who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// `--node`, and sets of a specification: `--spec`, `--never`.
    Node,
    /// Further files that are read as one model: `--as-one`.
    Further,
    /// Files with properties of a net: `--formula`.
    Formulas,
    /// Files with properties of a model that is no net: `--formula`.
    Properties,
    /// `--ort`.
    Order,
    /// `--init`.
    Initial,
    /// `--errorloc`.
    ErrorLocation,
}

/// What `convert` can write under the first suffix.
#[derive(Clone, Copy)]
pub enum Writes {
    Nothing,
    /// Any model.
    Model,
    /// A net, with its properties in the same text.
    Net(WriteNet),
    /// A net, with its properties in a file beside it.
    NetAndProperties(WriteNet),
}

impl Writes {
    pub(crate) fn net(self) -> Option<WriteNet> {
        match self {
            Self::Net(write) | Self::NetAndProperties(write) => Some(write),
            Self::Nothing | Self::Model => None,
        }
    }
}

/// Texts with the suffixes of their files. The first is the net itself, and its properties may stand beside it.
pub type Texts = Vec<(&'static str, String)>;
pub type WriteNet = fn(&Net, &Model, &[Combination]) -> Result<Texts, Unwritable>;

/// In which letters its files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    /// The language is older than UTF-8.
    Old,
}

/// What only texts in this language have.
pub(crate) enum Looks {
    /// Lines of all these kinds; one of the first kind shows it to people.
    Lines(&'static [IsSign]),
    /// An element that begins like one of these.
    Xml(&'static [&'static str]),
    /// Nothing.
    Plain,
}

/// A text that is to be read, with all that may be needed for it.
pub(crate) struct Text<'a> {
    pub sources: &'a mut Sources,
    pub source: SourceId,
    pub files: &'a mut Origins,
    pub request: &'a LoadRequest,
    pub control: &'a Control,
}

impl Language {
    /// The suffix to write, without its dot.
    pub fn suffix(&self) -> &'static str {
        self.suffixes[0]
    }

    pub fn reads(&self, what: Reads) -> bool {
        self.reads.contains(&what)
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Language {}

/// The language that the suffix of a path tells.
pub fn of(path: &str) -> Option<&'static Language> {
    let suffix = Path::new(path).extension()?.to_str()?;
    LANGUAGES.into_iter().find(|language| language.suffixes.contains(&suffix))
}

/// The suffixes of the languages with which something can be done: `.spec, .tts, .pnml`.
pub fn suffixes(which: impl Fn(&Language) -> bool) -> Vec<String> {
    LANGUAGES.iter().filter(|language| which(language)).map(|language| format!(".{}", language.suffix())).collect()
}

/// What `convert` writes: suffixes for models, and for nets.
pub fn written() -> (Vec<String>, Vec<String>) {
    let models = suffixes(|language| matches!(language.writes, Writes::Model));
    let mut nets = suffixes(|language| matches!(language.writes, Writes::NetAndProperties(_)));
    nets.extend(suffixes(|language| matches!(language.writes, Writes::Net(_))));
    (models, nets)
}

/// A name for a step that no step has.
fn name_for(loaded: &Loaded) -> String {
    let commands = loaded.subject.made_model().map(|model| model.commands.as_slice()).unwrap_or_default();
    let is_free = |name: &String| commands.iter().all(|command| command.label != *name);
    let numbered = (2..).map(|n: u32| format!("stay{n}"));
    std::iter::once("stay".to_owned()).chain(numbered).find(is_free).expect("there are fewer commands than numbers")
}

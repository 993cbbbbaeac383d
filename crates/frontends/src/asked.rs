//! What the command line asks about a model: the same words in every language.

use lapidary_ir::{Expr, Ltl, Property, PropertyKind};
use lapidary_text::{SourceId, Sources, Span};

/// The word before a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// None: the formula holds always, unless the language has its own way to say what is asked (`EF` for nets).
    Plain,
    Invariant,
    Reach,
    /// It needs no formula.
    DeadlockFree,
    Ltl,
}

/// A property that is asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Under which it is reported.
    pub name: String,
    pub wording: Wording,
    /// The formula alone.
    pub source: SourceId,
}

impl Asked {
    /// All of the formula's text.
    pub fn span(&self, sources: &Sources) -> Span {
        Span::new(self.source, 0, u32::try_from(sources.get(self.source).text.len()).unwrap_or(u32::MAX))
    }

    /// The property that needs no formula.
    pub fn deadlock_free(&self, sources: &Sources, text: &str) -> Property {
        self.property(sources, PropertyKind::DeadlockFree, text.to_owned())
    }

    /// A temporal property in a language whose temporal formulas nobody reads: every engine refuses it, whatever it says, so
    /// that the others are still checked. `truth` is the constant.
    pub fn unread(&self, sources: &Sources, truth: Expr) -> Property {
        let text = sources.get(self.source).text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.property(sources, PropertyKind::Ltl(Ltl::State(truth)), text)
    }

    fn property(&self, sources: &Sources, kind: PropertyKind, text: String) -> Property {
        Property { name: self.name.clone(), kind, faults: Vec::new(), text, span: self.span(sources) }
    }
}

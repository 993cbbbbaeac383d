//! What a session asks of whoever runs it: texts, models, and a place for results.

use lapidary_base::{Control, Stop};
use lapidary_text::{Diagnostic, SourceId, Sources};

use super::evidence::{Evidence, Judgement, Question};
use crate::Models;
use crate::acheck::Output;

/// Why a file was not loaded.
pub enum LoadFailure {
    /// It cannot be read: a sentence.
    Unreadable(String),
    /// What is wrong with it.
    Wrong(Vec<Diagnostic>),
    /// A limit was reached before all of it was read.
    Stopped(Stop),
}

pub trait Host {
    /// What is loaded and made of models from now on is so within these limits.
    fn obey(&mut self, control: &Control);

    /// The texts, the models that were loaded from some of them, and where results go.
    fn parts(&mut self) -> (&Sources, &dyn Models, &mut dyn Output);

    /// A text that is part of the session.
    fn add_source(&mut self, name: &str, text: &str) -> SourceId;

    /// Reads a script.
    fn read(&mut self, path: &str) -> Result<SourceId, String>;

    /// Loads a model; its new nodes, and warnings.
    fn load(&mut self, path: &str) -> Result<(Vec<String>, Vec<Diagnostic>), LoadFailure>;

    /// Does the evidence answer the question? By code that shares nothing with what made the evidence.
    fn judge(&mut self, question: &Question<'_>, evidence: &Evidence, control: &Control) -> Judgement;

    /// Tells the user what is wrong.
    fn report(&mut self, diagnostics: &[Diagnostic]);
}

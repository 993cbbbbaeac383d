//! `.cfa`, control-flow automata as Theta has them: locations, and edges with statements between them.
//!
//! Text to tokens to a syntax tree (`parse`), to a checked tree (`check`), to a model (`lower`). Whatever the input,
//! loading ends with a model or with diagnostics that name places in it.

mod ast;
mod check;
pub mod codes;
mod lexer;
pub mod limits;
mod live;
mod lower;
mod parse;
mod typed;

use lapidary_base::{Control, Stop};
use lapidary_ir::Model;
use lapidary_text::{Diagnostics, Log, SourceId, Sources};

use crate::asked::{Asked, Wording};
use check::Additions;

/// The property that every model with an error location has.
pub const ERROR_UNREACHABLE: &str = "error_unreachable";

/// What the command line adds to the text of a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Properties that are asked for.
    pub formulas: Vec<Asked>,
    /// The source that names the error location, if not the text does.
    pub error_location: Option<SourceId>,
}

/// Reads a model. With an error among the diagnostics there is no model.
/// The properties are `error_unreachable`, if there is an error location, then the formulas of the options.
pub fn load(sources: &Sources, source: SourceId, options: &Options) -> (Option<Model>, Diagnostics) {
    let read = Document::open(sources, source, &Control::new()).model(options);
    read.unwrap_or_else(|_| unreachable!("there is no limit"))
}

/// A text that was parsed; what else is asked may be told afterwards.
pub struct Document<'a> {
    sources: &'a Sources,
    source: SourceId,
    file: ast::File<'a>,
    log: Log,
}

impl<'a> Document<'a> {
    /// Reads within the limits of a run.
    pub fn open(sources: &'a Sources, source: SourceId, control: &Control) -> Self {
        let mut log = Log::within(control);
        let file = parse::file(sources, source, &mut log);
        Self { sources, source, file, log }
    }

    /// Whether a model has a property of this name.
    pub fn is_name(&self, text: &str) -> bool {
        text == ERROR_UNREACHABLE
    }

    /// Reads what was parsed, as [`load`] does.
    pub fn model(&self, options: &Options) -> Result<(Option<Model>, Diagnostics), Stop> {
        let Self { sources, source, file, log } = self;
        let mut log = log.clone();
        let formulas = options.formulas.iter().map(|asked| {
            let formula = match asked.wording {
                Wording::Plain | Wording::Invariant | Wording::Reach => {
                    Some(parse::formula(sources, asked.source, &mut log))
                }
                Wording::DeadlockFree | Wording::Ltl => None,
            };
            (asked, formula)
        });
        let additions = Additions { formulas: formulas.collect(), error_location: options.error_location };
        log.stopped()?;
        let program = check::check(sources, *source, file, &additions, &mut log);
        let model = match program {
            Some(program) if !log.has_errors() => lower::lower(sources, *source, &program, &mut log),
            Some(_) | None => None,
        };
        log.stopped()?;
        Ok((model, log.finish(codes::TOO_MANY)))
    }
}

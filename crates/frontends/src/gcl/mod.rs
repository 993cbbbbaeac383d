//! `.gcl`, Lapidary's own guarded-command language.
//!
//! Text to tokens to a syntax tree (`parse`), to a checked tree (`check`), to a model (`lower`). Whatever the input,
//! loading ends with a model or with diagnostics that name places in it.

mod ast;
mod check;
pub mod codes;
mod consts;
mod lexer;
pub mod limits;
mod lower;
mod parse;
mod typed;

use lapidary_base::{Control, Stop};
use lapidary_ir::Model;
use lapidary_text::{Diagnostics, Log, SourceId, Sources, Span};

use crate::asked::{Asked, Wording};
use ast::PropertyKind;
use check::{Addition, Additions};
use limits::Budget;

/// What the command line adds to the text of a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-D NAME=VALUE`: the constant and the source that holds its new value (an expression).
    pub defines: Vec<(String, SourceId)>,
    /// Properties that are asked for beside those of the text.
    pub formulas: Vec<Asked>,
}

/// Reads a model. With an error among the diagnostics there is no model; warnings come with one.
/// The properties are those of the text in order, then `no_errors`, then the formulas of the options.
pub fn load(sources: &Sources, source: SourceId, options: &Options) -> (Option<Model>, Diagnostics) {
    load_within(sources, source, options, &Control::new()).unwrap_or_else(|_| unreachable!("there is no limit"))
}

/// Reads a model within the limits of a run.
pub fn load_within(
    sources: &Sources,
    source: SourceId,
    options: &Options,
    control: &Control,
) -> Result<(Option<Model>, Diagnostics), Stop> {
    Document::open(sources, source).model(options, control)
}

/// A text that was parsed; what else is asked may be told afterwards.
pub struct Document<'a> {
    sources: &'a Sources,
    source: SourceId,
    file: ast::File<'a>,
    log: Log,
}

impl<'a> Document<'a> {
    pub fn open(sources: &'a Sources, source: SourceId) -> Self {
        let mut log = Log::default();
        let file = parse::file(sources, source, &mut log);
        Self { sources, source, file, log }
    }

    /// Whether the text has a property of this name, or every model has.
    pub fn is_name(&self, text: &str) -> bool {
        let is_it = |item: &ast::Item<'_>| matches!(item, ast::Item::Property(property) if property.name.text == text);
        text == check::NO_ERRORS || self.file.items.iter().any(is_it)
    }

    /// Reads what was parsed, as [`load_within`] does.
    pub fn model(&self, options: &Options, control: &Control) -> Result<(Option<Model>, Diagnostics), Stop> {
        let Self { sources, source, file, log } = self;
        let (mut log, mut budget) = (log.clone(), Budget::new(control));
        let additions = additions(sources, options, &mut log);
        control.check()?;
        let program = check::check(sources, file, &additions, &mut log, &mut budget);
        let model = match log.has_errors() {
            true => None,
            false => lower::lower(sources, *source, &program, &mut log, &mut budget),
        };
        budget.patience.finish()?;
        Ok((model, log.finish(codes::TOO_MANY)))
    }
}

fn additions<'a>(sources: &'a Sources, options: &'a Options, log: &mut Log) -> Additions<'a> {
    let whole = |source: SourceId| {
        let len = u32::try_from(sources.get(source).text.len()).unwrap_or(u32::MAX);
        Span::new(source, 0, len)
    };
    let mut define =
        |(name, source): &'a (String, SourceId)| (name.as_str(), parse::formula(sources, *source, log), whole(*source));
    let defines = options.defines.iter().map(&mut define).collect();
    let formulas = options.formulas.iter().map(|asked| addition(sources, asked, log)).collect();
    Additions { defines, formulas }
}

fn addition<'a>(sources: &'a Sources, asked: &'a Asked, log: &mut Log) -> Addition<'a> {
    let (kind, formula) = match asked.wording {
        Wording::Plain | Wording::Invariant => {
            (PropertyKind::Invariant, Some(parse::formula(sources, asked.source, log)))
        }
        Wording::Reach => (PropertyKind::Reach, Some(parse::formula(sources, asked.source, log))),
        Wording::Ltl => (PropertyKind::Ltl, Some(parse::temporal_formula(sources, asked.source, log))),
        Wording::DeadlockFree => (PropertyKind::DeadlockFree, None),
    };
    Addition { name: &asked.name, kind, formula, span: asked.span(sources) }
}

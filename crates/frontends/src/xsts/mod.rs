//! `.xsts`: extended symbolic transition systems.
//!
//! Text to tokens to a syntax tree (`parse`), to a checked tree (`check`), to a model (`lower`). Whatever the input,
//! loading ends with a model or with diagnostics that name places in it.

mod ast;
mod check;
pub mod codes;
mod lexer;
pub mod limits;
mod lower;
mod parse;
mod typed;

use lapidary_base::{Control, Stop};
use lapidary_ir::{Model, passes};
use lapidary_text::{Diagnostic, Diagnostics, Log, SourceId, Sources, Span};

use crate::asked::{Asked, Wording};
use check::{Further, FurtherAsks};

/// In which order the branches of `ort` run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// In every order.
    #[default]
    Every,
    /// In the order of the text.
    Declared,
}

/// What is said of a model beside its text.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub order: Order,
    /// Files with properties, under the names of these.
    pub properties: Vec<SourceId>,
    /// Properties of the command line.
    pub formulas: Vec<Asked>,
}

/// A model, and the names of the properties that are left out.
pub struct Loaded {
    pub model: Model,
    pub left_out: Vec<String>,
}

/// Reads a model. With an error among the diagnostics there is no model; warnings come with one.
/// The properties are those of the text, then those of files, then the formulas of the options.
pub fn load(sources: &Sources, source: SourceId, options: &Options) -> (Option<Loaded>, Diagnostics) {
    load_within(sources, source, options, &Control::new()).unwrap_or_else(|_| unreachable!("there is no limit"))
}

/// Reads a model within the limits of a run.
pub fn load_within(
    sources: &Sources,
    source: SourceId,
    options: &Options,
    control: &Control,
) -> Result<(Option<Loaded>, Diagnostics), Stop> {
    Document::open(sources, source, &options.properties, control).model(options)
}

/// Texts that were parsed; what else is asked may be told afterwards.
pub struct Document<'a> {
    sources: &'a Sources,
    source: SourceId,
    file: ast::File<'a>,
    /// The properties that stand in files of their own.
    further: Vec<(String, ast::File<'a>)>,
    log: Log,
    control: Control,
}

impl<'a> Document<'a> {
    pub fn open(sources: &'a Sources, source: SourceId, properties: &[SourceId], control: &Control) -> Self {
        let mut log = Log::within(control);
        let file = parse::file(sources, source, &mut log);
        let read = |&source: &SourceId| {
            (stem(&sources.get(source).name).to_owned(), parse::properties(sources, source, &mut log))
        };
        let further = properties.iter().map(read).collect();
        Self { sources, source, file, further, log, control: control.clone() }
    }

    /// Whether a property has this name.
    pub fn is_name(&self, text: &str) -> bool {
        let names = self.further.iter().flat_map(|(name, file)| numbered(name, file.props.len()));
        let own = numbered("prop", self.file.props.len()).chain(numbered("ltl", self.n_temporal()));
        own.chain(names).any(|name| name == text)
    }

    fn n_temporal(&self) -> usize {
        self.file.ltls.len() + self.further.iter().map(|(_, file)| file.ltls.len()).sum::<usize>()
    }

    /// Reads what was parsed, as [`load_within`] does.
    pub fn model(&self, options: &Options) -> Result<(Option<Loaded>, Diagnostics), Stop> {
        let Self { sources, source, file, further, log, control } = self;
        let mut log = log.clone();
        let formulas: Vec<(&Asked, ast::Expr<'_>)> = options
            .formulas
            .iter()
            .filter(|asked| !matches!(asked.wording, Wording::DeadlockFree | Wording::Ltl))
            .map(|asked| (asked, parse::formula(sources, asked.source, &mut log)))
            .collect();
        let in_files = further.iter().flat_map(|(name, file)| {
            let further = |prop| Further { name: name.clone(), asks: FurtherAsks::Invariant(prop), span: prop.span };
            file.props.iter().map(further)
        });
        let typed = options.formulas.iter().map(|asked| addition(sources, asked, &formulas));
        control.check()?;
        let program = check::check(file, in_files.chain(typed).collect(), &mut log);
        let left_out = self.leave_out(&mut log);
        let model = match log.has_errors() {
            true => None,
            false => lower::lower(sources, *source, &program, options.order, &mut log, control),
        };
        control.check()?;
        // Arrays with few cells are variables, so that engines that list states have them.
        let model = match model.filter(|_| !log.has_errors()) {
            Some(model) => Some(Loaded { model: passes::cells(model, control)?, left_out }),
            None => None,
        };
        Ok((model, log.finish(codes::TOO_MANY)))
    }

    /// Tells of temporal properties that nobody reads.
    fn leave_out(&self, log: &mut Log) -> Vec<String> {
        let files = std::iter::once(&self.file).chain(self.further.iter().map(|(_, file)| file));
        for &span in files.flat_map(|file| &file.ltls) {
            let message = "this temporal property is left out";
            let diagnostic = Diagnostic::warning(codes::LEFT_OUT, message, span, "`ltl` is not supported yet");
            log.push(diagnostic.with_help("what holds in every state can be asked with `prop { condition }`"));
        }
        numbered("ltl", self.n_temporal()).collect()
    }
}

/// `x`, `x[2]`, `x[3]`
fn numbered(name: &str, n: usize) -> impl Iterator<Item = String> + use<> {
    let name = name.to_owned();
    (1..=n).map(move |i| if i == 1 { name.clone() } else { format!("{name}[{i}]") })
}

fn addition<'f>(sources: &Sources, asked: &Asked, formulas: &'f [(&Asked, ast::Expr<'f>)]) -> Further<'f> {
    let formula = formulas.iter().find(|(other, _)| other.source == asked.source).map(|(_, formula)| formula);
    let asks = match (asked.wording, formula) {
        (Wording::DeadlockFree, _) => FurtherAsks::DeadlockFree,
        (Wording::Reach, Some(formula)) => FurtherAsks::Reach(formula),
        (Wording::Plain | Wording::Invariant, Some(formula)) => FurtherAsks::Invariant(formula),
        (Wording::Ltl, _) | (_, None) => FurtherAsks::Temporal,
    };
    let span: Span = asked.span(sources);
    Further { name: asked.name.clone(), asks, span }
}

/// `counter` for `models/counter.xsts`
fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

//! Opens a model: reads its files, picks the front end by their suffix, resolves the properties asked for.

mod formulas;

use std::sync::Arc;

use lapidary_base::{Control, Stop};
use lapidary_frontends::xsts::Order;
use lapidary_ir::{Declarations, Expr, Life, Property, PropertyId, PropertyKind, Subject};
use lapidary_text::{Diagnostic, Diagnostics, Origin, SourceId, Sources, Span, diagnostic};

use crate::asking;
use crate::combinations::Combinations;
use crate::encoding;
use crate::examples::{self, Example, Notation};
use crate::files::{Files, Texts, disk};
use crate::guess;
use crate::languages::{self, Encoding, LANGUAGES, Language, Reads, Text};
use crate::lints;
use crate::origins::Origins;
pub(crate) use formulas::{Read, Typed, formula_name, formulas, names, resolved};

#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    pub path: String,
    /// `--as-one`: the files that the model goes on in, behind the first.
    pub further: Vec<String>,
    /// `-D NAME=VALUE`, split at the first `=`.
    pub defines: Vec<(String, String)>,
    /// `-p`: names of properties or formulas, perhaps with a word before them that says what is asked. Empty: all properties of the model and `no_errors`.
    pub properties: Vec<String>,
    /// `--node`: the root of an AltaRica model; the last declared node if none is named.
    pub node: Option<String>,
    /// `--spec`: an Acheck specification.
    pub spec: Option<String>,
    /// `--never`: state sets of the specification that must have no reachable configuration.
    pub never: Vec<String>,
    /// `--predicate`: formulas to begin an abstraction with.
    pub predicates: Vec<String>,
    /// `--formula`: files with properties of a net. Empty: those that stand beside it.
    pub formulas: Vec<String>,
    /// `--init`: the initial states of a thread transition system.
    pub initial: Option<String>,
    /// `--ort`: in which order branches run that all do.
    pub ort: Option<Order>,
    /// `--errorloc`: the location of an automaton that shall not be reached.
    pub error_location: Option<String>,
}

pub struct Loaded {
    pub path: String,
    /// The files that were named with the first one as parts of the same model.
    pub further: Vec<String>,
    /// All files that were read, in this order; those that others include, and those with properties, are among them.
    pub files: Vec<String>,
    /// Of the one file, or over the hashes of all of them.
    pub sha256: String,
    pub sources: Sources,
    pub source: SourceId,
    pub subject: Subject,
    /// Of a hierarchy: the flows of the root that are declared to be inputs.
    pub inputs: Vec<String>,
    /// The properties about sets that a specification language computed.
    pub evaluated: Vec<PropertyId>,
    /// The properties to check, in order.
    pub asked: Vec<PropertyId>,
    /// Properties that are made of others.
    pub combinations: Combinations,
    /// The names of properties that are asked for and left out, which warnings tell.
    pub left_out: Vec<String>,
    /// Formulas to begin an abstraction with.
    pub predicates: Vec<Expr>,
    pub warnings: Vec<Diagnostic>,
}

impl Loaded {
    /// Variables, expressions, initial condition, invariant and properties.
    pub fn declared(&self) -> &Declarations {
        self.subject.declared()
    }

    /// How many variables a state has: those of a body are no part of it.
    pub fn n_variables(&self) -> usize {
        self.declared().vars.iter().filter(|var| var.life == Life::State).count()
    }

    /// The model as a heading names it.
    pub fn title(&self) -> String {
        match self.further.len() {
            0 => self.path.clone(),
            n => format!("{} and {n} more", self.path),
        }
    }
}

pub enum LoadError {
    /// The file cannot be read, or no front end takes it: a sentence, exit code 3.
    File(String),
    /// Errors in the text, with the sources to render them.
    Text { sources: Sources, diagnostics: Vec<Diagnostic> },
    /// Neither a property in the model nor `-p`: exit code 2, with commands to begin with.
    NoProperty { request: Box<LoadRequest>, examples: Vec<Example> },
    /// All that is asked was left out, which the warnings tell: exit code 4.
    LeftOut { path: String, names: Box<[String]>, sources: Sources, warnings: Vec<Diagnostic> },
    /// A limit was reached before the properties were known: exit code 30, or that of an interrupt.
    Stopped { path: String, stop: Stop },
}

impl Loaded {
    /// What `-p` takes to mean this property: its name, or the formula itself where it came from the command line.
    pub fn argument(&self, property: PropertyId) -> String {
        let property = &self.declared().properties[property];
        let is_typed = self.sources.get(property.span.source).origin == Origin::Option;
        if is_typed { asking::written(property) } else { property.name.clone() }
    }
}

impl LoadError {
    /// The error in plain text.
    pub fn render(&self) -> String {
        match self {
            Self::File(message) => message.clone(),
            Self::Text { sources, diagnostics } | Self::LeftOut { sources, warnings: diagnostics, .. } => {
                let render = |one| diagnostic::render(one, sources, diagnostic::Style::Plain);
                diagnostics.iter().map(render).collect::<Vec<_>>().join("\n")
            }
            Self::NoProperty { request, .. } => format!("{} has no property", request.path),
            Self::Stopped { path, stop } => format!("{path}: {stop}"),
        }
    }
}

/// Loads a model of this machine in order to check properties.
pub fn load(request: &LoadRequest) -> Result<Loaded, LoadError> {
    load_within(request, &disk(), &Control::new())
}

/// Loads a model in order to check properties, within limits: texts may be long, flattening may multiply, and sets of a
/// specification may take a search.
pub fn load_within(request: &LoadRequest, files: &Arc<dyn Files>, control: &Control) -> Result<Loaded, LoadError> {
    let mut loaded = open_within(request, files, control)?;
    let model = loaded.declared();
    let is_by_name = !request.properties.is_empty() || !request.never.is_empty();
    // What every language adds by itself stands nowhere in the text.
    let stands_in_text = |span: Span| span.start < span.end;
    let is_asked = |property: &Property| property.kind != PropertyKind::NoErrors || stands_in_text(property.span);
    let has_property = model.properties.iter().any(is_asked);
    let is_left_out = if is_by_name { loaded.asked.is_empty() } else { !has_property };
    if is_left_out && !loaded.left_out.is_empty() {
        let Loaded { path, left_out, sources, warnings, .. } = loaded;
        return Err(LoadError::LeftOut { path, names: left_out.into(), sources, warnings });
    }
    if !is_by_name {
        if !has_property {
            let notation = languages::of(&request.path).map_or(Notation::None, |language| language.notation);
            let examples = examples::of(&loaded, notation);
            return Err(LoadError::NoProperty { request: Box::new(request.clone()), examples });
        }
        let all = model.properties.ids().collect();
        loaded.asked = all;
        loaded.combinations.ask_all();
    }
    loaded.warnings.append(&mut lints::quick(&loaded, control));
    Ok(loaded)
}

/// Loads a model of this machine for any other purpose: it may have no property at all.
pub fn open(request: &LoadRequest) -> Result<Loaded, LoadError> {
    open_within(request, &disk(), &Control::new())
}

/// Loads a model whose text is there already; the path names it, and tells where files are that belong to it.
pub fn open_text(request: &LoadRequest, text: Vec<u8>) -> Result<Loaded, LoadError> {
    let files: Arc<dyn Files> = Arc::new(Texts::over(disk()).with(&request.path, text));
    open_within(request, &files, &Control::new())
}

/// Loads a model for any purpose, wherever its files are, and within limits.
pub fn open_within(request: &LoadRequest, files: &Arc<dyn Files>, control: &Control) -> Result<Loaded, LoadError> {
    let mut files = Origins::new(files);
    let (mut sources, source, language) = begun(request, &mut files)?;
    if let Some(misuse) = misuse(request, language) {
        return Err(LoadError::File(format!("{}: {misuse}", request.path)));
    }
    let mut text = Text { sources: &mut sources, source, files: &mut files, request, control };
    let resolved = (language.read)(&mut text);
    match resolved {
        Ok(Resolved { read, asked, combinations, predicates, warnings }) => Ok(Loaded {
            path: request.path.clone(),
            further: request.further.clone(),
            files: files.names(),
            sha256: files.sha256(),
            sources,
            source,
            subject: read.subject,
            inputs: read.inputs,
            evaluated: read.evaluated,
            asked,
            combinations,
            left_out: read.left_out,
            predicates,
            warnings,
        }),
        // In a text of another language all is wrong, which says nothing.
        Err(refusal @ Refusal::Text(_)) => match guess::other_language(&sources, source) {
            Some(other) => Err(LoadError::Text { sources, diagnostics: vec![other] }),
            None => Err(refusal.of(request, sources)),
        },
        Err(refusal) => Err(refusal.of(request, sources)),
    }
}

/// The text of the file that is named first, among the texts and files of the model.
pub(crate) fn begun(
    request: &LoadRequest,
    files: &mut Origins,
) -> Result<(Sources, SourceId, &'static Language), LoadError> {
    let path = &request.path;
    let bytes = files.read(path).map_err(LoadError::File)?;
    let Some(language) = languages::of(path) else { return Err(unknown_suffix(path, bytes)) };
    let text = match language.encoding {
        Encoding::Old => encoding::old(bytes),
        Encoding::Utf8 => String::from_utf8(bytes).map_err(|error| not_utf8(path, &error))?,
    };
    let mut sources = Sources::default();
    let source = sources.add(path, text);
    files.remember(path, source);
    Ok((sources, source, language))
}

/// Options that are not for models of this language.
fn misuse(request: &LoadRequest, language: &Language) -> Option<String> {
    if !language.reads(Reads::Node) && (request.node.is_some() || request.spec.is_some()) {
        return Some("--node, --spec and --never are for AltaRica models (.alt)".to_owned());
    }
    let of_no_net = language.reads(Reads::Properties) && request.initial.is_none();
    if !language.reads(Reads::Formulas) && !of_no_net && (!request.formulas.is_empty() || request.initial.is_some()) {
        let nets = languages::suffixes(|language| language.reads(Reads::Formulas)).join(", ");
        return Some(format!("--formula and --init are for nets ({nets})"));
    }
    if !language.reads(Reads::Order) && request.ort.is_some() {
        return Some("--ort is for transition systems (.xsts)".to_owned());
    }
    if !language.reads(Reads::ErrorLocation) && request.error_location.is_some() {
        let automata = languages::suffixes(|language| language.reads(Reads::ErrorLocation)).join(", ");
        return Some(format!("--errorloc is for control-flow automata ({automata})"));
    }
    (!language.reads(Reads::Further) && !request.further.is_empty())
        .then(|| "only AltaRica files (.alt) are read as one model".to_owned())
}

/// Why a front end gives no model.
pub(crate) enum Refusal {
    Text(Vec<Diagnostic>),
    File(String),
    Stopped(Stop),
}

impl Refusal {
    /// As the one who asked for the model is told it.
    pub fn of(self, request: &LoadRequest, sources: Sources) -> LoadError {
        match self {
            Self::Text(diagnostics) => LoadError::Text { sources, diagnostics },
            Self::File(message) => LoadError::File(message),
            Self::Stopped(stop) => LoadError::Stopped { path: request.path.clone(), stop },
        }
    }
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl From<Vec<Diagnostic>> for Refusal {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Text(diagnostics)
    }
}

/// Says what the text seems to be, or which suffixes there are.
fn unknown_suffix(path: &str, bytes: Vec<u8>) -> LoadError {
    let mut sources = Sources::default();
    let source = sources.add(path, encoding::old(bytes));
    if let Some(diagnostic) = guess::without_suffix(&sources, source) {
        return LoadError::Text { sources, diagnostics: vec![diagnostic] };
    }
    let suffixes = LANGUAGES.iter().flat_map(|language| language.suffixes);
    let mut suffixes: Vec<String> = suffixes.map(|suffix| format!(".{suffix}")).collect();
    suffixes.sort();
    let last = suffixes.pop().unwrap_or_default();
    let others = suffixes.join(", ");
    LoadError::File(format!("{path}: the suffix says which language a model is in: {others} or {last}"))
}

/// The text up to the broken byte is shown, so that the place can be found.
fn not_utf8(path: &str, error: &std::string::FromUtf8Error) -> LoadError {
    let valid = error.utf8_error().valid_up_to();
    let mut sources = Sources::default();
    let source = sources.add(path, String::from_utf8_lossy(error.as_bytes()));
    let at = u32::try_from(valid).expect("files are shorter than 4 GiB");
    let span = Span::new(source, at, at + 1);
    let diagnostic =
        Diagnostic::error("file001", "the file is not valid UTF-8", span, "this byte is not part of a character")
            .with_help("save the file as UTF-8");
    LoadError::Text { sources, diagnostics: vec![diagnostic] }
}

/// What a front end makes of a text.
pub(crate) struct Resolved {
    /// Without its combinations, which became those that are asked.
    pub read: Read,
    pub asked: Vec<PropertyId>,
    pub combinations: Combinations,
    pub predicates: Vec<Expr>,
    pub warnings: Vec<Diagnostic>,
}

pub(crate) fn finish<T>(read: Option<T>, diagnostics: Diagnostics) -> Result<(T, Vec<Diagnostic>), Refusal> {
    match read {
        Some(read) if !diagnostics.has_errors() => Ok((read, diagnostics.list)),
        _ => Err(Refusal::Text(diagnostics.list)),
    }
}

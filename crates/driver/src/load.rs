//! Opens a model: reads its files, picks the front end by their suffix, resolves the properties asked for.

mod exact;
mod formulas;

use std::path::Path;

use lapidary_base::{Control, Stop};
use lapidary_frontends::{gcl, petri};
use lapidary_ir::{CountedNet, Declarations, Expr, PropertyId, PropertyKind, Subject};
use lapidary_text::{Diagnostic, Diagnostics, SourceId, Sources, Span, diagnostic};

use crate::asking;
use crate::combinations::Combinations;
use crate::encoding;
use crate::examples::{self, Example, Notation};
use crate::files::{self, Files, Shelf};
use crate::guess;
use crate::hierarchy;
use crate::lints;
use crate::nets;
use crate::project::{self, Listed};
pub(crate) use formulas::formula_name;
use formulas::{Read, with_formulas};

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
        let is_typed = self.sources.get(property.span.source).name == "-p";
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

/// Loads a model in order to check properties.
pub fn load(request: &LoadRequest) -> Result<Loaded, LoadError> {
    load_within(request, &Control::new())
}

/// Loads a model in order to check properties, within limits: texts may be long, flattening may multiply, and sets of a
/// specification may take a search.
pub fn load_within(request: &LoadRequest, control: &Control) -> Result<Loaded, LoadError> {
    let mut loaded = read(&request.path).and_then(|text| open_text_within(request, text, control))?;
    let model = loaded.declared();
    let is_by_name = !request.properties.is_empty() || !request.never.is_empty();
    let has_property = model.properties.iter().any(|property| property.kind != PropertyKind::NoErrors);
    let is_left_out = if is_by_name { loaded.asked.is_empty() } else { !has_property };
    if is_left_out && !loaded.left_out.is_empty() {
        let Loaded { path, left_out, sources, warnings, .. } = loaded;
        return Err(LoadError::LeftOut { path, names: left_out.into(), sources, warnings });
    }
    if !is_by_name {
        if !has_property {
            let notation = language(&request.path).map_or(Notation::None, Language::notation);
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

/// Loads a model for any other purpose: it may have no property at all.
pub fn open(request: &LoadRequest) -> Result<Loaded, LoadError> {
    open_within(request, &Control::new())
}

/// The same within limits.
pub fn open_within(request: &LoadRequest, control: &Control) -> Result<Loaded, LoadError> {
    open_text_within(request, read(&request.path)?, control)
}

/// Loads a model whose text is there already; the path only names it.
pub fn open_text(request: &LoadRequest, bytes: Vec<u8>) -> Result<Loaded, LoadError> {
    open_text_within(request, bytes, &Control::new())
}

/// The same within limits.
pub fn open_text_within(request: &LoadRequest, bytes: Vec<u8>, control: &Control) -> Result<Loaded, LoadError> {
    let mut files = Files::default();
    let (mut sources, source, language) = begun(request, bytes, &mut files)?;
    if let Some(misuse) = misuse(request, language) {
        return Err(LoadError::File(format!("{}: {misuse}", request.path)));
    }
    let resolved = match language {
        Language::AltaRica | Language::Project => altarica(&mut sources, source, &mut files, request, control),
        Language::Gcl => gcl(&mut sources, source, request, control),
        Language::Net(language) => net(&mut sources, source, language, &mut files, request, control),
        Language::Ir => exact::lir(&mut sources, source, request, control),
    };
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
    bytes: Vec<u8>,
    files: &mut Files,
) -> Result<(Sources, SourceId, Language), LoadError> {
    let path = &request.path;
    files.note(path, &bytes);
    let Some(language) = language(path) else { return Err(unknown_suffix(path, bytes)) };
    let text = match language {
        Language::AltaRica | Language::Net(_) => encoding::old(bytes),
        Language::Gcl | Language::Ir | Language::Project => {
            String::from_utf8(bytes).map_err(|error| not_utf8(path, &error))?
        }
    };
    let mut sources = Sources::default();
    let source = sources.add(path, text);
    files.remember(path, source);
    Ok((sources, source, language))
}

/// Options that are not for models of this language.
fn misuse(request: &LoadRequest, language: Language) -> Option<&'static str> {
    let is_altarica = matches!(language, Language::AltaRica | Language::Project);
    if !is_altarica && (request.node.is_some() || request.spec.is_some()) {
        return Some("--node, --spec and --never are for AltaRica models (.alt)");
    }
    if !matches!(language, Language::Net(_)) && (!request.formulas.is_empty() || request.initial.is_some()) {
        return Some("--formula and --init are for nets (.spec, .tts, .pnml, .lola)");
    }
    (language != Language::AltaRica && !request.further.is_empty())
        .then_some("only AltaRica files (.alt) are read as one model")
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    AltaRica,
    Gcl,
    Ir,
    Net(petri::Language),
    /// A list of AltaRica files.
    Project,
}

impl Language {
    fn notation(self) -> Notation {
        match self {
            Self::AltaRica | Self::Project => Notation::AltaRica,
            Self::Gcl => Notation::Gcl,
            // Nets have formulas of their own.
            Self::Ir | Self::Net(_) => Notation::None,
        }
    }
}

pub(crate) fn language(path: &str) -> Option<Language> {
    match Path::new(path).extension()?.to_str()? {
        "alt" => Some(Language::AltaRica),
        "project" => Some(Language::Project),
        "gcl" => Some(Language::Gcl),
        "lir" => Some(Language::Ir),
        "spec" => Some(Language::Net(petri::Language::Mist)),
        "tts" => Some(Language::Net(petri::Language::Tts)),
        "pnml" => Some(Language::Net(petri::Language::Pnml)),
        "lola" | "llnet" | "net" => Some(Language::Net(petri::Language::Lola)),
        _ => None,
    }
}

/// Says what the text seems to be, or which suffixes there are.
fn unknown_suffix(path: &str, bytes: Vec<u8>) -> LoadError {
    let mut sources = Sources::default();
    let source = sources.add(path, encoding::old(bytes));
    if let Some(diagnostic) = guess::without_suffix(&sources, source) {
        return LoadError::Text { sources, diagnostics: vec![diagnostic] };
    }
    let suffixes = ".alt, .gcl, .lir, .llnet, .lola, .net, .pnml, .project, .spec or .tts";
    LoadError::File(format!("{path}: the suffix says which language a model is in: {suffixes}"))
}

pub(crate) fn read(path: &str) -> Result<Vec<u8>, LoadError> {
    files::read(path).map_err(LoadError::File)
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
struct Resolved {
    /// Without its combinations, which became those that are asked.
    read: Read,
    asked: Vec<PropertyId>,
    combinations: Combinations,
    predicates: Vec<Expr>,
    warnings: Vec<Diagnostic>,
}

fn altarica(
    sources: &mut Sources,
    source: SourceId,
    files: &mut Files,
    request: &LoadRequest,
    control: &Control,
) -> Result<Resolved, Refusal> {
    let listed = listed(sources, source, files, request, control)?;
    let read = hierarchy::load(&mut Shelf { sources, files }, &listed, request, control)?;
    let hierarchy::Read { subject, inputs, evaluated, asked, predicates, warnings } = read;
    let read = Read { inputs, evaluated, ..Read::from(subject) };
    Ok(Resolved { read, asked, combinations: Combinations::default(), predicates, warnings })
}

/// The texts of an AltaRica model: those of a project, or the first one with all that are named with it.
pub(crate) fn listed(
    sources: &mut Sources,
    source: SourceId,
    files: &mut Files,
    request: &LoadRequest,
    control: &Control,
) -> Result<Listed, Refusal> {
    if language(&request.path) == Some(Language::Project) {
        return project::listed(sources, source, files, control);
    }
    let mut listed = Listed { texts: vec![source], root: None };
    for path in &request.further {
        control.check()?;
        if language(path) != Some(Language::AltaRica) {
            return Err(Refusal::File(format!("{path}: only AltaRica files (.alt) are read as one model")));
        }
        if files.text(path).is_some() {
            return Err(Refusal::File(format!("{path} is given twice, and each file is read once")));
        }
        listed.texts.push(files.open(sources, path).map_err(Refusal::File)?);
    }
    Ok(listed)
}

fn finish<T>(read: Option<T>, diagnostics: Diagnostics) -> Result<(T, Vec<Diagnostic>), Refusal> {
    match read {
        Some(read) if !diagnostics.has_errors() => Ok((read, diagnostics.list)),
        _ => Err(Refusal::Text(diagnostics.list)),
    }
}

fn gcl(sources: &mut Sources, source: SourceId, request: &LoadRequest, control: &Control) -> Result<Resolved, Refusal> {
    let mut defines = Vec::new();
    for (name, value) in &request.defines {
        defines.push((name.clone(), sources.add_option(format!("-D {name}"), value.as_str())));
    }
    with_formulas(sources, request, &|sources, formulas| {
        let options = gcl::Options { defines: defines.clone(), formulas: formulas.to_vec() };
        let (model, diagnostics) = gcl::load_within(sources, source, &options, control)?;
        Ok((model.map(|model| Read::from(Subject::Model(model))), diagnostics))
    })
}

fn net(
    sources: &mut Sources,
    source: SourceId,
    language: petri::Language,
    files: &mut Files,
    request: &LoadRequest,
    control: &Control,
) -> Result<Resolved, Refusal> {
    let path = &request.path;
    if let Some((name, _)) = request.defines.first() {
        return Err(Refusal::File(format!("{path}: a net has no constants, so -D {name} sets nothing")));
    }
    let mut options =
        petri::Options { properties: nets::beside(sources, language, files, request)?, ..Default::default() };
    options.initial = match (language, &request.initial) {
        (_, None) => None,
        (petri::Language::Tts, Some(text)) => Some(sources.add_option("--init", text.as_str())),
        (petri::Language::Mist | petri::Language::Pnml | petri::Language::Lola, Some(_)) => {
            return Err(Refusal::File(format!("{path}: --init is for thread transition systems (.tts)")));
        }
    };
    with_formulas(sources, request, &|sources, formulas| {
        let options = petri::Options { formulas: formulas.to_vec(), ..options.clone() };
        let (loaded, diagnostics) = petri::load_within(sources, source, language, &options, control)?;
        let read = |petri::Loaded { net, sums, model, combinations, left_out }| Read {
            combinations,
            left_out,
            ..Read::from(Subject::Net(CountedNet { net, sums, model }))
        };
        Ok((loaded.map(read), diagnostics))
    })
}

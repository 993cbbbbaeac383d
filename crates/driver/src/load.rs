//! Opens a model: reads the file, picks the front end by its suffix, resolves the properties asked for.

use std::fs;
use std::path::Path;

use lapidary_base::{Control, Id, Stop};
use lapidary_frontends::{gcl, petri};
use lapidary_ir::{Expr, Model, Property, PropertyId, PropertyKind};
use lapidary_text::{Diagnostic, Diagnostics, SourceId, Sources, Span, diagnostic};
use sha2::{Digest, Sha256};

use crate::encoding;
use crate::examples::{self, Example, Notation};
use crate::guess;
use crate::hierarchy::{self, Flattened, Hierarchy};
use crate::nets::{self, CountedNet};

#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    pub path: String,
    /// `-D NAME=VALUE`, split at the first `=`.
    pub defines: Vec<(String, String)>,
    /// `-p`: names of properties or formulas. Empty: all properties of the model and `no_errors`.
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
    pub sha256: String,
    pub sources: Sources,
    pub source: SourceId,
    pub model: Model,
    /// The tree of components that the model is the flattening of, if the language has them.
    pub hierarchy: Option<Hierarchy>,
    /// The net that the model counts the tokens of, if the language has them.
    pub net: Option<CountedNet>,
    /// The properties to check, in order.
    pub asked: Vec<PropertyId>,
    /// Formulas to begin an abstraction with.
    pub predicates: Vec<Expr>,
    pub warnings: Vec<Diagnostic>,
}

pub enum LoadError {
    /// The file cannot be read, or no front end takes it: a sentence, exit code 3.
    File(String),
    /// Errors in the text, with the sources to render them.
    Text { sources: Sources, diagnostics: Vec<Diagnostic> },
    /// Neither a property in the model nor `-p`: exit code 2, with commands to begin with.
    NoProperty { request: Box<LoadRequest>, examples: Vec<Example> },
    /// A limit was reached before the properties were known: exit code 30, or that of an interrupt.
    Stopped { path: String, stop: Stop },
}

impl LoadError {
    /// The error in plain text.
    pub fn render(&self) -> String {
        match self {
            Self::File(message) => message.clone(),
            Self::Text { sources, diagnostics } => {
                let render = |one| diagnostic::render(one, sources, diagnostic::Style::Plain);
                diagnostics.iter().map(render).collect::<Vec<_>>().join("\n")
            }
            Self::NoProperty { request, .. } => format!("{} has no property", request.path),
            Self::Stopped { path, stop } => format!("{path}: {stop}"),
        }
    }
}

/// Larger files are surely not models, and spans count in 32 bits.
const MAX_BYTES: u64 = 1 << 28;

/// Loads a model in order to check properties.
pub fn load(request: &LoadRequest) -> Result<Loaded, LoadError> {
    load_within(request, &Control::new())
}

/// Loads a model in order to check properties, within limits: texts may be long, flattening may multiply, and sets of a
/// specification may take a search.
pub fn load_within(request: &LoadRequest, control: &Control) -> Result<Loaded, LoadError> {
    let mut loaded = read(&request.path).and_then(|text| open_text_within(request, text, control))?;
    let model = &loaded.model;
    if request.properties.is_empty() && request.never.is_empty() {
        if model.properties.iter().all(|property| property.kind == PropertyKind::NoErrors) {
            let notation = language(&request.path).map_or(Notation::None, Language::notation);
            let examples = examples::of(&loaded, notation);
            return Err(LoadError::NoProperty { request: Box::new(request.clone()), examples });
        }
        loaded.asked = model.properties.ids().collect();
    }
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
    let sha256 = hex(&Sha256::digest(&bytes));
    let Some(language) = language(&request.path) else { return Err(unknown_suffix(&request.path, bytes)) };
    let text = match language {
        Language::AltaRica | Language::Net(_) => encoding::old(bytes),
        Language::Gcl | Language::Ir => String::from_utf8(bytes).map_err(|error| not_utf8(&request.path, &error))?,
    };
    let mut sources = Sources::default();
    let source = sources.add(&request.path, text);
    if language != Language::AltaRica && (request.node.is_some() || request.spec.is_some()) {
        let path = &request.path;
        return Err(LoadError::File(format!("{path}: --node, --spec and --never are for AltaRica models (.alt)")));
    }
    if !matches!(language, Language::Net(_)) && (!request.formulas.is_empty() || request.initial.is_some()) {
        let path = &request.path;
        return Err(LoadError::File(format!("{path}: --formula and --init are for nets (.spec, .tts, .pnml, .lola)")));
    }
    let resolved = match language {
        Language::AltaRica => altarica(&mut sources, source, request, control),
        Language::Gcl => gcl(&mut sources, source, request, control),
        Language::Net(language) => net(&mut sources, source, language, request, control),
        Language::Ir => lir(&sources, source, request, control),
    };
    match resolved {
        Ok(Resolved { model, hierarchy, net, asked, predicates, warnings }) => {
            let path = request.path.clone();
            Ok(Loaded { path, sha256, sources, source, model, hierarchy, net, asked, predicates, warnings })
        }
        Err(Refusal::Text(diagnostics)) => {
            // In a text of another language all is wrong, which says nothing.
            let diagnostics = guess::other_language(&sources, source).map_or(diagnostics, |other| vec![other]);
            Err(LoadError::Text { sources, diagnostics })
        }
        Err(Refusal::File(message)) => Err(LoadError::File(message)),
        Err(Refusal::Stopped(stop)) => Err(LoadError::Stopped { path: request.path.clone(), stop }),
    }
}

/// Why a front end gives no model.
pub(crate) enum Refusal {
    Text(Vec<Diagnostic>),
    File(String),
    Stopped(Stop),
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
enum Language {
    AltaRica,
    Gcl,
    Ir,
    Net(petri::Language),
}

impl Language {
    fn notation(self) -> Notation {
        match self {
            Self::AltaRica => Notation::AltaRica,
            Self::Gcl => Notation::Gcl,
            // Nets have formulas of their own.
            Self::Ir | Self::Net(_) => Notation::None,
        }
    }
}

fn language(path: &str) -> Option<Language> {
    match Path::new(path).extension()?.to_str()? {
        "alt" => Some(Language::AltaRica),
        "gcl" => Some(Language::Gcl),
        "lir" => Some(Language::Ir),
        "spec" => Some(Language::Net(petri::Language::Mist)),
        "tts" => Some(Language::Net(petri::Language::Tts)),
        "pnml" => Some(Language::Net(petri::Language::Pnml)),
        "lola" => Some(Language::Net(petri::Language::Lola)),
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
    LoadError::File(format!(
        "{path}: the suffix says which language a model is in: .alt, .gcl, .lir, .lola, .pnml, .spec or .tts"
    ))
}

pub(crate) fn read(path: &str) -> Result<Vec<u8>, LoadError> {
    let failed = |error: std::io::Error| LoadError::File(format!("cannot read {path}: {error}"));
    let metadata = fs::metadata(path).map_err(failed)?;
    if metadata.len() >= MAX_BYTES {
        return Err(LoadError::File(format!("{path}: the file is larger than 256 MiB")));
    }
    fs::read(path).map_err(failed)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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
    model: Model,
    hierarchy: Option<Hierarchy>,
    net: Option<CountedNet>,
    asked: Vec<PropertyId>,
    predicates: Vec<Expr>,
    warnings: Vec<Diagnostic>,
}

fn altarica(
    sources: &mut Sources,
    source: SourceId,
    request: &LoadRequest,
    control: &Control,
) -> Result<Resolved, Refusal> {
    let flattened = hierarchy::load(sources, source, request, control)?;
    let Flattened { model, hierarchy, asked, predicates, warnings } = flattened;
    Ok(Resolved { model, hierarchy: Some(hierarchy), net: None, asked, predicates, warnings })
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
        defines.push((name.clone(), sources.add(format!("-D {name}"), value.as_str())));
    }
    with_formulas(sources, request, &|sources, formulas| {
        let options = gcl::Options { defines: defines.clone(), formulas: formulas.to_vec() };
        let (model, diagnostics) = gcl::load_within(sources, source, &options, control)?;
        Ok((model.map(|model| Read { model, net: None }), diagnostics))
    })
}

fn net(
    sources: &mut Sources,
    source: SourceId,
    language: petri::Language,
    request: &LoadRequest,
    control: &Control,
) -> Result<Resolved, Refusal> {
    let path = &request.path;
    if let Some((name, _)) = request.defines.first() {
        return Err(Refusal::File(format!("{path}: a net has no constants, so -D {name} sets nothing")));
    }
    let mut options = petri::Options { properties: nets::beside(sources, language, request)?, ..Default::default() };
    options.initial = match (language, &request.initial) {
        (_, None) => None,
        (petri::Language::Tts, Some(text)) => Some(sources.add("--init", text.as_str())),
        (petri::Language::Mist | petri::Language::Pnml | petri::Language::Lola, Some(_)) => {
            return Err(Refusal::File(format!("{path}: --init is for thread transition systems (.tts)")));
        }
    };
    with_formulas(sources, request, &|sources, formulas| {
        let options = petri::Options { formulas: formulas.to_vec(), ..options.clone() };
        let (loaded, diagnostics) = petri::load_within(sources, source, language, &options, control)?;
        let read = |petri::Loaded { net, sums, model }| Read { model, net: Some(CountedNet { net, sums }) };
        Ok((loaded.map(read), diagnostics))
    })
}

/// A text that was read together with some formulas.
struct Read {
    model: Model,
    net: Option<CountedNet>,
}

/// Reads a text with formulas: the names under which they are reported, and the sources that hold them.
type Reader<'a> = dyn Fn(&Sources, &[(String, SourceId)]) -> Result<(Option<Read>, Diagnostics), Stop> + 'a;

/// What is no property's name is a formula; formulas go to the front end together with the text.
fn with_formulas(sources: &mut Sources, request: &LoadRequest, reader: &Reader<'_>) -> Result<Resolved, Refusal> {
    let (read, diagnostics) = reader(sources, &[])?;
    let (Read { model, net }, warnings) = finish(read, diagnostics)?;
    let formulas = formulas(&model, &request.properties);
    let mut typed = Vec::new();
    for text in &formulas {
        typed.push((formula_name(text), sources.add("-p", *text)));
    }
    if formulas.is_empty() && request.predicates.is_empty() {
        let asked = asked(&model, &request.properties, &[], model.properties.len());
        return Ok(Resolved { model, hierarchy: None, net, asked, predicates: Vec::new(), warnings });
    }
    // Predicates are read like properties, behind all others.
    let mut all = typed.clone();
    for text in &request.predicates {
        all.push((formula_name(text), sources.add("--predicate", text.as_str())));
    }
    let (again, diagnostics) = reader(sources, &all)?;
    let (Read { model: mut again, net }, warnings) =
        finish(again, diagnostics).map_err(|refusal| name_properties(&model, sources, &typed, refusal))?;
    let predicates = take_formulas(&mut again, request.predicates.len());
    let asked = asked(&again, &request.properties, &formulas, model.properties.len());
    Ok(Resolved { model: again, hierarchy: None, net, asked, predicates, warnings })
}

/// The formulas of the last properties, which are taken away.
fn take_formulas(model: &mut Model, n: usize) -> Vec<Expr> {
    let kept = model.properties.len() - n;
    let formula = |property: &Property| match property.kind {
        PropertyKind::Invariant(formula) | PropertyKind::Reach(formula) => formula,
        PropertyKind::DeadlockFree | PropertyKind::NoErrors | PropertyKind::Ltl(_) => {
            unreachable!("formulas of options speak of single states")
        }
    };
    let formulas = model.properties.iter().skip(kept).map(formula).collect();
    model.properties = model.properties.iter().take(kept).cloned().collect();
    formulas
}

/// The texts that are no names, each once.
fn formulas<'a>(model: &Model, request: &'a [String]) -> Vec<&'a str> {
    let mut formulas: Vec<&str> = Vec::new();
    for text in request.iter().map(|text| text.trim()).filter(|text| model.property(text).is_none()) {
        if !formulas.contains(&text) {
            formulas.push(text);
        }
    }
    formulas
}

/// A formula is reported under its own text, white space made plain.
fn formula_name(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The properties in the order of the request; asking twice for one is asking once. Formulas are found by their place
/// behind the `n_named` properties of the text: two of them may look alike once white space is gone.
fn asked(model: &Model, request: &[String], formulas: &[&str], n_named: usize) -> Vec<PropertyId> {
    let mut asked = Vec::new();
    for text in request.iter().map(|text| text.trim()) {
        let property = match formulas.iter().position(|formula| *formula == text) {
            Some(place) => PropertyId::new(n_named + place),
            None => model.property(text).expect("each text is a name or a formula"),
        };
        if !asked.contains(&property) {
            asked.push(property);
        }
    }
    asked
}

/// A misspelt property looks like an unknown variable: say which properties there are.
fn name_properties(model: &Model, sources: &Sources, typed: &[(String, SourceId)], refusal: Refusal) -> Refusal {
    let Refusal::Text(mut diagnostics) = refusal else { return refusal };
    let is_name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    for diagnostic in &mut diagnostics {
        let source = diagnostic.labels[0].0.source;
        let from_option = typed.iter().any(|(_, id)| *id == source);
        if from_option && is_name(sources.get(source).text.trim()) {
            let names: Vec<&str> = model.properties.iter().map(|property| property.name.as_str()).collect();
            diagnostic.help = Some(format!("the properties of this model are {}", names.join(", ")));
        }
    }
    Refusal::Text(diagnostics)
}

/// The textual form of the IR has no formulas to resolve and no constants to set.
fn lir(sources: &Sources, source: SourceId, request: &LoadRequest, control: &Control) -> Result<Resolved, Refusal> {
    let path = &request.path;
    let (model, diagnostics) = lapidary_ir::parse::parse_within(sources, source, control)?;
    let (model, warnings) = finish(model, diagnostics)?;
    if let Some((name, _)) = request.defines.first() {
        return Err(Refusal::File(format!("{path}: a .lir file has no constants, so -D {name} sets nothing")));
    }
    if let Some(text) = request.properties.iter().find(|text| model.property(text.trim()).is_none()) {
        let names: Vec<&str> = model.properties.iter().map(|property| property.name.as_str()).collect();
        let message = format!("{path} has no property {text}, and a .lir file takes no formulas");
        return Err(Refusal::File(format!("{message}; its properties are {}", names.join(", "))));
    }
    if let Some(text) = request.predicates.first() {
        return Err(Refusal::File(format!("{path}: a .lir file takes no formulas, so --predicate {text} is not read")));
    }
    let asked = asked(&model, &request.properties, &[], model.properties.len());
    Ok(Resolved { model, hierarchy: None, net: None, asked, predicates: Vec::new(), warnings })
}

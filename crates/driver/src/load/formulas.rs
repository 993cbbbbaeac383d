//! What is asked of a model: properties by their names, formulas as they were typed, predicates to begin with.

use lapidary_base::Stop;
use lapidary_base::hash::Set;
use lapidary_frontends::asked::{Asked, Wording};
use lapidary_frontends::words;
use lapidary_ir::{Combination, Declarations, Expr, Property, PropertyId, Subject};
use lapidary_text::{Diagnostic, Diagnostics, SourceId, Sources, Span};

use super::{LoadRequest, Refusal, Resolved, finish};
use crate::asking;
use crate::combinations::Combinations;

/// A text that was read together with some formulas.
pub(crate) struct Read {
    pub subject: Subject,
    pub combinations: Vec<Combination>,
    /// The names of properties that are left out.
    pub left_out: Vec<String>,
    pub inputs: Vec<String>,
    pub evaluated: Vec<PropertyId>,
}

impl From<Subject> for Read {
    fn from(subject: Subject) -> Self {
        let (combinations, left_out, inputs, evaluated) = Default::default();
        Self { subject, combinations, left_out, inputs, evaluated }
    }
}

/// Reads a text together with formulas.
pub(crate) type Reader<'a> = dyn Fn(&Sources, &[Asked]) -> Result<(Option<Read>, Diagnostics), Stop> + 'a;

/// What is no property's name is a formula; formulas go to the front end together with the text.
pub(crate) fn with_formulas(
    sources: &mut Sources,
    request: &LoadRequest,
    reader: &Reader<'_>,
) -> Result<Resolved, Refusal> {
    let (read, diagnostics) = reader(sources, &[])?;
    let (read, warnings) = finish(read, diagnostics)?;
    let formulas = formulas(&read, &request.properties);
    let mut typed = Vec::new();
    for text in &formulas {
        let (wording, formula) = asking::read(text);
        typed.push(Asked { name: formula_name(text), wording, source: sources.add_option("-p", formula) });
    }
    if formulas.is_empty() && request.predicates.is_empty() {
        return Ok(resolved(read, request, &[], Vec::new(), warnings));
    }
    // Predicates are read like properties, behind all others.
    let mut all = typed.clone();
    for text in &request.predicates {
        let source = sources.add_option("--predicate", text.as_str());
        all.push(Asked { name: formula_name(text), wording: Wording::Plain, source });
    }
    let (again, diagnostics) = reader(sources, &all)?;
    let (mut again, warnings) =
        finish(again, diagnostics).map_err(|refusal| name_properties(&read, sources, &typed, refusal))?;
    let predicates = take_predicates(&mut again, &all[typed.len()..])?;
    let typed: Vec<(&str, SourceId)> = formulas.into_iter().zip(typed.iter().map(|asked| asked.source)).collect();
    Ok(resolved(again, request, &typed, predicates, warnings))
}

/// Finds what is asked in a text that was read.
pub(crate) fn resolved(
    read: Read,
    request: &LoadRequest,
    formulas: &[(&str, SourceId)],
    predicates: Vec<Expr>,
    warnings: Vec<Diagnostic>,
) -> Resolved {
    let mut read = read;
    let combinations = std::mem::take(&mut read.combinations);
    let (asked, combinations) = asked(read.subject.declared(), combinations, &request.properties, formulas);
    // Without names all is asked for.
    let is_asked = |name: &String| request.properties.iter().any(|text| text.trim() == name);
    read.left_out.retain(|name| request.properties.is_empty() || is_asked(name));
    Resolved { read, asked, combinations, predicates, warnings }
}

/// The formulas of the last properties, which are taken away.
fn take_predicates(read: &mut Read, typed: &[Asked]) -> Result<Vec<Expr>, Refusal> {
    let is_predicate = |span: Span| typed.iter().any(|asked| asked.source == span.source);
    let formula = |property: &Property| property.kind.formula().ok_or_else(|| no_predicate(property.span));
    if let Some(several) = read.combinations.iter().find(|several| is_predicate(several.span)) {
        return Err(no_predicate(several.span));
    }
    let properties = &mut read.subject.declared_mut().properties;
    let predicates = properties.iter().filter(|property| is_predicate(property.span)).map(formula);
    let predicates = predicates.collect::<Result<_, _>>()?;
    *properties = properties.iter().filter(|property| !is_predicate(property.span)).cloned().collect();
    Ok(predicates)
}

fn no_predicate(span: Span) -> Refusal {
    let message = "a predicate is a condition on one state";
    let diagnostic = Diagnostic::error("option001", message, span, "this is more");
    Refusal::Text(vec![diagnostic.with_help("compare variables: `--predicate 'x < 3'`")])
}

/// The texts that are no names, each once.
pub(crate) fn formulas<'a>(read: &Read, request: &'a [String]) -> Vec<&'a str> {
    let is_name = |text: &str| {
        read.subject.declared().property(text).is_some()
            || read.combinations.iter().any(|several| several.name == text)
            || read.left_out.iter().any(|name| name == text)
    };
    let mut formulas: Vec<&str> = Vec::new();
    for text in request.iter().map(|text| text.trim()).filter(|text| !is_name(text)) {
        if !formulas.iter().any(|formula| is_same(formula, text)) {
            formulas.push(text);
        }
    }
    formulas
}

/// Whether two texts ask the same: white space within quotes may be part of a name, and a line may end a comment.
fn is_same(one: &str, other: &str) -> bool {
    let is_plain = |text: &str| !text.contains(['"', '\'', '\n', '\r']);
    one == other || (is_plain(one) && is_plain(other) && formula_name(one) == formula_name(other))
}

/// A formula is reported under its own text, white space made plain.
pub(crate) fn formula_name(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The properties in the order of the request, and the combinations among them; asking twice for one is asking once. Formulas
/// are found by their sources: two of them may look alike once white space is gone.
fn asked(
    model: &Declarations,
    combinations: Vec<Combination>,
    request: &[String],
    formulas: &[(&str, SourceId)],
) -> (Vec<PropertyId>, Combinations) {
    let mut combinations = Combinations::new(combinations);
    let mut asked = Vec::new();
    for text in request.iter().map(|text| text.trim()) {
        let source = formulas.iter().find(|(formula, _)| is_same(formula, text)).map(|(_, source)| *source);
        let whole = combinations.all.iter().position(|several| match source {
            Some(source) => several.span.source == source,
            None => several.name == text,
        });
        match (whole, source) {
            (Some(whole), _) => asked.extend(combinations.ask(whole)),
            (None, Some(source)) => {
                asked.extend(model.properties.ids().filter(|&id| model.properties[id].span.source == source));
            }
            // What is neither is the name of one that is left out.
            (None, None) => {
                let property = model.property(text);
                combinations.alone.extend(property);
                asked.extend(property);
            }
        }
    }
    let mut seen = Set::default();
    asked.retain(|&property| seen.insert(property));
    (asked, combinations)
}

/// A misspelt property looks like an unknown variable: say which one was perhaps meant, or which there are.
fn name_properties(read: &Read, sources: &Sources, typed: &[Asked], refusal: Refusal) -> Refusal {
    let Refusal::Text(mut diagnostics) = refusal else { return refusal };
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    let names = names(read);
    for diagnostic in &mut diagnostics {
        let source = diagnostic.labels[0].0.source;
        let from_option = typed.iter().any(|asked| asked.wording == Wording::Plain && asked.source == source);
        let text = sources.get(source).text.trim();
        if from_option && is_name(text) && !names.is_empty() {
            diagnostic.help = Some(properties_like(&names, text, diagnostic.help.as_deref()));
        }
    }
    Refusal::Text(diagnostics)
}

/// What can be asked for by its name: a combination rather than its parts.
fn names(read: &Read) -> Vec<&str> {
    let parts: Set<PropertyId> = read.combinations.iter().flat_map(|several| several.junction.parts()).collect();
    let alone = read.subject.declared().properties.enumerated().filter(|(id, _)| !parts.contains(id));
    let whole = read.combinations.iter().map(|several| several.name.as_str());
    alone.map(|(_, property)| property.name.as_str()).chain(whole).collect()
}

/// How many names a help line has.
const MOST_NAMES: usize = 10;

/// `help` is what the front end says, which took the name for that of a variable.
fn properties_like(names: &[&str], name: &str, help: Option<&str>) -> String {
    if let Some(similar) = words::similar(name, names.iter().copied()) {
        return format!("did you mean the property `{similar}`?");
    }
    let more = if names.len() > MOST_NAMES { ", ..." } else { "" };
    let there = names[..names.len().min(MOST_NAMES)].join(", ");
    let meant = help.filter(|help| help.contains('`')).map(|help| format!("{help} ")).unwrap_or_default();
    format!("{meant}the properties of this model are {there}{more}")
}

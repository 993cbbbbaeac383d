//! What is asked of a model: properties by their names, formulas as they were typed, predicates to begin with.

use lapidary_base::hash::Set;
use lapidary_frontends::asked::{Asked, Wording};
use lapidary_ir::{Combination, Declarations, Expr, Property, PropertyId, Subject};
use lapidary_text::{Diagnostic, Diagnostics, SourceId, Sources, Span, spelling};

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

/// What is typed beside a text: formulas, each once, and behind them predicates, which are read like properties.
pub(crate) struct Typed<'r> {
    texts: Vec<&'r str>,
    asked: Vec<Asked>,
}

impl<'r> Typed<'r> {
    /// What is no name is a formula.
    pub fn new(sources: &mut Sources, request: &'r LoadRequest, is_name: &dyn Fn(&str) -> bool) -> Self {
        let texts = distinct(&request.properties, is_name);
        let mut asked: Vec<Asked> = texts.iter().map(|text| formula(sources, text)).collect();
        for text in &request.predicates {
            let source = sources.add_option("--predicate", text.as_str());
            asked.push(Asked { name: formula_name(text), wording: Wording::Plain, source });
        }
        Self { texts, asked }
    }

    /// The same without the texts that turned out to be names.
    pub fn without(mut self, is_name: &dyn Fn(&str) -> bool) -> Self {
        let is_formula: Vec<bool> = self.texts.iter().map(|text| !is_name(text)).collect();
        let mut numbers = is_formula.iter();
        self.asked.retain(|_| numbers.next().copied().unwrap_or(true));
        self.texts.retain(|text| !is_name(text));
        self
    }

    /// Formulas, then predicates.
    pub fn all(&self) -> &[Asked] {
        &self.asked
    }

    /// What was read with all of them, or why it is not understood, with the names that could have been meant.
    pub fn resolved(
        &self,
        read: Option<Read>,
        diagnostics: Diagnostics,
        request: &LoadRequest,
        sources: &Sources,
        names: &[String],
    ) -> Result<Resolved, Refusal> {
        let (formulas, predicates) = self.asked.split_at(self.texts.len());
        let finished = finish(read, diagnostics);
        let (mut read, warnings) = finished.map_err(|refusal| name_properties(names, sources, formulas, refusal))?;
        let predicates = take_predicates(&mut read, predicates)?;
        let sources = formulas.iter().map(|asked| asked.source);
        let typed: Vec<(&str, SourceId)> = self.texts.iter().copied().zip(sources).collect();
        Ok(resolved(read, request, &typed, predicates, warnings))
    }
}

fn formula(sources: &mut Sources, text: &str) -> Asked {
    let (wording, formula) = asking::read(text);
    Asked { name: formula_name(text), wording, source: sources.add_option("-p", formula) }
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
    distinct(request, &|text| {
        read.subject.declared().property(text).is_some()
            || read.combinations.iter().any(|several| several.name == text)
            || read.left_out.iter().any(|name| name == text)
    })
}

fn distinct<'a>(request: &'a [String], is_name: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
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
fn name_properties(names: &[String], sources: &Sources, typed: &[Asked], refusal: Refusal) -> Refusal {
    let Refusal::Text(mut diagnostics) = refusal else { return refusal };
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    for diagnostic in &mut diagnostics {
        let source = diagnostic.labels[0].0.source;
        let from_option = typed.iter().any(|asked| asked.wording == Wording::Plain && asked.source == source);
        let text = sources.get(source).text.trim();
        if from_option && is_name(text) && !names.is_empty() {
            diagnostic.help = Some(properties_like(names, text, diagnostic.help.as_deref()));
        }
    }
    Refusal::Text(diagnostics)
}

/// What can be asked for by its name: a combination rather than its parts.
pub(crate) fn names(model: &Declarations, combinations: &[Combination]) -> Vec<String> {
    let parts: Set<PropertyId> = combinations.iter().flat_map(|several| several.junction.parts()).collect();
    let alone = model.properties.enumerated().filter(|(id, _)| !parts.contains(id));
    let whole = combinations.iter().map(|several| several.name.clone());
    alone.map(|(_, property)| property.name.clone()).chain(whole).collect()
}

/// How many names a help line has.
const MOST_NAMES: usize = 10;

/// `help` is what the front end says, which took the name for that of a variable.
fn properties_like(names: &[String], name: &str, help: Option<&str>) -> String {
    if let Some(similar) = spelling::similar(name, names.iter().map(String::as_str)) {
        return format!("did you mean the property `{similar}`?");
    }
    let more = if names.len() > MOST_NAMES { ", ..." } else { "" };
    let there = names[..names.len().min(MOST_NAMES)].join(", ");
    let meant = help.filter(|help| help.contains('`')).map(|help| format!("{help} ")).unwrap_or_default();
    format!("{meant}the properties of this model are {there}{more}")
}

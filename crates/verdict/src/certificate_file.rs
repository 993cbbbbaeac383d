//! Certificates as files, described in `docs/certificates.md`: a line of JSON, then the states as raw words, or blocks or
//! the nodes of diagrams as lines of text.
//!
//! Nothing in a file is trusted. No count of the header decides how much is allocated before the bytes are there, and
//! a layout is taken only if packed states can be told apart by it; whether the certificate proves anything is for
//! the checker to say.

use std::io::{self, BufRead, Read, Write};

use lapidary_base::Control;
use lapidary_ir::{Declarations, Expr, Sort, Tree, parse};
use serde_json::{Value, json};

use crate::certificate::{About, Certificate, FORMS, Source};
use crate::formula::Formula;

mod json;
mod opened;

pub use opened::{Opened, Unread, open};

const SCHEMA: &str = "lapidary.certificate/1";
/// No header line is read beyond this; an invariant may be long.
const MAX_HEADER: u64 = 1 << 28;
/// What a file says about itself; whether it is about this model is for the caller to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub kind: String,
    pub model_sha256: String,
    /// The names of the properties that the certificate was made for.
    pub properties: Vec<String>,
}

/// `tree` is the hierarchy of which the model is the flattening, if there is one.
pub fn write(
    model: &Declarations,
    tree: Option<&Tree>,
    model_sha256: &str,
    properties: &[&str],
    certificate: &Certificate,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut header = json!({
        "schema": SCHEMA,
        "kind": certificate.told().form(),
        "model_sha256": model_sha256,
        "properties": properties,
    });
    certificate.told().describe(About { model, tree }, &mut header)?;
    writeln!(out, "{header}")?;
    certificate.told().write(out)
}

/// [`open`] and the certificate at once, for those whom no limit ends.
pub fn read(model: &Declarations, tree: Option<&Tree>, input: &mut dyn Read) -> Result<(Header, Certificate), String> {
    let control = Control::new();
    let read = open(input, &control).and_then(|opened| {
        let header = opened.header.clone();
        opened.certificate(model, tree).map(|certificate| (header, certificate))
    });
    read.map_err(|unread| match unread {
        Unread::Wrong(why) => why,
        Unread::Stopped(stop) => stop.to_string(),
    })
}

/// What the header and the bytes after it say; `kind` is that of the header.
fn body(kind: &str, source: &mut Source<'_>) -> Result<Certificate, Unread> {
    match FORMS.iter().find(|(form, _)| *form == kind) {
        Some((_, read)) => read(source),
        None => {
            let kinds = FORMS.map(|(form, _)| form).join(", ");
            Err(Unread::Wrong(format!("certificates of kind `{kind}` are not known; the kinds are {kinds}")))
        }
    }
}

pub(crate) fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::InvalidData => "a line is not text: it is not valid UTF-8".to_owned(),
        _ => format!("the certificate cannot be read: {error}"),
    }
}

fn header_line(input: &mut dyn BufRead) -> Result<Vec<u8>, String> {
    let mut line = Vec::new();
    input.take(MAX_HEADER).read_until(b'\n', &mut line).map_err(|error| unreadable(&error))?;
    match line.pop() {
        None => Err("the file is empty".to_owned()),
        Some(b'\n') => Ok(line),
        Some(_) => Err("the first line, which is the header, does not end".to_owned()),
    }
}

fn header(json: &Value) -> Result<Header, String> {
    match text(json, "schema")? {
        SCHEMA => {}
        other => return Err(format!("the schema is `{other}`, not `{SCHEMA}`")),
    }
    let names = json.get("properties").and_then(Value::as_array).ok_or("the header has no list `properties`")?;
    if names.is_empty() {
        return Err("the header lists no property in `properties`: nothing is claimed".to_owned());
    }
    let names: Option<Vec<String>> = names.iter().map(|name| name.as_str().map(str::to_owned)).collect();
    Ok(Header {
        kind: text(json, "kind")?.to_owned(),
        model_sha256: text(json, "model_sha256")?.to_owned(),
        properties: names.ok_or("`properties` are not all names")?,
    })
}

pub(crate) fn text<'a>(json: &'a Value, key: &str) -> Result<&'a str, String> {
    json.get(key).and_then(Value::as_str).ok_or_else(|| format!("there is no text `{key}` in the header"))
}

pub(crate) fn count<N: TryFrom<u64>>(json: &Value, key: &str) -> Result<N, String> {
    let number = json.get(key).and_then(Value::as_u64).and_then(|number| N::try_from(number).ok());
    number.ok_or_else(|| format!("there is no number `{key}` that fits in the header"))
}

/// A boolean expression over the model's variables, in an arena of its own.
pub(crate) fn formula(model: &Declarations, text: &str, control: &Control) -> Result<Formula, Unread> {
    let exprs = model.exprs.beside();
    let root = boolean(&model.over(&exprs), text, control)?;
    Ok(Formula::own(&exprs, root))
}

/// A boolean expression of the model.
pub(crate) fn boolean(model: &Declarations, text: &str, control: &Control) -> Result<Expr, Unread> {
    match parse::expr_within(model, text, control).map_err(Unread::Stopped)?? {
        (expr, Sort::Bool) => Ok(expr),
        (_, Sort::Int | Sort::Enum(_) | Sort::Bits(_) | Sort::Array(_)) => Err("the expression is not boolean".into()),
    }
}

#[cfg(test)]
mod formula_tests;
#[cfg(test)]
mod net_tests;
#[cfg(test)]
mod tests;

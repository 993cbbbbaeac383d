//! Certificates as files, described in `docs/certificates.md`: a line of JSON, then the states as raw words, or blocks or
//! the nodes of diagrams as lines of text.
//!
//! Nothing in a file is trusted. No count of the header decides how much is allocated before the bytes are there, and
//! a layout is taken only if packed states can be told apart by it; whether the certificate proves anything is for
//! the checker to say.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;

use lapidary_base::hash::Map;
use lapidary_base::{Control, IdVec};
use lapidary_ir::{Declarations, Expr, Exprs, Sort, Tree, VarId, parse};
use serde_json::{Value, json};

use crate::certificate::{Certificate, Enumeration, Field, Induction, Layout};
use crate::formula::Formula;

mod blocks_text;
mod components_text;
mod diagram_text;
mod json;
mod net_text;
mod opened;

pub use opened::{Opened, Unread, open};

const FLAT: &str = "covers of components are about a hierarchy, and this model is flat";
const SCHEMA: &str = "lapidary.certificate/1";
const KINDS: [&str; 8] =
    ["enumeration", "invariant", "diagram", "components", "blocks", "kinduction", "basis", "ideals"];
/// No header line is read beyond this; an invariant may be long.
const MAX_HEADER: u64 = 1 << 28;
/// States are read and written in pieces of about so many words.
const PIECE: usize = 1 << 16;

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
        "kind": form(certificate),
        "model_sha256": model_sha256,
        "properties": properties,
    });
    match certificate {
        Certificate::Enumeration(states) => {
            header["variables"] = variables(model, &states.layout);
            header["words"] = json!(states.layout.words);
            header["states"] = json!(states.n_states);
            writeln!(out, "{header}")?;
            states.chunks.iter().try_for_each(|chunk| write_words(chunk, out))
        }
        Certificate::Invariant(formula) => {
            header["expression"] = json!(formula.text(model));
            writeln!(out, "{header}")
        }
        Certificate::Diagram(diagram) => {
            diagram_text::describe(model, diagram, &mut header);
            writeln!(out, "{header}")?;
            diagram_text::write(diagram, out)
        }
        Certificate::Components(components) => {
            let tree = tree.ok_or_else(|| io::Error::other(FLAT))?;
            components_text::describe(model, tree, components, &mut header)?;
            writeln!(out, "{header}")?;
            components_text::write(components, out)
        }
        Certificate::Blocks(blocks) => {
            blocks_text::describe(model, blocks, &mut header);
            writeln!(out, "{header}")?;
            blocks_text::write(blocks, out)
        }
        Certificate::Induction(induction) => {
            header["k"] = json!(induction.k);
            header["expression"] = json!(induction.formula.text(model));
            header["simple"] = json!(induction.is_simple);
            writeln!(out, "{header}")
        }
        Certificate::Basis(basis) => {
            net_text::describe_basis(model, basis, &mut header);
            writeln!(out, "{header}")?;
            net_text::write_basis(basis, out)
        }
        Certificate::Ideals(ideals) => {
            net_text::describe_ideals(model, ideals, &mut header);
            writeln!(out, "{header}")?;
            net_text::write_ideals(ideals, out)
        }
    }
}

/// What follows the header depends on this, so it tells apart what [`Certificate::kind`] does not.
fn form(certificate: &Certificate) -> &'static str {
    match certificate {
        Certificate::Enumeration(_) => "enumeration",
        Certificate::Invariant(_) => "invariant",
        Certificate::Diagram(_) => "diagram",
        Certificate::Components(_) => "components",
        Certificate::Blocks(_) => "blocks",
        Certificate::Induction(_) => "kinduction",
        Certificate::Basis(_) => "basis",
        Certificate::Ideals(_) => "ideals",
    }
}

fn variables(model: &Declarations, layout: &Layout) -> Value {
    let place = |(var, field): (&lapidary_ir::Var, &Field)| {
        let Field { word, shift, bits, lo } = *field;
        json!({ "name": var.name, "word": word, "shift": shift, "bits": bits, "lo": lo })
    };
    model.vars.iter().zip(&layout.fields).map(place).collect()
}

fn write_words(words: &[u64], out: &mut dyn Write) -> io::Result<()> {
    for piece in words.chunks(PIECE) {
        let bytes: Vec<u8> = piece.iter().flat_map(|word| word.to_le_bytes()).collect();
        out.write_all(&bytes)?;
    }
    Ok(())
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
fn body(
    kind: &str,
    model: &Declarations,
    tree: Option<&Tree>,
    json: &Value,
    input: &mut dyn BufRead,
    control: &Control,
) -> Result<Certificate, Unread> {
    Ok(match kind {
        "enumeration" => Certificate::Enumeration(Arc::new(enumeration(model, json, input)?)),
        "invariant" => Certificate::Invariant(formula(model, text(json, "expression")?, control)?),
        "diagram" => Certificate::Diagram(Arc::new(diagram_text::read(model, json, input)?)),
        "components" => {
            let tree = tree.ok_or(FLAT)?;
            Certificate::Components(Arc::new(components_text::read(model, tree, json, input)?))
        }
        "blocks" => Certificate::Blocks(Arc::new(blocks_text::read(model, json, input, control)?)),
        "kinduction" => Certificate::Induction(induction(model, json, control)?),
        "basis" => Certificate::Basis(Arc::new(net_text::read_basis(model, json, input)?)),
        "ideals" => Certificate::Ideals(Arc::new(net_text::read_ideals(model, json, input)?)),
        other => {
            let kinds = KINDS.join(", ");
            return Err(Unread::Wrong(format!("certificates of kind `{other}` are not known; the kinds are {kinds}")));
        }
    })
}

fn unreadable(error: &io::Error) -> String {
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

fn text<'a>(json: &'a Value, key: &str) -> Result<&'a str, String> {
    json.get(key).and_then(Value::as_str).ok_or_else(|| format!("there is no text `{key}` in the header"))
}

fn count<N: TryFrom<u64>>(json: &Value, key: &str) -> Result<N, String> {
    let number = json.get(key).and_then(Value::as_u64).and_then(|number| N::try_from(number).ok());
    number.ok_or_else(|| format!("there is no number `{key}` that fits in the header"))
}

/// A boolean expression over the model's variables, in an arena of its own.
fn formula(model: &Declarations, text: &str, control: &Control) -> Result<Formula, Unread> {
    let exprs = Exprs::new();
    let root = boolean(&model.over(&exprs), text, control)?;
    Ok(Formula::own(&exprs, root))
}

/// A boolean expression of the model.
fn boolean(model: &Declarations, text: &str, control: &Control) -> Result<Expr, Unread> {
    match parse::expr_within(model, text, control).map_err(Unread::Stopped)?? {
        (expr, Sort::Bool) => Ok(expr),
        (_, Sort::Int | Sort::Enum(_)) => Err("the expression is not boolean".into()),
    }
}

fn induction(model: &Declarations, json: &Value, control: &Control) -> Result<Induction, Unread> {
    let k: u32 = count(json, "k")?;
    if k == 0 {
        return Err("`k` is 0, but must be at least 1".into());
    }
    let formula = formula(model, text(json, "expression")?, control)?;
    let is_simple = json.get("simple").and_then(Value::as_bool);
    let is_simple = is_simple.ok_or("there is no truth value `simple` in the header")?;
    Ok(Induction { k, formula, is_simple })
}

fn enumeration(model: &Declarations, json: &Value, input: &mut dyn Read) -> Result<Enumeration, String> {
    let layout = layout(model, json)?;
    let used = used_bits(model, &layout)?;
    let n_states: usize = count(json, "states")?;
    let per_chunk = (PIECE / layout.words).max(1);
    let mut chunks = Vec::new();
    let mut n_read = 0;
    while n_read < n_states {
        let n = per_chunk.min(n_states - n_read);
        let chunk = read_words(n * layout.words, input)?;
        if chunk.len() < n * layout.words {
            let n_whole = n_read + chunk.len() / layout.words;
            return Err(format!("the file ends after {n_whole} of {n_states} states"));
        }
        if let Some(i) = chunk.iter().zip(used.iter().cycle()).position(|(word, used)| word & !used != 0) {
            return Err(format!("state {} has bits that belong to no variable", n_read + i / layout.words));
        }
        n_read += n;
        chunks.push(chunk);
    }
    Ok(Enumeration { layout, chunks, n_states })
}

/// So many words, or fewer if the input ends before.
fn read_words(n: usize, input: &mut dyn Read) -> Result<Vec<u64>, String> {
    let mut bytes = Vec::new();
    input.take(n as u64 * 8).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    let (words, _) = bytes.as_chunks();
    Ok(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
}

/// The layout of the header, with the fields in the order of the model's variables. Each has exactly one.
fn layout(model: &Declarations, json: &Value) -> Result<Layout, String> {
    let listed = json.get("variables").and_then(Value::as_array).ok_or("the header has no list `variables`")?;
    let ids: Map<&str, VarId> = model.vars.enumerated().map(|(id, var)| (var.name.as_str(), id)).collect();
    let mut fields: IdVec<VarId, Option<Field>> = model.vars.iter().map(|_| None).collect();
    for entry in listed {
        let name = text(entry, "name")?;
        let id = *ids.get(name).ok_or_else(|| format!("the model has no variable `{name}`"))?;
        if fields[id].replace(field(entry).map_err(|problem| format!("`{name}`: {problem}"))?).is_some() {
            return Err(format!("the variable `{name}` is listed twice"));
        }
    }
    let missing = |(id, field): (VarId, &Option<Field>)| {
        field.ok_or_else(|| format!("the variable `{}` is not listed", model.vars[id].name))
    };
    let fields = fields.enumerated().map(missing).collect::<Result<_, String>>()?;
    let words: usize = count(json, "words")?;
    // A word without a field would carry nothing, so this bounds the size of a state by that of the header.
    if words == 0 || words > model.vars.len().max(1) {
        return Err(format!("{words} words are not a size of states with {} variables", model.vars.len()));
    }
    Ok(Layout { fields, words })
}

fn field(entry: &Value) -> Result<Field, String> {
    let lo = entry.get("lo").and_then(Value::as_i64).ok_or("there is no number `lo` that fits in the header")?;
    let field = Field { word: count(entry, "word")?, shift: count(entry, "shift")?, bits: count(entry, "bits")?, lo };
    let largest = match field.bits {
        64 if field.shift == 0 && lo == 0 => return Ok(field),
        bits if bits < 64 && field.shift <= 64 - bits => (1u64 << bits) - 1,
        _ => return Err("its bits do not lie within a word".to_owned()),
    };
    match lo.checked_add_unsigned(largest) {
        Some(_) => Ok(field),
        None => Err("its largest value does not fit 64 bits".to_owned()),
    }
}

/// For each word of a state the bits that belong to variables. Two variables must not share one.
fn used_bits(model: &Declarations, layout: &Layout) -> Result<Vec<u64>, String> {
    let mut used = vec![0u64; layout.words];
    for (id, field) in layout.fields.enumerated() {
        let name = &model.vars[id].name;
        let word = used.get_mut(field.word as usize).ok_or_else(|| format!("`{name}`: there is no such word"))?;
        let mask = match field.bits {
            0 => 0,
            bits => (u64::MAX >> (64 - bits)) << field.shift,
        };
        if *word & mask != 0 {
            return Err(format!("`{name}`: its bits belong to another variable too"));
        }
        *word |= mask;
    }
    Ok(used)
}

#[cfg(test)]
mod formula_tests;
#[cfg(test)]
mod net_tests;
#[cfg(test)]
mod tests;

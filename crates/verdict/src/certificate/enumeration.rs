//! All reachable states, listed: packed into words, which a file has as they are.

use std::io::{self, Read, Write};
use std::sync::Arc;

use lapidary_base::IdVec;
use lapidary_base::hash::Map;
use lapidary_ir::{Declarations, VarId};
use serde_json::{Value, json};

use super::{About, Certificate, Kind, Source};
use crate::certificate_file::{Unread, count, text, unreadable};

/// States are read and written in pieces of about so many words.
const PIECE: usize = 1 << 16;

/// A set of packed states, each there once, in chunks that each hold a whole number of states.
#[derive(Clone, Debug, Default)]
pub struct Enumeration {
    pub layout: Layout,
    pub chunks: Vec<Vec<u64>>,
    pub n_states: usize,
}

/// How states are packed into words. Bits that no field covers are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub fields: IdVec<VarId, Field>,
    /// At least one where states have no elements beside, so that they are never empty.
    pub words: usize,
}

/// Where a variable's number stands in a packed state: `(word >> shift) & mask(bits)`, plus `lo`.
/// No field crosses a word; a field of 64 bits fills its word and is the number itself, as two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub word: u32,
    pub shift: u32,
    /// 0 for a variable with one value only.
    pub bits: u32,
    /// The number that the bits 0...0 stand for; 0 for 64-bit fields.
    pub lo: i64,
}

impl Kind for Enumeration {
    fn word(&self) -> &'static str {
        "enumeration"
    }

    fn describe(&self, about: About<'_>, header: &mut Value) -> io::Result<()> {
        header["variables"] = variables(about.model, &self.layout);
        header["words"] = json!(self.layout.words);
        header["states"] = json!(self.n_states);
        Ok(())
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.chunks.iter().try_for_each(|chunk| write_words(chunk, out))
    }

    fn summary(&self, _: &Declarations, value: &mut Value) {
        value["states"] = json!(self.n_states);
    }

    fn because(&self, _: Option<u64>) -> String {
        match self.n_states {
            0 => "there is none".to_owned(),
            1 => "1 state was listed".to_owned(),
            n => format!("{n} states were listed"),
        }
    }

    fn is_empty(&self) -> Option<bool> {
        Some(self.n_states == 0)
    }
}

pub fn read(source: &mut Source<'_>) -> Result<Certificate, Unread> {
    Ok(Certificate::Enumeration(Arc::new(with_elements(source.model, source.json, 0, source.input)?)))
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

/// Rows of packed states, behind each of which stands so much more.
pub(super) fn with_elements(
    model: &Declarations,
    json: &Value,
    element_words: usize,
    input: &mut dyn Read,
) -> Result<Enumeration, String> {
    let layout = layout(model, json, element_words)?;
    let mut used = used_bits(model, &layout)?;
    used.resize(layout.words + element_words, u64::MAX);
    let row = used.len();
    let n_states: usize = count(json, "states")?;
    let per_chunk = (PIECE / row).max(1);
    let mut chunks = Vec::new();
    let mut n_read = 0;
    while n_read < n_states {
        let n = per_chunk.min(n_states - n_read);
        let chunk = read_words(n * row, input)?;
        if chunk.len() < n * row {
            let n_whole = n_read + chunk.len() / row;
            return Err(format!("the file ends after {n_whole} of {n_states} states"));
        }
        if let Some(i) = chunk.iter().zip(used.iter().cycle()).position(|(word, used)| word & !used != 0) {
            return Err(format!("state {} has bits that belong to no variable", n_read + i / row));
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
fn layout(model: &Declarations, json: &Value, element_words: usize) -> Result<Layout, String> {
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
    if words > model.vars.len().max(1) || words + element_words == 0 {
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

//! Sets of markings in a certificate file: the header lists the places, then comes a line for each marking or inequality.

use std::io::{BufRead, Read};

use lapidary_base::Id;
use lapidary_base::hash::Set;
use lapidary_ir::{Declarations, PlaceId, Tokens, VarId};
use serde_json::{Value, json};

use super::diagram::names;
use crate::certificate_file::unreadable;

/// No line is read beyond this; a line has at most one entry per place.
const MAX_LINE: u64 = 1 << 26;

/// How many tokens are meant by any number of them.
pub const ANY: &str = "w";

pub fn places(model: &Declarations) -> Value {
    model.vars.iter().map(|var| json!(var.name)).collect()
}

/// The places that the numbers of the lines stand for.
pub fn listed(model: &Declarations, json: &Value) -> Result<Vec<PlaceId>, String> {
    let listed = json.get("places").and_then(Value::as_array).ok_or("the header has no list `places`")?;
    let ids = names(model);
    let mut seen: Set<VarId> = Set::default();
    let place = |name: &Value| {
        let name = name.as_str().ok_or("`places` are not all names")?;
        let var = *ids.get(name).ok_or_else(|| format!("the model has no variable `{name}`"))?;
        if !seen.insert(var) {
            return Err(format!("the variable `{name}` is listed twice"));
        }
        Ok(PlaceId::new(var.index()))
    };
    listed.iter().map(place).collect()
}

/// `first` is the number of the first of these lines, for messages.
pub fn lines<T>(
    input: &mut dyn BufRead,
    first: usize,
    n_lines: usize,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let mut found = Vec::new();
    let mut line = String::new();
    while found.len() < n_lines {
        line.clear();
        input.take(MAX_LINE).read_line(&mut line).map_err(|error| unreadable(&error))?;
        let Some(line) = line.strip_suffix('\n') else {
            return Err(format!("the file ends, or a line does, after {} of {n_lines} lines", found.len()));
        };
        found.push(read(line).map_err(|why| format!("line {}: {why}", first + found.len()))?);
    }
    Ok(found)
}

/// `0:2 3:w`, ascending by place once the numbers are translated.
pub fn entries(line: &str, places: &[PlaceId]) -> Result<Vec<(PlaceId, Option<Tokens>)>, String> {
    let mut entries = Vec::new();
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        let (place, tokens) = entry(word).ok_or_else(|| format!("`{word}` is not a place with its tokens"))?;
        let place = *places.get(place).ok_or_else(|| format!("there is no place number {place}"))?;
        entries.push((place, tokens));
    }
    entries.sort_unstable_by_key(|&(place, _)| place);
    match entries.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        true => Err("a place is there twice".to_owned()),
        false => Ok(entries),
    }
}

fn entry(word: &str) -> Option<(usize, Option<Tokens>)> {
    let (place, tokens) = word.split_once(':')?;
    let tokens = if tokens == ANY { None } else { Some(tokens.parse().ok()?) };
    Some((place.parse().ok()?, tokens))
}

//! Sets of markings in a certificate file: the header lists the places, then comes a line for each marking or inequality.

use std::io::{self, BufRead, Read, Write};

use lapidary_base::Id;
use lapidary_base::hash::Set;
use lapidary_ir::{Declarations, PlaceId, Sparse, Tokens, VarId};
use serde_json::{Value, json};

use super::diagram_text::names;
use super::{count, unreadable};
use crate::certificate::{Basis, Ideals};

/// No line is read beyond this; a line has at most one entry per place.
const MAX_LINE: u64 = 1 << 26;

/// How many tokens are meant by any number of them.
const ANY: &str = "w";

pub fn describe_basis(model: &Declarations, basis: &Basis, header: &mut Value) {
    header["places"] = places(model);
    header["minimal"] = json!(basis.minimal.len());
    header["inequalities"] = json!(basis.inequalities.len());
}

pub fn describe_ideals(model: &Declarations, ideals: &Ideals, header: &mut Value) {
    header["places"] = places(model);
    header["ideals"] = json!(ideals.ideals.len());
}

fn places(model: &Declarations) -> Value {
    model.vars.iter().map(|var| json!(var.name)).collect()
}

pub fn write_basis(basis: &Basis, out: &mut dyn Write) -> io::Result<()> {
    for entries in basis.minimal.iter().chain(&basis.inequalities) {
        let words: Vec<String> = entries.iter().map(|(place, n)| format!("{}:{n}", place.0)).collect();
        writeln!(out, "{}", words.join(" "))?;
    }
    Ok(())
}

pub fn write_ideals(ideals: &Ideals, out: &mut dyn Write) -> io::Result<()> {
    for ideal in &ideals.ideals {
        let word = |(place, most): &(PlaceId, Option<Tokens>)| match most {
            Some(most) => format!("{}:{most}", place.0),
            None => format!("{}:{ANY}", place.0),
        };
        writeln!(out, "{}", ideal.iter().map(word).collect::<Vec<_>>().join(" "))?;
    }
    Ok(())
}

pub fn read_basis(model: &Declarations, json: &Value, input: &mut dyn BufRead) -> Result<Basis, String> {
    let places = listed(model, json)?;
    let read = |line: &str| sparse(&entries(line, &places)?);
    let minimal = lines(input, 2, count(json, "minimal")?, read)?;
    let inequalities = lines(input, 2 + minimal.len(), count(json, "inequalities")?, read)?;
    Ok(Basis { minimal, inequalities })
}

pub fn read_ideals(model: &Declarations, json: &Value, input: &mut dyn BufRead) -> Result<Ideals, String> {
    let places = listed(model, json)?;
    let ideals = lines(input, 2, count(json, "ideals")?, |line| entries(line, &places))?;
    Ok(Ideals { ideals })
}

/// The places that the numbers of the lines stand for.
fn listed(model: &Declarations, json: &Value) -> Result<Vec<PlaceId>, String> {
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
fn lines<T>(
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
fn entries(line: &str, places: &[PlaceId]) -> Result<Vec<(PlaceId, Option<Tokens>)>, String> {
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

fn sparse(entries: &[(PlaceId, Option<Tokens>)]) -> Result<Sparse, String> {
    let number = |&(place, tokens): &(PlaceId, Option<Tokens>)| Some((place, tokens?));
    entries.iter().map(number).collect::<Option<Sparse>>().ok_or_else(|| format!("`{ANY}` is not a number here"))
}

//! The stored blocks of a search with abstract matching. The header of a file lists variables and predicates, then comes a line for
//! each block.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;

use lapidary_base::Control;
use lapidary_base::hash::Set;
use lapidary_ir::model::Raw;
use lapidary_ir::{Declarations, VarId};
use serde_json::{Value, json};

use super::diagram::names;
use super::{About, Certificate, Kind, Source};
use crate::certificate_file::{Unread, boolean, count, unreadable};
use crate::formula::Formula;

/// No line is read beyond this; a block has at most one literal per predicate.
const MAX_LINE: u64 = 1 << 24;

/// Sets of states by values of some variables and truth values of predicates: together they contain the initial
/// states, no step leaves them, and none meets the target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// The variables that every block gives a value, in this order.
    pub control: Vec<VarId>,
    /// Over the model's variables; they have a value in every state.
    pub predicates: Vec<Formula>,
    pub blocks: Vec<Block>,
}

/// The states with these values of the control variables in which these predicates have these values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    pub control: Vec<Raw>,
    /// Numbers of predicates, ascending; predicates that are not here may have any value.
    pub literals: Vec<(u32, bool)>,
}

impl Kind for Blocks {
    fn word(&self) -> &'static str {
        "blocks"
    }

    fn describe(&self, about: About<'_>, header: &mut Value) -> io::Result<()> {
        describe(about.model, self, header);
        Ok(())
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write(self, out)
    }

    fn summary(&self, _: &Declarations, value: &mut Value) {
        value["blocks"] = json!(self.blocks.len());
        value["predicates"] = json!(self.predicates.len());
    }

    fn because(&self, _: Option<u64>) -> String {
        "no block that they are in has such a state".to_owned()
    }

    /// They may hold without any initial state, and show it only if there are none.
    fn is_empty(&self) -> Option<bool> {
        self.blocks.is_empty().then_some(true)
    }

    fn is_flat(&self) -> bool {
        true
    }
}

pub fn read(source: &mut Source<'_>) -> Result<Certificate, Unread> {
    Ok(Certificate::Blocks(Arc::new(blocks(source.model, source.json, source.input, source.control)?)))
}

fn describe(model: &Declarations, blocks: &Blocks, header: &mut Value) {
    let control: Vec<&str> = blocks.control.iter().map(|&var| model.vars[var].name.as_str()).collect();
    let predicates: Vec<String> = blocks.predicates.iter().map(|predicate| predicate.text(model)).collect();
    header["control"] = json!(control);
    header["predicates"] = json!(predicates);
    header["blocks"] = json!(blocks.blocks.len());
}

fn write(blocks: &Blocks, out: &mut dyn Write) -> io::Result<()> {
    for block in &blocks.blocks {
        let values = block.control.iter().map(i64::to_string);
        let literals = block.literals.iter().map(|(predicate, wanted)| format!("{predicate}:{wanted}"));
        writeln!(out, "{}", values.chain(literals).collect::<Vec<_>>().join(" "))?;
    }
    Ok(())
}

fn blocks(model: &Declarations, json: &Value, input: &mut dyn BufRead, limits: &Control) -> Result<Blocks, Unread> {
    let control = control(model, json)?;
    let predicates = predicates(model, json, limits)?;
    let n_blocks: usize = count(json, "blocks")?;
    let mut blocks = Vec::new();
    let mut line = String::new();
    while blocks.len() < n_blocks {
        line.clear();
        input.take(MAX_LINE).read_line(&mut line).map_err(|error| unreadable(&error))?;
        let Some(line) = line.strip_suffix('\n') else {
            return Err(format!("the file ends, or a line does, after {} of {n_blocks} blocks", blocks.len()).into());
        };
        let read = block(line, control.len(), predicates.len());
        blocks.push(read.map_err(|why| format!("block {}: {why}", blocks.len()))?);
    }
    Ok(Blocks { control, predicates, blocks })
}

fn control(model: &Declarations, json: &Value) -> Result<Vec<VarId>, String> {
    let listed = json.get("control").and_then(Value::as_array).ok_or("the header has no list `control`")?;
    let ids = names(model);
    let (mut control, mut seen) = (Vec::new(), Set::default());
    for name in listed {
        let name = name.as_str().ok_or("`control` are not all names")?;
        let var = *ids.get(name).ok_or_else(|| format!("the model has no variable `{name}`"))?;
        if !seen.insert(var) {
            return Err(format!("the variable `{name}` is listed twice"));
        }
        control.push(var);
    }
    Ok(control)
}

fn predicates(model: &Declarations, json: &Value, limits: &Control) -> Result<Vec<Formula>, Unread> {
    let listed = json.get("predicates").and_then(Value::as_array).ok_or("the header has no list `predicates`")?;
    let exprs = model.exprs.beside();
    let (model, mut predicates) = (&model.over(&exprs), Vec::new());
    for (number, text) in listed.iter().enumerate() {
        let text = text.as_str().ok_or("`predicates` are not all texts")?;
        let predicate = boolean(model, text, limits).map_err(|unread| match unread {
            Unread::Wrong(why) => Unread::Wrong(format!("predicate {number}: {why}")),
            Unread::Stopped(stop) => Unread::Stopped(stop),
        });
        predicates.push(Formula::own(&exprs, predicate?));
    }
    Ok(predicates)
}

/// `-1 2 0:true 3:false`: a value for each control variable, then predicates by rising number.
fn block(line: &str, n_control: usize, n_predicates: usize) -> Result<Block, String> {
    let mut words = line.split(' ').filter(|word| !word.is_empty());
    let mut control = Vec::new();
    for word in words.by_ref().take(n_control) {
        control.push(word.parse().map_err(|_| format!("`{word}` is not a value"))?);
    }
    if control.len() < n_control {
        return Err(format!("it has {} values for {n_control} variables", control.len()));
    }
    let mut literals: Vec<(u32, bool)> = Vec::new();
    for word in words {
        let (predicate, wanted) = literal(word).ok_or_else(|| format!("`{word}` is not a literal"))?;
        if predicate as usize >= n_predicates {
            return Err(format!("there is no predicate number {predicate}"));
        }
        if literals.last().is_some_and(|&(last, _)| last >= predicate) {
            return Err("its literals are not in rising order".to_owned());
        }
        literals.push((predicate, wanted));
    }
    Ok(Block { control, literals })
}

fn literal(word: &str) -> Option<(u32, bool)> {
    let (predicate, wanted) = word.split_once(':')?;
    Some((predicate.parse().ok()?, wanted.parse().ok()?))
}

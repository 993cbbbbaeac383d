//! LoLA: ordinary nets, and formulas.

use lapidary_ir::{Combination, Junction, Model, Net, Property};

use super::super::formula::linear::Linear;
use super::super::{formula, lola};
use super::condition::{Condition, Truth};
use super::plain::{Plain, plain};
use super::{Item, Question, Unwritable, items, question, unwritable};

/// The net as LoLA reads it.
pub fn lola(net: &Net) -> Result<String, Unwritable> {
    let Plain { places, transitions } = plain(net)?;
    if places.is_empty() {
        return unwritable("the net", "it has no places");
    }
    for name in places.iter().map(|(name, _)| name).chain(transitions.iter().map(|transition| &transition.name)) {
        let is_odd = !name.chars().all(lola::is_in_names) || name.contains("//") || name.contains("/*");
        if is_odd || name.is_empty() || lola::KEYWORDS.contains(&name.as_str()) {
            return unwritable(format!("`{name}`"), "LoLA has no such names");
        }
    }
    let names: Vec<&str> = places.iter().map(|(name, _)| name.as_str()).collect();
    let listed = |entries: Vec<(usize, u64)>| {
        let entries: Vec<String> =
            entries.iter().map(|&(place, tokens)| format!("{}: {tokens}", names[place])).collect();
        entries.join(", ")
    };
    let marked = places.iter().enumerate().filter(|(_, (_, tokens))| *tokens > 0);
    let marked = listed(marked.map(|(place, &(_, tokens))| (place, tokens)).collect());
    let mut text = format!("PLACE\n  {};\n\nMARKING\n  {marked};\n", names.join(",\n  "));
    for transition in transitions {
        let (take, put) = (listed(transition.take), listed(transition.put));
        text += &format!("\nTRANSITION {}\n  CONSUME {take};\n  PRODUCE {put};\n", transition.name);
    }
    Ok(text)
}

/// Every property with its name: LoLA has one formula per file.
pub fn formulas(net: &Net, model: &Model, combinations: &[Combination]) -> Result<Vec<(String, String)>, Unwritable> {
    let write = |item: Item<'_>| Ok((item.name.to_owned(), junction(net, model, &item.junction)?));
    items(model, combinations).into_iter().map(write).collect()
}

fn junction(net: &Net, model: &Model, whole: &Junction) -> Result<String, Unwritable> {
    let joined = |members: &[Junction], between: &str| {
        let member = |member: &Junction| Ok(format!("({})", junction(net, model, member)?));
        Ok(members.iter().map(member).collect::<Result<Vec<String>, Unwritable>>()?.join(between))
    };
    match whole {
        Junction::Part(property) => formula(net, model, &model.properties[*property]),
        Junction::All(members) => joined(members, " AND "),
        Junction::Any(members) => joined(members, " OR "),
    }
}

fn formula(net: &Net, model: &Model, property: &Property) -> Result<String, Unwritable> {
    let (path, condition) = match question(net, model, property)? {
        Question::Reach(condition) => ("EF", condition),
        Question::Always(condition) => ("AG", condition),
    };
    let mut text = String::new();
    let mut writer = Writer { net, text: &mut text };
    writer
        .condition(&condition, Within::Formula)
        .or_else(|why| unwritable(format!("property `{}`", property.name), why))?;
    Ok(format!("{path} ({text})"))
}

/// Where a condition stands, which decides about brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Formula,
    Operator,
}

struct Writer<'a> {
    net: &'a Net,
    text: &'a mut String,
}

impl Writer<'_> {
    fn condition(&mut self, condition: &Condition, within: Within) -> Result<(), String> {
        match condition {
            Condition::Constant(Truth::Yes) => *self.text += "TRUE",
            Condition::Constant(Truth::No) => *self.text += "FALSE",
            Condition::Deadlock => *self.text += "DEADLOCK",
            Condition::Not(inner) => {
                *self.text += "NOT (";
                self.condition(inner, Within::Formula)?;
                self.text.push(')');
            }
            Condition::All(parts) => self.joined(parts, " AND ", within)?,
            Condition::Any(parts) => self.joined(parts, " OR ", within)?,
            // A number alone stands on the right: `p >= 2` rather than `2 <= p`.
            Condition::AtMost(left, right) if left.terms.is_empty() => self.comparison(right, " >= ", left)?,
            Condition::Less(left, right) if left.terms.is_empty() => self.comparison(right, " > ", left)?,
            Condition::AtMost(left, right) => self.comparison(left, " <= ", right)?,
            Condition::Less(left, right) => self.comparison(left, " < ", right)?,
            Condition::Equal(left, right) => self.comparison(left, " = ", right)?,
        }
        Ok(())
    }

    fn joined(&mut self, parts: &[Condition], between: &str, within: Within) -> Result<(), String> {
        let (open, close) = if within == Within::Operator { ("(", ")") } else { ("", "") };
        *self.text += open;
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                *self.text += between;
            }
            self.condition(part, Within::Operator)?;
        }
        *self.text += close;
        Ok(())
    }

    fn comparison(&mut self, left: &Linear, relation: &str, right: &Linear) -> Result<(), String> {
        self.sum(left)?;
        *self.text += relation;
        self.sum(right)
    }

    fn sum(&mut self, sum: &Linear) -> Result<(), String> {
        let mut is_first = true;
        for &(place, times) in &sum.terms {
            let name = quoted(&self.net.places[place].name)?;
            let sign = match (is_first, times < 0) {
                (true, false) => "",
                (true, true) => "- ",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            is_first = false;
            *self.text += sign;
            *self.text += &if times.unsigned_abs() == 1 { name } else { format!("{} * {name}", times.unsigned_abs()) };
        }
        *self.text += &match (is_first, sum.constant) {
            (true, constant) if constant < 0 => format!("- {}", constant.unsigned_abs()),
            (true, constant) => constant.to_string(),
            (false, 0) => String::new(),
            (false, constant) if constant < 0 => format!(" - {}", constant.unsigned_abs()),
            (false, constant) => format!(" + {constant}"),
        };
        Ok(())
    }
}

/// A name, in quotes where it would be read as something else.
fn quoted(name: &str) -> Result<String, String> {
    let is_plain = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '[' | ']'))
    };
    if is_plain(name) && !formula::KEYWORDS.contains(&name) {
        return Ok(name.to_owned());
    }
    if name.contains(['"', '\n']) {
        return Err(format!("`{name}` cannot be quoted"));
    }
    Ok(format!("\"{name}\""))
}

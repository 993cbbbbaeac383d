//! How names stand in the textual form: common ones as they are, others quoted, those of several things by number.

use std::fmt::Write;

use lapidary_base::Id;
use lapidary_base::hash::Map;

use crate::model::{Declarations, FamilyId, VarId};
use crate::types::EnumId;

/// Words that are never names, because they stand where a name could.
pub const RESERVED: [&str; 18] = [
    "any", "assign", "assume", "bool", "choice", "div", "do", "else", "false", "fault", "if", "int", "mod", "scope",
    "skip", "then", "true", "while",
];

/// The length of the longest name at the start of the text that needs no quotes: a word, then any number of
/// `.word` and `[...]` with letters, digits, `_`, `,` and `-` between the brackets. Zero if there is none.
pub fn bare_len(text: &str) -> usize {
    let mut len = word_len(text);
    if len == 0 {
        return 0;
    }
    loop {
        let rest = &text[len..];
        let more = match rest.as_bytes().first() {
            Some(b'.') => word_len(&rest[1..]).checked_add(1).filter(|&n| n > 1),
            Some(b'[') => bracket_len(rest),
            Some(_) | None => None,
        };
        match more {
            Some(n) => len += n,
            None => return len,
        }
    }
}

fn word_len(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    text.bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || byte == b'_').count()
}

/// The length of `[...]` at the start of the text, if it is one that a name may contain.
fn bracket_len(text: &str) -> Option<usize> {
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b',' | b'-');
    let n_inner = text.bytes().skip(1).take_while(inner).count();
    (n_inner > 0 && text.as_bytes().get(n_inner + 1) == Some(&b']')).then_some(n_inner + 2)
}

/// A name as the textual form has it.
pub fn name(name: &str) -> String {
    let bare = !name.is_empty() && bare_len(name) == name.len() && !RESERVED.contains(&name);
    if bare { name.to_owned() } else { quoted(name) }
}

/// A text between double quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                write!(out, "\\u{{{:x}}}", u32::from(c)).expect("strings take all text");
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// How the variables, families and enumerations of a model are referred to: `#3` for what has no name of its own.
pub struct Names {
    vars: Vec<String>,
    families: Vec<String>,
    enums: Vec<String>,
}

impl Names {
    pub fn new(model: &Declarations) -> Self {
        Self {
            vars: references(model.vars.iter().map(|var| var.name.as_str())),
            families: references(model.families.iter().map(|family| family.name.as_str())),
            enums: references(model.enums.iter().map(|of| of.name.as_str())),
        }
    }

    pub fn var(&self, id: VarId) -> &str {
        &self.vars[id.index()]
    }

    pub fn family(&self, id: FamilyId) -> &str {
        &self.families[id.index()]
    }

    pub fn enumeration(&self, id: EnumId) -> &str {
        &self.enums[id.index()]
    }
}

fn references<'m>(names: impl Iterator<Item = &'m str> + Clone) -> Vec<String> {
    let mut uses: Map<&str, usize> = Map::default();
    for name in names.clone() {
        *uses.entry(name).or_insert(0) += 1;
    }
    let reference =
        |(i, text): (usize, &str)| if !text.is_empty() && uses[text] == 1 { name(text) } else { format!("#{i}") };
    names.enumerate().map(reference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_names_stay_as_they_are_and_others_are_quoted() {
        for plain in ["x", "P[0].pc", "flag[_]", "move[1,-2]", "a_1.b.c[x][y]", "peterson.gcl", "G", "var"] {
            assert_eq!(name(plain), plain);
        }
        for odd in ["", "if", "1x", "x.", "x[]", "x[0", "a b", "é", "x[a b]", ".x", "x-y"] {
            assert_eq!(name(odd), format!("\"{odd}\""));
        }
        assert_eq!(quoted("a\"b\\\n\u{1}é"), "\"a\\\"b\\\\\\n\\u{1}é\"");
    }

    #[test]
    fn names_of_several_things_are_replaced_by_numbers() {
        assert_eq!(references(["a", "", "b c", "a"].into_iter()), ["#0", "#1", "\"b c\"", "#3"]);
    }
}

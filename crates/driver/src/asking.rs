//! The words of `-p`, the same in every language: `deadlock_free`, `invariant e`, `reach e`, `ltl f`, or a formula alone.

use lapidary_frontends::asked::Wording;
use lapidary_ir::Property;

const DEADLOCK_FREE: &str = "deadlock_free";
const WORDS: [(&str, Wording); 3] =
    [("invariant", Wording::Invariant), ("reach", Wording::Reach), ("ltl", Wording::Ltl)];

/// What is asked, and the formula without the word that says so.
pub fn read(text: &str) -> (Wording, &str) {
    let text = text.trim();
    if text == DEADLOCK_FREE {
        return (Wording::DeadlockFree, text);
    }
    let worded = WORDS.iter().find_map(|&(word, wording)| {
        let rest = text.strip_prefix(word)?;
        let formula = match rest.trim_start().strip_prefix(':') {
            // AltaRica's `:=` is no colon, but nobody compares with it either.
            Some(formula) => formula,
            None if rest.starts_with(char::is_whitespace) && begins_formula(rest.trim_start()) => rest,
            None => return None,
        };
        Some((wording, formula.trim())).filter(|(_, formula)| !formula.is_empty())
    });
    worded.unwrap_or((Wording::Plain, text))
}

/// Variables and places may have these names, too: an operator behind the word makes it one of them.
fn begins_formula(rest: &str) -> bool {
    const OPERATORS: [&str; 7] = ["and", "or", "imply", "mod", "div", "AND", "OR"];
    let first_word = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    if !first_word.is_empty() {
        return !OPERATORS.contains(&first_word);
    }
    let mut characters = rest.chars();
    let (first, second) = (characters.next(), characters.next());
    match first {
        Some('(' | '"' | '\'' | '~' | '{') => true,
        Some('!') => second != Some('='),
        // As in `reach -x < 3`, but not in `reach - x < 3`.
        Some('-') => second.is_some_and(|second| !second.is_whitespace() && second != '>'),
        Some('[') => second == Some(']'),
        Some('<') => second == Some('>'),
        Some(_) | None => false,
    }
}

/// The formula of a property that was typed, with the word that it needs to be read in the same way again.
pub fn written(property: &Property) -> String {
    let word = match read(&property.name).0 {
        Wording::DeadlockFree => return DEADLOCK_FREE.to_owned(),
        Wording::Plain => return property.text.clone(),
        Wording::Invariant => "invariant",
        Wording::Reach => "reach",
        Wording::Ltl => "ltl",
    };
    format!("{word} {}", property.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_with_or_without_a_colon_says_what_is_asked() {
        let told = [
            ("x < 3", (Wording::Plain, "x < 3")),
            (" deadlock_free ", (Wording::DeadlockFree, "deadlock_free")),
            ("deadlock_free & x", (Wording::Plain, "deadlock_free & x")),
            ("reach x = 3", (Wording::Reach, "x = 3")),
            ("reach R = 3", (Wording::Reach, "R = 3")),
            ("reach: x = 3", (Wording::Reach, "x = 3")),
            ("reach :x = 3", (Wording::Reach, "x = 3")),
            ("reach (x = 3)", (Wording::Reach, "(x = 3)")),
            ("reach -x = 3", (Wording::Reach, "-x = 3")),
            ("reach !x", (Wording::Reach, "!x")),
            ("reach\n not x", (Wording::Reach, "not x")),
            ("invariant x", (Wording::Invariant, "x")),
            ("invariant 3 < x", (Wording::Invariant, "3 < x")),
            ("ltl G F x", (Wording::Ltl, "G F x")),
            ("ltl []<> x", (Wording::Ltl, "[]<> x")),
        ];
        for (text, expected) in told {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_variable_may_be_called_like_a_word() {
        for text in ["reach", "reach = 3", "reach - 1 < 3", "reach != 3", "reach -> x", "reach and x", "reach[1] = 2"] {
            assert_eq!(read(text), (Wording::Plain, text));
        }
        for text in ["reached x", "reach.x = 1", "ltl >= 1", "invariant: ", "reach_x = 3"] {
            assert_eq!(read(text), (Wording::Plain, text.trim()));
        }
    }
}

//! Puts white space and comments between tokens.

use crate::dice::Dice;

/// How tokens are spaced, decided once per text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// One space between most tokens, a line per declaration.
    Tidy,
    /// Nothing where nothing is needed.
    Dense,
    /// Anything goes.
    Wild,
}

/// Joins tokens to a text that has just these tokens.
pub(crate) fn join(tokens: &[String], dice: &mut Dice) -> String {
    let manner = match dice.below(4) {
        0 => Manner::Dense,
        1 => Manner::Wild,
        _ => Manner::Tidy,
    };
    let mut text = String::new();
    if dice.percent(30) {
        text.push_str(&line_comment(dice));
    }
    for (at, token) in tokens.iter().enumerate() {
        if at > 0 {
            text.push_str(&gap(&tokens[at - 1], token, manner, dice));
        }
        text.push_str(token);
    }
    match dice.below(4) {
        0 => {}
        // The last line need not end.
        1 => text.push_str("// the end"),
        _ => text.push('\n'),
    }
    text
}

fn gap(before: &str, after: &str, manner: Manner, dice: &mut Dice) -> String {
    let rarely = match manner {
        Manner::Tidy | Manner::Dense => 1,
        Manner::Wild => 6,
    };
    if dice.percent(rarely) {
        return if dice.percent(50) { line_comment(dice) } else { block_comment(dice) };
    }
    let least = if would_merge(before, after) { " " } else { "" };
    match manner {
        Manner::Dense => least.to_owned(),
        Manner::Tidy if before == ";" || (before == "}" && !matches!(after, ";" | "[" | "=")) => "\n".to_owned(),
        Manner::Tidy if is_tight(before, after) => least.to_owned(),
        Manner::Tidy => " ".to_owned(),
        Manner::Wild => match dice.below(6) {
            0 | 1 => least.to_owned(),
            2 => "\n".to_owned(),
            3 => "\t".to_owned(),
            4 => "  \r\n ".to_owned(),
            _ => " ".to_owned(),
        },
    }
}

fn is_tight(before: &str, after: &str) -> bool {
    matches!(before, "(" | "[" | "." | ".." | "!") || matches!(after, ")" | "]" | "[" | "." | ".." | ";" | "," | ":")
}

/// Whether two tokens without a gap would read as other tokens.
fn would_merge(before: &str, after: &str) -> bool {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if before.ends_with(is_word) && after.starts_with(is_word) {
        return true;
    }
    let is_sign = |letter: char| "<=>!-:./|&*".contains(letter);
    if !(before.ends_with(is_sign) && after.starts_with(is_sign)) {
        return false;
    }
    // A minus sign and a negation never continue another token of the language.
    !matches!(after, "-" | "!")
}

const REMARKS: [&str; 8] =
    ["", " a remark", " x := 1; }", " \"quoted", " é → ∀ 🙂", " * / **", " -> ;", " invariant no: false;"];

pub(crate) fn line_comment(dice: &mut Dice) -> String {
    let remark = dice.pick(&REMARKS);
    // The opening of a block comment means nothing in a line comment.
    let opening = if dice.percent(20) { "/*" } else { "" };
    let ending = if dice.percent(20) { "\r\n" } else { "\n" };
    format!(" //{opening}{remark}{ending}")
}

pub(crate) fn block_comment(dice: &mut Dice) -> String {
    let remark = dice.pick(&REMARKS);
    match dice.below(3) {
        0 => format!("/*{remark}*/"),
        1 => format!(" /*{remark}\n//{remark} */ "),
        _ => format!("/***{remark}***/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_would_merge_are_kept_apart() {
        assert!(would_merge("if", "x"));
        assert!(would_merge("mod", "2"));
        assert!(would_merge("-", ">"));
        assert!(!would_merge("-", "-"));
        assert!(!would_merge("0", ".."));
        assert!(!would_merge("..", "-"));
        assert!(!would_merge("<", "-"));
        assert!(!would_merge("x", "("));
    }
}

//! Puts white space and comments between tokens of `.cfa` and `.xsts`.

use crate::dice::Dice;
use crate::spacing::{block_comment, line_comment};

/// Stands between tokens where a tidy text begins a line.
pub(crate) const BREAK: &str = "\n";

/// How tokens are spaced, decided once per text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// One space between most tokens, lines where people begin them.
    Tidy,
    /// Nothing where nothing is needed.
    Dense,
    /// Anything goes.
    Wild,
}

/// Joins tokens to a text that has just these tokens.
pub(crate) fn join(tokens: &[String], dice: &mut Dice) -> String {
    let manner = dice.pick(&[Manner::Tidy, Manner::Tidy, Manner::Dense, Manner::Wild]);
    let mut text = if dice.percent(20) { line_comment(dice) } else { String::new() };
    let mut before = "";
    let mut is_broken = false;
    for token in tokens {
        if token == BREAK {
            is_broken = true;
            continue;
        }
        if !before.is_empty() {
            text.push_str(&gap(before, token, manner, is_broken.then_some(BREAK), dice));
        }
        text.push_str(token);
        (before, is_broken) = (token, false);
    }
    match dice.below(4) {
        0 => {}
        // The last line need not end.
        1 => text.push_str("// the end"),
        _ => text.push('\n'),
    }
    text
}

/// As tidy as it gets: for transcripts and tables.
pub(crate) fn tidy(tokens: &[String]) -> String {
    let mut text = String::new();
    let mut before = BREAK;
    for token in tokens {
        if token != BREAK && before != BREAK && !is_tight(before, token) {
            text.push(' ');
        }
        text.push_str(token);
        before = token;
    }
    text
}

fn gap(before: &str, after: &str, manner: Manner, line: Option<&str>, dice: &mut Dice) -> String {
    let rarely = match manner {
        Manner::Tidy | Manner::Dense => 1,
        Manner::Wild => 5,
    };
    if dice.percent(rarely) {
        let comment = if dice.percent(50) { line_comment(dice) } else { block_comment(dice) };
        // A division sign and a comment would begin a line comment.
        return if before.ends_with('/') { format!(" {comment}") } else { comment };
    }
    let least = if would_merge(before, after) { " " } else { "" };
    match (manner, line) {
        (Manner::Dense, _) => least.to_owned(),
        (Manner::Tidy, Some(line)) => line.to_owned(),
        (Manner::Tidy, None) if is_tight(before, after) => least.to_owned(),
        (Manner::Tidy, None) => " ".to_owned(),
        (Manner::Wild, _) => match dice.below(6) {
            0 | 1 => least.to_owned(),
            2 => "\n".to_owned(),
            3 => "\t".to_owned(),
            4 => "  \r\n ".to_owned(),
            _ => " ".to_owned(),
        },
    }
}

fn is_tight(before: &str, after: &str) -> bool {
    matches!(before, "(" | "[" | "!") || matches!(after, ")" | "]" | ";" | ",")
}

/// Whether two tokens without a gap would read as other tokens. `x < -1` is the worst: `<-` is an arrow.
fn would_merge(before: &str, after: &str) -> bool {
    const PAIRS: [&str; 15] =
        ["->", "<-", "<=", ">=", "/=", ":=", "++", "//", "/*", "*/", "=>", "==", "!=", "&&", "||"];
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_$.'".contains(letter);
    let (Some(last), Some(first)) = (before.chars().last(), after.chars().next()) else { return false };
    is_word(last) && is_word(first) || PAIRS.contains(&format!("{last}{first}").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_would_merge_are_kept_apart() {
        for (before, after) in [("<", "-"), ("+", "+"), ("x", "a.b"), ("4'd1", "bvadd"), ("/", "=="), ("!", "==")] {
            assert!(would_merge(before, after), "{before} {after}");
        }
        for (before, after) in [("-", "-"), (":=", "-"), ("x", "["), ("(", "x"), ("!", "(")] {
            assert!(!would_merge(before, after), "{before} {after}");
        }
    }

    #[test]
    fn a_tidy_text_has_the_lines_that_it_was_given() {
        let tokens = ["x", ":=", "a", "[", "0", "]", ";", BREAK, "{", BREAK, "}"].map(str::to_owned);
        assert_eq!(tidy(&tokens), "x := a [0];\n{\n}");
    }
}

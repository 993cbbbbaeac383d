//! Where statements of a script begin and end, without understanding them.

use lapidary_text::{SourceId, Span, lexing};

use super::commands::COMMANDS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `:name words`, to the end of the line or a comment.
    Command,
    /// A relation, a block of them, a domain.
    Definition,
    /// `with N do ... done`
    Acheck,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    pub kind: Kind,
    pub span: Span,
    /// Whether its end was there: a definition ends with `;`, a block with `end`, Acheck with `done`.
    pub is_complete: bool,
}

/// The statements of a text, in order.
pub fn statements(text: &str, source: SourceId) -> Vec<Statement> {
    let mut scanner = Scanner { text, at: 0 };
    let mut statements = Vec::new();
    while let Some((kind, start, end, is_complete)) = scanner.statement() {
        let offset = |at: usize| u32::try_from(at).expect("sources are shorter than 4 GiB");
        statements.push(Statement { kind, span: Span::new(source, offset(start), offset(end)), is_complete });
    }
    statements
}

/// Whether the last statement of a text has its end, so that a shell need not wait for more lines.
pub fn is_complete(text: &str) -> bool {
    let mut scanner = Scanner { text, at: 0 };
    let mut complete = true;
    while let Some((_, _, _, is_complete)) = scanner.statement() {
        complete = is_complete;
    }
    complete && !scanner.in_comment()
}

/// What the text ends within, and where that begins; nothing after the end of a statement.
pub fn last_statement(text: &str) -> Option<(Kind, usize)> {
    let mut scanner = Scanner { text, at: 0 };
    let mut last = None;
    while let Some((kind, start, _, is_complete)) = scanner.statement() {
        last = match kind {
            // A command ends with its line, and goes on until then.
            Kind::Command => (!text[start..].contains('\n')).then_some((kind, start)),
            Kind::Definition | Kind::Acheck => (!is_complete).then_some((kind, start)),
        };
    }
    last
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

enum Piece<'a> {
    Word(&'a str),
    Mark(char),
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += lexing::line_len(trimmed);
            } else if trimmed.starts_with("/*") {
                match lexing::comment_len(trimmed, "/*", "*/") {
                    Some(len) => self.at += len,
                    None => return,
                }
            } else {
                return;
            }
        }
    }

    /// Blanks were skipped as far as possible: what is left is a comment without an end.
    fn in_comment(&mut self) -> bool {
        self.skip_blanks();
        self.rest().starts_with("/*")
    }

    fn piece(&mut self) -> Option<Piece<'a>> {
        self.skip_blanks();
        let rest = self.rest();
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if is_word(first) {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            self.at += end;
            return Some(Piece::Word(&rest[..end]));
        }
        // A quoted name may contain anything; names may also end with a quote, which then comes after a word.
        let quoted = matches!(first, '\'' | '"').then(|| rest[1..].find(first)).flatten();
        let after_word = self.text[..self.at].chars().next_back().is_some_and(is_word);
        match quoted {
            Some(end) if !after_word && !rest[..=end].contains('\n') => self.at += end + 2,
            _ => self.at += first.len_utf8(),
        }
        Some(Piece::Mark(first))
    }

    fn statement(&mut self) -> Option<(Kind, usize, usize, bool)> {
        let (start, word) = loop {
            self.skip_blanks();
            let start = self.at;
            let first = self.rest().chars().next()?;
            if first == ':' {
                let end = self.command_end();
                self.at = end;
                return Some((Kind::Command, start, end, true));
            }
            match self.piece()? {
                Piece::Word(word) => break (start, word),
                Piece::Mark(';') => {}
                Piece::Mark(_) => break (start, ""),
            }
        };
        let (kind, last) = match word {
            "with" => (Kind::Acheck, Some("done")),
            "begin" => (Kind::Definition, Some("end")),
            _ => (Kind::Definition, None),
        };
        let (end, is_complete) = self.definition_end(last);
        Some((kind, start, end, is_complete))
    }

    /// Up to the closing word, or up to a semicolon outside of structures; a command on a line of its own ends what is
    /// unfinished.
    fn definition_end(&mut self, last: Option<&str>) -> (usize, bool) {
        let mut in_structure = 0usize;
        loop {
            let before = self.at;
            self.skip_blanks();
            if self.at_command() {
                return (self.text[..before].trim_end().len(), false);
            }
            match self.piece() {
                None => return (self.text.len().max(before), false),
                Some(Piece::Word(word)) if Some(word) == last => {
                    return (self.at, true);
                }
                Some(Piece::Word(word)) if word.eq_ignore_ascii_case("struct") => in_structure += 1,
                Some(Piece::Word(word)) if word.eq_ignore_ascii_case("tcurts") => {
                    in_structure = in_structure.saturating_sub(1);
                }
                Some(Piece::Mark(';')) if last.is_none() && in_structure == 0 => return (self.at, true),
                Some(Piece::Word(_) | Piece::Mark(_)) => {}
            }
        }
    }

    /// Whether a line begins here with a known command.
    fn at_command(&self) -> bool {
        let Some(rest) = self.rest().strip_prefix(':') else { return false };
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len());
        // Only the blanks before it are looked at: a line may be very long.
        let before = self.text[..self.at].trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
        let begins_line = before.is_empty() || before.ends_with('\n');
        begins_line && COMMANDS.iter().any(|command| command.name == &rest[..end])
    }

    fn command_end(&self) -> usize {
        let line = self.rest().split('\n').next().unwrap_or("");
        // A comment begins after a blank: paths contain slashes too.
        let comment = line.match_indices("//").find(|(at, _)| line[..*at].ends_with([' ', '\t']));
        let end = comment.map_or(line.len(), |(at, _)| at);
        self.at + line[..end].trim_end().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str, bool)> {
        let source = lapidary_text::Sources::default().add("t", text);
        let cut = |one: Statement| {
            let range = one.span.start as usize..one.span.end as usize;
            (one.kind, &text[range], one.is_complete)
        };
        statements(text, source).into_iter().map(cut).collect()
    }

    #[test]
    fn commands_end_with_their_line_or_a_comment() {
        assert_eq!(
            kinds(":ar-load ./a//b.alt // Load\n:quit"),
            [(Kind::Command, ":ar-load ./a//b.alt", true), (Kind::Command, ":quit", true)]
        );
    }

    #[test]
    fn definitions_end_with_a_semicolon_and_blocks_with_their_word() {
        let text = "R(x : struct f : bool; tcurts) := true; // c\nbegin A() += B(); B() += A(); end\nwith N do s := 'a;b'; done";
        let found = kinds(text);
        assert_eq!(
            found.iter().map(|one| one.0).collect::<Vec<_>>(),
            [Kind::Definition, Kind::Definition, Kind::Acheck]
        );
        assert!(found.iter().all(|one| one.2), "{found:?}");
        assert!(found[1].1.starts_with("begin") && found[1].1.ends_with("end"));
    }

    #[test]
    fn an_unfinished_definition_ends_before_the_next_command() {
        let found = kinds("R(x) := true &\n:rel-list\nS := true;");
        assert_eq!(found[0], (Kind::Definition, "R(x) := true &", false));
        assert_eq!(found[1], (Kind::Command, ":rel-list", true));
        assert_eq!(found[2], (Kind::Definition, "S := true;", true));
    }

    #[test]
    fn a_long_line_is_cut_in_linear_time() {
        let text = format!("R(x : bool) := {}x{};{}", "(".repeat(100_000), ")".repeat(100_000), ";".repeat(100_000));
        assert_eq!(kinds(&text).len(), 1);
        assert!(is_complete(&text));
    }

    #[test]
    fn a_shell_waits_for_the_end_of_what_was_begun() {
        for (text, complete) in [
            ("", true),
            (":help", true),
            ("R(x) :=", false),
            ("R(x) := true;", true),
            ("begin R(x) += true;", false),
            ("with N do", false),
            ("with N do done", true),
            ("/* a", false),
            ("// a", true),
            ("/*/ x", false),
        ] {
            assert_eq!(is_complete(text), complete, "{text:?}");
        }
    }
}

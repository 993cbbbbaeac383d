//! From lexemes to what the parser sees: names without quotes, directives of tools in one piece, troubles reported.

use lapidary_base::hash::Set;
use lapidary_text::{Diagnostic, Log, Sources, Span, lexing};

use super::super::codes;
use super::super::lexer::{self, Kind};
use super::super::preprocess::Tokens;

/// The tokens that directives leave, as the parser sees them.
pub fn settled(sources: &Sources, found: &Tokens, log: &mut Log) -> Tokens {
    let mut settler = Settler { sources, log, bad_words: Set::default(), tokens: Tokens::default() };
    let mut next = 0;
    while next < found.list.len() {
        settler.token(found, next);
        next += 1;
        if found.list[next - 1].kind == Kind::Extern {
            next = settler.directives(found, next);
        }
    }
    settler.report_strange();
    settler.tokens
}

struct Settler<'a, 'l> {
    sources: &'a Sources,
    log: &'l mut Log,
    /// Words that are no names: each is reported once.
    bad_words: Set<&'a str>,
    tokens: Tokens,
}

impl<'a> Settler<'a, '_> {
    fn slice(&self, text: Span) -> &'a str {
        self.sources.text(text)
    }

    /// The directives behind `extern`: each up to its semicolon, all of them up to the next section. There
    /// `<event e>` is a way to name an event, not a section.
    fn directives(&mut self, found: &Tokens, first: usize) -> usize {
        let mut next = first;
        let mut start = None;
        while let Some(token) = found.list.get(next) {
            let is_named = next > first && found.list[next - 1].kind == Kind::Lt;
            if lexer::ends_section(token.kind) && !is_named {
                break;
            }
            if token.kind == Kind::Semicolon {
                self.directive(found, start.take(), next);
                self.token(found, next);
            } else {
                if token.kind == Kind::OpenQuote {
                    self.log.push(open_quote(token.span, self.slice(found.texts[next])));
                }
                start = start.or(Some(next));
            }
            next += 1;
        }
        self.directive(found, start, next);
        next
    }

    fn directive(&mut self, found: &Tokens, start: Option<usize>, end: usize) {
        let Some(start) = start else { return };
        let span = found.list[start].span.to(found.list[end - 1].span);
        self.tokens.push(Kind::Directive, span, span);
    }

    fn token(&mut self, found: &Tokens, index: usize) {
        let (token, text) = (found.list[index], found.texts[index]);
        let (span, written) = (token.span, self.slice(text));
        match token.kind {
            Kind::Quoted => {
                if text.end - text.start <= 2 {
                    self.log.push(empty_name(span));
                }
                self.tokens.push(Kind::Name, span, Span::new(text.source, text.start + 1, text.end - 1));
            }
            Kind::OpenQuote => {
                self.log.push(open_quote(span, written));
                self.tokens.push(Kind::Name, span, Span::new(text.source, text.start + 1, text.end));
            }
            Kind::DigitFirst | Kind::ForeignWord => {
                if self.bad_words.insert(written) {
                    self.log.push(bad_word(span, written, token.kind));
                }
                self.tokens.push(Kind::Name, span, text);
            }
            Kind::Foreign => {
                let (kind, own) = meant(written);
                let message = format!("`{written}` is not an operator of AltaRica");
                let diagnostic = Diagnostic::error(codes::FOREIGN_OPERATOR, message, span, format!("write {own}"));
                self.log.push(diagnostic.with_help(
                    "the operators are `=` `!=` `<` `<=` `>` `>=` `and` `or` `not` `=>` `+` `-` `*` `/` `mod`",
                ));
                self.tokens.push(kind, span, text);
            }
            Kind::Strange | Kind::Hash => self.strange(span, text),
            kind => self.tokens.push(kind, span, text),
        }
    }

    /// Neighbouring strange characters are one mistake.
    fn strange(&mut self, span: Span, text: Span) {
        let follows = |last: &Span, next: Span| last.source == next.source && last.end == next.start;
        match (self.tokens.list.last_mut(), self.tokens.texts.last_mut()) {
            (Some(last), Some(written))
                if last.kind == Kind::Strange && follows(&last.span, span) && follows(written, text) =>
            {
                (last.span.end, written.end) = (span.end, text.end);
            }
            _ => self.tokens.push(Kind::Strange, span, text),
        }
    }

    fn report_strange(&mut self) {
        for (token, &text) in self.tokens.list.iter().zip(&self.tokens.texts) {
            if token.kind == Kind::Strange {
                let diagnostic = lexing::strange(codes::CHARACTER, token.span, self.slice(text));
                self.log.push(diagnostic.with_help("names with other characters stand in quotes: 'a name'"));
            }
        }
    }
}

fn meant(operator: &str) -> (Kind, &'static str) {
    match operator {
        "==" | "<=>" | "<->" => (Kind::Eq, "`=`"),
        "&&" => (Kind::And, "`and` or `&`"),
        "||" => (Kind::Or, "`or` or `|`"),
        "!" => (Kind::Not, "`not` or `~`"),
        "%" => (Kind::Mod, "`mod`"),
        _ => (Kind::Ne, "`!=`"),
    }
}

fn empty_name(span: Span) -> Diagnostic {
    Diagnostic::error(codes::QUOTE, "this name is empty", span, "nothing stands between the quotes")
        .with_help("a name has at least one character")
}

fn open_quote(span: Span, written: &str) -> Diagnostic {
    let quote = written.get(..1).unwrap_or("'");
    let place = Span::new(span.source, span.start, span.start + 1);
    Diagnostic::error(codes::QUOTE, "this quoted name is not closed", place, "no second quote on this line")
        .with_help(format!("close it with `{quote}`; a name stays on one line"))
}

fn bad_word(span: Span, written: &str, kind: Kind) -> Diagnostic {
    let (code, label) = match kind == Kind::DigitFirst {
        true => (codes::DIGIT_FIRST, "names start with a letter or `_`"),
        false => (codes::CHARACTER, "names have the letters A to Z, digits, `_`, `^` and `'` only"),
    };
    let shown = lexing::beginning(written, lexing::MAX_WRITTEN);
    let help = format!("choose another name, or write it in quotes: '{shown}'");
    lexing::no_name(code, span, written, label).with_help(help)
}

#[cfg(test)]
mod tests {
    use super::super::super::library::Alone;
    use super::super::super::preprocess::Preprocessor;
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<&'static str>) {
        let (mut sources, mut log) = (Sources::default(), Log::default());
        let part = Span::new(sources.add("m.alt", text), 0, u32::MAX);
        let raw = Preprocessor::new(&mut Alone(&sources), &mut log).tokens(part);
        let found = settled(&sources, &raw, &mut log);
        let words = found.texts.iter().map(|&span| sources.text(span).to_owned());
        (words.collect(), log.finish(codes::TOO_MANY).list.iter().map(|diagnostic| diagnostic.code).collect())
    }

    #[test]
    fn directives_of_tools_are_whole_and_may_say_anything() {
        let text = "extern law <event e> = exponential(1e-4); p @ 'x' == \n; event a; Extern q edon";
        let (words, codes) = read(text);
        let expected = [
            "extern",
            "law <event e> = exponential(1e-4)",
            ";",
            "p @ 'x' ==",
            ";",
            "event",
            "a",
            ";",
            "Extern",
            "q",
            "edon",
        ];
        assert_eq!((words.iter().map(|word| word.trim()).collect(), codes), (expected.to_vec(), vec![]));
    }

    #[test]
    fn trouble_is_reported_and_the_rest_is_read() {
        let (_, found) = read("a == 3x && b \u{e9} '' $$ $ /* c");
        let expected = [
            codes::FOREIGN_OPERATOR,
            codes::DIGIT_FIRST,
            codes::FOREIGN_OPERATOR,
            codes::CHARACTER,
            codes::QUOTE,
            codes::CHARACTER,
            codes::CHARACTER,
            codes::OPEN_COMMENT,
        ];
        assert_eq!(found, expected);
    }
}

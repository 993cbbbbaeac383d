//! Lines that start with `#`, as far as the C preprocessor is used for models: macros without parameters, and
//! conditions on whether a macro is defined. What comes from a macro has its place where the macro is used.

use std::rc::Rc;

use lapidary_base::hash::Map;
use lapidary_text::{Diagnostic, SourceId, Span, Token};

use super::codes;
use super::lexer::{self, Kind, Lexeme};
use super::limits::{MAX_EXPANDED, MAX_MACRO_DEPTH};
use crate::log::Log;

/// Tokens, and for each of them the bytes that it was written with: for those of macros these are elsewhere.
#[derive(Default)]
pub struct Tokens {
    pub list: Vec<Token<Kind>>,
    pub texts: Vec<(u32, u32)>,
}

impl Tokens {
    pub fn push(&mut self, kind: Kind, span: Span, text: (u32, u32)) {
        self.list.push(Token { kind, span });
        self.texts.push(text);
    }
}

/// One `#ifdef` whose `#endif` is still to come.
struct Condition {
    place: Span,
    /// Whether the lines from here to the next directive of this condition are read.
    is_read: bool,
    /// Whether the other branch is to be read, if there is one.
    reads_other: bool,
    has_else: bool,
}

struct Preprocessor<'a, 'l> {
    text: &'a str,
    source: SourceId,
    log: &'l mut Log,
    macros: Map<&'a str, Rc<[Lexeme]>>,
    conditions: Vec<Condition>,
    tokens: Tokens,
    n_expanded: usize,
}

/// Follows the directives among the lexemes of a text.
pub fn tokens(text: &str, source: SourceId, lexemes: &[Lexeme], log: &mut Log) -> Tokens {
    let mut preprocessor = Preprocessor {
        text,
        source,
        log,
        macros: Map::default(),
        conditions: Vec::new(),
        tokens: Tokens::default(),
        n_expanded: 0,
    };
    for line in lexemes.split(|lexeme| lexeme.kind == Kind::Newline) {
        preprocessor.line(line);
    }
    preprocessor.finish()
}

impl<'a> Preprocessor<'a, '_> {
    fn line(&mut self, line: &[Lexeme]) {
        match line {
            [hash, rest @ ..] if hash.kind == Kind::Hash => self.directive(*hash, rest),
            _ if self.is_reading() => line.iter().for_each(|&lexeme| self.lexeme(lexeme)),
            _ => {}
        }
    }

    fn is_reading(&self) -> bool {
        // A condition inside of lines that are not read is not read either, so the last one decides.
        self.conditions.last().is_none_or(|condition| condition.is_read)
    }

    fn finish(self) -> Tokens {
        for condition in &self.conditions {
            let message = "this condition is not closed";
            let diagnostic = Diagnostic::error(codes::CONDITIONAL, message, condition.place, "it has no `#endif`");
            self.log.push(diagnostic.with_help("put a line `#endif` where it ends"));
        }
        self.tokens
    }

    fn slice(&self, lexeme: Lexeme) -> &'a str {
        self.text.get(lexeme.start as usize..lexeme.end as usize).unwrap_or("")
    }

    fn lexeme(&mut self, lexeme: Lexeme) {
        let span = lexeme.span(self.source);
        match self.macro_of(lexeme) {
            Some(body) => self.expand(lexeme, body),
            None => self.tokens.push(lexeme.kind, span, (lexeme.start, lexeme.end)),
        }
    }

    fn macro_of(&self, lexeme: Lexeme) -> Option<Rc<[Lexeme]>> {
        if self.macros.is_empty() || !lexer::is_word(lexeme.kind, self.slice(lexeme)) {
            return None;
        }
        self.macros.get(self.slice(lexeme)).cloned()
    }

    /// Puts in the text of a macro, and that of the macros in it; inside of itself a macro is just a name.
    fn expand(&mut self, used: Lexeme, body: Rc<[Lexeme]>) {
        let place = used.span(self.source);
        let mut open: Vec<(&'a str, Rc<[Lexeme]>, usize)> = vec![(self.slice(used), body, 0)];
        while let Some((_, body, next)) = open.last_mut() {
            let Some(&lexeme) = body.get(*next) else {
                open.pop();
                continue;
            };
            *next += 1;
            self.n_expanded += 1;
            if self.n_expanded > MAX_EXPANDED || open.len() > MAX_MACRO_DEPTH {
                self.log.push(self.too_much(place, open.len()));
                return;
            }
            let word = self.slice(lexeme);
            match self.macro_of(lexeme).filter(|_| open.iter().all(|(name, _, _)| *name != word)) {
                Some(body) => open.push((word, body, 0)),
                None => self.tokens.push(lexeme.kind, place, (lexeme.start, lexeme.end)),
            }
        }
    }

    fn too_much(&self, place: Span, depth: usize) -> Diagnostic {
        if depth > MAX_MACRO_DEPTH {
            let message = format!("macros are nested more than {MAX_MACRO_DEPTH} levels deep");
            return Diagnostic::error(codes::TOO_DEEP, message, place, "while putting in this one")
                .with_help("let macros use each other less");
        }
        let message = format!("macros give more than {MAX_EXPANDED} words");
        Diagnostic::error(codes::TOO_LONG, message, place, "no room is left for this one")
            .with_help("let macros be shorter, or use them less")
    }

    fn directive(&mut self, hash: Lexeme, line: &[Lexeme]) {
        let Some((&name, rest)) = line.split_first() else { return };
        let place = hash.span(self.source).to(name.span(self.source));
        let word = self.slice(name);
        match word {
            "ifdef" | "ifndef" | "if" => self.open_condition(place, word, rest),
            "else" => self.turn(place),
            "elif" => {
                self.unknown(place, word);
                self.turn(place);
            }
            "endif" => {
                if self.conditions.pop().is_none() {
                    self.unopened(place);
                }
            }
            _ if !self.is_reading() => {}
            "define" => self.define(place, rest),
            "undef" => {
                if let Some(name) = self.macro_name(place, rest) {
                    self.macros.remove(name);
                }
            }
            "include" => self.include(place, rest),
            // The preprocessor itself leaves such lines behind, to say where the others come from.
            _ if name.kind == Kind::Number => {}
            _ => self.unknown(place, word),
        }
    }

    fn open_condition(&mut self, place: Span, word: &str, rest: &[Lexeme]) {
        let is_reading = self.is_reading();
        let holds = match word {
            // Not understood, so the first branch is as good as any.
            "if" => {
                if is_reading {
                    self.unknown(place, word);
                }
                true
            }
            _ if !is_reading => true,
            _ => {
                let name = self.macro_name(place, rest);
                name.is_none_or(|name| self.macros.contains_key(name) == (word == "ifdef"))
            }
        };
        self.conditions.push(Condition {
            place,
            is_read: is_reading && holds,
            reads_other: is_reading && !holds,
            has_else: false,
        });
    }

    /// `#else`
    fn turn(&mut self, place: Span) {
        let Some(condition) = self.conditions.last_mut() else { return self.unopened(place) };
        if std::mem::replace(&mut condition.has_else, true) {
            let message = "this condition has an `#else` already";
            let diagnostic = Diagnostic::error(codes::CONDITIONAL, message, place, "a second one");
            let diagnostic = diagnostic.with_label(condition.place, "the condition starts here");
            self.log.push(diagnostic.with_help("close inner conditions with `#endif`"));
            return;
        }
        condition.is_read = condition.reads_other;
    }

    fn unopened(&mut self, place: Span) {
        let message = "no condition is open here";
        let diagnostic = Diagnostic::error(codes::CONDITIONAL, message, place, "this belongs to no `#ifdef`");
        self.log.push(diagnostic.with_help("conditions start with `#ifdef NAME` or `#ifndef NAME`"));
    }

    /// The name that a directive is about.
    fn macro_name(&mut self, place: Span, rest: &[Lexeme]) -> Option<&'a str> {
        let name = rest.first().filter(|lexeme| lexer::is_word(lexeme.kind, self.slice(**lexeme)));
        if name.is_none() {
            let diagnostic =
                Diagnostic::error(codes::MACRO, "the name of a macro is missing", place, "of which macro?");
            self.log.push(diagnostic.with_help("write the name behind it, on the same line"));
        }
        name.map(|name| self.slice(*name))
    }

    fn define(&mut self, place: Span, rest: &[Lexeme]) {
        let Some(name) = self.macro_name(place, rest) else { return };
        if let [word, open, ..] = rest
            && open.kind == Kind::LeftParen
            && open.start == word.end
        {
            let place = word.span(self.source).to(open.span(self.source));
            let message = format!("the macro `{name}` has parameters");
            let diagnostic = Diagnostic::error(codes::MACRO, message, place, "a parenthesis directly behind the name");
            self.log.push(diagnostic.with_help("macros stand for fixed text: `#define NAME text`"));
            return;
        }
        self.macros.insert(name, rest[1..].into());
    }

    fn include(&mut self, place: Span, rest: &[Lexeme]) {
        let end = rest.last().map_or(place, |last| last.span(self.source));
        let diagnostic = Diagnostic::error(codes::INCLUDE, "other files are not included", place.to(end), "not read");
        self.log.push(diagnostic.with_help("put the text of that file here, or run the C preprocessor first"));
    }

    fn unknown(&mut self, place: Span, word: &str) {
        let shown: String = word.chars().take(40).collect();
        let message = format!("`#{shown}` is not understood");
        let diagnostic = Diagnostic::error(codes::DIRECTIVE, message, place, "not followed");
        self.log.push(diagnostic.with_help(
            "there are `#define`, `#undef`, `#ifdef`, `#ifndef`, `#else` and `#endif`; run the C preprocessor first for more",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that are left, and the codes of what was reported.
    fn read(text: &str) -> (String, Vec<&'static str>) {
        let mut log = Log::default();
        let lexemes = lexer::lexemes(text, 0, SourceId(0), &mut log);
        let tokens = tokens(text, SourceId(0), &lexemes, &mut log);
        let words: Vec<&str> = tokens.texts.iter().map(|&(start, end)| &text[start as usize..end as usize]).collect();
        (words.join(" "), log.finish(codes::TOO_MANY).list.iter().map(|diagnostic| diagnostic.code).collect())
    }

    #[test]
    fn macros_are_put_in_and_can_be_forgotten() {
        assert_eq!(read("#define N 3 // three\n#define M N + N\nM 'N'\n#undef N\nM").0, "3 + 3 'N' N + N");
        assert_eq!(read("#define A B A\n#define B A B\nA").0, "A B A");
        assert_eq!(read(" # define LONG a \\\n  b\nLONG c").0, "a b c");
        assert_eq!(read("a # define"), ("a # define".to_owned(), vec![]));
    }

    #[test]
    fn what_comes_from_a_macro_has_its_place_where_it_is_used() {
        let text = "#define N 1 + 2\nx = N;";
        let lexemes = lexer::lexemes(text, 0, SourceId(0), &mut Log::default());
        let tokens = tokens(text, SourceId(0), &lexemes, &mut Log::default());
        let places: Vec<(u32, u32)> = tokens.list.iter().map(|token| (token.span.start, token.span.end)).collect();
        assert_eq!(places, [(16, 17), (18, 19), (20, 21), (20, 21), (20, 21), (21, 22)]);
    }

    #[test]
    fn branches_are_read_as_their_conditions_say() {
        let text = "#ifdef X\na\n#ifdef Y\nb\n#else\nc\n#endif\n#else\nd\n#endif\ne";
        assert_eq!(read(text), ("d e".to_owned(), vec![]));
        assert_eq!(read(&format!("#define X\n{text}")).0, "a c e");
        assert_eq!(read("#ifndef X\na 'b\n#else\n #foo don't\n#endif"), ("a 'b".to_owned(), vec![]));
        assert_eq!(read("#if 0\na\n#elif 1\nb\n#endif"), ("a".to_owned(), vec![codes::DIRECTIVE; 2]));
    }

    #[test]
    fn conditions_that_do_not_fit_are_reported() {
        assert_eq!(read("#else\n#endif\n#ifdef X\n#else\n#else\n").1, [codes::CONDITIONAL; 4]);
        assert_eq!(read("#ifdef\n#define 3\n#undef\n#endif\n#define F(x) x").1, [codes::MACRO; 4]);
        assert_eq!(read("#include <x.h>\n#pragma once\n# 3 \"m.alt\"\n#").1, [codes::INCLUDE, codes::DIRECTIVE]);
    }

    #[test]
    fn macros_do_not_grow_without_bounds() {
        let doubling: String = (0..60).map(|i| format!("#define m{i} m{} m{}\n", i + 1, i + 1)).collect();
        assert_eq!(read(&format!("{doubling}\nm0 m0")).1, [codes::TOO_LONG; 2]);
        let chain: String = (0..3000).map(|i| format!("#define m{i} m{}\n", i + 1)).collect();
        assert_eq!(read(&format!("{chain}\nm0")).1, [codes::TOO_DEEP]);
    }
}

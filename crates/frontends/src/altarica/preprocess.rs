//! Lines that start with `#`, as far as the C preprocessor is used for models: macros without parameters, conditions on
//! whether a macro is defined, and other files. What comes from a macro has its place where the macro is used.

mod include;

use std::rc::Rc;

use lapidary_base::hash::Map;
use lapidary_text::{Diagnostic, Log, SourceId, Span, Token};

use super::codes;
use super::lexer::{self, Kind};
use super::library::Library;
use super::limits::{MAX_EXPANDED, MAX_MACRO_DEPTH, MAX_TEXT};

use include::Inclusions;

/// Tokens, and for each of them the bytes that it was written with: for those of macros these are elsewhere.
#[derive(Default)]
pub struct Tokens {
    pub list: Vec<Token<Kind>>,
    pub texts: Vec<Span>,
}

impl Tokens {
    pub fn push(&mut self, kind: Kind, span: Span, text: Span) {
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

#[derive(Clone)]
struct Macro {
    name: Rc<str>,
    body: Rc<[Token<Kind>]>,
}

/// Follows the directives of texts, one text after the other: what one defines, those behind it know.
pub struct Preprocessor<'a> {
    library: &'a mut dyn Library,
    log: &'a mut Log,
    /// The text that is being read.
    source: SourceId,
    macros: Map<String, Macro>,
    /// Those of the text that is being read are the ones from `n_outer` on.
    conditions: Vec<Condition>,
    n_outer: usize,
    inclusions: Inclusions,
    tokens: Tokens,
    n_expanded: usize,
}

impl<'a> Preprocessor<'a> {
    pub fn new(library: &'a mut dyn Library, log: &'a mut Log) -> Self {
        Self {
            library,
            log,
            source: SourceId(0),
            macros: Map::default(),
            conditions: Vec::new(),
            n_outer: 0,
            inclusions: Inclusions::default(),
            tokens: Tokens::default(),
            n_expanded: 0,
        }
    }

    /// The tokens of a part of a text, with those of what it includes.
    pub fn tokens(&mut self, part: Span) -> Tokens {
        if self.inclusions.is_done(part.source) {
            return Tokens::default();
        }
        let source = self.library.sources().get(part.source);
        let (start, end) = (source.floor_boundary(part.start), source.floor_boundary(part.end));
        if end.saturating_sub(start) as usize > MAX_TEXT {
            let message = format!("the text is longer than {} MiB", MAX_TEXT >> 20);
            let place = Span::new(part.source, start, start);
            let diagnostic = Diagnostic::error(codes::TOO_LONG, message, place, "none of it was read");
            self.log.push(diagnostic.with_help("use arrays of nodes instead of many nodes"));
            return Tokens::default();
        }
        self.source = part.source;
        self.text(part);
        std::mem::take(&mut self.tokens)
    }

    /// Where each text that was included is so for the first time. None if there was too much of it to go on.
    pub fn finish(self) -> Option<Map<SourceId, Span>> {
        self.inclusions.finish()
    }

    fn text(&mut self, part: Span) {
        let source = self.library.sources().get(part.source);
        let end = source.floor_boundary(part.end) as usize;
        let start = (source.floor_boundary(part.start) as usize).min(end);
        let lexemes = lexer::lexemes(source.text.get(..end).unwrap_or(""), start, part.source, self.log);
        let n_outer = std::mem::replace(&mut self.n_outer, self.conditions.len());
        for line in lexemes.split(|lexeme| lexeme.kind == Kind::Newline) {
            if !self.log.goes_on() {
                break;
            }
            self.line(line);
        }
        self.close();
        self.n_outer = n_outer;
    }
}

impl Preprocessor<'_> {
    fn line(&mut self, line: &[Token<Kind>]) {
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

    /// Conditions end in the text in which they begin.
    fn close(&mut self) {
        for condition in self.conditions.drain(self.n_outer..) {
            let message = "this condition is not closed";
            let diagnostic = Diagnostic::error(codes::CONDITIONAL, message, condition.place, "it has no `#endif`");
            self.log.push(diagnostic.with_help("put a line `#endif` where it ends"));
        }
    }

    fn slice(&self, span: Span) -> &str {
        let text = &self.library.sources().get(span.source).text;
        text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// A lexeme as it was written.
    fn word(&self, lexeme: Token<Kind>) -> &str {
        self.slice(lexeme.span)
    }

    fn lexeme(&mut self, lexeme: Token<Kind>) {
        let span = lexeme.span;
        match self.macro_of(lexeme.kind, span) {
            Some(found) => self.expand(span, found),
            None => self.tokens.push(lexeme.kind, span, span),
        }
    }

    fn macro_of(&self, kind: Kind, span: Span) -> Option<Macro> {
        if self.macros.is_empty() || !lexer::is_word(kind, self.slice(span)) {
            return None;
        }
        self.macros.get(self.slice(span)).cloned()
    }

    /// Puts in the text of a macro, and that of the macros in it; inside of itself a macro is just a name.
    fn expand(&mut self, place: Span, used: Macro) {
        let mut open: Vec<(Macro, usize)> = vec![(used, 0)];
        while let Some((found, next)) = open.last_mut() {
            let Some(&lexeme) = found.body.get(*next) else {
                open.pop();
                continue;
            };
            let written = lexeme.span;
            *next += 1;
            self.n_expanded += 1;
            if self.n_expanded > MAX_EXPANDED || open.len() > MAX_MACRO_DEPTH {
                self.log.push(self.too_much(place, open.len()));
                return;
            }
            let inner = self.macro_of(lexeme.kind, written);
            match inner.filter(|inner| open.iter().all(|(outer, _)| outer.name != inner.name)) {
                Some(inner) => open.push((inner, 0)),
                None => self.tokens.push(lexeme.kind, place, written),
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

    fn directive(&mut self, hash: Token<Kind>, line: &[Token<Kind>]) {
        let Some((&name, rest)) = line.split_first() else { return };
        let place = hash.span.to(name.span);
        let word = self.word(name).to_owned();
        match word.as_str() {
            "ifdef" | "ifndef" | "if" => self.open_condition(place, &word, rest),
            "else" => self.turn(place),
            "elif" => {
                self.unknown(place, &word);
                self.turn(place);
            }
            "endif" => {
                if self.conditions.len() > self.n_outer {
                    self.conditions.pop();
                } else {
                    self.unopened(place);
                }
            }
            _ if !self.is_reading() => {}
            "define" => self.define(place, rest),
            "undef" => {
                if let Some(name) = self.macro_name(place, rest) {
                    self.macros.remove(&name);
                }
            }
            "include" => self.include(place, rest),
            "pragma" if rest.first().is_some_and(|what| self.word(*what) == "once") => self.once(),
            // The preprocessor itself leaves such lines behind, to say where the others come from.
            _ if name.kind == Kind::Number => {}
            _ => self.unknown(place, &word),
        }
    }

    fn open_condition(&mut self, place: Span, word: &str, rest: &[Token<Kind>]) {
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
                name.is_none_or(|name| self.macros.contains_key(&name) == (word == "ifdef"))
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
        let Some(condition) = self.conditions.get_mut(self.n_outer..).and_then(|own| own.last_mut()) else {
            return self.unopened(place);
        };
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
    fn macro_name(&mut self, place: Span, rest: &[Token<Kind>]) -> Option<String> {
        let name = rest.first().filter(|lexeme| lexer::is_word(lexeme.kind, self.word(**lexeme)));
        let name = name.map(|name| self.word(*name).to_owned());
        if name.is_none() {
            let diagnostic =
                Diagnostic::error(codes::MACRO, "the name of a macro is missing", place, "of which macro?");
            self.log.push(diagnostic.with_help("write the name behind it, on the same line"));
        }
        name
    }

    fn define(&mut self, place: Span, rest: &[Token<Kind>]) {
        let Some(name) = self.macro_name(place, rest) else { return };
        if let [word, open, ..] = rest
            && open.kind == Kind::LeftParen
            && open.span.start == word.span.end
        {
            let place = word.span.to(open.span);
            let message = format!("the macro `{name}` has parameters");
            let diagnostic = Diagnostic::error(codes::MACRO, message, place, "a parenthesis directly behind the name");
            self.log.push(diagnostic.with_help("macros stand for fixed text: `#define NAME text`"));
            return;
        }
        let found = Macro { name: name.as_str().into(), body: rest[1..].into() };
        self.macros.insert(name, found);
    }

    fn unknown(&mut self, place: Span, word: &str) {
        let shown: String = word.chars().take(40).collect();
        let message = format!("`#{shown}` is not understood");
        let diagnostic = Diagnostic::error(codes::DIRECTIVE, message, place, "not followed");
        self.log.push(diagnostic.with_help(
            "there are `#include`, `#define`, `#undef`, `#ifdef`, `#ifndef`, `#else` and `#endif`; run the C preprocessor first for more",
        ));
    }
}

#[cfg(test)]
mod tests {
    use lapidary_text::Sources;

    use super::super::library::Alone;
    use super::*;

    /// The words that are left, and the codes of what was reported.
    fn read(text: &str) -> (String, Vec<&'static str>) {
        let (mut sources, mut log) = (Sources::default(), Log::default());
        let source = sources.add("m.alt", text);
        let tokens = tokens(&sources, source, &mut log);
        let words: Vec<&str> = tokens.texts.iter().map(|&span| sources.text(span)).collect();
        (words.join(" "), log.finish(codes::TOO_MANY).list.iter().map(|diagnostic| diagnostic.code).collect())
    }

    fn tokens(sources: &Sources, source: SourceId, log: &mut Log) -> Tokens {
        Preprocessor::new(&mut Alone(sources), log).tokens(Span::new(source, 0, u32::MAX))
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
        let mut sources = Sources::default();
        let source = sources.add("m.alt", text);
        let tokens = tokens(&sources, source, &mut Log::default());
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
        assert_eq!(read("#include <x.h>\n#pragma pack\n# 3 \"m.alt\"\n#").1, [codes::INCLUDE, codes::DIRECTIVE]);
    }

    #[test]
    fn macros_do_not_grow_without_bounds() {
        let doubling: String = (0..60).map(|i| format!("#define m{i} m{} m{}\n", i + 1, i + 1)).collect();
        assert_eq!(read(&format!("{doubling}\nm0 m0")).1, [codes::TOO_LONG; 2]);
        let chain: String = (0..3000).map(|i| format!("#define m{i} m{}\n", i + 1)).collect();
        assert_eq!(read(&format!("{chain}\nm0")).1, [codes::TOO_DEEP]);
    }
}

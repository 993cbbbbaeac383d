//! A token stream with the moves that every hand-written descent parser needs.

use crate::source::{SourceId, Span};

/// One token and the bytes it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<K> {
    pub kind: K,
    pub span: Span,
}

/// Walks over a list of tokens. Past the end it keeps returning `None`, with an empty span at the end of the text.
pub struct Cursor<K> {
    tokens: Vec<Token<K>>,
    position: usize,
    end: Span,
}

impl<K: Copy + PartialEq> Cursor<K> {
    pub fn new(tokens: Vec<Token<K>>, source: SourceId, text_len: usize) -> Self {
        let end = u32::try_from(text_len).expect("sources are shorter than 4 GiB");
        Self { tokens, position: 0, end: Span::new(source, end, end) }
    }

    pub fn peek(&self) -> Option<K> {
        self.peek_at(0)
    }

    pub fn peek_at(&self, ahead: usize) -> Option<K> {
        self.tokens.get(self.position + ahead).map(|token| token.kind)
    }

    /// The span of the next token.
    pub fn span(&self) -> Span {
        self.span_at(0)
    }

    /// The span of a token further on.
    pub fn span_at(&self, ahead: usize) -> Span {
        self.tokens.get(self.position + ahead).map_or(self.end, |token| token.span)
    }

    /// The span of the token before, or the start of the text.
    pub fn previous_span(&self) -> Span {
        match self.position.checked_sub(1).and_then(|i| self.tokens.get(i)) {
            Some(token) => token.span,
            None => Span::new(self.end.source, 0, 0),
        }
    }

    /// The empty place behind the token before.
    pub fn behind(&self) -> Span {
        let end = self.previous_span();
        Span::new(end.source, end.end, end.end)
    }

    #[expect(clippy::should_implement_trait, reason = "a cursor is peeked into; it is not an iterator")]
    pub fn next(&mut self) -> Option<Token<K>> {
        let token = self.tokens.get(self.position).copied()?;
        self.position += 1;
        Some(token)
    }

    pub fn at(&self, kind: K) -> bool {
        self.peek() == Some(kind)
    }

    /// Consumes the next token if it is of this kind.
    pub fn eat(&mut self, kind: K) -> Option<Span> {
        if self.at(kind) { self.next().map(|token| token.span) } else { None }
    }

    /// Reads the next token as another kind: whoever recovers knows what was meant.
    pub fn read_as(&mut self, kind: K) {
        if let Some(token) = self.tokens.get_mut(self.position) {
            token.kind = kind;
        }
    }

    /// The same for all tokens of one kind that are still to come and stand between such neighbours.
    pub fn read_all_as(&mut self, from: K, to: K, is_meant: impl Fn(Option<K>, Option<K>) -> bool) {
        for i in self.position..self.tokens.len() {
            let before = i.checked_sub(1).map(|i| self.tokens[i].kind);
            if self.tokens[i].kind == from && is_meant(before, self.tokens.get(i + 1).map(|token| token.kind)) {
                self.tokens[i].kind = to;
            }
        }
    }

    pub fn at_end(&self) -> bool {
        self.position >= self.tokens.len()
    }

    /// How many tokens were consumed: lets a recovering parser see whether it made progress.
    pub fn position(&self) -> usize {
        self.position
    }
}

//! What parsers by recursive descent have in common: they go only so deep, walk over tokens, and end what cannot be read.

use crate::{Cursor, Span};

/// What was being read could not be; the reason is in the log.
#[derive(Debug)]
pub struct Failed;

pub type Parsed<T> = Result<T, Failed>;

pub trait Nesting: Sized {
    /// Why something was not read: [`Failed`], or the diagnostic itself.
    type Error;

    /// Levels of what the text may nest; the stack has room for them.
    const MAX_NESTING: usize;

    /// How many levels are open.
    fn nesting(&mut self) -> &mut usize;

    /// Complains that the next token is one level too deep.
    fn too_deep(&mut self) -> Self::Error;

    /// One level deeper, unless that is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Self::Error>) -> Result<T, Self::Error> {
        if *self.nesting() >= Self::MAX_NESTING {
            return Err(self.too_deep());
        }
        *self.nesting() += 1;
        let parsed = parse(self);
        *self.nesting() -= 1;
        parsed
    }
}

pub trait Descent: Nesting {
    type Kind: Copy + PartialEq;

    fn cursor(&mut self) -> &mut Cursor<Self::Kind>;

    /// Complains that something else was expected than the next token.
    fn unexpected(&mut self, expected: &str) -> Self::Error;

    /// The next token, which messages name like this.
    fn expect(&mut self, kind: Self::Kind, name: &str) -> Result<Span, Self::Error> {
        match self.cursor().eat(kind) {
            Some(span) => Ok(span),
            None => Err(self.unexpected(name)),
        }
    }

    /// At least one, with commas between them.
    fn several<T>(
        &mut self,
        comma: Self::Kind,
        mut parse: impl FnMut(&mut Self) -> Result<T, Self::Error>,
    ) -> Result<Vec<T>, Self::Error> {
        let mut several = vec![parse(self)?];
        while self.cursor().eat(comma).is_some() {
            several.push(parse(self)?);
        }
        Ok(several)
    }
}

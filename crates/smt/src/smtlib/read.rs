//! Reads s-expressions piece by piece, as a process writes them. What is kept is bounded in depth and in size, so that
//! no text whatsoever exhausts the stack or the memory.

use std::collections::VecDeque;
use std::fmt;
use std::mem;

/// Answers nest about four deep, but for arrays: of what is stored in them, each nests one deeper.
const MAX_DEPTH: usize = 1000;
/// What a node counts for beyond its own text.
const NODE_SIZE: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sexp {
    /// A symbol (without the bars of a quoted one), keyword or number.
    Atom(String),
    /// The contents of a string literal.
    Text(String),
    List(Vec<Sexp>),
}

impl Sexp {
    pub fn is(&self, atom: &str) -> bool {
        self.atom() == Some(atom)
    }

    pub fn atom(&self) -> Option<&str> {
        match self {
            Self::Atom(atom) => Some(atom),
            Self::Text(_) | Self::List(_) => None,
        }
    }

    pub fn list(&self) -> Option<&[Sexp]> {
        match self {
            Self::List(parts) => Some(parts),
            Self::Atom(_) | Self::Text(_) => None,
        }
    }
}

/// Recursion is bounded, because the depth of what is read is.
impl fmt::Display for Sexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atom(atom) => f.write_str(atom),
            Self::Text(text) => write!(f, "\"{}\"", text.replace('"', "\"\"")),
            Self::List(parts) => {
                f.write_str("(")?;
                for (at, part) in parts.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { " " })?;
                    write!(f, "{part}")?;
                }
                f.write_str(")")
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Between,
    Atom,
    Text,
    /// Behind a quote in a string literal: its end, or the first of two that stand for one.
    TextQuote,
    Quoted,
    Comment,
}

pub struct Reader {
    mode: Mode,
    token: Vec<u8>,
    /// The lists that are open, the innermost last.
    open: Vec<Vec<Sexp>>,
    ready: VecDeque<Sexp>,
    size: usize,
    max_size: usize,
}

impl Reader {
    /// Between two calls of [`renew`](Self::renew), no more than about `max_size` bytes are read.
    pub fn new(max_size: usize) -> Self {
        Self { mode: Mode::Between, token: Vec::new(), open: Vec::new(), ready: VecDeque::new(), size: 0, max_size }
    }

    /// What was read so far no longer counts.
    pub fn renew(&mut self) {
        self.size = 0;
    }

    /// The next expression that is complete.
    pub fn take(&mut self) -> Option<Sexp> {
        self.ready.pop_front()
    }

    /// Is there anything but blanks and comments that was not taken?
    pub fn is_idle(&self) -> bool {
        let between = matches!(self.mode, Mode::Between | Mode::Comment);
        between && self.open.is_empty() && self.ready.is_empty()
    }

    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), String> {
        bytes.iter().try_for_each(|&byte| self.byte(byte))
    }

    /// There is nothing more to come.
    pub fn finish(&mut self) -> Result<(), String> {
        match self.mode {
            Mode::Text | Mode::Quoted => return Err("an unfinished string or symbol".to_owned()),
            Mode::Atom | Mode::TextQuote | Mode::Comment | Mode::Between => self.byte(b'\n')?,
        }
        match self.open.is_empty() {
            true => Ok(()),
            false => Err("an unfinished list".to_owned()),
        }
    }

    fn byte(&mut self, byte: u8) -> Result<(), String> {
        self.grow(1)?;
        match (self.mode, byte) {
            (Mode::Comment, b'\n') => self.mode = Mode::Between,
            (Mode::Comment, _) => {}
            (Mode::Quoted, b'|') => self.end(Sexp::Atom)?,
            (Mode::Text, b'"') => self.mode = Mode::TextQuote,
            (Mode::TextQuote, b'"') => {
                self.token.push(byte);
                self.mode = Mode::Text;
            }
            (Mode::TextQuote, _) => {
                self.end(Sexp::Text)?;
                self.begin(byte)?;
            }
            (Mode::Atom, b'(' | b')' | b';' | b'"' | b'|') => {
                self.end(Sexp::Atom)?;
                self.begin(byte)?;
            }
            (Mode::Atom, _) if byte.is_ascii_whitespace() => self.end(Sexp::Atom)?,
            (Mode::Atom | Mode::Text | Mode::Quoted, _) => self.token.push(byte),
            (Mode::Between, _) => self.begin(byte)?,
        }
        Ok(())
    }

    /// A byte that belongs to no token yet.
    fn begin(&mut self, byte: u8) -> Result<(), String> {
        match byte {
            b'(' if self.open.len() == MAX_DEPTH => return Err("lists that nest too deeply".to_owned()),
            b'(' => self.open.push(Vec::new()),
            b')' => {
                let list = self.open.pop().ok_or("a closing parenthesis without an opening one")?;
                self.add(Sexp::List(list))?;
            }
            b';' => self.mode = Mode::Comment,
            b'"' => self.mode = Mode::Text,
            b'|' => self.mode = Mode::Quoted,
            _ if byte.is_ascii_whitespace() => {}
            _ => {
                self.token.push(byte);
                self.mode = Mode::Atom;
            }
        }
        Ok(())
    }

    fn end(&mut self, make: fn(String) -> Sexp) -> Result<(), String> {
        self.mode = Mode::Between;
        let token = mem::take(&mut self.token);
        self.add(make(String::from_utf8_lossy(&token).into_owned()))
    }

    fn add(&mut self, sexp: Sexp) -> Result<(), String> {
        self.grow(NODE_SIZE)?;
        match self.open.last_mut() {
            Some(list) => list.push(sexp),
            None => self.ready.push_back(sexp),
        }
        Ok(())
    }

    fn grow(&mut self, by: usize) -> Result<(), String> {
        self.size += by;
        match self.size <= self.max_size {
            true => Ok(()),
            false => Err(format!("more than {} bytes", self.max_size)),
        }
    }
}

/// All expressions of a text.
pub fn read(text: &str) -> Result<Vec<Sexp>, String> {
    let mut reader = Reader::new(usize::MAX / 2);
    reader.feed(text.as_bytes())?;
    reader.finish()?;
    Ok(reader.ready.into())
}

#[cfg(test)]
mod tests {
    use lapidary_reference::dice::Dice;

    use super::*;

    fn shown(text: &str) -> Vec<String> {
        read(text).expect("well formed").iter().map(Sexp::to_string).collect()
    }

    #[test]
    fn atoms_lists_strings_and_comments() {
        assert_eq!(shown("sat"), ["sat"]);
        assert_eq!(shown("; hello (\n((v0 (- 5))\n (v1 true)) ; x"), ["((v0 (- 5)) (v1 true))"]);
        assert_eq!(read("\"a \"\"b\"\" (\""), Ok(vec![Sexp::Text("a \"b\" (".to_owned())]));
        assert_eq!(read("|a b;|"), Ok(vec![Sexp::Atom("a b;".to_owned())]));
        assert_eq!(shown("a\"b\"c()|d|e"), ["a", "\"b\"", "c", "()", "d", "e"]);
        assert_eq!(shown(" \n\t"), Vec::<String>::new());
    }

    #[test]
    fn pieces_may_end_anywhere() {
        let text = "success ((v0 (- 5)) \"q\"\"r\" |s t|) ; z\nunsat\n";
        for at in 0..=text.len() {
            let mut reader = Reader::new(10_000);
            reader.feed(&text.as_bytes()[..at]).expect("well formed");
            reader.feed(&text.as_bytes()[at..]).expect("well formed");
            let found: Vec<String> = std::iter::from_fn(|| reader.take()).map(|sexp| sexp.to_string()).collect();
            assert_eq!(found, ["success", "((v0 (- 5)) \"q\"\"r\" s t)", "unsat"]);
            assert!(reader.is_idle());
        }
    }

    #[test]
    fn garbage_is_an_error_or_atoms() {
        for text in [")", "(", "(a", "\"a", "|a", "a)", "((a)"] {
            assert!(read(text).is_err(), "{text}");
        }
        let mut reader = Reader::new(10_000);
        assert_eq!(reader.feed(b"\xff\x00\xfe "), Ok(()));
        assert!(matches!(reader.take(), Some(Sexp::Atom(_))));
    }

    #[test]
    fn depth_and_size_are_bounded() {
        assert!(read(&"(".repeat(10_000_000)).is_err());
        let mut reader = Reader::new(1000);
        assert!((0..1000).map(|_| reader.feed(b"((),")).any(|fed| fed.is_err()));
        let mut reader = Reader::new(1000);
        for _ in 0..1000 {
            assert_eq!(reader.feed(b"success\n"), Ok(()));
            assert!(reader.take().is_some_and(|sexp| sexp.is("success")));
            reader.renew();
        }
        assert!((0..1001).map(|_| reader.feed(b"\n")).any(|fed| fed.is_err()));
    }

    #[test]
    fn random_bytes_never_panic() {
        let alphabet = b"()|\";\\ \nav0-\xc3\x28";
        let mut dice = Dice::new(1);
        for _ in 0..2000 {
            let mut reader = Reader::new(500);
            for _ in 0..60 {
                if reader.feed(&[dice.pick(alphabet)]).is_err() {
                    break;
                }
            }
            let _ = reader.finish();
            while let Some(sexp) = reader.take() {
                assert_eq!(sexp.to_string().is_empty(), sexp == Sexp::Atom(String::new()));
            }
        }
    }
}

//! A certificate file whose header was read: what it is about is known before the model is. Limits are looked at while it
//! is read, header and body.

use std::io::{self, BufRead, BufReader, Read};

use lapidary_base::{Control, Stop};
use lapidary_ir::{Declarations, Tree};
use serde_json::Value;

use super::json::Unique;
use super::{Header, body, header, header_line, unreadable};
use crate::certificate::{Certificate, Source};

/// Why a file gives no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is none, or none for this model; the text says in which respect.
    Wrong(String),
    /// A limit was reached before its end.
    Stopped(Stop),
}

impl From<String> for Unread {
    fn from(why: String) -> Self {
        Self::Wrong(why)
    }
}

impl From<&str> for Unread {
    fn from(why: &str) -> Self {
        Self::Wrong(why.to_owned())
    }
}

/// So many bytes are read between two looks at the limits.
const BETWEEN_LOOKS: usize = 1 << 16;

/// An input that ends with an error once a limit is reached.
struct Watched<'a, R> {
    input: R,
    control: &'a Control,
    n_unwatched: usize,
    stop: Option<Stop>,
}

impl<'a, R> Watched<'a, R> {
    fn new(input: R, control: &'a Control) -> Self {
        Self { input, control, n_unwatched: BETWEEN_LOOKS, stop: None }
    }

    /// A limit counts for more than what was found wrong because of it.
    fn told<T, E: Into<Unread>>(&self, result: Result<T, E>) -> Result<T, Unread> {
        match &self.stop {
            Some(stop) => Err(Unread::Stopped(stop.clone())),
            None => result.map_err(Into::into),
        }
    }
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.n_unwatched >= BETWEEN_LOOKS {
            self.n_unwatched = 0;
            if let Err(stop) = self.control.check() {
                self.stop = Some(stop.clone());
                return Err(io::Error::other(stop.to_string()));
            }
        }
        let n_read = self.input.read(bytes)?;
        self.n_unwatched += n_read;
        Ok(n_read)
    }
}

pub struct Opened<'a, R> {
    pub header: Header,
    json: Value,
    input: BufReader<Watched<'a, R>>,
    control: &'a Control,
}

/// Reads the header and no more.
pub fn open<R: Read>(input: R, control: &Control) -> Result<Opened<'_, R>, Unread> {
    let mut input = BufReader::new(Watched::new(input, control));
    let line = header_line(&mut input);
    let line = input.get_ref().told(line)?;
    let mut watched = BufReader::new(Watched::new(&line[..], control));
    let json = serde_json::from_reader(&mut watched).map_err(|error| not_json(&error));
    let Unique(json) = watched.get_ref().told(json)?;
    let header = header(&json).map_err(Unread::Wrong)?;
    Ok(Opened { header, json, input, control })
}

/// The header is one line: its number says nothing, the column does.
fn not_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    format!("the first line is not a JSON header: {what} (column {})", error.column())
}

impl<R: Read> Opened<'_, R> {
    /// The certificate, to the end of the file. `tree` is the hierarchy of which the model is the flattening, if there is one.
    pub fn certificate(mut self, model: &Declarations, tree: Option<&Tree>) -> Result<Certificate, Unread> {
        // The header alone may have taken the time, and so may reading the model.
        self.control.check().map_err(Unread::Stopped)?;
        let (json, input, control) = (&self.json, &mut self.input, self.control);
        let read = body(&self.header.kind, &mut Source { model, tree, json, input, control });
        let read = read.and_then(|certificate| Ok(at_end(&mut self.input).map(|()| certificate)?));
        self.input.get_ref().told(read)
    }
}

fn at_end(input: &mut dyn BufRead) -> Result<(), String> {
    match input.fill_buf() {
        Ok([]) => Ok(()),
        Ok(_) => Err("there are more bytes than the header announces".to_owned()),
        Err(error) => Err(unreadable(&error)),
    }
}

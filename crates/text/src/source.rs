//! The texts that a run reads, and spans in them.

use lapidary_base::hash::Map;
use lapidary_base::{IdVec, id};

id! {
    /// One text: a model file, a specification file, or a formula given on the command line.
    pub struct SourceId(u32);
}

/// A half-open range of bytes in one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    pub source: SourceId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub const fn new(source: SourceId, start: u32, end: u32) -> Self {
        Self { source, start, end }
    }

    /// From the start of this span to the end of `last`. Where that is in another source, only this span.
    pub fn to(self, last: Self) -> Self {
        if last.source != self.source {
            return self;
        }
        Self { source: self.source, start: self.start, end: last.end.max(self.start) }
    }
}

/// A place as people name it; both numbers start at one, columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// Where a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file; the source's name is its path.
    File,
    /// The command line; the name is that of the option.
    Option,
}

pub struct Source {
    /// As the user named it: a path, or what stands for one.
    pub name: String,
    pub origin: Origin,
    pub text: String,
    line_starts: Vec<u32>,
}

impl Source {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        assert!(u32::try_from(text.len()).is_ok(), "the reader refuses texts of 4 GiB and more");
        let after_newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(i, _)| i as u32 + 1);
        let line_starts = std::iter::once(0).chain(after_newlines).collect();
        Self { name: name.into(), origin: Origin::File, text, line_starts }
    }

    pub fn place(&self, offset: u32) -> Place {
        let offset = self.floor_boundary(offset);
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1] as usize;
        Place { line, column: self.text[start..offset as usize].chars().count() + 1 }
    }

    /// The bytes of the whole lines that some byte ranges touch.
    pub fn lines_around(&self, ranges: impl Iterator<Item = (u32, u32)> + Clone) -> std::ops::Range<usize> {
        let from = self.floor_boundary(ranges.clone().map(|(start, _)| start).min().unwrap_or(0));
        let to = self.floor_boundary(ranges.map(|(_, end)| end).max().unwrap_or(0)).max(from);
        let start = self.line_starts[self.line_starts.partition_point(|&start| start <= from) - 1];
        let next = self.line_starts.get(self.line_starts.partition_point(|&start| start <= to));
        start as usize..next.map_or(self.text.len(), |&next| next as usize)
    }

    /// The last character boundary at or before `offset`, within the text.
    pub fn floor_boundary(&self, offset: u32) -> u32 {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset as u32
    }
}

/// All the sources of one run.
#[derive(Default)]
pub struct Sources {
    list: IdVec<SourceId, Source>,
    /// How many have the same last part of their path.
    n_alike: Map<String, u32>,
}

impl Sources {
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let source = Source::new(name, text);
        *self.n_alike.entry(last_part(&source.name).to_owned()).or_default() += 1;
        self.list.push(source)
    }

    /// The file without its folders, unless another one is then called the same.
    pub fn short_name(&self, id: SourceId) -> &str {
        let name = &self.get(id).name;
        let short = last_part(name);
        if self.n_alike.get(short).is_some_and(|&n| n > 1) { name } else { short }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// A text that was given with an option, such as `-p`.
    pub fn add_option(&mut self, option: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.list.push(Source { origin: Origin::Option, ..Source::new(option, text) })
    }

    pub fn get(&self, id: SourceId) -> &Source {
        &self.list[id]
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        let source = self.get(span.source);
        let (start, end) = (source.floor_boundary(span.start), source.floor_boundary(span.end));
        source.text.get(start as usize..end as usize).unwrap_or("")
    }

    pub fn place(&self, span: Span) -> Place {
        self.get(span.source).place(span.start)
    }

    /// `model.gcl:12:3`
    pub fn describe(&self, span: Span) -> String {
        let place = self.place(span);
        format!("{}:{}:{}", self.get(span.source).name, place.line, place.column)
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_by_its_last_part_as_long_as_that_is_enough() {
        let mut sources = Sources::default();
        let [a, b] = ["lib/valve.alt", "tank.alt"].map(|name| sources.add(name, ""));
        assert_eq!((sources.short_name(a), sources.short_name(b)), ("valve.alt", "tank.alt"));
        sources.add("old/valve.alt", "");
        assert_eq!(sources.short_name(a), "lib/valve.alt");
    }

    #[test]
    fn a_span_stays_in_its_source() {
        let span = |source, start, end| Span::new(SourceId(source), start, end);
        assert_eq!(span(0, 3, 5).to(span(0, 8, 9)), span(0, 3, 9));
        assert_eq!(span(0, 3, 5).to(span(1, 8, 9)), span(0, 3, 5));
    }

    #[test]
    fn columns_count_characters_and_offsets_inside_one_are_moved_back() {
        let source = Source::new("m", "é = 1;\nab");
        assert_eq!(source.place(3), Place { line: 1, column: 3 });
        assert_eq!(source.place(1), Place { line: 1, column: 1 });
        assert_eq!(source.place(9), Place { line: 2, column: 2 });
        assert_eq!(source.place(99), Place { line: 2, column: 3 });
    }
}

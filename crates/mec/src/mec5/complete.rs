//! What can be written at the end of an unfinished text: for shells that complete words.

use super::commands::{COMMANDS, Command, What, find};
use super::environment::NODE_RELATIONS;
use super::options::{OPTIONS, Options, Values};
use super::split::{Kind, last_statement};
use crate::acheck;

/// The names that a session knows at some moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    pub relations: Vec<String>,
    pub nodes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Words that may replace the text from `start` on, in order; with a blank where another word must follow.
    Words { start: usize, words: Vec<String> },
    /// From `start` on the text is the beginning of a file name.
    File { start: usize },
}

const KEYWORDS: [&str; 14] = [
    "begin", "bool", "case", "domain", "else", "end", "eps", "false", "if", "struct", "tcurts", "then", "true", "with",
];

/// How a text can go on at its end.
pub fn complete(vocabulary: &Vocabulary, text: &str) -> Completion {
    let (kind, start) = last_statement(text).unwrap_or((Kind::Definition, text.len()));
    let words = match kind {
        Kind::Command => return command(vocabulary, text, start),
        Kind::Definition => {
            let keywords = KEYWORDS.iter().map(|&word| word.to_owned());
            relations(vocabulary).chain(vocabulary.nodes.iter().cloned()).chain(keywords).collect()
        }
        Kind::Acheck => match redirected(&text[start..]) {
            Some(path) => return Completion::File { start: start + path },
            None => block(vocabulary, &text[start..]),
        },
    };
    matching(text, word_start(text), words)
}

/// The words that begin like the text from `start` on.
fn matching(text: &str, start: usize, mut words: Vec<String>) -> Completion {
    words.retain(|word| word.starts_with(&text[start..]));
    words.sort();
    words.dedup();
    Completion::Words { start, words }
}

/// Where the name begins that the text ends with.
fn word_start(text: &str) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '!' | '-');
    text.trim_end_matches(is_name).len()
}

fn relations(vocabulary: &Vocabulary) -> impl Iterator<Item = String> {
    let of_node = |node: &String| NODE_RELATIONS.map(|(relation, _)| format!("{node}!{relation}"));
    vocabulary.relations.iter().cloned().chain(vocabulary.nodes.iter().flat_map(of_node))
}

/// The words of a command line, the first of them the command.
fn command(vocabulary: &Vocabulary, text: &str, start: usize) -> Completion {
    let line = &text[start..];
    let last = start + line.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
    let before: Vec<&str> = text[start..last].split_whitespace().collect();
    let [name, arguments @ ..] = &before[..] else {
        let usage = |command: &Command| format!(":{}{}", command.name, if takes_words(command) { " " } else { "" });
        return matching(text, last, COMMANDS.iter().map(usage).collect());
    };
    let Some(command) = find(name.trim_start_matches(':')) else { return matching(text, last, Vec::new()) };
    let words = match (command.what, arguments) {
        (What::Load | What::Source, _) => return file(text, start + name.len()),
        (What::Cardinal | What::Print | What::RelationType, []) => relations(vocabulary).collect(),
        (What::NodeInfo | What::CegarInit | What::CegarVerify, []) => vocabulary.nodes.clone(),
        (What::CegarInit, _) => relations(vocabulary).collect(),
        (What::Set, []) => OPTIONS.iter().map(|option| option.name.to_owned()).collect(),
        (What::Set, [option, rest @ ..]) => match Options::find(option).map(|option| OPTIONS[option].values) {
            Some(Values::File) => return file(text, option.as_ptr().addr() - text.as_ptr().addr() + option.len()),
            Some(values) if rest.is_empty() => values.words().into_iter().map(str::to_owned).collect(),
            Some(_) | None => Vec::new(),
        },
        (What::Help, []) => {
            COMMANDS.iter().map(|command| command.name).chain(["formulas"]).map(str::to_owned).collect()
        }
        (What::Cardinal | What::Print | What::RelationType | What::NodeInfo | What::Help, _)
        | (What::CegarVerify | What::ListNodes | What::ListRelations | What::Quit, _) => Vec::new(),
    };
    matching(text, last, words)
}

fn takes_words(command: &Command) -> bool {
    !command.words.is_empty() && !command.words.starts_with('[')
}

/// The file name is all that follows the command; its quote is not part of it.
fn file(text: &str, after: usize) -> Completion {
    let rest = &text[after..];
    let start = after + rest.len() - rest.trim_start().len();
    Completion::File { start: start + usize::from(text[start..].starts_with(['\'', '"'])) }
}

/// The words within a block: those with a meaning, and the sets that it defines; the nodes before its `do`.
fn block(vocabulary: &Vocabulary, text: &str) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let body = text.match_indices("do").find(|(at, word)| {
        let (before, after) = (&text[..*at], &text[at + word.len()..]);
        !before.ends_with(is_name) && after.starts_with(|c: char| !is_name(c))
    });
    let Some((body, _)) = body else {
        return vocabulary.nodes.iter().cloned().chain(["do".to_owned()]).collect();
    };
    let defined = text[body + 2..].split(';').filter_map(|statement| {
        let end = [":=", "+=", "-="].iter().filter_map(|sign| statement.find(sign)).min()?;
        let name = statement[..end].trim();
        (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
    });
    defined.chain(acheck::vocabulary().map(str::to_owned)).collect()
}

/// Where the name of the file begins that a result is redirected to, if the text ends within one.
fn redirected(text: &str) -> Option<usize> {
    let quote = text.rfind(['\'', '"'])?;
    let is_open = text[..quote].trim_end().ends_with('>');
    (is_open && !text[quote..].contains('\n')).then_some(quote + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vocabulary {
        Vocabulary { relations: vec!["Err".to_owned(), "Reached".to_owned()], nodes: vec!["Stack3".to_owned()] }
    }

    fn words(text: &str) -> Vec<String> {
        match complete(&known(), text) {
            Completion::Words { start, words } => {
                assert!(words.iter().all(|word| word.starts_with(&text[start..])), "{text:?} gives {words:?}");
                words
            }
            Completion::File { .. } => panic!("{text:?} expects a file"),
        }
    }

    #[test]
    fn commands_complete_their_names_and_words() {
        assert_eq!(words(":rel-c"), [":rel-cardinal "]);
        assert_eq!(words("R(x) := true;\n:ar-l"), [":ar-list", ":ar-load "]);
        assert_eq!(words(":he"), [":help"]);
        assert_eq!(words(":rel-print E"), ["Err"]);
        assert_eq!(words(":rel-cardinal Stack3!"), NODE_RELATIONS.map(|(name, _)| format!("Stack3!{name}")));
        assert_eq!(words(":ar-info "), ["Stack3"]);
        assert_eq!(words(":set e"), ["engine"]);
        assert_eq!(words(":set engine "), ["bdd", "explicit"]);
        assert_eq!(words(":set cegar-search-algorithm "), ["BFS", "DFS"]);
        assert_eq!(words(":set initial-certification o"), ["off", "on"]);
        assert_eq!(words(":ar-cegar-init "), ["Stack3"]);
        assert_eq!(words(":ar-cegar-init Stack3 Stack3!init E"), ["Err"]);
        assert_eq!(words(":ar-cegar-verify "), ["Stack3"]);
        assert!(words(":ar-cegar-verify Stack3 ").is_empty());
        assert_eq!(words(":help form"), ["formulas"]);
        assert!(words(":quit ").is_empty() && words(":no-such x").is_empty() && words(":rel-print Err ").is_empty());
    }

    #[test]
    fn files_follow_the_commands_that_read_them_and_redirections() {
        for (text, start) in [
            (":ar-load sta", 9),
            (":source 'my fi", 9),
            (":set cegar-abstraction-print abs", 29),
            (":set cegar-abstraction-print 'a b", 30),
            ("with N do show(all) > 'out", 23),
            ("with N do show(all) >> \"", 24),
        ] {
            assert_eq!(complete(&known(), text), Completion::File { start }, "{text:?}");
        }
        assert!(words("with N do show(all) > 'out'; tes").contains(&"test".to_owned()));
    }

    #[test]
    fn definitions_complete_relations_nodes_and_their_relations() {
        assert_eq!(words("Q(s : Stack3!c) := Rea"), ["Reached"]);
        assert_eq!(words("Q(s : St"), ["Stack3", "Stack3!c", "Stack3!ev", "Stack3!init", "Stack3!reach", "Stack3!t"]);
        assert_eq!(words("wi"), ["with"]);
        assert!(words("").contains(&"Err".to_owned()));
    }

    #[test]
    fn blocks_complete_nodes_then_the_words_of_acheck_and_their_sets() {
        assert_eq!(words("with St"), ["Stack3"]);
        assert_eq!(words("with Stack3 d"), ["do"]);
        assert_eq!(words("with Stack3 do\n  bad := any_"), ["any_s", "any_t"]);
        assert_eq!(words("with Stack3 do\n  bad := any_s;\n  test(ba"), ["bad"]);
        assert_eq!(words("with Stack3 do dot-"), ["dot-trace"]);
        assert_eq!(words("with Stack3 do don"), ["done"]);
    }
}

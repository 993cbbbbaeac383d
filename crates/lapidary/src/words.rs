//! Words of the command line that clap does not read by itself.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use lapidary_driver::register::{OptionGroup, Shape, made_for, understanding};
use lapidary_driver::{ENGINES, EngineChoice, PLANNED, similar};

const COMMANDS: [&str; 12] = [
    "check",
    "simulate",
    "trace",
    "certify",
    "info",
    "mec",
    "init",
    "examples",
    "convert",
    "plot",
    "completions",
    "man",
];

/// The options of `check` that take no value.
const CHECK_FLAGS: [&str; 6] = ["-q", "--quiet", "-v", "--verbose", "--shortest", "--as-one"];

/// Commands with a frozen name that have no code yet.
const PLANNED_COMMANDS: [&str; 1] = ["ui"];

/// What the first words of a command line ask for.
#[derive(Debug, PartialEq, Eq)]
pub enum Opening {
    /// No words at all.
    Nothing,
    /// A command that is not there yet.
    Planned(String),
    /// Arguments for clap, with `check` put in where only a model was named.
    Arguments(Vec<OsString>),
}

/// `args` starts with the name of the program.
pub fn open(args: Vec<OsString>) -> Opening {
    if args.len() < 2 {
        return Opening::Nothing;
    }
    let (place, has_flags) = after_options(&args);
    let head = args.get(place).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    if PLANNED_COMMANDS.contains(&head.as_str()) {
        return Opening::Planned(head);
    }
    let mut args = args;
    if head == "check" {
        let command = args.remove(place);
        args.insert(1, command);
    } else if means_check(&head) || has_flags && !COMMANDS.contains(&head.as_str()) {
        args.insert(1, OsString::from("check"));
    }
    Opening::Arguments(args)
}

/// The place of the first word after options that may stand before any command or before an unwritten `check`, and
/// whether there are any of the second kind.
fn after_options(args: &[OsString]) -> (usize, bool) {
    let (mut place, mut has_flags) = (1, false);
    while let Some(word) = args.get(place).map(|word| word.to_string_lossy()) {
        if word == "--color" {
            place += 2;
        } else if word.starts_with("--color=") {
            place += 1;
        } else if CHECK_FLAGS.contains(&word.as_ref()) {
            has_flags = true;
            place += 1;
        } else {
            break;
        }
    }
    (place, has_flags)
}

/// Anything that looks like a file or an option stands after an unwritten `check`; other words are left to clap, which
/// suggests the command that was meant.
fn means_check(first: &str) -> bool {
    if COMMANDS.contains(&first) || ["-h", "--help", "-V", "--version"].contains(&first) {
        return false;
    }
    first.starts_with('-') || first.contains(['.', '/', '\\']) || Path::new(first).exists()
}

/// `NAME=VALUE`, split at the first `=`.
pub fn parse_define(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write the name of a constant and its value, as in N=3".to_owned()),
    }
}

/// `NAME=FORMULA`, split at the first `=`.
pub fn parse_predicate(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, formula)) if !name.trim().is_empty() && !formula.trim().is_empty() => {
            Ok((name.trim().to_owned(), formula.trim().to_owned()))
        }
        _ => Err("write a name and what it stands for, as in 'full=level = 4'".to_owned()),
    }
}

pub fn parse_engine(text: &str) -> Result<EngineChoice, String> {
    if let Some(engine) = EngineChoice::named(text) {
        return Ok(engine);
    }
    let there_are = engine_names().join(", ");
    let is_planned = PLANNED.contains(&text);
    let what = if is_planned { "this engine is not there yet" } else { "there is no such engine" };
    let meant = similar(text, engine_names()).filter(|_| !is_planned);
    let meant = meant.map(|name| format!(" (did you mean {name}?)")).unwrap_or_default();
    Err(format!("{what}{meant}; there are: {there_are}"))
}

/// What `--engine` takes: the portfolio first.
pub fn engine_names() -> Vec<&'static str> {
    std::iter::once(EngineChoice::Auto.name()).chain(ENGINES.iter().map(|entry| entry.name)).collect()
}

/// `Which engine answers: auto, explicit, bdd; for nets also backward, lazy`
pub fn engine_help() -> String {
    let nets: Vec<&str> = made_for(Shape::Nets).iter().map(|entry| entry.name).collect();
    let others: Vec<&str> = engine_names().into_iter().filter(|name| !nets.contains(name)).collect();
    format!("Which engine answers: {}; for nets also {}", others.join(", "), nets.join(", "))
}

/// `Solver (engines matching, bmc)`, `Nets (engine backward)`: who understands all options of a group, who only some.
pub fn group_heading(what: &str, all: OptionGroup, some: Option<OptionGroup>) -> String {
    let all: Vec<&str> = understanding(all).collect();
    let some: Vec<&str> = some.into_iter().flat_map(understanding).collect();
    let engines = if all.len() == 1 { "engine" } else { "engines" };
    let some = if some.is_empty() { String::new() } else { format!(", some for {}", some.join(", ")) };
    format!("{what} ({engines} {}{some})", all.join(", "))
}

/// How a trace is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    Itf,
    Dot,
    Text,
}

impl TraceFormat {
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Itf => ".itf.json",
            Self::Dot => ".dot",
            Self::Text => ".txt",
        }
    }

    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name().map(OsStr::to_string_lossy)?;
        [Self::Itf, Self::Dot, Self::Text].into_iter().find(|format| name.ends_with(format.suffix()))
    }
}

pub fn parse_trace_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match TraceFormat::of(&path) {
        Some(_) => Ok(path),
        None => Err("the suffix decides the format: use .itf.json, .dot or .txt".to_owned()),
    }
}

/// A word as a shell reads it back.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// `.pnml, .lola and .spec`
pub fn listed(words: &[String]) -> String {
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => words.concat(),
    }
}

/// The files of a model as a command line names them.
pub fn model_words(path: &str, further: &[String]) -> String {
    let more: String = further.iter().map(|file| format!(" {}", quoted(file))).collect();
    let as_one = if further.is_empty() { "" } else { " --as-one" };
    format!("{}{more}{as_one}", quoted(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(words: &[&str]) -> Opening {
        open(words.iter().map(OsString::from).collect())
    }

    fn arguments(words: &[&str]) -> Opening {
        Opening::Arguments(words.iter().map(OsString::from).collect())
    }

    #[test]
    fn a_model_alone_is_checked() {
        assert_eq!(opened(&["lapidary", "m.gcl"]), arguments(&["lapidary", "check", "m.gcl"]));
        assert_eq!(opened(&["lapidary", "-q", "m.gcl"]), arguments(&["lapidary", "check", "-q", "m.gcl"]));
        assert_eq!(opened(&["lapidary", "info", "m.gcl"]), arguments(&["lapidary", "info", "m.gcl"]));
        assert_eq!(opened(&["lapidary", "chekc"]), arguments(&["lapidary", "chekc"]));
        assert_eq!(opened(&["lapidary", "--version"]), arguments(&["lapidary", "--version"]));
        assert_eq!(opened(&["lapidary", "ui"]), Opening::Planned("ui".to_owned()));
        assert_eq!(opened(&["lapidary"]), Opening::Nothing);
    }

    #[test]
    fn options_may_stand_before_the_command() {
        let check = |words: &[&str]| arguments(&[&["lapidary", "check"], words].concat());
        assert_eq!(
            opened(&["lapidary", "--color", "never", "m.gcl", "-q"]),
            check(&["--color", "never", "m.gcl", "-q"])
        );
        assert_eq!(opened(&["lapidary", "--color=never", "m.gcl"]), check(&["--color=never", "m.gcl"]));
        assert_eq!(opened(&["lapidary", "-q", "check", "m.gcl"]), check(&["-q", "m.gcl"]));
        assert_eq!(opened(&["lapidary", "-q"]), check(&["-q"]));
        for words in [["lapidary", "--color", "never", "info"], ["lapidary", "--color", "never", "--help"]] {
            assert_eq!(opened(&words), arguments(&words));
        }
        assert_eq!(opened(&["lapidary", "--color", "never", "ui"]), Opening::Planned("ui".to_owned()));
    }

    #[test]
    fn defines_are_split_at_the_first_equals_sign() {
        assert_eq!(parse_define("B=N=3"), Ok(("B".to_owned(), "N=3".to_owned())));
        for text in ["N", "=3", "N="] {
            assert!(parse_define(text).is_err(), "{text}");
        }
    }

    #[test]
    fn engines_that_are_planned_are_told_apart_from_typing_errors() {
        assert_eq!(parse_engine("explicit"), Ok(EngineChoice::named("explicit").unwrap()));
        assert!(
            parse_engine("predicate").is_err_and(|text| text.contains("not there yet") && text.contains("explicit"))
        );
        assert!(parse_engine("explict").is_err_and(|text| text.contains("did you mean explicit?")));
    }

    #[test]
    fn quoted_words_survive_a_shell() {
        assert_eq!(quoted("m.gcl"), "m.gcl");
        assert_eq!(quoted("x < 3"), "'x < 3'");
        assert_eq!(quoted("a'b"), r"'a'\''b'");
        assert_eq!(quoted(""), "''");
    }
}

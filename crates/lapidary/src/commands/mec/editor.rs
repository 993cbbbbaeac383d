//! A line of the terminal: edited, completed, remembered.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use lapidary_mec::mec5::{Completion, Vocabulary, complete};
use rustyline::completion::{Completer, Pair};
use rustyline::config::{Behavior, CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

const MAX_HISTORY: usize = 2000;

/// What came of waiting for a line.
pub enum Read {
    Line(String),
    Interrupted,
    End,
    Failed(String),
}

pub struct Editor {
    lines: rustyline::Editor<Words, DefaultHistory>,
    /// Where lines outlive the process; nowhere if that cannot be.
    history: Option<PathBuf>,
}

impl Editor {
    pub fn open() -> Result<Self, String> {
        // Results may go to a file or a program; then what is typed is still seen on the terminal.
        let behaviour = if io::stdout().is_terminal() { Behavior::Stdio } else { Behavior::PreferTerm };
        let config = Config::builder().completion_type(CompletionType::List).behavior(behaviour);
        let config = config.max_history_size(MAX_HISTORY).and_then(|config| config.history_ignore_dups(true));
        let config = config.map_err(|error| error.to_string())?.auto_add_history(false).build();
        let mut lines = rustyline::Editor::with_config(config).map_err(|error| error.to_string())?;
        lines.set_helper(Some(Words::default()));
        let history =
            history_file().filter(|path| path.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok()));
        if let Some(path) = &history {
            // There is none yet, or none that can be read: then the history begins here.
            let _ = lines.load_history(path);
        }
        Ok(Self { lines, history })
    }

    /// What is completed from now on, after some lines.
    pub fn know(&mut self, vocabulary: Vocabulary, before: &str) {
        self.lines.set_helper(Some(Words { vocabulary, before: before.to_owned() }));
    }

    pub fn read(&mut self, prompt: &str) -> Read {
        loop {
            return match self.lines.readline(prompt) {
                Ok(line) => Read::Line(line),
                Err(ReadlineError::Interrupted) => Read::Interrupted,
                Err(ReadlineError::Eof) => Read::End,
                // The window has another size: the line is asked for again.
                Err(ReadlineError::Signal(_)) => continue,
                Err(error) => Read::Failed(error.to_string()),
            };
        }
    }

    /// Whole statements are remembered, with all their lines.
    pub fn remember(&mut self, statement: &str) {
        let is_new = self.lines.add_history_entry(statement).unwrap_or(false);
        if let Some(path) = self.history.as_ref().filter(|_| is_new) {
            // A shell without a lasting history is better than one that complains after every line.
            let _ = self.lines.append_history(path);
        }
    }
}

/// `$XDG_STATE_HOME/lapidary/mec_history`, by default under `~/.local/state`.
fn history_file() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")))?;
    Some(state.join("lapidary/mec_history"))
}

/// What can be completed.
#[derive(Default)]
struct Words {
    vocabulary: Vocabulary,
    /// The lines that were typed before the one that is edited.
    before: String,
}

impl Words {
    /// Where the completed part begins in the line, and what may stand there.
    fn candidates(&self, line: &str) -> (usize, Vec<Pair>) {
        let text = format!("{}{line}", self.before);
        let in_line = |start: usize| start.saturating_sub(self.before.len());
        match complete(&self.vocabulary, &text) {
            Completion::Words { start, words } => {
                let pair = |word: String| Pair { display: word.trim_end().to_owned(), replacement: word };
                (in_line(start), words.into_iter().map(pair).collect())
            }
            Completion::File { start } => (in_line(start), files(&text[..start], &text[start..])),
        }
    }
}

/// The files whose path begins so; directories end with a slash, so that the next word is what they contain.
fn files(before: &str, path: &str) -> Vec<Pair> {
    let (folder, beginning) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
    let entries = fs::read_dir(if folder.is_empty() { Path::new(".") } else { Path::new(folder) });
    let mut pairs: Vec<Pair> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_hidden = name.starts_with('.') && !beginning.starts_with('.');
            if is_hidden || !name.starts_with(beginning) {
                return None;
            }
            let display = if entry.path().is_dir() { format!("{name}/") } else { name };
            // A name with blanks is one word only within quotes.
            let is_quoted = before.ends_with(['\'', '"']);
            let quote = if display.contains(' ') && !is_quoted { "'" } else { "" };
            Some(Pair { replacement: format!("{quote}{folder}{display}"), display })
        })
        .collect();
    pairs.sort_by(|a, b| a.display.cmp(&b.display));
    pairs
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _context: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        Ok(self.candidates(&line[..at]))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}

impl Validator for Words {}

impl Helper for Words {}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(before: &str, line: &str) -> (usize, Vec<String>) {
        let vocabulary = Vocabulary { relations: vec!["Reached".to_owned()], nodes: vec!["Main".to_owned()] };
        let (start, pairs) = Words { vocabulary, before: before.to_owned() }.candidates(line);
        (start, pairs.into_iter().map(|pair| pair.replacement).collect())
    }

    #[test]
    fn places_count_within_the_line_and_earlier_lines_tell_what_it_is_in() {
        assert_eq!(words("", ":rel-print R"), (11, vec!["Reached".to_owned()]));
        assert_eq!(words("with Main do\n", "  bad := any_"), (9, vec!["any_s".to_owned(), "any_t".to_owned()]));
        assert_eq!(words("with\n", "Ma"), (0, vec!["Main".to_owned()]));
    }

    #[test]
    fn files_are_completed_part_by_part() {
        // Tests run in the directory of their crate.
        assert_eq!(words("", ":ar-load Car"), (9, vec!["Cargo.toml".to_owned()]));
        assert_eq!(words("", ":source tests/cm"), (8, vec!["tests/cmd/".to_owned()]));
        assert_eq!(words("with Main do show(all) >\n", "  'tests/it/cl").1, ["tests/it/cli.rs"]);
        assert!(words("", ":ar-load no/such/folder/").1.is_empty());
    }

    #[test]
    fn names_with_blanks_are_quoted() {
        let place = std::env::temp_dir().join(format!("lapidary-editor-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("a b.alt"), "").unwrap();
        let folder = place.to_str().unwrap();
        assert_eq!(words("", &format!(":ar-load {folder}/a")).1, [format!("'{folder}/a b.alt")]);
        assert_eq!(words("", &format!(":ar-load '{folder}/a")).1, [format!("{folder}/a b.alt")]);
        fs::remove_dir_all(place).unwrap();
    }
}

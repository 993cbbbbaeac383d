//! The files of the corpus, and what is known about them.

use std::fs;
use std::path::{Path, PathBuf};

pub const CORPUS: &str = "../shared/corpus/coverability";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Safe,
    Unsafe,
    /// Nobody says.
    Unsaid,
}

impl Expected {
    pub fn words(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
            Self::Unsaid => "-",
        }
    }

    /// Unknown contradicts nothing.
    pub fn allows(self, verdict: &str) -> bool {
        match self {
            Self::Safe => verdict != "violated",
            Self::Unsafe => verdict != "holds",
            Self::Unsaid => true,
        }
    }
}

pub struct Task {
    /// The file without what all have in common.
    pub name: String,
    pub path: PathBuf,
    /// What bfc is told with `--init`.
    pub initial: Option<String>,
    pub expected: Expected,
}

/// All files, in the order of their names.
pub fn all() -> Result<Vec<Task>, String> {
    let mut files = Vec::new();
    collect(&Path::new(CORPUS).join("mist"), "spec", &mut files)?;
    collect(&Path::new(CORPUS).join("tts"), "tts", &mut files)?;
    files.sort();
    files.into_iter().map(|file| task(&file)).collect()
}

pub fn collect(folder: &Path, suffix: &str, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let listed = fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    for entry in listed.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, suffix, files)?;
        } else if path.extension().is_some_and(|found| found == suffix) {
            files.push(path);
        }
    }
    Ok(())
}

fn task(path: &Path) -> Result<Task, String> {
    // Some files are older than UTF-8; only their first line matters.
    let bytes = fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let relative = path.strip_prefix(CORPUS).unwrap_or(path).display().to_string();
    if path.extension().is_some_and(|suffix| suffix == "spec") {
        let file = Path::new(&relative);
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let expected = expected_by_comment(&text);
        return Ok(Task { name: format!("{folder}/{stem}"), path: path.to_owned(), initial: None, expected });
    }
    let description = fs::read_to_string(path.with_file_name("test.desc")).unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    Ok(Task {
        name: format!("tts/{folder}"),
        path: path.to_owned(),
        initial: initial(&description),
        expected: expected_by_exit(&description),
    })
}

/// `#expected result: safe` in the first line.
fn expected_by_comment(text: &str) -> Expected {
    match text.lines().next().and_then(|line| line.split_once("expected result:")).map(|(_, rest)| rest.trim()) {
        Some("safe") => Expected::Safe,
        Some("unsafe") => Expected::Unsafe,
        Some(_) | None => Expected::Unsaid,
    }
}

/// `^VERIFICATION SUCCESSFUL$`, unless the test asks for something else than an answer about the target.
fn expected_by_exit(description: &str) -> Expected {
    if !description.contains("--target") {
        return Expected::Unsaid;
    }
    match (description.contains("SUCCESSFUL"), description.contains("FAILED")) {
        (true, _) => Expected::Safe,
        (false, true) => Expected::Unsafe,
        (false, false) => Expected::Unsaid,
    }
}

/// What stands after `--init`, without quotes.
fn initial(description: &str) -> Option<String> {
    let (_, rest) = description.split_once("--init")?;
    rest.split_whitespace().next().map(|word| word.trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_found() {
        assert_eq!(expected_by_comment("#expected result: unsafe\nvars"), Expected::Unsafe);
        assert_eq!(expected_by_comment("vars\n"), Expected::Unsaid);
        let description = "CORE\nmain.tts\n--target main.prop --init \"0|0/73\"\n^EXIT=10$\n^VERIFICATION FAILED$\n";
        assert_eq!(expected_by_exit(description), Expected::Unsafe);
        assert_eq!(initial(description).as_deref(), Some("0|0/73"));
        assert_eq!(expected_by_exit("-k3 --print-cover\n^VERIFICATION SUCCESSFUL$"), Expected::Unsaid);
    }
}

//! What is asked: the gallery as it is and in larger sizes, mutual exclusion in AltaRica, and nets.

use std::fs;
use std::path::Path;

use crate::coverability::tasks;
use crate::hierarchies::HIERARCHIES;
use crate::{infinite, rows};

const GALLERY: &str = "examples";
const MUTEX: &str = "../shared/corpus/altarica/mutex";
const THREADS: &str = "../shared/corpus/threads";

/// One command line, without the engine and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    /// The file and what is asked of it.
    pub arguments: Vec<String>,
    /// Those that may be the best; asked in this order.
    pub engines: &'static [&'static str],
}

/// Those that are fastest most often come first: the others are not waited for much longer than for the best so far.
const MODELS: &[&str] = &["explicit", "bdd", "pcegar", "kinduction", "bmc", "matching", "cegar"];
const INFINITE: &[&str] = &["matching", "explicit", "kinduction", "bmc"];
const TREES: &[&str] = &["bdd", "pcegar", "hierarchical", "explicit", "kinduction", "bmc", "matching", "cegar"];
const NETS: &[&str] =
    &["backward", "forward", "lazy", "explicit", "bdd", "kinduction", "bmc", "matching", "pcegar", "cegar"];

impl Row {
    fn new(name: &str, arguments: &[&str], engines: &'static [&'static str]) -> Self {
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        Self { name: name.to_owned(), arguments, engines }
    }

    /// The same file asked for one of its properties.
    pub fn only(&self, property: &str) -> Self {
        let mut row = self.clone();
        row.name = format!("{} {property}", self.name);
        row.arguments.extend(["-p".to_owned(), property.to_owned()]);
        row
    }

    /// Is everything asked that the file has?
    pub fn asks_all(&self) -> bool {
        !self.arguments.iter().any(|word| word == "-p")
    }
}

/// Folders that are absent have no rows.
pub fn all() -> Result<Vec<Row>, String> {
    let mut all = gallery()?;
    all.extend(sizes());
    all.extend(mutex());
    all.extend(nets()?);
    Ok(all)
}

fn gallery() -> Result<Vec<Row>, String> {
    let listed = fs::read_dir(GALLERY).map_err(|error| format!("cannot list {GALLERY}: {error}"))?;
    let mut names: Vec<String> =
        listed.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let row = |name: &String| {
        let path = format!("{GALLERY}/{name}");
        match Path::new(name).extension()?.to_str()? {
            "gcl" => Some(Row::new(name, &[&path], MODELS)),
            // It has no property of its own.
            "alt" => Some(Row::new(name, &[&path, "-p", "deadlock_free"], TREES)),
            "spec" | "tts" | "pnml" | "lola" => Some(Row::new(name, &[&path], NETS)),
            _ => None,
        }
    };
    Ok(names.iter().filter_map(row).collect())
}

/// The rows of the other benchmarks on files of the gallery.
fn sizes() -> Vec<Row> {
    let finite = rows::ROWS.iter().map(|row| (row.model.to_owned(), row.family, row.constants, row.property, MODELS));
    // Nobody decides it, and to see that takes ten minutes.
    let decided = infinite::ROWS.iter().filter(|row| row.model != "bakery 3");
    let infinite = decided.map(|row| (row.model.to_owned(), row.example, row.constants, row.property, INFINITE));
    type Sized = (String, &'static str, &'static [&'static str], &'static str, &'static [&'static str]);
    let row = |(name, file, constants, property, engines): Sized| {
        let path = format!("{GALLERY}/{file}.gcl");
        let mut words: Vec<&str> = vec![&path, "-p", property];
        constants.iter().for_each(|constant| words.extend(["-D", constant]));
        Row::new(&name, &words, engines)
    };
    finite.chain(infinite).map(row).collect()
}

fn mutex() -> Vec<Row> {
    let is_there = |model: &str| Path::new(&format!("{MUTEX}/{model}.alt")).is_file();
    let rows = HIERARCHIES.iter().filter(|row| is_there(row.model));
    let row = |row: &crate::hierarchies::Hierarchy| {
        let (path, property) = (format!("{MUTEX}/{}.alt", row.model), format!("~({})", row.bad()));
        Row::new(&format!("mutex/{}", row.model), &[&path, "-p", &property], TREES)
    };
    rows.map(row).collect()
}

fn nets() -> Result<Vec<Row>, String> {
    let mut files = Vec::new();
    if Path::new(THREADS).is_dir() {
        tasks::collect(Path::new(THREADS), "spec", &mut files)?;
    }
    files.sort();
    let threads = files.iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Row::new(&format!("threads/{name}"), &[&path.display().to_string()], NETS)
    });
    let corpus = if Path::new(tasks::CORPUS).is_dir() { tasks::all()? } else { Vec::new() };
    let coverability = corpus.iter().map(|task| {
        let path = task.path.display().to_string();
        let initial = task.initial.iter().flat_map(|initial| ["--init", initial]);
        let words: Vec<&str> = std::iter::once(path.as_str()).chain(initial).collect();
        Row::new(&task.name, &words, NETS)
    });
    Ok(coverability.chain(threads).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_may_ask_for_one_property_only() {
        let row = Row::new("a.gcl", &["a.gcl"], MODELS);
        assert!(row.asks_all() && !row.only("low").asks_all());
        assert_eq!(row.only("low").arguments, ["a.gcl", "-p", "low"]);
    }

    #[test]
    fn sizes_are_those_of_the_other_tables() {
        assert_eq!(sizes().len(), rows::ROWS.len() + infinite::ROWS.len() - 1);
        let lift = sizes().into_iter().find(|row| row.name == "lift_8").expect("a row of the explicit table");
        assert_eq!(lift.arguments, ["examples/lift.gcl", "-p", "doors", "-D", "FLOORS=8"]);
    }
}

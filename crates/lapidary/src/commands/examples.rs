//! `lapidary examples`: the models that come with the program.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use lapidary_driver::Exit;
use lapidary_driver::languages::LANGUAGES;

use crate::args::{Examples, ExamplesAction};
use crate::console::Console;
use crate::words::quoted;

/// A model of the gallery, perhaps with a specification; the first line of its text says what it is.
pub struct Example {
    pub name: &'static str,
    /// Their names and texts; the model comes first.
    pub files: &'static [(&'static str, &'static str)],
}

impl Example {
    fn text(&self) -> &'static str {
        self.files[0].1
    }
}

macro_rules! gallery {
    ($($name:literal: $($file:literal),+;)*) => {
        [$(Example {
            name: $name,
            files: &[$(($file, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/", $file)))),+],
        }),*]
    };
}

pub const GALLERY: [Example; 22] = gallery![
    "peterson": "peterson.gcl";
    "dekker": "dekker.gcl";
    "bakery": "bakery.gcl";
    "ticket": "ticket.gcl";
    "lamport": "lamport.gcl";
    "burns": "burns.gcl";
    "philosophers": "philosophers.gcl";
    "token_ring": "token_ring.gcl";
    "buffer": "buffer.gcl";
    "lift": "lift.gcl";
    "rax": "rax.gcl";
    "ticket_unbounded": "ticket_unbounded.gcl";
    "bakery_unbounded": "bakery_unbounded.gcl";
    "thermostat": "thermostat.gcl";
    "crossing": "crossing.xsts";
    "traffic": "traffic.cfa";
    "tank": "tank.alt", "tank.spe";
    "msi": "msi.spec";
    "loops": "loops.spec";
    "lock": "lock.tts", "lock.prop";
    "workshop": "workshop.lola", "workshop.formula";
    "semaphore": "semaphore.pnml", "semaphore.xml";
];

pub fn run(args: &Examples, console: &mut Console) -> io::Result<Exit> {
    match &args.action {
        None | Some(ExamplesAction::List) => {
            console.out.text(&list())?;
            Ok(Exit::Success)
        }
        Some(ExamplesAction::Show { name }) => match find(name) {
            Some(example) => {
                console.out.text(example.text())?;
                Ok(Exit::Success)
            }
            None => unknown(name, console),
        },
        Some(ExamplesAction::Copy { name, directory }) => match find(name) {
            Some(example) => copy(example, directory, console),
            None => unknown(name, console),
        },
    }
}

fn find(name: &str) -> Option<&'static Example> {
    GALLERY.iter().find(|example| example.name == name || example.files[0].0 == name)
}

fn list() -> String {
    let width = GALLERY.iter().map(|example| example.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for example in &GALLERY {
        text.push_str(&format!("{:<width$}  {}\n", example.name, summary(example.text())));
    }
    text + "next: lapidary examples copy peterson\n"
}

/// The first sentence of the comment at its start.
fn summary(text: &str) -> String {
    // What an XML declaration says is no comment.
    let lines = text.lines().skip_while(|line| line.starts_with("<?"));
    let comment = lines.map_while(|line| LANGUAGES.iter().find_map(|language| line.strip_prefix(language.comment)));
    let comment = comment.map(|line| line.trim().trim_end_matches(['}', '>']).trim_end_matches("--").trim());
    let comment = comment.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    match comment.split_once(". ") {
        Some((sentence, _)) => format!("{sentence}."),
        None => comment,
    }
}

fn unknown(name: &str, console: &mut Console) -> io::Result<Exit> {
    let names = GALLERY.map(|example| example.name).join(", ");
    console.error(&format!("there is no example `{name}`; there are: {names}"))?;
    Ok(Exit::Usage)
}

fn copy(example: &Example, directory: &Path, console: &mut Console) -> io::Result<Exit> {
    let mut written = Vec::new();
    for (file, text) in example.files {
        let path = directory.join(file);
        let path = path.strip_prefix(".").unwrap_or(&path);
        let shown = path.display().to_string();
        let created = OpenOptions::new().write(true).create_new(true).open(path);
        match created.and_then(|mut file| file.write_all(text.as_bytes())) {
            Ok(()) => written.push(shown),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let name = example.name;
                let message = format!("{shown} is already there; name a directory: lapidary examples copy {name} DIR");
                console.error(&message)?;
                return Ok(Exit::Usage);
            }
            Err(error) => {
                console.error(&format!("cannot write {shown}: {error}"))?;
                return Ok(Exit::Input);
            }
        }
    }
    let words: Vec<String> = written.iter().map(|file| quoted(file)).collect();
    let next = if words.len() > 1 { format!("mec -b {}", words.join(" ")) } else { words.join(" ") };
    console.out.line(&format!("wrote {}; next: lapidary {next}", written.join(" and ")))?;
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_says_what_it_is() {
        for example in &GALLERY {
            assert!(summary(example.text()).len() > 10, "{} has no summary", example.name);
        }
    }
}

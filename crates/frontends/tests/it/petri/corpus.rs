//! Real models, which are not in this repository: all are read, without complaint.

use std::fs;
use std::path::{Path, PathBuf};

use lapidary_frontends::petri::{Language, Loaded};
use lapidary_reference::surroundings::corpus;

use super::{Input, good, load, show};

lapidary_reference::with_corpus!(
    all_specifications_are_read,
    all_thread_systems_are_read_with_their_targets_and_initial_states,
);

/// All files with a suffix, in order.
pub fn files(folder: &str, suffix: &str) -> Vec<PathBuf> {
    let mut folders = vec![corpus(&format!("coverability/{folder}"))];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|found| found == suffix) => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    files
}

/// A text; one of the files has names of people in an old encoding in its comments.
pub fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

/// A specification with its only warnings, if any.
pub fn specification(path: &Path) -> Loaded {
    let text = text(path);
    let (loaded, diagnostics, sources) =
        load(&path.to_string_lossy(), Language::Mist, &Input { text: &text, ..Input::default() });
    loaded.unwrap_or_else(|| panic!("{}", show(&diagnostics, &sources)))
}

fn all_specifications_are_read() {
    let files = files("mist", "spec");
    let (mut n_plain, mut n_bounded, mut n_warned) = (0, 0, 0);
    for path in &files {
        let text = text(path);
        let input = Input { text: &text, ..Input::default() };
        let (loaded, diagnostics, sources) = load(&path.to_string_lossy(), Language::Mist, &input);
        let loaded = loaded.unwrap_or_else(|| panic!("{}", show(&diagnostics, &sources)));
        n_warned += usize::from(!diagnostics.list.is_empty());
        n_plain += usize::from(loaded.net.is_plain());
        n_bounded += usize::from(loaded.net.upper_bound().is_some());
        // Nothing in these files needs a negative put: what is subtracted is always sure to be there.
        let is_negative = |&(_, tokens): &(_, i64)| tokens < 0;
        assert!(loaded.net.transitions.iter().all(|transition| !transition.put.iter().any(is_negative)), "{path:?}");
        assert_eq!(loaded.model.properties.len(), 1);
    }
    assert_eq!((files.len(), n_plain, n_bounded, n_warned), (36, 19, 4, 2));
}

/// A thread system with the target and the initial states of its test, and what bfc says of it.
pub fn thread_system(path: &Path) -> (Loaded, Option<Known>) {
    let text = fs::read_to_string(path).unwrap();
    let target = fs::read_to_string(path.with_extension("prop")).unwrap();
    let test = fs::read_to_string(path.with_file_name("test.desc")).unwrap();
    let mut words = test.split_whitespace().skip_while(|word| *word != "--init").skip(1);
    let initial = words.next().map(|word| word.trim_matches('"'));
    let input = Input { text: &text, properties: vec![("main.prop", &target)], initial, ..Input::default() };
    let (loaded, diagnostics, sources) = load(&path.to_string_lossy(), Language::Tts, &input);
    assert!(diagnostics.list.is_empty(), "{}", show(&diagnostics, &sources));
    let known = match () {
        () if test.contains("VERIFICATION SUCCESSFUL") => Some(Known::Safe),
        () if test.contains("VERIFICATION FAILED") => Some(Known::Unsafe),
        () => None,
    };
    // Without a target on the command line, bfc was not asked about it.
    (loaded.expect("no errors"), known.filter(|_| test.contains("--target")))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Safe,
    Unsafe,
}

fn all_thread_systems_are_read_with_their_targets_and_initial_states() {
    for path in files("tts", "tts") {
        assert_eq!(thread_system(&path).0.model.properties.len(), 1, "{path:?}");
    }
}

#[test]
fn the_examples_are_read_without_a_word() {
    let examples = [
        ("msi.spec", Language::Mist, None, 1),
        ("lock.tts", Language::Tts, Some("lock.prop"), 1),
        ("workshop.lola", Language::Lola, Some("workshop.formula"), 1),
        ("semaphore.pnml", Language::Pnml, Some("semaphore.xml"), 3),
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (name, language, file, n_properties) in examples {
        let net = text(&folder.join(name));
        let file = file.map(|file| (file, text(&folder.join(file))));
        let properties = file.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let loaded = good(language, &Input { text: &net, properties, ..Input::default() });
        assert_eq!(loaded.model.properties.len(), n_properties, "{name}");
    }
}

//! `lapidary init`: a commented model to start from, in the language that the suffix tells.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use lapidary_driver::Exit;
use lapidary_driver::languages::{self, LANGUAGES, Language, Starter};

use crate::args::Init;
use crate::console::Console;
use crate::words::quoted;

pub fn run(args: &Init, console: &mut Console) -> io::Result<Exit> {
    let shown = args.file.display().to_string();
    let Some((language, text, ask, why)) = starter(&args.file) else {
        let suffixes = languages::suffixes(|language| matches!(language.starter, Starter::Model { .. })).join(", ");
        console.error(&format!("{shown}: the suffix decides the language of the model; it is one of {suffixes}"))?;
        return Ok(Exit::Usage);
    };
    // Creating a new file, never opening an old one, leaves no moment in which one could be overwritten.
    let created = OpenOptions::new().write(true).create_new(true).open(&args.file);
    match created.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => {
            let model = quoted(&shown);
            let (check, simulate) = (format!("lapidary {model}{ask}"), format!("lapidary simulate {model} -i"));
            let width = check.len().max(simulate.len());
            console.out.line(&format!("wrote {shown}; next:"))?;
            console.out.line(&format!("  {check:<width$}    {why}"))?;
            console.out.line(&format!("  {simulate:<width$}    walk through it"))?;
            Ok(Exit::Success)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let other = language.suffix();
            console.error(&format!("{shown} is already there; name another file: lapidary init other.{other}"))?;
            Ok(Exit::Usage)
        }
        Err(error) => {
            console.error(&format!("cannot write {shown}: {error}"))?;
            Ok(Exit::Input)
        }
    }
}

/// A language, the text to start from, and what to ask about it.
type Start = (&'static Language, &'static str, &'static str, &'static str);

/// A file without a suffix has none that could mean another language.
fn starter(file: &Path) -> Option<Start> {
    let language = match file.extension() {
        None => LANGUAGES[0],
        // A starter has the suffix that is usual.
        Some(suffix) => LANGUAGES.into_iter().find(|language| suffix == language.suffix())?,
    };
    match language.starter {
        Starter::Model { text, ask, why } => Some((language, text, ask, why)),
        Starter::None(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use lapidary_base::Control;
    use lapidary_driver::{CheckRequest, LoadRequest, check, open_text};
    use lapidary_verdict::Verdict;

    use super::*;

    /// The starter of a language, perhaps changed, asked about formulas, or about its own properties.
    fn verdicts(suffix: &str, change: (&str, &str), properties: &[&str]) -> Vec<Verdict> {
        let path = format!("m.{suffix}");
        let (_, text, ..) = starter(Path::new(&path)).expect("a language");
        assert!(text.contains(change.0), "{suffix}");
        let properties = properties.iter().map(|&text| text.to_owned()).collect();
        let request = LoadRequest { path, properties, ..LoadRequest::default() };
        let loaded = open_text(&request, text.replacen(change.0, change.1, 1).into_bytes());
        let mut loaded = loaded.unwrap_or_else(|error| panic!("{suffix}: {}", error.render()));
        assert!(loaded.warnings.is_empty(), "{suffix}");
        if request.properties.is_empty() {
            loaded.asked = loaded.declared().properties.ids().collect();
        }
        let report = check(&loaded, &CheckRequest::default(), &Control::new());
        report.properties.iter().map(|property| property.verdict).collect()
    }

    #[test]
    fn every_starter_is_decided_and_breaks_where_it_says_so() {
        const H: Verdict = Verdict::Holds;
        const V: Verdict = Verdict::Violated;
        let same = ("", "");
        assert_eq!(verdicts("gcl", same, &[]), [H; 4]);
        assert_eq!(verdicts("gcl", ("turn = i &", ""), &[])[0], V);
        let house = ["not (A.on and B.on)", "reach B.warm", "deadlock_free"];
        assert_eq!(verdicts("alt", same, &house), [H; 3]);
        assert_eq!(verdicts("alt", ("not busy |- take", "true |- take"), &house)[0], V);
        assert_eq!(verdicts("xsts", same, &[]), [H]);
        assert_eq!(verdicts("xsts", (" && left == 0", ""), &[]), [V]);
        assert_eq!(verdicts("cfa", same, &[]), [H]);
        assert_eq!(verdicts("cfa", ("assume n > 0", "assume n >= 0"), &[]), [V]);
        assert_eq!(verdicts("spec", same, &[]), [H]);
        assert_eq!(verdicts("spec", same, &["reach readers >= 2"]), [H]);
        assert_eq!(verdicts("spec", ("readers = 0, writers = 0 ->", "writers = 0 ->"), &[]), [V]);
        assert_eq!(verdicts("tts", same, &[]), [H]);
        assert_eq!(verdicts("tts", same, &["reach l1 >= 1"]), [H]);
        assert_eq!(verdicts("tts", ("1 1 -> 0 0", "1 1 -> 0 0\n1 0 -> 1 1"), &[]), [V]);
        for suffix in ["lola", "pnml"] {
            let asked = ["full <= 2", "reach full = 2", "deadlock_free", "invariant full <= 1"];
            assert_eq!(verdicts(suffix, same, &asked), [H, H, H, V]);
        }
    }

    #[test]
    fn a_suffix_without_a_starter_is_told() {
        assert!(starter(Path::new("model.txt")).is_none());
        assert!(starter(Path::new("model")).is_some_and(|(language, ..)| language.suffix() == "gcl"));
    }
}

//! `lapidary init`: a commented model to start from, in the language that the suffix tells.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::args::Init;
use crate::console::Console;
use crate::exit::Exit;
use crate::words::quoted;

/// A model to start from.
struct Starter {
    suffix: &'static str,
    text: &'static str,
    /// What to ask about it first: the words behind the model, and what they mean. Nothing asks for the properties that
    /// the text has.
    ask: &'static str,
    why: &'static str,
}

const STARTERS: [Starter; 6] = [
    Starter { suffix: "gcl", text: include_str!("starter.gcl"), ask: "", why: "check its properties" },
    Starter {
        suffix: "alt",
        text: include_str!("starter.alt"),
        ask: " -p 'not (A.on and B.on)'",
        why: "check an invariant",
    },
    Starter { suffix: "spec", text: include_str!("starter.spec"), ask: "", why: "check its target" },
    Starter { suffix: "tts", text: include_str!("starter.tts"), ask: "", why: "check its target" },
    Starter { suffix: "pnml", text: include_str!("starter.pnml"), ask: " -p 'full <= 2'", why: "check an invariant" },
    Starter { suffix: "lola", text: include_str!("starter.lola"), ask: " -p 'full <= 2'", why: "check an invariant" },
];

pub fn run(args: &Init, console: &mut Console) -> io::Result<Exit> {
    let shown = args.file.display().to_string();
    let Some(starter) = starter(&args.file) else {
        let suffixes = STARTERS.map(|starter| format!(".{}", starter.suffix)).join(", ");
        console.error(&format!("{shown}: the suffix decides the language of the model; it is one of {suffixes}"))?;
        return Ok(Exit::Usage);
    };
    // Creating a new file, never opening an old one, leaves no moment in which one could be overwritten.
    let created = OpenOptions::new().write(true).create_new(true).open(&args.file);
    match created.and_then(|mut file| file.write_all(starter.text.as_bytes())) {
        Ok(()) => {
            let (model, Starter { ask, why, .. }) = (quoted(&shown), starter);
            let (check, simulate) = (format!("lapidary {model}{ask}"), format!("lapidary simulate {model} -i"));
            let width = check.len().max(simulate.len());
            console.out.line(&format!("wrote {shown}; next:"))?;
            console.out.line(&format!("  {check:<width$}    {why}"))?;
            console.out.line(&format!("  {simulate:<width$}    walk through it"))?;
            Ok(Exit::Success)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let other = starter.suffix;
            console.error(&format!("{shown} is already there; name another file: lapidary init other.{other}"))?;
            Ok(Exit::Usage)
        }
        Err(error) => {
            console.error(&format!("cannot write {shown}: {error}"))?;
            Ok(Exit::Input)
        }
    }
}

/// A file without a suffix has none that could mean another language.
fn starter(file: &Path) -> Option<&'static Starter> {
    let suffix = file.extension().map_or("gcl".into(), |suffix| suffix.to_string_lossy());
    STARTERS.iter().find(|starter| starter.suffix == suffix)
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
        let text = starter(Path::new(&path)).expect("a language").text;
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
        assert!(starter(Path::new("model")).is_some_and(|starter| starter.suffix == "gcl"));
    }
}

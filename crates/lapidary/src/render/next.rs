//! The `next:` line: a command that works as it is printed.

use std::path::Path;
use std::time::Duration;

use lapidary_base::Stop;
use lapidary_driver::Loaded;
use lapidary_verdict::{Evidence, PropertyReport, Reason};

use crate::units::{show_duration, show_size};
use crate::words::{TraceFormat, quoted};

/// What the user typed, as far as a repeated command needs it.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    pub defines: Vec<(String, String)>,
    pub timeout: Option<Duration>,
    /// The limit that was asked for: the default one depends on the machine and is never printed.
    pub memory: Option<u64>,
}

impl Invocation {
    /// `lapidary check MODEL -p PROPERTY -D N=3`
    fn check(&self, loaded: &Loaded, report: &PropertyReport) -> String {
        let property = quoted(&property_argument(loaded, report));
        format!("lapidary check {} -p {property}{}", quoted(&loaded.path), self.define_words())
    }

    fn on_model(&self, command: &str, loaded: &Loaded) -> String {
        format!("lapidary {command} {}{}", quoted(&loaded.path), self.define_words())
    }

    fn define_words(&self) -> String {
        self.defines.iter().map(|(name, value)| format!(" -D {}", quoted(&format!("{name}={value}")))).collect()
    }
}

/// What `-p` takes to mean this property: its name, or the formula itself where it came from the command line.
pub fn property_argument(loaded: &Loaded, report: &PropertyReport) -> String {
    let property = &loaded.model.properties[report.property];
    if property.span.source == loaded.source { property.name.clone() } else { property.text.clone() }
}

/// A file name made of a property's name: its letters, digits and dashes, with one `_` for whatever is between them.
pub fn file_stem(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| !word.is_empty());
    let stem: String = words.collect::<Vec<_>>().join("_").chars().take(40).collect();
    if stem.is_empty() { "trace".to_owned() } else { stem }
}

/// `written`: the file that this property's trace went to.
pub fn next_command(
    invocation: &Invocation,
    loaded: &Loaded,
    report: &PropertyReport,
    written: Option<&Path>,
) -> Option<String> {
    match &report.evidence {
        Evidence::Certificate(..) => None,
        Evidence::Trace(_) => Some(match written {
            Some(file) => show_file(file),
            None => {
                let name = &loaded.model.properties[report.property].name;
                format!("{} --trace-out {}.itf.json", invocation.check(loaded, report), file_stem(name))
            }
        }),
        Evidence::Nothing(reason) => Some(after_unknown(invocation, loaded, report, reason)),
    }
}

fn show_file(file: &Path) -> String {
    let name = quoted(&file.display().to_string());
    match TraceFormat::of(file) {
        Some(TraceFormat::Dot) => format!("dot -Tsvg -O {name}"),
        Some(TraceFormat::Text) => format!("less {name}"),
        Some(TraceFormat::Itf) | None => format!("lapidary trace {name} --full"),
    }
}

fn after_unknown(invocation: &Invocation, loaded: &Loaded, report: &PropertyReport, reason: &Reason) -> String {
    let check = invocation.check(loaded, report);
    match reason {
        Reason::Stopped(Stop::Timeout) => {
            let longer = invocation.timeout.unwrap_or(Duration::from_secs(60)).saturating_mul(4);
            format!("{check} --timeout {}", show_duration(longer))
        }
        Reason::Stopped(Stop::Memory) => match invocation.memory {
            Some(limit) => format!("{check} --memory {}", show_size(limit.saturating_mul(2))),
            // All the memory there is did not suffice; chance may still find a violation.
            None => format!("{} --steps 1000", invocation.on_model("simulate", loaded)),
        },
        Reason::Stopped(Stop::Interrupted) => check,
        // Bounding the integers is the cure, and `info` tells which variables have no bounds.
        Reason::Stopped(Stop::Overflow(_)) => invocation.on_model("info", loaded),
        Reason::Stopped(Stop::Incomplete(_)) => invocation.on_model("simulate", loaded),
        Reason::Refused(_) => format!("{check} --engine auto"),
        Reason::Unsupported(_) => invocation.on_model("info", loaded),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_formulas_make_usable_file_names() {
        assert_eq!(file_stem("mutex"), "mutex");
        assert_eq!(file_stem("second_goes"), "second_goes");
        assert_eq!(file_stem("x < 3 & y"), "x_3_y");
        assert_eq!(file_stem("<>"), "trace");
    }
}

//! What the harness was asked to do.

use std::path::PathBuf;

/// Shown after a mistake on the command line.
pub const USAGE: &str = "\
usage: bench explicit|altarica|pcegar|infinite|coverability|auto|before [--only TEXT]... [--json FILE]

  explicit      exhaustive search, side by side with Spin
  altarica      hierarchies on decision diagrams, side by side with NuSMV where it is on the path
  pcegar        cegar beside pcegar on the columns of the thesis' Table 4.1; renews the table in docs/benchmarks.md
  infinite      models with infinitely many states, beside Z3's Spacer where there is one; renews the table in docs/benchmarks.md
  coverability  nets with each engine, beside MIST and bfc where they are on the path; renews the table in docs/benchmarks.md
  auto          the portfolio beside the best single engine, on all of these; renews the table in docs/benchmarks.md
  before        all engines beside those of another commit, `./x bench before REVISION`; renews the table in docs/benchmarks.md
  --only TEXT   only the models whose name contains TEXT; several are alternatives
  --json FILE   also write every measured number to FILE";

/// A comparison the harness knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    AltaRica,
    Auto,
    Before,
    Coverability,
    Explicit,
    Infinite,
    Pcegar,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    pub command: Command,
    pub only: Vec<String>,
    pub json: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments, the program's own name left out.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let command = match arguments.next().as_deref() {
            Some("altarica") => Command::AltaRica,
            Some("auto") => Command::Auto,
            Some("before") => Command::Before,
            Some("coverability") => Command::Coverability,
            Some("explicit") => Command::Explicit,
            Some("infinite") => Command::Infinite,
            Some("pcegar") => Command::Pcegar,
            Some(other) => return Err(format!("there is no benchmark called `{other}`")),
            None => return Err("which benchmark?".to_owned()),
        };
        let mut options = Options { command, only: Vec::new(), json: None };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--only" => options.only.push(value()?),
                "--json" => options.json = Some(PathBuf::from(value()?)),
                other => return Err(format!("unknown argument `{other}`")),
            }
        }
        Ok(options)
    }

    /// Whether the model of this name is to be measured.
    pub fn selects(&self, model: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| model.contains(text.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, String> {
        Options::parse(words.iter().map(|&word| word.to_owned()))
    }

    #[test]
    fn filters_are_alternatives() {
        let options = parse(&["explicit", "--only", "lift", "--only", "burns_4"]).unwrap();
        assert!(options.selects("lift_8") && options.selects("burns_4"));
        assert!(!options.selects("burns_3"));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(parse(&["symbolic"]).unwrap_err(), "there is no benchmark called `symbolic`");
        assert_eq!(parse(&["explicit", "--json"]).unwrap_err(), "`--json` needs a value");
    }
}

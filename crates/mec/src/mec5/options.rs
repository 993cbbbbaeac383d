//! What `:set` changes.

/// An option with its documentation and the values it takes.
pub struct OptionData {
    pub name: &'static str,
    pub help: &'static str,
    pub values: Values,
    pub initial: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// A number, at least this.
    Number(u64),
    OneOf(&'static [&'static str]),
}

pub const OPTIONS: [OptionData; 2] = [
    OptionData {
        name: "engine",
        help: "what evaluates `with N do ... done`: decision diagrams, or sets of listed configurations",
        values: Values::OneOf(&["bdd", "explicit"]),
        initial: "bdd",
    },
    OptionData {
        name: "print-limit",
        help: "how many tuples `:rel-print` prints when it is not told",
        values: Values::Number(1),
        initial: "100",
    },
];

impl Values {
    pub fn accept(self, value: &str) -> bool {
        match self {
            Self::Number(least) => value.parse::<u64>().is_ok_and(|number| number >= least),
            Self::OneOf(values) => values.contains(&value),
        }
    }

    pub fn describe(self) -> String {
        match self {
            Self::Number(least) => format!("a number from {least} up"),
            Self::OneOf(values) => values.join(" or "),
        }
    }
}

/// The values of the options, in the order of [`OPTIONS`].
pub struct Options {
    values: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { values: OPTIONS.iter().map(|option| option.initial.to_owned()).collect() }
    }
}

impl Options {
    pub fn find(name: &str) -> Option<usize> {
        OPTIONS.iter().position(|option| option.name == name)
    }

    pub fn value(&self, option: usize) -> &str {
        &self.values[option]
    }

    pub fn named(&self, name: &str) -> &str {
        Self::find(name).map_or("", |option| self.value(option))
    }

    /// Values are checked with [`Values::accept`] before.
    pub fn set(&mut self, option: usize, value: &str) {
        self.values[option] = value.to_owned();
    }

    pub fn print_limit(&self) -> u64 {
        self.named("print-limit").parse().unwrap_or(u64::MAX)
    }
}

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
    /// Named alone it goes on.
    Switch,
    /// The name of a file, or none.
    File,
}

const SWITCH: [&str; 2] = ["on", "off"];

const fn option(name: &'static str, values: Values, initial: &'static str, help: &'static str) -> OptionData {
    OptionData { name, help, values, initial }
}

const fn switch(name: &'static str, help: &'static str) -> OptionData {
    option(name, Values::Switch, "off", help)
}

/// Those of abstraction refinement are named as in Chucri 2012, section 6.2.
pub const OPTIONS: [OptionData; 14] = [
    option(
        "engine",
        Values::OneOf(&["bdd", "explicit"]),
        "bdd",
        "what evaluates `with N do ... done`: decision diagrams, or sets of listed configurations",
    ),
    option("print-limit", Values::Number(1), "100", "how many tuples `:rel-print` prints when it is not told"),
    switch("cegar-use-cover-abstraction", "`:ar-cegar-init` makes a block of every predicate, and one of the rest"),
    switch("cegar-use-super-transition", "images of blocks are not cut down to the configurations"),
    switch("cegar-use-guards-as-predicates", "`:ar-cegar-init` also takes the atoms of all guards as predicates"),
    option("cegar-search-algorithm", Values::OneOf(&["BFS", "DFS"]), "BFS", "how counterexamples are searched for"),
    option("cegar-ce-analysis", Values::OneOf(&["FORWARD", "BACKWARD"]), "FORWARD", "how counterexamples are followed"),
    option(
        "cegar-abstraction-refinement-algorithm",
        Values::OneOf(&["DIRECT", "SIGMA"]),
        "DIRECT",
        "a block is split by what a counterexample comes to, or by its neighbour on it",
    ),
    switch("initial-certification", "blocks within INIT or ERR are certified"),
    switch("split-certification", "what DIRECT splits off is certified"),
    switch("feasibility-certification", "blocks that a counterexample fills are certified"),
    switch("cegar-use-must-and-clo", "blocks are certified along must transitions"),
    switch("cegar-print-iteration-stats", "`:ar-cegar-verify` prints a line for every iteration"),
    option("cegar-abstraction-print", Values::File, "off", "the abstraction of iteration I is written to FILE-I.dot"),
];

impl Values {
    /// The value as it is kept, if it is one. Case does not matter.
    pub fn accept(self, value: &str) -> Option<String> {
        let one_of = |values: &[&str]| {
            values.iter().find(|known| known.eq_ignore_ascii_case(value)).map(|&known| known.to_owned())
        };
        match self {
            Self::Number(least) => {
                value.parse::<u64>().ok().filter(|number| *number >= least).map(|number| number.to_string())
            }
            Self::OneOf(values) => one_of(values),
            Self::Switch => one_of(&SWITCH),
            Self::File if value.eq_ignore_ascii_case("on") || value.is_empty() => None,
            Self::File => Some(one_of(&["off"]).unwrap_or_else(|| value.to_owned())),
        }
    }

    pub fn describe(self) -> String {
        match self {
            Self::Number(least) => format!("a number from {least} up"),
            Self::OneOf(values) => values.join(" or "),
            Self::Switch => SWITCH.join(" or "),
            Self::File => "a file name or off".to_owned(),
        }
    }

    /// The values, where they are few.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            Self::Number(_) | Self::File => Vec::new(),
            Self::OneOf(values) => values.to_vec(),
            Self::Switch => SWITCH.to_vec(),
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
        debug_assert!(Self::find(name).is_some(), "{name} is no option");
        Self::find(name).map_or("", |option| self.value(option))
    }

    pub fn is_on(&self, name: &str) -> bool {
        self.named(name) == "on"
    }

    /// The file that an option names, unless it is off.
    pub fn file(&self, name: &str) -> Option<&str> {
        Some(self.named(name)).filter(|value| *value != "off")
    }

    /// Values are what [`Values::accept`] gives.
    pub fn set(&mut self, option: usize, value: String) {
        self.values[option] = value;
    }

    pub fn print_limit(&self) -> u64 {
        self.named("print-limit").parse().unwrap_or(u64::MAX)
    }
}

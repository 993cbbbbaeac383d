//! Nets of all languages: real ones are read, small ones become what they should, broken ones are explained.

mod broken;
mod corpus;
mod explored;
mod formulas;
mod languages;
mod printed;

use lapidary_frontends::asked::{Asked, Wording};
use lapidary_frontends::petri::{self, Language, Loaded, Options};
use lapidary_ir::{Destinations, Net, Range, Transition};
use lapidary_text::diagnostic::{Style, render};
use lapidary_text::{Diagnostics, Sources};

/// A text with what belongs to it: files of properties, formulas and initial states.
#[derive(Clone, Default)]
struct Input<'a> {
    text: &'a str,
    properties: Vec<(&'a str, &'a str)>,
    formulas: Vec<&'a str>,
    initial: Option<&'a str>,
}

fn load(name: &str, language: Language, input: &Input<'_>) -> (Option<Loaded>, Diagnostics, Sources) {
    let mut sources = Sources::default();
    let source = sources.add(name, input.text);
    let options = Options {
        properties: input.properties.iter().map(|&(name, text)| sources.add(name, text)).collect(),
        formulas: input
            .formulas
            .iter()
            .map(|&text| Asked {
                name: text.to_owned(),
                wording: Wording::Plain,
                source: sources.add("<formula>", text),
            })
            .collect(),
        initial: input.initial.map(|text| sources.add("<init>", text)),
    };
    let (loaded, diagnostics) = petri::load(&sources, source, language, &options);
    assert_eq!(loaded.is_none(), diagnostics.has_errors());
    if let Some(loaded) = &loaded {
        assert_eq!(loaded.net.validate(), Ok(()));
    }
    (loaded, diagnostics, sources)
}

fn show(diagnostics: &Diagnostics, sources: &Sources) -> String {
    diagnostics.list.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain) + "\n\n").collect()
}

/// A text that is read without a word.
fn good(language: Language, input: &Input<'_>) -> Loaded {
    let (loaded, diagnostics, sources) = load("m", language, input);
    assert!(diagnostics.list.is_empty(), "{}", show(&diagnostics, &sources));
    loaded.expect("there are no errors")
}

fn good_text(language: Language, text: &str) -> Loaded {
    good(language, &Input { text, ..Input::default() })
}

fn range(range: Range) -> String {
    match range.hi {
        None => format!(">={}", range.lo),
        Some(hi) if hi == range.lo => format!("={hi}"),
        Some(hi) => format!("={}..{hi}", range.lo),
    }
}

/// A transition on one line: `r1: [x>=2] -a -2b {c->d} {e->} +f`.
fn line(net: &Net, transition: &Transition) -> String {
    let name = |place| &net.places[place].name;
    let times = |n: u64| if n == 1 { String::new() } else { n.to_string() };
    let mut line = format!("{}:", transition.name);
    for guard in &transition.guards {
        line += &format!(" [{}{}]", name(guard.place), range(guard.range));
    }
    for &(place, tokens) in &transition.take {
        line += &format!(" -{}{}", times(tokens), name(place));
    }
    for flow in &transition.flows {
        let (sign, to): (&str, Vec<String>) = match &flow.to {
            Destinations::All(to) => ("+", to.iter().map(|&(place, n)| times(n) + name(place)).collect()),
            Destinations::One(to) => ("|", to.iter().map(|&place| name(place).clone()).collect()),
        };
        line += &format!(" {{{}->{}}}", name(flow.from), to.join(sign));
    }
    for &(place, tokens) in &transition.put {
        let sign = if tokens < 0 { "--" } else { "+" };
        line += &format!(" {sign}{}{}", times(tokens.unsigned_abs()), name(place));
    }
    line
}

fn lines(net: &Net) -> Vec<String> {
    net.transitions.iter().map(|transition| line(net, transition)).collect()
}

fn initial(net: &Net) -> String {
    let places = net.places.iter().zip(net.initial.iter());
    places.map(|(place, initial)| format!("{}{}", place.name, range(*initial))).collect::<Vec<String>>().join(" ")
}

/// The properties as `kind name: formula` with the formula of the model.
fn properties(loaded: &Loaded) -> Vec<String> {
    let written =
        petri::print::formulas(&loaded.net, &loaded.model, &loaded.combinations).expect("what is read can be written");
    written.into_iter().map(|(name, formula)| format!("{name}: {formula}")).collect()
}

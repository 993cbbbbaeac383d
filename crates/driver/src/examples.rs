//! What to ask about a model that asks nothing itself: commands that work for this model, in its language.

use lapidary_ir::{Declarations, Domain, Life, Net, Var};

use crate::load::Loaded;

/// A command about the model, without its path and the options that it was read with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    pub asks: Asks,
    /// What it answers, for people.
    pub meaning: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asks {
    /// `check -p FORMULA`
    Property(String),
    /// `simulate -i`
    Walk,
    /// `info`
    Overview,
}

/// How a language writes conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    Gcl,
    Xsts,
    AltaRica,
    Cfa,
    /// No formulas can be given.
    None,
}

/// Three commands to begin with.
pub(crate) fn of(loaded: &Loaded, notation: Notation) -> Vec<Example> {
    let asked = |formula: String, meaning: String| Example { asks: Asks::Property(formula), meaning };
    let mut examples = match (loaded.subject.net(), notation) {
        (Some(net), _) => of_net(net),
        (None, Notation::Gcl) => {
            let second = asked("no_errors".to_owned(), "does no step go wrong?".to_owned());
            condition(loaded.declared(), notation).into_iter().chain([second]).collect()
        }
        (None, Notation::Xsts) => {
            let second = asked("deadlock_free".to_owned(), "is some step always possible?".to_owned());
            condition(loaded.declared(), notation).into_iter().chain([second]).collect()
        }
        (None, Notation::AltaRica) => {
            let second = asked("deadlock_free".to_owned(), "is some event always possible?".to_owned());
            condition(loaded.declared(), notation).into_iter().chain([second]).collect()
        }
        (None, Notation::Cfa) => {
            let second = asked("deadlock_free".to_owned(), "is there always an edge to take?".to_owned());
            condition(loaded.declared(), notation).into_iter().chain([second]).collect()
        }
        (None, Notation::None) => Vec::new(),
    };
    examples.push(Example { asks: Asks::Walk, meaning: "walk through the model".to_owned() });
    if examples.len() < 3 {
        examples.push(Example { asks: Asks::Overview, meaning: "what was understood".to_owned() });
    }
    examples
}

/// A condition on the first variable that can be written without quotes.
fn condition(model: &Declarations, notation: Notation) -> Option<Example> {
    let is_told = |var: &&Var| {
        let has_words = !matches!(var.domain, Domain::Bits(_) | Domain::Array(_));
        is_plain(&var.name) && stands_in_text(var) && has_words
    };
    let Var { name, domain, .. } = model.vars.iter().find(is_told)?;
    let not = match notation {
        Notation::Gcl | Notation::Xsts => "!",
        Notation::AltaRica | Notation::Cfa | Notation::None => "not ",
    };
    let unequal = if notation == Notation::Cfa { "/=" } else { "!=" };
    let (formula, meaning) = match *domain {
        Domain::Bool => (format!("{not}{name}"), format!("does {name} stay false?")),
        Domain::Range { lo, hi } if lo < hi => (format!("{name} < {hi}"), format!("does {name} stay below {hi}?")),
        Domain::Range { lo, .. } => (format!("{name} = {lo}"), format!("does {name} stay {lo}?")),
        Domain::Int => (format!("{name} >= 0"), format!("does {name} stay above -1?")),
        // Languages write their constants in different ways.
        Domain::Bits(_) | Domain::Array(_) => return None,
        Domain::Enum(id) => {
            // Capital letters are only a matter of taste in names of locations.
            let can_stand = |literal: &&String| notation == Notation::Cfa || is_plain(literal);
            let literal = model.enums[id].literals.iter().rev().find(can_stand)?;
            (format!("{name} {unequal} {literal}"), format!("is {name} never {literal}?"))
        }
    };
    Some(Example { asks: Asks::Property(formula), meaning })
}

/// Whether a variable was declared, and not only for a while.
fn stands_in_text(var: &Var) -> bool {
    var.life == Life::State && var.span.start < var.span.end
}

fn of_net(net: &Net) -> Vec<Example> {
    let mut examples = Vec::new();
    if let Some((place, found)) = net.places.enumerated().find(|(_, place)| is_plain(&place.name)) {
        let most = net.initial[place].hi.unwrap_or(net.initial[place].lo).max(1);
        let meaning = match most {
            1 => format!("is there never more than one token in {}?", found.name),
            _ => format!("are there never more than {most} tokens in {}?", found.name),
        };
        examples.push(Example { asks: Asks::Property(format!("AG {} <= {most}", found.name)), meaning });
    }
    let meaning = "can some transition always fire?".to_owned();
    examples.push(Example { asks: Asks::Property("AG NOT DEADLOCK".to_owned()), meaning });
    examples
}

/// Whether a name can stand in a formula of any language as it is: `turn`, `flag[1]`, `P[0].pc`; words in capitals are
/// operators of some.
fn is_plain(name: &str) -> bool {
    let is_part = |part: &str| {
        let word = part.split('[').next().unwrap_or("");
        let mut letters = word.bytes();
        letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
            && (word.len() < 2 || !word.bytes().all(|letter| letter.is_ascii_uppercase()))
            && part[word.len()..].bytes().all(|byte| byte.is_ascii_digit() || b"[]".contains(&byte))
    };
    name.split('.').all(is_part)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::load::{LoadRequest, open, open_text};

    #[test]
    fn what_is_proposed_can_be_asked_of_every_model_of_the_gallery() {
        let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let mut n_asked = 0;
        for entry in fs::read_dir(gallery).unwrap() {
            let path = entry.unwrap().path().display().to_string();
            let Some(language) = crate::languages::of(&path) else { continue };
            let notation = language.notation;
            let request = LoadRequest { path: path.clone(), ..LoadRequest::default() };
            let loaded = open(&request).unwrap_or_else(|error| panic!("{}", error.render()));
            let examples = of(&loaded, notation);
            assert_eq!(examples.len(), 3, "{path}");
            let formulas = examples.iter().filter_map(|example| match &example.asks {
                Asks::Property(formula) => Some(formula.clone()),
                Asks::Walk | Asks::Overview => None,
            });
            let properties: Vec<String> = formulas.collect();
            n_asked += properties.len();
            let asked = open(&LoadRequest { properties, ..request });
            assert!(asked.is_ok(), "{path}: {}", asked.err().map(|error| error.render()).unwrap_or_default());
        }
        assert!(n_asked >= 30, "only {n_asked} formulas were tried");
    }

    #[test]
    fn conditions_are_written_as_their_language_has_them() {
        let first = |path: &str, text: &str, notation| {
            let request = LoadRequest { path: path.to_owned(), ..LoadRequest::default() };
            let Ok(loaded) = open_text(&request, text.as_bytes().to_vec()) else { panic!("{text} is fine") };
            of(&loaded, notation).swap_remove(0).asks
        };
        let asks = |formula: &str| Asks::Property(formula.to_owned());
        assert_eq!(first("m.gcl", "var on : bool;", Notation::Gcl), asks("!on"));
        assert_eq!(first("m.gcl", "var x : 2..5; a: true -> x := 2;", Notation::Gcl), asks("x < 5"));
        assert_eq!(first("m.gcl", "var c : { red, green };", Notation::Gcl), asks("c != green"));
        assert_eq!(first("m.gcl", "process P(i : 0..1) { var n : int; }", Notation::Gcl), asks("P[0].n >= 0"));
        let lamp = "node Lamp state on : bool; edon node Room sub left : Lamp; edon";
        assert_eq!(first("m.alt", lamp, Notation::AltaRica), asks("not left.on"));
        let net = "vars x rules true -> x' = x + 1; init x = 3";
        assert_eq!(first("m.spec", net, Notation::None), asks("AG x <= 3"));
    }
}

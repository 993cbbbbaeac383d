//! What a user should know about a verdict although it is right.

use std::cell::Cell;
use std::collections::BTreeSet;

use lapidary_base::{Control, Stop};
use lapidary_engines::Outcome;
use lapidary_ir::{CommandId, PropertyId, Statement};
use lapidary_system::initial::{self, Wanted};
use lapidary_text::{SourceId, Span};
use lapidary_verdict::{Certificate, Vacuity};

use crate::load::Loaded;

/// More names than this are counted instead of listed.
const MAX_NAMES: usize = 5;

/// What the checker cannot vouch for: that a set of a specification is what its definition says.
pub fn evaluation(loaded: &Loaded, property: PropertyId) -> Vec<String> {
    let evaluated = loaded.evaluated.contains(&property);
    let words = "the set was computed from its definition; the evidence is about the configurations that were found";
    if evaluated { vec![words.to_owned()] } else { Vec::new() }
}

/// To find an initial state may take longer than to decide a property: a warning is not worth more tries than this.
const MOST_TRIES: u64 = 1 << 18;
/// The same where a start is followed, in looks at the limits.
const MOST_LOOKS: u64 = 1 << 8;

/// Without a search: is there a state to speak about? Where that cannot be told there is nothing to warn of.
pub fn vacuity_of_trivial(loaded: &Loaded, control: &Control) -> Option<Vacuity> {
    if loaded.declared().start != Statement::Skip {
        return started_nowhere(loaded, control).then_some(Vacuity::NoInitialState);
    }
    match initial::is_some(loaded.declared(), Wanted::Initial, MOST_TRIES, control) {
        Ok(Some(false)) => Some(nothing(loaded, control)),
        Ok(Some(true) | None) | Err(_) => None,
    }
}

/// Whether the start is known to lead nowhere: the checker follows it, for a while.
fn started_nowhere(loaded: &Loaded, control: &Control) -> bool {
    let n_looks = Cell::new(0);
    let look = || {
        n_looks.set(n_looks.get() + 1);
        if n_looks.get() > MOST_LOOKS { Err(Stop::Interrupted) } else { control.check() }
    };
    let Ok(model) = loaded.subject.model(control) else { return false };
    lapidary_checker::has_initial_state(model, &look) == Ok(false)
}

/// There is no initial state: because the assertions of a hierarchy exclude everything, or because of how it begins. Where
/// that takes too long to tell, the second is true as well.
fn nothing(loaded: &Loaded, control: &Control) -> Vacuity {
    let is_empty = |wanted| matches!(initial::is_some(loaded.declared(), wanted, MOST_TRIES, control), Ok(Some(false)));
    match loaded.subject.tree().is_some() && is_empty(Wanted::Configuration) {
        true => Vacuity::NoConfiguration,
        false => Vacuity::NoInitialState,
    }
}

/// After a proof: was there anything to speak about?
pub fn vacuity(loaded: &Loaded, outcome: &Outcome, control: &Control) -> Option<Vacuity> {
    let Outcome::Excluded(certificate) = outcome else { return None };
    match certificate.told().is_empty() {
        Some(is_empty) => is_empty.then(|| nothing(loaded, control)),
        None => vacuity_of_trivial(loaded, control),
    }
}

/// After a proof: some command could never happen.
pub fn never_enabled(loaded: &Loaded, outcome: &Outcome, never_enabled: &[CommandId]) -> Vec<String> {
    let Outcome::Excluded(_) = outcome else { return Vec::new() };
    let dead = never_enabled_anywhere(loaded, never_enabled);
    match dead.len() {
        0 => Vec::new(),
        1 => vec![format!("command {} is never enabled", dead[0])],
        n if n <= MAX_NAMES => vec![format!("commands {} are never enabled", dead.join(", "))],
        n => vec![format!("{n} commands are never enabled: {}, ...", dead[..MAX_NAMES].join(", "))],
    }
}

/// Source commands none of whose instances was ever enabled: label and line.
fn never_enabled_anywhere(loaded: &Loaded, never_enabled: &[CommandId]) -> Vec<String> {
    // Of a hierarchy, commands are told by who has looked at its flattening.
    let Some(model) = loaded.subject.made_model() else { return Vec::new() };
    let mut enabled: Vec<(SourceId, u32)> = Vec::new();
    let place = |span: Span| (span.source, span.start);
    let mut silent = never_enabled.iter().peekable();
    for (id, command) in model.commands.enumerated() {
        if silent.next_if(|&&never| never == id).is_none() {
            enabled.push(place(command.span));
        }
    }
    enabled.sort_unstable();
    let mut names: Vec<String> = Vec::new();
    let mut named = BTreeSet::new();
    for &id in never_enabled {
        let command = &model.commands[id];
        if enabled.binary_search(&place(command.span)).is_err() && named.insert(place(command.span)) {
            let file = match command.span.source == loaded.source {
                true => String::new(),
                false => format!(" of {}", loaded.sources.short_name(command.span.source)),
            };
            names.push(format!("{} (line {}{file})", command.label, loaded.sources.place(command.span).line));
        }
    }
    names
}

/// What is said of evidence about a hierarchy that has no meaning by the composition of its components: it was checked, but not
/// where hierarchies have theirs.
pub fn on_flattening_only(loaded: &Loaded, certificate: &Certificate) -> Option<&'static str> {
    let is_so = certificate.told().is_flat() && loaded.subject.tree().is_some();
    is_so.then_some("its evidence was checked on the flattening of the hierarchy only")
}

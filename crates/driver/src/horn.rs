//! A model and one of its properties as constrained Horn clauses, for other solvers: what `convert` writes to `.smt2`.

use lapidary_base::{Control, Stop};
use lapidary_engines::Target;
use lapidary_ir::passes::NoModel;
use lapidary_ir::{Declarations, PropertyId, PropertyKind};
use lapidary_smt::Terms;
use lapidary_smt::encode::Halt;
use lapidary_smt::horn::{self, Query};
use lapidary_text::{Origin, Span};

use crate::asking;
use crate::load::Loaded;
use crate::question::{Question, question};

/// Of files with clauses. No language has it: they are not read.
pub const SUFFIX: &str = "smt2";

/// Why there are no clauses.
#[derive(Debug)]
pub enum Unwritten {
    /// It must be said which property is meant.
    Unasked(String),
    /// The property, or the model, is none for clauses.
    Unsupported(String),
    Stopped(Stop),
}

/// The clauses that say of the property that is asked for, or of the only one of the model, whether it holds.
pub fn written(loaded: &Loaded, control: &Control) -> Result<String, Unwritten> {
    let property = asked(loaded)?;
    let (query, left_out) = match question(&loaded.subject, property) {
        Question::Never(target) => (target, None),
        Question::Eventually { goal, errs } => (goal, errs.map(|_| ERRS_UNASKED)),
        Question::Temporal => {
            let name = &loaded.declared().properties[property].name;
            let why = format!("{name} is about infinite runs, and Horn clauses say which states can be reached");
            return Err(Unwritten::Unsupported(why));
        }
    };
    let query = match query {
        Target::States(condition) => Query::States(condition),
        Target::Deadlocks => Query::Deadlocks,
    };
    let model = loaded.subject.model(control).map_err(|none| match none {
        NoModel::Stopped(stop) => Unwritten::Stopped(stop),
        NoModel::TooLarge(refused) => {
            let path = &loaded.path;
            Unwritten::Unsupported(format!("{path} is too large to be written as one model: it has {}", refused.what))
        }
    })?;
    let clauses = horn::clauses(Terms::new(model), query, control).map_err(|halt| match halt {
        Halt::Stopped(stop) => Unwritten::Stopped(stop),
        Halt::TooMuch(refused) => Unwritten::Unsupported(refused.what),
    })?;
    clauses.text(&comments(loaded, property, left_out), control).map_err(|stop| match stop {
        Stop::Incomplete(why) => Unwritten::Unsupported(why),
        stop => Unwritten::Stopped(stop),
    })
}

/// The property that the file is about.
fn asked(loaded: &Loaded) -> Result<PropertyId, Unwritten> {
    let model = loaded.declared();
    if let Some(&whole) = loaded.combinations.asked.first() {
        let whole = &loaded.combinations.all[whole];
        let parts = whole.junction.words(model);
        let why = format!("{} is made of several properties; -p with one of its parts: {parts}", whole.name);
        return Err(Unwritten::Unasked(why));
    }
    let path = &loaded.path;
    match &loaded.asked[..] {
        [only] => return Ok(*only),
        [] => {}
        [..] => return Err(Unwritten::Unasked("the clauses of one file are about one property".to_owned())),
    }
    // What every language adds by itself stands nowhere in the text.
    let stands_in_text = |span: Span| span.start < span.end;
    let all: Vec<PropertyId> = model.properties.ids().filter(|&id| stands_in_text(model.properties[id].span)).collect();
    match &all[..] {
        [only] => Ok(*only),
        [] => Err(Unwritten::Unasked(format!("{path} has no property to ask about; -p gives one"))),
        several => {
            let names: Vec<&str> = several.iter().map(|&id| model.properties[id].name.as_str()).collect();
            let names = names.join(", ");
            Err(Unwritten::Unasked(format!("the clauses of one file are about one property; -p says which: {names}")))
        }
    }
}

/// Where evaluating a property that asks for a run may go wrong.
const ERRS_UNASKED: &str = "That the property can be evaluated in every reachable state is not among what is asked.";

/// What the clauses are about, what the answers mean, and what is left out.
fn comments(loaded: &Loaded, property: PropertyId, left_out: Option<&str>) -> Vec<String> {
    let model = loaded.declared();
    let asked = &model.properties[property];
    let is_typed = loaded.sources.get(asked.span.source).origin == Origin::Option;
    let what = match (is_typed, asked.text.is_empty()) {
        (true, _) => asking::written(asked),
        (false, true) => format!("{} {}", asked.kind.word(), asked.name),
        (false, false) => format!("{} {}: {}", asked.kind.word(), asked.name, asked.text),
    };
    let title = format!("Horn clauses of {}: {what}", loaded.title());
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut comments = vec![title, meaning(&asked.kind).to_owned()];
    comments.extend(left_out.map(str::to_owned));
    comments.extend(literals(model));
    comments
}

fn meaning(kind: &PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Invariant(_) => {
            "sat: it holds, every reachable state satisfies it. unsat: some reachable state does not."
        }
        PropertyKind::Reach(_) => "unsat: it holds, some reachable state satisfies it. sat: no reachable state does.",
        PropertyKind::DeadlockFree => {
            "sat: it holds, every reachable state has a step. unsat: some reachable state has none."
        }
        PropertyKind::NoErrors => "sat: it holds, no command errs in a reachable state. unsat: some command does.",
        PropertyKind::Ltl(_) => "sat or unsat: nothing is said of infinite runs.",
    }
}

/// The numbers that stand for literals.
fn literals(model: &Declarations) -> Vec<String> {
    let numbered = model.enums.iter().map(|of| {
        let literals: Vec<String> =
            of.literals.iter().enumerate().map(|(i, literal)| format!("{i} {literal}")).collect();
        let name = if of.name.is_empty() { "an enumeration" } else { &of.name };
        format!("{name}: {}", literals.join(", "))
    });
    numbered.collect()
}

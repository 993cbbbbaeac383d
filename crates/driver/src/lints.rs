//! What a hierarchy's assertions leave open or forbid, told to its author.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lapidary_base::control::Pace;
use lapidary_base::{Control, Stop};
use lapidary_bdd::Capacity;
use lapidary_engines::symbolic::capacity;
use lapidary_frontends::altarica::codes;
use lapidary_ir::{Tree, VarId};
use lapidary_system::symbolic::flows::{Example, Finding, findings};
use lapidary_text::Diagnostic;

use crate::load::Loaded;

/// At most so many variables of an example are shown.
const SHOWN: usize = 12;

/// Warnings about flows that assertions do not determine, and about states without any flows.
pub fn lints(loaded: &Loaded, control: &Control) -> Result<Vec<Diagnostic>, Stop> {
    found(loaded, capacity(control, 1), control)
}

/// What a look before a check may take, in looks at the limits: a tenth of a second, mostly much less.
const MOST_WORK: u64 = 1000;

/// And in room.
const SMALL: Capacity = Capacity { nodes: 1 << 17, cache: 1 << 14, threads: 1 };

/// At most so many are told before a check.
const MOST_TOLD: usize = 5;

/// The same if it is found at once, otherwise nothing: a verdict does not wait for warnings.
pub(crate) fn quick(loaded: &Loaded, control: &Control) -> Vec<Diagnostic> {
    with_allowance(loaded, MOST_WORK, control)
}

fn with_allowance(loaded: &Loaded, work: u64, control: &Control) -> Vec<Diagnostic> {
    let part = control.child(1);
    let allowance = Allowance { left: AtomicU64::new(work), part: part.clone() };
    let mut told = found(loaded, SMALL, &part.with_pace(Arc::new(allowance))).unwrap_or_default();
    let n_more = told.len().saturating_sub(MOST_TOLD);
    if let Some(next) = told.get(MOST_TOLD).filter(|_| n_more > 1) {
        let message = format!("{n_more} more of these are not shown");
        let closing = Diagnostic::warning(codes::TOO_MANY, message, next.labels[0].0, "the next one is here");
        told.truncate(MOST_TOLD);
        told.push(closing.with_help("`lapidary info` shows all of them"));
    }
    told
}

/// Ends a part of a run when its work is done.
struct Allowance {
    left: AtomicU64,
    part: Control,
}

impl Pace for Allowance {
    fn spend(&self, work: u64) -> Option<u64> {
        let take = |left: u64| Some(left.saturating_sub(work));
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok_and(|left| left <= work) {
            self.part.cancel();
        }
        None
    }

    fn pass(&self) {}
}

fn found(loaded: &Loaded, capacity: Capacity, control: &Control) -> Result<Vec<Diagnostic>, Stop> {
    let Some(tree) = loaded.subject.tree() else { return Ok(Vec::new()) };
    let found = findings(tree, capacity, control)?;
    // An input of the root is free on purpose.
    let is_told = |finding: &&Finding| match finding {
        Finding::Free { flow, .. } => !loaded.is_input(*flow),
        Finding::Contradiction { .. } | Finding::Unsatisfiable { .. } => true,
    };
    Ok(found.iter().filter(is_told).map(|finding| diagnostic(tree, finding)).collect())
}

fn diagnostic(tree: &Tree, finding: &Finding) -> Diagnostic {
    match finding {
        Finding::Free { flow, values: (first, second), states } => {
            let var = &tree.vars[*flow];
            let message = format!("nothing determines the flow `{}`", var.name);
            let (first, second) = (show(tree, *flow, *first), show(tree, *flow, *second));
            let label = format!("it may be {first} or {second}{}", example(tree, states));
            Diagnostic::warning("alt093", message, var.span, label)
                .with_help("an assertion is missing; a flow of the root that is declared `: in` is free on purpose")
        }
        Finding::Contradiction { assertion, flow, states } => {
            let what = match flow {
                Some(flow) => format!("no value of the flow `{}` satisfies the assertions", tree.vars[*flow].name),
                None => "the assertions contradict each other".to_owned(),
            };
            let label = format!("this one fails{}", example(tree, states));
            Diagnostic::warning("alt094", format!("{what} in some states"), assertion.span, label)
                .with_help("transitions into such states cannot be fired")
        }
        Finding::Unsatisfiable { assertion } => {
            let message = "nothing satisfies the assertions";
            Diagnostic::warning("alt099", message, assertion.span, "not this one together with those before it")
                .with_help("the model has no configuration, so there is nothing to check")
        }
    }
}

fn show(tree: &Tree, var: VarId, value: i64) -> String {
    tree.vars[var].domain.show(&tree.enums, tree.exprs.values(), value)
}

/// ` where a = 1, b = up`
fn example(tree: &Tree, states: &Example) -> String {
    let shown =
        states.iter().take(SHOWN).map(|&(var, value)| format!("{} = {}", tree.vars[var].name, show(tree, var, value)));
    let words: Vec<String> = shown.collect();
    match (words.is_empty(), states.len() > SHOWN) {
        (true, _) => String::new(),
        (false, false) => format!(" where {}", words.join(", ")),
        (false, true) => format!(" where {}, ...", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{LoadRequest, open_text};

    fn told(text: &str, work: u64) -> Vec<&'static str> {
        let request = LoadRequest { path: "m.alt".to_owned(), ..LoadRequest::default() };
        let loaded = open_text(&request, text.into()).unwrap_or_else(|error| panic!("{}", error.render()));
        let found = with_allowance(&loaded, work, &Control::new());
        found.iter().map(|diagnostic| diagnostic.code).collect()
    }

    #[test]
    fn what_assertions_leave_open_or_forbid_is_told_before_a_check() {
        let node = |body: &str| format!("node A state x : [0, 3]; flow f : [0, 4]; {body} edon");
        assert_eq!(told(&node(""), MOST_WORK), ["alt093"]);
        assert_eq!(told(&node("assert f = x;"), MOST_WORK), [""; 0]);
        assert_eq!(told(&node("assert f = x + 2;"), MOST_WORK), ["alt094"]);
        assert_eq!(told(&node("assert x > f; f > 2; x < 3;"), MOST_WORK), ["alt099"]);
        assert_eq!(told(&node("assert x > 5;"), MOST_WORK), ["alt099"]);
        assert_eq!(told("node A flow f, g : bool : in; h : bool[2] : in; edon", MOST_WORK), [""; 0]);
        let below = "node A flow f : bool : in; edon node B sub a : A; edon";
        assert_eq!(told(below, MOST_WORK), ["alt093"], "only the root has an outside");
    }

    #[test]
    fn a_check_does_not_wait_for_its_warnings() {
        let flows: String = (0..9).map(|i| format!("f{i}, ")).collect();
        let text = format!("node A flow {flows} last : bool; edon");
        assert_eq!(told(&text, 0), [""; 0]);
        let told = told(&text, MOST_WORK);
        assert_eq!((told.len(), told.last()), (MOST_TOLD + 1, Some(&codes::TOO_MANY)));
    }
}

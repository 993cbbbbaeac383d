//! What a hierarchy's assertions leave open or forbid, told to its author.

use lapidary_base::{Control, Stop};
use lapidary_engines::symbolic::capacity;
use lapidary_ir::{Tree, VarId};
use lapidary_system::symbolic::flows::{Example, Finding, findings};
use lapidary_text::Diagnostic;

use crate::load::Loaded;

/// At most so many variables of an example are shown.
const SHOWN: usize = 12;

/// Warnings about flows that assertions do not determine, and about states without any flows.
pub fn lints(loaded: &Loaded, control: &Control) -> Result<Vec<Diagnostic>, Stop> {
    let Some(hierarchy) = &loaded.hierarchy else { return Ok(Vec::new()) };
    let tree = &*hierarchy.tree;
    let found = findings(tree, capacity(control, 1), control)?;
    Ok(found.iter().map(|finding| diagnostic(tree, finding)).collect())
}

fn diagnostic(tree: &Tree, finding: &Finding) -> Diagnostic {
    match finding {
        Finding::Free { flow, values: (first, second), states } => {
            let var = &tree.vars[*flow];
            let message = format!("nothing determines the flow `{}`", var.name);
            let (first, second) = (show(tree, *flow, *first), show(tree, *flow, *second));
            let label = format!("it may be {first} or {second}{}", example(tree, states));
            Diagnostic::warning("alt093", message, var.span, label)
                .with_help("an input of the root is free on purpose; otherwise an assertion is missing")
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
    }
}

fn show(tree: &Tree, var: VarId, value: i64) -> String {
    tree.vars[var].domain.show(&tree.enums, value)
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

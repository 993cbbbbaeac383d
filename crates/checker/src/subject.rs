//! Which meaning evidence is judged by: that of the model, of the net or of the hierarchy that it is about.
//!
//! A run of a hierarchy, and a set of its configurations, are followed by the composition of its components, which needs no
//! flattening. What speaks of the commands of the flattening, formulas and lists of states, is checked there.

use std::sync::Arc;

use lapidary_base::{Control, Stop};
use lapidary_ir::passes::NoModel;
use lapidary_ir::{CountedNet, Hierarchy, Model, Net, PropertyId, PropertyKind, Subject};
use lapidary_verdict::{Certificate, Checked, Child, Diagram, Trace, Verdict};

use crate::budget::Budget;
use crate::certify::{Claim, Means, certify_model_claims};
use crate::components::{certify_components, certify_diagram_on_tree};
use crate::net::{certify_bounds, certify_net, replay_net_run};
use crate::replay::{check_claim, check_last, check_value, replay_model_run_within};
use crate::tree::{certify_tree, check_stuck, replay_tree};
use crate::{Rejection, finding};

/// What may be spent on following a list on the tree: enough for some hundred thousand configurations, which takes
/// minutes. Of longer lists a sample is followed, and the report says so.
const MOST_UNITS_ON_TREE: u64 = 2_000_000_000;

/// Is `trace` a run that shows `verdict` for the property?
pub fn replay(
    subject: &Subject,
    property: PropertyId,
    verdict: Verdict,
    trace: &Trace,
    control: &Control,
) -> Result<(), Rejection> {
    check_claim(subject.declared(), property, trace)?;
    replay_run(subject, trace, control)?;
    match subject {
        Subject::Model(model) | Subject::Net(CountedNet { model, .. }) => {
            check_last(model, property, verdict, trace.last(), control)
        }
        Subject::Tree(hierarchy) => {
            let declared = subject.declared();
            match &declared.properties[property].kind {
                PropertyKind::Invariant(_) | PropertyKind::Reach(_) => {
                    check_value(declared, property, verdict, trace.last())
                }
                PropertyKind::DeadlockFree => {
                    check_stuck(&hierarchy.tree, &declared.properties[property], verdict, trace.last(), control)
                }
                PropertyKind::NoErrors => {
                    Err(Rejection::Wrong("no step of a hierarchy errs: where it would, it is none".to_owned()))
                }
                PropertyKind::Ltl(_) => Err(finding::unsupported(&declared.properties[property])),
            }
        }
    }
}

/// Is `trace` a run, whatever it shows? With a loop: every step is one, and the last leads back to where the loop starts.
pub fn replay_run(subject: &Subject, trace: &Trace, control: &Control) -> Result<(), Rejection> {
    match subject {
        Subject::Model(model) => replay_model_run_within(model, trace, control),
        Subject::Tree(hierarchy) => replay_tree(&hierarchy.tree, trace, control),
        Subject::Net(CountedNet { net, model, .. }) => {
            replay_net_run(net, model, trace, control)?;
            // Where tokens choose where they go, a state of the model does not say what was chosen.
            if Net::has_choices(net) { Ok(()) } else { replay_model_run_within(model, trace, control) }
        }
    }
}

/// Does the certificate show all the claims?
pub fn certify(
    subject: &Subject,
    claims: &[Claim],
    certificate: &Certificate,
    means: &Means<'_>,
) -> Result<Checked, Rejection> {
    match subject {
        Subject::Model(model) => certify_model_claims(model, claims, certificate, means),
        Subject::Tree(hierarchy) => certify_hierarchy(subject, hierarchy, claims, certificate, means),
        Subject::Net(counted) => certify_counted(counted, claims, certificate, means),
    }
}

/// Sets of markings are checked on the net. Any other evidence is about a model that means the same as the net only if its places are
/// as bounded as their variables.
fn certify_counted(
    counted: &CountedNet,
    claims: &[Claim],
    certificate: &Certificate,
    means: &Means<'_>,
) -> Result<Checked, Rejection> {
    let CountedNet { net, sums, model } = counted;
    match certificate {
        Certificate::Basis(_) | Certificate::Ideals(_) => certify_net(net, model, claims, certificate, means.control),
        Certificate::Enumeration(_)
        | Certificate::Covered(_)
        | Certificate::Invariant(_)
        | Certificate::Diagram(_)
        | Certificate::Components(_)
        | Certificate::Blocks(_)
        | Certificate::Induction(_) => {
            certify_bounds(net, model, sums, means.control)?;
            certify_model_claims(model, claims, certificate, means)
        }
    }
}

/// Covers and sets of configurations are about the tree, formulas, blocks and inductions about the flattening, and a list of all
/// reachable configurations is about both.
fn certify_hierarchy(
    subject: &Subject,
    hierarchy: &Hierarchy,
    claims: &[Claim],
    certificate: &Certificate,
    means: &Means<'_>,
) -> Result<Checked, Rejection> {
    let (tree, declared) = (&hierarchy.tree, subject.declared());
    let Means { budget, jobs, control, .. } = *means;
    match certificate {
        Certificate::Components(components) => {
            certify_components(tree, &declared.properties, claims, components, control)?;
            Ok(Checked::Fully)
        }
        Certificate::Diagram(set) => {
            certify_diagram_on_tree(tree, &declared.properties, claims, set, control)?;
            Ok(Checked::Fully)
        }
        // What is true everywhere is the set of all configurations.
        Certificate::Invariant(formula) if formula.as_bool() == Some(true) => {
            let all = Diagram { order: Vec::new(), nodes: Vec::new(), root: Child::All };
            certify_diagram_on_tree(tree, &declared.properties, claims, &all, control)?;
            Ok(Checked::Fully)
        }
        Certificate::Enumeration(listed) => {
            let checked = certify_model_claims(flat(subject, control)?, claims, certificate, means)?;
            let budget = Budget { units: MOST_UNITS_ON_TREE, ..budget };
            Ok(less(checked, certify_tree(tree, listed, budget, jobs, control)?))
        }
        // Configurations have no elements; then it is a list.
        Certificate::Covered(covered) if covered.element_words == 0 => {
            let listed = Certificate::Enumeration(Arc::new(covered.listed.clone()));
            certify_hierarchy(subject, hierarchy, claims, &listed, means)
        }
        Certificate::Covered(_) => certify_model_claims(flat(subject, control)?, claims, certificate, means),
        Certificate::Invariant(_)
        | Certificate::Blocks(_)
        | Certificate::Induction(_)
        | Certificate::Basis(_)
        | Certificate::Ideals(_) => certify_model_claims(flat(subject, control)?, claims, certificate, means),
    }
}

/// The flattening, for evidence that speaks of it.
fn flat<'a>(subject: &'a Subject, control: &Control) -> Result<&'a Model, Rejection> {
    subject.model(control).map_err(|why| match why {
        NoModel::Stopped(stop) => Rejection::Stopped(stop),
        NoModel::TooLarge(refused) => {
            let why =
                format!("the evidence is about the flattening, which is too large to be made: it has {}", refused.what);
            Rejection::Stopped(Stop::Incomplete(why))
        }
    })
}

/// The weaker of two ways to have checked a list.
fn less(one: Checked, other: Checked) -> Checked {
    match (one, other) {
        (Checked::Fully, other) | (other, Checked::Fully) => other,
        (Checked::Sample(one), Checked::Sample(other)) => Checked::Sample(one.min(other)),
        // What rests on a solver is a formula, and those are not followed on the tree.
        (word @ Checked::OnWord(_), Checked::Sample(_)) | (Checked::Sample(_) | Checked::OnWord(_), word) => word,
    }
}

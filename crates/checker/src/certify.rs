//! Certificates: which evidence is taken for which property.

use lapidary_base::Control;
use lapidary_base::hash::Set;
use lapidary_ir::{Expr, Model, Node, PropertyId, PropertyKind};
use lapidary_verdict::{Certificate, Checked};

use crate::Rejection;
use crate::budget::Budget;
use crate::diagram;
use crate::enumeration;
use crate::eval;
use crate::finding;

const MOST_JOBS: usize = 256;

/// What a certificate is to show about a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The property holds; a `reach` property is violated.
    Decides(PropertyId),
    /// Evaluating the property errs in no reachable state, whatever its value.
    NeverErrs(PropertyId),
}

impl Claim {
    pub fn property(self) -> PropertyId {
        match self {
            Self::Decides(property) | Self::NeverErrs(property) => property,
        }
    }
}

/// Does `certificate` show that the properties hold (that `reach` properties are violated)?
pub fn certify(
    model: &Model,
    properties: &[PropertyId],
    certificate: &Certificate,
    jobs: usize,
    control: &Control,
) -> Result<Checked, Rejection> {
    certify_with(Budget::default(), model, properties, certificate, jobs, control)
}

/// [`certify`] with another budget. Past it, initial states and the form of all states are still checked fully, but
/// steps and properties only for a sample of the states.
pub fn certify_with(
    budget: Budget,
    model: &Model,
    properties: &[PropertyId],
    certificate: &Certificate,
    jobs: usize,
    control: &Control,
) -> Result<Checked, Rejection> {
    let claims: Vec<Claim> = properties.iter().map(|&property| Claim::Decides(property)).collect();
    certify_claims(budget, model, &claims, certificate, jobs, control)
}

/// Does `certificate` show all the claims?
pub fn certify_claims(
    budget: Budget,
    model: &Model,
    claims: &[Claim],
    certificate: &Certificate,
    jobs: usize,
    control: &Control,
) -> Result<Checked, Rejection> {
    for claim in claims {
        let id = claim.property();
        let Some(property) = model.properties.get(id) else {
            return Err(Rejection::Wrong(format!("the model has no property number {}", id.0)));
        };
        if let PropertyKind::Ltl(_) = property.kind {
            return Err(finding::unsupported(property));
        }
    }
    match certificate {
        Certificate::Enumeration(listed) => {
            enumeration::check(model, claims, listed, budget, jobs.clamp(1, MOST_JOBS), control)
        }
        Certificate::Invariant(invariant) => {
            claims.iter().try_for_each(|claim| check_invariant(model, claim.property(), *invariant))?;
            Ok(Checked::Fully)
        }
        Certificate::Diagram(set) => {
            diagram::check(model, claims, set, control)?;
            Ok(Checked::Fully)
        }
        Certificate::Components(_) => {
            Err(Rejection::Wrong("covers of components are about a hierarchy, and this model is flat".to_owned()))
        }
    }
}

/// Without a solver only the plainest case can be decided: everything is allowed, and the target is constantly false.
fn check_invariant(model: &Model, property: PropertyId, invariant: Expr) -> Result<(), Rejection> {
    let asked = &model.properties[property];
    let solver = || Rejection::Wrong(format!("the invariant for {} needs a solver to be checked", asked.name));
    if model.exprs.as_bool(invariant) != Some(true) {
        return Err(solver());
    }
    let (formula, wanted) = match asked.kind {
        PropertyKind::Invariant(formula) => (Some(formula), true),
        PropertyKind::Reach(formula) => (Some(formula), false),
        PropertyKind::NoErrors => (None, true),
        PropertyKind::DeadlockFree | PropertyKind::Ltl(_) => return Err(solver()),
    };
    let faults: Vec<Expr> = match asked.kind {
        PropertyKind::NoErrors => model.commands.iter().flat_map(|c| c.faults.iter().map(|f| f.when)).collect(),
        PropertyKind::Invariant(_) | PropertyKind::Reach(_) | PropertyKind::DeadlockFree | PropertyKind::Ltl(_) => {
            asked.faults.iter().map(|fault| fault.when).collect()
        }
    };
    let claims = faults.into_iter().map(|when| (when, false)).chain(formula.map(|formula| (formula, wanted)));
    for (expr, wanted) in claims {
        if has_variables(model, expr) {
            return Err(solver());
        }
        if eval::truth(model, expr, &[]) != Ok(wanted) {
            return Err(Rejection::Wrong(format!("the invariant allows states that decide {}", asked.name)));
        }
    }
    Ok(())
}

fn has_variables(model: &Model, expr: Expr) -> bool {
    let mut seen: Set<Expr> = Set::default();
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        if let Node::Var(_) | Node::Cell(..) = model.exprs.node(expr) {
            return true;
        }
        if seen.insert(expr) {
            model.exprs.for_each_part(expr, |part| pending.push(part));
        }
    }
    false
}

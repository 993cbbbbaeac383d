//! Certificates: which evidence is taken for which property.

use lapidary_base::Control;
use lapidary_ir::{Model, PropertyId, PropertyKind};
use lapidary_smt::Backend;
use lapidary_verdict::{Certificate, Checked};

use crate::Rejection;
use crate::budget::Budget;
use crate::diagram;
use crate::enumeration;
use crate::finding;
use crate::formula;

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

/// What a check may use, and what it may cost.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// For enumerations: past it, initial states and the form of all states are still checked fully, but steps and
    /// properties only for a sample of the states.
    pub budget: Budget,
    /// Threads.
    pub jobs: usize,
    /// Decides about formulas.
    pub solver: &'a Backend,
    /// Asked where `solver` gives up, and where it objects: one that denies a true objection lies.
    pub named: Option<&'a Backend>,
    pub control: &'a Control,
}

impl<'a> Means<'a> {
    /// The default budget and one thread; nobody but this solver is asked.
    pub fn new(solver: &'a Backend, control: &'a Control) -> Self {
        Self { budget: Budget::default(), jobs: 1, solver, named: None, control }
    }

    /// Whose word counts in a run for which this solver was named: the built-in solver decides first, so that the
    /// named one is not believed on its own word. No solver at all means none.
    pub fn of_run(named: &'a Backend, control: &'a Control) -> Self {
        let built_in = Backend::built_in();
        match (named, built_in) {
            (Backend::Nothing | Backend::InProcess(_), _) | (_, Backend::Nothing) => Self::new(named, control),
            (Backend::Process(..), _) => Self { named: Some(named), ..Self::new(built_in, control) },
        }
    }
}

/// Does `certificate` show that the properties hold (that `reach` properties are violated)?
pub fn certify_model(
    model: &Model,
    properties: &[PropertyId],
    certificate: &Certificate,
    means: &Means<'_>,
) -> Result<Checked, Rejection> {
    let claims: Vec<Claim> = properties.iter().map(|&property| Claim::Decides(property)).collect();
    certify_model_claims(model, &claims, certificate, means)
}

/// Does `certificate` show all the claims?
pub fn certify_model_claims(
    model: &Model,
    claims: &[Claim],
    certificate: &Certificate,
    means: &Means<'_>,
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
    let means = &Means { jobs: means.jobs.clamp(1, MOST_JOBS), ..*means };
    let evidence = match certificate {
        Certificate::Enumeration(listed) => {
            return enumeration::check(model, claims, listed, means.budget, means.jobs, means.control);
        }
        // Models of this form have no elements; then it is a list.
        Certificate::Covered(covered) if covered.element_words == 0 => {
            return enumeration::check(model, claims, &covered.listed, means.budget, means.jobs, means.control);
        }
        Certificate::Covered(_) => {
            let why = "its states have elements of a lattice, and those of this model have none";
            return Err(Rejection::Wrong(why.to_owned()));
        }
        Certificate::Diagram(set) => {
            diagram::check(model, claims, set, means.control)?;
            return Ok(Checked::Fully);
        }
        Certificate::Invariant(invariant) => formula::Evidence::Invariant(invariant),
        Certificate::Blocks(blocks) => formula::Evidence::Blocks(blocks),
        Certificate::Induction(induction) => formula::Evidence::Induction(induction),
        Certificate::Basis(_) | Certificate::Ideals(_) => {
            let why = "sets of markings are about a net, and this model is none";
            return Err(Rejection::Wrong(why.to_owned()));
        }
        Certificate::Components(_) => {
            let why = "covers of components are about a hierarchy, and this model is flat";
            return Err(Rejection::Wrong(why.to_owned()));
        }
    };
    formula::check(model, claims, evidence, means)
}

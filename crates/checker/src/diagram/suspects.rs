//! The states in which a claim about a formula is not as it should be.

use lapidary_ir::{Expr, Fault, Property};

use super::encode::Encoder;
use super::space::Set;
use crate::Rejection;
use crate::certify::Claim;

/// The value of the formula that is as claimed.
#[derive(Clone, Copy)]
pub enum Fine {
    Yes,
    No,
}

/// Where the formula errs, has no value, or has the value that is not fine.
pub fn formula(
    encoder: &mut Encoder<'_>,
    property: &Property,
    claim: Claim,
    formula: Expr,
    fine: Fine,
) -> Result<Set, Rejection> {
    let space = encoder.space;
    let faults = faulty(encoder, property.faults.iter())?;
    let value = encoder.truth(formula)?;
    let fine = match (claim, fine) {
        (Claim::NeverErrs(_), _) => space.or(&value.yes, &value.no)?,
        (Claim::Decides(_), Fine::Yes) => value.yes,
        (Claim::Decides(_), Fine::No) => value.no,
    };
    space.or(&faults, &space.not(&fine)?)
}

/// Where some fault is there or has no value itself.
pub fn faulty<'f>(encoder: &mut Encoder<'_>, faults: impl Iterator<Item = &'f Fault>) -> Result<Set, Rejection> {
    let space = encoder.space;
    let mut fine = space.all.clone();
    for fault in faults {
        fine = space.and(&fine, &encoder.truth(fault.when)?.no)?;
    }
    space.not(&fine)
}

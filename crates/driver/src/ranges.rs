//! Integers without declared bounds get those that they keep anyway: found by a pass, proved by the checker, or left alone.

use lapidary_base::{Control, Stop};
use lapidary_checker::{Rejection, ranges};
use lapidary_ir::{Model, passes};

/// The same model with a variable for each cell of an array that has few, and with finite domains where it is proved that integers
/// never leave them.
pub(crate) fn settled(model: Model, control: &Control) -> Result<Model, Stop> {
    let model = passes::cells(model, control)?;
    let Some(found) = passes::ranges::ranges(&model, control)? else { return Ok(model) };
    if !found.narrows(&model) {
        return Ok(model);
    }
    match ranges::certify(&model, &found, control) {
        Ok(()) => Ok(found.narrowed(&model)),
        // What cannot be proved is not believed, and a proof that would take too long is none.
        Err(Rejection::Wrong(_) | Rejection::Stopped(Stop::Budget(_))) => Ok(model),
        Err(Rejection::Stopped(stop)) => Err(stop),
    }
}

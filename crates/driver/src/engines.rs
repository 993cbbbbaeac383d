//! Which engines take a model: for `lapidary info`.

use lapidary_base::{Control, Stop};
use lapidary_engines::{Engine, Refused};
use lapidary_ir::PropertyId;

use crate::check::task;
use crate::load::Loaded;
use crate::question::{Question, question};
use crate::request::CheckRequest;

/// An engine, and the properties that it does not take, with the reasons; or the limit that was reached before it could tell.
pub type Takes = (&'static str, Result<Vec<(PropertyId, String)>, Stop>);

/// Which engines there are, and for each the properties that it does not take, with the reason.
pub fn engines(loaded: &Loaded, control: &Control) -> Vec<Takes> {
    let request = CheckRequest::default();
    let (cegar, pcegar) = (request.cegar(loaded), request.pcegar(loaded, None));
    let (explicit, bdd, hierarchical) = (request.explicit(None), request.bdd(None), request.hierarchical());
    let (lazy, backward, forward) = (request.lazy(None), request.backward(None, None), request.forward(None, None));
    let (matching, bmc, kinduction) = (request.matching(loaded, None), request.bmc(None), request.kinduction(None));
    let mut engines: Vec<&dyn Engine> = vec![&explicit, &bdd, &cegar, &pcegar, &matching, &bmc, &kinduction];
    if loaded.subject.net().is_some() {
        engines.splice(0..0, [&backward as &dyn Engine, &forward, &lazy]);
    }
    let takes = |engine: &dyn Engine, task| match engine.prepare(task, control) {
        Ok(_) => Ok(None),
        Err(Refused::Unsupported(refused)) => Ok(Some(refused.what)),
        Err(Refused::Stop(stop)) => Err(stop),
    };
    // What an engine refuses is in the model, so it is asked once.
    let task = task(loaded, &[]);
    if loaded.subject.tree().is_some()
        && (!loaded.declared().properties.is_empty() || takes(&hierarchical, &task) == Ok(None))
    {
        engines.push(&hierarchical);
    }
    let refusals = |engine: &&dyn Engine| {
        let refused = match takes(*engine, &task) {
            Ok(refused) => refused,
            Err(stop) => return (engine.name(), Err(stop)),
        };
        let refusal = |property: PropertyId| match question(&loaded.subject, property) {
            Question::Temporal => Some((property, "it is temporal".to_owned())),
            asked if asked.is_trivial(&loaded.declared().exprs) => None,
            Question::Never(_) | Question::Eventually { .. } => refused.clone().map(|why| (property, why)),
        };
        (engine.name(), Ok(loaded.declared().properties.ids().filter_map(refusal).collect()))
    };
    engines.iter().map(refusals).collect()
}

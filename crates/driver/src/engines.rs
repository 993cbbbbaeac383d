//! Which engines take a model: for `lapidary info`.

use lapidary_engines::Engine;
use lapidary_ir::PropertyId;

use crate::check::task;
use crate::load::Loaded;
use crate::question::{Question, question};
use crate::request::CheckRequest;

/// Which engines there are, and for each the properties that it does not take, with the reason.
pub fn engines(loaded: &Loaded) -> Vec<(&'static str, Vec<(PropertyId, String)>)> {
    let request = CheckRequest::default();
    let (cegar, pcegar) = (request.cegar(loaded), request.pcegar(loaded, None));
    let (explicit, bdd, hierarchical) = (request.explicit(None), request.bdd(None), request.hierarchical());
    let (lazy, backward, forward) = (request.lazy(None), request.backward(None, None), request.forward(None, None));
    let (matching, bmc, kinduction) = (request.matching(loaded, None), request.bmc(None), request.kinduction(None));
    let mut engines: Vec<&dyn Engine> = vec![&explicit, &bdd, &cegar, &pcegar, &matching, &bmc, &kinduction];
    if loaded.net.is_some() {
        engines.splice(0..0, [&backward as &dyn Engine, &forward, &lazy]);
    }
    // What an engine refuses is in the model, so it is asked once.
    let task = task(loaded, &[], &[]);
    if loaded.hierarchy.is_some() && (!loaded.model.properties.is_empty() || hierarchical.accepts(&task).is_ok()) {
        engines.push(&hierarchical);
    }
    let refusals = |engine: &&dyn Engine| {
        let refused = engine.accepts(&task).err().map(|refused| refused.what);
        let refusal = |property: PropertyId| match question(&loaded.model, property) {
            Question::Temporal => Some((property, "it is temporal".to_owned())),
            asked if asked.is_trivial(&loaded.model) => None,
            Question::Never(_) | Question::Eventually { .. } => refused.clone().map(|why| (property, why)),
        };
        (engine.name(), loaded.model.properties.ids().filter_map(refusal).collect())
    };
    engines.iter().map(refusals).collect()
}

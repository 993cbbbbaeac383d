//! Which engines take a model: for `lapidary info`.

use std::time::Duration;

use lapidary_base::{Control, Stop};
use lapidary_engines::register::{Shape, made_for};
use lapidary_engines::{Engine, Refused};
use lapidary_ir::PropertyId;

use crate::check::task;
use crate::load::Loaded;
use crate::question::{Question, question};
use crate::request::CheckRequest;

/// An engine, and the properties that it does not take, with the reasons; or the limit that was reached before it could tell:
/// [`Stop::Budget`] where it takes long to prepare.
pub type Takes = (&'static str, Result<Vec<(PropertyId, String)>, Stop>);

/// So long may it take to prepare an engine that is only asked whether it takes the model. It is time and not work, since what is
/// prepared in one piece may be anything between a guard and the body of an event with thousands of ways.
const LONGEST: Duration = Duration::from_secs(2);

/// Which engines there are, and for each the properties that it does not take, with the reason.
pub fn engines(loaded: &Loaded, control: &Control) -> Vec<Takes> {
    let request = CheckRequest::default();
    let made = |shape| made_for(shape).into_iter().map(|entry| request.make(entry, loaded, None, None));
    // What an engine refuses is in the model, so it is asked once.
    let task = task(loaded, &[]);
    let takes = |engine: &dyn Engine| match engine.prepare(&task, &control.within(Some(LONGEST))) {
        Ok(_) => Ok(None),
        Err(Refused::Unsupported(refused)) => Ok(Some(refused.what)),
        Err(Refused::Stop(Stop::Timeout)) if control.look().is_ok() => Err(Stop::Budget("time to prepare".to_owned())),
        Err(Refused::Stop(stop)) => Err(stop),
    };
    let mut engines: Vec<Box<dyn Engine>> = Vec::new();
    if loaded.subject.net().is_some() {
        engines.extend(made(Shape::Nets));
    }
    engines.extend(made(Shape::Everything));
    if loaded.subject.tree().is_some() {
        // Without a property there is nobody to say why it is refused.
        let has_properties = !loaded.declared().properties.is_empty();
        engines.extend(made(Shape::Hierarchies).filter(|engine| has_properties || takes(&**engine) == Ok(None)));
    }
    let refusals = |engine: &dyn Engine| {
        let refused = match takes(engine) {
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
    engines.iter().map(|engine| refusals(&**engine)).collect()
}

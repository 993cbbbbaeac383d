//! Which engines take a model: for `lapidary info`.

use std::time::Duration;

use lapidary_base::{Control, Stop};
use lapidary_engines::register::{Shape, made_for};
use lapidary_engines::{Engine, Goal, Refused};
use lapidary_ir::PropertyId;

use crate::attempt::Asked;
use crate::check::task;
use crate::load::Loaded;
use crate::question::{Question, question};
use crate::request::CheckRequest;

/// An engine, and the properties that it does not take, with the reasons; or the limit that was reached before it could tell:
/// [`Stop::Budget`] where it takes long to prepare.
pub type Takes = (&'static str, Result<Vec<(PropertyId, String)>, Stop>);

/// What an engine says to all properties at once.
enum Taken {
    All,
    /// But these, for reasons of their own.
    But(Vec<(PropertyId, String)>),
    Nothing(String),
}

/// So long may it take to prepare an engine that is only asked whether it takes the model. It is time and not work, since what is
/// prepared in one piece may be anything between a guard and the body of an event with thousands of ways.
const LONGEST: Duration = Duration::from_secs(2);

/// Which engines there are, and for each the properties that it does not take, with the reason.
pub fn engines(loaded: &Loaded, control: &Control) -> Vec<Takes> {
    let request = CheckRequest::default();
    let made = |shape| made_for(shape).into_iter().map(|entry| request.make(entry, loaded, None, None));
    let mut engines: Vec<Box<dyn Engine>> = Vec::new();
    if loaded.subject.net().is_some() {
        engines.extend(made(Shape::Nets));
    }
    engines.extend(made(Shape::Everything));
    let asked = asked(loaded);
    if loaded.subject.tree().is_some() {
        // Without a property there is nobody to say why it is refused.
        let has_properties = !loaded.declared().properties.is_empty();
        let takes = |engine: &dyn Engine| matches!(taken(engine, loaded, &asked, control), Ok(Taken::All));
        engines.extend(made(Shape::Hierarchies).filter(|engine| has_properties || takes(&**engine)));
    }
    let told = |engine: &dyn Engine| {
        let refused = taken(engine, loaded, &asked, control).map(|taken| refusals(taken, &asked));
        (engine.name(), refused)
    };
    engines.iter().map(|engine| told(&**engine)).collect()
}

/// What has to be searched for.
fn asked(loaded: &Loaded) -> Vec<Asked> {
    let properties = loaded.declared().properties.ids();
    let asked = properties.map(|property| Asked { property, question: question(&loaded.subject, property) });
    asked.filter(|asked| !asked.question.is_trivial(&loaded.declared().exprs)).collect()
}

fn taken(engine: &dyn Engine, loaded: &Loaded, asked: &[Asked], control: &Control) -> Result<Taken, Stop> {
    let goals: Vec<Goal> = asked.iter().flat_map(|asked| asked.question.goals(asked.property)).collect();
    match engine.prepare(&task(loaded, &goals), &control.within(Some(LONGEST))) {
        Ok(_) => Ok(Taken::All),
        Err(Refused::Unsupported(refused)) => Ok(Taken::Nothing(refused.what)),
        Err(Refused::Goals(refused)) => {
            let refused = refused.into_iter().map(|(goal, why)| (goals[goal].property, why.what));
            Ok(Taken::But(refused.collect()))
        }
        Err(Refused::Stop(Stop::Timeout)) if control.look().is_ok() => Err(Stop::Budget("time to prepare".to_owned())),
        Err(Refused::Stop(stop)) => Err(stop),
    }
}

fn refusals(taken: Taken, asked: &[Asked]) -> Vec<(PropertyId, String)> {
    let refusal = |&Asked { property, question }: &Asked| match (question, &taken) {
        (Question::Temporal, _) => Some((property, "it is temporal".to_owned())),
        (Question::Never(_) | Question::Eventually { .. }, Taken::All) => None,
        (Question::Never(_) | Question::Eventually { .. }, Taken::Nothing(why)) => Some((property, why.clone())),
        (Question::Never(_) | Question::Eventually { .. }, Taken::But(some)) => {
            some.iter().find(|(refused, _)| *refused == property).cloned()
        }
    };
    asked.iter().filter_map(refusal).collect()
}

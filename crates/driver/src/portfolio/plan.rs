//! Which engines `auto` tries on a model, and in which order.

use std::sync::Arc;

use lapidary_base::{Control, Stop};
use lapidary_engines::backward::BACKWARD;
use lapidary_engines::cover::PCEGAR;
use lapidary_engines::coverability::{Exchange, Problem};
use lapidary_engines::forward::FORWARD;
use lapidary_engines::hierarchy::HIERARCHICAL;
use lapidary_engines::induction::{BMC, KINDUCTION};
use lapidary_engines::lazy::LAZY;
use lapidary_engines::matching::MATCHING;
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::symbolic::BDD;
use lapidary_ir::{Declarations, PropertyId};

use crate::check::task;
use crate::load::Loaded;
use crate::question::question;
use crate::request::CheckRequest;
use crate::shortest;

use super::contenders::Contender;

/// Engines that complement each other; the first of them begins.
pub struct Plan<'a> {
    pub contenders: Vec<Contender<'a>>,
    /// What decided between the plans: `all domains are bounded`.
    pub because: String,
}

impl<'a> Plan<'a> {
    /// Engines whose runs are not what was asked for are left out.
    fn new(contenders: Vec<Contender<'a>>, because: String, request: &CheckRequest) -> Self {
        let may = |contender: &Contender<'_>| shortest::admits(request, contender.finds);
        let contenders: Vec<Contender<'a>> = contenders.into_iter().filter(may).collect();
        Self { contenders, because }
    }

    /// The one that begins.
    pub fn first(&self) -> &Contender<'a> {
        &self.contenders[0]
    }
}

pub fn plan<'a>(
    loaded: &'a Loaded,
    asked: &[PropertyId],
    request: &CheckRequest,
    control: &Control,
) -> Result<Plan<'a>, Stop> {
    if let Some(plan) = net_plan(loaded, asked, request, control)? {
        return Ok(plan);
    }
    let of = |entry| Contender::of(entry, loaded);
    let (contenders, because) = match (loaded.subject.tree(), unbounded(loaded.declared())) {
        // What the explicit search lists of a hierarchy has to be followed on the tree, which takes longer than to find
        // it; diagrams are checked as they are.
        (Some(_), _) => {
            let because = "the model is a hierarchy".to_owned();
            let lasting =
                vec![of(&BDD), of(&PCEGAR).with_part(2), of(&EXPLICIT).with_part(4), of(&HIERARCHICAL).seldom()];
            (lasting, because)
        }
        (None, None) => {
            let because = "all domains are bounded".to_owned();
            let seldom = [of(&MATCHING).seldom(), of(&KINDUCTION).seldom()];
            let lasting = [of(&EXPLICIT), of(&BDD), of(&PCEGAR).with_part(2)].into_iter().chain(seldom);
            (lasting.collect(), because)
        }
        (None, Some(name)) => {
            let because = format!("{name} is unbounded");
            let (explicit, matching) = (of(&EXPLICIT).with_part(4), of(&MATCHING));
            let lasting = vec![explicit, matching, of(&KINDUCTION).with_part(2), of(&BMC).with_part(4)];
            (lasting, because)
        }
    };
    Ok(Plan::new(contenders, because, request))
}

/// For a net whose properties all ask whether something can be covered. `backward` decides where more tokens never do harm, and
/// shares what it finds with `forward`; elsewhere `lazy` has the best chances.
fn net_plan<'a>(
    loaded: &'a Loaded,
    asked: &[PropertyId],
    request: &CheckRequest,
    control: &Control,
) -> Result<Option<Plan<'a>>, Stop> {
    if loaded.subject.net().is_none() {
        return Ok(None);
    }
    let empty = task(loaded, &[]);
    let mut obstacle = None;
    for goal in asked.iter().flat_map(|&property| question(&loaded.subject, property).goals(property)) {
        control.check()?;
        match Problem::new(&empty, goal.target) {
            Ok(problem) => obstacle = obstacle.or(problem.not_monotone),
            Err(_) => return Ok(None),
        }
    }
    let exchange = Arc::new(Exchange::default());
    let of = |entry| Contender::of(entry, loaded);
    let forward = Contender::sharing(&FORWARD, loaded, &exchange);
    let (contenders, because) = match obstacle {
        None => {
            let because = "more tokens never do harm".to_owned();
            let backward = Contender::sharing(&BACKWARD, loaded, &exchange);
            let mut lasting = vec![backward, forward, of(&LAZY).seldom()];
            if unbounded(loaded.declared()).is_none() {
                lasting.extend([of(&EXPLICIT).with_part(2).seldom(), of(&BDD).seldom()]);
            }
            (lasting, because)
        }
        Some((why, _)) => {
            // It is asked alone, and what it finds first need not be shortest.
            let backward = of(&BACKWARD).finding_some_run();
            let (explicit, bmc) = (of(&EXPLICIT).with_part(2), of(&BMC));
            let mut lasting = vec![of(&LAZY), of(&KINDUCTION), backward, forward, explicit, bmc];
            if unbounded(loaded.declared()).is_none() {
                lasting.push(of(&BDD));
            }
            (lasting, why)
        }
    };
    Ok(Some(Plan::new(contenders, because, request)))
}

/// The first variable without bounds.
fn unbounded(model: &Declarations) -> Option<&str> {
    model.vars.iter().find(|var| model.bounds(var.domain).is_none()).map(|var| var.name.as_str())
}

impl Plan<'_> {
    /// `explicit has a head start; then, as all domains are bounded, it takes turns with bdd and pcegar`
    pub fn words(&self) -> String {
        let rest: Vec<&str> = self.contenders[1..].iter().map(|contender| contender.name).collect();
        let rest = match rest.split_last() {
            None => return self.first().name.to_owned(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
        };
        format!("{} has a head start; then, as {}, it takes turns with {rest}", self.first().name, self.because)
    }
}

#[cfg(test)]
mod tests {
    use lapidary_engines::register::Finds;

    use super::*;
    use crate::load::{LoadRequest, open_text};

    /// A model of every situation, and who begins, and who does where runs have to be shortest.
    const SITUATIONS: [(&str, &str, &str, &str); 5] = [
        ("m.gcl", "var x : 0..3 = 0;\nup: x < 3 -> x := x + 1;\ninvariant low: x < 3;", "explicit", "explicit"),
        ("m.gcl", "var x : int = 0;\nup: true -> x := x + 1;\ninvariant low: x < 3;", "explicit", "explicit"),
        ("m.alt", "node A state x : bool; event e; trans true |- e -> x := not x; edon", "bdd", "bdd"),
        ("m.spec", "vars x y rules x >= 1 -> y' = y + 1; init x = 1, y = 0 target y >= 3", "backward", "backward"),
        ("m.spec", "vars x y rules x = 0 -> y' = y + 1; init x = 0, y = 0 target y >= 3", "lazy", "kinduction"),
    ];

    #[test]
    fn somebody_is_left_where_runs_have_to_be_shortest() {
        for (path, text, usual, shortest) in SITUATIONS {
            let request = LoadRequest { path: path.to_owned(), ..LoadRequest::default() };
            let loaded = open_text(&request, text.into()).unwrap_or_else(|error| panic!("{}", error.render()));
            let all: Vec<PropertyId> = loaded.declared().properties.ids().collect();
            let made = |shortest| {
                let request = CheckRequest { shortest, ..CheckRequest::default() };
                plan(&loaded, &all, &request, &Control::new()).expect("there are no limits")
            };
            assert_eq!((made(false).first().name, made(true).first().name), (usual, shortest), "{text}");
            assert!(made(true).contenders.iter().all(|contender| contender.finds == Finds::ShortestRun), "{text}");
            let asked_alone = made(true).contenders.iter().any(|contender| contender.name == BACKWARD.name);
            assert_eq!(asked_alone, usual == BACKWARD.name, "its runs are shortest only where more tokens do no harm");
        }
    }
}

//! Which engines `auto` tries on a model, in which order, and with which budgets.

use std::sync::Arc;

use lapidary_engines::Engine;
use lapidary_engines::coverability::{Exchange, Problem};
use lapidary_ir::Model;

use crate::check::task;
use crate::load::Loaded;
use crate::question::question;
use crate::request::CheckRequest;

/// How an engine takes several properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taking {
    /// One search answers for all.
    Together,
    /// One run, with a loop of its own for each.
    Loops,
    /// A run of its own for each, because one of them may never end.
    OneByOne,
}

/// What is counted, so that the same budget is spent in the same way on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub first: u64,
    /// By how many bits it grows from one level to the next.
    pub growth: u32,
    /// The statistics that count towards it.
    pub counts: &'static [&'static str],
}

impl Budget {
    pub fn at(&self, level: u32) -> u64 {
        let doublings = self.growth.saturating_mul(level).min(40);
        self.first.saturating_mul(1 << doublings)
    }
}

/// The engine with a budget, or without any.
pub type Make<'a> = Box<dyn Fn(Option<u64>, &CheckRequest) -> Box<dyn Engine> + Send + Sync + 'a>;

/// One of the engines that compete.
pub struct Contender<'a> {
    pub name: &'static str,
    pub taking: Taking,
    pub budget: Budget,
    pub make: Make<'a>,
}

/// First one engine for all properties, without any threads; then the others, which are in two lanes because engines of
/// different lanes complement each other.
pub struct Plan<'a> {
    pub first: Contender<'a>,
    pub lanes: [Vec<Contender<'a>>; 2],
    /// What decided between the plans: `all domains are bounded`.
    pub because: String,
}

/// Enough for most small models, and spent in a fraction of a second.
const FIRST_STATES: u64 = 300_000;

/// The nodes of the small tables that engine `bdd` begins with anyway.
const FIRST_NODES: u64 = 1 << 18;

pub fn plan<'a>(loaded: &'a Loaded, request: &CheckRequest) -> Plan<'a> {
    if let Some(plan) = net_plan(loaded, request) {
        return plan;
    }
    match (&loaded.hierarchy, unbounded(&loaded.model)) {
        // What the explicit search lists of a hierarchy has to be followed on the tree, which takes longer than to find
        // it; diagrams are checked as they are.
        (Some(_), _) => Plan {
            first: bdd(0),
            lanes: [vec![bdd(1), explicit(0, 3)], shortest(request, [pcegar(loaded)])],
            because: "the model is a hierarchy".to_owned(),
        },
        (None, None) => Plan {
            first: explicit(0, 3),
            lanes: [vec![bdd(0), explicit(1, 3)], shortest(request, [pcegar(loaded)])],
            because: "all domains are bounded".to_owned(),
        },
        (None, Some(name)) => {
            let mut searching = shortest(request, [matching(loaded)]);
            searching.push(explicit(1, 1));
            let because = format!("{name} is unbounded");
            Plan { first: explicit(0, 1), lanes: [searching, vec![kinduction(), bmc()]], because }
        }
    }
}

/// Most nets are decided with less, in some milliseconds.
const FIRST_MARKINGS: u64 = 5_000;

/// For a net whose properties all ask whether something can be covered. `backward` decides where more tokens never do harm, and
/// shares what it finds with `forward`; elsewhere `lazy` has the best chances.
fn net_plan<'a>(loaded: &'a Loaded, request: &CheckRequest) -> Option<Plan<'a>> {
    loaded.net.as_ref()?;
    let empty = task(loaded, &[], &[]);
    // Where nothing is asked, as in `info`, everything might be.
    let asked = if loaded.asked.is_empty() { loaded.model.properties.ids().collect() } else { loaded.asked.clone() };
    let targets = asked.iter().flat_map(|&property| question(&loaded.model, property).targets());
    let problems: Result<Vec<Problem<'_>>, String> = targets.map(|target| Problem::new(&empty, &target)).collect();
    let obstacle = problems.ok()?.into_iter().find_map(|problem| problem.not_monotone);
    let exchange = Arc::new(Exchange::default());
    Some(match obstacle {
        None => Plan {
            first: backward(0, None),
            lanes: [vec![backward(1, Some(&exchange))], shortest(request, [forward(&exchange)])],
            because: "more tokens never do harm".to_owned(),
        },
        Some((why, _)) => Plan {
            first: lazy(0),
            lanes: [vec![lazy(1), kinduction()], vec![backward(0, None), forward(&exchange), explicit(0, 1), bmc()]],
            because: why,
        },
    })
}

fn backward<'a>(from_level: u32, exchange: Option<&Arc<Exchange>>) -> Contender<'a> {
    let budget = Budget { first: FIRST_MARKINGS, growth: 3, counts: &["transitions"] };
    let exchange = exchange.cloned();
    Contender {
        name: "backward",
        taking: Taking::OneByOne,
        budget: Budget { first: budget.at(from_level), ..budget },
        make: Box::new(move |budget, request| Box::new(request.backward(budget, exchange.clone()))),
    }
}

fn forward<'a>(exchange: &Arc<Exchange>) -> Contender<'a> {
    let exchange = Arc::clone(exchange);
    Contender {
        name: "forward",
        taking: Taking::OneByOne,
        budget: Budget { first: FIRST_MARKINGS, growth: 3, counts: &["states"] },
        make: Box::new(move |budget, request| Box::new(request.forward(budget, Some(Arc::clone(&exchange))))),
    }
}

fn lazy<'a>(from_level: u32) -> Contender<'a> {
    let budget = Budget { first: 2_000, growth: 2, counts: &["transition_analysis"] };
    Contender {
        name: "lazy",
        taking: Taking::OneByOne,
        budget: Budget { first: budget.at(from_level), ..budget },
        make: Box::new(|budget, request| Box::new(request.lazy(budget))),
    }
}

/// The first variable without bounds.
fn unbounded(model: &Model) -> Option<&str> {
    model.vars.iter().find(|var| model.bounds(var.domain).is_none()).map(|var| var.name.as_str())
}

/// Engines that find some run only are left out where it has to be a shortest one.
fn shortest<'a, const N: usize>(request: &CheckRequest, engines: [Contender<'a>; N]) -> Vec<Contender<'a>> {
    if request.shortest { Vec::new() } else { engines.into() }
}

/// Where there may be infinitely many states, larger budgets are mostly spent in vain.
fn explicit<'a>(from_level: u32, growth: u32) -> Contender<'a> {
    let budget = Budget { first: FIRST_STATES, growth, counts: &["states"] };
    Contender {
        name: "explicit",
        taking: Taking::Together,
        budget: Budget { first: budget.at(from_level), ..budget },
        make: Box::new(|budget, request| Box::new(request.explicit(budget))),
    }
}

fn bdd<'a>(from_level: u32) -> Contender<'a> {
    let budget = Budget { first: FIRST_NODES, growth: 3, counts: &[] };
    Contender {
        name: "bdd",
        taking: Taking::Together,
        budget: Budget { first: budget.at(from_level), ..budget },
        make: Box::new(|budget, request| {
            Box::new(request.bdd(budget.map(|nodes| usize::try_from(nodes).unwrap_or(usize::MAX))))
        }),
    }
}

fn pcegar(loaded: &Loaded) -> Contender<'_> {
    Contender {
        name: "pcegar",
        taking: Taking::Loops,
        budget: Budget { first: 32, growth: 2, counts: &["iterations"] },
        make: Box::new(|budget, request| Box::new(request.pcegar(loaded, budget))),
    }
}

fn matching(loaded: &Loaded) -> Contender<'_> {
    Contender {
        name: "matching",
        taking: Taking::OneByOne,
        budget: Budget { first: 2000, growth: 2, counts: &["queries", "concrete_states", "states"] },
        make: Box::new(|budget, request| Box::new(request.matching(loaded, budget))),
    }
}

fn kinduction<'a>() -> Contender<'a> {
    Contender {
        name: "kinduction",
        taking: Taking::OneByOne,
        budget: Budget { first: 100, growth: 2, counts: &["queries"] },
        make: Box::new(|budget, request| Box::new(request.kinduction(budget))),
    }
}

fn bmc<'a>() -> Contender<'a> {
    Contender {
        name: "bmc",
        taking: Taking::OneByOne,
        budget: Budget { first: 100, growth: 2, counts: &["queries"] },
        make: Box::new(|budget, request| Box::new(request.bmc(budget))),
    }
}

impl Plan<'_> {
    /// `explicit up to 300000 states; then, as all domains are bounded, bdd, explicit and pcegar`
    pub fn words(&self) -> String {
        let first = match self.first.name {
            name @ ("bdd" | "lazy") => format!("{name} up to {} nodes", self.first.budget.first),
            name @ "backward" => format!("{name} up to {} markings", self.first.budget.first),
            name => format!("{name} up to {} states", self.first.budget.first),
        };
        let rest: Vec<&str> = self.lanes.iter().flatten().map(|contender| contender.name).collect();
        match rest.split_last() {
            None => first,
            Some((last, [])) => format!("{first}; then, as {}, {last}", self.because),
            Some((last, others)) => format!("{first}; then, as {}, {} and {last}", self.because, others.join(", ")),
        }
    }
}

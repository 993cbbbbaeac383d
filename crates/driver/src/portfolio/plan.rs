//! Which engines `auto` tries on a model, and in which order.

use std::sync::Arc;

use lapidary_base::{Control, Stop};
use lapidary_engines::Engine;
use lapidary_engines::coverability::{Exchange, Problem};
use lapidary_ir::{Declarations, PropertyId};

use crate::check::task;
use crate::load::Loaded;
use crate::question::question;
use crate::request::CheckRequest;

use super::contenders::{backward, bdd, bmc, explicit, forward, hierarchical, kinduction, lazy, matching, pcegar};

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

/// What an engine's runs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finds {
    ShortestRun,
    SomeRun,
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

/// The engine with a budget; the greatest is none at all.
pub type Make<'a> = Box<dyn Fn(u64, &CheckRequest) -> Box<dyn Engine> + Send + Sync + 'a>;

/// One of the engines that compete.
pub struct Contender<'a> {
    pub name: &'static str,
    pub taking: Taking,
    pub finds: Finds,
    /// Where it has several things to do, each gets so much at first.
    pub budget: Budget,
    /// How much work it may do at a time, in looks at the limits.
    pub slice: u64,
    /// The same in its first turn: most small models are decided within that of the first engine, and setting up an engine
    /// means many looks in little time.
    pub first: u64,
    /// How many turns it leaves to the others before it begins.
    pub n_passed: u32,
    pub make: Make<'a>,
}

/// Engines that complement each other; the first of them begins.
pub struct Plan<'a> {
    pub contenders: Vec<Contender<'a>>,
    /// What decided between the plans: `all domains are bounded`.
    pub because: String,
}

impl<'a> Plan<'a> {
    /// Engines that find some run only are left out where it has to be a shortest one.
    fn new(contenders: Vec<Contender<'a>>, because: String, request: &CheckRequest) -> Self {
        let may = |contender: &Contender<'_>| !request.shortest || contender.finds != Finds::SomeRun;
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
    let (contenders, because) = match (loaded.subject.tree(), unbounded(loaded.declared())) {
        // What the explicit search lists of a hierarchy has to be followed on the tree, which takes longer than to find
        // it; diagrams are checked as they are.
        (Some(_), _) => {
            let because = "the model is a hierarchy".to_owned();
            let lasting = vec![bdd(), pcegar(loaded).with_part(2), explicit().with_part(4), hierarchical().seldom()];
            (lasting, because)
        }
        (None, None) => {
            let because = "all domains are bounded".to_owned();
            let seldom = [matching(loaded).seldom(), kinduction().seldom()];
            let lasting = [explicit(), bdd(), pcegar(loaded).with_part(2)].into_iter().chain(seldom);
            (lasting.collect(), because)
        }
        (None, Some(name)) => {
            let because = format!("{name} is unbounded");
            let lasting =
                vec![explicit().with_part(4), matching(loaded), kinduction().with_part(2), bmc().with_part(4)];
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
        match Problem::new(&empty, &goal.target) {
            Ok(problem) => obstacle = obstacle.or(problem.not_monotone),
            Err(_) => return Ok(None),
        }
    }
    let exchange = Arc::new(Exchange::default());
    let (contenders, because) = match obstacle {
        None => {
            let because = "more tokens never do harm".to_owned();
            let mut lasting = vec![backward(Some(&exchange)), forward(&exchange), lazy().seldom()];
            if unbounded(loaded.declared()).is_none() {
                lasting.extend([explicit().with_part(2).seldom(), bdd().seldom()]);
            }
            (lasting, because)
        }
        Some((why, _)) => {
            let mut lasting =
                vec![lazy(), kinduction(), backward(None), forward(&exchange), explicit().with_part(2), bmc()];
            if unbounded(loaded.declared()).is_none() {
                lasting.push(bdd());
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

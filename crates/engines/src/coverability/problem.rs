//! The question: can a marking above one of these be reached?

use lapidary_base::{Control, Id};
use lapidary_ir::passes::{Cube, cubes};
use lapidary_ir::{Expr, Model, Net, Target, Tokens};
use lapidary_system::net::Marking;
use lapidary_text::Span;

use crate::{Refused, Task};

/// A target of a task, as the engines for coverability see it.
pub struct Problem<'a> {
    pub net: &'a Net,
    pub model: &'a Model,
    formula: Expr,
    /// The target: the markings within any of the cubes.
    pub cubes: Vec<Cube>,
    /// The least markings of the cubes, none above another.
    pub minimal: Vec<Marking>,
    /// Why markings above these need not be targets, or why more tokens may do harm: the answer *reached* then rests on
    /// the run alone.
    pub not_monotone: Option<(String, Span)>,
}

impl<'a> Problem<'a> {
    /// The reason if the target cannot be written as a union of cubes.
    pub fn new(task: &Task<'a>, target: &Target) -> Result<Self, String> {
        let net = task.net.ok_or("the model is not a net")?;
        let formula = match target {
            Target::States(formula) => *formula,
            Target::Deadlocks => return Err("deadlocks are not upward-closed".to_owned()),
        };
        let cubes = cubes(&task.model.exprs, formula)?;
        let minimal = minimal(cubes.iter().map(|cube| least(net, cube)).collect());
        let not_monotone = guard_with_bound(net).or_else(|| bounded_target(net, &cubes));
        Ok(Self { net, model: task.model, formula, cubes, minimal, not_monotone })
    }

    /// The number of the target in an [`Exchange`](super::Exchange): engines that are asked one by one see it at different places of
    /// their tasks.
    pub fn key(&self) -> usize {
        self.formula.index()
    }

    /// Is the marking a target?
    pub fn is_target(&self, marking: &[Tokens]) -> bool {
        let inside = |cube: &Cube| cube.iter().all(|&(place, range)| range.contains(marking[place.index()]));
        self.cubes.iter().any(inside)
    }
}

/// The targets of a task, if the engines for coverability can ask for each of them.
pub fn problems<'a>(task: &Task<'a>, control: &Control) -> Result<Vec<Problem<'a>>, Refused> {
    if task.net.is_none() {
        return Err(Refused::what("the model is not a net"));
    }
    let problem = |target: &Target| {
        control.check()?;
        Problem::new(task, target).map_err(Refused::what)
    };
    task.targets.iter().map(problem).collect()
}

/// The markings that are not above others. Each is filed under a place that it asks for, so that a marking is
/// compared only with those that ask for something that it has, too: targets may have thousands of cases.
fn minimal(mut markings: Vec<Marking>) -> Vec<Marking> {
    markings.sort_by_cached_key(|marking| (marking.iter().map(|&n| u128::from(n)).sum::<u128>(), marking.clone()));
    let mut files: Vec<Vec<usize>> = vec![Vec::new(); markings.first().map_or(0, |marking| marking.len())];
    let mut minimal: Vec<Marking> = Vec::new();
    for marking in markings {
        let asked = || (0..marking.len()).rev().filter(|&place| marking[place] > 0);
        let Some(last) = asked().next() else { return vec![marking] };
        if !asked().any(|place| files[place].iter().any(|&other: &usize| is_below(&minimal[other], &marking))) {
            files[last].push(minimal.len());
            minimal.push(marking);
        }
    }
    minimal
}

fn least(net: &Net, cube: &Cube) -> Marking {
    let mut marking: Marking = vec![0; net.places.len()].into();
    for &(place, range) in cube {
        marking[place.index()] = range.lo;
    }
    marking
}

fn is_below(a: &[Tokens], b: &[Tokens]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b)
}

fn guard_with_bound(net: &Net) -> Option<(String, Span)> {
    let (transition, guard) = net.upper_bound()?;
    let (name, place) = (&net.transitions[transition].name, &net.places[guard.place].name);
    let hi = guard.range.hi.unwrap_or(Tokens::MAX);
    let what = format!("the guard {place} <= {hi} of transition {name} is not monotone");
    Some((what, guard.span))
}

fn bounded_target(net: &Net, cubes: &[Cube]) -> Option<(String, Span)> {
    let (place, range) = cubes.iter().flatten().find(|(_, range)| range.hi.is_some())?;
    let place = &net.places[*place];
    let what = format!("the target is not upward-closed: {} <= {}", place.name, range.hi.unwrap_or(Tokens::MAX));
    Some((what, place.span))
}

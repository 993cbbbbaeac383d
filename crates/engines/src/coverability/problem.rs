//! The question: can a marking above one of these be reached?

use lapidary_base::{Control, Id, Meter, Stop};
use lapidary_ir::passes::{Cube, cubes};
use lapidary_ir::{Declarations, Expr, Net, Tokens};
use lapidary_system::net::Marking;
use lapidary_text::Span;

use crate::goal::of_each;
use crate::{Refused, Target, Task};

/// A target of a task, as the engines for coverability see it.
pub struct Problem<'a> {
    pub net: &'a Net,
    pub model: &'a Declarations,
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
    pub fn new(task: &Task<'a>, target: Target) -> Result<Self, String> {
        Self::within(task, target, &Control::new()).map_err(|refused| match refused {
            Refused::Unsupported(unsupported) => unsupported.what,
            Refused::Goals(_) | Refused::Stop(_) => unreachable!("it is one goal, and there is no limit"),
        })
    }

    /// The same within the limits of a run.
    pub fn within(task: &Task<'a>, target: Target, control: &Control) -> Result<Self, Refused> {
        let net = task.subject.net().ok_or_else(|| Refused::what("the model is not a net"))?;
        let formula = match target {
            Target::States(formula) => formula,
            Target::Deadlocks => return Err(Refused::what("deadlocks are not upward-closed")),
        };
        let cubes = cubes(&task.subject.declared().exprs, formula).map_err(Refused::what)?;
        // They are sorted by copies of themselves.
        let bytes = 2 * size_of::<Tokens>() * net.places.len();
        control.reserve((bytes as u64).saturating_mul(cubes.len() as u64))?;
        let mut meter = Meter::new(control);
        let mut markings = Vec::with_capacity(cubes.len());
        for cube in &cubes {
            meter.add(net.places.len() as u64)?;
            markings.push(least(net, cube));
        }
        let minimal = minimal(markings, &mut meter)?;
        let not_monotone = guard_with_bound(net).or_else(|| bounded_target(net, &cubes));
        Ok(Self { net, model: task.subject.declared(), formula, cubes, minimal, not_monotone })
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

/// The targets of a task, if the engines for coverability can ask for all of them.
pub fn problems<'a>(task: &Task<'a>, control: &Control) -> Result<Vec<Problem<'a>>, Refused> {
    if task.subject.net().is_none() {
        return Err(Refused::what("the model is not a net"));
    }
    of_each(task.goals, control, |target| Problem::within(task, target, control))
}

/// The markings that are not above others. Each is filed under a place that it asks for, so that a marking is
/// compared only with those that ask for something that it has, too: targets may have thousands of cases.
fn minimal(mut markings: Vec<Marking>, meter: &mut Meter<'_>) -> Result<Vec<Marking>, Stop> {
    markings.sort_by_cached_key(|marking| (marking.iter().map(|&n| u128::from(n)).sum::<u128>(), marking.clone()));
    let mut files: Vec<Vec<usize>> = vec![Vec::new(); markings.first().map_or(0, |marking| marking.len())];
    let mut minimal: Vec<Marking> = Vec::new();
    for marking in markings {
        let asked = || (0..marking.len()).rev().filter(|&place| marking[place] > 0);
        let Some(last) = asked().next() else { return Ok(vec![marking]) };
        let n_compared: usize = asked().map(|place| files[place].len()).sum();
        meter.add((marking.len() + n_compared) as u64)?;
        if !asked().any(|place| files[place].iter().any(|&other: &usize| is_below(&minimal[other], &marking))) {
            files[last].push(minimal.len());
            minimal.push(marking);
        }
    }
    Ok(minimal)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparing_the_cases_of_a_target_is_stopped() {
        let marking = |i: usize| (0..100).map(|place| Tokens::from(place == i)).collect::<Marking>();
        let markings: Vec<Marking> = (0..100).map(marking).collect();
        let control = Control::new();
        let found = minimal(markings.clone(), &mut Meter::new(&control));
        assert_eq!(found.map(|found| found.len()), Ok(100));
        control.cancel();
        assert_eq!(minimal(markings, &mut Meter::new(&control)), Err(Stop::Interrupted));
    }
}

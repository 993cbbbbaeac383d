//! Continuous reachability: transitions may fire by any fraction (Fraca and Haddad 2015; for backward coverability Blondin,
//! Finkel, Haase and Haddad 2016). A marking that cannot be covered continuously cannot be covered.
//!
//! A marking can be covered if some solution of the state equation uses only transitions that can all be enabled from the initial marking
//! with what the others put, and, backwards, from the marking with what is left over. Solutions with most transitions are
//! enough: a transition is in none of them if weights exist that every firing of it would lower. Numbers are floating, and the
//! answer *excluded* is not exact, so nothing that rests on it alone is ever proved.

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Net, Tokens};

use super::conditions::effect;
use super::simplex::Simplex;

pub struct Continuous {
    /// Per transition: what it changes, and the places it takes from (or reads) and puts to (or reads).
    effects: Vec<Vec<(usize, f64)>>,
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    most: Vec<Option<Tokens>>,
}

impl Continuous {
    pub fn new(net: &Net) -> Self {
        let mut new = Self {
            effects: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            most: net.initial.iter().map(|range| range.hi).collect(),
        };
        for transition in net.transitions.iter() {
            let read: Vec<usize> = transition.guards.iter().map(|guard| guard.place.index()).collect();
            let taken = transition.take.iter().map(|&(place, _)| place.index());
            let put = transition.put.iter().map(|&(place, _)| place.index());
            new.before.push(taken.chain(read.iter().copied()).collect());
            // A token that is only read is there afterwards, too.
            let taken = |place| transition.take.iter().find(|entry| entry.0 == place).map_or(0, |entry| entry.1);
            let kept = transition.guards.iter().filter(|guard| guard.range.lo > taken(guard.place));
            let kept = kept.map(|guard| guard.place.index());
            new.after.push(put.chain(kept).collect());
            new.effects.push(effect(transition).into_iter().map(|(place, number)| (place, number as f64)).collect());
        }
        new
    }

    /// Is nothing above the marking reachable, even by fractions?
    pub fn excludes(&self, marking: &[Tokens], control: &Control) -> Result<bool, Stop> {
        let mut allowed = vec![true; self.effects.len()];
        loop {
            let Some((possible, spare)) = self.support(marking, &allowed, control)? else { return Ok(true) };
            let forwards: Vec<bool> = self.most.iter().map(|&most| most != Some(0)).collect();
            let backwards: Vec<bool> =
                marking.iter().zip(&spare).map(|(&tokens, &spare)| tokens > 0 || spare).collect();
            let fireable = closure(&self.before, &self.after, forwards, &possible, control)?;
            let both = closure(&self.after, &self.before, backwards, &fireable, control)?;
            if both == allowed {
                return Ok(false);
            }
            allowed = both;
        }
    }

    /// `None` if the state equation has no solution.
    fn support(&self, marking: &[Tokens], allowed: &[bool], control: &Control) -> Result<Option<Support>, Stop> {
        let columns: Vec<usize> = (0..self.most.len()).filter(|&place| self.most[place].is_some()).collect();
        let column = |place: usize| columns.binary_search(&place).ok();
        let row = |effect: &Vec<(usize, f64)>| -> Vec<(usize, f64)> {
            effect.iter().filter_map(|&(place, number)| Some((column(place)?, number))).collect()
        };
        let usable = self.effects.iter().zip(allowed).filter(|&(_, &is_allowed)| is_allowed);
        let mut rows: Vec<Vec<(usize, f64)>> = usable.map(|(effect, _)| row(effect)).collect();
        let missing: Vec<f64> =
            columns.iter().map(|&place| marking[place] as f64 - self.most[place].unwrap_or(0) as f64).collect();
        if let Some(mut simplex) = Simplex::new(rows.clone(), columns.len())
            && simplex.maximise(&missing, control)?.is_some()
        {
            return Ok(None);
        }
        // Weights that lower nothing of what is missing, yet are lowered by a transition, keep it out of all solutions.
        rows.push(missing.iter().enumerate().map(|(column, number)| (column, -number)).collect());
        let Some(mut simplex) = Simplex::new(rows, columns.len()) else {
            return Ok(Some((allowed.to_vec(), vec![true; self.most.len()])));
        };
        let mut is_possible = |entries: &[(usize, f64)]| {
            let mut gain = vec![0.0; columns.len()];
            entries.iter().for_each(|&(column, number)| gain[column] = number);
            Ok::<bool, Stop>(simplex.maximise(&gain, control)?.is_none())
        };
        let lowered = |effect: &Vec<(usize, f64)>| -> Vec<(usize, f64)> {
            row(effect).into_iter().map(|(at, number)| (at, -number)).collect()
        };
        let mut possible = Vec::with_capacity(allowed.len());
        for (effect, &is_allowed) in self.effects.iter().zip(allowed) {
            possible.push(is_allowed && is_possible(&lowered(effect))?);
        }
        let mut spare = Vec::with_capacity(self.most.len());
        for place in 0..self.most.len() {
            spare.push(match column(place) {
                Some(at) => is_possible(&[(at, 1.0)])?,
                None => true,
            });
        }
        Ok(Some((possible, spare)))
    }
}

/// The transitions in some solution of the state equation, and the places with something left over in one.
type Support = (Vec<bool>, Vec<bool>);

/// Which of the transitions can fire, when places once marked stay marked.
fn closure(
    asks: &[Vec<usize>],
    gives: &[Vec<usize>],
    mut marked: Vec<bool>,
    among: &[bool],
    control: &Control,
) -> Result<Vec<bool>, Stop> {
    let mut fires = vec![false; among.len()];
    loop {
        control.check()?;
        let mut grows = false;
        for at in 0..among.len() {
            if among[at] && !fires[at] && asks[at].iter().all(|&place| marked[place]) {
                fires[at] = true;
                grows = true;
                gives[at].iter().for_each(|&place| marked[place] = true);
            }
        }
        if !grows {
            return Ok(fires);
        }
    }
}

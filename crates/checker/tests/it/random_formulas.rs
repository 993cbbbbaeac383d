//! Random small models: exactly the formulas and blocks that a plain search over all states finds closed are accepted.
#![cfg(feature = "z3")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::common::{formulas, naive};
use lapidary_base::{Control, Id};
use lapidary_checker::{Backend, Means, Rejection, certify_model, eval, step};
use lapidary_ir::model::Raw;
use lapidary_ir::{Expr, Model, PropertyId, VarId};
use lapidary_reference::bodies;
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::Values;
use lapidary_reference::seeds;
use lapidary_verdict::{Block, Blocks, Certificate, Formula, Induction};

type State = Vec<Raw>;

/// `None` where the check could not go on.
fn is_accepted(model: &Model, property: PropertyId, certificate: &Certificate) -> Option<bool> {
    match certify_model(model, &[property], certificate, &Means::new(&Backend::default(), &Control::new())) {
        Ok(_) => Some(true),
        Err(Rejection::Wrong(_)) => Some(false),
        Err(Rejection::Stopped(stop)) => {
            // Anything else would mean that solver and interpreter disagree.
            assert!(stop.to_string().contains("depends on more values of its inputs"), "{stop}");
            None
        }
    }
}

/// All configurations of a model and the steps between them, by numbers.
struct Space {
    states: Vec<State>,
    next: Vec<BTreeSet<usize>>,
    initial: Vec<bool>,
}

impl Space {
    fn new(model: &Model) -> Self {
        let is_configuration = |state: &State| step::keeps_invariant(model, state) == Some(true);
        let states: Vec<State> = bodies::states(model).into_iter().filter(is_configuration).collect();
        let numbers: BTreeMap<&State, usize> =
            states.iter().enumerate().map(|(number, state)| (state, number)).collect();
        let next = states.iter().map(|state| naive::successors(model, state).iter().map(|to| numbers[to]).collect());
        let next = next.collect();
        let initial = states.iter().map(|state| naive::is_initial(model, state)).collect();
        Self { next, initial, states }
    }

    fn is_proof(&self, model: &Model, property: PropertyId, is_member: &[bool]) -> bool {
        (0..self.states.len()).all(|number| {
            (!self.initial[number] || is_member[number])
                && (!is_member[number]
                    || (self.next[number].iter().all(|&to| is_member[to])
                        && !naive::is_target(model, property, &self.states[number])))
        })
    }

    /// The states that k states with the formula can end in.
    fn kept(&self, has: &[bool], k: u32) -> BTreeSet<usize> {
        let mut ends: BTreeSet<usize> = (0..has.len()).filter(|&number| has[number]).collect();
        for _ in 1..k {
            ends = ends.iter().flat_map(|&from| &self.next[from]).copied().filter(|&to| has[to]).collect();
        }
        ends
    }

    /// Does a run of k different states with the formula, ending like `run`, lead to one without? Backwards.
    fn is_left_simply(&self, has: &[bool], before: &[Vec<usize>], run: &mut Vec<usize>, k: u32) -> bool {
        if run.len() == k as usize + 1 {
            return true;
        }
        let last = run[run.len() - 1];
        before[last].iter().any(|&from| {
            if !has[from] || run.contains(&from) {
                return false;
            }
            run.push(from);
            let found = self.is_left_simply(has, before, run, k);
            run.pop();
            found
        })
    }

    fn is_induction(&self, model: &Model, property: PropertyId, has: &[bool], k: u32, is_simple: bool) -> bool {
        let all = 0..self.states.len();
        let mut ends: BTreeSet<usize> = all.clone().filter(|&number| self.initial[number]).collect();
        for _ in 0..k {
            if ends.iter().any(|&number| !has[number]) {
                return false;
            }
            ends = ends.iter().flat_map(|&from| &self.next[from]).copied().collect();
        }
        let is_kept = if is_simple {
            let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
            for from in all.clone() {
                self.next[from].iter().for_each(|&to| before[to].push(from));
            }
            !all.clone().any(|bad| !has[bad] && self.is_left_simply(has, &before, &mut vec![bad], k))
        } else {
            self.kept(has, k).iter().all(|&number| self.next[number].iter().all(|&to| has[to]))
        };
        is_kept
            && all.into_iter().all(|number| !has[number] || !naive::is_target(model, property, &self.states[number]))
    }
}

fn has(model: &Model, space: &Space, formula: Expr) -> Vec<bool> {
    space.states.iter().map(|state| eval::truth(model, formula, state) == Ok(true)).collect()
}

fn constant(model: &Model, var: VarId, value: Raw) -> Expr {
    model.vars[var].domain.constant(&model.exprs, value)
}

/// One block for each state, with equations as predicates for all variables that are not control.
fn exact_blocks(model: &Model, states: &[State], control: Vec<VarId>) -> Blocks {
    let mut predicates = Vec::new();
    let mut places: BTreeMap<(VarId, Raw), u32> = BTreeMap::new();
    for var in model.vars.ids().filter(|var| !control.contains(var)) {
        let (lo, hi) = model.bounds(model.vars[var].domain).expect("finite");
        for value in lo..=hi {
            places.insert((var, value), predicates.len() as u32);
            predicates.push(model.exprs.eq(model.exprs.var(var), constant(model, var, value)));
        }
    }
    let block = |state: &State| Block {
        control: control.iter().map(|var| state[var.index()]).collect(),
        literals: places
            .iter()
            .filter(|((var, value), _)| state[var.index()] == *value)
            .map(|(_, &p)| (p, true))
            .collect(),
    };
    Blocks { blocks: states.iter().map(block).collect(), control, predicates: Formula::all(&model.exprs, &predicates) }
}

fn some_vars(model: &Model, dice: &mut Dice, one_in: u64) -> Vec<VarId> {
    model.vars.ids().filter(|_| dice.one_in(one_in)).collect()
}

#[test]
fn the_reachable_states_as_blocks_prove_exactly_what_they_do_not_spoil() {
    let (mut n_models, mut n_stopped) = (0, 0);
    for seed in seeds::of(0..60) {
        let mut dice = Dice::new(50_000 + seed);
        let model = bodies::guarded(&mut dice);
        let reachable = naive::reachable(&model);
        if reachable.len() > 60 {
            continue;
        }
        n_models += 1;
        let control = some_vars(&model, &mut dice, 2);
        let blocks = exact_blocks(&model, &reachable, control);
        for property in model.properties.ids() {
            let expected = !reachable.iter().any(|state| naive::is_target(&model, property, state));
            match is_accepted(&model, property, &formulas::certificate(blocks.clone())) {
                Some(found) => assert_eq!(found, expected, "seed {seed}"),
                None => n_stopped += 1,
            }
            let mut holed = blocks.clone();
            if expected && !holed.blocks.is_empty() {
                holed.blocks.remove(dice.below(holed.blocks.len()));
                assert_ne!(is_accepted(&model, property, &formulas::certificate(holed)), Some(true), "seed {seed}");
            }
        }
    }
    assert!(n_models > seeds::least(20) && n_stopped < n_models / 4, "{n_models} models, {n_stopped} stopped");
}

#[test]
fn coarse_blocks_are_accepted_exactly_where_they_are_closed() {
    let (mut n_yes, mut n_no) = (0, 0);
    for seed in seeds::of(0..70) {
        let mut dice = Dice::new(60_000 + seed);
        let model = bodies::guarded(&mut dice);
        let space = Space::new(&model);
        let control = some_vars(&model, &mut dice, 4);
        let predicates: Vec<Expr> =
            (0..1 + dice.below(3)).map(|_| bodies::truth(&model, &mut dice, 2, Values::Everywhere)).collect();
        let block = |state: &State| {
            let control: Vec<Raw> = control.iter().map(|var| state[var.index()]).collect();
            let truth = |&predicate| eval::truth(&model, predicate, state).expect("it has a value everywhere");
            let literals: Vec<(u32, bool)> = (0..).zip(predicates.iter().map(truth)).collect();
            (control, literals)
        };
        let mut listed: BTreeSet<_> = naive::reachable(&model).iter().map(&block).collect();
        // Most sets that are not closed lack one successor only.
        if dice.one_in(2) {
            listed.extend(space.states.iter().filter(|_| dice.one_in(40)).map(&block));
        }
        if dice.one_in(3) && !listed.is_empty() {
            let removed = listed.iter().nth(dice.below(listed.len())).expect("it is there").clone();
            listed.remove(&removed);
        }
        let is_member: Vec<bool> = space.states.iter().map(|state| listed.contains(&block(state))).collect();
        let blocks =
            listed.iter().map(|(control, literals)| Block { control: control.clone(), literals: literals.clone() });
        let blocks = Blocks {
            control: control.clone(),
            predicates: Formula::all(&model.exprs, &predicates),
            blocks: blocks.collect(),
        };
        let certificate = Certificate::Blocks(Arc::new(blocks));
        for property in model.properties.ids() {
            let expected = space.is_proof(&model, property, &is_member);
            let Some(found) = is_accepted(&model, property, &certificate) else { continue };
            assert_eq!(found, expected, "seed {seed}, {}", model.properties[property].name);
            if found { n_yes += 1 } else { n_no += 1 }
        }
    }
    assert!(n_yes > seeds::least(20) && n_no > seeds::least(80), "{n_yes} accepted, {n_no} rejected");
}

/// A formula that has a chance to be closed: the reachable values of some variables, or something random.
fn formula(model: &Model, dice: &mut Dice, reachable: &[State]) -> Expr {
    let e = &model.exprs;
    let vars = some_vars(model, dice, 2);
    let exact = reachable
        .iter()
        .map(|state| e.and(vars.iter().map(|&var| e.eq(e.var(var), constant(model, var, state[var.index()])))));
    let exact = e.or(exact.collect::<BTreeSet<_>>());
    match dice.below(4) {
        0 => bodies::truth(model, dice, 2, Values::Everywhere),
        1 => e.or([exact, bodies::truth(model, dice, 1, Values::Everywhere)]),
        2 => e.and([exact, e.not(bodies::truth(model, dice, 0, Values::Perhaps))]),
        _ => exact,
    }
}

#[test]
fn formulas_are_accepted_exactly_where_they_are_closed() {
    let (mut n_yes, mut n_no) = (0, 0);
    for seed in seeds::of(0..90) {
        let mut dice = Dice::new(70_000 + seed);
        let model = bodies::guarded(&mut dice);
        let space = Space::new(&model);
        let formula = formula(&model, &mut dice, &naive::reachable(&model));
        let is_member = has(&model, &space, formula);
        for property in model.properties.ids() {
            let expected = space.is_proof(&model, property, &is_member);
            let Some(found) =
                is_accepted(&model, property, &Certificate::Invariant(Formula::new(&model.exprs, formula)))
            else {
                continue;
            };
            assert_eq!(found, expected, "seed {seed}, {}", model.properties[property].name);
            if found { n_yes += 1 } else { n_no += 1 }
        }
    }
    assert!(n_yes > seeds::least(20) && n_no > seeds::least(80), "{n_yes} accepted, {n_no} rejected");
}

#[test]
fn inductions_are_accepted_exactly_where_runs_keep_the_formula() {
    let (mut n_yes, mut n_no) = (0, 0);
    for seed in seeds::of(0..60) {
        let mut dice = Dice::new(80_000 + seed);
        let model = bodies::guarded(&mut dice);
        let space = Space::new(&model);
        let formula = formula(&model, &mut dice, &naive::reachable(&model));
        let has = has(&model, &space, formula);
        let property = PropertyId::new(dice.below(model.properties.len()));
        for (k, is_simple) in [(1, false), (2, false), (3, false), (2, true), (3, true)] {
            let expected = space.is_induction(&model, property, &has, k, is_simple);
            let formula = Formula::new(&model.exprs, formula);
            let certificate = Certificate::Induction(Induction { k, formula, is_simple });
            let Some(found) = is_accepted(&model, property, &certificate) else { continue };
            assert_eq!(found, expected, "seed {seed}, k = {k}, {is_simple}");
            if found { n_yes += 1 } else { n_no += 1 }
        }
    }
    assert!(n_yes > seeds::least(12) && n_no > seeds::least(40), "{n_yes} accepted, {n_no} rejected");
}

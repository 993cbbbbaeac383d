//! Proofs with one thing changed: a diagram is still accepted exactly if what it now says is a proof.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::diagrams::diagram;
use crate::common::flows::with_flows;
use crate::common::{build, naive};
use lapidary_base::{Control, Id};
use lapidary_checker::{Backend, Claim, Means, Rejection, certify_model_claims, eval, step};
use lapidary_ir::model::Raw;
use lapidary_ir::{Model, PropertyId, PropertyKind, VarId};
use lapidary_reference::bodies::{states, truth};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::Values;
use lapidary_reference::seeds;
use lapidary_verdict::{Certificate, Child, Diagram};

type State = Vec<Raw>;

/// A model with flows in a chain, commands that only wait, and a `reach` property that may err.
fn model(dice: &mut Dice) -> Model {
    let mut model = with_flows(dice);
    for command in model.commands.iter_mut() {
        command.is_idle = dice.one_in(6);
    }
    let when = truth(&model, dice, 0, Values::Perhaps);
    let text = truth(&model, dice, 1, Values::Everywhere);
    build::add_property(&mut model, "careful", PropertyKind::Reach(text));
    let careful = model.property("careful").expect("it was just added");
    model.properties[careful].faults = vec![build::fault(when, "some fault")];
    model
}

/// The set of a model's configurations, some of whose variables are left out.
fn proof(model: &Model, dice: &mut Dice) -> Diagram {
    let mut order: Vec<VarId> = model.vars.ids().collect();
    dice.shuffle(&mut order);
    if dice.one_in(3) {
        order.truncate(order.len() - 1 - dice.below(2));
    }
    diagram(&order, &naive::reachable(model))
}

/// An edge of some node.
fn edge(set: &Diagram, dice: &mut Dice) -> (usize, usize) {
    let node = dice.below(set.nodes.len());
    (node, dice.below(set.nodes[node].edges.len()))
}

/// Changes one thing. What comes out may be malformed.
fn mutated(model: &Model, set: &Diagram, dice: &mut Dice) -> Diagram {
    let mut set = set.clone();
    if set.nodes.is_empty() {
        set.root = if dice.one_in(2) { Child::None } else { Child::All };
        return set;
    }
    let (node, place) = edge(&set, dice);
    let (lo, hi, _) = set.nodes[node].edges[place];
    match dice.below(8) {
        0 => drop(set.nodes[node].edges.remove(place)),
        1 => set.nodes[node].edges[place].2 = Child::All,
        2 => set.nodes[node].edges[place].2 = Child::Node(dice.below(set.nodes.len()) as u32),
        3 => set.nodes[node].edges[place].1 = if hi > lo { hi - 1 } else { hi + 1 },
        4 => set.nodes[node].edges[place].0 = if lo < hi { lo + 1 } else { lo - 1 },
        // A node less: what led there leads nowhere.
        5 => {
            let dropped = Child::Node(node as u32);
            let edges = set.nodes.iter_mut().flat_map(|node| &mut node.edges);
            edges.filter(|(_, _, child)| *child == dropped).for_each(|edge| edge.2 = Child::None);
        }
        6 => {
            let (least, greatest) = model.bounds(model.vars[set.nodes[node].var].domain).expect("it is finite");
            set.nodes[node].edges = vec![(least, greatest, set.nodes[node].edges[place].2)];
        }
        _ => set.root = Child::Node(dice.below(set.nodes.len()) as u32),
    }
    set
}

/// What a set says about a model, straight from the definitions.
struct Truth<'a> {
    model: &'a Model,
    members: BTreeSet<State>,
    /// It holds all initial states and no step leaves it.
    is_closed: bool,
}

impl<'a> Truth<'a> {
    fn new(model: &'a Model, all: &[State], set: &Diagram) -> Self {
        let keeps = |state: &&State| step::keeps_invariant(model, state) == Some(true);
        let members: BTreeSet<State> = all.iter().filter(|state| set.contains(state)).filter(keeps).cloned().collect();
        let is_in = |state: &State| members.contains(state);
        let is_closed = all.iter().filter(|state| naive::is_initial(model, state)).all(is_in)
            && members.iter().all(|state| naive::successors(model, state).iter().all(is_in));
        Self { model, members, is_closed }
    }

    fn proves(&self, claim: Claim) -> bool {
        let spoils = |state: &State| match claim {
            Claim::Decides(property) => naive::is_target(self.model, property, state),
            Claim::NeverErrs(property) => errs(self.model, property, state),
        };
        self.is_closed && !self.members.iter().any(spoils)
    }
}

fn errs(model: &Model, property: PropertyId, state: &[Raw]) -> bool {
    let asked = &model.properties[property];
    let has_no_value = match asked.kind {
        PropertyKind::Invariant(formula) | PropertyKind::Reach(formula) => eval::truth(model, formula, state).is_err(),
        PropertyKind::DeadlockFree | PropertyKind::NoErrors | PropertyKind::Ltl(_) => {
            return naive::is_target(model, property, state);
        }
    };
    has_no_value || asked.faults.iter().any(|fault| eval::truth(model, fault.when, state) != Ok(false))
}

#[test]
fn a_proof_with_one_change_is_judged_as_the_definitions_say() {
    let (mut n_accepted, mut n_rejected, mut n_malformed) = (0, 0, 0);
    for seed in seeds::of(0..60) {
        let mut dice = Dice::new(1_000 + seed);
        let model = model(&mut dice);
        let all = states(&model);
        let whole = proof(&model, &mut dice);
        for change in 0..6 {
            let set = if change == 0 { whole.clone() } else { mutated(&model, &whole, &mut dice) };
            let certificate = Certificate::Diagram(Arc::new(set.clone()));
            let judge = |claim| {
                certify_model_claims(&model, &[claim], &certificate, &Means::new(&Backend::default(), &Control::new()))
            };
            if set.validate(&model).is_err() {
                assert!(judge(Claim::Decides(PropertyId::new(0))).is_err(), "seed {seed}: malformed");
                n_malformed += 1;
                continue;
            }
            let truth = Truth::new(&model, &all, &set);
            let claims = model.properties.ids().flat_map(|id| [Claim::Decides(id), Claim::NeverErrs(id)]);
            for claim in claims {
                let found = judge(claim);
                match found {
                    Ok(_) => n_accepted += 1,
                    Err(Rejection::Wrong(_)) => n_rejected += 1,
                    Err(Rejection::Stopped(ref stop)) => panic!("seed {seed}: {stop}"),
                }
                assert_eq!(found.is_ok(), truth.proves(claim), "seed {seed}, change {change}, {claim:?}: {found:?}");
            }
        }
    }
    let seen = format!("{n_accepted} accepted, {n_rejected} rejected, {n_malformed} malformed");
    assert!(
        n_accepted > seeds::least(100) && n_rejected > seeds::least(100) && n_malformed > seeds::least(10),
        "{seen}"
    );
}

//! Does a downward-closed set of markings miss what must not be reached?
//!
//! A formula is taken apart case by case (a tableau). In a case some sums of places have to be large and others small.
//! Small sums and the set stay what they are where tokens are taken away, so only the least markings with large enough sums
//! matter, and a case ends as soon as its least marking is outside of the set.

use std::rc::Rc;

use lapidary_base::hash::Set;
use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Expr, Exprs, Model, Net, Node, Property, PropertyKind, Sort, Tokens};

use super::{shown_dense, wrong};
use crate::Rejection;
use crate::certify::Claim;
use crate::finding;

/// Is the marking in the set?
pub type Within<'a> = dyn FnMut(&[Tokens]) -> bool + 'a;

/// No marking of the set may be an objection to one of the claims.
pub fn check(
    net: &Net,
    model: &Model,
    claims: &[Claim],
    within: &mut Within<'_>,
    control: &Control,
) -> Result<(), Rejection> {
    for claim in claims {
        let id = claim.property();
        let property = model.properties.get(id);
        let property = property.ok_or_else(|| wrong(format!("the model has no property number {}", id.0)))?;
        for (formula, value) in spoils(model, property, *claim)? {
            let found = Tableau::new(net, model, control).search(formula, value, within);
            let found = found.map_err(|trouble| trouble.rejection(property))?;
            if let Some(marking) = found {
                let marking = shown_dense(net, &marking);
                return Err(wrong(format!("the set has a marking that spoils {}: {marking}", property.name)));
            }
        }
    }
    Ok(())
}

/// The formulas, and the values that they must not have in the set.
fn spoils(model: &Model, property: &Property, claim: Claim) -> Result<Vec<(Expr, bool)>, Rejection> {
    let (formula, bad) = match property.kind {
        PropertyKind::Invariant(formula) => (formula, false),
        PropertyKind::Reach(formula) => (formula, true),
        PropertyKind::DeadlockFree | PropertyKind::NoErrors => {
            return Err(wrong(format!("sets of markings cannot show {}, which is about steps", property.name)));
        }
        PropertyKind::Ltl(_) => return Err(finding::unsupported(property)),
    };
    let mut spoils: Vec<(Expr, bool)> = property.faults.iter().map(|fault| (fault.when, true)).collect();
    spoils.push((formula, bad));
    // Whatever is not taken apart below must have a value in every marking.
    let all = spoils.iter().map(|&(expr, _)| expr);
    if !is_total(&model.exprs, all.collect()) {
        return Err(Trouble::Odd.rejection(property));
    }
    match claim {
        Claim::Decides(_) => {}
        Claim::NeverErrs(_) => spoils.truncate(property.faults.len()),
    }
    Ok(spoils)
}

fn is_total(exprs: &Exprs, mut open: Vec<Expr>) -> bool {
    let mut seen: Set<Expr> = Set::default();
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match exprs.node(expr) {
            Node::Bool(_) | Node::Int(_) | Node::Literal(..) | Node::Var(_) => {}
            Node::Not(a) | Node::Neg(a) => open.push(*a),
            Node::And(parts) | Node::Or(parts) | Node::Add(parts) => open.extend(parts),
            Node::Ite(a, b, c) => open.extend([a, b, c]),
            Node::Eq(a, b) | Node::Lt(a, b) | Node::Le(a, b) | Node::Mul(a, b) => open.extend([a, b]),
            Node::Cell(..) | Node::Div(..) | Node::Mod(..) => return false,
            Node::Bits(..) | Node::Value(..) | Node::Apply(..) => return false,
        }
    }
    true
}

/// Why a formula cannot be taken apart.
enum Trouble {
    /// It is not made of comparisons of sums of places with numbers.
    Odd,
    Overflow,
    Stopped(Stop),
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl Trouble {
    fn rejection(self, property: &Property) -> Rejection {
        let name = &property.name;
        match self {
            Self::Odd => Rejection::Stopped(Stop::Incomplete(format!(
                "the checker cannot take {name} apart into comparisons of sums of places with numbers"
            ))),
            Self::Overflow => finding::overflow(name),
            Self::Stopped(stop) => Rejection::Stopped(stop),
        }
    }
}

/// Something that a case still has to look at.
#[derive(Clone, Copy)]
enum Goal {
    /// The formula has this value.
    Truth(Expr, bool),
    /// The first is at most the second.
    AtMost(Expr, Expr),
    Less(Expr, Expr),
    /// A sum reaches its bound with further tokens in its places from a position on.
    Reaches(usize, usize),
}

/// `weights . m`, compared with a bound; weights are positive.
struct Sum {
    weights: Vec<(usize, i128)>,
    bound: i128,
}

impl Sum {
    /// How far the bound is above the sum.
    fn missing(&self, marking: &[Tokens]) -> Result<i128, Trouble> {
        let less = |rest: i128, &(place, weight): &(usize, i128)| {
            weight.checked_mul(i128::from(marking[place])).and_then(|product| rest.checked_sub(product))
        };
        self.weights.iter().try_fold(self.bound, less).ok_or(Trouble::Overflow)
    }
}

/// Lists share their tails, so they are chains of indices.
type Chain = Option<usize>;

#[derive(Clone)]
struct Case {
    goals: Chain,
    /// Sums that have to stay at most at their bounds.
    limits: Chain,
    /// Most cases share it: a formula may have very many, and a net many places.
    least: Rc<Vec<Tokens>>,
}

struct Tableau<'a> {
    net: &'a Net,
    model: &'a Model,
    control: &'a Control,
    goals: Vec<(Goal, Chain)>,
    limits: Vec<(usize, Chain)>,
    sums: Vec<Sum>,
    open: Vec<Case>,
}

impl<'a> Tableau<'a> {
    fn new(net: &'a Net, model: &'a Model, control: &'a Control) -> Self {
        let (goals, limits, sums, open) = Default::default();
        Self { net, model, control, goals, limits, sums, open }
    }

    /// A marking of the set in which the formula has this value.
    fn search(&mut self, formula: Expr, value: bool, within: &mut Within<'_>) -> Result<Option<Vec<Tokens>>, Trouble> {
        let least = vec![0; self.net.places.len()];
        if !within(&least) {
            return Ok(None);
        }
        let case = Case { goals: None, limits: None, least: Rc::new(least) };
        self.branch(case, &[Goal::Truth(formula, value)]);
        while let Some(case) = self.open.pop() {
            self.control.check()?;
            let Some(goal) = case.goals else { return Ok(Some(case.least.to_vec())) };
            let (goal, rest) = self.goals[goal];
            self.step(Case { goals: rest, ..case }, goal, within)?;
        }
        Ok(None)
    }

    /// The case with further goals is still to be looked at.
    fn branch(&mut self, mut case: Case, goals: &[Goal]) {
        for &goal in goals {
            self.goals.push((goal, case.goals));
            case.goals = Some(self.goals.len() - 1);
        }
        self.open.push(case);
    }

    fn step(&mut self, case: Case, goal: Goal, within: &mut Within<'_>) -> Result<(), Trouble> {
        match goal {
            Goal::Truth(formula, value) => self.truth(case, formula, value),
            Goal::AtMost(a, b) => self.compare(case, a, b, 0),
            Goal::Less(a, b) => self.compare(case, a, b, -1),
            Goal::Reaches(sum, from) => self.reach(case, sum, from, within),
        }
    }

    fn truth(&mut self, case: Case, formula: Expr, value: bool) -> Result<(), Trouble> {
        let model = self.model;
        match model.exprs.node(formula) {
            Node::Bool(constant) if *constant == value => self.branch(case, &[]),
            Node::Bool(_) => {}
            Node::Not(inner) => self.branch(case, &[Goal::Truth(*inner, !value)]),
            Node::And(parts) | Node::Or(parts) => {
                let goals: Vec<Goal> = parts.iter().map(|&part| Goal::Truth(part, value)).collect();
                let is_all = matches!(model.exprs.node(formula), Node::And(_)) == value;
                match is_all {
                    true => self.branch(case, &goals),
                    false => goals.into_iter().for_each(|goal| self.branch(case.clone(), &[goal])),
                }
            }
            Node::Ite(condition, then, otherwise) => {
                self.branch(case.clone(), &[Goal::Truth(*condition, true), Goal::Truth(*then, value)]);
                self.branch(case, &[Goal::Truth(*condition, false), Goal::Truth(*otherwise, value)]);
            }
            Node::Eq(a, b) if model.sort(*a) == Sort::Bool => {
                for side in [false, true] {
                    self.branch(case.clone(), &[Goal::Truth(*a, side), Goal::Truth(*b, side == value)]);
                }
            }
            Node::Eq(a, b) if value => self.branch(case, &[Goal::AtMost(*a, *b), Goal::AtMost(*b, *a)]),
            Node::Eq(a, b) => {
                self.branch(case.clone(), &[Goal::Less(*a, *b)]);
                self.branch(case, &[Goal::Less(*b, *a)]);
            }
            Node::Le(a, b) => self.branch(case, &[if value { Goal::AtMost(*a, *b) } else { Goal::Less(*b, *a) }]),
            Node::Lt(a, b) => self.branch(case, &[if value { Goal::Less(*a, *b) } else { Goal::AtMost(*b, *a) }]),
            Node::Int(_) | Node::Literal(..) | Node::Var(_) | Node::Cell(..) => return Err(Trouble::Odd),
            Node::Add(_) | Node::Neg(_) | Node::Mul(..) | Node::Div(..) | Node::Mod(..) => return Err(Trouble::Odd),
            Node::Bits(..) | Node::Value(..) | Node::Apply(..) => return Err(Trouble::Odd),
        }
        Ok(())
    }

    /// `a - b <= most`.
    fn compare(&mut self, mut case: Case, a: Expr, b: Expr, most: i128) -> Result<(), Trouble> {
        let (weights, constant) = self.difference(a, b)?;
        let bound = most.checked_sub(constant).ok_or(Trouble::Overflow)?;
        // `weights . m <= bound`
        if weights.iter().all(|&(_, weight)| weight > 0) {
            let limit = Sum { weights, bound };
            if limit.missing(&case.least)? >= 0 {
                self.sums.push(limit);
                self.limits.push((self.sums.len() - 1, case.limits));
                case.limits = Some(self.limits.len() - 1);
                self.branch(case, &[]);
            }
            return Ok(());
        }
        if weights.iter().any(|&(_, weight)| weight > 0) {
            return Err(Trouble::Odd);
        }
        // `(-weights) . m >= -bound`
        let weights = weights.into_iter().map(|(place, weight)| (place, -weight)).collect();
        self.sums.push(Sum { weights, bound: bound.checked_neg().ok_or(Trouble::Overflow)? });
        self.branch(case, &[Goal::Reaches(self.sums.len() - 1, 0)]);
        Ok(())
    }

    /// `a - b` as a sum over places and a constant; the variables behind the places are zero.
    fn difference(&self, a: Expr, b: Expr) -> Result<(Vec<(usize, i128)>, i128), Trouble> {
        let exprs = &self.model.exprs;
        let mut weights: Vec<(usize, i128)> = Vec::new();
        let mut constant = 0i128;
        let mut open = vec![(a, 1i128), (b, -1)];
        let product = |factor: i128, value: i64| factor.checked_mul(i128::from(value)).ok_or(Trouble::Overflow);
        while let Some((expr, factor)) = open.pop() {
            match exprs.node(expr) {
                Node::Int(value) => {
                    constant = constant.checked_add(product(factor, *value)?).ok_or(Trouble::Overflow)?;
                }
                Node::Var(var) => weights.push((var.index(), factor)),
                Node::Add(parts) => open.extend(parts.iter().map(|&part| (part, factor))),
                Node::Neg(inner) => open.push((*inner, product(factor, -1)?)),
                Node::Mul(a, b) => match (exprs.as_int(*a), exprs.as_int(*b)) {
                    (Some(value), _) => open.push((*b, product(factor, value)?)),
                    (None, Some(value)) => open.push((*a, product(factor, value)?)),
                    (None, None) => return Err(Trouble::Odd),
                },
                Node::Bool(_)
                | Node::Literal(..)
                | Node::Cell(..)
                | Node::Not(_)
                | Node::And(_)
                | Node::Or(_)
                | Node::Ite(..)
                | Node::Eq(..)
                | Node::Lt(..)
                | Node::Le(..)
                | Node::Div(..)
                | Node::Mod(..)
                | Node::Bits(..)
                | Node::Value(..)
                | Node::Apply(..) => {
                    return Err(Trouble::Odd);
                }
            }
        }
        weights.retain(|&(place, _)| place < self.net.places.len());
        Ok((merged(weights)?, constant))
    }

    /// All least ways to reach the bound: some tokens more in the place at a position, then those behind it.
    fn reach(&mut self, mut case: Case, sum: usize, from: usize, within: &mut Within<'_>) -> Result<(), Trouble> {
        let Sum { weights, .. } = &self.sums[sum];
        let missing = self.sums[sum].missing(&case.least)?;
        if missing <= 0 {
            self.branch(case, &[]);
            return Ok(());
        }
        let Some(&(place, weight)) = weights.get(from) else { return Ok(()) };
        let is_last = from + 1 == weights.len();
        let more = if is_last { (missing - 1) / weight + 1 } else { 1 };
        if !is_last {
            self.branch(case.clone(), &[Goal::Reaches(sum, from + 1)]);
        }
        let tokens = i128::from(case.least[place]).checked_add(more).ok_or(Trouble::Overflow)?;
        Rc::make_mut(&mut case.least)[place] = Tokens::try_from(tokens).map_err(|_| Trouble::Overflow)?;
        if self.keeps_limits(&case)? && within(&case.least) {
            self.branch(case, &[Goal::Reaches(sum, from)]);
        }
        Ok(())
    }

    fn keeps_limits(&self, case: &Case) -> Result<bool, Trouble> {
        let mut limits = case.limits;
        while let Some(at) = limits {
            let (sum, rest) = self.limits[at];
            if self.sums[sum].missing(&case.least)? < 0 {
                return Ok(false);
            }
            limits = rest;
        }
        Ok(true)
    }
}

/// Each place once, none without a weight.
fn merged(mut weights: Vec<(usize, i128)>) -> Result<Vec<(usize, i128)>, Trouble> {
    weights.sort_unstable_by_key(|&(place, _)| place);
    let mut merged: Vec<(usize, i128)> = Vec::new();
    for (place, weight) in weights {
        match merged.last_mut() {
            Some((last, sum)) if *last == place => *sum = sum.checked_add(weight).ok_or(Trouble::Overflow)?,
            _ => merged.push((place, weight)),
        }
    }
    merged.retain(|&(_, weight)| weight != 0);
    Ok(merged)
}

//! Variables that a conjunction determines: an acyclic list of definitions and what is left to be satisfied.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use lapidary_base::hash::{Map, Set};

use super::defined::defined_with;
use super::interval::{Interval, interval};
use super::walk::variables;
use crate::expr::{Expr, Exprs, Node};
use crate::model::VarId;

/// A valuation within the domains satisfies the conjunction exactly where every definition's expression has the
/// value of its variable and everything in `rest` is true. Expressions in `rest` may still mention defined variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions {
    /// Each variable once, after all defined variables that its expression reads.
    pub list: Vec<(VarId, Expr)>,
    /// Also that the expressions in the list have a value in the domain of their variable, where that is not obvious.
    pub rest: Vec<Expr>,
}

/// A conjunct that would do as a definition.
struct Equation {
    conjunct: usize,
    var: VarId,
    value: Expr,
    reads: BTreeSet<VarId>,
}

/// Finds definitions `f = e` of candidates among conjuncts (nested conjunctions are taken apart). Definitions over
/// what is no candidate and what is already defined come first, then others as long as there is no cycle.
pub fn definitions(
    exprs: &Exprs,
    is_candidate: &dyn Fn(VarId) -> bool,
    conjuncts: &[Expr],
    bounds: &dyn Fn(VarId) -> Interval,
) -> Definitions {
    let conjuncts: Vec<Expr> = conjuncts.iter().flat_map(|&part| exprs.conjuncts(part)).collect();
    let equations = equations(exprs, is_candidate, &conjuncts);
    let chosen = choose(&equations, conjuncts.len(), is_candidate);
    let mut definitions = Definitions::default();
    let mut is_used = vec![false; conjuncts.len()];
    for &i in &chosen {
        let Equation { conjunct, var, value, .. } = equations[i];
        is_used[conjunct] = true;
        definitions.list.push((var, value));
    }
    let unused = conjuncts.iter().zip(is_used).filter(|(_, is_used)| !is_used).map(|(&conjunct, _)| conjunct);
    definitions.rest.extend(unused);
    for &(var, value) in &definitions.list {
        definitions.rest.extend(demands(exprs, var, value, bounds));
    }
    definitions
}

fn equations(exprs: &Exprs, is_candidate: &dyn Fn(VarId) -> bool, conjuncts: &[Expr]) -> Vec<Equation> {
    let mut found = Vec::new();
    for (conjunct, &expr) in conjuncts.iter().enumerate() {
        for (var, value) in sides(exprs, expr) {
            if !is_candidate(var) {
                continue;
            }
            let reads = variables(exprs, value);
            // Cells read variables that are not named, so what has some defines nothing.
            if !reads.contains(&var) && !has_cells(exprs, value) {
                found.push(Equation { conjunct, var, value, reads });
            }
        }
    }
    found
}

/// The variables that a conjunct determines, each with its value.
fn sides(exprs: &Exprs, conjunct: Expr) -> Vec<(VarId, Expr)> {
    let side = |side: Expr, other: Expr| match exprs.node(side) {
        Node::Var(var) => Some((*var, other)),
        Node::Not(inner) => match exprs.node(*inner) {
            Node::Var(var) => Some((*var, exprs.not(other))),
            _ => None,
        },
        _ => None,
    };
    match exprs.node(conjunct) {
        Node::Var(_) | Node::Not(_) => side(conjunct, exprs.bool(true)).into_iter().collect(),
        Node::Eq(a, b) => [side(*a, *b), side(*b, *a)].into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}

fn has_cells(exprs: &Exprs, root: Expr) -> bool {
    let (mut seen, mut open) = (Set::default(), vec![root]);
    while let Some(expr) = open.pop() {
        if matches!(exprs.node(expr), Node::Cell(..)) {
            return true;
        }
        if seen.insert(expr) {
            exprs.for_each_part(expr, |part| open.push(part));
        }
    }
    false
}

/// The equations that become definitions, in an order that defines before it uses.
fn choose(equations: &[Equation], n_conjuncts: usize, is_candidate: &dyn Fn(VarId) -> bool) -> Vec<usize> {
    let mut choice = Choice { by_var: Map::default(), is_used: vec![false; n_conjuncts], order: Vec::new() };
    choice.determined(equations, is_candidate);
    let mut links = Links::default();
    for (i, equation) in equations.iter().enumerate() {
        if choice.is_free(equation) && !links.lead(&equation.reads, equation.var) {
            choice.take(i, equation);
            links.add(equation);
        }
    }
    choice.sorted(equations)
}

struct Choice {
    /// The equation that defines a variable.
    by_var: Map<VarId, usize>,
    /// Conjuncts that are definitions already.
    is_used: Vec<bool>,
    order: Vec<usize>,
}

impl Choice {
    fn is_free(&self, equation: &Equation) -> bool {
        !self.is_used[equation.conjunct] && !self.by_var.contains_key(&equation.var)
    }

    fn take(&mut self, i: usize, equation: &Equation) {
        self.by_var.insert(equation.var, i);
        self.is_used[equation.conjunct] = true;
        self.order.push(i);
    }

    /// Takes what is determined by variables that are no candidates, directly or through definitions taken before.
    fn determined(&mut self, equations: &[Equation], is_candidate: &dyn Fn(VarId) -> bool) {
        let mut readers: Map<VarId, Vec<usize>> = Map::default();
        let mut n_unknown: Vec<usize> = Vec::with_capacity(equations.len());
        for (i, equation) in equations.iter().enumerate() {
            let unknown = equation.reads.iter().filter(|&&var| is_candidate(var));
            n_unknown.push(unknown.clone().count());
            unknown.for_each(|&var| readers.entry(var).or_default().push(i));
        }
        let mut ready: BinaryHeap<Reverse<usize>> =
            (0..equations.len()).filter(|&i| n_unknown[i] == 0).map(Reverse).collect();
        while let Some(Reverse(i)) = ready.pop() {
            if !self.is_free(&equations[i]) {
                continue;
            }
            self.take(i, &equations[i]);
            for &reader in readers.get(&equations[i].var).into_iter().flatten() {
                n_unknown[reader] -= 1;
                if n_unknown[reader] == 0 {
                    ready.push(Reverse(reader));
                }
            }
        }
    }

    /// Depth first, in the order in which they were taken.
    fn sorted(&self, equations: &[Equation]) -> Vec<usize> {
        let (mut is_placed, mut sorted) = (vec![false; equations.len()], Vec::with_capacity(self.order.len()));
        for &start in &self.order {
            let mut stack: Vec<_> =
                (!is_placed[start]).then(|| (start, equations[start].reads.iter())).into_iter().collect();
            while let Some((i, reads)) = stack.last_mut() {
                let mut needed = reads.by_ref().rev().filter_map(|var| self.by_var.get(var).copied());
                match needed.find(|&need| !is_placed[need]) {
                    Some(need) => stack.push((need, equations[need].reads.iter())),
                    None => {
                        is_placed[*i] = true;
                        sorted.push(*i);
                        stack.pop();
                    }
                }
            }
        }
        sorted
    }
}

/// What the definitions read that were taken although they are over candidates without a definition. The others read
/// nothing of which these could be, so that no cycle goes through them.
#[derive(Default)]
struct Links {
    reads: Map<VarId, Vec<VarId>>,
    readers: Map<VarId, Vec<VarId>>,
}

impl Links {
    fn add(&mut self, equation: &Equation) {
        self.reads.insert(equation.var, equation.reads.iter().copied().collect());
        for &read in &equation.reads {
            self.readers.entry(read).or_default().push(equation.var);
        }
    }

    /// Does one of these variables depend on `target`? Asked from both ends in turns: where definitions are chains, however
    /// they are ordered, the shorter end of each is walked, and all questions together take n log n steps.
    fn lead(&self, from: &BTreeSet<VarId>, target: VarId) -> bool {
        let mut forward = Front::new(from.iter().copied());
        let mut backward = Front::new([target].into_iter());
        loop {
            let (Some(ahead), Some(behind)) = (forward.step(&self.reads), backward.step(&self.readers)) else {
                return false;
            };
            if backward.seen.contains(&ahead) || forward.seen.contains(&behind) {
                return true;
            }
        }
    }
}

/// The variables that were found from one end.
struct Front {
    seen: Set<VarId>,
    open: Vec<VarId>,
}

impl Front {
    fn new(from: impl Iterator<Item = VarId> + Clone) -> Self {
        Self { seen: from.clone().collect(), open: from.collect() }
    }

    /// One more variable, whose neighbours are open from now on.
    fn step(&mut self, links: &Map<VarId, Vec<VarId>>) -> Option<VarId> {
        let var = self.open.pop()?;
        for &next in links.get(&var).into_iter().flatten() {
            if self.seen.insert(next) {
                self.open.push(next);
            }
        }
        Some(var)
    }
}

/// What has to hold so that the value of a definition is one of its variable's.
fn demands(exprs: &Exprs, var: VarId, value: Expr, bounds: &dyn Fn(VarId) -> Interval) -> Vec<Expr> {
    let (Some((lo, hi)), found) = (bounds(var), interval(exprs, value, bounds)) else {
        return vec![defined_with(exprs, value, &|_| unreachable!("values of definitions have no cells"))]
            .into_iter()
            .filter(|&part| exprs.as_bool(part) != Some(true))
            .collect();
    };
    let mut demands = Vec::new();
    if found.is_none_or(|(least, _)| least < lo) {
        demands.push(exprs.le(exprs.int(lo), value));
    }
    if found.is_none_or(|(_, greatest)| greatest > hi) {
        demands.push(exprs.le(value, exprs.int(hi)));
    }
    if demands.is_empty() {
        demands.push(defined_with(exprs, value, &|_| unreachable!("values of definitions have no cells")));
    }
    demands.retain(|&part| exprs.as_bool(part) != Some(true));
    demands
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x1 = x0 + 1`, `x2 = x1 + 1`, ..., of which the equations stand in this order.
    fn chain(order: &[u32]) -> Definitions {
        let exprs = Exprs::new();
        let equation = |&i: &u32| exprs.eq(exprs.var(VarId(i)), exprs.add([exprs.var(VarId(i - 1)), exprs.int(1)]));
        let conjuncts: Vec<Expr> = order.iter().map(equation).collect();
        definitions(&exprs, &|_| true, &conjuncts, &|_| None)
    }

    /// Nothing is determined, so that for every equation it has to be asked whether it closes a cycle.
    #[test]
    fn long_chains_in_any_order_are_no_work() {
        let n: u32 = 20_000;
        // A permutation: 7919 is prime to the number of equations.
        let orders: [Vec<u32>; 3] =
            [(1..=n).collect(), (1..=n).rev().collect(), (0..n).map(|i| i * 7919 % n + 1).collect()];
        for order in orders {
            let list = chain(&order).list;
            assert_eq!(list.len(), n as usize);
            let mut is_defined = vec![false; n as usize + 1];
            for &(var, _) in &list {
                assert!(var.0 == 1 || is_defined[var.0 as usize - 1], "{var:?} comes after what it reads");
                is_defined[var.0 as usize] = true;
            }
        }
    }

    #[test]
    fn one_equation_of_a_cycle_is_left() {
        let exprs = Exprs::new();
        let (x, y, z) = (exprs.var(VarId(0)), exprs.var(VarId(1)), exprs.var(VarId(2)));
        let plus = |a: Expr| exprs.add([a, exprs.int(1)]);
        let conjuncts = [exprs.eq(x, plus(y)), exprs.eq(y, plus(z)), exprs.eq(z, plus(x))];
        let found = definitions(&exprs, &|_| true, &conjuncts, &|_| None);
        assert_eq!(found.list.iter().map(|(var, _)| var.0).collect::<Vec<_>>(), [1, 0]);
        assert!(found.rest.contains(&conjuncts[2]));
    }
}

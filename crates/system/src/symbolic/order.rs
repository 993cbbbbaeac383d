//! Static variable orders: that of the hierarchy, drawn together by what is read and written at once.

use std::collections::BTreeSet;

use lapidary_base::hash::{Map, Set};
use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_bdd::order::force;
use lapidary_ir::tree::ROOT;
use lapidary_ir::{Assignment, Destination, Rhs};
use lapidary_ir::{ComponentId, Expr, Exprs, Model, Node, Statement, Tree, VarId};

use super::places::Spot;

/// Rounds of the heuristic; it usually settles in far fewer.
const ROUNDS: usize = 60;
/// Beyond this many variables and edges the order of declaration is kept.
const MAX_WORK: usize = 2_000_000;

/// Collects the variables of expressions, with definitions looked through.
pub struct Support<'a> {
    exprs: &'a Exprs,
    definitions: Map<VarId, Expr>,
    family: &'a dyn Fn(lapidary_ir::FamilyId) -> (VarId, u32),
}

impl<'a> Support<'a> {
    pub fn new(
        exprs: &'a Exprs,
        definitions: &[(VarId, Expr)],
        family: &'a dyn Fn(lapidary_ir::FamilyId) -> (VarId, u32),
    ) -> Self {
        Self { exprs, definitions: definitions.iter().copied().collect(), family }
    }

    pub fn of(&self, expr: Expr, out: &mut BTreeSet<VarId>) {
        let mut seen: Set<Expr> = Set::default();
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            if !seen.insert(expr) {
                continue;
            }
            match self.exprs.node(expr) {
                Node::Var(var) => self.var(*var, &mut pending, out),
                Node::Cell(family, _) => {
                    let (first, len) = (self.family)(*family);
                    (first.0..first.0 + len).for_each(|var| self.var(VarId(var), &mut pending, out));
                }
                _ => {}
            }
            self.exprs.for_each_part(expr, |part| pending.push(part));
        }
    }

    fn var(&self, var: VarId, pending: &mut Vec<Expr>, out: &mut BTreeSet<VarId>) {
        match self.definitions.get(&var) {
            Some(&definition) => pending.push(definition),
            None => {
                out.insert(var);
            }
        }
    }
}

/// The variables in a good order: declaration order improved by the edges.
fn arranged(n_vars: usize, edges: Vec<BTreeSet<VarId>>, control: &Control) -> Result<Vec<VarId>, Stop> {
    let edges: Vec<Vec<usize>> = edges
        .into_iter()
        .filter(|edge| edge.len() > 1)
        .map(|edge| edge.iter().map(|var| var.index()).collect())
        .collect();
    let start: Vec<usize> = (0..n_vars).collect();
    let work: usize = edges.iter().map(Vec::len).sum::<usize>() * ROUNDS;
    let order = if work > MAX_WORK { start } else { force(n_vars, &start, &edges, ROUNDS, control)? };
    Ok(order.into_iter().map(VarId::new).collect())
}

/// The order for a tree: variables drawn together by transitions, constraints and vectors. With `events`, every
/// component's events stand before the first of its variables.
pub fn of_tree(
    tree: &Tree,
    definitions: &[(VarId, Expr)],
    rest: &[Expr],
    events: usize,
    control: &Control,
) -> Result<Vec<Spot>, Stop> {
    let family = |_| unreachable!("trees have no families");
    let support = Support::new(&tree.exprs, definitions, &family);
    let mut edges: Vec<BTreeSet<VarId>> = Vec::new();
    for &constraint in rest {
        control.check()?;
        let mut edge = BTreeSet::new();
        support.of(constraint, &mut edge);
        edges.push(edge);
    }
    for component in &tree.components {
        for transition in &component.transitions {
            control.check()?;
            let mut edge = BTreeSet::new();
            support.of(transition.guard, &mut edge);
            for &(var, value) in &transition.updates {
                edge.insert(var);
                support.of(value, &mut edge);
            }
            edges.push(edge);
        }
        for vector in component.vectors.iter().filter(|vector| vector.parts.len() > 1) {
            control.check()?;
            let mut edge = BTreeSet::new();
            for part in &vector.parts {
                let owner = &tree.components[part.event.component];
                let fired = owner.transitions.iter().filter(|transition| transition.event == part.event.event);
                edge.extend(fired.flat_map(|transition| transition.updates.iter().map(|(var, _)| *var)));
            }
            edges.push(edge);
        }
    }
    Ok(with_events(tree, arranged(tree.vars.len(), edges, control)?, events))
}

fn with_events(tree: &Tree, order: Vec<VarId>, copies: usize) -> Vec<Spot> {
    if copies == 0 {
        return order.into_iter().map(Spot::Var).collect();
    }
    let owner: IdVec<VarId, ComponentId> = tree
        .components
        .ids()
        .flat_map(|id| tree.components[id].own_vars().map(move |_| id))
        .collect::<Vec<_>>()
        .into_iter()
        .collect();
    let mut placed: IdVec<ComponentId, bool> = tree.components.iter().map(|_| false).collect();
    let mut spots = Vec::new();
    for id in tree.components.ids().filter(|&id| tree.components[id].vars.0 == tree.components[id].vars.1) {
        placed[id] = true;
        spots.push(event_spot(tree, id, copies));
    }
    for var in order {
        let id = owner[var];
        if !std::mem::replace(&mut placed[id], true) {
            spots.push(event_spot(tree, id, copies));
        }
        spots.push(Spot::Var(var));
    }
    debug_assert!(placed[ROOT], "every component has its spot");
    spots
}

fn event_spot(tree: &Tree, id: ComponentId, copies: usize) -> Spot {
    let component = &tree.components[id];
    Spot::Other { name: format!("{}!ev", component.path), size: component.events.len() as u64, copies }
}

/// The components in the order in which [`of_tree`] places their events.
pub fn event_order(tree: &Tree, spots: &[Spot]) -> Vec<ComponentId> {
    let name = |id: ComponentId| format!("{}!ev", tree.components[id].path);
    let ids: Map<String, ComponentId> = tree.components.ids().map(|id| (name(id), id)).collect();
    let id = |spot: &Spot| match spot {
        Spot::Var(_) => None,
        Spot::Other { name, .. } => Some(ids[name]),
    };
    spots.iter().filter_map(id).collect()
}

/// The order for a model: one edge per command.
pub fn of_model(
    model: &Model,
    definitions: &[(VarId, Expr)],
    rest: &[Expr],
    control: &Control,
) -> Result<Vec<Spot>, Stop> {
    let family = |id| (model.families[id].first, model.families[id].len);
    let support = Support::new(&model.exprs, definitions, &family);
    let mut edges: Vec<BTreeSet<VarId>> = Vec::new();
    for &constraint in rest {
        control.check()?;
        let mut edge = BTreeSet::new();
        support.of(constraint, &mut edge);
        edges.push(edge);
    }
    for command in &model.commands {
        control.check()?;
        let mut edge = BTreeSet::new();
        statement(model, &support, &command.body, &mut edge);
        edges.push(edge);
    }
    Ok(arranged(model.vars.len(), edges, control)?.into_iter().map(Spot::Var).collect())
}

fn statement(model: &Model, support: &Support<'_>, body: &Statement, edge: &mut BTreeSet<VarId>) {
    match body {
        Statement::Skip => {}
        Statement::Assume(condition) => support.of(*condition, edge),
        Statement::Assign(assignments) => assignments.iter().for_each(|one| assignment(model, support, one, edge)),
        Statement::Sequence(parts) | Statement::Choice(parts) => {
            parts.iter().for_each(|part| statement(model, support, part, edge));
        }
        Statement::If(condition, then, otherwise) => {
            support.of(*condition, edge);
            statement(model, support, then, edge);
            statement(model, support, otherwise, edge);
        }
        Statement::While(condition, body) => {
            support.of(*condition, edge);
            statement(model, support, body, edge);
        }
        Statement::Scope(locals, body) => {
            edge.extend(locals);
            statement(model, support, body, edge);
        }
    }
}

fn assignment(model: &Model, support: &Support<'_>, one: &Assignment, edge: &mut BTreeSet<VarId>) {
    match one.to {
        Destination::Var(var) => {
            edge.insert(var);
        }
        Destination::Cell(family, index) => {
            edge.extend(model.cells(family));
            support.of(index, edge);
        }
    }
    if let Rhs::Expr(value) = one.value {
        support.of(value, edge);
    }
}

//! Which initial cover a task begins with (Chucri 2012, section 6.2.1).

use lapidary_base::{Control, Stop};
use lapidary_bdd::Set;
use lapidary_ir::passes::atoms;
use lapidary_ir::{CountedNet, Declarations, Domain, Expr, Statement, Subject, Tree, VarId};
use lapidary_system::SetSystem;
use lapidary_system::symbolic::Transitions;
use lapidary_text::Span;

use super::initial;
use crate::{Target, Task};

/// The predicates of the initial abstraction, and what is made of them. Without any there is one block per valuation of
/// the control variables, or else of the atoms of what is asked.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Given predicates.
    pub predicates: Vec<Expr>,
    /// The atoms of all guards are predicates, too.
    pub guards: bool,
    /// These variables are kept exact, instead of those that the language marks.
    pub control: Option<Vec<VarId>>,
    /// One block per predicate and one for the rest, instead of one per valuation of the predicates.
    pub is_cover: bool,
}

/// The place of a vector or event with priority over another, if there is one.
pub fn has_priorities(tree: &Tree) -> Option<Span> {
    tree.components.iter().find_map(|component| {
        let declared = component.priorities.first().map(|&(low, _)| component.events[low].span);
        let optional = component.vectors.iter().find(|vector| vector.has_optional()).map(|vector| vector.span);
        declared.or(optional)
    })
}

/// The state variables of a hierarchy with literals for values: they are kept exact where nothing else is said.
pub fn enumerated(tree: &Tree) -> Vec<VarId> {
    let is_kept = |&var: &VarId| tree.is_state(var) && matches!(tree.vars[var].domain, Domain::Enum(_));
    tree.vars.ids().filter(is_kept).collect()
}

/// The atoms of all guards of a hierarchy.
pub fn guard_atoms(tree: &Tree) -> Vec<Expr> {
    let no_family = |_| unreachable!("trees have no families");
    let sort = |expr| tree.exprs.sort(expr, |var| tree.vars[var].domain.sort(), no_family);
    atoms(&tree.exprs, &tree_guards(tree), &sort)
}

fn tree_guards(tree: &Tree) -> Vec<Expr> {
    let transitions = tree.components.iter().flat_map(|component| &component.transitions);
    transitions.map(|transition| transition.guard).collect()
}

impl Start {
    /// The initial cover for the task's target of this number. Where nothing was chosen and the usual one is too large,
    /// the atoms of what is asked make a coarser one, and at last the target alone.
    pub fn cover(
        &self,
        task: &Task<'_>,
        target: usize,
        system: &Transitions<'_>,
        states: &Set,
        control: &Control,
    ) -> Result<Vec<Set>, Stop> {
        let is_chosen = self.guards || self.is_cover || self.control.is_some() || !self.predicates.is_empty();
        if is_chosen {
            return self.made(task, target, system, initial::MOST_BLOCKS, control);
        }
        let most = initial::MOST_BY_DEFAULT;
        let by_atoms = Self { control: Some(Vec::new()), ..Self::default() };
        for start in [self, &by_atoms] {
            match start.made(task, target, system, most, control) {
                Err(Stop::Incomplete(_)) => {}
                made => return made,
            }
        }
        initial::partition(system, vec![system.all()], std::slice::from_ref(states), most, control)
    }

    fn made(
        &self,
        task: &Task<'_>,
        target: usize,
        system: &Transitions<'_>,
        most: usize,
        control: &Control,
    ) -> Result<Vec<Set>, Stop> {
        let model = task.subject.declared();
        let symbolic = &system.system;
        let mut encoder = symbolic.places.encoder(&symbolic.space, &model.exprs, &model.families);
        let kept = self.kept(task);
        let bounds = |var: VarId| model.bounds(model.vars[var].domain).expect("all domains are finite");
        let is_free = kept.iter().all(|&var| bounds(var).0 == bounds(var).1);
        let mut predicates = Vec::new();
        for formula in self.formulas(task, target, is_free) {
            control.check()?;
            predicates.push(encoder.holds(formula)?);
        }
        // Without an invariant every value occurs, in every combination.
        let sizes = kept.iter().map(|&var| bounds(var).1.abs_diff(bounds(var).0));
        let n_least = match self.is_cover {
            true => sizes.fold(0, u64::saturating_add),
            false if model.invariant.is_empty() => {
                sizes.fold(1, |n: u64, size| n.saturating_mul(size.saturating_add(1)))
            }
            false => 0,
        };
        initial::few(n_least, most)?;
        if self.is_cover {
            let mut values = Vec::new();
            for var in kept {
                let (lo, hi) = bounds(var);
                // The last value is what remains.
                for value in lo..hi {
                    control.check()?;
                    values.push(encoder.within(model.exprs.var(var), value, value)?);
                }
            }
            values.extend(predicates);
            return initial::cover(system, system.all(), &values);
        }
        let mut blocks = vec![system.all()];
        for var in kept {
            let within = |lo, hi| encoder.within(model.exprs.var(var), lo, hi);
            blocks = initial::by_value(system, blocks, bounds(var), within, most, control)?;
        }
        initial::partition(system, blocks, &predicates, most, control)
    }

    /// The predicates. Where there are none and no variable is kept either, the atoms of what is asked.
    pub(super) fn formulas(&self, task: &Task<'_>, target: usize, is_free: bool) -> Vec<Expr> {
        let model = task.subject.declared();
        let mut formulas = self.predicates.clone();
        if self.guards {
            formulas.extend(atoms(&model.exprs, &guards(task), &|expr| model.sort(expr)));
        }
        if is_free && formulas.is_empty() {
            formulas = asked(model, task.goals[target].target);
        }
        formulas
    }

    /// The variables that are kept exact. Where predicates are given, only those that were named.
    pub(super) fn kept(&self, task: &Task<'_>) -> Vec<VarId> {
        match (&self.control, task.subject.tree()) {
            (Some(named), _) => named.clone(),
            (None, _) if self.guards || !self.predicates.is_empty() => Vec::new(),
            (None, Some(tree)) => enumerated(tree),
            (None, None) => {
                let vars = &task.subject.declared().vars;
                vars.ids().filter(|&var| vars[var].control).collect()
            }
        }
    }
}

/// The atoms of what is asked.
pub(super) fn asked(model: &Declarations, target: Target) -> Vec<Expr> {
    match target {
        Target::States(expr) => atoms(&model.exprs, &[expr], &|expr| model.sort(expr)),
        Target::Deadlocks => Vec::new(),
    }
}

/// The guards of all transitions: of the hierarchy, where there is one.
fn guards(task: &Task<'_>) -> Vec<Expr> {
    let model = match task.subject {
        Subject::Tree(hierarchy) => return tree_guards(&hierarchy.tree),
        Subject::Model(model) | Subject::Net(CountedNet { model, .. }) => model,
    };
    let mut guards = Vec::new();
    let mut open: Vec<&Statement> = model.commands.iter().rev().map(|command| &command.body).collect();
    while let Some(statement) = open.pop() {
        match statement {
            Statement::Assume(condition) => guards.push(*condition),
            Statement::If(condition, yes, no) => {
                guards.push(*condition);
                open.extend([&**no, &**yes]);
            }
            Statement::While(condition, body) => {
                guards.push(*condition);
                open.push(body);
            }
            Statement::Scope(_, body) => open.push(body),
            Statement::Sequence(parts) | Statement::Choice(parts) => open.extend(parts.iter().rev()),
            Statement::Skip | Statement::Assign(_) => {}
        }
    }
    guards
}

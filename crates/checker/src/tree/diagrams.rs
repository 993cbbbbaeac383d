//! The steps of single configurations as diagrams, for trees in which too many events could happen together to list them.
//!
//! A diagram is over the values afterwards and one event per component: a component's event is part of what it comes to, so
//! that the composition of relations needs to know nothing of it.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::{Control, Id, IdVec};
use lapidary_ir::model::Raw;
use lapidary_ir::tree::{EPSILON, ROOT};
use lapidary_ir::{ComponentId, EventId, FlatEvent, VarId};
use lapidary_verdict::State;
use oxidd::VarNo;

use super::scene::Scene;
use super::{Composition, Work};
use crate::Rejection;
use crate::components::columns::{self, Columns};
use crate::components::compose::{Composer, Local};
use crate::components::concrete::{Concrete, When};
use crate::diagram::encode::Column;
use crate::diagram::space::{self, Set, Space};
use crate::words;

/// What is wrong with a step.
pub enum Fault {
    /// The flat event cannot be fired.
    Impossible,
    /// It cannot lead to where the step leads.
    Elsewhere,
}

struct Stage<'a> {
    composition: &'a Composition<'a>,
    concrete: Concrete<'a>,
    /// Of the events.
    labels: &'a IdVec<ComponentId, Column>,
    /// Where the values afterwards lie within the domains and satisfy the component's assertions.
    inside: IdVec<ComponentId, Set>,
}

/// The first wrong one of some steps: its number, and what is wrong. Each is a flat event with what is before and after it,
/// and all of these are configurations.
pub fn wrong_step(
    composition: &Composition<'_>,
    steps: &[(&FlatEvent, &State, &State)],
    control: &Control,
) -> Result<Option<(usize, Fault)>, Rejection> {
    let found = std::cell::Cell::new(None);
    on_stage(composition, control, |stage| {
        for (i, &(flat, before, after)) in steps.iter().enumerate() {
            if let Some(fault) = stage.fault(before, flat, after, control)? {
                found.set(Some((i, fault)));
                return Ok(());
            }
        }
        Ok(())
    })?;
    Ok(found.into_inner())
}

/// A configuration to which a step leads from this one and that is not wanted, with the event that leads there.
pub fn unwanted_successor(
    composition: &Composition<'_>,
    state: &[Raw],
    is_wanted: &dyn Fn(&[Raw]) -> bool,
    control: &Control,
) -> Result<Option<(FlatEvent, State)>, Rejection> {
    let found = std::cell::RefCell::new(None);
    on_stage(composition, control, |stage| {
        *found.borrow_mut() = stage.unwanted(state, is_wanted, control)?;
        Ok(())
    })?;
    Ok(found.into_inner())
}

/// An event that can be fired in a configuration and does more than wait.
pub fn some_step(
    composition: &Composition<'_>,
    state: &[Raw],
    control: &Control,
) -> Result<Option<FlatEvent>, Rejection> {
    let found = std::cell::RefCell::new(None);
    on_stage(composition, control, |stage| {
        *found.borrow_mut() = stage.moving(state, control)?;
        Ok(())
    })?;
    Ok(found.into_inner())
}

/// Spaces of rising sizes until one suffices.
fn on_stage(
    composition: &Composition<'_>,
    control: &Control,
    attempt: impl Fn(&mut Stage<'_>) -> Result<(), Rejection>,
) -> Result<(), Rejection> {
    let Composition { tree, model, .. } = composition;
    let definitions = columns::definitions(tree, model, &BTreeSet::new());
    let (columns, labels) = layout(composition);
    let n_bits = labels.iter().flat_map(|label| &label.bits).map(|&bit| bit + 1).max();
    space::attempts(columns.n_bits().max(n_bits.unwrap_or(0)), control, |space| {
        let mut concrete = Concrete::new(tree, model, space, &columns, &definitions);
        let inside = tree.components.ids().map(|component| concrete.configurations(component, When::Then));
        let inside = inside.collect::<Result<IdVec<ComponentId, Set>, Rejection>>()?;
        attempt(&mut Stage { composition, concrete, labels: &labels, inside })
    })
}

/// Component by component: its event, then its variables.
fn layout(composition: &Composition<'_>) -> (Columns, IdVec<ComponentId, Column>) {
    let tree = composition.tree;
    let n_vars = tree.vars.len();
    let n_events = |component: ComponentId| Raw::try_from(tree.components[component].events.len()).unwrap_or(Raw::MAX);
    let of_vars = tree.vars.ids().map(|var| tree.bounds(var));
    let bounds: IdVec<VarId, (Raw, Raw)> =
        of_vars.chain(tree.components.ids().map(|component| (0, n_events(component) - 1))).collect();
    let order: Vec<VarId> = tree
        .components
        .ids()
        .flat_map(|component| {
            [VarId::new(n_vars + component.index())].into_iter().chain(tree.components[component].own_vars())
        })
        .collect();
    let Columns { now, then } = columns::columns(&bounds, &order, 0);
    let (mut now, then) = (now.into_vec(), then.into_vec());
    let labels = now.split_off(n_vars);
    let then: Vec<Column> = then.into_iter().take(n_vars).collect();
    (Columns { now: now.into(), then: then.into() }, labels.into())
}

impl Stage<'_> {
    fn fault(
        &mut self,
        from: &State,
        flat: &FlatEvent,
        to: &State,
        control: &Control,
    ) -> Result<Option<Fault>, Rejection> {
        let space = self.concrete.space;
        let mut steps = self.steps(from, control)?;
        for (component, &event) in flat.enumerated() {
            steps = space.and(&steps, &exactly(space, &self.labels[component], Raw::from(event.0))?)?;
        }
        if space.is_none(&steps) {
            return Ok(Some(Fault::Impossible));
        }
        for var in self.composition.tree.vars.ids().filter(|&var| self.concrete.then.definitions[var].is_none()) {
            steps = space.and(&steps, &exactly(space, &self.concrete.then.columns[var], to[var.index()])?)?;
        }
        Ok(space.is_none(&steps).then_some(Fault::Elsewhere))
    }

    fn unwanted(
        &mut self,
        state: &[Raw],
        is_wanted: &dyn Fn(&[Raw]) -> bool,
        control: &Control,
    ) -> Result<Option<(FlatEvent, State)>, Rejection> {
        let space = self.concrete.space;
        let mut steps = self.steps(state, control)?;
        while let Some(bits) = space.pick(&steps) {
            control.check()?;
            let next = self.concrete.then.state(&bits);
            if !is_wanted(&next) {
                let label = |column: &Column| EventId(u32::try_from(value(column, &bits)).unwrap_or(u32::MAX));
                return Ok(Some((self.labels.iter().map(label).collect(), next.into())));
            }
            let mut same = space.all.clone();
            for var in self.composition.tree.vars.ids().filter(|&var| self.concrete.then.definitions[var].is_none()) {
                same = space.and(&same, &exactly(space, &self.concrete.then.columns[var], next[var.index()])?)?;
            }
            steps = space.without(&steps, &same)?;
        }
        Ok(None)
    }

    fn moving(&mut self, state: &[Raw], control: &Control) -> Result<Option<FlatEvent>, Rejection> {
        let space = self.concrete.space;
        let mut still = space.all.clone();
        for label in self.labels {
            still = space.and(&still, &exactly(space, label, Raw::from(EPSILON.0))?)?;
        }
        let steps = space.without(&self.steps(state, control)?, &still)?;
        let label = |bits: &_, column: &Column| EventId(u32::try_from(value(column, bits)).unwrap_or(u32::MAX));
        Ok(space.pick(&steps).map(|bits| self.labels.iter().map(|column| label(&bits, column)).collect()))
    }

    /// All steps from a configuration.
    fn steps(&mut self, state: &[Raw], control: &Control) -> Result<Set, Rejection> {
        let (tree, space) = (self.composition.tree, self.concrete.space);
        let mut scene = Scene::new(self.composition, state, Work::new(control));
        let mut locals = BTreeMap::new();
        for component in tree.components.ids() {
            let events = tree.components[component].events.ids();
            let own = events.map(|event| self.own(&mut scene, component, event));
            locals.insert(component, Local::Alone(own.collect::<Result<IdVec<EventId, Set>, Rejection>>()?));
        }
        let next = |component: ComponentId| -> Vec<VarNo> {
            let vars = tree.components[component].own_vars().flat_map(|var| self.concrete.bits(var, When::Then));
            vars.chain(self.labels[component].bits.iter().copied()).collect()
        };
        let composer = Composer { tree, space, next: tree.components.ids().map(next).collect() };
        let steps = composer.steps(ROOT, &locals)?;
        steps.iter().try_fold(space.none.clone(), |all, step| space.or(&all, &step.moves.any(space)?))
    }

    /// What one event of a component by itself comes to.
    fn own(&self, scene: &mut Scene<'_, '_>, component: ComponentId, event: EventId) -> Result<Set, Rejection> {
        let (tree, space) = (self.composition.tree, self.concrete.space);
        let mut found = space.none.clone();
        for updates in scene.local(component, event)? {
            let mut one = exactly(space, &self.labels[component], Raw::from(event.0))?;
            for var in tree.components[component].own_vars().filter(|&var| tree.is_state(var)) {
                let updated = updates.iter().find(|(other, _)| *other == var);
                let value = updated.map_or(scene.state[var.index()], |&(_, value)| value);
                one = space.and(&one, &exactly(space, &self.concrete.then.columns[var], value)?)?;
            }
            found = space.or(&found, &one)?;
        }
        space.and(&found, &self.inside[component])
    }
}

/// Where a column has this value.
fn exactly(space: &Space<'_>, column: &Column, value: Raw) -> Result<Set, Rejection> {
    let offset = value.abs_diff(column.lo);
    column.bits.iter().enumerate().try_fold(space.all.clone(), |set, (weight, &bit)| match offset >> weight & 1 {
        0 => space.without(&set, &space.bit(bit)?),
        _ => space.and(&set, &space.bit(bit)?),
    })
}

fn value(column: &Column, bits: &[bool]) -> u64 {
    column.bits.iter().rev().fold(0, |sum, &bit| sum << 1 | u64::from(bits[bit as usize]))
}

impl Fault {
    /// In words that follow the name of the step; `to` is where it should lead.
    pub fn words(&self, composition: &Composition<'_>, to: &State) -> String {
        match self {
            Self::Impossible => "cannot be fired here by any vector, or something else has priority".to_owned(),
            Self::Elsewhere => format!("none of its ways leads to ({})", words::state(&composition.model, to)),
        }
    }
}

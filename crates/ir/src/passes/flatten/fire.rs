//! When a flat event can be fired at a component, and when nothing with priority forbids it: total expressions.

use lapidary_base::hash::Map;
use lapidary_base::{Control, IdVec};

use super::events::{FlatId, Levels, Way};
use super::post::{Post, in_domain, total};
use super::{MAX_NEW_EXPRS, NoModel, TooLarge, product};
use crate::expr::{Expr, Exprs};
use crate::model::VarId;
use crate::tree::{Component, ComponentId, EPSILON, EventId, EventRef, Transition, Tree};

/// More ways to pick transitions for one flat event than this are not tried.
pub const MAX_PICKS: usize = 4096;
/// So many flat events are compared in the time between two looks at the limits.
const PAIRS_PER_UNIT: usize = 128;

pub struct Fire<'a> {
    tree: &'a Tree,
    pub exprs: &'a Exprs,
    levels: &'a Levels,
    posts: IdVec<ComponentId, Option<Post>>,
    possible: Map<(ComponentId, FlatId), Expr>,
    allowed: Map<(ComponentId, FlatId), Expr>,
    forbidden: Map<(ComponentId, EventRef, Option<Way>), Expr>,
    n_exprs: usize,
    control: &'a Control,
}

impl<'a> Fire<'a> {
    pub fn new(tree: &'a Tree, exprs: &'a Exprs, levels: &'a Levels, control: &'a Control) -> Self {
        Self {
            tree,
            exprs,
            levels,
            posts: tree.components.iter().map(|_| None).collect(),
            possible: Map::default(),
            allowed: Map::default(),
            forbidden: Map::default(),
            n_exprs: exprs.len(),
            control,
        }
    }

    /// No priority, of this component or below it, forbids the flat event.
    pub fn allowed(&mut self, component: ComponentId, flat: FlatId) -> Result<Expr, NoModel> {
        if let Some(&known) = self.allowed.get(&(component, flat)) {
            return Ok(known);
        }
        self.control.check()?;
        let event = &self.levels[component].events[flat];
        let mut ways = Vec::with_capacity(event.ways.len());
        for &way in &event.ways {
            let forbidden = self.forbidden(component, event.top, way)?;
            ways.push(self.exprs.not(forbidden));
        }
        let is_free = ways.iter().any(|&way| self.exprs.as_bool(way) == Some(true));
        let here = if is_free { self.exprs.bool(true) } else { self.exprs.or(ways) };
        let below = self.allowed_below(component, flat)?;
        let allowed = self.exprs.and([below, here]);
        self.allowed.insert((component, flat), allowed);
        Ok(allowed)
    }

    fn allowed_below(&mut self, component: ComponentId, flat: FlatId) -> Result<Expr, NoModel> {
        let (tree, levels) = (self.tree, self.levels);
        let subs = tree.components[component].subs.iter().zip(&levels[component].events[flat].subs);
        let parts: Result<Vec<Expr>, NoModel> = subs.map(|(&sub, &flat)| self.allowed(sub, flat)).collect();
        Ok(self.exprs.and(parts?))
    }

    /// Something that has priority over what has this top and comes this way can be fired.
    fn forbidden(&mut self, component: ComponentId, top: EventRef, way: Way) -> Result<Expr, NoModel> {
        let declared = &self.tree.components[component];
        let way = Some(way).filter(|way| declared.vectors[way.vector].has_optional());
        if let Some(&known) = self.forbidden.get(&(component, top, way)) {
            return Ok(known);
        }
        let mut parts = Vec::new();
        self.control.charge((self.levels[component].events.len() / PAIRS_PER_UNIT) as u64)?;
        for (flat, by) in self.higher(component, top, way) {
            let mut part = vec![self.allowed_below(component, flat)?];
            if !is_transitive(component, declared) {
                let top = self.levels[component].events[flat].top;
                let forbidden = self.forbidden(component, top, by)?;
                part.push(self.exprs.not(forbidden));
            }
            part.push(self.possible(component, flat)?);
            self.control.charge(1)?;
            parts.push(self.exprs.and(part));
        }
        let forbidden = self.exprs.or(parts);
        self.forbidden.insert((component, top, way), forbidden);
        Ok(forbidden)
    }

    /// The flat events with priority, each with the way by which it has it.
    fn higher(&self, component: ComponentId, top: EventRef, way: Option<Way>) -> Vec<(FlatId, Way)> {
        let (declared, level) = (&self.tree.components[component], &self.levels[component]);
        let mut found = Vec::new();
        if top.component == component {
            for event in declared.higher(top.event) {
                let flats = level.with_top(EventRef { component, event }).iter();
                found.extend(flats.flat_map(|&flat| level.events[flat].ways.iter().map(move |&by| (flat, by))));
            }
        }
        if let Some(Way { vector, rank }) = way {
            for (flat, event) in level.events.enumerated() {
                let larger = event.ways.iter().filter(|by| by.vector == vector && by.rank > rank);
                found.extend(larger.map(|&by| (flat, by)));
            }
        }
        found
    }

    /// The guards, domains and assertions of the subtree allow the flat event; priorities are not looked at.
    fn possible(&mut self, component: ComponentId, flat: FlatId) -> Result<Expr, NoModel> {
        if let Some(&known) = self.possible.get(&(component, flat)) {
            return Ok(known);
        }
        let (tree, exprs) = (self.tree, self.exprs);
        let mut lists = Vec::new();
        let mut open = vec![(component, flat)];
        while let Some((at, flat)) = open.pop() {
            let event = &self.levels[at].events[flat];
            if event.local != EPSILON {
                lists.push(transitions(&tree.components[at], event.local));
            }
            open.extend(tree.components[at].subs.iter().copied().zip(event.subs.iter().copied()));
        }
        let n_picks = lists.iter().map(Vec::len).fold(1usize, usize::saturating_mul);
        if n_picks > MAX_PICKS {
            let what = format!("an event with {n_picks} combinations of transitions, under priorities");
            return Err(TooLarge::new(what, tree.components[component].span).into());
        }
        let post = self.posts[component].get_or_insert_with(|| Post::new(tree, exprs, component));
        let mut parts = Vec::with_capacity(n_picks);
        for picks in product(&lists.iter().map(Vec::len).collect::<Vec<_>>()) {
            let picked: Vec<&Transition> = picks.iter().zip(&lists).map(|(&pick, list)| list[pick]).collect();
            self.control.charge(1 + picked.len() as u64)?;
            parts.push(fireable(tree, exprs, post, &picked, self.control)?);
        }
        let possible = exprs.or(parts);
        self.possible.insert((component, flat), possible);
        self.within_limits(component)?;
        Ok(possible)
    }

    fn within_limits(&self, component: ComponentId) -> Result<(), NoModel> {
        if self.exprs.len() - self.n_exprs <= MAX_NEW_EXPRS {
            return Ok(());
        }
        Err(TooLarge::new("too large conditions from its priorities", self.tree.components[component].span).into())
    }
}

/// Where the component's own part of a vector never is optional, all flat events of a vector have the same top. Then
/// what has priority over something higher has priority itself, and only the subcomponents' priorities matter.
fn is_transitive(component: ComponentId, declared: &Component) -> bool {
    let mut parts = declared.vectors.iter().flat_map(|vector| &vector.parts);
    !parts.any(|part| part.is_optional && part.event.component == component)
}

pub fn transitions(component: &Component, event: EventId) -> Vec<&Transition> {
    component.transitions.iter().filter(|transition| transition.event == event).collect()
}

fn fireable(
    tree: &Tree,
    exprs: &Exprs,
    post: &Post,
    picked: &[&Transition],
    control: &Control,
) -> Result<Expr, NoModel> {
    let updates: Vec<(VarId, Expr)> = picked.iter().flat_map(|transition| transition.updates.iter().copied()).collect();
    let mut parts: Vec<Expr> = picked.iter().map(|transition| total(exprs, transition.guard)).collect();
    parts.extend(updates.iter().map(|&(var, value)| in_domain(tree, exprs, var, value)));
    parts.push(post.after(tree, exprs, &updates, control)?);
    // All parts are total, so the order does not matter: what is plainly false decides.
    let is_false = parts.iter().any(|&part| exprs.as_bool(part) == Some(false));
    Ok(if is_false { exprs.bool(false) } else { exprs.and(parts) })
}

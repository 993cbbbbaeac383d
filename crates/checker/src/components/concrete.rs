//! The components as they are: their configurations and the relations of their events, over the tree's variables.

use std::collections::BTreeMap;

use lapidary_base::IdVec;
use lapidary_ir::model::Raw;
use lapidary_ir::tree::{EPSILON, Transition};
use lapidary_ir::{ComponentId, Declarations, EventId, Expr, Node, Tree, VarId};
use oxidd::VarNo;

use super::columns::Columns;
use super::compose::{Composer, Local};
use crate::Rejection;
use crate::diagram::encode::Encoder;
use crate::diagram::numbers;
use crate::diagram::space::{Set, Space};
use crate::words;

/// Which of the two configurations of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    Now,
    Then,
}

pub struct Concrete<'a> {
    pub tree: &'a Tree,
    /// The tree's variables and expressions.
    pub model: &'a Declarations,
    pub space: &'a Space<'a>,
    pub now: Encoder<'a>,
    pub then: Encoder<'a>,
}

impl<'a> Concrete<'a> {
    pub fn new(
        tree: &'a Tree,
        model: &'a Declarations,
        space: &'a Space<'a>,
        columns: &'a Columns,
        definitions: &IdVec<VarId, Option<Expr>>,
    ) -> Self {
        let encoder = |columns| Encoder::new(model, space, columns, definitions.clone());
        Self { tree, model, space, now: encoder(&columns.now), then: encoder(&columns.then) }
    }

    pub fn at(&mut self, when: When) -> &mut Encoder<'a> {
        match when {
            When::Now => &mut self.now,
            When::Then => &mut self.then,
        }
    }

    /// Where the component's own variables lie within their domains and its own assertions are satisfied.
    pub fn configurations(&mut self, component: ComponentId, when: When) -> Result<Set, Rejection> {
        let (space, tree) = (self.space, self.tree);
        let encoder = self.at(when);
        let mut inside = space.all.clone();
        for var in tree.components[component].own_vars() {
            inside = space.and(&inside, &encoder.in_domain(var)?)?;
        }
        for assertion in &tree.components[component].assertions {
            for conjunct in encoder.model.exprs.conjuncts(assertion.expr) {
                inside = space.and(&inside, &encoder.truth(conjunct)?.yes)?;
            }
        }
        Ok(inside)
    }

    /// Where the variables for which `is_asked` have their initial values.
    pub fn initial(&mut self, is_asked: impl Fn(VarId) -> bool) -> Result<Set, Rejection> {
        let mut start = self.space.all.clone();
        for &(var, value) in self.tree.init.iter().filter(|(var, _)| is_asked(*var)) {
            let exprs = &self.model.exprs;
            let condition = exprs.intern(Node::Eq(exprs.var(var), value));
            start = self.space.and(&start, &self.now.truth(condition)?.yes)?;
        }
        Ok(start)
    }

    /// The composer of these components, and what they bring along.
    pub fn composer(&self) -> Composer<'a> {
        let own = |component: ComponentId| {
            self.tree.components[component].own_vars().flat_map(|var| self.bits(var, When::Then)).collect()
        };
        Composer { tree: self.tree, space: self.space, next: self.tree.components.ids().map(own).collect() }
    }

    pub fn locals(&mut self, of: ComponentId) -> Result<BTreeMap<ComponentId, Local>, Rejection> {
        let mut locals = BTreeMap::new();
        for component in self.tree.subtree(of) {
            locals.insert(component, Local::Alone(self.relations(component, &self.space.all.clone())?));
        }
        Ok(locals)
    }

    /// For every event of the component its steps from `within`, without what is below the component.
    pub fn relations(&mut self, component: ComponentId, within: &Set) -> Result<IdVec<EventId, Set>, Rejection> {
        let (space, declared) = (self.space, &self.tree.components[component]);
        let inside = space.and(within, &self.configurations(component, When::Now)?)?;
        let inside = space.and(&inside, &self.configurations(component, When::Then)?)?;
        let mut relations: IdVec<EventId, Set> = declared.events.iter().map(|_| space.none.clone()).collect();
        relations[EPSILON] = space.and(&inside, &self.frame(component, |_| true)?)?;
        for transition in &declared.transitions {
            let steps = space.and(&inside, &self.transition(component, transition)?)?;
            relations[transition.event] = space.or(&relations[transition.event], &steps)?;
        }
        Ok(relations)
    }

    fn transition(&mut self, component: ComponentId, transition: &Transition) -> Result<Set, Rejection> {
        let space = self.space;
        let mut steps = self.now.truth(transition.guard)?.yes;
        for &(var, value) in &transition.updates {
            let (number, defined) = self.now.number(value)?;
            let (after, _) = self.then.variable_number(var)?;
            steps = space.and(&space.and(&steps, &defined)?, &numbers::equal(space, &after, &number)?)?;
        }
        let is_kept = |var| transition.updates.iter().all(|&(updated, _)| updated != var);
        space.and(&steps, &self.frame(component, is_kept)?)
    }

    /// The states for which `is_kept` have the same value before and after.
    fn frame(&self, component: ComponentId, is_kept: impl Fn(VarId) -> bool) -> Result<Set, Rejection> {
        let space = self.space;
        let mut same = space.all.clone();
        let kept = |var: &VarId| self.tree.is_state(*var) && is_kept(*var);
        for var in self.tree.components[component].own_vars().filter(kept) {
            for (now, then) in self.bits(var, When::Now).into_iter().zip(self.bits(var, When::Then)) {
                let differ = space.xor(&space.bit(now)?, &space.bit(then)?)?;
                same = space.without(&same, &differ)?;
            }
        }
        Ok(same)
    }

    /// The bits of a variable that is not read through a definition; of others there are none.
    pub fn bits(&self, var: VarId, when: When) -> Vec<VarNo> {
        let encoder = match when {
            When::Now => &self.now,
            When::Then => &self.then,
        };
        match encoder.definitions[var] {
            Some(_) => Vec::new(),
            None => encoder.columns[var].bits.clone(),
        }
    }

    /// The values of some variables in a configuration that is described by bits: `x=1 c.y=false`.
    pub fn shown(&self, bits: &[bool], when: When, vars: impl Iterator<Item = VarId>) -> String {
        let encoder = match when {
            When::Now => &self.now,
            When::Then => &self.then,
        };
        let state: Vec<Raw> = encoder.state(bits);
        let value = |var: VarId| {
            format!("{}={}", self.model.vars[var].name, words::value(self.model, var, state[var.0 as usize]))
        };
        vars.map(value).collect::<Vec<_>>().join(" ")
    }
}

//! What is known of all variables at once, and what conditions add to it.

use std::cell::Cell;

use lapidary_base::hash::Map;
use lapidary_base::{Id, IdVec};

use super::span::{FAR, Stretch};
use crate::expr::{Expr, Exprs, Node};
use crate::model::{Declarations, FamilyId, VarId};
use crate::passes::bottom_up;
use crate::types::Domain;

/// What is read, and how much more of it may be.
pub struct Scene<'m> {
    pub model: &'m Declarations,
    /// Conditions are walked as trees, which may be much larger than they are: when this is used up, nothing more is learnt.
    left: Cell<u64>,
}

/// So many parts of conditions are looked at.
const MOST_PARTS: u64 = 1 << 24;

impl<'m> Scene<'m> {
    pub fn new(model: &'m Declarations) -> Self {
        Self { model, left: Cell::new(MOST_PARTS) }
    }

    fn spend(&self, n: usize) -> bool {
        let left = self.left.get().saturating_sub(n as u64);
        self.left.set(left);
        left > 0
    }
}

/// A stretch for every variable; of bit-vectors and arrays nothing is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known(pub IdVec<VarId, Stretch>);

/// The values that a domain has.
pub fn of_domain(model: &Declarations, domain: Domain) -> Stretch {
    match (domain, model.bounds(domain)) {
        (Domain::Bits(_) | Domain::Array(_), _) | (_, None) => Stretch::ALL,
        (_, Some((lo, hi))) => Stretch::new(lo.into(), hi.into()),
    }
}

impl Known {
    /// Nothing but the domains.
    pub fn of_domains(model: &Declarations) -> Self {
        Self(model.vars.iter().map(|var| of_domain(model, var.domain)).collect())
    }

    pub fn join(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = mine.join(*theirs);
        }
    }

    /// Where the value of an expression lies, wherever it has one.
    pub fn value(&self, scene: &Scene<'_>, expr: Expr) -> Stretch {
        let mut images = Map::default();
        bottom_up(&scene.model.exprs, expr, &mut images, |expr, images| self.image(scene.model, expr, images));
        scene.spend(images.len());
        images[&expr]
    }

    /// The same, with each branch of a choice where it is chosen.
    pub fn value_by_cases(&self, scene: &Scene<'_>, expr: Expr, deep: usize) -> Stretch {
        let whole = self.value(scene, expr);
        let Node::Ite(condition, then, otherwise) = scene.model.exprs.node(expr) else { return whole };
        if deep == 0 || is_opaque(scene.model, expr) {
            return whole;
        }
        let branch = |value: bool, of: Expr| {
            let mut here = self.clone();
            match here.assume(scene, *condition, value) {
                true => here.value_by_cases(scene, of, deep - 1),
                false => Stretch::NONE,
            }
        };
        branch(true, *then).join(branch(false, *otherwise)).meet(whole)
    }

    fn image(&self, model: &Declarations, expr: Expr, images: &Map<Expr, Stretch>) -> Stretch {
        let of = |part: &Expr| images[part];
        match model.exprs.node(expr) {
            Node::Bool(value) => Stretch::truth(*value),
            Node::Int(value) => Stretch::only((*value).into()),
            Node::Literal(_, number) => Stretch::only((*number).into()),
            Node::Var(var) => self.0[*var],
            Node::Cell(family, index) => self.cells(model, *family, of(index)),
            Node::Not(a) => Stretch::only(1).add(of(a).negated()),
            Node::And(parts) => junction(parts.iter().map(of), 0),
            Node::Or(parts) => junction(parts.iter().map(of), 1),
            Node::Ite(condition, then, otherwise) => match of(condition).is_only() {
                Some(0) => of(otherwise),
                Some(_) => of(then),
                None => self.choice(model, *condition, (*then, *otherwise), images),
            },
            Node::Eq(a, b) => equal(of(a), of(b)),
            Node::Lt(a, b) => below(of(a), of(b)),
            Node::Le(a, b) => Stretch::only(1).add(below(of(b), of(a)).negated()),
            Node::Add(parts) => parts.iter().map(of).fold(Stretch::only(0), Stretch::add),
            Node::Neg(a) => of(a).negated(),
            Node::Mul(a, b) => of(a).times(of(b)),
            Node::Div(a, b) => match of(b).is_only() {
                Some(by) if by != 0 && by.abs() < FAR => of(a).over(by),
                _ => quotients(of(a)),
            },
            Node::Mod(a, b) => of(a).rest(of(b)),
            Node::Bits(..) | Node::Value(..) => Stretch::ALL,
            Node::Apply(..) => Stretch::ALL,
        }
    }

    /// The parts of a choice on a comparison of themselves are what `min` and `max` are.
    fn choice(
        &self,
        model: &Declarations,
        condition: Expr,
        (then, otherwise): (Expr, Expr),
        images: &Map<Expr, Stretch>,
    ) -> Stretch {
        let (a, b) = (images[&then], images[&otherwise]);
        match model.exprs.node(condition) {
            Node::Le(x, y) | Node::Lt(x, y) if (*x, *y) == (then, otherwise) => {
                Stretch::new(a.lo.min(b.lo), a.hi.min(b.hi))
            }
            Node::Le(x, y) | Node::Lt(x, y) if (*x, *y) == (otherwise, then) => {
                Stretch::new(a.lo.max(b.lo), a.hi.max(b.hi))
            }
            _ => a.join(b),
        }
    }

    fn cells(&self, model: &Declarations, family: FamilyId, index: Stretch) -> Stretch {
        let row = &model.families[family];
        let (from, to) = (index.lo.max(0), index.hi.min(i128::from(row.len) - 1));
        let vars = (from..=to).map(|i| VarId::new(row.first.index() + i as usize));
        vars.map(|var| self.0[var]).fold(Stretch::NONE, Stretch::join)
    }

    /// Keeps what may be where a condition is true, or false; false if that is nowhere.
    pub fn assume(&mut self, scene: &Scene<'_>, condition: Expr, value: bool) -> bool {
        let exprs = &scene.model.exprs;
        if !scene.spend(1) {
            return true;
        }
        match (exprs.node(condition), value) {
            (Node::Not(inner), _) => self.assume(scene, *inner, !value),
            (Node::And(parts), true) => parts.iter().all(|&part| self.assume(scene, part, true)),
            (Node::Or(parts), false) => parts.iter().all(|&part| self.assume(scene, part, false)),
            (Node::And(parts), false) => self.any(scene, parts, false),
            (Node::Or(parts), true) => self.any(scene, parts, true),
            (Node::Le(a, b), true) | (Node::Lt(b, a), false) => self.at_most(scene, *a, *b, 0),
            (Node::Lt(a, b), true) | (Node::Le(b, a), false) => self.at_most(scene, *a, *b, -1),
            (Node::Eq(a, b), true) => self.alike(scene, *a, *b),
            (Node::Eq(a, b), false) => self.apart(scene, *a, *b),
            (Node::Var(_) | Node::Cell(..), _) => self.limit(scene, condition, Stretch::truth(value)),
            (Node::Ite(test, then, otherwise), _) => {
                let mut other = self.clone();
                let mine = self.assume(scene, *test, true) && self.assume(scene, *then, value);
                let theirs = other.assume(scene, *test, false) && other.assume(scene, *otherwise, value);
                self.either(mine, theirs.then_some(other))
            }
            (Node::Bool(constant), _) => *constant == value,
            _ => self.value(scene, condition).has(Stretch::truth(value)),
        }
    }

    /// Where any of these has the value.
    fn any(&mut self, scene: &Scene<'_>, parts: &[Expr], value: bool) -> bool {
        let mut all: Option<Self> = None;
        for &part in parts {
            let mut here = self.clone();
            if here.assume(scene, part, value) {
                match &mut all {
                    Some(all) => all.join(&here),
                    None => all = Some(here),
                }
            }
        }
        let is_somewhere = all.is_some();
        if let Some(all) = all {
            *self = all;
        }
        is_somewhere
    }

    fn either(&mut self, mine: bool, other: Option<Self>) -> bool {
        match (mine, other) {
            (true, Some(other)) => self.join(&other),
            (true, None) => {}
            (false, Some(other)) => *self = other,
            (false, None) => return false,
        }
        true
    }

    /// `a <= b + more`.
    fn at_most(&mut self, scene: &Scene<'_>, a: Expr, b: Expr, more: i128) -> bool {
        let (left, right) = (self.value(scene, a), self.value(scene, b));
        if left.is_none() || right.is_none() {
            return false;
        }
        let more = Stretch::only(more);
        let above = right.add(more);
        let below = left.add(more.negated());
        self.limit(scene, a, Stretch::new(-FAR, above.hi)) && self.limit(scene, b, Stretch::new(below.lo, FAR))
    }

    fn alike(&mut self, scene: &Scene<'_>, a: Expr, b: Expr) -> bool {
        if is_opaque(scene.model, a) || is_opaque(scene.model, b) {
            return true;
        }
        let both = self.value(scene, a).meet(self.value(scene, b));
        !both.is_none() && self.limit(scene, a, both) && self.limit(scene, b, both)
    }

    /// Only an end of a stretch can be taken away.
    fn apart(&mut self, scene: &Scene<'_>, a: Expr, b: Expr) -> bool {
        if is_opaque(scene.model, a) || is_opaque(scene.model, b) {
            return true;
        }
        let (left, right) = (self.value(scene, a), self.value(scene, b));
        if let (Some(x), Some(y)) = (left.is_only(), right.is_only()) {
            return x != y;
        }
        let without = |of: Stretch, value: i128| match value {
            value if value == of.lo => Stretch::new(of.lo + 1, of.hi),
            value if value == of.hi => Stretch::new(of.lo, of.hi - 1),
            _ => of,
        };
        let near = |value: &i128| value.abs() < FAR;
        let left = right.is_only().filter(near).map_or(left, |value| without(left, value));
        let right = self.value(scene, a).is_only().filter(near).map_or(right, |value| without(right, value));
        self.limit(scene, a, left) && self.limit(scene, b, right)
    }

    /// Keeps what may be where an expression lies within a stretch.
    fn limit(&mut self, scene: &Scene<'_>, expr: Expr, within: Stretch) -> bool {
        match scene.model.exprs.node(expr) {
            Node::Var(var) => {
                let kept = self.0[*var].meet(within);
                self.0[*var] = kept;
                !kept.is_none()
            }
            Node::Neg(inner) => self.limit(scene, *inner, within.negated()),
            Node::Add(parts) => parts.iter().enumerate().all(|(number, &part)| {
                let others = parts.iter().enumerate().filter(|&(other, _)| other != number);
                let rest = others.map(|(_, &other)| self.value(scene, other)).fold(Stretch::only(0), Stretch::add);
                !rest.is_none() && self.limit(scene, part, within.add(rest.negated()))
            }),
            _ => !self.value(scene, expr).meet(within).is_none(),
        }
    }
}

/// Of bit-vectors and arrays nothing is known, not even where they are equal.
fn is_opaque(model: &Declarations, expr: Expr) -> bool {
    matches!(model.sort(expr), crate::types::Sort::Bits(_) | crate::types::Sort::Array(_))
}

fn junction(parts: impl Iterator<Item = Stretch>, absorbing: i128) -> Stretch {
    let mut all = Stretch::only(1 - absorbing);
    for part in parts {
        match part.is_only() {
            Some(value) if value == absorbing => return Stretch::only(absorbing),
            Some(_) => {}
            None => all = Stretch::EITHER,
        }
    }
    all
}

fn equal(a: Stretch, b: Stretch) -> Stretch {
    match (a.is_only(), b.is_only()) {
        (Some(x), Some(y)) if x.abs() < FAR => Stretch::truth(x == y),
        _ if a.meet(b).is_none() => Stretch::truth(false),
        _ => Stretch::EITHER,
    }
}

fn below(a: Stretch, b: Stretch) -> Stretch {
    if a.hi < b.lo {
        Stretch::truth(true)
    } else if a.lo >= b.hi && a.lo < FAR && b.hi > -FAR {
        Stretch::truth(false)
    } else {
        Stretch::EITHER
    }
}

/// A quotient is no farther from zero than what is divided, but for one: -1 div 2 is -1, and 1 div -1 is -1.
fn quotients(of: Stretch) -> Stretch {
    let most = of.lo.abs().max(of.hi.abs());
    Stretch::new(-most, most)
}

/// The variables of a family that an index may pick.
pub fn picked(model: &Declarations, family: FamilyId, index: Stretch) -> Vec<VarId> {
    let row = &model.families[family];
    let (from, to) = (index.lo.max(0), index.hi.min(i128::from(row.len) - 1));
    (from..=to).map(|i| VarId::new(row.first.index() + i as usize)).collect()
}

/// The constants of an expression, at which a stretch that grows may rest.
pub fn constants(exprs: &Exprs, root: Expr, found: &mut Vec<i128>) {
    let mut images: Map<Expr, ()> = Map::default();
    bottom_up(exprs, root, &mut images, |expr, _| {
        if let Node::Int(value) = exprs.node(expr) {
            found.push((*value).into());
        }
    });
}

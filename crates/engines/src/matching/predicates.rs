//! The predicates of a round, and what is stored of a state: its location and the values of the predicates there.

use lapidary_base::Id;
use lapidary_base::hash::Map;
use lapidary_ir::passes::bottom_up;
use lapidary_ir::{Expr, Exprs, Node};
use lapidary_smt::encode::Linear;

use super::space::{LocationId, Space, Tests};
use lapidary_base::Stop;

/// The values of the predicates that matter at a location, one bit each.
pub type Bits = Box<[u64]>;

/// Where a predicate matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    Everywhere,
    /// Where the control variables have any of these values.
    At(Vec<Tests>),
}

struct Predicate {
    atom: Expr,
    place: Where,
    form: Form,
}

/// Comparisons of sums are evaluated without walking their tree.
enum Form {
    Sum { parts: Vec<(usize, i64)>, constant: i64, is_equation: bool },
    Tree,
}

#[derive(Default)]
pub struct Predicates {
    list: Vec<Predicate>,
    by_atom: Map<Expr, u32>,
    /// By location: the predicates that matter there.
    active: Vec<Option<Box<[u32]>>>,
}

impl Predicates {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn atom(&self, number: u32) -> Expr {
        self.list[number as usize].atom
    }

    pub fn atoms(&self) -> Vec<Expr> {
        self.list.iter().map(|predicate| predicate.atom).collect()
    }

    /// Adds a predicate or a place where it matters; false if nothing is new.
    pub fn add(&mut self, exprs: &Exprs, atom: Expr, at: Option<&Tests>) -> bool {
        self.active.clear();
        match self.by_atom.get(&atom) {
            None => {
                self.by_atom.insert(atom, u32::try_from(self.list.len()).expect("fewer than 2^32 predicates"));
                let place = at.map_or(Where::Everywhere, |tests| Where::At(vec![tests.clone()]));
                self.list.push(Predicate { atom, place, form: form(exprs, atom) });
                true
            }
            Some(&number) => match (&mut self.list[number as usize].place, at) {
                (Where::Everywhere, _) => false,
                (place @ Where::At(_), None) => {
                    *place = Where::Everywhere;
                    true
                }
                (Where::At(places), Some(tests)) if places.contains(tests) => false,
                (Where::At(places), Some(tests)) => {
                    places.push(tests.clone());
                    true
                }
            },
        }
    }

    /// Does the predicate matter at this location?
    pub fn is_active(&self, atom: Expr, values: &[i64]) -> bool {
        self.by_atom.get(&atom).is_some_and(|&number| self.matters(number, values))
    }

    fn matters(&self, number: u32, values: &[i64]) -> bool {
        match &self.list[number as usize].place {
            Where::Everywhere => true,
            Where::At(places) => places.iter().any(|tests| tests.iter().all(|&(i, value)| values[i] == value)),
        }
    }

    /// The predicates that matter at a location, ascending.
    pub fn active(&mut self, space: &Space<'_>, at: LocationId) -> &[u32] {
        if self.active.len() <= at.index() {
            self.active.resize_with(space.n_locations(), || None);
        }
        if self.active[at.index()].is_none() {
            let values = &space.location(at).values;
            let here = (0..self.list.len() as u32).filter(|&number| self.matters(number, values)).collect();
            self.active[at.index()] = Some(here);
        }
        self.active[at.index()].as_deref().expect("just made")
    }

    /// What is stored of a state.
    pub fn abstraction(&mut self, space: &Space<'_>, at: LocationId, state: &[i64]) -> Result<Bits, Stop> {
        self.active(space, at);
        let active = self.active[at.index()].as_deref().expect("just made");
        let mut bits = vec![0u64; active.len().div_ceil(64)];
        for (i, &number) in active.iter().enumerate() {
            if self.holds(space, number, state)? {
                bits[i / 64] |= 1 << (i % 64);
            }
        }
        Ok(bits.into())
    }

    fn holds(&self, space: &Space<'_>, number: u32, state: &[i64]) -> Result<bool, Stop> {
        let Predicate { atom, form, .. } = &self.list[number as usize];
        match form {
            Form::Tree => space.holds(*atom, state, &[]),
            Form::Sum { parts, constant, is_equation } => {
                let add = |sum: i128, &(var, factor): &(usize, i64)| {
                    sum.checked_add(i128::from(state[var]) * i128::from(factor))
                };
                match parts.iter().try_fold(i128::from(*constant), add) {
                    Some(sum) => Ok(if *is_equation { sum == 0 } else { sum <= 0 }),
                    None => space.holds(*atom, state, &[]),
                }
            }
        }
    }
}

/// Larger terms, counted with repetitions, are not made predicates: they would be evaluated and shown for too long.
const MAX_SIZE: u64 = 1 << 12;

pub fn is_small(exprs: &Exprs, atom: Expr) -> bool {
    let mut sizes: Map<Expr, u64> = Map::default();
    bottom_up(exprs, atom, &mut sizes, |expr, sizes| {
        let mut size = 1u64;
        exprs.for_each_part(expr, |part| size = size.saturating_add(sizes[&part]));
        size
    });
    sizes[&atom] <= MAX_SIZE
}

fn form(exprs: &Exprs, atom: Expr) -> Form {
    let (a, b, is_equation) = match exprs.node(atom) {
        Node::Le(a, b) => (*a, *b, false),
        Node::Eq(a, b) => (*a, *b, true),
        _ => return Form::Tree,
    };
    let sum = Linear::of(exprs, a).zip(Linear::of(exprs, b)).and_then(|(a, b)| a.combine(1, &b, -1));
    let Some(sum) = sum else { return Form::Tree };
    let part = |(&part, &factor): (&Expr, &i64)| match exprs.node(part) {
        Node::Var(var) => Some((var.index(), factor)),
        _ => None,
    };
    match sum.parts.iter().map(part).collect() {
        Some(parts) => Form::Sum { parts, constant: sum.constant, is_equation },
        None => Form::Tree,
    }
}

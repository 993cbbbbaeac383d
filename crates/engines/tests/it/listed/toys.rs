//! Small random systems over three lattices: the greater of two counters, sets with union, and a flat one.

use lapidary_base::{Control, Stop};
use lapidary_checker::Rejection;
use lapidary_checker::covered::{self, Listed, Meaning};
use lapidary_ir::CommandId;
use lapidary_system::successors::Visit;
use lapidary_system::{Grew, Join, Lattice, State, Steps, Successors};

use lapidary_reference::dice::Dice;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two counters; joined to the greater of each. Where the second one is dead it is not compared.
    Counters,
    /// Sets of four, joined to their union.
    Sets,
    /// Nothing, one of three values, or any of them.
    Flat,
}

/// The number of the target; any other one is never met.
pub const TARGET: usize = 0;

const MOST: u64 = 3;
const N_MEMBERS: u64 = 4;
const BOTTOM: u64 = 0;
const TOP: u64 = 4;

/// Steps are monotone: a larger element has all steps of a smaller one, to larger elements.
#[derive(Clone, Debug)]
pub enum Change {
    Keep,
    Counters([Count; 2]),
    /// Of sets: what stays, and what is added.
    Masked(u64, u64),
    Constant(u64),
    /// What each of the values becomes.
    Values([u64; 3]),
}

#[derive(Clone, Copy, Debug)]
pub enum Count {
    Keep,
    Up,
    Down,
    Set(u64),
    Other,
}

#[derive(Clone, Debug)]
pub struct Arrow {
    pub from: u64,
    pub to: u64,
    /// The step is there for elements above this one.
    pub guard: Vec<u64>,
    pub change: Change,
}

#[derive(Clone, Debug)]
pub struct Toy {
    pub order: Order,
    pub arrows: Vec<Arrow>,
    pub initial: Vec<Row>,
    /// Met where the place is this one and the element lies above this one.
    pub target: Row,
}

/// A place and an element.
pub type Row = (u64, Vec<u64>);

#[derive(Clone, Debug)]
pub struct Order {
    pub kind: Kind,
    /// By place, whether the second counter is dead there.
    pub dead: Vec<bool>,
}

impl Order {
    /// With one place there may be no word for it.
    fn place(&self, discrete: &[u64]) -> usize {
        discrete.first().map_or(0, |&place| place as usize)
    }
}

impl Lattice for Order {
    fn words(&self) -> usize {
        match self.kind {
            Kind::Counters => 2,
            Kind::Sets | Kind::Flat => 1,
        }
    }

    fn leq(&self, discrete: &[u64], a: &[u64], b: &[u64]) -> bool {
        match self.kind {
            Kind::Counters => a[0] <= b[0] && (a[1] <= b[1] || self.dead[self.place(discrete)]),
            Kind::Sets => a[0] & !b[0] == 0,
            Kind::Flat => a[0] == b[0] || a[0] == BOTTOM || b[0] == TOP,
        }
    }
}

impl Join for Order {
    fn join(&self, discrete: &[u64], into: &mut [u64], other: &[u64]) -> Grew {
        if self.leq(discrete, other, into) {
            return Grew::No;
        }
        match self.kind {
            Kind::Counters => {
                into[0] = into[0].max(other[0]);
                into[1] = into[1].max(other[1]);
            }
            Kind::Sets => into[0] |= other[0],
            Kind::Flat => into[0] = if into[0] == BOTTOM { other[0] } else { TOP },
        }
        Grew::Yes
    }
}

impl Toy {
    pub fn random(kind: Kind, dice: &mut Dice) -> Self {
        let n_places = 1 + dice.below(4) as u64;
        let dead: Vec<bool> =
            (0..n_places).map(|_| kind == Kind::Counters && n_places > 1 && dice.below(4) == 0).collect();
        let order = Order { kind, dead };
        let n_arrows = 2 + dice.below(7);
        let arrows = (0..n_arrows).map(|_| arrow(&order, dice)).collect();
        let place = |dice: &mut Dice| dice.below(n_places as usize) as u64;
        let initial = (0..1 + dice.below(2)).map(|_| (place(dice), element(kind, dice))).collect();
        let at = place(dice);
        let target = (at, above(&order, at, dice));
        Self { order, arrows, initial, target }
    }

    pub fn n_places(&self) -> u64 {
        self.order.dead.len() as u64
    }

    pub fn takes(&self, arrow: usize, (place, element): &Row) -> Option<Row> {
        let Arrow { from, to, guard, change } = &self.arrows[arrow];
        let discrete = self.discrete(*place);
        (from == place && self.order.leq(&discrete, guard, element)).then(|| (*to, change.of(element)))
    }

    pub fn meets(&self, (place, element): &Row) -> bool {
        *place == self.target.0 && self.order.leq(&self.discrete(*place), &self.target.1, element)
    }

    /// A system with one place has no discrete words.
    pub fn discrete(&self, place: u64) -> Vec<u64> {
        if self.n_places() == 1 { Vec::new() } else { vec![place] }
    }

    pub fn row(&self, state: State<'_>) -> Row {
        (self.order.place(state.discrete) as u64, state.element.to_vec())
    }
}

fn element(kind: Kind, dice: &mut Dice) -> Vec<u64> {
    match kind {
        Kind::Counters => vec![dice.below(2) as u64, dice.below(2) as u64],
        Kind::Sets => vec![1 << dice.below(N_MEMBERS as usize)],
        Kind::Flat => vec![dice.below(TOP as usize) as u64],
    }
}

/// An element that asks for something, for guards and targets.
fn above(order: &Order, place: u64, dice: &mut Dice) -> Vec<u64> {
    match order.kind {
        Kind::Counters if order.dead[place as usize] => vec![dice.below(3) as u64, 0],
        Kind::Counters => vec![dice.below(3) as u64, dice.below(3) as u64],
        Kind::Sets => vec![dice.below(1 << N_MEMBERS) as u64 & dice.below(1 << N_MEMBERS) as u64],
        Kind::Flat => vec![dice.below(TOP as usize) as u64],
    }
}

fn arrow(order: &Order, dice: &mut Dice) -> Arrow {
    let n_places = order.dead.len();
    let (from, to) = (dice.below(n_places) as u64, dice.below(n_places) as u64);
    let is_dead = order.dead[from as usize];
    let change = match (order.kind, dice.below(4)) {
        // What is dead may not be asked for again before it is set.
        (Kind::Counters, _) if is_dead => {
            let set = Count::Set(dice.below(2) as u64);
            let first = if dice.below(2) == 0 { Count::Keep } else { Count::Up };
            Change::Counters([first, set])
        }
        (_, 0) => Change::Keep,
        (Kind::Counters, _) => Change::Counters([count(dice), count(dice)]),
        (Kind::Sets, _) => Change::Masked(dice.below(1 << N_MEMBERS) as u64, 1 << dice.below(N_MEMBERS as usize)),
        (Kind::Flat, 1) => Change::Constant(dice.below(TOP as usize) as u64),
        (Kind::Flat, _) => Change::Values([0; 3].map(|_| dice.below(TOP as usize) as u64)),
    };
    let guard = if dice.below(2) == 0 { vec![0; order.words()] } else { above(order, from, dice) };
    Arrow { from, to, guard, change }
}

fn count(dice: &mut Dice) -> Count {
    match dice.below(6) {
        0 | 1 => Count::Up,
        2 => Count::Down,
        3 => Count::Set(dice.below(3) as u64),
        4 => Count::Other,
        _ => Count::Keep,
    }
}

impl Change {
    fn of(&self, element: &[u64]) -> Vec<u64> {
        let counted = |which: usize, count: Count| match count {
            Count::Keep => element[which],
            Count::Up => (element[which] + 1).min(MOST),
            Count::Down => element[which].saturating_sub(1),
            Count::Set(value) => value,
            Count::Other => element[1 - which],
        };
        match self {
            Self::Keep => element.to_vec(),
            Self::Counters([a, b]) => vec![counted(0, *a), counted(1, *b)],
            Self::Masked(keep, add) => vec![element[0] & keep | add],
            Self::Constant(value) => vec![*value],
            Self::Values(values) => match element[0] {
                end @ (BOTTOM | TOP) => vec![end],
                value => vec![values[value as usize - 1]],
            },
        }
    }
}

impl Successors for Toy {
    type Lat = Order;

    fn lattice(&self) -> &Order {
        &self.order
    }

    fn words(&self) -> usize {
        usize::from(self.n_places() > 1)
    }

    fn all_ones_is_free(&self) -> bool {
        true
    }

    fn initial(&self, _: &Control, visit: &mut Visit<'_>) -> Result<(), Stop> {
        self.initial.iter().try_for_each(|(place, element)| visit(State { discrete: &self.discrete(*place), element }))
    }

    fn successors(&self, state: State<'_>, out: &mut Steps) -> Result<(), Stop> {
        let row = self.row(state);
        for arrow in 0..self.arrows.len() {
            let Some((place, element)) = self.takes(arrow, &row) else { continue };
            out.actions.push(CommandId(arrow as u32));
            out.states.extend(self.discrete(place));
            out.elements.extend(element);
        }
        Ok(())
    }

    fn hits(&self, state: State<'_>, open: &mut Vec<usize>, hit: &mut Vec<usize>, _: &mut Steps) -> Result<(), Stop> {
        if self.meets(&self.row(state)) {
            hit.extend(open.extract_if(.., |target| *target == TARGET));
        }
        Ok(())
    }
}

/// What the checker is told, with an order of its own.
pub struct Told<'t>(pub &'t Toy);

impl Meaning for Told<'_> {
    fn words(&self) -> (usize, usize) {
        let element = if self.0.order.kind == Kind::Counters { 2 } else { 1 };
        (usize::from(self.0.n_places() > 1), element)
    }

    fn malformed(&self, state: Listed<'_>) -> Option<String> {
        let is_place = state.discrete.iter().all(|&place| place < self.0.n_places());
        let most = match self.0.order.kind {
            Kind::Counters => MOST,
            Kind::Sets => (1 << N_MEMBERS) - 1,
            Kind::Flat => TOP,
        };
        (!is_place || state.element.iter().any(|&word| word > most)).then(|| "too large".to_owned())
    }

    fn is_below(&self, discrete: &[u64], element: &[u64], other: &[u64]) -> bool {
        let place = discrete.first().map_or(0, |&place| place as usize);
        match self.0.order.kind {
            Kind::Counters if self.0.order.dead[place] => element[0].max(other[0]) == other[0],
            Kind::Counters => (0..2).all(|which| element[which].max(other[which]) == other[which]),
            Kind::Sets => (0..N_MEMBERS).all(|i| element[0] >> i & 1 <= other[0] >> i & 1),
            Kind::Flat => match (element[0], other[0]) {
                (BOTTOM, _) | (_, TOP) => true,
                (a, b) => a == b,
            },
        }
    }

    fn initial(&self, visit: &mut covered::Visit<'_>) -> Result<(), Rejection> {
        let mut rows = self.0.initial.iter();
        rows.try_for_each(|(place, element)| visit(Listed { discrete: &self.0.discrete(*place), element }))
    }

    fn successors(&self, state: Listed<'_>, visit: &mut covered::Visit<'_>) -> Result<(), Rejection> {
        let row = (state.discrete.first().copied().unwrap_or(0), state.element.to_vec());
        let mut next = (0..self.0.arrows.len()).filter_map(|arrow| self.0.takes(arrow, &row));
        next.try_for_each(|(place, element)| visit(Listed { discrete: &self.0.discrete(place), element: &element }))
    }

    fn objection(&self, state: Listed<'_>) -> Result<Option<String>, Rejection> {
        let row = (state.discrete.first().copied().unwrap_or(0), state.element.to_vec());
        Ok(self.0.meets(&row).then(|| "is a target".to_owned()))
    }

    fn shown(&self, state: Listed<'_>) -> String {
        format!("{:?} {:?}", state.discrete, state.element)
    }
}

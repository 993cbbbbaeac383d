//! States of equal width, one after the other.

use lapidary_ir::model::Raw;

/// May a state be in a pool several times? Only writes, and branches that meet, bring that about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    Never,
    Perhaps,
}

#[derive(Clone)]
pub struct Pool {
    width: usize,
    n_states: usize,
    repeats: Repeats,
    values: Vec<Raw>,
}

impl Pool {
    pub fn new(width: usize) -> Self {
        Self { width, n_states: 0, repeats: Repeats::Never, values: Vec::new() }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn len(&self) -> usize {
        self.n_states
    }

    pub fn is_empty(&self) -> bool {
        self.n_states == 0
    }

    pub fn repeats(&self) -> Repeats {
        self.repeats
    }

    pub fn may_repeat(&mut self, repeats: Repeats) {
        self.repeats = repeats;
    }

    pub fn iter(&self) -> impl Iterator<Item = &[Raw]> {
        (0..self.n_states).map(|i| &self.values[i * self.width..(i + 1) * self.width])
    }

    /// The same room without states.
    pub fn cleared(mut self) -> Self {
        self.values.clear();
        Self { n_states: 0, repeats: Repeats::Never, ..self }
    }

    /// A pool for some of these states.
    pub fn none_of_it(&self) -> Self {
        Self { repeats: self.repeats, ..Self::new(self.width) }
    }

    pub fn push(&mut self, state: &[Raw]) {
        self.values.extend_from_slice(state);
        self.n_states += 1;
    }

    pub fn set(&mut self, state: usize, var: usize, value: Raw) {
        self.values[state * self.width + var] = value;
    }

    pub fn push_copy(&mut self, state: usize) {
        self.values.extend_from_within(state * self.width..(state + 1) * self.width);
        self.n_states += 1;
    }

    /// The same states with other values of some variables.
    pub fn set_all(&mut self, values: &[(usize, Raw)]) {
        for state in 0..self.n_states {
            for &(var, value) in values {
                let place = &mut self.values[state * self.width + var];
                if *place != value && self.n_states > 1 {
                    self.repeats = Repeats::Perhaps;
                }
                *place = value;
            }
        }
    }

    /// The states of both.
    pub fn with(mut self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if !other.is_empty() {
            self.values.extend_from_slice(&other.values);
            self.n_states += other.n_states;
            self.repeats = Repeats::Perhaps;
        }
        self
    }

    /// Keeps some of the states.
    pub fn retain<E>(&mut self, mut keep: impl FnMut(&[Raw]) -> Result<bool, E>) -> Result<(), E> {
        self.keep(|state| keep(state))
    }

    /// Changes all states, and keeps some of them.
    pub fn change<E>(&mut self, change: impl FnMut(&mut [Raw]) -> Result<bool, E>) -> Result<(), E> {
        if self.n_states > 1 {
            self.repeats = Repeats::Perhaps;
        }
        self.keep(change)
    }

    fn keep<E>(&mut self, mut keep: impl FnMut(&mut [Raw]) -> Result<bool, E>) -> Result<(), E> {
        let (width, mut n_kept) = (self.width, 0);
        for state in 0..self.n_states {
            let place = state * width..(state + 1) * width;
            if keep(&mut self.values[place.clone()])? {
                if n_kept < state {
                    self.values.copy_within(place, n_kept * width);
                }
                n_kept += 1;
            }
        }
        self.n_states = n_kept;
        self.values.truncate(n_kept * width);
        Ok(())
    }
}

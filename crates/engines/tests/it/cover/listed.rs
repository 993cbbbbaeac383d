//! A transition system with listed states, whose sets are bits: the plainest [`SetSystem`].

use lapidary_base::Stop;
use lapidary_system::{SetAlgebra, SetSystem};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits(pub Vec<u64>);

impl Bits {
    pub fn of(n: usize, members: impl IntoIterator<Item = usize>) -> Self {
        let mut words = vec![0; n.div_ceil(64).max(1)];
        for member in members {
            words[member / 64] |= 1 << (member % 64);
        }
        Self(words)
    }

    pub fn has(&self, member: usize) -> bool {
        self.0[member / 64] & 1 << (member % 64) != 0
    }

    pub fn members(&self) -> Vec<usize> {
        (0..self.0.len() * 64).filter(|&member| self.has(member)).collect()
    }

    fn combined(&self, other: &Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(&a, &b)| with(a, b)).collect())
    }
}

pub struct Listed {
    pub n: usize,
    pub steps: Vec<Vec<usize>>,
    pub back: Vec<Vec<usize>>,
    pub initial: Bits,
}

impl Listed {
    pub fn new(n: usize, edges: &[(usize, usize)], initial: &[usize]) -> Self {
        let (mut steps, mut back) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for &(from, to) in edges {
            steps[from].push(to);
            back[to].push(from);
        }
        Self { n, steps, back, initial: Bits::of(n, initial.iter().copied()) }
    }

    pub fn set(&self, members: impl IntoIterator<Item = usize>) -> Bits {
        Bits::of(self.n, members)
    }

    /// By plain search.
    pub fn reachable(&self) -> Bits {
        self.closure(self.initial.members(), &self.steps)
    }

    pub fn co_reachable(&self, target: &Bits) -> Bits {
        self.closure(target.members(), &self.back)
    }

    fn closure(&self, mut open: Vec<usize>, along: &[Vec<usize>]) -> Bits {
        let mut found = self.set(open.iter().copied());
        while let Some(state) = open.pop() {
            for &next in &along[state] {
                if !found.has(next) {
                    found.0[next / 64] |= 1 << (next % 64);
                    open.push(next);
                }
            }
        }
        found
    }

    fn image(&self, set: &Bits, along: &[Vec<usize>]) -> Bits {
        self.set(set.members().into_iter().flat_map(|state| along[state].iter().copied()))
    }
}

impl SetAlgebra for Listed {
    type Set = Bits;

    fn none(&self) -> Bits {
        self.set([])
    }

    fn and(&self, a: &Bits, b: &Bits) -> Result<Bits, Stop> {
        Ok(a.combined(b, |a, b| a & b))
    }

    fn or(&self, a: &Bits, b: &Bits) -> Result<Bits, Stop> {
        Ok(a.combined(b, |a, b| a | b))
    }

    fn minus(&self, a: &Bits, b: &Bits) -> Result<Bits, Stop> {
        Ok(a.combined(b, |a, b| a & !b))
    }

    fn is_none(&self, set: &Bits) -> bool {
        set.0.iter().all(|&word| word == 0)
    }

    fn one(&self, set: &Bits) -> Result<Option<Bits>, Stop> {
        Ok(set.members().first().map(|&state| self.set([state])))
    }
}

impl SetSystem for Listed {
    fn all(&self) -> Bits {
        self.set(0..self.n)
    }

    fn initial(&self) -> Bits {
        self.initial.clone()
    }

    fn n_actions(&self) -> usize {
        1
    }

    fn post(&self, _: usize, set: &Bits) -> Result<Bits, Stop> {
        Ok(self.image(set, &self.steps))
    }

    fn pre(&self, _: usize, set: &Bits) -> Result<Bits, Stop> {
        Ok(self.image(set, &self.back))
    }
}

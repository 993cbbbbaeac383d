//! Pumps: sequences that can be repeated as often as one likes and leave more tokens each time.
//!
//! As in MinCov (Finkel, Haddad and Khmelnitsky, FoSSaCS 2020), what a pump needs is computed once, so that it can be
//! applied wherever that is there, and not only where it was found. With flows between places there is no such simple
//! need: then a pump is used only where it was found.

use lapidary_base::{Id, IdVec, Stop, id};
use lapidary_ir::TransitionId;

use super::label::{Count, OMEGA, Signature, is_below};
use super::moves::Moves;

id! {
    pub struct PumpId(u32);
}

/// A part of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Fire(TransitionId),
    Pump(PumpId),
}

#[derive(Debug)]
pub struct Pump {
    /// Other pumps in it are older.
    pub word: Vec<Item>,
    /// Everything that it asks for, and the places that have any number of tokens afterwards; omega where it takes more
    /// than it puts. `None` if tokens flow from place to place in it.
    pub law: Option<Law>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Law {
    hurdle: Box<[Count]>,
    signature: Signature,
    pub pumped: Vec<usize>,
}

impl Law {
    /// Makes the pumped places omega; false if it cannot be used, or if they are already.
    pub fn apply(&self, label: &mut [Count]) -> bool {
        let is_useful = self.pumped.iter().any(|&place| label[place] != OMEGA) && is_below(&self.hurdle, label);
        if is_useful {
            self.pumped.iter().for_each(|&place| label[place] = OMEGA);
        }
        is_useful
    }

    pub fn raises(&self, label: &[Count]) -> bool {
        self.pumped.iter().any(|&place| label[place] != OMEGA) && is_below(&self.hurdle, label)
    }

    fn is_stronger(&self, other: &Self) -> bool {
        is_below(&self.hurdle, &other.hurdle) && other.pumped.iter().all(|place| self.pumped.contains(place))
    }
}

#[derive(Default)]
pub struct Pumps {
    all: IdVec<PumpId, Pump>,
    /// Those that can be used anywhere, without those that are weaker than others.
    live: Vec<PumpId>,
}

impl Pumps {
    pub fn get(&self, pump: PumpId) -> &Pump {
        &self.all[pump]
    }

    pub fn add(&mut self, word: Vec<Item>, law: Option<Law>) -> PumpId {
        let id = self.all.next_id();
        if let Some(law) = &law {
            let all = &self.all;
            let is_weaker = |&other: &PumpId| all[other].law.as_ref().is_some_and(|other| law.is_stronger(other));
            self.live.retain(|other| !is_weaker(other));
            self.live.push(id);
        }
        self.all.push(Pump { word, law })
    }

    /// Applies all pumps until nothing changes; those that were applied are listed.
    pub fn saturate(&self, label: &mut [Count], applied: &mut Vec<PumpId>) {
        loop {
            let before = applied.len();
            let mut signature = Signature::of(label);
            for &pump in &self.live {
                let law = self.all[pump].law.as_ref().expect("pumps that are used anywhere have a law");
                if law.signature.may_be_below(signature) && law.apply(label) {
                    applied.push(pump);
                    signature = Signature::of(label);
                }
            }
            if applied.len() == before {
                return;
            }
        }
    }

    /// What the word asks for and what it pumps; `None` if tokens flow in it.
    pub fn law(&self, moves: &Moves<'_>, word: &[Item], n_places: usize) -> Option<Law> {
        let mut sum = Sum { hurdle: vec![0; n_places], effect: vec![0; n_places] };
        for &item in word {
            match item {
                Item::Fire(transition) => {
                    let fired = moves.moves[transition.index()].as_ref()?;
                    fired.needs.iter().for_each(|&(place, count)| sum.need(place, count));
                    fired.effect.iter().for_each(|&(place, change)| sum.change(place, change));
                }
                Item::Pump(pump) => {
                    let law = self.all[pump].law.as_ref()?;
                    law.hurdle.iter().enumerate().for_each(|(place, &count)| sum.need(place, count));
                    law.pumped.iter().for_each(|&place| sum.effect[place] = UNBOUNDED);
                }
            }
        }
        Some(sum.law())
    }

    /// The label after an item. `None` if it cannot happen or if there are several.
    pub fn after(&self, moves: &Moves<'_>, item: Item, label: &mut [Count]) -> Result<Option<()>, Stop> {
        match item {
            Item::Fire(transition) => match &moves.moves[transition.index()] {
                Some(fired) if fired.is_enabled(label) => fired.apply(label).map(Some),
                Some(_) => Ok(None),
                None => moves.only_successor(transition, label),
            },
            Item::Pump(pump) => match &self.all[pump].law {
                Some(law) => {
                    law.apply(label);
                    Ok(Some(()))
                }
                None => {
                    let limit = self.limit(moves, &self.all[pump].word, label)?;
                    Ok(limit.map(|limit| label.copy_from_slice(&limit)))
                }
            },
        }
    }

    /// The label after a word.
    pub fn after_all(&self, moves: &Moves<'_>, word: &[Item], label: &mut [Count]) -> Result<Option<()>, Stop> {
        for &item in word {
            if self.after(moves, item, label)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    /// The least upper bound of the labels that repeating a word leads to; `None` if the word leads to a smaller label,
    /// or where repeating it is not the same function each time.
    ///
    /// Once no further place gets any number of tokens, a round maps the finite places by `x -> Ax + b`, and what it
    /// adds in one round it maps by `A` to what it adds in the next: which places gain something depends on which
    /// gained before. So when the set of these places is one of an earlier round, all sets since then come again and
    /// again.
    pub fn limit(&self, moves: &Moves<'_>, word: &[Item], label: &[Count]) -> Result<Option<Vec<Count>>, Stop> {
        if !self.is_function(moves, word) {
            return Ok(None);
        }
        let mut now = label.to_vec();
        let mut gains: Vec<Vec<usize>> = Vec::new();
        for _ in 0..4 * label.len() + 8 {
            let before = now.clone();
            if self.after_all(moves, word, &mut now)?.is_none() || !is_below(&before, &now) {
                return Ok(None);
            }
            if (0..now.len()).any(|place| now[place] == OMEGA && before[place] != OMEGA) {
                gains.clear();
                continue;
            }
            let gain: Vec<usize> = (0..now.len()).filter(|&place| now[place] > before[place]).collect();
            if let Some(at) = gains.iter().position(|earlier| *earlier == gain) {
                gains[at..].iter().flatten().for_each(|&place| now[place] = OMEGA);
                return Ok(Some(now));
            }
            gains.push(gain);
        }
        Ok(None)
    }

    /// Every token has one place to go, and all pumps inside add the same set of omegas each time.
    fn is_function(&self, moves: &Moves<'_>, word: &[Item]) -> bool {
        word.iter().all(|item| match item {
            Item::Fire(transition) => !moves.has_choice(*transition),
            Item::Pump(pump) => self.all[*pump].law.is_some(),
        })
    }
}

/// Stands for omega among effects.
const UNBOUNDED: i64 = i64::MAX;

/// What a sequence needs and what it changes.
struct Sum {
    hurdle: Vec<Count>,
    effect: Vec<i64>,
}

impl Sum {
    fn need(&mut self, place: usize, count: Count) {
        if self.effect[place] == UNBOUNDED {
            return;
        }
        let need = match count {
            OMEGA => OMEGA,
            // A need too large for its type can only be met by omega here.
            _ => Count::try_from((i64::from(count) - self.effect[place]).max(0)).unwrap_or(OMEGA),
        };
        self.hurdle[place] = self.hurdle[place].max(need);
    }

    fn change(&mut self, place: usize, change: i64) {
        if self.effect[place] != UNBOUNDED {
            self.effect[place] = self.effect[place].saturating_add(change).min(UNBOUNDED - 1);
        }
    }

    /// To be repeated, it may take from a place only if that has any number of tokens.
    fn law(mut self) -> Law {
        for place in 0..self.hurdle.len() {
            if self.effect[place] < 0 {
                self.hurdle[place] = OMEGA;
            }
        }
        let is_pumped = |&place: &usize| self.effect[place] > 0 && self.hurdle[place] != OMEGA;
        let pumped = (0..self.hurdle.len()).filter(is_pumped).collect();
        Law { signature: Signature::of(&self.hurdle), pumped, hurdle: self.hurdle.into() }
    }
}

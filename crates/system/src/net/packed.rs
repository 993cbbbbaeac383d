//! Markings with one lane per place: comparing two takes an operation or two per word, and so does going back over a
//! plain transition.

use lapidary_base::Control;
use lapidary_ir::{Net, Tokens};

use super::lanes::{self, Lanes};
use super::points::NetPoints;
use super::rules::{Raisers, Rule};
use crate::well_structured::{Failed, Points, WellStructured};

#[derive(Clone, Debug)]
pub struct Packed {
    lanes: Lanes,
    n_places: usize,
    rules: Vec<Rule>,
    raisers: Raisers,
    /// The most tokens that places have initially, or the most that fit.
    initial: Vec<u64>,
    most: Vec<Option<Tokens>>,
    /// Of plain rules, word by word: what is put, taken and asked for.
    plain: Vec<Vec<[u64; 3]>>,
}

impl Packed {
    /// With lanes of this many bits: 8, 16, 32 or 64; more if the numbers of the net need them.
    pub fn new(net: &Net, width: u32) -> Self {
        let rules: Vec<Rule> = net.transitions.iter().map(Rule::new).collect();
        let greatest = rules.iter().map(Rule::greatest).max().unwrap_or(0);
        let raisers = Raisers::new(net.places.len(), &rules);
        let most = net.initial.iter().map(|range| range.hi).collect();
        let mut packed = Self {
            lanes: Lanes::new(width, net.places.len()),
            n_places: net.places.len(),
            rules,
            raisers,
            initial: Vec::new(),
            most,
            plain: Vec::new(),
        };
        while packed.lanes.greatest() < greatest && packed.lanes.width < 64 {
            packed.lanes = Lanes::new(packed.lanes.width * 2, packed.n_places);
        }
        packed.lay_out();
        packed
    }

    /// Fills what depends on the width of lanes.
    fn lay_out(&mut self) {
        let lanes = self.lanes;
        self.initial = vec![0; lanes.words];
        for (place, most) in self.most.iter().enumerate() {
            lanes.set_at_most(&mut self.initial, place, most.unwrap_or(Tokens::MAX));
        }
        let pack = |rule: &Rule| {
            let mut words = [vec![0; lanes.words], vec![0; lanes.words], vec![0; lanes.words]];
            for touch in rule.touches.iter().filter(|_| rule.is_plain) {
                lanes.set_at_most(&mut words[0], touch.place, touch.put.unsigned_abs());
                lanes.set_at_most(&mut words[1], touch.place, touch.take);
                lanes.set_at_most(&mut words[2], touch.place, touch.lo);
            }
            (0..lanes.words).map(|i| [words[0][i], words[1][i], words[2][i]]).collect()
        };
        self.plain = self.rules.iter().map(pack).collect();
    }

    pub fn width(&self) -> u32 {
        self.lanes.width
    }

    fn general(&self, action: usize, point: &[u64], out: &mut Points, control: &Control) -> Result<(), Failed> {
        let mut marking = std::mem::take(&mut out.scratch);
        marking.clear();
        marking.resize(self.n_places, 0);
        self.lanes.unpack(point, &mut marking);
        let result = self.rules[action].predecessors(&marking, &mut |before| {
            control.check()?;
            let packed = self.lanes.pack(before, &mut out.words);
            packed.inspect(|()| out.close()).inspect_err(|_| out.discard())
        });
        out.scratch = marking;
        result
    }
}

impl WellStructured for Packed {
    fn n_actions(&self) -> usize {
        self.rules.len()
    }

    #[inline]
    fn leq(&self, a: &[u64], b: &[u64]) -> bool {
        lanes::leq(a, b, self.lanes.high)
    }

    fn pre_basis(&self, action: usize, point: &[u64], out: &mut Points, control: &Control) -> Result<(), Failed> {
        if !self.rules[action].is_plain {
            return self.general(action, point, out, control);
        }
        let lanes = self.lanes;
        let mut overflow = 0;
        let before = point.iter().zip(&self.plain[action]).map(|(&word, &[put, take, lo])| {
            let sum = lanes.saturating_sub(word, put) + take;
            overflow |= sum & lanes.high;
            lanes.max(sum & !lanes.high, lo)
        });
        out.words.extend(before);
        if overflow != 0 {
            out.discard();
            return Err(Failed::Narrow);
        }
        out.close();
        Ok(())
    }

    fn meets_initial(&self, point: &[u64]) -> bool {
        lanes::leq(point, &self.initial, self.lanes.high)
    }
}

impl NetPoints for Packed {
    fn n_places(&self) -> usize {
        self.n_places
    }

    fn encode(&self, marking: &[Tokens], out: &mut Vec<u64>) -> Result<(), Failed> {
        self.lanes.pack(marking, out)
    }

    fn decode(&self, point: &[u64], out: &mut [Tokens]) {
        self.lanes.unpack(point, out);
    }

    fn mark(&self, point: &[u64], marking: &mut [Tokens], marked: &mut Vec<usize>) {
        self.lanes.unpack(point, marking);
        marked.extend(marking.iter().enumerate().filter(|&(_, &tokens)| tokens > 0).map(|(place, _)| place));
    }

    fn total(&self, point: &[u64]) -> u64 {
        if self.lanes.width == 8 {
            // Pairs of lanes first, so that no sum leaves its lane.
            let pairs = |word: u64| (word & 0x00ff_00ff_00ff_00ff) + ((word >> 8) & 0x00ff_00ff_00ff_00ff);
            return point.iter().map(|&word| pairs(word).wrapping_mul(0x0001_0001_0001_0001) >> 48).sum();
        }
        (0..self.n_places).fold(0, |sum, place| self.lanes.get(point, place).saturating_add(sum))
    }

    fn candidates(&self, point: &[u64], set: &mut Vec<u64>, out: &mut Vec<usize>) {
        let marked = (0..self.n_places).filter(|&place| self.lanes.get(point, place) > 0);
        self.raisers.of(marked, set, out);
    }

    fn sketch_words(&self) -> usize {
        Lanes::new(8, self.n_places).words
    }

    fn is_sketch_exact(&self) -> bool {
        self.lanes.width == 8
    }

    fn sketch(&self, point: &[u64], out: &mut [u64]) {
        if self.lanes.width == 8 {
            out.copy_from_slice(point);
            return;
        }
        out.fill(0);
        let small = Lanes::new(8, self.n_places);
        for place in 0..self.n_places {
            small.set_at_most(out, place, self.lanes.get(point, place));
        }
    }

    fn wider(&self) -> Option<Self> {
        if self.lanes.width == 64 {
            return None;
        }
        let mut wider = self.clone();
        wider.lanes = Lanes::new(self.lanes.width * 2, self.n_places);
        wider.lay_out();
        Some(wider)
    }
}

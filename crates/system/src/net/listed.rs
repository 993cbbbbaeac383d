//! Markings as lists of the marked places, for nets with many places of which few are marked at a time.

use lapidary_base::{Control, Stop};
use lapidary_ir::{Net, Tokens};

use super::lanes::{HIGH_8, Lanes};
use super::points::NetPoints;
use super::rules::{Raisers, Rule, Touch};
use crate::well_structured::{Failed, Points, WellStructured};

/// An entry is a place above so many bits for its tokens; entries are ascending by place.
const TOKEN_BITS: u32 = 40;
const TOKENS: u64 = (1 << TOKEN_BITS) - 1;
/// Lanes of a sketch: places share them.
const SKETCH_LANES: usize = 64;

#[derive(Clone, Debug)]
pub struct Listed {
    rules: Vec<Rule>,
    raisers: Raisers,
    most: Vec<Option<Tokens>>,
}

impl Listed {
    pub fn new(net: &Net) -> Self {
        let rules: Vec<Rule> = net.transitions.iter().map(Rule::new).collect();
        let raisers = Raisers::new(net.places.len(), &rules);
        Self { rules, raisers, most: net.initial.iter().map(|range| range.hi).collect() }
    }

    /// Merges the marking with what a plain rule does.
    fn plain(&self, touches: &[Touch], point: &[u64], out: &mut Points) -> Result<(), Failed> {
        let mut rest = point;
        for touch in touches {
            while let Some((&entry, after)) = rest.split_first().filter(|&(&entry, _)| place(entry) < touch.place) {
                out.words.push(entry);
                rest = after;
            }
            let here = rest.first().filter(|&&entry| place(entry) == touch.place);
            let has = here.map_or(0, |&entry| entry & TOKENS);
            rest = if here.is_some() { &rest[1..] } else { rest };
            let needed = has.saturating_sub(touch.put.unsigned_abs()).saturating_add(touch.take).max(touch.lo);
            if needed > 0 {
                out.words.push(entry(touch.place, needed)?);
            }
        }
        out.words.extend_from_slice(rest);
        out.close();
        Ok(())
    }

    fn general(&self, rule: &Rule, point: &[u64], out: &mut Points, control: &Control) -> Result<(), Failed> {
        let mut marking = std::mem::take(&mut out.scratch);
        marking.clear();
        marking.resize(self.most.len(), 0);
        self.decode(point, &mut marking);
        let result = rule.predecessors(&marking, &mut |before| {
            control.check()?;
            let listed = self.encode(before, &mut out.words);
            listed.inspect(|()| out.close())
        });
        out.scratch = marking;
        result
    }
}

fn place(entry: u64) -> usize {
    (entry >> TOKEN_BITS) as usize
}

fn entry(place: usize, tokens: Tokens) -> Result<u64, Failed> {
    if tokens > TOKENS || place >= 1 << (64 - TOKEN_BITS) {
        return Err(Failed::Stop(Stop::Overflow("a marking of a backward search".to_owned())));
    }
    Ok((place as u64) << TOKEN_BITS | tokens)
}

impl WellStructured for Listed {
    fn n_actions(&self) -> usize {
        self.rules.len()
    }

    fn leq(&self, a: &[u64], b: &[u64]) -> bool {
        let mut rest = b.iter();
        // An entry of `b` is enough for one of `a` if it is of the same place and not smaller.
        a.iter().all(|&small| {
            rest.find(|&&large| place(large) >= place(small))
                .is_some_and(|&large| place(large) == place(small) && small <= large)
        })
    }

    fn pre_basis(&self, action: usize, point: &[u64], out: &mut Points, control: &Control) -> Result<(), Failed> {
        let rule = &self.rules[action];
        let result = match rule.is_plain {
            true => self.plain(&rule.touches, point, out),
            false => self.general(rule, point, out, control),
        };
        result.inspect_err(|_| out.discard())
    }

    fn meets_initial(&self, point: &[u64]) -> bool {
        point.iter().all(|&entry| self.most[place(entry)].is_none_or(|most| entry & TOKENS <= most))
    }
}

impl NetPoints for Listed {
    fn n_places(&self) -> usize {
        self.most.len()
    }

    fn encode(&self, marking: &[Tokens], out: &mut Vec<u64>) -> Result<(), Failed> {
        for (place, &tokens) in marking.iter().enumerate().filter(|&(_, &tokens)| tokens > 0) {
            out.push(entry(place, tokens)?);
        }
        Ok(())
    }

    fn decode(&self, point: &[u64], out: &mut [Tokens]) {
        out.fill(0);
        for &entry in point {
            out[place(entry)] = entry & TOKENS;
        }
    }

    fn mark(&self, point: &[u64], marking: &mut [Tokens], marked: &mut Vec<usize>) {
        for &entry in point {
            marking[place(entry)] = entry & TOKENS;
            marked.push(place(entry));
        }
    }

    fn total(&self, point: &[u64]) -> u64 {
        point.iter().fold(0, |sum, &entry| sum.saturating_add(entry & TOKENS))
    }

    fn candidates(&self, point: &[u64], set: &mut Vec<u64>, out: &mut Vec<usize>) {
        self.raisers.of(point.iter().map(|&entry| place(entry)), set, out);
    }

    fn sketch_words(&self) -> usize {
        SKETCH_LANES / 8
    }

    fn is_sketch_exact(&self) -> bool {
        false
    }

    fn sketch(&self, point: &[u64], out: &mut [u64]) {
        out.fill(0);
        let greatest = Lanes::new(8, SKETCH_LANES).greatest();
        for &entry in point {
            let (word, shift) = (place(entry) % SKETCH_LANES / 8, place(entry) % 8 * 8);
            let sum = (out[word] >> shift & !HIGH_8 & 0xff) + (entry & TOKENS).min(greatest);
            out[word] = out[word] & !(0xff << shift) | sum.min(greatest) << shift;
        }
    }

    fn wider(&self) -> Option<Self> {
        None
    }
}

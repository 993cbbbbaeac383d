//! Small numbers side by side in words, compared and added all at once. The highest bit of every lane is zero, which
//! leaves room to see in it whether a lane borrowed or overflowed (SWAR: arithmetic within a register).

use lapidary_ir::Tokens;

use crate::well_structured::Failed;

/// How numbers lie in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Bits per lane: 8, 16, 32 or 64.
    pub width: u32,
    /// The highest bit of every lane.
    pub high: u64,
    pub words: usize,
}

/// Of lanes with eight bits.
pub const HIGH_8: u64 = 0x8080_8080_8080_8080;

impl Lanes {
    pub fn new(width: u32, n_numbers: usize) -> Self {
        let high = match width {
            8 => HIGH_8,
            16 => 0x8000_8000_8000_8000,
            32 => 0x8000_0000_8000_0000,
            _ => 1 << 63,
        };
        let per_word = (64 / width) as usize;
        Self { width, high, words: n_numbers.div_ceil(per_word).max(1) }
    }

    /// The greatest number that fits.
    pub fn greatest(self) -> Tokens {
        (1 << (self.width - 1)) - 1
    }

    fn at(self, place: usize) -> (usize, u32) {
        let per_word = (64 / self.width) as usize;
        (place / per_word, (place % per_word) as u32 * self.width)
    }

    pub fn get(self, point: &[u64], place: usize) -> Tokens {
        let (word, shift) = self.at(place);
        (point[word] >> shift) & self.greatest()
    }

    /// Sets a lane that is zero.
    pub fn set(self, point: &mut [u64], place: usize, tokens: Tokens) -> Result<(), Failed> {
        if tokens > self.greatest() {
            return Err(Failed::Narrow);
        }
        let (word, shift) = self.at(place);
        point[word] |= tokens << shift;
        Ok(())
    }

    /// Sets a lane that is zero, to the greatest number if this one does not fit.
    pub fn set_at_most(self, point: &mut [u64], place: usize, tokens: Tokens) {
        let (word, shift) = self.at(place);
        point[word] |= tokens.min(self.greatest()) << shift;
    }

    /// Appends the words of a marking.
    pub fn pack(self, marking: &[Tokens], out: &mut Vec<u64>) -> Result<(), Failed> {
        let start = out.len();
        let per_word = (64 / self.width) as usize;
        let mut all = 0;
        for numbers in marking.chunks(per_word) {
            let mut word = 0u64;
            for &number in numbers.iter().rev() {
                all |= number;
                word = word.unbounded_shl(self.width) | number;
            }
            out.push(word);
        }
        out.resize(start + self.words, 0);
        if all > self.greatest() { Err(Failed::Narrow) } else { Ok(()) }
    }

    pub fn unpack(self, point: &[u64], out: &mut [Tokens]) {
        let per_word = (64 / self.width) as usize;
        for (numbers, &word) in out.chunks_mut(per_word).zip(point) {
            let mut rest = word;
            for number in numbers {
                *number = rest & self.greatest();
                rest = rest.unbounded_shr(self.width);
            }
        }
    }

    /// The greatest value in every lane of a mask that has the highest bits of some lanes.
    #[inline]
    fn spread(self, highest: u64) -> u64 {
        highest - (highest >> (self.width - 1))
    }

    /// Lane by lane, zero where it would be less.
    #[inline]
    pub fn saturating_sub(self, a: u64, b: u64) -> u64 {
        let difference = (a | self.high) - b;
        difference & self.spread(difference & self.high)
    }

    #[inline]
    pub fn max(self, a: u64, b: u64) -> u64 {
        let keep = self.spread(((a | self.high) - b) & self.high);
        (a & keep) | (b & !keep)
    }

    #[inline]
    pub fn min(self, a: u64, b: u64) -> u64 {
        let keep = self.spread(((b | self.high) - a) & self.high);
        (a & keep) | (b & !keep)
    }
}

/// Is every lane of `a` at most that of `b`?
#[inline]
pub fn leq(a: &[u64], b: &[u64], high: u64) -> bool {
    a.iter().zip(b).all(|(&a, &b)| ((b | high) - a) & high == high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of a few numbers, in neighbouring lanes, against arithmetic on numbers.
    #[test]
    fn lanes_compute_what_numbers_compute() {
        for width in [8, 16, 32, 64] {
            let lanes = Lanes::new(width, 3);
            let top = lanes.greatest();
            let numbers = [0, 1, 2, top / 2, top - 1, top];
            for case in 0..6usize.pow(4) {
                let pick = |i: u32| numbers[case / 6usize.pow(i) % 6];
                let (a, b) = ([pick(0), pick(1), pick(2)], [pick(1), pick(2), pick(3)]);
                let pack = |numbers: &[Tokens; 3]| {
                    let mut words = Vec::new();
                    lanes.pack(numbers, &mut words).expect("they fit");
                    words
                };
                let (x, y) = (pack(&a), pack(&b));
                assert_eq!(leq(&x, &y, lanes.high), a.iter().zip(&b).all(|(a, b)| a <= b), "{a:?} {b:?}");
                let each = |f: &dyn Fn(u64, u64) -> u64| x.iter().zip(&y).map(|(&x, &y)| f(x, y)).collect::<Vec<_>>();
                let expected = |f: &dyn Fn(u64, u64) -> u64| pack(&[f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]);
                assert_eq!(each(&|x, y| lanes.saturating_sub(x, y)), expected(&u64::saturating_sub));
                assert_eq!(each(&|x, y| lanes.max(x, y)), expected(&u64::max));
                assert_eq!(each(&|x, y| lanes.min(x, y)), expected(&u64::min));
                let mut back = [0; 3];
                lanes.unpack(&x, &mut back);
                assert_eq!(back, a);
            }
        }
    }

    #[test]
    fn a_number_that_does_not_fit_is_refused() {
        let lanes = Lanes::new(8, 2);
        assert_eq!(lanes.pack(&[0, 128], &mut Vec::new()), Err(Failed::Narrow));
        assert_eq!(lanes.pack(&[127, 127], &mut Vec::new()), Ok(()));
    }
}

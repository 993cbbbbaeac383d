//! The listed states of an enumeration, by number.

use lapidary_verdict::Enumeration;

use crate::Rejection;

/// States per entry of the table that finds a state's chunk.
const STRIDE_BITS: u32 = 10;

/// A certificate's states, numbered in the order in which they are listed.
pub struct Members<'a> {
    chunks: &'a [Vec<u64>],
    n_words: usize,
    /// The number of the first state of each chunk, and the number of states at the end.
    starts: Vec<usize>,
    /// The chunk in which each stretch of `1 << STRIDE_BITS` states begins.
    stretches: Vec<usize>,
}

impl<'a> Members<'a> {
    pub fn new(enumeration: &'a Enumeration, n_words: usize) -> Result<Self, Rejection> {
        let mut starts = vec![0];
        let mut n_states = 0;
        for (i, chunk) in enumeration.chunks.iter().enumerate() {
            if chunk.len() % n_words != 0 {
                let len = chunk.len();
                return Err(Rejection::Wrong(format!("chunk {i} has {len} words, not a multiple of {n_words}")));
            }
            n_states += chunk.len() / n_words;
            starts.push(n_states);
        }
        if n_states != enumeration.n_states {
            let claimed = enumeration.n_states;
            return Err(Rejection::Wrong(format!("the certificate lists {n_states} states but claims {claimed}")));
        }
        let stretches = stretches(&starts, n_states);
        Ok(Self { chunks: &enumeration.chunks, n_words, starts, stretches })
    }

    /// All states with their numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &'a [u64])> + use<'a> {
        let n_words = self.n_words;
        self.chunks.iter().flat_map(move |chunk| chunk.chunks_exact(n_words)).enumerate()
    }

    pub fn len(&self) -> usize {
        self.starts[self.chunks.len()]
    }

    #[inline]
    pub fn get(&self, number: usize) -> &'a [u64] {
        let mut chunk = self.stretches[number >> STRIDE_BITS];
        while self.starts[chunk + 1] <= number {
            chunk += 1;
        }
        let at = (number - self.starts[chunk]) * self.n_words;
        &self.chunks[chunk][at..at + self.n_words]
    }
}

fn stretches(starts: &[usize], n_states: usize) -> Vec<usize> {
    let mut chunk = 0;
    let firsts = (0..n_states).step_by(1 << STRIDE_BITS);
    let chunk_of = firsts.map(|first| {
        while starts[chunk + 1] <= first {
            chunk += 1;
        }
        chunk
    });
    chunk_of.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_across_chunks_of_any_size() {
        let sizes = [0usize, 3, 0, 2000, 1, 5000, 0];
        let mut next = 0u64;
        let chunk = |&n: &usize| {
            let words = (next..next + 2 * n as u64).collect();
            next += 2 * n as u64;
            words
        };
        let chunks: Vec<Vec<u64>> = sizes.iter().map(chunk).collect();
        let enumeration = Enumeration { chunks, n_states: 7004, ..Enumeration::default() };
        let members = Members::new(&enumeration, 2).unwrap();
        assert_eq!(members.len(), 7004);
        assert!((0..7004).all(|i| members.get(i) == [2 * i as u64, 2 * i as u64 + 1]));
    }
}

//! Rows of fixed width in chunks that are never moved, so that growing copies nothing.

/// Chunks have about so many words, and one row at least.
const CHUNK_BITS: u32 = 14;

pub struct Rows<T> {
    width: usize,
    n_rows: usize,
    /// A chunk has two to the power of this rows; all but the last are full.
    bits: u32,
    chunks: Vec<Vec<T>>,
}

impl<T: Copy> Rows<T> {
    pub fn new(width: usize) -> Self {
        let bits = CHUNK_BITS.saturating_sub(width.max(1).next_power_of_two().ilog2());
        Self { width, n_rows: 0, bits, chunks: Vec::new() }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.n_rows
    }

    #[inline(always)]
    pub fn row(&self, number: usize) -> &[T] {
        let start = (number & ((1 << self.bits) - 1)) * self.width;
        &self.chunks[number >> self.bits][start..start + self.width]
    }

    pub fn row_mut(&mut self, number: usize) -> &mut [T] {
        let start = (number & ((1 << self.bits) - 1)) * self.width;
        &mut self.chunks[number >> self.bits][start..start + self.width]
    }

    #[inline(always)]
    pub fn push(&mut self, row: &[T]) {
        if self.n_rows & ((1 << self.bits) - 1) == 0 {
            self.chunks.push(Vec::with_capacity(self.width << self.bits));
        }
        self.chunks.last_mut().expect("a chunk was begun").extend_from_slice(row);
        self.n_rows += 1;
    }

    pub fn into_chunks(self) -> Vec<Vec<T>> {
        self.chunks
    }
}

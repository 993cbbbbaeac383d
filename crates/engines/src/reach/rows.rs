//! Rows of fixed width in chunks that are never moved, so that growing copies nothing.

const CHUNK_BITS: u32 = 14;
pub const CHUNK: usize = 1 << CHUNK_BITS;

pub struct Rows<T> {
    width: usize,
    n_rows: usize,
    /// All but the last are full.
    chunks: Vec<Vec<T>>,
}

impl<T: Copy> Rows<T> {
    pub fn new(width: usize) -> Self {
        Self { width, n_rows: 0, chunks: Vec::new() }
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
        let start = (number & (CHUNK - 1)) * self.width;
        &self.chunks[number >> CHUNK_BITS][start..start + self.width]
    }

    pub fn row_mut(&mut self, number: usize) -> &mut [T] {
        let start = (number & (CHUNK - 1)) * self.width;
        &mut self.chunks[number >> CHUNK_BITS][start..start + self.width]
    }

    #[inline(always)]
    pub fn push(&mut self, row: &[T]) {
        if self.n_rows.is_multiple_of(CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK * self.width));
        }
        self.chunks.last_mut().expect("a chunk was begun").extend_from_slice(row);
        self.n_rows += 1;
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.n_rows).map(|number| self.row(number))
    }

    pub fn into_chunks(self) -> Vec<Vec<T>> {
        self.chunks
    }
}

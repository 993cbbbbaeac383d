//! How large the tables of a space are: the package allocates them once and never grows them.

/// Bytes that a node takes: sixteen in the store, and two to three slots of eight bytes in the unique table.
const NODE_BYTES: u64 = 40;

/// Bytes that an entry of the operation cache takes.
const CACHE_BYTES: u64 = 20;

/// The smallest cache, as a power of two.
const SMALLEST_CACHE: u32 = 14;

/// A space with that many levels more than the cache has, as a power of two, has few enough sets.
const LEVELS_ABOVE_CACHE: u32 = 2;

/// The limits of one space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Diagram nodes that may exist at once, garbage included.
    pub nodes: usize,
    /// Entries of the cache of results, rounded up to a power of two.
    pub cache: usize,
    /// Threads on which one operation may run.
    pub threads: u32,
}

impl Capacity {
    /// Tables for a process that may use so many bytes; a quarter is left for everything else.
    ///
    /// The store is only mapped, pages are used as nodes are made. But every entry of the cache is written at once, and
    /// again with every collection of garbage: four million of them take 25 ms and 84 MB, however little is computed.
    /// Hence the upper bound; whoever knows that much will be computed may set a larger cache.
    pub fn for_memory(bytes: u64, threads: u32) -> Self {
        let bytes = bytes / 4 * 3;
        let cache = largest_power_of_two(bytes / 8 / CACHE_BYTES).clamp(1 << SMALLEST_CACHE, 1 << 22);
        let nodes = (bytes.saturating_sub(cache * CACHE_BYTES) / NODE_BYTES).clamp(1 << 16, (1 << 31) - 2);
        Self { nodes: as_size(nodes), cache: as_size(cache), threads: threads.max(1) }
    }

    /// With no more cache than a space of so many levels can fill: setting it up would cost more than the search.
    pub fn for_levels(self, n_levels: u32) -> Self {
        let useful = 1usize << n_levels.saturating_sub(LEVELS_ABOVE_CACHE).clamp(SMALLEST_CACHE, 30);
        Self { cache: self.cache.min(useful), ..self }
    }
}

fn largest_power_of_two(number: u64) -> u64 {
    1 << number.max(1).ilog2()
}

fn as_size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_in_the_memory_and_stay_within_what_ids_can_number() {
        for shift in 24..50 {
            let capacity = Capacity::for_memory(1 << shift, 2);
            let used = capacity.nodes as u64 * NODE_BYTES + capacity.cache as u64 * CACHE_BYTES;
            assert!(used <= 1 << shift, "2^{shift} bytes: {capacity:?}");
            assert!(capacity.nodes < 1 << 31 && capacity.cache.is_power_of_two());
        }
        let large = Capacity::for_memory(1 << 40, 1);
        assert_eq!(large.for_levels(8).cache, 1 << 14);
        assert_eq!(large.for_levels(18).cache, 1 << 16);
        assert_eq!(large.for_levels(1000), large);
        assert!(Capacity::for_memory(0, 0).nodes >= 1 << 16);
        assert_eq!(Capacity::for_memory(u64::MAX, 0).threads, 1);
    }
}

//! The one hasher of the project: fast and without a random seed, so that runs repeat exactly.

pub use rustc_hash::{FxBuildHasher as FixedState, FxHasher as FixedHasher};

pub type Map<K, V> = hashbrown::HashMap<K, V, FixedState>;
pub type Set<K> = hashbrown::HashSet<K, FixedState>;

/// Numbers of things that are kept elsewhere, found by the hashes of the things.
pub type Table<T> = hashbrown::HashTable<T>;

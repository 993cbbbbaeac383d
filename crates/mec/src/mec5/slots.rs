//! The diagrams of a session: every type has copies of its columns, one for each variable in scope at once.
//!
//! The `k`-th parameter of a type stands in the `k`-th copy; quantified variables take the copies after those in scope.
//! The copies of one leaf lie next to each other in the variable order, so that renaming keeps diagrams small.

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_bdd::{Capacity, Column, ColumnSpec, Set, Space};

use super::types::{Origin, TypeData, TypeId, Types};

/// How many copies are laid out at first. Transitions need two of configurations, their closure three.
const CONFIGURATIONS: usize = 4;
const EVENTS: usize = 2;
const PLAIN: usize = 4;

pub struct Slots {
    pub space: Space,
    /// By type, copy and leaf.
    pools: Map<TypeId, Vec<Vec<Column>>>,
    /// All values of a type in a copy.
    universes: Map<(TypeId, usize), Set>,
}

/// The place of a leaf in the variable order of a node: of its configurations or of its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    Variable(usize),
    Component(usize),
}

impl Slots {
    pub fn new(capacity: Capacity, control: &Control) -> Result<Self, Stop> {
        Ok(Self { space: Space::new(capacity, &[], control)?, pools: Map::default(), universes: Map::default() })
    }

    /// Lays out the two types of a node together, in the order given.
    pub fn add_node(
        &mut self,
        types: &Types,
        configuration: TypeId,
        event: TypeId,
        order: &[Spot],
    ) -> Result<(), Stop> {
        let empty = |ty: TypeId, copies: usize| vec![vec![Column(0); types.get(ty).leaves.len()]; copies];
        let (mut variables, mut components) = (empty(configuration, CONFIGURATIONS), empty(event, EVENTS));
        for &spot in order {
            let (ty, leaf, pool) = match spot {
                Spot::Variable(leaf) => (configuration, leaf, &mut variables),
                Spot::Component(leaf) => (event, leaf, &mut components),
            };
            let columns = self.space.add_group(specs(types.get(ty), leaf, 0, pool.len()))?;
            pool.iter_mut().zip(columns).for_each(|(copy, column)| copy[leaf] = column);
        }
        self.pools.insert(configuration, variables);
        self.pools.insert(event, components);
        Ok(())
    }

    /// The columns of a copy, leaf by leaf; more copies are made as they are needed.
    pub fn columns(&mut self, types: &Types, ty: TypeId, copy: usize) -> Result<Vec<Column>, Stop> {
        let n_copies = self.pools.get(&ty).map_or(0, Vec::len);
        if copy >= n_copies {
            let data = types.get(ty);
            let more = match data.origin {
                Origin::Plain => PLAIN.max(n_copies),
                Origin::Configuration(_) | Origin::Event(_) => n_copies.max(1),
            };
            let more = more.max(copy + 1 - n_copies);
            let mut copies = vec![Vec::new(); more];
            for leaf in 0..data.leaves.len() {
                let columns = self.space.add_group(specs(data, leaf, n_copies, more))?;
                copies.iter_mut().zip(columns).for_each(|(copy, column)| copy.push(column));
            }
            self.pools.entry(ty).or_default().extend(copies);
        }
        Ok(self.pools[&ty][copy].clone())
    }

    /// The values of a type whose values are not all combinations of those of its leaves; in copy 0.
    pub fn set_universe(&mut self, ty: TypeId, set: Set) {
        // A node whose computation was given up half way is laid out anew: what its copies had lies in other columns.
        self.universes.retain(|(of, _), _| *of != ty);
        self.universes.insert((ty, 0), set);
    }

    /// All values of a type, in a copy.
    pub fn universe(&mut self, types: &Types, ty: TypeId, copy: usize) -> Result<Set, Stop> {
        if let Some(set) = self.universes.get(&(ty, copy)) {
            return Ok(set.clone());
        }
        let columns = self.columns(types, ty, copy)?;
        let set = match self.universes.get(&(ty, 0)).cloned() {
            Some(set) => {
                let first = self.columns(types, ty, 0)?;
                let pairs: Vec<(Column, Column)> = first.into_iter().zip(columns).collect();
                self.space.rename(&set, &self.space.renaming(&pairs))?
            }
            None => {
                let domains =
                    columns.into_iter().map(|column| self.space.domain(column)).collect::<Result<Vec<_>, _>>()?;
                self.space.and_all(&domains)?
            }
        };
        self.universes.insert((ty, copy), set.clone());
        Ok(set)
    }

    /// The copies in which the parameters of a relation stand.
    pub fn canonical(signature: &[TypeId]) -> Vec<usize> {
        let copy = |(place, ty): (usize, &TypeId)| signature[..place].iter().filter(|other| *other == ty).count();
        signature.iter().enumerate().map(copy).collect()
    }

    /// The columns of all parameters of a relation, one after the other.
    pub fn parameters(&mut self, types: &Types, signature: &[TypeId]) -> Result<Vec<Column>, Stop> {
        let mut columns = Vec::new();
        for (&ty, copy) in signature.iter().zip(Self::canonical(signature)) {
            columns.extend(self.columns(types, ty, copy)?);
        }
        Ok(columns)
    }

    /// All tuples of a signature.
    pub fn tuples(&mut self, types: &Types, signature: &[TypeId]) -> Result<Set, Stop> {
        let mut set = self.space.all();
        for (&ty, copy) in signature.iter().zip(Self::canonical(signature)) {
            let universe = self.universe(types, ty, copy)?;
            set = self.space.and(&set, &universe)?;
        }
        Ok(set)
    }
}

fn specs(data: &TypeData, leaf: usize, first: usize, n: usize) -> Vec<ColumnSpec> {
    let Some(part) = data.leaves.get(leaf) else { return Vec::new() };
    let spec = |copy| ColumnSpec { name: format!("{}.{}#{copy}", data.name, part.path), size: part.scalar.size() };
    (first..first + n).map(spec).collect()
}

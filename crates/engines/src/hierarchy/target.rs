//! What is looked for, as decisions by one component after the other: so that a combination of blocks is either wholly
//! inside or wholly outside.

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_bdd::{Column, Set, Space};
use lapidary_ir::VarId;
use lapidary_system::symbolic::Symbolic;

use super::cover::{Cover, numbers};
use super::local::Local;

/// Where a decision leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Outside,
    Inside,
    Node(usize),
}

/// The configurations of one component, parted by what they leave to be decided by the next ones.
struct Decision {
    unit: usize,
    /// Disjoint; configurations in none of them lead outside.
    ways: Vec<(Set, Then)>,
}

/// A set of configurations of the whole, which is not built.
pub struct Goal {
    /// What follows a decision comes before it.
    decisions: Vec<Decision>,
    root: Then,
    /// For every component the parts of its configurations that make no difference.
    pub atoms: Vec<Vec<Set>>,
}

impl Goal {
    /// `set` is over the columns of all components; what it says of configurations that there are not does not matter.
    pub fn new(local: &Local<'_>, set: &Set, control: &Control) -> Result<Self, Stop> {
        let space = &local.frame.space;
        let columns: Vec<Vec<Column>> = local.units.iter().map(|unit| unit.columns(&local.frame)).collect();
        let support = space.support(set)?;
        let mut units: Vec<usize> =
            (0..columns.len()).filter(|&unit| columns[unit].iter().any(|column| support.contains(column))).collect();
        units.sort_by_key(|&unit| columns[unit].iter().copied().min());
        let mut within = set.clone();
        for &unit in &units {
            control.check()?;
            within = space.and(&within, &local.units[unit].configurations)?;
        }
        let mut atoms = vec![Vec::new(); columns.len()];
        for &unit in &units {
            atoms[unit] = classes(space, &within, &columns[unit], control)?.into_iter().map(|(_, part)| part).collect();
        }
        let mut reader =
            Reader { space, columns: &columns, units: &units, known: Map::default(), decisions: Vec::new() };
        let root = reader.read(&within, 0, control)?;
        Ok(Self { decisions: reader.decisions, root, atoms })
    }

    /// The combinations of blocks that lie inside.
    pub fn of_blocks(
        &self,
        local: &Local<'_>,
        covers: &[Cover],
        system: &Symbolic,
        control: &Control,
    ) -> Result<Set, Stop> {
        let space = &system.space;
        let mut sets: Vec<Set> = Vec::new();
        let then = |sets: &[Set], then: Then| match then {
            Then::Outside => space.none(),
            Then::Inside => system.configurations.clone(),
            Then::Node(number) => sets[number].clone(),
        };
        for Decision { unit, ways } in &self.decisions {
            let column = system.places.column(VarId(*unit as u32), 0).expect("numbers of blocks have columns");
            let mut set = space.none();
            for (members, after) in ways {
                control.check()?;
                let blocks = covers[*unit].meeting(&local.frame.space, members)?;
                let way = space.and(&numbers(space, column, &blocks)?, &then(&sets, *after))?;
                set = space.or(&set, &way)?;
            }
            sets.push(set);
        }
        Ok(then(&sets, self.root))
    }
}

/// The valuations of the columns, parted by what remains of the set; what remains is different for each part.
fn classes(space: &Space, set: &Set, columns: &[Column], control: &Control) -> Result<Vec<(Set, Set)>, Stop> {
    let mut parts: Vec<(Set, Set)> = vec![(set.clone(), space.all())];
    for &column in columns {
        let mut finer: Vec<(Set, Set)> = Vec::new();
        let mut places: Map<Set, usize> = Map::default();
        for (rest, part) in parts {
            control.check()?;
            for (lo, hi, rest) in space.cofactors(&rest, column)? {
                let part = space.and(&part, &space.range(column, lo, hi)?)?;
                match places.get(&rest) {
                    Some(&place) => finer[place].1 = space.or(&finer[place].1, &part)?,
                    None => {
                        places.insert(rest.clone(), finer.len());
                        finer.push((rest, part));
                    }
                }
            }
        }
        parts = finer;
    }
    Ok(parts)
}

struct Reader<'a> {
    space: &'a Space,
    columns: &'a [Vec<Column>],
    units: &'a [usize],
    known: Map<(Set, usize), Then>,
    decisions: Vec<Decision>,
}

impl Reader<'_> {
    /// What the components from a place on decide.
    fn read(&mut self, set: &Set, at: usize, control: &Control) -> Result<Then, Stop> {
        if self.space.is_none(set) {
            return Ok(Then::Outside);
        }
        let Some(&unit) = self.units.get(at) else { return Ok(Then::Inside) };
        let key = (set.clone(), at);
        if let Some(&then) = self.known.get(&key) {
            return Ok(then);
        }
        let mut ways = Vec::new();
        for (rest, members) in classes(self.space, set, &self.columns[unit], control)? {
            let then = self.read(&rest, at + 1, control)?;
            if then != Then::Outside {
                ways.push((members, then));
            }
        }
        self.decisions.push(Decision { unit, ways });
        let then = Then::Node(self.decisions.len() - 1);
        self.known.insert(key, then);
        Ok(then)
    }
}

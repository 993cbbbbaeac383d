//! Where the cells are: the variables and families in place of those of before.

use lapidary_base::hash::Map;
use lapidary_base::{Id, IdVec};

use super::{MAX_ALL_CELLS, MAX_CELLS, n_cells};
use crate::model::{Declarations, Destination, Family, FamilyId, Model, Var, VarId};
use crate::types::{ArrayId, ArrayType, Domain, EnumId, Sort};

pub struct Places {
    pub vars: IdVec<VarId, Var>,
    pub families: IdVec<FamilyId, Family>,
    /// The cells of each variable of before; of what is no small array the one that it is.
    cells: IdVec<VarId, Box<[VarId]>>,
    /// The same for families.
    rows: IdVec<FamilyId, Box<[FamilyId]>>,
    /// By variables of now: is it a cell of what was an array?
    is_cell: IdVec<VarId, bool>,
}

/// How many indexes there are, if they are few, and are the numbers from zero on.
pub fn n_indexes(model: &Declarations, of: ArrayType) -> Option<usize> {
    match of.index {
        Sort::Bool | Sort::Enum(_) | Sort::Bits(_) => {}
        Sort::Int | Sort::Array(_) => return None,
    }
    let n_literals = |id: EnumId| model.enums[id].literals.len();
    let n = model.exprs.values().n_values(of.index, &n_literals)?;
    usize::try_from(n).ok().filter(|n| (1..=MAX_CELLS).contains(n))
}

/// How many cells an element of this sort is; none for arrays that have few indexes, but too many cells. One that has many indexes
/// stays what it is.
pub fn width(model: &Declarations, sort: Sort) -> Option<usize> {
    match sort {
        Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Bits(_) => Some(1),
        Sort::Array(id) => {
            let of = model.exprs.array_type(id);
            if n_indexes(model, of).is_some() { n_cells(model, of) } else { Some(1) }
        }
    }
}

/// The sorts and the names of the cells of an array of this type, in order; none if it is not a small one.
fn list(model: &Declarations, id: ArrayId) -> Option<Vec<(String, Sort)>> {
    let of = model.exprs.array_type(id);
    n_cells(model, of)?;
    let mut cells = Vec::new();
    for index in 0..n_indexes(model, of)? {
        let index = model.show(of.index.domain(), index as i64);
        let inner = match of.element {
            Sort::Array(element) => list(model, element),
            Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Bits(_) => None,
        };
        match inner {
            Some(inner) => cells.extend(inner.into_iter().map(|(name, sort)| (format!("[{index}]{name}"), sort))),
            None => cells.push((format!("[{index}]"), of.element)),
        }
    }
    Some(cells)
}

impl Places {
    /// None if there is nothing to be done, or too much.
    pub fn of(model: &Model) -> Option<Self> {
        let split = |domain: Domain| match domain {
            Domain::Array(id) => list(model, id),
            Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) | Domain::Bits(_) => None,
        };
        let count = |var: &Var| split(var.domain).map_or(0, |cells| cells.len());
        let n_cells: usize = model.vars.iter().map(count).sum();
        if n_cells == 0 || n_cells > MAX_ALL_CELLS {
            return None;
        }
        let n = model.vars.len();
        let mut places = Self {
            vars: IdVec::new(),
            families: IdVec::new(),
            cells: (0..n).map(|_| Box::default()).collect(),
            rows: IdVec::new(),
            is_cell: IdVec::new(),
        };
        let rows: Map<VarId, u32> = model.families.iter().map(|family| (family.first, family.len)).collect();
        let mut var = 0;
        while var < n {
            let id = VarId::new(var);
            // The variables of a family are split together, so that their cells are rows again.
            let row = rows.get(&id).map_or(1, |&len| len as usize);
            match split(model.vars[id].domain) {
                Some(cells) => places.split(model, id, row, &cells),
                None => (var..var + row).for_each(|var| places.keep(model, VarId::new(var))),
            }
            var += row;
        }
        for family in &model.families {
            places.row(family, split(model.vars[family.first].domain));
        }
        Some(places)
    }

    fn keep(&mut self, model: &Model, var: VarId) {
        let kept = self.vars.push(model.vars[var].clone());
        self.is_cell.push(false);
        self.cells[var] = Box::new([kept]);
    }

    /// The first cells of all variables of the row, then the second ones, and so on.
    fn split(&mut self, model: &Model, first: VarId, len: usize, cells: &[(String, Sort)]) {
        let mut made: Vec<Vec<VarId>> = vec![Vec::with_capacity(cells.len()); len];
        for (suffix, sort) in cells {
            for (i, made) in made.iter_mut().enumerate() {
                let old = &model.vars[VarId::new(first.index() + i)];
                let name = format!("{}{suffix}", old.name);
                made.push(self.vars.push(Var { name, domain: sort.domain(), ..old.clone() }));
                self.is_cell.push(true);
            }
        }
        for (i, made) in made.into_iter().enumerate() {
            self.cells[VarId::new(first.index() + i)] = made.into();
        }
    }

    fn row(&mut self, family: &Family, cells: Option<Vec<(String, Sort)>>) {
        let suffixes =
            cells.map_or_else(|| vec![String::new()], |cells| cells.into_iter().map(|(name, _)| name).collect());
        let firsts = self.cells[family.first].clone();
        let rows = firsts.iter().zip(suffixes).map(|(&first, suffix)| {
            self.families.push(Family { name: format!("{}{suffix}", family.name), first, len: family.len })
        });
        let rows = rows.collect();
        self.rows.push(rows);
    }

    /// The variables in place of one of before.
    pub fn cells(&self, var: VarId) -> impl ExactSizeIterator<Item = VarId> + '_ {
        self.cells[var].iter().copied()
    }

    pub fn rows(&self, family: FamilyId) -> impl ExactSizeIterator<Item = FamilyId> + '_ {
        self.rows[family].iter().copied()
    }

    /// Is it a small array, of before?
    pub fn is_split(&self, model: &Model, to: Destination) -> bool {
        let var = match to {
            Destination::Var(var) => var,
            Destination::Cell(family, _) => model.families[family].first,
        };
        self.is_cell[self.cells[var][0]]
    }

    /// Is this variable of now a cell of what was an array?
    pub fn is_cell(&self, var: VarId) -> bool {
        self.is_cell[var]
    }
}

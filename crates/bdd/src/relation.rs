//! Quantification, relational products and renaming of columns.

use lapidary_base::Stop;
use oxidd::Function;

use crate::image::{Action, Image};
use crate::space::{Column, Set, Space};

/// Columns to quantify, prepared.
#[derive(Clone)]
pub struct Cube(Image);

/// Pairs of columns of equal size, prepared: the first becomes the second.
#[derive(Clone)]
pub struct Renaming(Image);

/// Columns to quantify and then pairs of columns to rename, prepared.
#[derive(Clone)]
pub struct Projection(Image);

impl Space {
    /// Takes as long as there are levels, hence looks at the limits.
    pub fn cube(&self, columns: &[Column]) -> Result<Cube, Stop> {
        self.watch.counter().step()?;
        Ok(Cube(self.new_image(columns, &[])))
    }

    /// The valuations that are in the set for some values of the cube's columns.
    ///
    /// All bit patterns count, also those beyond a column's size: the set should imply the domains.
    pub fn exists(&self, set: &Set, cube: &Cube) -> Result<Set, Stop> {
        self.attempt(set, self.splits(&[set]), |run, edge| cube.0.of(run, edge))
    }

    /// The valuations that are in the set for all values of the cube's columns.
    ///
    /// All bit patterns count, also those beyond a column's size: the set should contain what is outside the domains.
    pub fn forall(&self, set: &Set, cube: &Cube) -> Result<Set, Stop> {
        self.not(&self.exists(&self.not(set)?, cube)?)
    }

    /// The relational product: `exists` of the intersection, without building that.
    pub fn and_exists(&self, a: &Set, b: &Set, cube: &Cube) -> Result<Set, Stop> {
        self.attempt(a, self.splits(&[a, b]), |run, edge| cube.0.of_both(run, edge, b.0.as_edge(run.manager)))
    }

    /// Panics if two columns of a pair differ in their number of bits, or a column is renamed twice.
    pub fn renaming(&self, pairs: &[(Column, Column)]) -> Renaming {
        Renaming(self.new_image(&[], pairs))
    }

    /// Renames all columns at once. The new names do not occur in the set unless they are renamed themselves.
    pub fn rename(&self, set: &Set, renaming: &Renaming) -> Result<Set, Stop> {
        self.attempt(set, 0, |run, edge| renaming.0.of(run, edge))
    }

    /// First quantifies columns, then renames others, all at once; their new names may be the quantified columns.
    ///
    /// Panics as [`renaming`](Self::renaming) does, or if a column is both quantified and renamed.
    pub fn projection(&self, quantified: &[Column], pairs: &[(Column, Column)]) -> Projection {
        Projection(self.new_image(quantified, pairs))
    }

    /// [`and_exists`](Self::and_exists) and [`rename`](Self::rename) at once: the image of a set under a relation.
    pub fn image(&self, set: &Set, relation: &Set, projection: &Projection) -> Result<Set, Stop> {
        self.attempt(set, 0, |run, edge| projection.0.of_both(run, edge, relation.0.as_edge(run.manager)))
    }

    fn new_image(&self, quantified: &[Column], pairs: &[(Column, Column)]) -> Image {
        let mut actions: Vec<Action> = (0..self.levels.len() as u32).map(Action::MoveTo).collect();
        let bits = |column: Column| self.columns[column].bits.iter().map(|&level| level as usize);
        for level in quantified.iter().flat_map(|&column| bits(column)) {
            actions[level] = Action::Quantify;
        }
        let mut is_renamed = vec![false; self.levels.len()];
        for &(from, to) in pairs {
            assert_eq!(bits(from).len(), bits(to).len(), "renamed columns have equal sizes");
            for (from, to) in bits(from).zip(bits(to)) {
                assert!(actions[from] == Action::MoveTo(from as u32) && !is_renamed[from], "a column is renamed once");
                actions[from] = Action::MoveTo(to as u32);
                is_renamed[from] = true;
            }
        }
        Image::new(self.next_image(), actions)
    }
}

//! What a backward search over a net asks of a representation of markings, beside being well-structured.

use lapidary_ir::Tokens;

use crate::well_structured::{Failed, WellStructured};

/// Markings of a net as points.
pub trait NetPoints: WellStructured + Sized {
    fn n_places(&self) -> usize;
    /// Appends the words of a marking.
    fn encode(&self, marking: &[Tokens], out: &mut Vec<u64>) -> Result<(), Failed>;
    /// Writes every place of the marking.
    fn decode(&self, point: &[u64], out: &mut [Tokens]);
    /// Writes the marked places of the marking and lists them, ascending; elsewhere it is zero already, and the list is empty.
    fn mark(&self, point: &[u64], marking: &mut [Tokens], marked: &mut Vec<usize>);
    /// How many tokens there are.
    fn total(&self, point: &[u64]) -> u64;
    /// The actions that may bring something new, ascending: all others have only predecessors above the point.
    fn candidates(&self, point: &[u64], set: &mut Vec<u64>, out: &mut Vec<usize>);
    /// Words of a sketch.
    fn sketch_words(&self) -> usize;
    /// Are points above each other whenever their sketches are?
    fn is_sketch_exact(&self) -> bool;
    /// Lanes of eight bits that grow with the marking: an index can rely on them whatever points are.
    fn sketch(&self, point: &[u64], out: &mut [u64]);
    /// The same net with room for greater numbers; sketches stay what they are.
    fn wider(&self) -> Option<Self>;
}

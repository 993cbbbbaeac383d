//! Listed states with an ordered part: stores, orders and paths; and products with automata.

mod actions;
mod opaal;
mod products;
mod random;
mod shared;
mod toys;

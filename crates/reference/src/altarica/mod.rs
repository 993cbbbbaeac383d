//! Random small hierarchies as AltaRica texts: shared node types, arrays, constrained and free flows, priorities,
//! broadcasts and public events.
//!
//! The texts are well typed and parenthesised throughout, so that they mean the same under any precedence. How many
//! configurations the root can have is bounded.

mod expr;
mod node;
mod sync;

use crate::dice::Dice;

/// What a random text may look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Node types, the root's included.
    pub n_nodes: usize,
    /// At most so many combinations of values of variables without a definition.
    pub max_valuations: u64,
    pub arithmetic: Arithmetic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// Every expression has a value.
    Total,
    /// There are divisions whose divisor can be zero.
    Partial,
}

impl Default for Shape {
    fn default() -> Self {
        Self { n_nodes: 4, max_valuations: 1500, arithmetic: Arithmetic::Total }
    }
}

/// A text and the node that is its root.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    pub text: String,
    pub root: String,
}

/// Equal seeds and shapes give equal texts.
pub fn hierarchy(seed: u64, shape: &Shape) -> Hierarchy {
    made(seed, shape, None)
}

/// The same, but only one node type in six reads variables of the nodes below it.
pub fn local_hierarchy(seed: u64, shape: &Shape) -> Hierarchy {
    made(seed, shape, Some(16))
}

/// `coupled` is the chance that a node type may read what is below it; without one all of them may.
fn made(seed: u64, shape: &Shape, coupled: Option<u32>) -> Hierarchy {
    let mut dice = Dice::new(seed ^ 0xa17a_41ca);
    let mut text = "domain Colour = {red, green, blue};\nconst Top : integer = 2;\n".to_owned();
    let mut types: Vec<NodeType> = Vec::new();
    for number in 0..shape.n_nodes {
        let reads_below = coupled.is_none_or(|chance| dice.percent(chance));
        let made = node::node(&mut dice, shape, &types, number, reads_below);
        text.push_str(&made.text);
        types.push(made);
    }
    let root = types.last().map_or_else(String::new, |last| last.name.clone());
    Hierarchy { text, root }
}

/// A condition over these variables; equal seeds and variables give equal conditions.
pub fn condition(seed: u64, vars: &[Named], arithmetic: Arithmetic) -> String {
    let mut dice = Dice::new(seed ^ 0xc0_4d17);
    let depth = 2 + dice.below(2);
    expr::Maker { dice: &mut dice, vars, arithmetic }.truth(depth)
}

/// The values of a variable or of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Bool,
    /// From zero to this.
    Int(i128),
    Colour,
}

impl Sort {
    fn n_values(self) -> u64 {
        match self {
            Sort::Bool => 2,
            Sort::Int(most) => u64::try_from(most + 1).expect("ranges are small"),
            Sort::Colour => 3,
        }
    }

    fn domain(self) -> String {
        match self {
            Sort::Bool => "bool".to_owned(),
            Sort::Int(2) => "[0,Top]".to_owned(),
            Sort::Int(most) => format!("[0,{most}]"),
            Sort::Colour => "Colour".to_owned(),
        }
    }
}

/// A variable as some node calls it.
#[derive(Clone, Debug)]
pub struct Named {
    pub path: String,
    pub sort: Sort,
}

/// A node type that was written already.
pub(crate) struct NodeType {
    pub name: String,
    pub text: String,
    /// What a parent may read.
    pub readable: Vec<Named>,
    /// State variables of the subtree: a parent may set their initial values.
    pub states: Vec<Named>,
    /// Flows without a definition, its own and those below it: a parent may constrain them.
    pub inputs: Vec<Named>,
    pub events: Vec<String>,
    /// Events that are public.
    pub public: Vec<String>,
    /// Public events of the subtree that are visible under their own name.
    pub lifted: Vec<String>,
    pub n_valuations: u64,
    pub height: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_repeat_and_differ() {
        let shape = Shape::default();
        assert_eq!(hierarchy(5, &shape).text, hierarchy(5, &shape).text);
        assert_ne!(hierarchy(5, &shape).text, hierarchy(6, &shape).text);
        let vars = [Named { path: "s.x".to_owned(), sort: Sort::Int(2) }];
        assert_eq!(condition(5, &vars, Arithmetic::Total), condition(5, &vars, Arithmetic::Total));
        assert!((0..50).any(|seed| condition(seed, &vars, Arithmetic::Partial).contains("s.x")));
    }

    #[test]
    fn local_texts_read_little_of_what_is_below() {
        let text = |seed| local_hierarchy(seed, &Shape::default()).text;
        let reads_below = |text: &str| text.lines().any(|line| line.contains("assert") && line.contains("s0"));
        let n_coupled = (0..200).filter(|&seed| reads_below(&text(seed))).count();
        assert!((5..100).contains(&n_coupled), "{n_coupled}");
        assert_eq!(text(3), text(3));
    }

    #[test]
    fn every_construct_occurs() {
        let all: String = (0..200).map(|seed| hierarchy(seed, &Shape::default()).text).collect();
        for part in ["?", ">= ", " < ", "public", "][", "[2]", "sync", "init", "assert", "flow", "sub", "trans"] {
            assert_eq!(all.contains(part), part != "][", "{part}");
        }
        let partial = Shape { arithmetic: Arithmetic::Partial, ..Shape::default() };
        assert!((0..50).any(|seed| hierarchy(seed, &partial).text.contains(" / ")));
        assert!(!all.contains(" / "));
    }
}

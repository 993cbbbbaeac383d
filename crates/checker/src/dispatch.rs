//! Finds the rules that may apply to a state: a tree over the values that their conditions ask of single variables.
//!
//! A branch sends the rules with a conjunct `x = c` to the child of `c`, which need not test it again, and keeps those
//! that ask nothing of `x` apart. Every rule is in one leaf only, so the tree is never larger than the rules.

use std::ops::Range;

use lapidary_ir::model::Raw;

use crate::atoms::Atom;
use crate::layout::Codec;
use crate::program::Rule;

/// With fewer rules, testing each is as fast as branching.
const LEAST_GROUP: usize = 4;
const GREATEST_WIDTH: i128 = 1 << 12;

pub struct Dispatch {
    rules: Vec<Rule>,
    nodes: Vec<Node>,
    root: Option<usize>,
}

enum Node {
    Leaf(Range<usize>),
    Branch {
        var: usize,
        lo: Raw,
        /// A node per value of the variable.
        children: Box<[Option<usize>]>,
        rest: Option<usize>,
    },
}

impl Dispatch {
    pub fn new(rules: Vec<Rule>, codec: &Codec, n_vars: usize) -> Self {
        let mut dispatch = Self { rules: Vec::with_capacity(rules.len()), nodes: Vec::new(), root: None };
        dispatch.root = dispatch.grow(rules, codec, n_vars);
        dispatch
    }

    fn grow(&mut self, mut rules: Vec<Rule>, codec: &Codec, n_vars: usize) -> Option<usize> {
        let mut branches = Vec::new();
        while let Some(var) = most_asked(&rules, codec, n_vars) {
            let (groups, rest) = split(rules, var, codec.domain(var));
            let children = groups.into_iter().map(|group| self.grow(group, codec, n_vars)).collect();
            branches.push((var, codec.domain(var).0, children));
            rules = rest;
        }
        let leaf = self.leaf(rules, codec);
        branches.into_iter().rev().fold(leaf, |rest, (var, lo, children)| {
            self.nodes.push(Node::Branch { var, lo, children, rest });
            Some(self.nodes.len() - 1)
        })
    }

    fn leaf(&mut self, rules: Vec<Rule>, codec: &Codec) -> Option<usize> {
        if rules.is_empty() {
            return None;
        }
        let begin = self.rules.len();
        self.rules.extend(rules.into_iter().filter_map(|rule| rule.gathered(codec)));
        self.nodes.push(Node::Leaf(begin..self.rules.len()));
        Some(self.nodes.len() - 1)
    }

    /// Visits the rules whose conditions are not excluded by the branches; what is left of the condition is the
    /// visitor's to test.
    #[inline]
    pub fn visit<E>(&self, state: &[Raw], visitor: &mut impl FnMut(&Rule) -> Result<(), E>) -> Result<(), E> {
        self.root.map_or(Ok(()), |root| self.descend(root, state, visitor))
    }

    /// Children are visited by recursion, which goes no deeper than a rule has conjuncts; the rest, which may be long,
    /// is not.
    fn descend<E>(
        &self,
        node: usize,
        state: &[Raw],
        visitor: &mut impl FnMut(&Rule) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut next = Some(node);
        while let Some(node) = next {
            match &self.nodes[node] {
                Node::Leaf(range) => return self.rules[range.clone()].iter().try_for_each(visitor),
                Node::Branch { var, lo, children, rest } => {
                    if let Some(child) = children[state[*var].abs_diff(*lo) as usize] {
                        self.descend(child, state, visitor)?;
                    }
                    next = *rest;
                }
            }
        }
        Ok(())
    }
}

/// The rules that ask for each value of the variable, without that conjunct, and those that ask for none.
fn split(rules: Vec<Rule>, var: usize, (lo, hi): (Raw, Raw)) -> (Vec<Vec<Rule>>, Vec<Rule>) {
    let mut groups: Vec<Vec<Rule>> = (lo..=hi).map(|_| Vec::new()).collect();
    let mut rest = Vec::new();
    for mut rule in rules {
        let asked = rule.atoms.iter().position(|atom| asks(atom, var));
        match asked.and_then(|i| rule.atoms.swap_remove(i).only_value()) {
            // A value that the variable cannot have: the rule never applies.
            Some(value) if value < lo || hi < value => {}
            Some(value) => groups[value.abs_diff(lo) as usize].push(rule),
            None => rest.push(rule),
        }
    }
    (groups, rest)
}

fn asks(atom: &Atom, var: usize) -> bool {
    atom.var == var && atom.only_value().is_some()
}

/// The variable of which most rules ask a value, where that is enough of them to pay.
fn most_asked(rules: &[Rule], codec: &Codec, n_vars: usize) -> Option<usize> {
    let mut counts = vec![0usize; n_vars];
    for rule in rules {
        for (i, atom) in rule.atoms.iter().enumerate() {
            let first = rule.atoms[..i].iter().all(|other| !asks(other, atom.var));
            counts[atom.var] += usize::from(first && asks(atom, atom.var));
        }
    }
    let is_narrow = |var: &usize| {
        let (lo, hi) = codec.domain(*var);
        i128::from(hi) - i128::from(lo) < GREATEST_WIDTH
    };
    // Of equals the first, so that the tree follows the model's order.
    let var = (0..n_vars).filter(is_narrow).max_by_key(|&var| (counts[var], n_vars - var))?;
    (counts[var] >= LEAST_GROUP).then_some(var)
}

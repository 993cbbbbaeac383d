//! Values and types of arrays of one pool in another: expressions are copied between arenas that need not share theirs.

use crate::expr::{Exprs, Node};
use crate::function::Function;
use crate::model::Raw;
use crate::types::{ArrayId, ArrayType, Domain, Sort};
use crate::value::{ArrayValue, WORD_BITS};

impl Exprs {
    /// Is what a number stands for the same in both?
    pub fn shares_values_with(&self, other: &Self) -> bool {
        std::ptr::eq(self.values(), other.values())
    }

    /// A node of another arena, but for its parts: what it says of values and types of arrays, said here.
    pub fn adopted(&self, from: &Self, node: &Node) -> Node {
        if self.shares_values_with(from) {
            return node.clone();
        }
        let id = |id: ArrayId| self.adopted_array(from, id);
        match node {
            Node::Bits(width, raw) => Node::Bits(*width, self.adopted_value(from, Sort::Bits(*width), *raw)),
            Node::Value(of, raw) => Node::Value(id(*of), self.adopted_value(from, Sort::Array(*of), *raw)),
            Node::Apply(Function::Select(of), parts) => Node::Apply(Function::Select(id(*of)), parts.clone()),
            Node::Apply(Function::Store(of), parts) => Node::Apply(Function::Store(id(*of)), parts.clone()),
            Node::Apply(Function::Fill(of), parts) => Node::Apply(Function::Fill(id(*of)), parts.clone()),
            _ => node.clone(),
        }
    }

    pub fn adopted_sort(&self, from: &Self, sort: Sort) -> Sort {
        match sort {
            Sort::Array(id) => Sort::Array(self.adopted_array(from, id)),
            Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Bits(_) => sort,
        }
    }

    pub fn adopted_domain(&self, from: &Self, domain: Domain) -> Domain {
        match domain {
            Domain::Array(id) => Domain::Array(self.adopted_array(from, id)),
            Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) | Domain::Bits(_) => domain,
        }
    }

    fn adopted_array(&self, from: &Self, id: ArrayId) -> ArrayId {
        let ArrayType { index, element } = from.array_type(id);
        self.array(self.adopted_sort(from, index), self.adopted_sort(from, element))
    }

    /// A value of a sort of the other arena.
    pub fn adopted_value(&self, from: &Self, sort: Sort, raw: Raw) -> Raw {
        match sort {
            Sort::Bool | Sort::Int | Sort::Enum(_) => raw,
            Sort::Bits(width) if width <= WORD_BITS => raw,
            Sort::Bits(width) => self.values().bits(width, &from.values().words(width, raw)),
            Sort::Array(id) => {
                let ArrayType { index, element } = from.array_type(id);
                let ArrayValue { default, entries } = from.values().array_value(raw);
                let entry = |&(at, it): &(Raw, Raw)| {
                    (self.adopted_value(from, index, at), self.adopted_value(from, element, it))
                };
                // It is normal there, and numbers of indexes matter only to the order of entries here.
                let default = self.adopted_value(from, element, *default);
                self.values().listed(None, default, entries.iter().map(entry))
            }
        }
    }
}

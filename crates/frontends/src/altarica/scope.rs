//! Where names of a tree lead: the variables, parameters and subnodes of every component.

use std::sync::Arc;

use lapidary_base::IdVec;
use lapidary_ir::tree::{Component, VarKind};
use lapidary_ir::{ComponentId, EventId, Var, VarId};
use lapidary_text::Span;

use super::ast;
use super::enums::Enums;
use super::names::Names;
use super::value::{Constant, Symbol};

/// The values of a variable, constant or parameter; nothing of it belongs to a tree yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Bool,
    /// Only for constants.
    Integer,
    Range {
        lo: i64,
        hi: i64,
    },
    Enum(Arc<[Symbol]>),
    Array(Arc<Shape>, usize),
    Struct {
        fields: Arc<[(String, Shape)]>,
        n_scalars: usize,
    },
    /// Could not be made out; already reported.
    Error,
}

impl Shape {
    /// How many scalar variables it needs.
    pub fn n_scalars(&self) -> usize {
        match self {
            Self::Bool | Self::Integer | Self::Range { .. } | Self::Enum(_) | Self::Error => 1,
            Self::Array(element, len) => element.n_scalars().saturating_mul(*len),
            Self::Struct { n_scalars, .. } => *n_scalars,
        }
    }

    /// Arrays and structs within each other.
    pub fn n_levels(&self) -> usize {
        match self {
            Self::Bool | Self::Integer | Self::Range { .. } | Self::Enum(_) | Self::Error => 0,
            Self::Array(element, _) => element.n_levels() + 1,
            Self::Struct { fields, .. } => fields.iter().map(|(_, field)| field.n_levels()).max().unwrap_or(0) + 1,
        }
    }

    /// How many values a scalar of it has.
    pub fn n_values(&self) -> usize {
        match self {
            Self::Bool => 2,
            Self::Range { lo, hi } => usize::try_from(hi.abs_diff(*lo)).unwrap_or(usize::MAX).saturating_add(1),
            Self::Enum(symbols) => symbols.len(),
            Self::Integer | Self::Array(..) | Self::Struct { .. } | Self::Error => usize::MAX,
        }
    }

    pub fn show(&self) -> String {
        match self {
            Self::Bool => "bool".to_owned(),
            Self::Integer => "integer".to_owned(),
            Self::Range { lo, hi } => format!("[{lo}, {hi}]"),
            Self::Enum(symbols) => match &symbols[..] {
                [first, second, third, _, ..] => format!("{{{first}, {second}, {third}, ...}}"),
                few => format!("{{{}}}", few.join(", ")),
            },
            Self::Array(element, len) => format!("{}[{len}]", element.show()),
            Self::Struct { .. } => "a struct".to_owned(),
            Self::Error => "an unknown domain".to_owned(),
        }
    }
}

/// What a path leads to.
#[derive(Clone, Debug)]
pub enum Entry {
    Var(VarId),
    /// A parameter with a value.
    Constant(Constant),
    /// A parameter without one, as long as its component has no variables yet.
    Unset,
    Component(ComponentId),
    Array(Vec<Entry>),
    Struct(Vec<(String, Entry)>),
    /// Its domain is wrong; already reported.
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    State,
    Flow,
    Parameter,
    Subnode,
}

impl Role {
    pub fn describe(self) -> &'static str {
        match self {
            Self::State => "a state variable",
            Self::Flow => "a flow variable",
            Self::Parameter => "a parameter",
            Self::Subnode => "a subnode",
        }
    }
}

/// From where something may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Public,
    Parent,
    Private,
}

impl Visibility {
    /// The last of the labels that says something about visibility.
    pub fn among(attributes: &[ast::Name]) -> Option<Self> {
        attributes.iter().rev().find_map(|attribute| match attribute.text.as_str() {
            "public" => Some(Self::Public),
            "parent" => Some(Self::Parent),
            "private" => Some(Self::Private),
            _ => None,
        })
    }
}

#[derive(Clone, Debug)]
pub struct Declaration {
    pub entry: Entry,
    pub role: Role,
    pub visibility: Visibility,
    pub span: Span,
}

/// One event, or an array of them with consecutive numbers.
#[derive(Clone, Debug)]
pub struct EventArray {
    pub first: EventId,
    /// Empty for one event.
    pub sizes: Vec<usize>,
    pub visibility: Visibility,
    pub span: Span,
}

impl EventArray {
    pub fn len(&self) -> usize {
        self.sizes.iter().product()
    }

    pub fn elements(&self) -> Vec<EventId> {
        (0..self.len()).map(|place| self.at(place)).collect()
    }

    fn at(&self, place: usize) -> EventId {
        EventId(self.first.0 + u32::try_from(place).expect("events are few"))
    }

    /// The element at these indexes, one for each size.
    pub fn element(&self, indexes: &[usize]) -> EventId {
        self.at(indexes.iter().zip(&self.sizes).fold(0, |place, (index, size)| place * size + index))
    }
}

/// What one component declares.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Its node, by its place among the items of the file.
    pub item: usize,
    pub names: Names<Declaration>,
    pub events: Names<EventArray>,
}

/// The values of a function that is declared by its signature: one variable for every choice of arguments, the last
/// argument changing fastest.
#[derive(Clone, Debug)]
pub struct Table {
    pub first: VarId,
    pub arguments: Vec<Shape>,
}

/// A tree of components with their names, variables and events; nothing that they do is known yet.
#[derive(Default)]
pub struct Layout {
    pub vars: IdVec<VarId, Var>,
    pub kinds: IdVec<VarId, VarKind>,
    pub enums: Enums,
    pub scopes: IdVec<ComponentId, Scope>,
    /// As they will be in the tree, without assertions, transitions and vectors.
    pub components: IdVec<ComponentId, Component>,
    pub tables: Names<Table>,
    /// Parameters that nobody sets, among the variables.
    pub parameters: Vec<VarId>,
}

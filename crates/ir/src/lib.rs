//! The shapes between languages and engines: plain data, no behaviour of its own.
//!
//! A front end lowers its language to a [`Model`], a [`Net`] or a [`Tree`]; engines, passes and the checker read them.

pub mod action;
mod adopt;
pub mod combination;
pub mod expr;
pub mod function;
pub mod model;
pub mod net;
pub mod operator;
pub mod parse;
pub mod passes;
pub mod print;
pub mod property;
pub mod same;
pub mod subject;
pub mod tree;
pub mod types;
pub mod validate;
pub mod value;
pub mod words;

pub use action::{Action, FlatEvent};
pub use combination::{Combination, Junction};
pub use expr::{Expr, Exprs, Node};
pub use function::Function;
pub use model::{
    Assignment, Command, CommandId, Declarations, Destination, Family, FamilyId, Fault, Life, Model, Raw, Rhs,
    Statement, Var, VarId,
};
pub use net::{Destinations, Flow, Guard, Net, Place, PlaceId, Range, Sparse, Sum, Tokens, Transition, TransitionId};
pub use operator::Operator;
pub use property::{Ltl, Property, PropertyId, PropertyKind};
pub use subject::{CountedNet, Hierarchy, Subject};
pub use tree::{ComponentId, EventId, EventRef, Tree};
pub use types::{ArrayId, ArrayType, Domain, EnumId, EnumType, Sort};
pub use value::{ArrayValue, Value, ValueId, Values};

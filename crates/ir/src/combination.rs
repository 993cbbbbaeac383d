//! Properties that are made of others: what is left of a formula with several path operators.

use lapidary_text::Span;

use crate::model::Declarations;
use crate::property::PropertyId;

/// A conjunction or a disjunction of properties of a model, its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    pub name: String,
    /// The formula as the source has it.
    pub text: String,
    pub span: Span,
    /// Not a single part.
    pub junction: Junction,
}

/// How parts are put together. Conjunctions and disjunctions have at least two members, none of which is of the same kind, and no
/// property occurs twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Junction {
    Part(PropertyId),
    All(Vec<Junction>),
    Any(Vec<Junction>),
}

impl Junction {
    /// In the order of the text.
    pub fn parts(&self) -> Vec<PropertyId> {
        let mut parts = Vec::new();
        let mut waiting = vec![self];
        while let Some(junction) = waiting.pop() {
            match junction {
                Self::Part(property) => parts.push(*property),
                Self::All(members) | Self::Any(members) => waiting.extend(members.iter().rev()),
            }
        }
        parts
    }

    /// `safe[1] AND (safe[2] OR safe[3])`
    pub fn words(&self, model: &Declarations) -> String {
        let joined = |members: &[Self], between: &str| {
            let member = |member: &Self| match member {
                Self::Part(_) => member.words(model),
                Self::All(_) | Self::Any(_) => format!("({})", member.words(model)),
            };
            members.iter().map(member).collect::<Vec<_>>().join(between)
        };
        match self {
            Self::Part(property) => model.properties[*property].name.clone(),
            Self::All(members) => joined(members, " AND "),
            Self::Any(members) => joined(members, " OR "),
        }
    }
}

//! Terms: expressions over the variables of a model and further symbols.
//!
//! Terms differ from expressions of models in what they may contain: they have no cells of families, and they have a
//! value everywhere (`div` and `mod` stand only where their divisor is not zero, or where the value does not matter).
//! A Boolean variable is a Boolean; a literal of an enumeration is its number.

use lapidary_base::Id;
use lapidary_ir::{Domain, Expr, Exprs, Model, VarId};

/// What a solver is told about a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TermSort {
    Bool,
    Int,
}

struct Symbol {
    name: String,
    domain: Domain,
}

/// The symbols of one conversation with a solver: first the variables of the model, under their own numbers. What is said in it is
/// made in an arena over the model's expressions, and gone when the conversation is over.
pub struct Terms<'a> {
    model: &'a Model,
    exprs: Exprs,
    added: Vec<Symbol>,
}

impl<'a> Terms<'a> {
    pub fn new(model: &'a Model) -> Self {
        Self::among(model, &model.exprs.above())
    }

    /// A conversation whose terms are made in an arena over the model's expressions that others share.
    pub fn among(model: &'a Model, exprs: &Exprs) -> Self {
        Self { model, exprs: exprs.clone(), added: Vec::new() }
    }

    /// A conversation whose terms are made among the model's own expressions, for who has the model for itself.
    pub fn within(model: &'a Model) -> Self {
        Self::among(model, &model.exprs)
    }

    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// Those of the model as it was when the conversation began, and all that has been made since.
    pub fn exprs(&self) -> &Exprs {
        &self.exprs
    }

    /// A further symbol. Names are for readers; two symbols may share one.
    pub fn fresh(&mut self, name: impl Into<String>, domain: Domain) -> VarId {
        self.added.push(Symbol { name: name.into(), domain });
        VarId::new(self.len() - 1)
    }

    /// How many symbols there are.
    pub fn len(&self) -> usize {
        self.model.vars.len() + self.added.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn symbol(&self, var: VarId) -> Result<&'a lapidary_ir::Var, &Symbol> {
        match self.model.vars.get(var) {
            Some(var) => Ok(var),
            None => Err(&self.added[var.index() - self.model.vars.len()]),
        }
    }

    pub fn name(&self, var: VarId) -> &str {
        match self.symbol(var) {
            Ok(var) => &var.name,
            Err(symbol) => &symbol.name,
        }
    }

    pub fn domain(&self, var: VarId) -> Domain {
        match self.symbol(var) {
            Ok(var) => var.domain,
            Err(symbol) => symbol.domain,
        }
    }

    pub fn sort(&self, var: VarId) -> TermSort {
        match self.domain(var) {
            Domain::Bool => TermSort::Bool,
            Domain::Int | Domain::Range { .. } | Domain::Enum(_) => TermSort::Int,
        }
    }

    /// Is this a Boolean term?
    pub fn is_bool(&self, expr: Expr) -> bool {
        let exprs = self.exprs();
        let sort = exprs.sort(expr, |var| self.domain(var).sort(), |family| self.model.family_domain(family).sort());
        sort == lapidary_ir::Sort::Bool
    }

    /// The constant of a value of a variable. A solver that lies may answer with a number that no literal has.
    pub fn constant(&self, domain: Domain, value: i64) -> Expr {
        match domain {
            Domain::Enum(_) if u32::try_from(value).is_err() => self.exprs().int(value),
            Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) => domain.constant(self.exprs(), value),
        }
    }

    /// That a variable's value, which a solver knows as a Boolean or an integer, is one of its domain.
    pub fn in_domain(&self, var: VarId) -> Expr {
        self.value_in_domain(self.exprs().var(var), self.domain(var))
    }

    pub fn value_in_domain(&self, value: Expr, domain: Domain) -> Expr {
        let exprs = self.exprs();
        match (domain, self.model.bounds(domain)) {
            (Domain::Bool, _) | (_, None) => exprs.bool(true),
            (Domain::Int | Domain::Range { .. } | Domain::Enum(_), Some((lo, hi))) => {
                exprs.and([exprs.le(exprs.int(lo), value), exprs.le(value, exprs.int(hi))])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_gone_with_the_conversation_and_never_among_those_of_the_model() {
        let model = Model::named("m");
        let x = model.exprs.var(VarId(0));
        let terms = Terms::new(&model);
        let sum = terms.exprs().add([x, terms.exprs().int(1)]);
        assert_eq!((model.exprs.len(), terms.exprs().len()), (1, 3));
        assert_eq!(terms.exprs().var(VarId(0)), x);
        // What another one adds to the model's meanwhile does not change what was said.
        let (later, n_before) = (model.exprs.int(5), terms.exprs().len());
        assert_eq!((later, terms.exprs().len()), (Expr(1), n_before));
        assert_eq!(terms.exprs().add([x, terms.exprs().int(1)]), sum);
        assert_ne!(terms.exprs().int(5), later);
    }
}

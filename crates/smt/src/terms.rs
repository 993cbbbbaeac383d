//! Terms: expressions over the variables of a model and further symbols.
//!
//! Terms differ from expressions of models in what they may contain: they have no cells of families, and they have a
//! value everywhere (`div` and `mod` stand only where their divisor is not zero, or where the value does not matter).
//! A Boolean variable is a Boolean; a literal of an enumeration is its number.

use lapidary_base::{Id, Stop};
use lapidary_ir::{ArrayId, ArrayType, Domain, Expr, Exprs, Model, Sort, VarId};

/// What a solver is told about a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TermSort {
    Bool,
    Int,
    /// Bit-vectors of so many bits.
    Bits(u32),
    /// What indexes and elements are is said by [`Terms::array`].
    Array(ArrayId),
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
        term_sort(self.domain(var).sort())
    }

    /// What the indexes and the elements of arrays are for a solver.
    ///
    /// Two arrays that differ only where no index is, or only in numbers that mean nothing, are equal for the model and not for a
    /// solver. It is not told of such arrays: enumerations are numbers for it, of which most are no literals, and arrays of which
    /// there are finitely many have no order in which they could be indexes of arrays in normal form.
    pub fn array(&self, id: ArrayId) -> Result<(TermSort, TermSort), Stop> {
        let ArrayType { index, element } = self.exprs.array_type(id);
        let has_enumerations = matches!(index, Sort::Enum(_)) || matches!(element, Sort::Enum(_));
        let is_finite = matches!(index, Sort::Array(_)) && self.n_values(index).is_some();
        match has_enumerations || is_finite {
            true => Err(Stop::Incomplete(format!("solvers are not asked about {}", self.type_words(id)))),
            false => Ok((term_sort(index), term_sort(element))),
        }
    }

    fn type_words(&self, id: ArrayId) -> String {
        Domain::Array(id).words(&self.model.enums, self.exprs.values())
    }

    /// How many values a sort has, if they are finitely many and can be counted.
    pub fn n_values(&self, sort: Sort) -> Option<u64> {
        self.exprs.values().n_values(sort, &|of| self.model.enums[of].literals.len())
    }

    /// The sort of a term, as expressions have it.
    pub fn sort_of(&self, expr: Expr) -> Sort {
        self.exprs.sort(expr, |var| self.domain(var).sort(), |family| self.model.family_domain(family).sort())
    }

    /// Is this a Boolean term?
    pub fn is_bool(&self, expr: Expr) -> bool {
        self.sort_of(expr) == Sort::Bool
    }

    /// The constant of a value of a variable. A solver that lies may answer with a number that no literal has.
    pub fn constant(&self, domain: Domain, value: i64) -> Expr {
        match domain {
            Domain::Enum(_) if u32::try_from(value).is_err() => self.exprs().int(value),
            Domain::Bool
            | Domain::Int
            | Domain::Range { .. }
            | Domain::Enum(_)
            | Domain::Bits(_)
            | Domain::Array(_) => domain.constant(self.exprs(), value),
        }
    }

    /// That a variable's value, which a solver knows as a Boolean, an integer, a bit-vector or an array, is one of its domain.
    pub fn in_domain(&self, var: VarId) -> Expr {
        self.value_in_domain(self.exprs().var(var), self.domain(var))
    }

    pub fn value_in_domain(&self, value: Expr, domain: Domain) -> Expr {
        let exprs = self.exprs();
        match (domain, self.model.bounds(domain)) {
            (Domain::Bool | Domain::Bits(_) | Domain::Array(_), _) | (_, None) => exprs.bool(true),
            (Domain::Int | Domain::Range { .. } | Domain::Enum(_), Some((lo, hi))) => {
                exprs.and([exprs.le(exprs.int(lo), value), exprs.le(value, exprs.int(hi))])
            }
        }
    }
}

fn term_sort(sort: Sort) -> TermSort {
    match sort {
        Sort::Bool => TermSort::Bool,
        Sort::Int | Sort::Enum(_) => TermSort::Int,
        Sort::Bits(width) => TermSort::Bits(width),
        Sort::Array(id) => TermSort::Array(id),
    }
}

#[cfg(test)]
mod tests {
    use lapidary_ir::{EnumId, EnumType};

    use super::*;

    #[test]
    fn arrays_that_solvers_would_tell_apart_where_models_do_not_are_refused() {
        let mut model = Model::named("m");
        model.enums.push(EnumType { name: String::new(), literals: ["a", "b"].map(str::to_owned).into() });
        let e = model.exprs.clone();
        let color = Sort::Enum(EnumId(0));
        let plain = e.array(Sort::Int, Sort::Bool);
        let few = e.array(Sort::Bool, Sort::Bits(3));
        let terms = Terms::within(&model);
        assert_eq!(terms.array(plain), Ok((TermSort::Int, TermSort::Bool)));
        assert_eq!(terms.array(few), Ok((TermSort::Bool, TermSort::Bits(3))));
        assert_eq!(terms.array(e.array(Sort::Array(plain), Sort::Array(few))), {
            Ok((TermSort::Array(plain), TermSort::Array(few)))
        });
        let refused = |index, element| matches!(terms.array(e.array(index, element)), Err(Stop::Incomplete(_)));
        assert!(refused(color, Sort::Int) && refused(Sort::Int, color) && refused(Sort::Array(few), Sort::Int));
        let words = "solvers are not asked about array[int -> {a, b}]".to_owned();
        assert_eq!(terms.array(e.array(Sort::Int, color)), Err(Stop::Incomplete(words)));
    }

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

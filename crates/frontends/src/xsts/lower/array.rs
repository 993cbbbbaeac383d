//! Arrays, and what divisions by zero need them for.

use lapidary_ir::{ArrayId, Domain, Expr, Life, Sort, Var, VarId};
use lapidary_text::Span;

use super::super::ast::Factor;
use super::super::typed::{Array, ArrayTy, Ty};
use super::{Aborted, Lowered, Lowering};

impl Lowering<'_, '_> {
    pub(super) fn domain(&mut self, ty: Ty) -> Lowered<Domain> {
        Ok(self.sort(ty)?.domain())
    }

    fn sort(&mut self, ty: Ty) -> Lowered<Sort> {
        match ty {
            Ty::Bool => Ok(Sort::Bool),
            Ty::Int => Ok(Sort::Int),
            Ty::Enum(id) => Ok(Sort::Enum(id)),
            Ty::Array(id) => Ok(Sort::Array(self.array(id)?)),
            Ty::Error => Err(Aborted),
        }
    }

    pub(super) fn array(&mut self, ty: ArrayTy) -> Lowered<ArrayId> {
        let Array { index, element } = self.program.arrays[ty];
        let (index, element) = (self.sort(index)?, self.sort(element)?);
        Ok(self.exprs.array(index, element))
    }

    /// A value to begin with where none matters.
    pub(super) fn first_value(&self, var: VarId) -> Expr {
        let domain = self.vars[var].domain;
        domain.constant(&self.exprs, domain.first(self.exprs.values()))
    }

    /// What a division by zero gives: one unknown function of the dividend for each operator. It is a variable of the state
    /// that begins with any value, and that nothing writes.
    pub(super) fn unknown_quotient(&mut self, factor: Factor, dividend: Expr, span: Span) -> Expr {
        let function = match self.unknown.iter().find(|(of, _)| *of == factor) {
            Some((_, var)) => *var,
            None => self.unknown_function(factor, span),
        };
        let id = self.exprs.array(Sort::Int, Sort::Int);
        self.exprs.select_of(id, self.exprs.var(function), dividend)
    }

    fn unknown_function(&mut self, factor: Factor, span: Span) -> VarId {
        let name = match factor {
            Factor::Div | Factor::Times => "a/0",
            Factor::Mod => "a%0",
            Factor::Rem => "a rem 0",
        };
        let name = self.free_name(name);
        let domain = Domain::Array(self.exprs.array(Sort::Int, Sort::Int));
        let var = self.vars.push(Var { name, domain, control: false, life: Life::State, span });
        self.unknown.push((factor, var));
        var
    }
}

//! Expressions of models as terms: without cells, and with a value everywhere.

use lapidary_base::hash::Map;
use lapidary_ir::passes::{bottom_up, defined_with, rebuilt};
use lapidary_ir::{Expr, Exprs, FamilyId, Model, Node};

use crate::terms::Terms;

/// Translates many expressions; what they share is translated once.
pub struct Totals<'a> {
    model: &'a Model,
    /// Where terms are made, over the model's expressions.
    exprs: Exprs,
    images: Map<Expr, Expr>,
}

impl<'a> Totals<'a> {
    pub fn new(terms: &Terms<'a>) -> Self {
        Self { model: terms.model(), exprs: terms.exprs().clone(), images: Map::default() }
    }

    /// A term that has the value of the expression wherever that has one.
    pub fn value(&mut self, expr: Expr) -> Expr {
        let mut images = std::mem::take(&mut self.images);
        bottom_up(&self.exprs, expr, &mut images, |expr, images| self.image(expr, images));
        self.images = images;
        self.images[&expr]
    }

    /// Where the expression has a value.
    pub fn defined(&mut self, expr: Expr) -> Expr {
        let model = self.model;
        let condition = defined_with(&self.exprs, expr, &|family| model.families[family].len);
        self.value(condition)
    }

    /// Where the expression has this value, by conjuncts.
    pub fn is(&mut self, expr: Expr, wanted: bool) -> Vec<Expr> {
        let exprs = &self.exprs.clone();
        let defined = self.defined(expr);
        let value = self.value(expr);
        let value = if wanted { value } else { exprs.not(value) };
        exprs.conjuncts(exprs.and([defined, value]))
    }

    /// One of the family's variables, of which validated models have at least one, by its index; the last one where the
    /// index is none.
    fn cell(&self, exprs: &Exprs, family: FamilyId, index: Expr) -> Expr {
        let row = &self.model.families[family];
        let last = row.len - 1;
        if let Some(index) = exprs.as_int(index).and_then(|index| u32::try_from(index).ok()).filter(|&i| i <= last) {
            return exprs.var(row.var(index));
        }
        let rest = exprs.var(row.var(last));
        (0..last)
            .rev()
            .fold(rest, |rest, i| exprs.ite(exprs.eq(index, exprs.int(i64::from(i))), exprs.var(row.var(i)), rest))
    }

    fn image(&self, expr: Expr, images: &Map<Expr, Expr>) -> Expr {
        let exprs = &self.exprs;
        match exprs.node(expr) {
            Node::Cell(family, index) => self.cell(exprs, *family, images[index]),
            node => rebuilt(exprs, node, &|part| images[&part]),
        }
    }
}

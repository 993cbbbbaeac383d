//! Formulas with expressions of their own: they outlive whoever made them, and add nothing to the model's.

use std::fmt;

use lapidary_base::hash::Map;
use lapidary_ir::passes::copies;
use lapidary_ir::{Declarations, Expr, Exprs, print};

/// An expression over the variables of a model, in an arena that it owns, perhaps with others of its certificate. Nobody adds to that.
#[derive(Clone)]
pub struct Formula {
    exprs: Exprs,
    root: Expr,
}

impl Formula {
    /// A copy of an expression, for as long as anybody needs it.
    pub fn new(exprs: &Exprs, expr: Expr) -> Self {
        let own = exprs.beside();
        let root = copies(exprs, &own, &[expr])[0];
        Self { exprs: own, root }
    }

    /// Copies of several expressions, with one arena for all: what they share is there once.
    pub fn all(exprs: &Exprs, list: &[Expr]) -> Vec<Self> {
        let own = exprs.beside();
        let roots = copies(exprs, &own, list);
        roots.into_iter().map(|root| Self { exprs: own.clone(), root }).collect()
    }

    /// An expression of an arena that is nobody else's.
    pub(crate) fn own(exprs: &Exprs, root: Expr) -> Self {
        Self { exprs: exprs.clone(), root }
    }

    /// True everywhere, or nowhere.
    pub fn constant(value: bool) -> Self {
        let exprs = Exprs::new();
        let root = exprs.bool(value);
        Self { exprs, root }
    }

    /// Both of them.
    pub fn and(&self, other: &Self) -> Self {
        let exprs = self.exprs.beside();
        let root = exprs.and([self.within(&exprs), other.within(&exprs)]);
        Self { exprs, root }
    }

    pub fn as_bool(&self) -> Option<bool> {
        self.exprs.as_bool(self.root)
    }

    /// The formula among other expressions, where it is made if it is not there.
    pub fn within(&self, exprs: &Exprs) -> Expr {
        copies(&self.exprs, exprs, &[self.root])[0]
    }

    /// The same for several formulas of one certificate.
    pub fn all_within(list: &[Self], exprs: &Exprs) -> Vec<Expr> {
        let mut found = Vec::with_capacity(list.len());
        for run in list.chunk_by(|a, b| a.exprs.is_same(&b.exprs)) {
            let roots: Vec<Expr> = run.iter().map(|formula| formula.root).collect();
            found.extend(copies(&run[0].exprs, exprs, &roots));
        }
        found
    }

    /// In the words of the source, for people.
    pub fn show(&self, model: &Declarations) -> String {
        print::show_among(model, &self.exprs, self.root)
    }

    /// In the exact form, see [`print::expr`].
    pub fn text(&self, model: &Declarations) -> String {
        print::expr_among(model, &self.exprs, self.root)
    }
}

/// Node by node. Equal parts are one part on either side, so that each is compared with one other and once.
impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        let (mut known, mut open) = (Map::default(), vec![(self.root, other.root)]);
        if self.exprs.is_same(&other.exprs) {
            return self.root == other.root;
        }
        while let Some((a, b)) = open.pop() {
            match known.insert(a, b) {
                Some(before) if before == b => continue,
                Some(_) => return false,
                None => {}
            }
            let nothing = |_: Expr| Expr(0);
            if self.exprs.node(a).with_parts(nothing) != other.exprs.node(b).with_parts(nothing) {
                return false;
            }
            let (mut left, mut right) = (Vec::new(), Vec::new());
            self.exprs.for_each_part(a, |part| left.push(part));
            other.exprs.for_each_part(b, |part| right.push(part));
            open.extend(left.into_iter().zip(right));
        }
        true
    }
}

impl Eq for Formula {}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Formula({} nodes)", self.exprs.len())
    }
}

#[cfg(test)]
mod tests {
    use lapidary_ir::VarId;

    use super::*;

    /// Sums that double forty times; `last` is added in the innermost one.
    fn doubled(e: &Exprs, last: i64) -> Expr {
        let innermost = e.add([e.var(VarId(0)), e.int(last)]);
        let sum = (0..40).fold(innermost, |part, _| e.mul(part, part));
        e.lt(e.int(0), sum)
    }

    #[test]
    fn formulas_are_equal_by_what_they_say_wherever_they_were_made() {
        let (one, other) = (Exprs::new(), Exprs::new());
        other.int(7);
        let formula = Formula::new(&one, doubled(&one, 1));
        assert_eq!(formula, Formula::new(&other, doubled(&other, 1)));
        assert_ne!(formula, Formula::new(&other, doubled(&other, 2)));
        let [a, b] = [VarId(0), VarId(1)].map(|var| one.var(var));
        assert_ne!(Formula::new(&one, one.eq(a, a)), Formula::new(&one, one.eq(a, b)));
        assert_ne!(Formula::new(&one, one.eq(a, b)), Formula::new(&one, one.eq(b, b)));
    }

    #[test]
    fn formulas_of_one_certificate_share_their_parts() {
        let e = Exprs::new();
        let all = Formula::all(&e, &[doubled(&e, 1), e.not(doubled(&e, 1))]);
        assert!(all[0].exprs.is_same(&all[1].exprs) && all[0].exprs.len() <= e.len());
        let model = Exprs::new();
        let copied = Formula::all_within(&all, &model);
        assert_eq!((copied[1], model.len()), (model.not(copied[0]), e.len()));
        assert_eq!(all[0].and(&all[1]).as_bool(), None);
    }
}

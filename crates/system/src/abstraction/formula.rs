//! Sets of valuations as formulas that can be read: irredundant sums of products (Minato 1992), and conditions on one
//! variable after the other.

use lapidary_base::Stop;
use lapidary_bdd::{Column, Set, Space};
use lapidary_ir::{Expr, Exprs};

use super::Refused;

/// A formula with more products than this is for no reader.
const MAX_PRODUCTS: usize = 2000;

pub(super) struct Writer<'a> {
    pub space: &'a Space,
    pub exprs: &'a Exprs,
    /// What a column of two values is called, in the order in which formulas mention them.
    pub names: Vec<(Column, Expr)>,
}

/// Literals of a product: a place in `names`, and whether it is true.
type Product = Vec<(usize, bool)>;

impl Writer<'_> {
    /// A sum of products that holds on all of `must` and on nothing outside of `may`, with no product and no literal
    /// that could be left out alone.
    pub fn sum(&self, must: &Set, may: &Set) -> Result<Expr, Refused> {
        let mut products = Vec::new();
        self.cover(must, may, 0, &mut Vec::new(), &mut products)?;
        let literal = |&(place, value): &(usize, bool)| {
            let name = self.names[place].1;
            if value { name } else { self.exprs.not(name) }
        };
        let product = |product: &Product| self.exprs.and(product.iter().map(literal));
        Ok(self.exprs.or(products.iter().map(product)))
    }

    /// Adds products, each with the literals of `path`; the set that they cover, without those literals.
    fn cover(
        &self,
        must: &Set,
        may: &Set,
        at: usize,
        path: &mut Product,
        products: &mut Vec<Product>,
    ) -> Result<Set, Refused> {
        if self.space.is_none(must) {
            return Ok(self.space.none());
        }
        if self.space.is_all(may) {
            if products.len() == MAX_PRODUCTS {
                return Err(Refused::TooLarge(format!("a formula needs more than {MAX_PRODUCTS} products")));
            }
            products.push(path.clone());
            return Ok(self.space.all());
        }
        let (column, _) = self.names[at];
        let ([must0, must1], [may0, may1]) = (self.halves(must, column)?, self.halves(may, column)?);
        if must0 == must1 && may0 == may1 {
            return self.cover(must, may, at + 1, path, products);
        }
        // What only products with this literal can cover.
        path.push((at, false));
        let low = self.cover(&self.space.minus(&must0, &may1)?, &may0, at + 1, path, products)?;
        path.pop();
        path.push((at, true));
        let high = self.cover(&self.space.minus(&must1, &may0)?, &may1, at + 1, path, products)?;
        path.pop();
        let rest = self.space.or(&self.space.minus(&must0, &low)?, &self.space.minus(&must1, &high)?)?;
        let both = self.cover(&rest, &self.space.and(&may0, &may1)?, at + 1, path, products)?;
        let one = self.space.value(column, 1)?;
        Ok(self.space.or(&both, &self.space.ite(&one, &high, &low)?)?)
    }

    /// What remains of a set where a column of two values is zero and where it is one.
    fn halves(&self, set: &Set, column: Column) -> Result<[Set; 2], Stop> {
        let parts = self.space.cofactors(set, column)?;
        let part = |value: u64| {
            let found = parts.iter().find(|(lo, hi, _)| (*lo..=*hi).contains(&value));
            found.expect("intervals follow each other without gaps").2.clone()
        };
        Ok([part(0), part(1)])
    }

    /// Conditions that, together with `known`, say exactly that a valuation is in the set, which lies within `known`:
    /// for each of the columns in turn what those before it, and the columns not listed, make of it. They are
    /// equations where that is one value.
    pub fn conditions(&self, set: &Set, known: &Set, columns: &[Column]) -> Result<Vec<Expr>, Refused> {
        let mut conditions = Vec::new();
        let space = self.space;
        let mut before = space.exists(set, &space.cube(columns)?)?;
        if !space.is_all(&before) {
            conditions.push(self.sum(&before, &before)?);
        }
        for (place, &column) in columns.iter().enumerate() {
            let later = space.cube(&columns[place + 1..])?;
            let here = space.exists(set, &later)?;
            let [zero, one] = self.halves(&here, column)?;
            let [known0, known1] = self.halves(&space.exists(known, &later)?, column)?;
            // Where what is known would allow a value that the set does not have.
            let not_zero = space.minus(&space.and(&before, &known0)?, &zero)?;
            let not_one = space.minus(&space.and(&before, &known1)?, &one)?;
            let name = self.name(column);
            let says_nothing = space.is_none(&not_zero) && space.is_none(&not_one);
            if !says_nothing && !space.intersects(&zero, &one)? {
                conditions.push(self.exprs.eq(name, self.sum(&one, &space.not(&zero)?)?));
            } else {
                if !space.is_none(&not_zero) {
                    let when = self.sum(&not_zero, &space.not(&zero)?)?;
                    conditions.push(self.exprs.implies(when, name));
                }
                if !space.is_none(&not_one) {
                    let when = self.sum(&not_one, &space.not(&one)?)?;
                    conditions.push(self.exprs.implies(when, self.exprs.not(name)));
                }
            }
            before = here;
        }
        Ok(conditions)
    }

    fn name(&self, column: Column) -> Expr {
        self.names.iter().find(|(known, _)| *known == column).expect("every column has a name").1
    }
}

#[cfg(test)]
mod tests {
    use lapidary_base::Control;
    use lapidary_bdd::{Binding, Capacity, ColumnSpec, Encoder};
    use lapidary_ir::VarId;
    use lapidary_reference::dice::Dice;

    use super::*;

    fn space(n: u32) -> Space {
        let group = |place: u32| vec![ColumnSpec { name: format!("x{place}"), size: 2 }];
        let groups: Vec<Vec<ColumnSpec>> = (0..n).map(group).collect();
        Space::new(Capacity { nodes: 1 << 14, cache: 1 << 10, threads: 1 }, &groups, &Control::new())
            .expect("a small space")
    }

    /// The set of the valuations whose numbers are the ones of a word.
    fn set(space: &Space, n: u32, word: u64) -> Set {
        let mut all = space.none();
        for valuation in (0..1u64 << n).filter(|valuation| word >> valuation & 1 == 1) {
            let bits: Vec<Set> =
                (0..n).map(|place| space.value(Column(place), valuation >> place & 1).expect("a value")).collect();
            all = space.or(&all, &space.and_all(&bits).expect("a conjunction")).expect("a union");
        }
        all
    }

    fn encoded(space: &Space, exprs: &Exprs, expr: Expr) -> Set {
        let bind = |var: VarId| Binding::Column { column: Column(var.0), lo: 0 };
        Encoder::new(space, exprs, |_| unreachable!("no families"), bind).holds(expr).expect("a small formula")
    }

    #[test]
    fn formulas_say_what_the_sets_say() {
        let (n, exprs) = (4, Exprs::new());
        let space = space(n);
        let names = (0..n).map(|place| (Column(place), exprs.var(VarId(place)))).collect();
        let writer = Writer { space: &space, exprs: &exprs, names };
        let mut dice = Dice::new(1);
        for _ in 0..300 {
            let [a, b] = [0; 2].map(|_| set(&space, n, dice.below(1 << 16)));
            let (must, may) = (space.and(&a, &b).unwrap(), space.or(&a, &b).unwrap());
            let sum = encoded(&space, &exprs, writer.sum(&must, &may).unwrap());
            assert!(space.is_subset(&must, &sum).unwrap() && space.is_subset(&sum, &may).unwrap());
            for listed in [&[Column(0), Column(1), Column(2), Column(3)][..], &[Column(2), Column(1)]] {
                let conditions = writer.conditions(&must, &may, listed).unwrap();
                let said = encoded(&space, &exprs, exprs.and(conditions));
                assert!(space.and(&said, &may).unwrap() == must);
            }
        }
    }

    #[test]
    fn sums_are_short() {
        let exprs = Exprs::new();
        let space = space(3);
        let [x, y, z] = [0, 1, 2].map(|place| exprs.var(VarId(place)));
        let writer =
            Writer { space: &space, exprs: &exprs, names: vec![(Column(0), x), (Column(1), y), (Column(2), z)] };
        // x and (y or z), with all that has z but not y left open.
        let either = encoded(&space, &exprs, exprs.and([x, exprs.or([y, z])]));
        let open = encoded(&space, &exprs, exprs.and([exprs.not(y), z]));
        let (must, may) = (space.minus(&either, &open).unwrap(), space.or(&either, &open).unwrap());
        assert_eq!(writer.sum(&must, &may).unwrap(), exprs.and([x, y]));
        assert_eq!(writer.sum(&space.none(), &may).unwrap(), exprs.bool(false));
        let same = encoded(&space, &exprs, exprs.eq(y, x));
        let conditions = writer.conditions(&same, &space.all(), &[Column(0), Column(1), Column(2)]).unwrap();
        assert_eq!(conditions, [exprs.eq(y, x)]);
    }
}

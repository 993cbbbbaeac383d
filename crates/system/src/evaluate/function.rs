//! Functions on bit-vectors and arrays. Those of at most 64 bits are one instruction; wider ones are worked out word by word.

use lapidary_ir::{ArrayId, EnumId, Expr, Function, Sort, Values};

use super::{Odd, Scope};
use crate::wide;
use crate::word::Word;

impl Scope<'_> {
    pub(super) fn function(
        &self,
        function: Function,
        parts: &[Expr],
        part: &mut dyn FnMut(Expr) -> Result<i64, Odd>,
    ) -> Result<i64, Odd> {
        let values: &Values = self.exprs.values();
        let a = part(parts[0])?;
        match function {
            Function::Select(_) => Ok(values.array_value(a).at(part(parts[1])?)),
            Function::Store(id) => Ok(values.store(self.n_indexes(id), a, part(parts[1])?, part(parts[2])?)),
            Function::Fill(_) => Ok(values.fill(a)),
            _ => {
                let b = parts.get(1).map_or(Ok(a), |&second| part(second))?;
                let width = self.width(parts[0]);
                Ok(match Word::of(function, width) {
                    Some(word) => word.value(a, b),
                    None => {
                        let second = parts.get(1).map_or(width, |&second| self.width(second));
                        wide::value(values, function, (width, a), (second, b))
                    }
                })
            }
        }
    }

    fn width(&self, expr: Expr) -> u32 {
        let family = |family| (self.sort)((self.family)(family).first);
        match self.exprs.sort(expr, self.sort, family) {
            Sort::Bits(width) => width,
            Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Array(_) => unreachable!("the others take bit-vectors"),
        }
    }

    fn n_indexes(&self, id: ArrayId) -> Option<u64> {
        let n_literals = |id: EnumId| self.enums[id].literals.len();
        self.exprs.values().n_values(self.exprs.array_type(id).index, &n_literals)
    }
}

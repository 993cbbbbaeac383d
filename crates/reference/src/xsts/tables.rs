//! The operators of `.xsts`, row by row.

use crate::terms::table::{Row, binary, colours, common};
use crate::terms::{Binary, Dialect, Expr, Sort, Value};

/// Every operator on operands where it may go wrong.
pub fn tables() -> Vec<Row> {
    let mut rows = common(Dialect::Xsts);
    let n_colours = colours()[0].literals.len();
    let parts: Vec<_> = (0..n_colours).map(|at| (Sort::Enum(0), Expr::Const(Value::Literal(0, at)))).collect();
    for op in [Binary::Eq, Binary::Ne] {
        binary(&mut rows, Dialect::Xsts, op, &parts);
    }
    rows
}

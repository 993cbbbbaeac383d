//! The operators of `.cfa`, row by row.

use crate::terms::bits::ones;
use crate::terms::table::{Apply, Row, applied, binary, bits, common, unary};
use crate::terms::{Binary, BitOp, BitOrder, Dialect, Extension, Unary};

/// Every operator on operands where it may go wrong: zero, the least and the greatest number, and numbers beyond the width.
pub fn tables() -> Vec<Row> {
    let mut rows = common(Dialect::Cfa);
    let few = |width: u32| vec![3, (ones(width) >> 1) + 1, ones(width)];
    let operands = [
        (1, vec![0, 1]),
        (4, vec![0, 1, 3, 7, 8, 13]),
        (32, few(32)),
        (64, [vec![0], few(64)].concat()),
        (65, few(65)),
        (128, few(128)),
    ];
    for (width, numbers) in operands {
        let parts: Vec<_> = numbers.iter().map(|&number| bits(width, number)).collect();
        for op in BitOp::ALL {
            binary(&mut rows, Dialect::Cfa, Binary::Bits(op), &parts);
        }
        for order in BitOrder::ALL {
            binary(&mut rows, Dialect::Cfa, Binary::Order(order), &parts);
        }
        for op in [Binary::Eq, Binary::Ne] {
            binary(&mut rows, Dialect::Cfa, op, &parts);
        }
        for (word, op) in [("bvneg", Unary::BitNeg), ("bvnot", Unary::BitNot), ("bvpos", Unary::BitPos)] {
            unary(&mut rows, Dialect::Cfa, word, op, &parts);
        }
    }
    shapes(&mut rows);
    rows
}

/// Concatenations, extractions and extensions.
fn shapes(rows: &mut Vec<Row>) {
    let mut row = |word: &str, parts, apply| rows.push(Row::new(Dialect::Cfa, word, parts, (applied, Some(apply))));
    let pairs = [
        (bits(1, 1), bits(1, 0)),
        (bits(2, 2), bits(4, 1)),
        (bits(4, 0), bits(3, 7)),
        (bits(32, ones(32)), bits(32, 1)),
        (bits(64, 1), bits(1, 1)),
        (bits(64, ones(64)), bits(64, 0)),
    ];
    for (left, right) in pairs {
        row("++", vec![left, right], Apply::Binary(Binary::Concat));
    }
    for (width, number) in [(4, 0b1010), (64, 0xf0f0_0000_0000_0001), (100, 1 << 99 | 1 << 64 | 5)] {
        for (until, from) in [(1, 0), (2, 1), (4, 0), (4, 3), (width, 0), (width, width - 1), (width - 1, 1)] {
            row("[:]", vec![bits(width, number)], Apply::Extract(until, from));
        }
    }
    for (width, to) in [(1, 1), (1, 4), (2, 4), (4, 4), (4, 64), (4, 70), (32, 64), (64, 65), (64, 128)] {
        for number in [0, 1, ones(width) >> 1, ones(width)] {
            row("bv_zero_extend", vec![bits(width, number)], Apply::Extend(Extension::Zeros, to));
            row("bv_sign_extend", vec![bits(width, number)], Apply::Extend(Extension::Signs, to));
        }
    }
}

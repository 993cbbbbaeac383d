//! The table of operators: how strongly each binds, loosest first, and what it is.

use lapidary_text::climb::{Grouping, Row};

use super::super::ast::{Binary, Compare, Extension, Logic, Sign};
use super::super::lexer::Kind;

/// `if c then a else b` reaches as far right as it can.
pub const WHOLE: u8 = 0;
const IFF: u8 = 1;
const IMPLY: u8 = 2;
pub const QUANTIFIER: u8 = 3;
const FLOAT_CHOICE: u8 = 4;
const OR: u8 = 5;
const XOR: u8 = 6;
const AND: u8 = 7;
/// A comparison is negated as a whole.
pub const NOT: u8 = 8;
pub const EQUALITY: u8 = 9;
const RELATION: u8 = 10;
const BIT_OR: u8 = 11;
const BIT_XOR: u8 = 12;
const BIT_AND: u8 = 13;
const SHIFT: u8 = 14;
const SUM: u8 = 15;
const PRODUCT: u8 = 16;
const CONCAT: u8 = 17;

/// What stands between operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Between {
    Logic(Logic),
    Compare(Compare),
    Fold(Binary),
    /// On floating-point numbers, which nobody here knows.
    Float,
}

/// The row of a token, given how it is written.
pub fn row(kind: Kind, written: &str) -> Option<Row<Between>> {
    let logic = |logic, strength| Some((strength, Grouping::List, Between::Logic(logic)));
    let compare = |compare, strength| Some((strength, Grouping::Alone, Between::Compare(compare)));
    let fold = |binary, strength| Some((strength, Grouping::MixedList, Between::Fold(binary)));
    let (strength, grouping, is) = match kind {
        Kind::Iff => logic(Logic::Iff, IFF),
        Kind::Imply => logic(Logic::Imply, IMPLY),
        Kind::Or => logic(Logic::Or, OR),
        Kind::Xor => logic(Logic::Xor, XOR),
        Kind::And => logic(Logic::And, AND),
        Kind::Eq => compare(Compare::Eq, EQUALITY),
        Kind::Ne => compare(Compare::Ne, EQUALITY),
        Kind::Lt => compare(Compare::Lt, RELATION),
        Kind::Le => compare(Compare::Le, RELATION),
        Kind::Gt => compare(Compare::Gt, RELATION),
        Kind::Ge => compare(Compare::Ge, RELATION),
        Kind::Plus => fold(Binary::Add, SUM),
        Kind::Minus => fold(Binary::Sub, SUM),
        Kind::Star => fold(Binary::Mul, PRODUCT),
        Kind::Slash => fold(Binary::Div, PRODUCT),
        Kind::Mod => fold(Binary::Mod, PRODUCT),
        Kind::Rem => fold(Binary::Rem, PRODUCT),
        Kind::PlusPlus => fold(Binary::Concat, CONCAT),
        Kind::BitWord => match bit_comparison(written) {
            Some(found) => compare(found, RELATION),
            None => bit_operator(written).and_then(|(binary, strength)| fold(binary, strength)),
        },
        Kind::FloatWord => float(written).map(|strength| (strength, Grouping::MixedList, Between::Float)),
        _ => None,
    }?;
    Some(Row { is, strength, grouping })
}

fn bit_comparison(word: &str) -> Option<Compare> {
    Some(match word {
        "bvult" => Compare::BitUlt,
        "bvule" => Compare::BitUle,
        "bvugt" => Compare::BitUgt,
        "bvuge" => Compare::BitUge,
        "bvslt" => Compare::BitSlt,
        "bvsle" => Compare::BitSle,
        "bvsgt" => Compare::BitSgt,
        "bvsge" => Compare::BitSge,
        _ => return None,
    })
}

fn bit_operator(word: &str) -> Option<(Binary, u8)> {
    Some(match word {
        "bvor" => (Binary::BitOr, BIT_OR),
        "bvxor" => (Binary::BitXor, BIT_XOR),
        "bvand" => (Binary::BitAnd, BIT_AND),
        "bvshl" => (Binary::BitShl, SHIFT),
        "bvashr" => (Binary::BitAshr, SHIFT),
        "bvlshr" => (Binary::BitLshr, SHIFT),
        "bvrol" => (Binary::BitRol, SHIFT),
        "bvror" => (Binary::BitRor, SHIFT),
        "bvadd" => (Binary::BitAdd, SUM),
        "bvsub" => (Binary::BitSub, SUM),
        "bvmul" => (Binary::BitMul, PRODUCT),
        "bvudiv" => (Binary::BitUdiv, PRODUCT),
        "bvsdiv" => (Binary::BitSdiv, PRODUCT),
        "bvurem" => (Binary::BitUrem, PRODUCT),
        "bvsrem" => (Binary::BitSrem, PRODUCT),
        "bvsmod" => (Binary::BitSmod, PRODUCT),
        _ => return None,
    })
}

fn float(word: &str) -> Option<u8> {
    match word {
        "fpmax" | "fpmin" => Some(FLOAT_CHOICE),
        "fpadd" | "fpsub" => Some(SUM),
        "fpmul" | "fpdiv" | "fprem" => Some(PRODUCT),
        _ => None,
    }
}

/// What stands before an operand.
pub fn sign(kind: Kind, written: &str) -> Option<Sign> {
    match (kind, written) {
        (Kind::Plus, _) => Some(Sign::Plus),
        (Kind::Minus, _) => Some(Sign::Minus),
        (Kind::BitWord, "bvpos") => Some(Sign::BitPlus),
        (Kind::BitWord, "bvneg") => Some(Sign::BitMinus),
        (Kind::BitWord, "bvnot") => Some(Sign::BitNot),
        _ => None,
    }
}

/// What stands behind an operand, with the type that it becomes.
pub fn extension(kind: Kind, written: &str) -> Option<Extension> {
    match (kind, written) {
        (Kind::BitWord, "bv_zero_extend") => Some(Extension::Zero),
        (Kind::BitWord, "bv_sign_extend") => Some(Extension::Sign),
        _ => None,
    }
}

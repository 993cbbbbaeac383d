//! Terms as Z3 has them.

use lapidary_base::Stop;
use lapidary_base::hash::Map;
use lapidary_ir::value::{WORD_BITS, mask};
use lapidary_ir::{ArrayId, ArrayValue, Expr, Function, Node, Raw, VarId};
use z3::Sort;
use z3::ast::{Array, BV, Bool, Dynamic, Int};

use crate::terms::{TermSort, Terms};

#[derive(Clone)]
pub enum Ast {
    Bool(Bool),
    Int(Int),
    Bits(BV),
    Array(Array),
}

impl Ast {
    pub fn bool(&self) -> &Bool {
        match self {
            Self::Bool(ast) => ast,
            Self::Int(_) | Self::Bits(_) | Self::Array(_) => unreachable!("validated terms are well sorted"),
        }
    }

    fn int(&self) -> &Int {
        match self {
            Self::Int(ast) => ast,
            Self::Bool(_) | Self::Bits(_) | Self::Array(_) => unreachable!("validated terms are well sorted"),
        }
    }

    fn bits(&self) -> &BV {
        match self {
            Self::Bits(ast) => ast,
            Self::Bool(_) | Self::Int(_) | Self::Array(_) => unreachable!("validated terms are well sorted"),
        }
    }

    fn array(&self) -> &Array {
        match self {
            Self::Array(ast) => ast,
            Self::Bool(_) | Self::Int(_) | Self::Bits(_) => unreachable!("validated terms are well sorted"),
        }
    }

    /// As one of any sort.
    pub fn any(&self) -> Dynamic {
        match self {
            Self::Bool(ast) => Dynamic::from_ast(ast),
            Self::Int(ast) => Dynamic::from_ast(ast),
            Self::Bits(ast) => Dynamic::from_ast(ast),
            Self::Array(ast) => Dynamic::from_ast(ast),
        }
    }

    fn of(ast: &Dynamic, sort: TermSort) -> Self {
        let found = match sort {
            TermSort::Bool => ast.as_bool().map(Self::Bool),
            TermSort::Int => ast.as_int().map(Self::Int),
            TermSort::Bits(_) => ast.as_bv().map(Self::Bits),
            TermSort::Array(_) => ast.as_array().map(Self::Array),
        };
        found.expect("elements are of the sort of elements")
    }
}

fn sort(terms: &Terms<'_>, sort: TermSort) -> Result<Sort, Stop> {
    Ok(match sort {
        TermSort::Bool => Sort::bool(),
        TermSort::Int => Sort::int(),
        TermSort::Bits(width) => Sort::bitvector(width),
        TermSort::Array(id) => {
            let (index, element) = sorts(terms, id)?;
            Sort::array(&index, &element)
        }
    })
}

/// Those of indexes and elements.
fn sorts(terms: &Terms<'_>, id: ArrayId) -> Result<(Sort, Sort), Stop> {
    let (index, element) = terms.array(id)?;
    Ok((sort(terms, index)?, sort(terms, element)?))
}

pub fn symbol(terms: &Terms<'_>, var: VarId) -> Result<Ast, Stop> {
    Ok(match terms.sort(var) {
        TermSort::Bool => Ast::Bool(Bool::new_const(var.0)),
        TermSort::Int => Ast::Int(Int::new_const(var.0)),
        TermSort::Bits(width) => Ast::Bits(BV::new_const(var.0, width)),
        TermSort::Array(id) => {
            let (index, element) = sorts(terms, id)?;
            Ast::Array(Array::new_const(var.0, &index, &element))
        }
    })
}

/// A value, as its number says it.
fn constant(terms: &Terms<'_>, of: TermSort, raw: Raw) -> Result<Ast, Stop> {
    Ok(match of {
        TermSort::Bool => Ast::Bool(Bool::from_bool(raw != 0)),
        TermSort::Int => Ast::Int(Int::from_i64(raw)),
        TermSort::Bits(width) => Ast::Bits(bits(terms, width, raw)),
        TermSort::Array(id) => {
            let (index, element) = terms.array(id)?;
            let ArrayValue { default, entries } = terms.exprs().values().array_value(raw);
            let everywhere = constant(terms, element, *default)?.any();
            let mut array = Array::const_array(&sort(terms, index)?, &everywhere);
            for &(at, it) in entries {
                array = array.store(&constant(terms, index, at)?.any(), &constant(terms, element, it)?.any());
            }
            Ast::Array(array)
        }
    })
}

fn bits(terms: &Terms<'_>, width: u32, raw: Raw) -> BV {
    if width <= WORD_BITS {
        return BV::from_u64(raw as u64 & mask(width), width);
    }
    let words = terms.exprs().values().words(width, raw);
    let bit = |i: u32| words[(i / WORD_BITS) as usize] >> (i % WORD_BITS) & 1 == 1;
    BV::from_bits(&(0..width).map(bit).collect::<Vec<_>>()).expect("bit-vectors have bits")
}

/// One whose parts are all translated already.
pub fn translate(terms: &Terms<'_>, expr: Expr, asts: &Map<Expr, Ast>) -> Result<Ast, Stop> {
    let bool = |part: &Expr| asts[part].bool();
    let int = |part: &Expr| asts[part].int();
    Ok(match terms.exprs().node(expr) {
        Node::Bool(value) => Ast::Bool(Bool::from_bool(*value)),
        Node::Int(value) => Ast::Int(Int::from_i64(*value)),
        Node::Literal(_, number) => Ast::Int(Int::from_i64(i64::from(*number))),
        Node::Bits(width, raw) => Ast::Bits(bits(terms, *width, *raw)),
        Node::Value(id, raw) => constant(terms, TermSort::Array(*id), *raw)?,
        Node::Var(var) => symbol(terms, *var)?,
        Node::Cell(..) => return Err(Stop::Incomplete("a term has a cell of an array".to_owned())),
        Node::Not(a) => Ast::Bool(bool(a).not()),
        Node::And(parts) => Ast::Bool(Bool::and(&parts.iter().map(bool).collect::<Vec<_>>())),
        Node::Or(parts) => Ast::Bool(Bool::or(&parts.iter().map(bool).collect::<Vec<_>>())),
        Node::Ite(condition, a, b) => chosen(bool(condition), &asts[a], &asts[b]),
        Node::Eq(a, b) => Ast::Bool(equal(&asts[a], &asts[b])),
        Node::Lt(a, b) => Ast::Bool(int(a).lt(int(b))),
        Node::Le(a, b) => Ast::Bool(int(a).le(int(b))),
        Node::Add(parts) => Ast::Int(Int::add(&parts.iter().map(int).collect::<Vec<_>>())),
        Node::Neg(a) => Ast::Int(int(a).unary_minus()),
        Node::Mul(a, b) => Ast::Int(Int::mul(&[int(a), int(b)])),
        Node::Div(a, b) => Ast::Int(int(a).div(int(b))),
        Node::Mod(a, b) => Ast::Int(int(a).modulo(int(b))),
        Node::Apply(function, parts) => {
            applied(terms, *function, &parts.iter().map(|part| &asts[part]).collect::<Vec<_>>())?
        }
    })
}

fn chosen(condition: &Bool, then: &Ast, otherwise: &Ast) -> Ast {
    match then {
        Ast::Bool(then) => Ast::Bool(condition.ite(then, otherwise.bool())),
        Ast::Int(then) => Ast::Int(condition.ite(then, otherwise.int())),
        Ast::Bits(then) => Ast::Bits(condition.ite(then, otherwise.bits())),
        Ast::Array(then) => Ast::Array(condition.ite(then, otherwise.array())),
    }
}

fn equal(left: &Ast, right: &Ast) -> Bool {
    match left {
        Ast::Bool(left) => left.iff(right.bool()),
        Ast::Int(left) => left.eq(right.int()),
        Ast::Bits(left) => left.eq(right.bits()),
        Ast::Array(left) => left.eq(right.array()),
    }
}

fn applied(terms: &Terms<'_>, function: Function, parts: &[&Ast]) -> Result<Ast, Stop> {
    let bits = |i: usize| parts[i].bits();
    // How many bits an extension adds.
    let added = |to: u32| to - bits(0).get_size();
    Ok(match function {
        Function::BitNot => Ast::Bits(bits(0).bvnot()),
        Function::BitNeg => Ast::Bits(bits(0).bvneg()),
        Function::BitAnd => Ast::Bits(bits(0).bvand(bits(1))),
        Function::BitOr => Ast::Bits(bits(0).bvor(bits(1))),
        Function::BitXor => Ast::Bits(bits(0).bvxor(bits(1))),
        Function::BitAdd => Ast::Bits(bits(0).bvadd(bits(1))),
        Function::BitMul => Ast::Bits(bits(0).bvmul(bits(1))),
        Function::BitUdiv => Ast::Bits(bits(0).bvudiv(bits(1))),
        Function::BitUrem => Ast::Bits(bits(0).bvurem(bits(1))),
        Function::BitShl => Ast::Bits(bits(0).bvshl(bits(1))),
        Function::BitLshr => Ast::Bits(bits(0).bvlshr(bits(1))),
        Function::BitAshr => Ast::Bits(bits(0).bvashr(bits(1))),
        Function::Ult => Ast::Bool(bits(0).bvult(bits(1))),
        Function::Ule => Ast::Bool(bits(0).bvule(bits(1))),
        Function::Slt => Ast::Bool(bits(0).bvslt(bits(1))),
        Function::Sle => Ast::Bool(bits(0).bvsle(bits(1))),
        Function::Concat(_) => Ast::Bits(bits(0).concat(bits(1))),
        Function::Extract { high, low } => Ast::Bits(bits(0).extract(high, low)),
        Function::ZeroExtend(to) => Ast::Bits(bits(0).zero_ext(added(to))),
        Function::SignExtend(to) => Ast::Bits(bits(0).sign_ext(added(to))),
        Function::Select(id) => Ast::of(&parts[0].array().select(&parts[1].any()), terms.array(id)?.1),
        Function::Store(_) => Ast::Array(parts[0].array().store(&parts[1].any(), &parts[2].any())),
        Function::Fill(id) => Ast::Array(Array::const_array(&sorts(terms, id)?.0, &parts[0].any())),
    })
}

//! The operators of expressions: how each is called, how many parts it takes and of which sorts, how strongly it binds.
//!
//! Never what it means: evaluators and encoders of engines, checker and brute force each say that by themselves, with
//! matches that list every operator. Whoever only walks over expressions, copies, types, writes or reads them asks here.

use crate::expr::{Expr, Exprs, Node};
use crate::types::Sort;

/// What stands at the root of an expression that has parts, cells of families and functions on bit-vectors and arrays aside: those are in
/// [`crate::function`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    Not,
    And,
    Or,
    Ite,
    Eq,
    Lt,
    Le,
    Add,
    Neg,
    Mul,
    Div,
    Mod,
}

/// How strongly a text holds together, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// `if c then a else b` reaches as far right as it can.
    Whole,
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Unary,
    Atom,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    Exactly(usize),
    AtLeastTwo,
}

/// Which sorts the parts have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    All(Sort),
    /// The same for all, whichever it is.
    Alike,
    /// The first is a condition, the others are alike.
    Chosen,
}

/// Which sort the whole has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    Always(Sort),
    /// That of the last part.
    Last,
}

/// What is known of an operator without its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// In the textual form, and for people.
    pub sign: &'static str,
    /// In SMT-LIB, and where a list of parts is written like a call.
    pub word: &'static str,
    pub arity: Arity,
    pub operands: Operands,
    pub gives: Gives,
    pub strength: Strength,
    /// What the first part and the others have to be at least, or they are written in parentheses.
    pub parts: (Strength, Strength),
}

impl Operator {
    pub const ALL: [Self; 12] = [
        Self::Not,
        Self::And,
        Self::Or,
        Self::Ite,
        Self::Eq,
        Self::Lt,
        Self::Le,
        Self::Add,
        Self::Neg,
        Self::Mul,
        Self::Div,
        Self::Mod,
    ];

    pub const fn row(self) -> Row {
        use Arity::{AtLeastTwo, Exactly};
        use Operands::{Alike, All, Chosen};
        use Strength::{And, Atom, Comparison, Not, Or, Product, Sum, Unary, Whole};
        let (truth, number) = (Gives::Always(Sort::Bool), Gives::Always(Sort::Int));
        let (truths, numbers) = (All(Sort::Bool), All(Sort::Int));
        match self {
            Self::Not => row("!", "not", Exactly(1), truths, truth, Not, (Atom, Atom)),
            Self::And => row("&", "and", AtLeastTwo, truths, truth, And, (Not, Not)),
            Self::Or => row("|", "or", AtLeastTwo, truths, truth, Or, (And, And)),
            Self::Ite => row("if", "ite", Exactly(3), Chosen, Gives::Last, Whole, (Whole, Whole)),
            Self::Eq => row("=", "=", Exactly(2), Alike, truth, Comparison, (Sum, Sum)),
            Self::Lt => row("<", "<", Exactly(2), numbers, truth, Comparison, (Sum, Sum)),
            Self::Le => row("<=", "<=", Exactly(2), numbers, truth, Comparison, (Sum, Sum)),
            Self::Add => row("+", "+", AtLeastTwo, numbers, number, Sum, (Product, Product)),
            Self::Neg => row("-", "-", Exactly(1), numbers, number, Unary, (Atom, Atom)),
            Self::Mul => row("*", "*", Exactly(2), numbers, number, Product, (Product, Unary)),
            Self::Div => row("div", "div", Exactly(2), numbers, number, Product, (Product, Unary)),
            Self::Mod => row("mod", "mod", Exactly(2), numbers, number, Product, (Product, Unary)),
        }
    }

    /// The one of two parts that binds so strongly and has this sign.
    pub fn between(strength: Strength, sign: &str) -> Option<Self> {
        let is_it = |row: Row| row.strength == strength && row.sign == sign && row.arity == Arity::Exactly(2);
        Self::ALL.into_iter().find(|operator| is_it(operator.row()))
    }

    /// The node of two parts, as it is; none of an operator that takes another number of them.
    pub fn of_two(self, a: Expr, b: Expr) -> Option<Node> {
        Some(match self {
            Self::Eq => Node::Eq(a, b),
            Self::Lt => Node::Lt(a, b),
            Self::Le => Node::Le(a, b),
            Self::Mul => Node::Mul(a, b),
            Self::Div => Node::Div(a, b),
            Self::Mod => Node::Mod(a, b),
            Self::And => Node::And([a, b].into()),
            Self::Or => Node::Or([a, b].into()),
            Self::Add => Node::Add([a, b].into()),
            Self::Not | Self::Neg | Self::Ite => return None,
        })
    }
}

const fn row(
    sign: &'static str,
    word: &'static str,
    arity: Arity,
    operands: Operands,
    gives: Gives,
    strength: Strength,
    parts: (Strength, Strength),
) -> Row {
    Row { sign, word, arity, operands, gives, strength, parts }
}

impl Node {
    /// What stands at the root; nothing if the node is a constant, a variable, a cell or a function on bit-vectors or arrays.
    pub fn operator(&self) -> Option<Operator> {
        Some(match self {
            Self::Bool(_) | Self::Int(_) | Self::Literal(..) | Self::Var(_) | Self::Cell(..) => return None,
            Self::Bits(..) | Self::Value(..) | Self::Apply(..) => return None,
            Self::Not(_) => Operator::Not,
            Self::And(_) => Operator::And,
            Self::Or(_) => Operator::Or,
            Self::Ite(..) => Operator::Ite,
            Self::Eq(..) => Operator::Eq,
            Self::Lt(..) => Operator::Lt,
            Self::Le(..) => Operator::Le,
            Self::Add(_) => Operator::Add,
            Self::Neg(_) => Operator::Neg,
            Self::Mul(..) => Operator::Mul,
            Self::Div(..) => Operator::Div,
            Self::Mod(..) => Operator::Mod,
        })
    }

    /// The node with other parts, not folded.
    pub fn with_parts(&self, of: impl Fn(Expr) -> Expr) -> Self {
        let all = |parts: &[Expr]| parts.iter().map(|&part| of(part)).collect();
        match self {
            Self::Bool(_) | Self::Int(_) | Self::Literal(..) | Self::Var(_) | Self::Bits(..) | Self::Value(..) => {
                self.clone()
            }
            Self::Apply(function, parts) => Self::Apply(*function, all(parts)),
            Self::Cell(family, index) => Self::Cell(*family, of(*index)),
            Self::Not(a) => Self::Not(of(*a)),
            Self::And(parts) => Self::And(all(parts)),
            Self::Or(parts) => Self::Or(all(parts)),
            Self::Ite(a, b, c) => Self::Ite(of(*a), of(*b), of(*c)),
            Self::Eq(a, b) => Self::Eq(of(*a), of(*b)),
            Self::Lt(a, b) => Self::Lt(of(*a), of(*b)),
            Self::Le(a, b) => Self::Le(of(*a), of(*b)),
            Self::Add(parts) => Self::Add(all(parts)),
            Self::Neg(a) => Self::Neg(of(*a)),
            Self::Mul(a, b) => Self::Mul(of(*a), of(*b)),
            Self::Div(a, b) => Self::Div(of(*a), of(*b)),
            Self::Mod(a, b) => Self::Mod(of(*a), of(*b)),
        }
    }
}

/// A node with other parts, folded; what has no parts is interned as it is.
pub fn rebuilt(exprs: &Exprs, node: &Node, of: &dyn Fn(Expr) -> Expr) -> Expr {
    match node {
        Node::Bool(_) | Node::Int(_) | Node::Literal(..) | Node::Var(_) | Node::Bits(..) | Node::Value(..) => {
            exprs.intern(node.clone())
        }
        Node::Apply(function, parts) => exprs.apply(*function, parts.iter().map(|&part| of(part))),
        Node::Cell(family, index) => exprs.cell(*family, of(*index)),
        Node::Not(a) => exprs.not(of(*a)),
        Node::And(parts) => exprs.and(parts.iter().map(|&part| of(part))),
        Node::Or(parts) => exprs.or(parts.iter().map(|&part| of(part))),
        Node::Ite(a, b, c) => exprs.ite(of(*a), of(*b), of(*c)),
        Node::Eq(a, b) => exprs.eq(of(*a), of(*b)),
        Node::Lt(a, b) => exprs.lt(of(*a), of(*b)),
        Node::Le(a, b) => exprs.le(of(*a), of(*b)),
        Node::Add(parts) => exprs.add(parts.iter().map(|&part| of(part))),
        Node::Neg(a) => exprs.neg(of(*a)),
        Node::Mul(a, b) => exprs.mul(of(*a), of(*b)),
        Node::Div(a, b) => exprs.div(of(*a), of(*b)),
        Node::Mod(a, b) => exprs.modulo(of(*a), of(*b)),
    }
}

#[cfg(test)]
mod tests {
    use lapidary_base::hash::Set;

    use super::*;

    /// An expression with this operator at its root, over conditions or numbers.
    fn example(e: &Exprs, operator: Operator) -> Expr {
        let row = operator.row();
        let n_parts = match row.arity {
            Arity::Exactly(n) => n,
            Arity::AtLeastTwo => 3,
        };
        let condition = e.lt(e.var(crate::VarId(0)), e.var(crate::VarId(1)));
        let part = |i: usize| match row.operands {
            Operands::All(Sort::Bool) => condition,
            Operands::Chosen if i == 0 => condition,
            Operands::All(_) | Operands::Alike | Operands::Chosen => {
                e.var(crate::VarId(u32::try_from(i).expect("few")))
            }
        };
        let parts: Vec<Expr> = (0..n_parts).map(part).collect();
        e.intern(match (operator, &parts[..]) {
            (Operator::Not, &[a]) => Node::Not(a),
            (Operator::Neg, &[a]) => Node::Neg(a),
            (Operator::Ite, &[a, b, c]) => Node::Ite(a, b, c),
            (Operator::And, parts) => Node::And(parts.into()),
            (Operator::Or, parts) => Node::Or(parts.into()),
            (Operator::Add, parts) => Node::Add(parts.into()),
            (operator, &[a, b]) => operator.of_two(a, b).expect("two parts"),
            (operator, parts) => panic!("{operator:?} takes {} parts", parts.len()),
        })
    }

    #[test]
    fn the_table_fits_the_nodes() {
        let e = Exprs::new();
        for operator in Operator::ALL {
            let expr = example(&e, operator);
            let node = e.node(expr).clone();
            assert_eq!(node.operator(), Some(operator));
            let mut n_parts = 0;
            e.for_each_part(expr, |_| n_parts += 1);
            assert!(matches!(operator.row().arity, Arity::Exactly(n) if n == n_parts) || n_parts == 3, "{operator:?}");
            assert_eq!(node.with_parts(|part| part), node);
            let sort = e.sort(expr, |_| Sort::Int, |_| Sort::Int);
            let wanted = match operator.row().gives {
                Gives::Always(sort) => sort,
                Gives::Last => Sort::Int,
            };
            assert_eq!(sort, wanted, "{operator:?}");
        }
    }

    #[test]
    fn signs_and_numbers_of_parts_tell_operators_apart() {
        let mut seen = Set::default();
        for row in Operator::ALL.map(Operator::row) {
            assert!(seen.insert((row.sign, matches!(row.arity, Arity::Exactly(1)))), "{row:?}");
        }
    }
}

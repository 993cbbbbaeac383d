//! Expressions as closures, for checking millions of states.
//!
//! Closures compute with 64 bits and know three outcomes only: a value or "odd", which is anything out of the
//! ordinary, be it no value or a number that does not fit. Whoever meets an odd outcome asks the interpreter, so
//! closures need not tell these apart. States must be within their domains. An expression that would be much larger as a
//! tree than it is, or very deep, is left to the interpreter altogether.

use std::sync::Arc;

use lapidary_base::Id;
use lapidary_base::hash::Map;
use lapidary_ir::model::Raw;
use lapidary_ir::passes::Shapes;
use lapidary_ir::value::WORD_BITS;
use lapidary_ir::{Declarations, Expr, Function, Node, Var};

use crate::apply::{self, Number};
use crate::atoms::{Atom, atom, variable};
use crate::{eval, words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    False,
    True,
    Odd,
}

pub type Test = Arc<dyn Fn(&[Raw]) -> Truth + Send + Sync>;
/// `None` is odd.
pub type Value = Arc<dyn Fn(&[Raw]) -> Option<Raw> + Send + Sync>;

impl From<bool> for Truth {
    #[inline]
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

/// Makes closures; parts that occur more than once are made once.
pub struct Compiler<'a> {
    model: &'a Declarations,
    tests: Map<Expr, Test>,
    values: Map<Expr, Value>,
    shapes: Shapes,
    /// All that expressions are about, for closures that ask the interpreter; made when the first of them is.
    interpreted: Option<Arc<Declarations>>,
}

impl<'a> Compiler<'a> {
    pub fn new(model: &'a Declarations) -> Self {
        let (tests, values, shapes) = (Map::default(), Map::default(), Shapes::default());
        Self { model, tests, values, shapes, interpreted: None }
    }

    /// How much work it is to evaluate an expression, counted in nodes: the interpreter visits each of them once.
    pub fn work(&mut self, expr: Expr) -> u64 {
        self.shapes.of(&self.model.exprs, expr).size.min(4 * self.model.exprs.len() as u64)
    }

    /// A Boolean expression as a closure.
    pub fn test(&mut self, expr: Expr) -> Test {
        if !self.shapes.is_heavy(&self.model.exprs, expr) {
            return self.test_part(expr);
        }
        let model = self.interpreted();
        Arc::new(move |s| eval::truth(&model, expr, s).map_or(Truth::Odd, Truth::from))
    }

    /// Any expression as a closure; the numbers of truth values are 0 and 1.
    pub fn value(&mut self, expr: Expr) -> Value {
        if !self.shapes.is_heavy(&self.model.exprs, expr) {
            return self.value_part(expr);
        }
        let model = self.interpreted();
        Arc::new(move |s| eval::eval(&model, expr, s).ok().and_then(|number| Raw::try_from(number).ok()))
    }

    fn interpreted(&mut self) -> Arc<Declarations> {
        let model = self.model;
        let made = self.interpreted.get_or_insert_with(|| {
            let (exprs, families, enums) = (model.exprs.clone(), model.families.clone(), model.enums.clone());
            let unnamed = |var: &Var| Var { name: String::new(), ..*var };
            let vars = model.vars.iter().map(unnamed).collect();
            Arc::new(Declarations { exprs, families, enums, vars, ..Declarations::default() })
        });
        Arc::clone(made)
    }

    fn test_part(&mut self, expr: Expr) -> Test {
        if let Some(made) = self.tests.get(&expr) {
            return made.clone();
        }
        let made = self.make_test(expr);
        self.tests.insert(expr, made.clone());
        made
    }

    fn value_part(&mut self, expr: Expr) -> Value {
        if let Some(made) = self.values.get(&expr) {
            return made.clone();
        }
        let made = self.make_value(expr);
        self.values.insert(expr, made.clone());
        made
    }

    fn make_test(&mut self, expr: Expr) -> Test {
        if let Some(atom) = atom(self.model, expr) {
            return Arc::new(move |s| atom.holds(s).into());
        }
        match self.model.exprs.node(expr) {
            Node::Bool(value) => constant_test(*value),
            Node::Not(a) => not(self.test_part(*a)),
            Node::And(parts) => self.and(parts),
            Node::Or(parts) => self.or(parts),
            Node::Eq(a, b) => compare(self.value_part(*a), self.value_part(*b), |a, b| a == b),
            Node::Lt(a, b) => compare(self.value_part(*a), self.value_part(*b), |a, b| a < b),
            Node::Le(a, b) => compare(self.value_part(*a), self.value_part(*b), |a, b| a <= b),
            Node::Ite(condition, then, otherwise) => {
                let (condition, then, otherwise) =
                    (self.test_part(*condition), self.test_part(*then), self.test_part(*otherwise));
                Arc::new(move |s| match condition(s) {
                    Truth::True => then(s),
                    Truth::False => otherwise(s),
                    Truth::Odd => Truth::Odd,
                })
            }
            Node::Var(_) | Node::Cell(..) | Node::Apply(..) => {
                let value = self.value_part(expr);
                Arc::new(move |s| value(s).map_or(Truth::Odd, |value| (value != 0).into()))
            }
            Node::Int(_) | Node::Literal(..) | Node::Add(_) | Node::Neg(_) => Arc::new(|_| Truth::Odd),
            Node::Mul(..) | Node::Div(..) | Node::Mod(..) | Node::Bits(..) | Node::Value(..) => {
                Arc::new(|_| Truth::Odd)
            }
        }
    }

    fn atoms(&self, parts: &[Expr]) -> Option<Box<[Atom]>> {
        parts.iter().map(|&part| atom(self.model, part)).collect()
    }

    fn and(&mut self, parts: &[Expr]) -> Test {
        if let Some(atoms) = self.atoms(parts) {
            return Arc::new(move |s| atoms.iter().all(|atom| atom.holds(s)).into());
        }
        let parts: Box<[Test]> = parts.iter().map(|&part| self.test_part(part)).collect();
        Arc::new(move |s| parts.iter().map(|part| part(s)).find(|&t| t != Truth::True).unwrap_or(Truth::True))
    }

    fn or(&mut self, parts: &[Expr]) -> Test {
        if let Some(atoms) = self.atoms(parts) {
            return Arc::new(move |s| atoms.iter().any(|atom| atom.holds(s)).into());
        }
        let parts: Box<[Test]> = parts.iter().map(|&part| self.test_part(part)).collect();
        Arc::new(move |s| parts.iter().map(|part| part(s)).find(|&t| t != Truth::False).unwrap_or(Truth::False))
    }

    fn make_value(&mut self, expr: Expr) -> Value {
        if let Some(var) = variable(self.model, expr) {
            return Arc::new(move |s| Some(s[var]));
        }
        if let Some(value) = words::constant(self.model, expr) {
            return Arc::new(move |_| Some(value));
        }
        match self.model.exprs.node(expr) {
            Node::Cell(family, index) => {
                let family = &self.model.families[*family];
                cell(family.first.index(), family.len as usize, self.value_part(*index))
            }
            Node::Ite(condition, then, otherwise) => {
                let (condition, then, otherwise) =
                    (self.test_part(*condition), self.value_part(*then), self.value_part(*otherwise));
                Arc::new(move |s| match condition(s) {
                    Truth::True => then(s),
                    Truth::False => otherwise(s),
                    Truth::Odd => None,
                })
            }
            Node::Add(parts) => self.add(parts),
            Node::Neg(a) => {
                let a = self.value_part(*a);
                Arc::new(move |s| a(s)?.checked_neg())
            }
            Node::Mul(a, b) => arithmetic(self.value_part(*a), self.value_part(*b), Raw::checked_mul),
            // These are odd also where the divisor is zero.
            Node::Div(a, b) => arithmetic(self.value_part(*a), self.value_part(*b), Raw::checked_div_euclid),
            Node::Mod(a, b) => arithmetic(self.value_part(*a), self.value_part(*b), Raw::checked_rem_euclid),
            Node::Bool(_) | Node::Not(_) | Node::And(_) | Node::Or(_) => number_of(self.test_part(expr)),
            Node::Eq(..) | Node::Lt(..) | Node::Le(..) => number_of(self.test_part(expr)),
            Node::Apply(function, parts) => self.apply(*function, parts),
            Node::Int(_) | Node::Literal(..) | Node::Var(_) | Node::Bits(..) | Node::Value(..) => Arc::new(|_| None),
        }
    }

    fn apply(&mut self, function: Function, parts: &[Expr]) -> Value {
        let widths: Vec<u32> = parts.iter().map(|&part| apply::width(self.model.sort(part))).collect();
        let values: Vec<Value> = parts.iter().map(|&part| self.value_part(part)).collect();
        match (&values[..], short(function, &widths)) {
            ([a], Some(widths)) => {
                let a = a.clone();
                Arc::new(move |s| Some(apply::of_words(function, widths, a(s)? as u64, 0) as Raw))
            }
            ([a, b], Some(widths)) => arithmetic(a.clone(), b.clone(), move |a, b| {
                Some(apply::of_words(function, widths, a as u64, b as u64) as Raw)
            }),
            _ => {
                let model = self.interpreted();
                Arc::new(move |s| {
                    let number = |(value, &width): (&Value, &u32)| Some(Number::of(value(s)?, width));
                    let numbers = values.iter().zip(&widths).map(number).collect::<Option<Vec<_>>>()?;
                    Raw::try_from(apply::apply(&model, function, &numbers).ok()?.value).ok()
                })
            }
        }
    }

    fn add(&mut self, parts: &[Expr]) -> Value {
        if let [a, b] = parts
            && let (Some(var), Some(constant)) = (variable(self.model, *a), words::constant(self.model, *b))
        {
            return Arc::new(move |s| s[var].checked_add(constant));
        }
        let parts: Box<[Value]> = parts.iter().map(|&part| self.value_part(part)).collect();
        Arc::new(move |s| parts.iter().try_fold(0 as Raw, |sum, part| sum.checked_add(part(s)?)))
    }
}

/// How many bits both parts have, the only one twice, where they and what is made of them are words.
fn short(function: Function, widths: &[u32]) -> Option<[u32; 2]> {
    let array = matches!(function, Function::Select(_) | Function::Store(_) | Function::Fill(_));
    let both = match *widths {
        [width] => [width, width],
        [width, second] => [width, second],
        _ => return None,
    };
    let is_short = !array && both.iter().chain([&apply::given(function, both[0])]).all(|&width| width <= WORD_BITS);
    is_short.then_some(both)
}

fn constant_test(value: bool) -> Test {
    Arc::new(move |_| value.into())
}

fn not(test: Test) -> Test {
    Arc::new(move |s| match test(s) {
        Truth::True => Truth::False,
        Truth::False => Truth::True,
        Truth::Odd => Truth::Odd,
    })
}

fn compare(a: Value, b: Value, holds: impl Fn(Raw, Raw) -> bool + Send + Sync + 'static) -> Test {
    Arc::new(move |s| match (a(s), b(s)) {
        (Some(a), Some(b)) => holds(a, b).into(),
        (None, _) | (_, None) => Truth::Odd,
    })
}

fn arithmetic(a: Value, b: Value, compute: impl Fn(Raw, Raw) -> Option<Raw> + Send + Sync + 'static) -> Value {
    Arc::new(move |s| compute(a(s)?, b(s)?))
}

fn cell(first: usize, len: usize, index: Value) -> Value {
    Arc::new(move |s| {
        let index = usize::try_from(index(s)?).ok()?;
        (index < len).then(|| s[first + index])
    })
}

fn number_of(test: Test) -> Value {
    Arc::new(move |s| match test(s) {
        Truth::True => Some(1),
        Truth::False => Some(0),
        Truth::Odd => None,
    })
}

#[cfg(test)]
mod tests {
    use lapidary_reference::bodies::{self, Locals, Y};
    use lapidary_reference::dice::Dice;
    use lapidary_reference::expressions::Values;
    use lapidary_reference::seeds;

    use super::*;
    use crate::eval::{self, Error};

    /// Closures may pass on what they find odd, but never say what the interpreter does not.
    fn assert_agrees(model: &Declarations, compiler: &mut Compiler<'_>, expr: Expr, state: &[Raw]) {
        let (fast, plain) = (compiler.value(expr)(state), eval::eval(model, expr, state));
        match fast {
            Some(value) => assert_eq!(plain, Ok(i128::from(value)), "{expr:?} in {state:?}"),
            None => assert!(plain == Err(Error::Undefined) || plain == Err(Error::Overflow) || is_wide(state)),
        }
    }

    /// Only with large values may a closure lack the bits that the interpreter has.
    fn is_wide(state: &[Raw]) -> bool {
        state.iter().any(|value| value.unsigned_abs() > 10)
    }

    #[test]
    fn closures_agree_with_the_interpreter_on_random_expressions() {
        let model = bodies::variables(Locals::None);
        let states = bodies::states(&model);
        for seed in seeds::of(0..400) {
            let mut dice = Dice::new(seed);
            let mut compiler = Compiler::new(&model);
            let truth = bodies::truth(&model, &mut dice, 4, Values::Perhaps);
            let number = bodies::number(&model, &mut dice, 4, Values::Perhaps);
            for state in states.iter().step_by(1 + dice.below(20)) {
                assert_agrees(&model, &mut compiler, truth, state);
                assert_agrees(&model, &mut compiler, number, state);
                let test = compiler.test(truth)(state);
                let plain = eval::truth(&model, truth, state);
                assert_eq!(test, plain.map_or(Truth::Odd, Truth::from), "{truth:?} in {state:?}");
            }
        }
    }

    #[test]
    fn shared_expressions_are_left_to_the_interpreter() {
        let model = bodies::variables(Locals::None);
        let e = &model.exprs;
        let x = e.var(Y);
        let number = (0..60).fold(x, |part, _| e.modulo(e.add([part, part, e.int(1)]), e.int(100)));
        let truth = e.lt(number, e.int(50));
        let mut compiler = Compiler::new(&model);
        let expected = |x: Raw| (0..60).fold(x, |x, _| (2 * x + 1).rem_euclid(100));
        for value in 0..4 {
            let state = [0, 0, value, 0, 0, 0];
            assert_eq!(compiler.value(number)(&state), Some(expected(value)));
            assert_eq!(compiler.test(truth)(&state), Truth::from(expected(value) < 50));
        }
    }

    #[test]
    fn closures_never_wrap_around_on_large_numbers() {
        let model = bodies::variables(Locals::None);
        let large = [Raw::MIN, Raw::MIN + 1, -1, 0, 1, 2, Raw::MAX - 1, Raw::MAX];
        for seed in seeds::of(0..400) {
            let mut dice = Dice::new(1000 + seed);
            let mut compiler = Compiler::new(&model);
            let expr = bodies::number(&model, &mut dice, 4, Values::Perhaps);
            for _ in 0..50 {
                let mut state = vec![0; model.vars.len()];
                state.iter_mut().skip(1).for_each(|value| *value = large[dice.below(large.len())]);
                assert_agrees(&model, &mut compiler, expr, &state);
            }
        }
    }

    #[test]
    fn comparisons_with_the_extreme_constants_are_right() {
        let model = bodies::variables(Locals::None);
        let e = &model.exprs;
        let x = e.var(Y);
        for constant in [Raw::MIN, -1, 0, Raw::MAX] {
            let c = e.int(constant);
            for expr in [e.lt(x, c), e.lt(c, x), e.le(x, c), e.le(c, x), e.eq(x, c), e.ne(x, c)] {
                let atom = atom(&model, expr).expect("a comparison with a constant");
                for value in [Raw::MIN, Raw::MIN + 1, -1, 0, 1, Raw::MAX] {
                    let state = [0, 0, value, 0, 0, 0];
                    assert_eq!(Ok(atom.holds(&state)), eval::truth(&model, expr, &state), "{expr:?} at {value}");
                }
            }
        }
    }
}

//! A plain evaluator of expressions and commands, directly on the syntax tree.
//!
//! Errors are values ([`Fault`]); `&`, `|`, `=>`, `if` and the quantifiers go left to right and
//! only as far as needed, everything else evaluates all of its operands.

use crate::ast::{Binary, Binder, Command, Expr, Model, Owner, Place, ProcessId, Quantifier, Source, Unary};
use crate::brute::Fault;
use crate::layout::{Domain, Layout, Slot, Value, bounds};

/// A state: one value per cell.
pub(crate) type State = Vec<Value>;

/// The process instance that a command belongs to: the process and the position of the instance.
pub(crate) type Own = (ProcessId, usize);

/// An evaluator in one state and one scope.
pub(crate) struct Eval<'a> {
    model: &'a Model,
    layout: &'a Layout,
    state: &'a [Value],
    own: Option<Own>,
    /// The bound names in scope, innermost last.
    pub(crate) bound: Vec<(&'a str, i128)>,
    /// How far from zero inputs of type `int` are, where only some are tried.
    pub(crate) window: Option<i128>,
    /// Whether only some values of an input were tried.
    pub(crate) is_sampled: bool,
}

impl<'a> Eval<'a> {
    /// An evaluator in the global scope.
    pub(crate) fn new(model: &'a Model, layout: &'a Layout, state: &'a [Value]) -> Eval<'a> {
        Eval { model, layout, state, own: None, bound: Vec::new(), window: None, is_sampled: false }
    }

    /// Enters the scope of a process instance.
    pub(crate) fn enter(&mut self, own: Own) {
        let (ProcessId(process), at) = own;
        self.own = Some(own);
        if let Some(param) = &self.model.processes[process].param {
            let value = self.layout.processes[process][at].value;
            self.bound.push((&param.name, value.expect("an instance of a process with a parameter has its value")));
        }
    }

    /// Evaluates an expression.
    pub(crate) fn value(&mut self, expr: &'a Expr) -> Result<Value, Fault> {
        Ok(match expr {
            Expr::Bool(value) => Value::Bool(*value),
            Expr::Int(value) => Value::Int(*value),
            Expr::Literal(id, literal) => Value::Literal(*id, *literal),
            Expr::Const(id) => return self.value(&self.model.constants[id.0].value),
            Expr::Define(id) => return self.value(&self.model.defines[id.0].value),
            Expr::Bound(name) => Value::Int(self.lookup(name)),
            Expr::Read(place) => self.state[self.cell(place)?],
            Expr::Unary(op, operand) => unary(*op, self.value(operand)?),
            Expr::Binary(op, left, right) => return self.binary(*op, left, right),
            Expr::If(condition, yes, no) => {
                let taken = if self.value(condition)?.as_bool() { yes } else { no };
                return self.value(taken);
            }
            Expr::Quantified(quantifier, binder, body) => return self.quantified(*quantifier, binder, body),
        })
    }

    fn lookup(&self, name: &str) -> i128 {
        let innermost = self.bound.iter().rev().find(|(bound, _)| *bound == name);
        innermost.unwrap_or_else(|| panic!("{name} is bound")).1
    }

    fn binary(&mut self, op: Binary, left: &'a Expr, right: &'a Expr) -> Result<Value, Fault> {
        let first = self.value(left)?;
        let decided = match op {
            Binary::And => !first.as_bool(),
            Binary::Or => first.as_bool(),
            Binary::Implies => !first.as_bool(),
            Binary::Iff
            | Binary::Eq
            | Binary::Ne
            | Binary::Lt
            | Binary::Le
            | Binary::Gt
            | Binary::Ge
            | Binary::Add
            | Binary::Sub
            | Binary::Mul
            | Binary::Div
            | Binary::Mod
            | Binary::Min
            | Binary::Max => return apply(op, first, self.value(right)?),
        };
        if decided {
            return Ok(Value::Bool(op != Binary::And));
        }
        // A left operand that did not decide leaves the result to the right one.
        Ok(Value::Bool(self.value(right)?.as_bool()))
    }

    fn quantified(&mut self, quantifier: Quantifier, binder: &'a Binder, body: &'a Expr) -> Result<Value, Fault> {
        let mut total: i128 = 0;
        for value in bounds(self.model, binder) {
            self.bound.push((&binder.name, value));
            let result = self.value(body);
            self.bound.pop();
            match (quantifier, result?) {
                (Quantifier::Forall, Value::Bool(false)) => return Ok(Value::Bool(false)),
                (Quantifier::Exists, Value::Bool(true)) => return Ok(Value::Bool(true)),
                (Quantifier::Forall | Quantifier::Exists, result) => assert!(matches!(result, Value::Bool(_))),
                (Quantifier::Sum, result) => total += result.as_int(),
                (Quantifier::Count, result) => total += i128::from(result.as_bool()),
            }
        }
        Ok(match quantifier {
            Quantifier::Forall => Value::Bool(true),
            Quantifier::Exists => Value::Bool(false),
            Quantifier::Sum | Quantifier::Count => Value::Int(total),
        })
    }

    /// The cell that a place denotes in this state.
    fn cell(&mut self, place: &'a Place) -> Result<usize, Fault> {
        let layout = self.layout;
        let slot = match &place.owner {
            Owner::Global => &layout.globals[place.variable.0],
            Owner::Own => {
                let (ProcessId(process), at) = self.own.expect("own variables are used inside a process");
                &layout.processes[process][at].slots[place.variable.0]
            }
            Owner::Instance(process, index) => self.foreign(*process, index.as_deref(), place.variable.0)?,
        };
        assert_eq!(slot.dims.len(), place.indexes.len(), "a place has an index per dimension");
        let mut offset = 0;
        for (dim, index) in slot.dims.iter().zip(&place.indexes) {
            let index = usize::try_from(self.value(index)?.as_int()).map_err(|_| Fault::Index)?;
            if index >= *dim {
                return Err(Fault::Index);
            }
            offset = offset * dim + index;
        }
        Ok(slot.first + offset)
    }

    fn foreign(&mut self, process: ProcessId, index: Option<&'a Expr>, variable: usize) -> Result<&'a Slot, Fault> {
        let value = match index {
            Some(index) => Some(self.value(index)?.as_int()),
            None => None,
        };
        let instance = self.layout.processes[process.0].iter().find(|instance| instance.value == value);
        instance.map(|instance| &instance.slots[variable]).ok_or(Fault::Index)
    }

    /// The successors by one command instance, one per choice of inputs; none when the guard is
    /// false.
    pub(crate) fn fire(&mut self, command: &'a Command) -> Result<Vec<State>, Fault> {
        if !self.value(&command.guard)?.as_bool() {
            return Ok(Vec::new());
        }
        let mut written = Vec::new();
        let mut successors = vec![self.state.to_vec()];
        for update in &command.updates {
            let cell = self.cell(&update.target)?;
            if written.contains(&cell) {
                return Err(Fault::DoubleWrite);
            }
            written.push(cell);
            let domain = self.layout.cells[cell].domain;
            let choices = match &update.source {
                Source::Input => {
                    self.is_sampled |= domain == Domain::Int;
                    domain.sample(self.window).expect("inputs are finite")
                }
                Source::Expr(expr) => vec![self.value(expr)?],
            };
            if !choices.iter().all(|choice| domain.contains(*choice)) {
                return Err(Fault::Range);
            }
            let with = |state: &State, choice: &Value| {
                let mut next = state.clone();
                next[cell] = *choice;
                next
            };
            successors = successors.iter().flat_map(|state| choices.iter().map(|choice| with(state, choice))).collect();
        }
        Ok(successors)
    }
}

const WIDE: &str = "numbers stay within 128 bits";

fn unary(op: Unary, operand: Value) -> Value {
    match op {
        Unary::Not => Value::Bool(!operand.as_bool()),
        Unary::Neg => Value::Int(operand.as_int().checked_neg().expect(WIDE)),
        Unary::Abs => Value::Int(operand.as_int().checked_abs().expect(WIDE)),
    }
}

/// Applies an operator that evaluates both of its operands.
fn apply(op: Binary, left: Value, right: Value) -> Result<Value, Fault> {
    let same = |left: Value, right: Value| {
        assert_eq!(std::mem::discriminant(&left), std::mem::discriminant(&right), "equality compares like with like");
        left == right
    };
    let ints = || (left.as_int(), right.as_int());
    let compare = |test: fn(&i128, &i128) -> bool| {
        let (left, right) = ints();
        Ok(Value::Bool(test(&left, &right)))
    };
    let compute = |operator: fn(i128, i128) -> Option<i128>| {
        let (left, right) = ints();
        Ok(Value::Int(operator(left, right).expect(WIDE)))
    };
    match op {
        Binary::Iff => Ok(Value::Bool(left.as_bool() == right.as_bool())),
        Binary::Eq => Ok(Value::Bool(same(left, right))),
        Binary::Ne => Ok(Value::Bool(!same(left, right))),
        Binary::Lt => compare(i128::lt),
        Binary::Le => compare(i128::le),
        Binary::Gt => compare(i128::gt),
        Binary::Ge => compare(i128::ge),
        Binary::Add => compute(i128::checked_add),
        Binary::Sub => compute(i128::checked_sub),
        Binary::Mul => compute(i128::checked_mul),
        // The Euclidean operators are those of SMT-LIB: the remainder is never negative.
        Binary::Div | Binary::Mod if right.as_int() == 0 => Err(Fault::DivisionByZero),
        Binary::Div => compute(i128::checked_div_euclid),
        Binary::Mod => compute(i128::checked_rem_euclid),
        Binary::Min => compute(|left, right| Some(left.min(right))),
        Binary::Max => compute(|left, right| Some(left.max(right))),
        Binary::And | Binary::Or | Binary::Implies => panic!("short-circuit operators are applied elsewhere"),
    }
}

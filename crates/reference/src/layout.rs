//! The flat layout of a model's state: which cell is which element of which variable.
//!
//! Cells are in the order of the syntax tree: the global variables first, then process by
//! process, instance by instance, its variables; arrays row by row.

use crate::ast::{Binder, EnumId, Expr, Initial, Model, ProcessId, Type, Variable};
use crate::eval::Eval;

/// The value of a cell or of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    Bool(bool),
    Int(i128),
    Literal(EnumId, usize),
}

impl Value {
    pub(crate) fn as_bool(self) -> bool {
        match self {
            Value::Bool(value) => value,
            Value::Int(_) | Value::Literal(..) => panic!("a Boolean is expected, not {self:?}"),
        }
    }

    pub(crate) fn as_int(self) -> i128 {
        match self {
            Value::Int(value) => value,
            Value::Bool(_) | Value::Literal(..) => panic!("a number is expected, not {self:?}"),
        }
    }

    /// The value as traces show it.
    pub(crate) fn text(self, model: &Model) -> String {
        match self {
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Literal(EnumId(id), literal) => model.enums[id].literals[literal].clone(),
        }
    }
}

/// The values that a cell may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    Bool,
    Int,
    Range(i128, i128),
    Enum(EnumId, usize),
}

impl Domain {
    pub(crate) fn contains(self, value: Value) -> bool {
        match (self, value) {
            (Domain::Bool, Value::Bool(_)) | (Domain::Int, Value::Int(_)) => true,
            (Domain::Range(lo, hi), Value::Int(value)) => lo <= value && value <= hi,
            (Domain::Enum(id, _), Value::Literal(of, _)) if id == of => true,
            _ => panic!("{value:?} is no value of {self:?}"),
        }
    }

    /// All values, or those of an `int` that are at most so far from zero.
    pub(crate) fn sample(self, window: Option<i128>) -> Option<Vec<Value>> {
        match (self, window) {
            (Domain::Int, Some(window)) => Some((-window..=window).map(Value::Int).collect()),
            _ => self.values(),
        }
    }

    /// All values, where there are finitely many.
    pub(crate) fn values(self) -> Option<Vec<Value>> {
        match self {
            Domain::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
            Domain::Int => None,
            Domain::Range(lo, hi) => Some((lo..=hi).map(Value::Int).collect()),
            Domain::Enum(id, n) => Some((0..n).map(|at| Value::Literal(id, at)).collect()),
        }
    }
}

/// One cell of the state.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// The name as traces show it.
    pub(crate) name: String,
    pub(crate) domain: Domain,
    /// What it starts with; any value when there is none.
    pub(crate) initial: Option<Value>,
}

/// The cells of one variable: the first one, and the array sizes.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) first: usize,
    pub(crate) dims: Vec<usize>,
}

/// One instance of a process.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// The value of the parameter.
    pub(crate) value: Option<i128>,
    pub(crate) slots: Vec<Slot>,
}

/// Where everything is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) globals: Vec<Slot>,
    /// The instances of each process, by increasing value of the parameter.
    pub(crate) processes: Vec<Vec<Instance>>,
    pub(crate) cells: Vec<Cell>,
}

impl Layout {
    pub(crate) fn new(model: &Model) -> Layout {
        let mut layout = Layout::default();
        for variable in &model.variables {
            let slot = layout.place(model, variable, "", &[]);
            layout.globals.push(slot);
        }
        for at in 0..model.processes.len() {
            let instances = layout.instances(model, ProcessId(at));
            layout.processes.push(instances);
        }
        layout
    }

    fn instances(&mut self, model: &Model, id: ProcessId) -> Vec<Instance> {
        let process = &model.processes[id.0];
        let Some(param) = &process.param else {
            let prefix = format!("{}.", process.name);
            let mut place = |variable| self.place(model, variable, &prefix, &[]);
            let slots = process.variables.iter().map(&mut place).collect();
            return vec![Instance { value: None, slots }];
        };
        let mut instances = Vec::new();
        for value in bounds(model, param) {
            let prefix = format!("{}[{value}].", process.name);
            let bound = [(param.name.as_str(), value)];
            let mut place = |variable| self.place(model, variable, &prefix, &bound);
            let slots = process.variables.iter().map(&mut place).collect();
            instances.push(Instance { value: Some(value), slots });
        }
        instances
    }

    fn place(&mut self, model: &Model, variable: &Variable, prefix: &str, bound: &[(&str, i128)]) -> Slot {
        let size = |dim| usize::try_from(constant(model, dim, &[])).expect("an array size is a small number");
        let dims: Vec<usize> = variable.dims.iter().map(size).collect();
        let domain = domain(model, &variable.ty);
        let first = self.cells.len();
        for (at, suffix) in suffixes(&dims).into_iter().enumerate() {
            let initial = match &variable.initial {
                Initial::Any => None,
                Initial::Each(expr) => Some(evaluate(model, expr, bound)),
                Initial::List(list) => Some(evaluate(model, &list[at], bound)),
            };
            let name = format!("{prefix}{}{suffix}", variable.name);
            assert!(initial.is_none_or(|value| domain.contains(value)), "the initialiser of {name} is in range");
            self.cells.push(Cell { name, domain, initial });
        }
        Slot { first, dims }
    }
}

/// The values of a binder, whose bounds are constant.
pub(crate) fn bounds(model: &Model, binder: &Binder) -> std::ops::RangeInclusive<i128> {
    constant(model, &binder.lo, &[])..=constant(model, &binder.hi, &[])
}

pub(crate) fn domain(model: &Model, ty: &Type) -> Domain {
    match ty {
        Type::Bool => Domain::Bool,
        Type::Int => Domain::Int,
        Type::Range(lo, hi) => Domain::Range(constant(model, lo, &[]), constant(model, hi, &[])),
        Type::Enum(id) => Domain::Enum(*id, model.enums[id.0].literals.len()),
    }
}

fn suffixes(dims: &[usize]) -> Vec<String> {
    let mut all = vec![String::new()];
    for &dim in dims {
        let extend = |prefix: &String| (0..dim).map(|at| format!("{prefix}[{at}]")).collect::<Vec<_>>();
        all = all.iter().flat_map(extend).collect();
    }
    all
}

pub(crate) fn constant(model: &Model, expr: &Expr, bound: &[(&str, i128)]) -> i128 {
    evaluate(model, expr, bound).as_int()
}

fn evaluate(model: &Model, expr: &Expr, bound: &[(&str, i128)]) -> Value {
    let nowhere = Layout::default();
    let mut eval = Eval::new(model, &nowhere, &[]);
    eval.bound.extend_from_slice(bound);
    eval.value(expr).expect("a constant expression does not err")
}

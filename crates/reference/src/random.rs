//! Random models, well-typed by construction and with few states.
//!
//! The product of the sizes of all variables is bounded ([`Shape::max_states`]); an `int` counts
//! with the interval that the guards of its updates keep it in. A model either cannot err at all,
//! or every index, divisor and assignment in it is left unguarded with some chance.

use crate::ast::{
    Binary, Binder, Claim, ConstId, DefineId, EnumId, Enumeration, Expr, Initial, Model, Named, Process, ProcessId,
    Property, Role, Type, Unary, VarId, Variable,
};
use crate::dice::Dice;
use crate::random_expr::Kind;
use crate::random_place::{Fact, Scope};

/// What random models look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// A bound on the number of states, reachable or not.
    pub max_states: usize,
    /// How deep expressions nest.
    pub depth: usize,
    /// The percentage of models that may err.
    pub risky: u32,
    /// The percentage of processes without a parameter: `process Q() { .. }`.
    pub parameterless: u32,
    /// The percentage of writes that go to another process, where there is one: `P[e].x := ..`.
    pub foreign_writes: u32,
    /// The percentage of quantifiers over an empty range.
    pub empty_ranges: u32,
    /// The percentage of updates in risky models that repeat the target of another one.
    pub repeated_writes: u32,
    /// Few variables and commands, most of them about `int`s that no guard keeps in an interval: there may be infinitely
    /// many states.
    pub is_unbounded: bool,
}

impl Shape {
    /// Small models with numbers that may grow for ever.
    pub fn unbounded() -> Shape {
        Shape { max_states: 300, depth: 2, risky: 30, is_unbounded: true, ..Shape::default() }
    }

    /// `small` for unbounded models, else `usual`.
    pub(crate) fn either<T>(&self, small: T, usual: T) -> T {
        if self.is_unbounded { small } else { usual }
    }
}

impl Default for Shape {
    fn default() -> Shape {
        Shape {
            max_states: 5000,
            depth: 3,
            risky: 50,
            parameterless: 15,
            foreign_writes: 10,
            empty_ranges: 4,
            repeated_writes: 4,
            is_unbounded: false,
        }
    }
}

impl Model {
    /// A random model; equal seeds and shapes give equal models.
    pub fn random(seed: u64, shape: &Shape) -> Model {
        let mut dice = Dice::new(seed);
        let risk = if dice.percent(shape.risky) { [6, 10, 20][dice.below(3)] } else { 0 };
        let mut maker = Maker {
            dice,
            shape,
            model: Model::default(),
            facts: Vec::new(),
            instances: Vec::new(),
            numbers: Vec::new(),
            defines: Vec::new(),
            risk,
            is_tense: false,
        };
        maker.is_tense = maker.dice.percent(30);
        maker.constants();
        maker.enums();
        maker.processes();
        maker.variables();
        maker.define_names();
        maker.commands();
        maker.inits();
        maker.properties();
        maker.model
    }
}

/// A model in the making, and what is known about its parts.
pub(crate) struct Maker<'a> {
    pub(crate) dice: Dice,
    pub(crate) shape: &'a Shape,
    pub(crate) model: Model,
    pub(crate) facts: Vec<Fact>,
    /// The interval of each process's parameter.
    pub(crate) instances: Vec<Option<(i128, i128)>>,
    /// The constants that are numbers, and their values.
    pub(crate) numbers: Vec<(ConstId, i128)>,
    /// The kind of each define.
    pub(crate) defines: Vec<(DefineId, Kind)>,
    /// The chance in percent that something is left unguarded.
    pub(crate) risk: u32,
    /// Whether every command has a guard, which makes deadlocks likely.
    pub(crate) is_tense: bool,
}

const VARIABLE_NAMES: [&str; 8] = ["x", "turn", "_g", "Count", "input_", "divided", "iff", "trueish"];
const LOCAL_NAMES: [&str; 5] = ["pc", "buf", "mine", "skipped", "Init"];
const LITERALS: [&str; 9] = ["idle", "want", "crit", "red", "green", "Blue", "_off", "on1", "minimal"];

impl Maker<'_> {
    /// An expression for a given number: a literal, or a constant with an offset.
    pub(crate) fn constant(&mut self, value: i128) -> Expr {
        if self.numbers.is_empty() || self.dice.percent(60) {
            return Expr::Int(value);
        }
        let (id, known) = self.numbers[self.dice.below(self.numbers.len())];
        match value - known {
            0 => Expr::Const(id),
            more @ 1.. => Expr::binary(Binary::Add, Expr::Const(id), Expr::Int(more)),
            less => Expr::binary(Binary::Sub, Expr::Const(id), Expr::Int(-less)),
        }
    }

    pub(crate) fn binder(&mut self, name: &str, lo: i128, hi: i128) -> Binder {
        Binder { name: name.to_owned(), lo: self.constant(lo), hi: self.constant(hi) }
    }

    fn constants(&mut self) {
        for at in 0..self.dice.below(self.shape.either(2, 4)) {
            let name = format!("{}{at}", ["N", "MAX_", "k_"][self.dice.below(3)]);
            let number = self.dice.between(-1, 4);
            let value = self.constant(number);
            self.numbers.push((ConstId(at), number));
            self.model.constants.push(Named { name, value });
        }
        if self.dice.percent(15) {
            let value = Expr::Bool(self.dice.percent(50));
            self.model.constants.push(Named { name: "DEBUG".to_owned(), value });
        }
    }

    /// Enumerations share literals now and then.
    fn enums(&mut self) {
        let mut unused = LITERALS.to_vec();
        self.dice.shuffle(&mut unused);
        for at in 0..self.dice.below(self.shape.either(2, 4)) {
            let n_literals = 2 + self.dice.below(2);
            let mut literals: Vec<String> = unused.drain(..n_literals).map(str::to_owned).collect();
            if at > 0 && self.dice.percent(40) {
                let other = &self.model.enums[self.dice.below(at)].literals;
                literals[0] = other[self.dice.below(other.len())].clone();
            }
            self.dice.shuffle(&mut literals);
            self.model.enums.push(Enumeration { name: Some(format!("Loc{at}")), literals });
        }
    }

    fn processes(&mut self) {
        for at in 0..self.shape.either([0, 0, 0, 1], [0, 1, 1, 2])[self.dice.below(4)] {
            let name = format!("{}{at}", ["P", "Proc", "Node_"][self.dice.below(3)]);
            let interval = if self.dice.percent(self.shape.parameterless) {
                None
            } else {
                let lo = [0, 0, 0, 1, -1][self.dice.below(5)];
                Some((lo, lo + self.dice.between(0, self.shape.either(1, 2))))
            };
            let param = interval.map(|(lo, hi)| self.binder("i", lo, hi));
            self.instances.push(interval);
            self.model.processes.push(Process { name, param, variables: Vec::new(), commands: Vec::new() });
        }
    }

    fn variables(&mut self) {
        let most = self.shape.max_states.max(4).ilog2() as usize;
        let n_doublings = 2 + self.dice.below(most - 1).max(self.dice.below(most - 1));
        let mut room = (1_usize << n_doublings).min(self.shape.max_states);
        if n_doublings == most {
            room = self.shape.max_states;
        }
        for at in 0..self.model.processes.len() {
            self.variable(Some(ProcessId(at)), &mut room);
        }
        for _ in 0..2 + self.dice.below(self.shape.either(3, 6)) {
            let local = !self.model.processes.is_empty() && self.dice.percent(40);
            let owner = local.then(|| ProcessId(self.dice.below(self.model.processes.len())));
            self.variable(owner, &mut room);
        }
        while self.facts.is_empty() {
            self.variable(None, &mut 8);
        }
        self.write_out_enums();
    }

    /// Adds a variable if there is room for the states that it brings.
    fn variable(&mut self, owner: Option<ProcessId>, room: &mut usize) {
        let (ty, kind, lo, hi) = self.ty();
        let n_dims = [0, 0, 0, 0, 1, 1, 2][self.dice.below(7)];
        let dims: Vec<i128> = (0..n_dims).map(|_| self.dice.between(1, if n_dims == 2 { 2 } else { 3 })).collect();
        let n_instances = owner.and_then(|id| self.instances[id.0]).map_or(1, |(lo, hi)| hi - lo + 1);
        let n_cells = u32::try_from(dims.iter().product::<i128>() * n_instances).expect("arrays are small");
        let n_values = usize::try_from(hi - lo + 1).expect("ranges are small");
        let Some(n_states) = n_values.checked_pow(n_cells).filter(|n_states| n_states <= room) else {
            return;
        };
        *room /= n_states;
        let declared = owner.map_or(&self.model.variables, |id| &self.model.processes[id.0].variables);
        let variable = VarId(declared.len());
        let name = match owner {
            None => format!("{}{}", self.dice.pick(&VARIABLE_NAMES), variable.0),
            // Local names of different processes may coincide.
            Some(_) => format!("{}_{}", self.dice.pick(&LOCAL_NAMES), variable.0),
        };
        let fact = Fact { owner, variable, kind, is_int: ty == Type::Int, lo, hi, dims, is_written: false };
        let initial = self.initial(&fact);
        let dims = fact.dims.iter().map(|dim| self.constant(*dim)).collect();
        let role = if self.dice.percent(25) { Role::Control } else { Role::Plain };
        self.facts.push(fact);
        let declared = owner.map_or(&mut self.model.variables, |id| &mut self.model.processes[id.0].variables);
        declared.push(Variable { name, ty, dims, role, initial });
    }

    /// A type, with the interval of its values; that of an `int` is kept by the guards.
    fn ty(&mut self) -> (Type, Kind, i128, i128) {
        if self.shape.is_unbounded && self.dice.percent(50) {
            let lo = self.dice.between(-1, 1);
            return (Type::Int, Kind::Int, lo, lo + self.dice.between(1, 4));
        }
        match self.dice.below(8) {
            0 | 1 => (Type::Bool, Kind::Bool, 0, 1),
            2 | 3 if !self.model.enums.is_empty() => {
                let id = EnumId(self.dice.below(self.model.enums.len()));
                let n_literals = self.model.enums[id.0].literals.len() as i128;
                (Type::Enum(id), Kind::Enum(id), 0, n_literals - 1)
            }
            4 => {
                let lo = self.dice.between(-2, 1);
                (Type::Int, Kind::Int, lo, lo + self.dice.between(1, 6))
            }
            _ => {
                let lo = [0, 0, 0, 1, -1, -3][self.dice.below(6)];
                let hi = lo + [0, 1, 2, 2, 3, 4, 6, 9][self.dice.below(8)];
                (Type::Range(self.constant(lo), self.constant(hi)), Kind::Int, lo, hi)
            }
        }
    }

    fn initial(&mut self, fact: &Fact) -> Initial {
        if (!fact.is_int || self.shape.is_unbounded) && self.dice.percent(self.shape.either(10, 18)) {
            return Initial::Any;
        }
        if fact.dims.is_empty() || self.dice.percent(50) {
            return Initial::Each(self.initial_value(fact));
        }
        let n_cells = fact.dims.iter().product::<i128>();
        Initial::List((0..n_cells).map(|_| self.initial_value(fact)).collect())
    }

    fn initial_value(&mut self, fact: &Fact) -> Expr {
        let param = fact.owner.and_then(|id| self.instances[id.0]);
        match (fact.kind, param) {
            (Kind::Int, Some((lo, hi))) if fact.lo <= lo && hi <= fact.hi && self.dice.percent(40) => {
                Expr::Bound("i".to_owned())
            }
            // From the least value there is most to explore.
            (Kind::Int, _) if self.dice.percent(75) => self.constant(fact.lo),
            _ => self.value_of(fact),
        }
    }

    /// Some enumerations with a single use are written out there.
    fn write_out_enums(&mut self) {
        for at in 0..self.model.enums.len() {
            let n_uses = self.facts.iter().filter(|fact| fact.kind == Kind::Enum(EnumId(at))).count();
            if n_uses == 1 && self.dice.percent(40) {
                self.model.enums[at].name = None;
            }
        }
    }

    fn define_names(&mut self) {
        for at in 0..self.dice.below(self.shape.either(2, 4)) {
            let scope = self.global_scope();
            let (kind, value) = match self.dice.below(3) {
                0 => (Kind::Int, self.number(&scope, 2)),
                _ => (Kind::Bool, self.condition(&scope, 2)),
            };
            let name = format!("{}{at}", ["busy", "total", "Min"][self.dice.below(3)]);
            self.model.defines.push(Named { name, value });
            self.defines.push((DefineId(at), kind));
        }
    }

    pub(crate) fn global_scope(&self) -> Scope {
        Scope { process: None, bound: Vec::new(), risk: self.risk, n_defines: self.defines.len() }
    }

    /// Conditions on initial states never err, since the language does not say what that means.
    fn inits(&mut self) {
        if self.dice.percent(78) {
            return;
        }
        for _ in 0..[1, 1, 2][self.dice.below(3)] {
            let scope = Scope { risk: 0, n_defines: 0, ..self.global_scope() };
            let condition = match self.dice.below(10) {
                0..=2 => self.condition(&scope, 2),
                3..=8 => self.bounded(&scope),
                _ => self.unlikely(&scope),
            };
            self.model.inits.push(condition);
        }
    }

    fn properties(&mut self) {
        for at in 0..1 + self.dice.below(4) {
            let scope = self.global_scope();
            let claim = match self.dice.below(10) {
                _ if at == 0 && self.dice.percent(if self.is_tense { 70 } else { 20 }) => Claim::DeadlockFree,
                0 => Claim::DeadlockFree,
                1 | 3 | 4 if self.shape.is_unbounded => Claim::Invariant(self.relation(&scope)),
                7 if self.shape.is_unbounded => Claim::Reach(self.relation(&scope)),
                1 | 2 => Claim::Invariant(self.condition(&scope, self.shape.depth)),
                3 => Claim::Invariant(self.bounded(&scope)),
                4..=6 => Claim::Invariant(Expr::unary(Unary::Not, self.unlikely(&scope))),
                7 => Claim::Reach(self.condition(&scope, self.shape.depth)),
                _ => Claim::Reach(self.unlikely(&scope)),
            };
            let name = format!("{}{at}", ["mutex", "safe", "reachable", "_p"][self.dice.below(4)]);
            self.model.properties.push(Property { name, claim });
        }
    }
}

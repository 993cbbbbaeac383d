//! Random commands, and conditions that look at what commands write.

use crate::ast::{Binary, Command, Expr, Owner, Place, ProcessId, Source, Unary, Update};
use crate::random::Maker;
use crate::random_expr::{Kind, Sight};
use crate::random_place::{Fact, Scope};

const LABELS: [&str; 5] = ["step", "go", "enter", "leave", "reset"];

impl Maker<'_> {
    /// The commands of the model and of its processes.
    pub(crate) fn commands(&mut self) {
        for at in 0..self.model.processes.len() {
            for _ in 0..1 + self.dice.below(self.shape.either(3, 5)) {
                let command = self.command(Some(ProcessId(at)));
                self.model.processes[at].commands.push(command);
            }
        }
        let at_least = if self.model.processes.is_empty() { 2 } else { 0 };
        for _ in 0..at_least + self.dice.below(self.shape.either(4, 5)) {
            let command = self.command(None);
            self.model.commands.push(command);
        }
    }

    fn command(&mut self, process: Option<ProcessId>) -> Command {
        let mut scope = Scope { process, ..self.global_scope() };
        if let Some((lo, hi)) = process.and_then(|id| self.instances[id.0]) {
            scope.bound.push(("i".to_owned(), lo, hi));
        }
        let mut index = None;
        if self.dice.percent(20) {
            let (lo, hi) = self.likely_range();
            let (name, inner) = scope.inside(lo, hi);
            scope = inner;
            index = Some(self.binder(&name, lo, hi));
        }
        let mut conditions = self.guard(&scope);
        let updates = self.updates(&scope, &mut conditions);
        self.dice.shuffle(&mut conditions);
        let conjoin = |left, right| Expr::binary(Binary::And, left, right);
        let guard = conditions.into_iter().reduce(conjoin).unwrap_or(Expr::Bool(true));
        let label = self.dice.pick(&LABELS).to_owned();
        Command { label, index, guard, updates }
    }

    fn guard(&mut self, scope: &Scope) -> Vec<Expr> {
        match self.dice.below(8) {
            0..=3 if !self.is_tense => Vec::new(),
            0..=5 => vec![self.atom(scope, 1)],
            6 => vec![self.atom(scope, 1), self.atom(scope, 1)],
            _ => vec![self.condition(scope, self.shape.depth)],
        }
    }

    fn updates(&mut self, scope: &Scope, conditions: &mut Vec<Expr>) -> Vec<Update> {
        let mut updates: Vec<Update> = Vec::new();
        for _ in 0..[0, 1, 1, 1, 1, 1, 1, 2, 2, 3][self.dice.below(10)] {
            if scope.risk > 0 && !updates.is_empty() && self.dice.percent(self.shape.repeated_writes) {
                updates.push(updates[0].clone());
                continue;
            }
            let Some((fact, target)) = self.target(scope) else { continue };
            let may_clash = |update: &Update| may_clash(&fact, scope, &target, update);
            if updates.iter().any(may_clash) && !self.dice.percent(scope.risk * 2) {
                continue;
            }
            let source = self.source(scope, &fact, &target, conditions);
            updates.push(Update { target, source });
        }
        updates
    }

    /// A cell to write: a global one, an own one, or sometimes one of another instance.
    fn target(&mut self, scope: &Scope) -> Option<(Fact, Place)> {
        let foreign = self.dice.percent(self.shape.foreign_writes);
        let near = |fact: &Fact| fact.owner.is_none() || fact.owner == scope.process;
        let candidates = self.candidates(|fact| foreign || near(fact));
        if candidates.is_empty() {
            return None;
        }
        // A variable that no command writes yet makes the model livelier.
        let unwritten: Vec<usize> = candidates.iter().copied().filter(|&at| !self.facts[at].is_written).collect();
        let preferred = if unwritten.is_empty() || self.dice.percent(20) { candidates } else { unwritten };
        let at = preferred[self.dice.below(preferred.len())];
        self.facts[at].is_written = true;
        let fact = self.facts[at].clone();
        let mut place = self.place(scope, 1, &fact);
        if fact.owner.is_some() && fact.owner == scope.process && !foreign {
            place.owner = Owner::Own;
        }
        Some((fact, place))
    }

    fn source(&mut self, scope: &Scope, fact: &Fact, target: &Place, conditions: &mut Vec<Expr>) -> Source {
        if (!fact.is_int || self.shape.is_unbounded) && self.dice.percent(12) {
            return Source::Input;
        }
        Source::Expr(match fact.kind {
            Kind::Bool => match self.dice.below(4) {
                0 => self.value_of(fact),
                1 => self.condition(scope, 2),
                _ => Expr::unary(Unary::Not, Expr::Read(target.clone())),
            },
            Kind::Enum(id) if self.dice.percent(40) => self.option(scope, 1, id, Sight::Plain),
            Kind::Enum(id) => {
                let from = self.dice.below(self.model.enums[id.0].literals.len());
                let to = (from + 1) % self.model.enums[id.0].literals.len();
                conditions.push(Expr::binary(Binary::Eq, Expr::Read(target.clone()), Expr::Literal(id, from)));
                Expr::Literal(id, to)
            }
            Kind::Int => self.assigned(scope, fact, target, conditions),
        })
    }

    /// A number to assign, which is in range or, in some models, is just likely to be.
    fn assigned(&mut self, scope: &Scope, fact: &Fact, target: &Place, conditions: &mut Vec<Expr>) -> Expr {
        if fact.is_int && self.shape.is_unbounded && self.dice.percent(75) {
            return self.grown(scope, target);
        }
        let next = if self.dice.percent(75) {
            let op = if self.dice.percent(80) { Binary::Add } else { Binary::Sub };
            Expr::binary(op, Expr::Read(target.clone()), Expr::Int(1))
        } else {
            self.number(scope, 2)
        };
        if !fact.is_int && self.dice.percent(scope.risk * 3) {
            return next;
        }
        match self.dice.below(7) {
            0 => self.value_of(fact),
            1..=3 => self.reduced(next, fact.lo, fact.hi),
            4 => {
                let high = self.constant(fact.hi);
                let low = self.constant(fact.lo);
                Expr::binary(Binary::Max, low, Expr::binary(Binary::Min, next, high))
            }
            _ => {
                let high = self.constant(fact.hi);
                let low = self.constant(fact.lo);
                let below = Expr::binary(Binary::Le, next.clone(), high);
                let above = Expr::binary(Binary::Le, low, next.clone());
                conditions.push(Expr::binary(Binary::And, above, below));
                next
            }
        }
    }

    /// A constant value of a variable's type.
    pub(crate) fn value_of(&mut self, fact: &Fact) -> Expr {
        let value = self.dice.between(fact.lo, fact.hi);
        match fact.kind {
            Kind::Bool => Expr::Bool(value == 1),
            Kind::Int => self.constant(value),
            Kind::Enum(id) => Expr::Literal(id, usize::try_from(value).expect("positions of literals are small")),
        }
    }

    /// A condition that few states satisfy: several cells have given values.
    pub(crate) fn unlikely(&mut self, scope: &Scope) -> Expr {
        let n_cells = 1 + self.dice.below(3);
        let mut conditions = Vec::new();
        for _ in 0..n_cells {
            let fact = self.facts[self.dice.below(self.facts.len())].clone();
            let cell = Expr::Read(self.place(scope, 1, &fact));
            // Runs start at the least value mostly, so the greatest one is far away.
            let value = if fact.kind == Kind::Int && self.dice.percent(60) {
                self.constant(fact.hi)
            } else {
                self.value_of(&fact)
            };
            conditions.push(match value {
                Expr::Bool(true) => cell,
                Expr::Bool(false) => Expr::unary(Unary::Not, cell),
                value => Expr::binary(Binary::Eq, cell, value),
            });
        }
        let conjoin = |left, right| Expr::binary(Binary::And, left, right);
        conditions.into_iter().reduce(conjoin).expect("there is a condition")
    }

    /// A condition that all states satisfy if variables keep to their intervals.
    pub(crate) fn bounded(&mut self, scope: &Scope) -> Expr {
        let numbers = self.candidates(|fact| fact.kind == Kind::Int);
        if numbers.is_empty() {
            return self.condition(scope, 1);
        }
        let fact = self.facts[numbers[self.dice.below(numbers.len())]].clone();
        let cell = Expr::Read(self.place(scope, 1, &fact));
        let low = Expr::binary(Binary::Le, self.constant(fact.lo), cell.clone());
        let high = Expr::binary(Binary::Le, cell, self.constant(fact.hi));
        Expr::binary(Binary::And, low, high)
    }
}

/// Whether two updates of one command may write the same cell.
fn may_clash(fact: &Fact, scope: &Scope, target: &Place, update: &Update) -> bool {
    let process_of = |owner: &Owner| match owner {
        Owner::Global => None,
        Owner::Own => scope.process,
        Owner::Instance(id, _) => Some(*id),
    };
    if process_of(&update.target.owner) != fact.owner || update.target.variable != fact.variable {
        return false;
    }
    let differ = |(left, right): (&Expr, &Expr)| matches!((left, right), (Expr::Int(_), Expr::Int(_))) && left != right;
    !target.indexes.iter().zip(&update.target.indexes).any(differ)
}

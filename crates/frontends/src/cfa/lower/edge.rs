//! Edges: each is a command that can be taken at its location, does what its statements say, and leads to the next one.

use lapidary_base::IdVec;
use lapidary_base::hash::Map;
use lapidary_ir::{Assignment, Command, CommandId, Destination, Expr, Rhs, Statement, VarId, passes};

use super::super::typed::{self, Edge};
use super::{Lowered, Lowering};

impl Lowering<'_, '_> {
    pub(super) fn commands(&mut self) -> IdVec<CommandId, Command> {
        let program = self.program;
        let mut n_parallel: Map<(&str, &str), u32> = Map::default();
        let mut commands = IdVec::new();
        for edge in &program.edges {
            if !self.log.goes_on() {
                break;
            }
            let (from, to) = (program.locations[edge.from].text, program.locations[edge.to].text);
            let n = n_parallel.entry((from, to)).or_default();
            *n += 1;
            let label = if *n == 1 { format!("{from} -> {to}") } else { format!("{from} -> {to} ({n})") };
            // What goes wrong is in the log; other edges may show more.
            if let Ok(body) = self.body(edge) {
                commands.push(Command { label, body, faults: Vec::new(), is_idle: false, span: edge.span });
            }
        }
        commands
    }

    fn body(&mut self, edge: &Edge) -> Lowered<Statement> {
        let mut steps = Steps { guard: vec![self.at(edge.from)], done: Vec::new() };
        for statement in &edge.body {
            match statement {
                typed::Statement::Assume(condition) => {
                    let condition = self.lower(condition)?;
                    steps.assume(condition);
                }
                typed::Statement::Havoc(to) => {
                    let var = self.of[*to].expect("what is never run is not lowered");
                    self.write(&mut steps, var, Rhs::Any);
                }
                typed::Statement::Assign(to, value) => {
                    let var = self.of[*to].expect("what is never run is not lowered");
                    let value = self.lower(value)?;
                    self.write(&mut steps, var, Rhs::Expr(value));
                }
            }
        }
        self.write(&mut steps, self.here, Rhs::Expr(self.location(edge.to)));
        let Steps { guard, mut done } = steps;
        let guard = self.exprs.and(guard);
        done.insert(0, Statement::Assume(guard));
        Ok(Statement::Sequence(done))
    }

    /// Writes together with what was written just before, where that changes nothing.
    fn write(&self, steps: &mut Steps, var: VarId, value: Rhs) {
        let assignment = Assignment { to: Destination::Var(var), value };
        if let Some(Statement::Assign(together)) = steps.done.last_mut()
            && together.len() < MOST_TOGETHER
        {
            let reads = match value {
                Rhs::Expr(value) => passes::variables(&self.exprs, value),
                Rhs::Any => Default::default(),
            };
            let is_apart = |before: &Assignment| match before.to {
                Destination::Var(written) => written != var && !reads.contains(&written),
                Destination::Cell(..) => false,
            };
            if together.iter().all(is_apart) {
                together.push(assignment);
                return;
            }
        }
        steps.done.push(Statement::Assign(vec![assignment]));
    }
}

/// Looking for what could be in the way takes as long as there are assignments.
const MOST_TOGETHER: usize = 64;

/// What an edge does, as far as it was read.
struct Steps {
    /// What is assumed before anything is written.
    guard: Vec<Expr>,
    done: Vec<Statement>,
}

impl Steps {
    fn assume(&mut self, condition: Expr) {
        if self.done.is_empty() {
            self.guard.push(condition);
        } else {
            self.done.push(Statement::Assume(condition));
        }
    }
}

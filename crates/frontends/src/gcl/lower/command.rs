//! Commands: one per instance, with a body that no run-time error can happen in.

use lapidary_base::Id;
use lapidary_base::hash::{Map, Set};
use lapidary_ir as ir;
use lapidary_ir::{Assignment, Destination, Domain, Fault, Rhs, Statement, VarId};
use lapidary_text::{Diagnostic, Span, quotation};

use super::super::codes;
use super::super::limits::MAX_COMMANDS;
use super::super::typed::{Command, Expr, Kind, ProcessId, Unit, Update};
use super::layout::{self, instance_name, instances};
use super::place::{Cell, Located};
use super::value::{Junction, Parts, Value};
use super::{Aborted, Lowered, Lowering};

/// What a fault with its text costs, in expression nodes.
const FAULT_COST: u64 = 10;

/// The destinations of one command so far.
#[derive(Default)]
struct Written {
    /// The first update of a cell that is known beforehand.
    fixed: Map<VarId, usize>,
    /// The updates of cells that are not.
    picked: Vec<usize>,
    cells: Vec<(Cell, Vec<ir::Expr>)>,
}

impl Written {
    /// Enters an update, and tells the earlier ones that may write the same cell.
    fn rivals(&mut self, cell: Cell, position: usize) -> Vec<usize> {
        match cell {
            Cell::Fixed(var) => {
                // Two cells that are known beforehand are compared by a look-up.
                let first = *self.fixed.entry(var).or_insert(position);
                self.picked.iter().copied().chain((first != position).then_some(first)).collect()
            }
            Cell::Picked { .. } => {
                self.picked.push(position);
                (0..position).collect()
            }
        }
    }
}

impl<'a> Lowering<'a, '_> {
    pub fn all_commands(&mut self) {
        let program = self.program;
        for unit in &program.units {
            match unit {
                Unit::Command(command) => self.instance(&[], |lowering| lowering.command(command, "")),
                Unit::Process(process) => self.process(*process),
            }
        }
    }

    fn process(&mut self, process: ProcessId) {
        let program = self.program;
        let process = &program.processes[process];
        for params in instances(process) {
            let shown: Vec<String> = params.iter().map(i64::to_string).collect();
            let prefix = instance_name(process, &shown) + ".";
            self.instance(&params, |lowering| {
                process.commands.iter().for_each(|command| lowering.command(command, &prefix));
            });
        }
    }

    /// All instances of a command. What goes wrong with one is reported, and the others are still looked at.
    fn command(&mut self, command: &Command<'a>, prefix: &str) {
        let label = format!("{prefix}{}", command.label.text);
        let Some(range) = &command.range else {
            // Whatever went wrong is in the log.
            let _ = self.command_instance(command, label);
            return;
        };
        let (Ok(lo), Ok(hi)) = (self.constant_int(&range.lo), self.constant_int(&range.hi)) else { return };
        for j in lo..=hi {
            self.slots.push(j);
            let lowered = self.command_instance(command, format!("{label}[{j}]"));
            self.slots.pop();
            if lowered.is_err() {
                return;
            }
        }
    }

    fn command_instance(&mut self, command: &Command<'a>, label: String) -> Lowered<()> {
        self.spend(1, command.span)?;
        if self.commands.len() as u64 >= MAX_COMMANDS {
            let message = format!("more than {MAX_COMMANDS} commands, one for each instance");
            self.log.push(layout::too_large(message, command.span));
            return Err(Aborted);
        }
        self.instantiated.insert(command.span);
        let mark = self.facts.mark();
        let lowered = self.guarded(command, label);
        self.facts.forget(mark);
        lowered
    }

    fn guarded(&mut self, command: &Command<'a>, label: String) -> Lowered<()> {
        let conjuncts: &[Expr] = match &command.guard.kind {
            Kind::And(parts) => parts,
            _ => std::slice::from_ref(&command.guard),
        };
        let mut guard = Parts::new(Junction::And);
        let mut is_false = false;
        for conjunct in conjuncts {
            let value = self.lower(conjunct)?;
            is_false = guard.push(value, self)?;
            if is_false {
                break;
            }
        }
        if is_false && guard.faults.is_empty() {
            // It can neither be taken nor go wrong: there is no such command.
            return Ok(());
        }
        self.enabled.insert(command.span);
        let (assignments, update_faults) = if is_false { Default::default() } else { self.updates(&command.updates)? };
        let mut faults = guard.faults;
        faults.extend(self.under(&guard.context, update_faults.clone())?);
        let faults = self.merged(faults)?;
        let body = self.body(guard.context, &update_faults, assignments, command)?;
        self.commands.push(ir::Command { label, body, faults, is_idle: false, span: command.span });
        Ok(())
    }

    /// The guard first, then what the updates need: that may presuppose the guard.
    fn body(
        &mut self,
        guard: Vec<ir::Expr>,
        update_faults: &[Fault],
        assignments: Vec<Assignment>,
        command: &Command<'a>,
    ) -> Lowered<Statement> {
        let mut seen: Set<ir::Expr> = Set::default();
        let conditions = guard.into_iter().chain(self.no_faults(update_faults));
        let conditions: Vec<ir::Expr> = conditions.filter(|&condition| seen.insert(condition)).collect();
        let assumption = self.exprs.and(conditions);
        self.measure(assumption, command.span)?;
        let update = if assignments.is_empty() { Statement::Skip } else { Statement::Assign(assignments) };
        Ok(Statement::Sequence(vec![Statement::Assume(assumption), update]))
    }

    /// The assignments, and the ways in which they go wrong where the guard is true.
    fn updates(&mut self, updates: &[Update]) -> Lowered<(Vec<Assignment>, Vec<Fault>)> {
        let (mut assignments, mut faults) = (Vec::new(), Vec::new());
        let mut written = Written::default();
        for update in updates {
            let Located { cell, domain, faults: index_faults } = self.locate(&update.to)?;
            let clear = self.no_faults(&index_faults);
            faults.extend(index_faults);
            self.double_writes(updates, &mut written, cell, clear, &mut faults)?;
            let value = match &update.value {
                None => Rhs::Any,
                Some(value) => {
                    let value = self.lower(value)?;
                    let range_fault = self.range_fault(update, domain, &value)?;
                    faults.extend(value.faults);
                    faults.extend(range_fault);
                    Rhs::Expr(value.expr)
                }
            };
            let to = match cell {
                Cell::Fixed(var) => Destination::Var(var),
                Cell::Picked { family, index, .. } => Destination::Cell(family, index),
            };
            assignments.push(Assignment { to, value });
        }
        Ok((assignments, faults))
    }

    fn range_fault(&mut self, update: &Update, domain: Domain, value: &Value) -> Lowered<Option<Fault>> {
        let Domain::Range { lo, hi } = domain else { return Ok(None) };
        let exprs = &self.exprs;
        let below = value.interval.reaches_below(lo).then(|| exprs.lt(value.expr, exprs.int(lo)));
        let above = value.interval.reaches_above(hi).then(|| exprs.lt(exprs.int(hi), value.expr));
        let outside = exprs.or(below.into_iter().chain(above));
        if exprs.as_bool(outside) == Some(false) {
            return Ok(None);
        }
        let what = format!("{} leaves {lo}..{hi}", quotation::quote(self.sources, update.span));
        self.fault(value, outside, what, update.span)
    }

    /// Adds the faults that this cell is one of those written before.
    fn double_writes(
        &mut self,
        updates: &[Update],
        written: &mut Written,
        cell: Cell,
        clear: Vec<ir::Expr>,
        faults: &mut Vec<Fault>,
    ) -> Lowered<()> {
        let position = written.cells.len();
        let span = updates[position].to.span;
        let rivals = written.rivals(cell, position);
        written.cells.push((cell, clear));
        for i in rivals {
            // There may be many pairs.
            self.spend(1, span)?;
            let Some(when) = self.same_cell(cell, written.cells[i].0) else { continue };
            self.spend(FAULT_COST, span)?;
            let what = self.double_write(cell, updates[i].to.span, span);
            let context = [&written.cells[i].1[..], &written.cells[position].1[..]].concat();
            faults.extend(self.under(&context, vec![Fault { when, what, span }])?);
        }
        Ok(())
    }

    fn double_write(&self, cell: Cell, first: Span, second: Span) -> String {
        let [a, b] = [first, second].map(|span| quotation::quote(self.sources, span));
        match cell {
            Cell::Fixed(var) if a != b => format!("cell {} is written twice", self.layout.vars[var].name),
            _ if a == b => format!("cell {a} is written twice"),
            Cell::Fixed(_) | Cell::Picked { .. } => format!("{a} and {b} are one cell, written twice"),
        }
    }

    /// Where two cells are one; nothing where they never are.
    fn same_cell(&self, a: Cell, b: Cell) -> Option<ir::Expr> {
        let exprs = &self.exprs;
        match (a, b) {
            (Cell::Fixed(x), Cell::Fixed(y)) => (x == y).then(|| exprs.bool(true)),
            (Cell::Fixed(var), Cell::Picked { family, index, interval })
            | (Cell::Picked { family, index, interval }, Cell::Fixed(var)) => {
                let family = &self.layout.families[family];
                let offset = var.index().checked_sub(family.first.index())?;
                let offset = i64::try_from(offset).ok().filter(|&offset| offset < family.len.into())?;
                interval.contains(offset.into()).then(|| exprs.eq(index, exprs.int(offset)))
            }
            (Cell::Picked { family: f, index: i, interval: p }, Cell::Picked { family: g, index: j, interval: q }) => {
                (f == g && p.meets(q)).then(|| if i == j { exprs.bool(true) } else { exprs.eq(i, j) })
            }
        }
    }

    /// A command whose guard is false whatever the state is probably a mistake.
    pub fn report_never_enabled(&mut self) {
        let program = self.program;
        let outside = program.units.iter().filter_map(|unit| match unit {
            Unit::Command(command) => Some(&**command),
            Unit::Process(_) => None,
        });
        let inside = program.processes.iter().flat_map(|process| &process.commands);
        for command in outside.chain(inside) {
            if self.instantiated.contains(&command.span) && !self.enabled.contains(&command.span) {
                let message = format!("the command `{}` can never be taken", command.label.text);
                let label = "false in every state";
                let diagnostic = Diagnostic::warning(codes::NEVER_ENABLED, message, command.guard.span, label);
                self.log.push(diagnostic.with_help("change the guard, or leave the command out"));
            }
        }
    }
}

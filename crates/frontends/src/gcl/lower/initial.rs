//! Initial states: what variables start with, and the further conditions.

use lapidary_ir::{Domain, Expr, VarId};
use lapidary_text::Diagnostic;

use super::super::codes;
use super::super::typed::{self, Constant, Initial, Kind, Variable, VariableId};
use super::layout::instances;
use super::value::{Junction, Parts};
use super::{Lowered, Lowering};

impl<'a> Lowering<'a, '_> {
    /// One conjunct per cell with an initial value, then those of the `init` conditions.
    pub fn init(&mut self) -> Vec<Expr> {
        let mut init = Vec::new();
        let program = self.program;
        for (id, variable) in program.variables.enumerated() {
            let instances = variable.process.map_or(vec![Vec::new()], |process| instances(&program.processes[process]));
            for (number, params) in instances.iter().enumerate() {
                // What goes wrong is in the log; the other instances may show more.
                let _ = self.instance(params, |lowering| lowering.start(id, variable, number, &mut init));
            }
        }
        for condition in &program.inits {
            let _ = self.instance(&[], |lowering| lowering.condition(condition, &mut init));
        }
        for process in program.processes.iter().filter(|process| !process.inits.is_empty()) {
            for params in instances(process) {
                for condition in &process.inits {
                    let _ = self.instance(&params, |lowering| lowering.condition(condition, &mut init));
                }
            }
        }
        init
    }

    /// The cells of one instance of a variable.
    fn start(&mut self, id: VariableId, variable: &Variable<'a>, instance: usize, init: &mut Vec<Expr>) -> Lowered<()> {
        let cells = &self.layout.cells[id];
        let n_cells = cells.n_per_instance(self.slots.len());
        let first = cells.var(instance as u32 * n_cells);
        match &variable.initial {
            Initial::Any => {}
            Initial::Each(value) => {
                let value = self.initial_value(variable, first, value)?;
                for offset in 0..n_cells {
                    init.push(self.equation(VarId(first.0 + offset), value));
                }
            }
            Initial::List(values) => {
                for (offset, value) in (0..n_cells).zip(values) {
                    let var = VarId(first.0 + offset);
                    let value = self.initial_value(variable, var, value)?;
                    init.push(self.equation(var, value));
                }
            }
        }
        Ok(())
    }

    fn initial_value(&mut self, variable: &Variable<'a>, var: VarId, value: &typed::Expr) -> Lowered<Constant> {
        let constant = self.constant(value)?;
        if let (Domain::Range { lo, hi }, Constant::Int(number)) = (variable.domain, constant)
            && !(lo..=hi).contains(&number)
        {
            let message = format!("{} cannot start with {number}", self.layout.vars[var].name);
            let label = format!("not in {lo}..{hi}");
            let help = format!(
                "choose a value of {lo}..{hi}, or make the range larger: {}..{}",
                lo.min(number),
                hi.max(number)
            );
            self.log.push(Diagnostic::error(codes::INITIAL_VALUE, message, value.span, label).with_help(help));
        }
        Ok(constant)
    }

    fn equation(&self, var: VarId, value: Constant) -> Expr {
        self.exprs.eq(self.exprs.var(var), self.literal(value).expr)
    }

    /// An `init` condition. Its conjuncts are kept apart where each has a value on its own.
    fn condition(&mut self, condition: &typed::Expr, init: &mut Vec<Expr>) -> Lowered<()> {
        let conjuncts = match &condition.kind {
            Kind::And(parts) => &parts[..],
            _ => std::slice::from_ref(condition),
        };
        let mut apart = Vec::with_capacity(conjuncts.len());
        for conjunct in conjuncts {
            let value = self.lower(conjunct)?;
            if !value.faults.is_empty() {
                return self.joint_condition(conjuncts, init);
            }
            apart.push(value.expr);
        }
        init.extend(apart);
        Ok(())
    }

    /// A condition whose parts need the ones before. A state in which it goes wrong is not initial.
    fn joint_condition(&mut self, conjuncts: &[typed::Expr], init: &mut Vec<Expr>) -> Lowered<()> {
        let mark = self.facts.mark();
        let mut parts = Parts::new(Junction::And);
        for conjunct in conjuncts {
            let value = self.lower(conjunct)?;
            if parts.push(value, self)? {
                break;
            }
        }
        self.facts.forget(mark);
        for fault in &parts.faults {
            let message = format!("this initial condition may go wrong: {}", fault.what);
            let diagnostic =
                Diagnostic::warning(codes::INITIAL_ERROR, message, fault.span, "has no value in some states");
            self.log
                .push(diagnostic.with_help("states in which it goes wrong are not initial; exclude them before it"));
        }
        let whole = self.exprs.and(parts.context);
        self.measure(whole, conjuncts[0].span)?;
        init.push(whole);
        Ok(())
    }
}

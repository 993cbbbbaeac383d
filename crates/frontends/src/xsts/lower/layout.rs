//! The variables of the model. What blocks, loops and `ort` need is made when it is first met, under names of its own.

use lapidary_ir::{Domain, EnumId, EnumType, Life, Var, VarId};
use lapidary_text::{SourceId, Span};

use super::super::typed::{Role, Symbol, SymbolId};
use super::Lowering;

/// The variable that tells which section comes next.
#[derive(Clone, Copy)]
pub struct Phase {
    pub var: VarId,
    pub of: EnumId,
}

/// The sections, in the order in which they first come.
pub const PHASES: [&str; 3] = ["init", "env", "trans"];

impl Lowering<'_, '_> {
    /// The variables of the state, and the one that tells which section comes next.
    pub(super) fn lay_out(&mut self, source: SourceId) -> Phase {
        for i in 0..self.program.globals.len() {
            let (symbol, _) = self.program.globals[i];
            self.make(symbol);
        }
        let mut name = "Phase".to_owned();
        while self.enums.iter().any(|of| of.name == name) {
            name.push('_');
        }
        let of = self.enums.push(EnumType { name, literals: PHASES.map(str::to_owned).to_vec() });
        let span = Span::new(source, 0, 0);
        let name = self.free_name("phase");
        let var = Var { name, domain: Domain::Enum(of), control: true, life: Life::State, span };
        Phase { var: self.vars.push(var), of }
    }

    pub(super) fn var(&mut self, symbol: SymbolId) -> VarId {
        match self.var_of.get(&symbol) {
            Some(&var) => var,
            None => self.make(symbol),
        }
    }

    fn make(&mut self, symbol: SymbolId) -> VarId {
        let Symbol { name, ty, is, span } = self.program.symbols[symbol];
        // What goes wrong is in the log, and then there is no model.
        let domain = self.domain(ty).unwrap_or(Domain::Int);
        let (life, control) = match is {
            Role::Global => (Life::State, false),
            Role::Control => (Life::State, true),
            Role::Local | Role::Counter => (Life::Local, false),
        };
        let name = self.free_name(name);
        let var = self.vars.push(Var { name, domain, control, life, span });
        self.var_of.insert(symbol, var);
        var
    }

    /// The second bound of a loop that is not written out.
    pub(super) fn bound(&mut self, counter: SymbolId, span: Span) -> VarId {
        if let Some(&var) = self.bounds.get(&counter) {
            return var;
        }
        let name = format!("{}.to", self.program.symbols[counter].name);
        let var = self.local(&name, Domain::Int, span);
        self.bounds.insert(counter, var);
        var
    }

    /// One for each branch of an `ort`: whether it ran.
    pub(super) fn flags(&mut self, span: Span, n: usize) -> Vec<VarId> {
        if let Some(flags) = self.flags.get(&span) {
            return flags.clone();
        }
        let flags: Vec<VarId> = (1..=n).map(|i| self.local(&format!("ort.done{i}"), Domain::Bool, span)).collect();
        self.flags.insert(span, flags.clone());
        flags
    }

    fn local(&mut self, name: &str, domain: Domain, span: Span) -> VarId {
        let name = self.free_name(name);
        self.vars.push(Var { name, domain, control: false, life: Life::Local, span })
    }

    /// A name, with a number where another variable has it already.
    pub(super) fn free_name(&mut self, name: &str) -> String {
        if self.names.insert(name.to_owned()) {
            return name.to_owned();
        }
        let n = self.n_of_name.entry(name.to_owned()).or_insert(1);
        loop {
            *n += 1;
            let numbered = format!("{name}_{n}");
            if self.names.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

//! Fixed registers: where branches meet again, a variable must be in the same register whichever way was taken, and in a
//! loop also after every round. So variables that are written from some point on get registers of their own there, and
//! assignments behind it copy instead of renaming.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use lapidary_ir::{Expr, FamilyId, VarId};

use super::Compiler;
use crate::bytecode::{Label, Op, Register};

/// The fixed registers of some variables.
pub struct Homes {
    of: BTreeMap<VarId, Register>,
    all: Range<u32>,
}

impl Compiler<'_> {
    /// Registers for these variables, in their order, so that families stay rows.
    pub fn reserve(&mut self, vars: &BTreeSet<VarId>) -> Homes {
        let first = self.temporaries(u32::try_from(vars.len()).expect("ids fit in 32 bits")).0;
        let of = vars.iter().copied().zip((first..).map(Register)).collect();
        Homes { of, all: first..self.next_temporary().0 }
    }

    /// From here on these variables have fixed registers.
    pub fn fix(&mut self, homes: Homes) {
        for (&var, &to) in &homes.of {
            let from = self.var(var);
            self.emit(Op::Copy { to, from });
        }
        self.go_on(homes);
    }

    /// The same where a program before this one has left the variables in these registers.
    pub fn go_on(&mut self, homes: Homes) {
        debug_assert!(self.fixed.is_none(), "registers are fixed once");
        self.fixed = Some(homes.all.clone());
        self.find(homes);
    }

    /// A program before this one has left the variables in these registers; assignments rename.
    pub fn find(&mut self, homes: Homes) {
        self.renamed.extend(homes.of);
        self.shared.clear();
    }

    pub fn is_fixed(&self) -> bool {
        self.fixed.is_some()
    }

    /// What the variable is from here on.
    pub fn set(&mut self, var: VarId, from: Register) {
        if !self.is_fixed() {
            self.rename(var, from);
            return;
        }
        self.shared.clear();
        let to = self.var(var);
        debug_assert!(self.is_home(to), "what is written has a fixed register");
        if to != from {
            self.emit(Op::Copy { to, from });
        }
    }

    fn is_home(&self, register: Register) -> bool {
        self.fixed.as_ref().is_some_and(|fixed| fixed.contains(&register.0))
    }

    /// The same value in a register that no assignment writes.
    pub fn steady(&mut self, from: Register) -> Register {
        if !self.is_home(from) {
            return from;
        }
        let to = self.temporary();
        self.emit(Op::Copy { to, from });
        to
    }

    /// Replaces one cell of a family.
    pub fn store(&mut self, family: FamilyId, index: Register, from: Register) {
        let cells: Vec<VarId> = self.model.cells(family).collect();
        let len = self.model.families[family].len;
        if self.is_fixed() {
            let first = self.row(family);
            debug_assert!(self.is_home(first), "what is written has a fixed register");
            self.shared.clear();
            self.emit(Op::Store { first, len, index, from });
            return;
        }
        let first = self.copy_row(&cells);
        self.emit(Op::Store { first, len, index, from });
        for (i, &cell) in cells.iter().enumerate() {
            self.rename(cell, Register(first.0 + i as u32));
        }
    }

    /// Goes to `to` where the condition is false, and on where it is true.
    pub fn unless(&mut self, condition: Expr, to: Label) {
        self.share(condition);
        self.jump_if(condition, false, to);
    }

    /// Several ways lead here: values that were computed on one of them are not there on the others.
    pub fn meet(&mut self, label: Label) {
        self.bind(label);
        self.shared.clear();
    }

    /// Begins a loop.
    pub fn head(&mut self) -> Label {
        let head = self.label();
        self.meet(head);
        head
    }

    /// Ends a round of the loop that begins at `head`.
    pub fn again(&mut self, head: Label) {
        let begin = self.labels[head].expect("loops are bound where they begin") as usize;
        let cost = u32::try_from(self.ops.len() + 1 - begin).expect("programs are short");
        let left = self.pool.counter();
        self.left = Some(left);
        self.emit(Op::Again { left, cost, head });
    }

    /// Where the rounds of loops are counted.
    pub fn left(&self) -> Option<Register> {
        self.left
    }
}

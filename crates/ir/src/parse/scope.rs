//! The names that expressions may use.

use lapidary_base::Id;
use lapidary_base::hash::Map;

use crate::expr::Expr;
use crate::model::{Declarations, FamilyId, VarId};
use crate::types::EnumId;

/// Things with names; those that share one are reached by their number only.
#[derive(Default)]
pub struct Table {
    len: usize,
    by_name: Map<String, Option<usize>>,
}

/// How a text refers to something.
pub enum Reference {
    Name(String),
    Number(usize),
}

impl Table {
    pub fn add(&mut self, name: &str) {
        let number = self.len;
        self.by_name.entry_ref(name).and_modify(|known| *known = None).or_insert(Some(number));
        self.len += 1;
    }

    /// What is meant, or why nothing is.
    pub fn find<I: Id>(&self, reference: &Reference, what: &str) -> Result<I, String> {
        match reference {
            Reference::Name(name) => match self.by_name.get(name.as_str()) {
                Some(Some(number)) => Ok(I::new(*number)),
                Some(None) => Err(format!("several {what} are called `{name}`; use `#` and the number of one")),
                None => Err(format!("there are no {what} called `{name}` before this line")),
            },
            Reference::Number(number) if *number < self.len => Ok(I::new(*number)),
            Reference::Number(number) => Err(format!("there are only {} {what} before `#{number}`", self.len)),
        }
    }
}

#[derive(Default)]
pub struct Scope {
    pub vars: Table,
    pub families: Table,
    pub enums: Table,
    /// The literals of each enumeration.
    pub literals: Vec<Table>,
    pub lets: Map<u32, Expr>,
}

impl Scope {
    pub fn of(model: &Declarations) -> Self {
        let mut scope = Self::default();
        model.vars.iter().for_each(|var| scope.vars.add(&var.name));
        model.families.iter().for_each(|family| scope.families.add(&family.name));
        model.enums.iter().for_each(|of| scope.add_enum(&of.name, &of.literals));
        scope
    }

    pub fn add_enum(&mut self, name: &str, literals: &[String]) {
        self.enums.add(name);
        let mut table = Table::default();
        literals.iter().for_each(|literal| table.add(literal));
        self.literals.push(table);
    }

    pub fn var(&self, reference: &Reference) -> Result<VarId, String> {
        self.vars.find(reference, "variables")
    }

    pub fn family(&self, reference: &Reference) -> Result<FamilyId, String> {
        self.families.find(reference, "families")
    }

    pub fn enumeration(&self, reference: &Reference) -> Result<EnumId, String> {
        self.enums.find(reference, "enumerations")
    }

    pub fn n_literals(&self, of: EnumId) -> usize {
        self.literals[of.index()].len
    }

    pub fn literal(&self, of: EnumId, literal: &str) -> Result<u32, String> {
        let table = &self.literals[of.index()];
        match table.by_name.get(literal) {
            Some(Some(number)) => Ok(u32::try_from(*number).unwrap_or(u32::MAX)),
            Some(None) => Err(format!("the literal `{literal}` is listed twice in its enumeration")),
            None => Err(format!("the enumeration has no literal `{literal}`")),
        }
    }
}

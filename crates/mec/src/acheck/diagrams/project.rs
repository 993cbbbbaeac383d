//! What sets say of single variables, those that assertions define among them.

use std::collections::BTreeSet;

use lapidary_base::Stop;
use lapidary_bdd::{Column, Set};
use lapidary_ir::VarId;
use lapidary_ir::passes::variables;
use lapidary_ir::tree::VarKind;
use lapidary_system::symbolic::Representation;

use super::Diagrams;

impl Diagrams<'_> {
    /// The column with the values of a variable; that of a defined one is bound by its [definition](Self::definition).
    pub(super) fn column(&self, var: VarId) -> Column {
        match &self.system.places.vars[var] {
            Representation::Columns { copies, .. } => copies[0],
            Representation::Defined { column, .. } => *column,
        }
    }

    /// Where the column of a defined variable has its value; `None` if the variable is not defined.
    pub(super) fn definition(&self, var: VarId) -> Result<Option<Set>, Stop> {
        let Representation::Defined { by, column, lo } = &self.system.places.vars[var] else { return Ok(None) };
        if let Some(known) = self.definitions[var].get() {
            return Ok(Some(known.clone()));
        }
        let made = self.encoder().equals(by[0], *column, *lo)?;
        Ok(Some(self.definitions[var].get_or_init(|| made).clone()))
    }

    /// The values that the variables have together in a set of configurations, over their columns.
    pub(super) fn projected(&self, set: &Set, vars: &[VarId]) -> Result<Set, Stop> {
        let space = self.space();
        let wanted: BTreeSet<Column> = vars.iter().map(|&var| self.column(var)).collect();
        let mut open: BTreeSet<Column> =
            self.frame.current.iter().copied().filter(|column| !wanted.contains(column)).collect();
        let mut definitions = Vec::new();
        for &var in vars {
            if let Some(set) = self.definition(var)? {
                definitions.push((space.support(&set)?, set));
            }
        }
        let mut sum = set.clone();
        for place in 0..=definitions.len() {
            self.control.check()?;
            // What no later definition reads is forgotten.
            let later: BTreeSet<Column> =
                definitions[place..].iter().flat_map(|(support, _)| support.iter().copied()).collect();
            let (keep, forget): (BTreeSet<Column>, BTreeSet<Column>) =
                open.iter().partition(|column| later.contains(column));
            let forget: Vec<Column> = forget.into_iter().collect();
            let cube = space.cube(&forget)?;
            sum = match place.checked_sub(1) {
                Some(before) => space.and_exists(&sum, &definitions[before].1, &cube)?,
                None => space.exists(&sum, &cube)?,
            };
            open = keep;
        }
        Ok(sum)
    }

    /// The reachable configurations that agree with one of the set on every variable of the kind.
    pub(super) fn agreeing(&self, kind: VarKind, set: &Set) -> Result<Set, Stop> {
        let space = self.space();
        let vars: Vec<VarId> = self.tree.vars.ids().filter(|&var| self.decides(kind, var)).collect();
        let mut sum = space.and(&self.projected(set, &vars)?, &self.reachable)?;
        for &var in &vars {
            self.control.check()?;
            if let Some(definition) = self.definition(var)? {
                sum = space.and_exists(&sum, &definition, &space.cube(&[self.column(var)])?)?;
            }
        }
        Ok(sum)
    }

    /// Whether a variable is of the kind and not determined by others of it.
    fn decides(&self, kind: VarKind, var: VarId) -> bool {
        let is_of_kind = |var: VarId| self.tree.kinds[var] == kind;
        is_of_kind(var)
            && match &self.system.places.vars[var] {
                Representation::Columns { .. } => true,
                Representation::Defined { by, .. } => !variables(&self.tree.exprs, by[0]).into_iter().all(is_of_kind),
            }
    }
}

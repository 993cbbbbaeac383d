//! Which rules are worth trying: those that ask for `v = c` are looked up by the value of v.

use lapidary_base::Id;
use lapidary_ir::{Model, VarId};

use super::Rules;
use super::rule::Rule;

/// Domains larger than this are not worth a table.
const MAX_TABLE: i64 = 1 << 12;

pub enum Group {
    /// Rules to try in every state.
    Always(Vec<Rule>),
    /// The rules by the value of one variable, from `lo` on.
    Switch { register: usize, lo: i64, table: Vec<Vec<Rule>> },
}

impl Group {
    #[inline]
    pub fn candidates(&self, registers: &[i64]) -> &[Rule] {
        match self {
            Self::Always(rules) => rules,
            Self::Switch { register, lo, table } => &table[(registers[*register] - lo) as usize],
        }
    }
}

/// Whether a table over this variable's domain is worth its memory.
pub fn suits(model: &Model, var: VarId) -> bool {
    let bounds = model.bounds(model.vars[var].domain);
    bounds.is_some_and(|(lo, hi)| hi.checked_sub(lo).is_some_and(|span| span < MAX_TABLE))
}

/// Groups rules in the order of their first appearance.
pub fn group(model: &Model, rules: Rules) -> Vec<Group> {
    let mut groups: Vec<(Option<VarId>, Group)> = Vec::new();
    let mut position = std::collections::BTreeMap::new();
    for (asked, rule) in rules {
        let var = asked.map(|(var, _)| var);
        // Unconditional rules are only merged with their neighbours, so that processes keep their order.
        let at = match var {
            Some(_) => position.get(&var).copied(),
            None => groups.len().checked_sub(1).filter(|&last| groups[last].0.is_none()),
        };
        let at = at.unwrap_or_else(|| {
            groups.push((var, new_group(model, var)));
            position.insert(var, groups.len() - 1);
            groups.len() - 1
        });
        match &mut groups[at].1 {
            Group::Always(rules) => rules.push(rule),
            Group::Switch { lo, table, .. } => {
                let (_, value) = asked.expect("rules of a switch ask for a value");
                // A value outside the domain is never found, so its rule can never fire.
                let row = value.checked_sub(*lo).and_then(|row| usize::try_from(row).ok());
                if let Some(row) = row.and_then(|row| table.get_mut(row)) {
                    row.push(rule);
                }
            }
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

fn new_group(model: &Model, var: Option<VarId>) -> Group {
    let Some(var) = var else { return Group::Always(Vec::new()) };
    let (lo, hi) = model.bounds(model.vars[var].domain).expect("switches are over finite domains");
    let table = (lo..=hi).map(|_| Vec::new()).collect();
    Group::Switch { register: var.index(), lo, table }
}

//! What assertions leave open and what they forbid: flows with several values, states without any flows.

use std::collections::BTreeSet;

use lapidary_base::{Control, Stop};
use lapidary_bdd::{Binding, Capacity, Column, Encoder, Set};
use lapidary_ir::passes::variables;
use lapidary_ir::tree::{Assertion, ROOT};
use lapidary_ir::{Tree, VarId};

use super::frame::{Copies, Frame};
use super::places::Representation;

/// Values of state variables, as an example.
pub type Example = Vec<(VarId, i64)>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// With these states, the flow may have either value.
    Free { flow: VarId, values: (i64, i64), states: Example },
    /// With these states, no flows satisfy the assertions: this one fails first.
    Contradiction { assertion: Assertion, flow: Option<VarId>, states: Example },
    /// Nothing at all satisfies this assertion together with those before it.
    Unsatisfiable { assertion: Assertion },
}

/// Looks at all values of the states, reachable or not, that satisfy the assertions in which no flow occurs.
pub fn findings(tree: &Tree, capacity: Capacity, control: &Control) -> Result<Vec<Finding>, Stop> {
    let frame = Frame::new(tree, Copies { variables: 2, events: 0 }, capacity, control)?;
    let looker = Looker { states: tree.vars.ids().filter(|&var| tree.is_state(var)).collect(), frame: &frame };
    let configurations = frame.configurations(0)?;
    if frame.space.is_none(&configurations) {
        let all: Vec<Assertion> = tree.subtree(ROOT).flat_map(|id| tree.components[id].assertions.clone()).collect();
        return Ok(vec![Finding::Unsatisfiable { assertion: looker.first_failing(&all, &Vec::new())? }]);
    }
    let mut findings = Vec::new();
    let free: Vec<VarId> = frame.places.essential().filter(|&var| !tree.is_state(var)).collect();
    for &flow in &free {
        control.check()?;
        findings.extend(looker.free(flow, &free, &configurations)?);
    }
    findings.extend(looker.contradiction(&free, &configurations)?);
    Ok(findings)
}

struct Looker<'a> {
    frame: &'a Frame<'a>,
    states: Vec<VarId>,
}

impl Looker<'_> {
    fn column(&self, var: VarId) -> Column {
        match &self.frame.places.vars[var] {
            Representation::Columns { copies, .. } => copies[0],
            Representation::Defined { column, .. } => *column,
        }
    }

    fn example(&self, set: &Set) -> Result<Option<Example>, Stop> {
        let columns: Vec<Column> = self.states.iter().map(|&var| self.column(var)).collect();
        let Some(values) = self.frame.space.pick(set, &columns)? else { return Ok(None) };
        let value = |(&var, &value): (&VarId, &u64)| {
            (var, self.frame.places.lo(var) + i64::try_from(value).expect("domains have 64-bit numbers"))
        };
        Ok(Some(self.states.iter().zip(&values).map(value).collect()))
    }

    fn free(&self, flow: VarId, flows: &[VarId], configurations: &Set) -> Result<Option<Finding>, Stop> {
        let space = &self.frame.space;
        let others: Vec<Column> = flows.iter().filter(|&&var| var != flow).map(|&var| self.column(var)).collect();
        let alone = space.exists(configurations, &space.cube(&others)?)?;
        let cube = space.cube(&[self.column(flow)])?;
        let with = |value: u64| space.and_exists(&alone, &space.value(self.column(flow), value)?, &cube);
        let mut before = space.none();
        for value in 0..self.frame.places.size(flow) {
            let these = with(value)?;
            let both = space.and(&before, &these)?;
            if !space.is_none(&both) {
                return self.pair(flow, value, &both, &with);
            }
            before = space.or(&before, &these)?;
        }
        Ok(None)
    }

    /// At these states the flow may have this value, and one before it.
    fn pair(
        &self,
        flow: VarId,
        value: u64,
        both: &Set,
        with: &dyn Fn(u64) -> Result<Set, Stop>,
    ) -> Result<Option<Finding>, Stop> {
        let lo = self.frame.places.lo(flow);
        let number = |value: u64| lo + i64::try_from(value).expect("domains have 64-bit numbers");
        for other in 0..value {
            if let Some(states) = self.example(&self.frame.space.and(both, &with(other)?)?)? {
                return Ok(Some(Finding::Free { flow, values: (number(other), number(value)), states }));
            }
        }
        Ok(None)
    }

    fn contradiction(&self, flows: &[VarId], configurations: &Set) -> Result<Option<Finding>, Stop> {
        let Frame { tree, space, .. } = self.frame;
        let columns: Vec<Column> = flows.iter().map(|&var| self.column(var)).collect();
        let solved = space.exists(configurations, &space.cube(&columns)?)?;
        let (about_states, about_flows): (Vec<Assertion>, Vec<Assertion>) = tree
            .subtree(ROOT)
            .flat_map(|id| tree.components[id].assertions.clone())
            .partition(|assertion| variables(&tree.exprs, assertion.expr).iter().all(|&var| tree.is_state(var)));
        let mut encoder = self.frame.encoder();
        let mut allowed = space.all();
        for &state in &self.states {
            allowed = space.and(&allowed, &space.domain(self.column(state))?)?;
        }
        for assertion in &about_states {
            allowed = space.and(&allowed, &encoder.holds(assertion.expr)?)?;
        }
        let Some(states) = self.example(&space.minus(&allowed, &solved)?)? else { return Ok(None) };
        let assertion = self.first_failing(&about_flows, &states)?;
        let flow = variables(&tree.exprs, assertion.expr).into_iter().find(|&var| !tree.is_state(var));
        Ok(Some(Finding::Contradiction { assertion, flow, states }))
    }

    /// The assertion with which those before it have no solution at these states.
    fn first_failing(&self, assertions: &[Assertion], states: &Example) -> Result<Assertion, Stop> {
        let Frame { tree, space, places, .. } = self.frame;
        let bind = |var: VarId| Binding::Column { column: self.column(var), lo: places.lo(var) };
        let mut encoder = Encoder::new(space, &tree.exprs, |_| unreachable!("trees have no families"), bind);
        let mut set = space.all();
        for &(var, value) in states {
            let value = u64::try_from(value - places.lo(var)).expect("values lie in their domains");
            set = space.and(&set, &space.value(self.column(var), value)?)?;
        }
        let mut seen: BTreeSet<VarId> = BTreeSet::new();
        for assertion in assertions {
            for var in variables(&tree.exprs, assertion.expr) {
                if seen.insert(var) {
                    set = space.and(&set, &space.domain(self.column(var))?)?;
                }
            }
            set = space.and(&set, &encoder.holds(assertion.expr)?)?;
            if space.is_none(&set) {
                return Ok(assertion.clone());
            }
        }
        Ok(assertions.last().expect("what has no solution has an assertion").clone())
    }
}

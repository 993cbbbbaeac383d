//! Whether a node simulates a component by way of its predicates, from the definition.
//!
//! A configuration of the component and one of the node are related if each of the node's variables that bear the names
//! of predicates says whether the configuration satisfies that predicate. This must be a simulation with respect to
//! events: every initial configuration has a related initial one, and every step from a related pair is answered by
//! one of the node with the same event, to a related configuration. Both sides are encoded here, from their guards,
//! assignments and assertions, and with their priorities; nothing is shared with what makes abstractions.

use std::fmt;

use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_bdd::order::force;
use lapidary_bdd::{Binding, Capacity, Column, ColumnSpec, Encoder, Set, Space};
use lapidary_ir::passes::variables;
use lapidary_ir::tree::{EPSILON, EventId, ROOT};
use lapidary_ir::{Expr, Tree, VarId};

use super::Predicate;
use super::local::Local;

/// The node simulates the component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// What the node can do that no configurations of the component account for; none if it is exact: then the node
    /// is the predicate abstraction itself.
    pub loose: Option<Loose>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loose {
    Configuration,
    Initial,
    /// A step with this event; the name of epsilon is empty.
    Step(String),
}

/// Why a node does not simulate a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsimulated {
    /// The node has no Boolean variable of this name.
    NoPredicate(String),
    /// It has more than one component.
    NoLeaf,
    /// This initial configuration is related to none of the node's.
    Initial(String),
    /// This step is not answered from a related configuration of the node.
    Step { event: String, from: String, to: String, node: String },
}

impl fmt::Display for Unsimulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPredicate(name) => write!(f, "it has no Boolean variable `{name}`"),
            Self::NoLeaf => f.write_str("it has subnodes"),
            Self::Initial(state) => write!(f, "none of its initial configurations stands for {state}"),
            Self::Step { event, from, to, node } => {
                let event = if event.is_empty() { "epsilon" } else { event };
                write!(f, "from {node} it cannot answer {event} from {from} to {to}")
            }
        }
    }
}

/// Whether the only component of `node` simulates the local one.
pub fn simulates(
    local: &Local,
    predicates: &[Predicate],
    node: &Tree,
    capacity: Capacity,
    control: &Control,
) -> Result<Result<Simulation, Unsimulated>, Stop> {
    if node.components.len() != 1 {
        return Ok(Err(Unsimulated::NoLeaf));
    }
    let mut bits = Vec::new();
    for predicate in predicates {
        let is_it = |var: &VarId| node.vars[*var].name == predicate.name && node.bounds(*var) == (0, 1);
        match node.vars.ids().find(is_it) {
            Some(var) => bits.push(var),
            None => return Ok(Err(Unsimulated::NoPredicate(predicate.name.clone()))),
        }
    }
    let (space, [concrete, abstracted]) = lay_out(local, predicates, node, &bits, capacity, control)?;
    let concrete = Side::new(&space, &local.tree, concrete, &local.priorities, control)?;
    let abstracted = Side::new(&space, node, abstracted, &node.components[ROOT].priorities, control)?;
    let alpha = relation(local, predicates, &concrete, &abstracted, &bits)?;
    Judge { concrete, abstracted, alpha, control }.judge()
}

/// Columns of a variable: now and next.
type Columns = IdVec<VarId, [Column; 2]>;

/// One group for every variable of both sides, those next to each other that have to do with each other.
fn lay_out(
    local: &Local,
    predicates: &[Predicate],
    node: &Tree,
    bits: &[VarId],
    capacity: Capacity,
    control: &Control,
) -> Result<(Space, [Columns; 2]), Stop> {
    let n_concrete = local.tree.vars.len();
    let mut edges = connections(&local.tree, 0);
    edges.extend(connections(node, n_concrete));
    let essential = local.essential();
    let columns = local.columns(0);
    for (predicate, bit) in predicates.iter().zip(bits) {
        let support = local.space.support(&predicate.set)?;
        let read = essential.iter().zip(&columns).filter(|(_, column)| support.contains(column));
        edges.push(read.map(|(var, _)| var.index()).chain([n_concrete + bit.index()]).collect());
    }
    let n_vars = n_concrete + node.vars.len();
    let start: Vec<usize> = (0..n_vars).collect();
    let work: usize = edges.iter().map(Vec::len).sum::<usize>() * ROUNDS;
    let order = if work > MAX_WORK { start } else { force(n_vars, &start, &edges, ROUNDS, control)? };
    let of = |place: usize| match place.checked_sub(n_concrete) {
        None => (&local.tree, VarId::new(place)),
        Some(place) => (node, VarId::new(place)),
    };
    let mut found = vec![[Column(0); 2]; n_vars];
    let mut groups = Vec::new();
    for place in order {
        let (tree, var) = of(place);
        let (lo, hi) = tree.bounds(var);
        let size = hi.abs_diff(lo).saturating_add(1);
        let first = 2 * u32::try_from(groups.len()).expect("trees have fewer variables");
        let spec = |copy: &str| ColumnSpec { name: format!("{}{copy}", tree.vars[var].name), size };
        groups.push(vec![spec(""), spec("'")]);
        found[place] = [Column(first), Column(first + 1)];
    }
    let space = Space::new(capacity.for_levels(lapidary_bdd::n_levels(&groups)), &groups, control)?;
    let abstracted = found.split_off(n_concrete);
    Ok((space, [found.into_iter().collect(), abstracted.into_iter().collect()]))
}

/// Rounds of the heuristic, and how much work it may be.
const ROUNDS: usize = 60;
const MAX_WORK: usize = 2_000_000;

/// The variables that an assertion or an assignment brings together, with numbers from `first` on.
fn connections(tree: &Tree, first: usize) -> Vec<Vec<usize>> {
    let component = &tree.components[ROOT];
    let of = |expr: Expr| variables(&tree.exprs, expr).into_iter().map(move |var| first + var.index());
    let assertions = component.assertions.iter().map(|assertion| of(assertion.expr).collect());
    let updates = component.transitions.iter().flat_map(|transition| &transition.updates);
    let assigned = updates.map(|&(var, value)| of(value).chain([first + var.index()]).collect());
    let guards = component.transitions.iter().map(|transition| of(transition.guard).collect());
    let all: Vec<Vec<usize>> = assertions.chain(assigned).chain(guards).collect();
    all.into_iter().filter(|edge| edge.len() > 1).collect()
}

/// A leaf, encoded.
struct Side<'a> {
    space: &'a Space,
    tree: &'a Tree,
    columns: Columns,
    configurations: Set,
    initial: Set,
    steps: IdVec<EventId, Set>,
}

impl<'a> Side<'a> {
    fn new(
        space: &'a Space,
        tree: &'a Tree,
        columns: Columns,
        priorities: &[(EventId, EventId)],
        control: &Control,
    ) -> Result<Self, Stop> {
        let component = &tree.components[ROOT];
        let bounds = columns.clone();
        let bind = |var: VarId| Binding::Column { column: bounds[var][0], lo: tree.bounds(var).0 };
        let mut encoder = Encoder::new(space, &tree.exprs, |_| unreachable!("trees have no families"), bind);
        let mut configurations = space.all();
        for of in &columns {
            configurations = space.and(&configurations, &space.domain(of[0])?)?;
        }
        for assertion in &component.assertions {
            configurations = space.and(&configurations, &encoder.holds(assertion.expr)?)?;
        }
        let mut initial = configurations.clone();
        for &(var, value) in &tree.init {
            initial = space.and(&initial, &encoder.equals(value, columns[var][0], tree.bounds(var).0)?)?;
        }
        let none = space.none();
        let side = Self { space, tree, columns, configurations, initial, steps: IdVec::new() };
        let after = side.ahead(&side.configurations)?;
        let mut steps: IdVec<EventId, Set> = component.events.iter().map(|_| none.clone()).collect();
        // The states first: with them what is before and what is after have much in common.
        let between = |step: &Set| space.and(&space.and(step, &side.configurations)?, &after);
        steps[EPSILON] = between(&side.frame(&[])?)?;
        for transition in &component.transitions {
            control.check()?;
            let written: Vec<VarId> = transition.updates.iter().map(|(var, _)| *var).collect();
            let mut step = space.and(&encoder.holds(transition.guard)?, &side.frame(&written)?)?;
            for &(var, value) in &transition.updates {
                step = space.and(&step, &encoder.equals(value, side.columns[var][1], tree.bounds(var).0)?)?;
            }
            let known = &mut steps[transition.event];
            *known = space.or(known, &between(&step)?)?;
        }
        let mut left = IdVec::new();
        for event in steps.ids() {
            let mut step = steps[event].clone();
            // Priorities are transitive: whatever cuts a higher event cuts this one, too.
            for &(_, high) in priorities.iter().filter(|(low, _)| *low == event) {
                step = space.minus(&step, &space.exists(&steps[high], &space.cube(&side.all(1))?)?)?;
            }
            left.push(step);
        }
        Ok(Self { steps: left, ..side })
    }

    /// All columns of one copy.
    fn all(&self, copy: usize) -> Vec<Column> {
        self.columns.iter().map(|of| of[copy]).collect()
    }

    /// A set of configurations as one of those after a step.
    fn ahead(&self, set: &Set) -> Result<Set, Stop> {
        let pairs: Vec<(Column, Column)> = self.columns.iter().map(|of| (of[0], of[1])).collect();
        self.space.rename(set, &self.space.renaming(&pairs))
    }

    /// State variables that are not written keep their values.
    fn frame(&self, written: &[VarId]) -> Result<Set, Stop> {
        let mut frame = self.space.all();
        for var in self.tree.vars.ids().filter(|&var| self.tree.is_state(var) && !written.contains(&var)) {
            let [now, next] = self.columns[var];
            frame = self.space.and(&frame, &self.space.equal(now, next)?)?;
        }
        Ok(frame)
    }

    fn event_name(&self, event: EventId) -> &'a str {
        &self.tree.components[ROOT].events[event].name
    }

    /// The steps with an event of this name.
    fn steps_called(&self, name: &str) -> Set {
        let event = self.tree.components[ROOT].event(name);
        event.map_or_else(|| self.space.none(), |event| self.steps[event].clone())
    }

    /// `x=1, f=false` for a configuration of one copy in a set that is not empty.
    fn show(&self, values: &[u64]) -> String {
        let value = |(var, &value): (VarId, &u64)| {
            let lo = self.tree.bounds(var).0;
            let number = lo.saturating_add(i64::try_from(value).unwrap_or(i64::MAX));
            let of = &self.tree.vars[var];
            format!("{}={}", of.name, of.domain.show(&self.tree.enums, self.tree.exprs.values(), number))
        };
        let values: Vec<String> = self.tree.vars.ids().zip(values).map(value).collect();
        if values.is_empty() { "the only configuration".to_owned() } else { values.join(", ") }
    }
}

/// `alpha` over the current columns of both sides.
fn relation(
    local: &Local,
    predicates: &[Predicate],
    concrete: &Side<'_>,
    abstracted: &Side<'_>,
    bits: &[VarId],
) -> Result<Set, Stop> {
    let space = concrete.space;
    let columns = local.columns(0).into_iter();
    let mut pairs: Vec<(Column, Column)> =
        columns.zip(local.essential().into_iter().map(|var| concrete.columns[var][0])).collect();
    pairs.sort_unstable_by_key(|(column, _)| *column);
    let mut alpha = space.and(&concrete.configurations, &abstracted.configurations)?;
    for (predicate, &bit) in predicates.iter().zip(bits) {
        let holds = space.transfer(&local.space, &predicate.set, &pairs)?;
        let said = space.value(abstracted.columns[bit][0], 1)?;
        alpha = space.and(&alpha, &space.iff(&said, &holds)?)?;
    }
    Ok(alpha)
}

struct Judge<'a> {
    concrete: Side<'a>,
    abstracted: Side<'a>,
    /// Between configurations now.
    alpha: Set,
    control: &'a Control,
}

impl Judge<'_> {
    fn judge(&self) -> Result<Result<Simulation, Unsimulated>, Stop> {
        let (space, concrete, abstracted) = (self.concrete.space, &self.concrete, &self.abstracted);
        let (theirs, its) = (space.cube(&concrete.all(0))?, space.cube(&abstracted.all(0))?);
        let its_next = space.cube(&abstracted.all(1))?;
        let after = abstracted.ahead(&concrete.ahead(&self.alpha)?)?;
        let begun = space.and_exists(&self.alpha, &abstracted.initial, &its)?;
        let lost = space.minus(&concrete.initial, &begun)?;
        if let Some(values) = space.pick(&lost, &concrete.all(0))? {
            return Ok(Err(Unsimulated::Initial(concrete.show(&values))));
        }
        for event in concrete.steps.ids() {
            self.control.check()?;
            let name = concrete.event_name(event);
            let answered = space.and_exists(&abstracted.steps_called(name), &after, &its_next)?;
            let asked = space.and(&self.alpha, &concrete.steps[event])?;
            let lost = space.minus(&asked, &answered)?;
            if !space.is_none(&lost) {
                return Ok(Err(self.unanswered(name, &lost)?));
            }
        }
        let loose = self.loose(&theirs, &after)?;
        Ok(Ok(Simulation { loose }))
    }

    fn unanswered(&self, event: &str, lost: &Set) -> Result<Unsimulated, Stop> {
        let (concrete, abstracted) = (&self.concrete, &self.abstracted);
        let columns = [concrete.all(0), concrete.all(1), abstracted.all(0)].concat();
        let values = concrete.space.pick(lost, &columns)?.expect("a step is lost");
        let n = concrete.columns.len();
        Ok(Unsimulated::Step {
            event: event.to_owned(),
            from: concrete.show(&values[..n]),
            to: concrete.show(&values[n..2 * n]),
            node: abstracted.show(&values[2 * n..]),
        })
    }

    /// The reverse, existentially: what the node does, some related configurations do.
    fn loose(&self, theirs: &lapidary_bdd::Cube, after: &Set) -> Result<Option<Loose>, Stop> {
        let (space, concrete, abstracted) = (self.concrete.space, &self.concrete, &self.abstracted);
        let inhabited = space.exists(&self.alpha, theirs)?;
        if !space.is_subset(&abstracted.configurations, &inhabited)? {
            return Ok(Some(Loose::Configuration));
        }
        let begun = space.and_exists(&self.alpha, &concrete.initial, theirs)?;
        if !space.is_subset(&abstracted.initial, &begun)? {
            return Ok(Some(Loose::Initial));
        }
        let theirs_next = space.cube(&concrete.all(1))?;
        for event in abstracted.steps.ids() {
            self.control.check()?;
            let name = abstracted.event_name(event);
            let from = space.and_exists(&concrete.steps_called(name), &self.alpha, theirs)?;
            let accounted = space.and_exists(&from, after, &theirs_next)?;
            if !space.is_subset(&abstracted.steps[event], &accounted)? {
                return Ok(Some(Loose::Step(name.to_owned())));
            }
        }
        Ok(None)
    }
}

//! The model as this method sees it: paths with a guard and updates, the control variables kept apart from the data.

use std::collections::BTreeSet;
use std::rc::Rc;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Id, IdVec, Stop, id};
use lapidary_ir::passes::{Substitution, substitute, variables};
use lapidary_ir::{CommandId, Domain, Expr, Exprs, Model, VarId};
use lapidary_smt::Terms;
use lapidary_smt::encode::{Encoding, Path, Shape};
use lapidary_system::evaluate::Scope;
use lapidary_verdict::State;

id! {
    /// A valuation of the control variables that was met.
    pub struct LocationId(u32);
}

/// Inputs with at most this many combinations of values become paths of their own.
const MAX_LISTED_INPUTS: usize = 64;

/// The values of some control variables, by their places in [`Space::control`].
pub type Tests = Vec<(usize, i64)>;

/// A path from a location: what is left of it when the control variables have their values.
#[derive(Clone)]
pub struct Move {
    /// Its number in the encoding.
    pub path: usize,
    pub command: CommandId,
    /// Conjuncts over data and inputs, none of them constant.
    pub guard: Vec<Expr>,
    pub updates: Vec<(VarId, Expr)>,
    pub inputs: Vec<VarId>,
    /// Those of the inputs that say which branch is taken.
    pub choices: Vec<VarId>,
    pub shape: Shape,
    /// The control variables that the guard reads.
    pub tests: Tests,
    after: Substitution,
}

impl Move {
    /// A term after the step, over data and inputs before it.
    pub fn after(&mut self, exprs: &Exprs, term: Expr) -> Expr {
        self.after.apply(exprs, term)
    }
}

pub struct Location {
    pub values: Box<[i64]>,
    pub moves: Vec<Move>,
    /// What holds in all configurations here, beyond what is known of the data anyway.
    pub facts: Vec<Expr>,
    /// The targets, over the data.
    pub targets: Vec<Expr>,
}

pub struct Space<'a> {
    /// Complete once the model is encoded.
    pub terms: Rc<Terms<'a>>,
    /// Never abstracted.
    pub control: Vec<VarId>,
    pub data: Vec<VarId>,
    pub encoding: Encoding,
    /// Over all variables.
    pub targets: Vec<Expr>,
    /// The conjuncts that hold always and are about data alone.
    pub always: Vec<Expr>,
    /// Conjuncts that hold always and read control variables.
    mixed: Vec<Expr>,
    /// The inputs that are left, of all paths.
    pub inputs: Vec<VarId>,
    /// By path: the places of the control variables that its guard reads.
    read: Vec<Vec<usize>>,
    locations: IdVec<LocationId, Location>,
    by_values: Map<Box<[i64]>, LocationId>,
}

impl<'a> Space<'a> {
    /// `chosen` are the control variables, if not those that the model names.
    pub fn new(
        terms: Terms<'a>,
        mut encoding: Encoding,
        targets: Vec<Expr>,
        chosen: Option<&[VarId]>,
        limits: &Control,
    ) -> Result<Self, Stop> {
        let model = terms.model();
        limits.check()?;
        encoding.paths = encoding.paths.iter().flat_map(|path| listed(&terms, path)).collect();
        limits.check()?;
        let is_control = |var: VarId| match chosen {
            Some(chosen) => chosen.contains(&var),
            None => model.vars[var].control,
        };
        let (control, data): (Vec<VarId>, Vec<VarId>) = model.vars.ids().partition(|&var| is_control(var));
        let exprs = terms.exprs();
        let reads_control = |part: &Expr| variables(exprs, *part).iter().any(|var| control.contains(var));
        let (mixed, always) = encoding.always.iter().partition(|part| reads_control(part));
        let inputs: BTreeSet<VarId> = encoding.paths.iter().flat_map(|path| path.inputs.iter().copied()).collect();
        let read = encoding.paths.iter().map(|path| {
            let vars = variables(exprs, exprs.and(path.guard.iter().copied()));
            control.iter().enumerate().filter(|(_, var)| vars.contains(var)).map(|(i, _)| i).collect()
        });
        let read = read.collect();
        Ok(Self {
            terms: Rc::new(terms),
            control,
            data,
            encoding,
            targets,
            always,
            mixed,
            inputs: inputs.into_iter().collect(),
            read,
            locations: IdVec::new(),
            by_values: Map::default(),
        })
    }

    pub fn exprs(&self) -> &Exprs {
        self.terms.exprs()
    }

    pub fn model(&self) -> &'a Model {
        self.terms.model()
    }

    pub fn n_locations(&self) -> usize {
        self.locations.len()
    }

    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id]
    }

    pub fn location_mut(&mut self, id: LocationId) -> &mut Location {
        &mut self.locations[id]
    }

    pub fn location_of(&mut self, state: &[i64]) -> LocationId {
        let values: Box<[i64]> = self.control.iter().map(|&var| state[var.index()]).collect();
        if let Some(&known) = self.by_values.get(&values) {
            return known;
        }
        let made = self.made(&values);
        let id = self.locations.push(made);
        self.by_values.insert(values, id);
        id
    }

    fn made(&self, values: &[i64]) -> Location {
        let exprs = self.exprs();
        let constant = |(&var, &value): (&VarId, &i64)| (var, self.terms.constant(self.terms.domain(var), value));
        let mut here = Substitution::new(self.control.iter().zip(values).map(constant).collect());
        let moves = (0..self.encoding.paths.len()).filter_map(|path| self.move_at(path, values, &mut here)).collect();
        let facts = self.mixed.iter().map(|&part| here.apply(exprs, part));
        // What reads no data any more, such as the domain of a control variable, is true in every state that is met.
        let facts = facts.filter(|&part| !variables(exprs, part).is_empty()).collect();
        let targets = self.targets.iter().map(|&target| here.apply(exprs, target)).collect();
        Location { values: values.into(), moves, facts, targets }
    }

    /// `None` where the control variables alone exclude the path.
    fn move_at(&self, path: usize, values: &[i64], here: &mut Substitution) -> Option<Move> {
        let exprs = self.exprs();
        let Path { command, guard, updates, inputs, choices, shape } = &self.encoding.paths[path];
        let mut left = Vec::new();
        for &part in guard {
            for part in exprs.conjuncts(here.apply(exprs, part)) {
                match exprs.as_bool(part) {
                    Some(false) => return None,
                    Some(true) => {}
                    None => left.push(part),
                }
            }
        }
        let updates: Vec<(VarId, Expr)> =
            updates.iter().map(|(&var, &value)| (var, here.apply(exprs, value))).collect();
        let tests = self.read[path].iter().map(|&i| (i, values[i])).collect();
        let after = Substitution::new(updates.iter().copied().collect());
        Some(Move {
            path,
            command: *command,
            guard: left,
            updates,
            inputs: inputs.clone(),
            choices: choices.clone(),
            shape: *shape,
            tests,
            after,
        })
    }

    /// The value of a term, given the values of the variables and of inputs.
    pub fn value(&self, term: Expr, state: &[i64], inputs: &[(VarId, i64)]) -> Option<i64> {
        let read = |var: VarId| match state.get(var.index()) {
            Some(&value) => value,
            None => match inputs.iter().find(|(input, _)| *input == var) {
                Some(&(_, value)) => value,
                None => self.unread(var),
            },
        };
        let family = |_| unreachable!("terms have no cells");
        let sort = |var: VarId| self.terms.domain(var).sort();
        Scope { exprs: self.exprs(), family: &family, read: &read, sort: &sort, enums: &self.model().enums }.value(term)
    }

    /// What is read of an input that does not matter.
    fn unread(&self, input: VarId) -> i64 {
        match self.terms.domain(input) {
            Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) => 0,
            domain @ (Domain::Bits(_) | Domain::Array(_)) => self.model().first(domain),
        }
    }

    pub fn holds(&self, term: Expr, state: &[i64], inputs: &[(VarId, i64)]) -> Result<bool, Stop> {
        match self.value(term, state, inputs) {
            Some(value) => Ok(value != 0),
            None => {
                Err(Stop::Overflow(format!("in {}", lapidary_ir::print::show_among(self.model(), self.exprs(), term))))
            }
        }
    }

    /// Is the guard of a move true?
    pub fn is_enabled(&self, guard: &[Expr], state: &[i64], inputs: &[(VarId, i64)]) -> Result<bool, Stop> {
        for &part in guard {
            if !self.holds(part, state, inputs)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The state after a move that is enabled.
    pub fn successor(&self, step: &Move, state: &[i64], inputs: &[(VarId, i64)]) -> Result<State, Stop> {
        let mut next: State = state.into();
        for &(var, value) in &step.updates {
            next[var.index()] = self
                .value(value, state, inputs)
                .ok_or_else(|| Stop::Overflow(format!("in {}", self.model().commands[step.command].label)))?;
        }
        Ok(next)
    }
}

/// Whether there are too many ways to choose branches to list them all: some of them are of no use then.
fn has_many_ways(terms: &Terms<'_>, path: &Path) -> bool {
    let n_values =
        |&choice: &VarId| terms.model().bounds(terms.domain(choice)).map_or(u64::MAX, |(lo, hi)| hi.abs_diff(lo) + 1);
    path.choices.iter().map(n_values).fold(1, u64::saturating_mul) > MAX_LISTED_INPUTS as u64
}

/// A path with its inputs listed, where these have few values.
fn listed(terms: &Terms<'_>, path: &Path) -> Vec<Path> {
    let exprs = terms.exprs();
    let mut all = vec![path.clone()];
    let is_kept = |input: &VarId| path.choices.contains(input) && has_many_ways(terms, path);
    for &input in path.inputs.iter().filter(|input| !is_kept(input)) {
        let domain = terms.domain(input);
        let Some((lo, hi)) = terms.model().bounds(domain) else { continue };
        let n_values = hi.checked_sub(lo).and_then(|n| usize::try_from(n).ok()).and_then(|n| n.checked_add(1));
        if n_values.and_then(|n| n.checked_mul(all.len())).is_none_or(|n| n > MAX_LISTED_INPUTS) {
            continue;
        }
        // That the value is in the domain says nothing more; for literals it would not even be well-typed.
        let domain_parts = exprs.conjuncts(terms.in_domain(input));
        let with = |path: &Path, value: i64| {
            let values: Map<VarId, Expr> = [(input, terms.constant(domain, value))].into_iter().collect();
            let guard = path.guard.iter().filter(|part| !domain_parts.contains(part));
            let guard = guard.flat_map(|&part| exprs.conjuncts(substitute(exprs, part, &values)));
            let updates = path.updates.iter().map(|(&var, &term)| (var, substitute(exprs, term, &values)));
            Path {
                command: path.command,
                guard: guard.collect(),
                updates: updates.collect(),
                inputs: path.inputs.iter().copied().filter(|&other| other != input).collect(),
                choices: path.choices.iter().copied().filter(|&other| other != input).collect(),
                shape: path.shape,
            }
        };
        let with = &with;
        all = all.iter().flat_map(|path| (lo..=hi).map(move |value| with(path, value))).collect();
        all.retain(|path| !path.guard.contains(&exprs.bool(false)));
    }
    all
}

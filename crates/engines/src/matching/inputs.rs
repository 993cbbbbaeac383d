//! Open systems (section 7.1): values for inputs, and predicates that tell apart what inputs can lead to.

use std::cmp::Ordering;
use std::rc::Rc;

use lapidary_base::hash::{Map, Set};
use lapidary_base::{Id, Stop};
use lapidary_ir::passes::{substitute, variables};
use lapidary_ir::{CommandId, Domain, Expr, Node, Sort, VarId};
use lapidary_smt::encode::{Linear, Normal, Shape};
use lapidary_verdict::State;

use super::predicates::Bits;
use super::search::Search;
use super::space::LocationId;

/// More blocks than this are not looked for behind one move.
const MAX_BLOCKS: usize = 1 << 12;
/// More values than this are not tried for one move.
const MAX_TRIED: u64 = 1 << 16;
/// More sums than this are not combined.
const MAX_SUMS: usize = 400;

/// The blocks that a move reaches from a state.
pub struct Reached {
    pub blocks: Vec<(LocationId, Bits)>,
    pub command: CommandId,
}

/// One initial state for every block that has one.
pub fn initial(search: &mut Search<'_, '_, '_>) -> Result<(), Stop> {
    let Some(prover) = search.prover.take() else {
        return Err(Stop::NoAnswer("there are too many initial states to list, and no solver to choose".to_owned()));
    };
    let conjuncts = search.space.encoding.initial.clone();
    let vars: Vec<VarId> = search.space.model().vars.ids().collect();
    let mut n_blocks = 0;
    let terms = Rc::clone(&search.space.terms);
    let complete = prover.each_model(&terms, &conjuncts, &vars, &mut |found| {
        let state: State = found.into();
        let (at, bits) = search.consider(state, None)?;
        n_blocks += 1;
        let given = search.hypotheses(at, &bits);
        let exprs = search.space.exprs();
        let equal = (0..search.space.control.len()).map(|i| {
            let (var, value) = (search.space.control[i], search.space.location(at).values[i]);
            exprs.eq(exprs.var(var), search.space.terms.constant(search.space.terms.domain(var), value))
        });
        let block = exprs.and(equal.chain(given));
        Ok((n_blocks < MAX_BLOCKS).then(|| exprs.not(block)))
    });
    search.prover = Some(prover);
    match complete? {
        true => Ok(()),
        false => Err(Stop::NoAnswer("the solver did not list the initial states".to_owned())),
    }
}

/// One value for every block that can be reached, by the solver.
pub fn solved(
    search: &mut Search<'_, '_, '_>,
    number: u32,
    state: &State,
    at: LocationId,
    step: usize,
) -> Result<Reached, Stop> {
    let taken = search.space.location(at).moves[step].clone();
    let exprs = &search.space.exprs().clone();
    let constant =
        |&var: &VarId| (var, search.space.terms.constant(search.space.terms.domain(var), state[var.index()]));
    let here: Map<VarId, Expr> = search.space.data.iter().map(constant).collect();
    let guard: Vec<Expr> = taken.guard.iter().map(|&part| substitute(exprs, part, &here)).collect();
    let Some(prover) = search.prover.take() else { unreachable!("asked only with a solver") };
    let mut blocks = Vec::new();
    let terms = Rc::clone(&search.space.terms);
    let complete = prover.each_model(&terms, &guard, &taken.inputs, &mut |found| {
        let inputs: Vec<(VarId, i64)> = taken.inputs.iter().copied().zip(found).collect();
        let next = search.space.successor(&taken, state, &inputs)?;
        search.round.transitions += 1;
        let (to, bits) = search.consider(next, Some((number, taken.command)))?;
        let parts = search.block_after(at, step, to, &bits);
        let block = substitute(exprs, exprs.and(parts), &here);
        blocks.push((to, bits));
        Ok((blocks.len() < MAX_BLOCKS).then(|| exprs.not(block)))
    });
    search.prover = Some(prover);
    complete?;
    Ok(Reached { blocks, command: taken.command })
}

/// The values around zero, one after the other.
pub fn enumerated(
    search: &mut Search<'_, '_, '_>,
    number: u32,
    state: &State,
    at: LocationId,
    step: usize,
) -> Result<Reached, Stop> {
    let taken = search.space.location(at).moves[step].clone();
    let bounds = |&input: &VarId| {
        let window = (-search.window, search.window);
        match search.space.model().bounds(search.space.terms.domain(input)) {
            // Near the lower end where zero is not in the domain.
            Some((lo, hi)) if lo > 0 || hi < 0 => (lo, hi.min(lo.saturating_add(2 * search.window))),
            Some((lo, hi)) => (lo.max(window.0), hi.min(window.1)),
            None => window,
        }
    };
    let ranges: Vec<(i64, i64)> = taken.inputs.iter().map(bounds).collect();
    let mut nearest = Nearest::new(ranges);
    let mut blocks: Vec<(LocationId, Bits)> = Vec::new();
    let mut seen: Set<(LocationId, Bits)> = Set::default();
    for n_tried in 0..MAX_TRIED {
        if n_tried % 1024 == 0 {
            search.control.check()?;
        }
        let Some(values) = nearest.next() else { break };
        let inputs: Vec<(VarId, i64)> = taken.inputs.iter().copied().zip(values).collect();
        if search.space.is_enabled(&taken.guard, state, &inputs)? {
            let next = search.space.successor(&taken, state, &inputs)?;
            search.round.transitions += 1;
            let block = search.consider(next, Some((number, taken.command)))?;
            if seen.insert(block.clone()) {
                blocks.push(block);
            }
        }
        if blocks.len() >= MAX_BLOCKS {
            break;
        }
    }
    Ok(Reached { blocks, command: taken.command })
}

/// Combinations of values, those near zero first, so that what is left out for their number is far away.
struct Nearest {
    ranges: Vec<(i64, i64)>,
    /// By input: how far from its nearest value, counted in values, it may be at the moment, from and to.
    ranks: Vec<(i64, i64)>,
    now: Vec<i64>,
    /// The greatest rank of the present combinations, and the first input that has it.
    shell: (i64, usize),
    is_done: bool,
}

impl Nearest {
    fn new(ranges: Vec<(i64, i64)>) -> Self {
        let is_done = ranges.iter().any(|&(lo, hi)| lo > hi);
        let n = ranges.len();
        Self { ranges, ranks: vec![(0, 0); n], now: vec![0; n], shell: (0, 0), is_done }
    }

    fn next(&mut self) -> Option<Vec<i64>> {
        if self.is_done {
            return None;
        }
        let values = self.ranges.iter().zip(&self.now).map(|(&range, &rank)| ranked(range, rank)).collect();
        if !advance(&mut self.now, &self.ranks) {
            self.is_done = !self.next_part();
        }
        Some(values)
    }

    /// The combinations of a shell are told apart by the first input that has its rank.
    fn next_part(&mut self) -> bool {
        let last = |&(lo, hi): &(i64, i64)| hi - lo;
        let greatest = self.ranges.iter().map(last).max().unwrap_or(0);
        loop {
            self.shell.1 += 1;
            if self.shell.0 == 0 || self.shell.1 >= self.ranges.len() {
                self.shell = (self.shell.0 + 1, 0);
            }
            let (rank, first) = self.shell;
            if rank > greatest {
                return false;
            }
            if rank > last(&self.ranges[first]) {
                continue;
            }
            for (i, range) in self.ranges.iter().enumerate() {
                self.ranks[i] = match i.cmp(&first) {
                    Ordering::Less => (0, last(range).min(rank - 1)),
                    Ordering::Equal => (rank, rank),
                    Ordering::Greater => (0, last(range).min(rank)),
                };
                self.now[i] = self.ranks[i].0;
            }
            return true;
        }
    }
}

/// The value of a rank: outward from the one nearest to zero, on both sides as long as there are values.
fn ranked((lo, hi): (i64, i64), rank: i64) -> i64 {
    let middle = 0.clamp(lo, hi);
    let (below, above) = (middle - lo, hi - middle);
    let both = below.min(above);
    match rank {
        _ if rank <= 2 * both && rank % 2 == 0 => middle - rank / 2,
        _ if rank <= 2 * both => middle + (rank + 1) / 2,
        _ if below > above => middle - (rank - both),
        _ => middle + (rank - both),
    }
}

/// The next combination of values; false after the last.
fn advance(values: &mut [i64], ranges: &[(i64, i64)]) -> bool {
    for (value, &(lo, hi)) in values.iter_mut().zip(ranges) {
        if *value < hi {
            *value += 1;
            return true;
        }
        *value = lo;
    }
    false
}

/// Predicates over the state that tell it apart from those of its block from which inputs lead elsewhere: the atoms
/// that read no input, and what follows from the others when inputs are eliminated.
pub fn separating(
    search: &mut Search<'_, '_, '_>,
    state: &State,
    at: LocationId,
    step: usize,
    given: &[Expr],
    formula: Expr,
) -> Result<Vec<Expr>, Stop> {
    let inputs = search.space.location(at).moves[step].inputs.clone();
    let exprs = &search.space.exprs().clone();
    let atoms = match search.space.location(at).moves[step].shape {
        Shape::Straight => search.table.of_formula(&search.space.terms, formula),
        Shape::Merged => along(search, state, at, step, given, formula)?,
    };
    let (with, plain): (Vec<Expr>, Vec<Expr>) =
        atoms.into_iter().partition(|&atom| variables(exprs, atom).iter().any(|var| inputs.contains(var)));
    let mut candidates = plain;
    for sum in eliminated(search, &with, &inputs) {
        if let Some(Normal::Literal(literal)) = search.table.at_most_zero(exprs, sum)
            && !candidates.contains(&literal.atom)
        {
            candidates.push(literal.atom);
        }
    }
    candidates.retain(|&atom| !search.predicates.is_active(atom, &search.space.location(at).values));
    let mut facts = Vec::with_capacity(candidates.len());
    for &atom in &candidates {
        facts.push(if search.space.holds(atom, state, &[])? { atom } else { exprs.not(atom) });
    }
    // What the block decides already separates nothing.
    let decided = match &mut search.prover {
        Some(prover) => prover.implied(search.space, given, &facts)?,
        None => vec![false; facts.len()],
    };
    let separating: Vec<Expr> = candidates.into_iter().zip(decided).filter(|(_, d)| !d).map(|(atom, _)| atom).collect();
    if separating.is_empty() {
        search.round.needs_more_inputs = true;
    }
    Ok(separating)
}

/// The atoms of a formula about merged ways along the way on which another state of the block breaks it: there they tell the
/// two states apart, as far as they read no inputs.
fn along(
    search: &mut Search<'_, '_, '_>,
    state: &State,
    at: LocationId,
    step: usize,
    given: &[Expr],
    formula: Expr,
) -> Result<Vec<Expr>, Stop> {
    let (exprs, taken) = (search.space.exprs(), &search.space.location(at).moves[step]);
    let (inputs, choices) = (taken.inputs.clone(), taken.choices.clone());
    let breaking = match &mut search.prover {
        Some(prover) => prover.breaking(search.space, given, formula, &inputs)?,
        None => None,
    };
    let Some(breaking) = breaking else {
        return Ok(search.table.without_choices(&search.space.terms, formula));
    };
    let constant =
        |&(input, value): &(VarId, i64)| (input, search.space.terms.constant(search.space.terms.domain(input), value));
    let chosen: Map<VarId, Expr> = breaking.iter().filter(|(input, _)| choices.contains(input)).map(constant).collect();
    search.deciding(substitute(exprs, formula, &chosen), state, &breaking)
}

/// Sums without inputs that are at most zero wherever some combination of the atoms, each true or false, holds.
fn eliminated(search: &Search<'_, '_, '_>, atoms: &[Expr], inputs: &[VarId]) -> Vec<Linear> {
    let exprs = search.space.exprs();
    // Literals of enumerations are not computed with.
    let sort = |var: VarId| search.space.terms.domain(var).sort();
    let is_number = |term: Expr| exprs.sort(term, sort, |_| unreachable!("terms have no cells")) == Sort::Int;
    let mut sums: Vec<Linear> = Vec::new();
    let mut put = |sum: Option<Linear>| sums.extend(sum);
    for &atom in atoms {
        let (a, b) = match exprs.node(atom) {
            Node::Le(a, b) => (*a, *b),
            Node::Eq(a, b) if is_number(*a) => (*a, *b),
            _ => continue,
        };
        let Some(sum) = Linear::of(exprs, a).zip(Linear::of(exprs, b)).and_then(|(a, b)| a.combine(1, &b, -1)) else {
            continue;
        };
        let more = |sum: &Linear| Some(Linear { constant: sum.constant.checked_add(1)?, parts: sum.parts.clone() });
        put(Some(sum.clone()));
        put(sum.negated().as_ref().and_then(more));
        if let Node::Eq(..) = exprs.node(atom) {
            put(sum.negated());
            put(more(&sum));
        }
    }
    for &input in inputs {
        // The bounds of the input's domain count, too.
        if let Domain::Range { lo, hi } = search.space.terms.domain(input) {
            let var = exprs.var(input);
            sums.extend(Linear::of(exprs, exprs.sub(var, exprs.int(hi))));
            sums.extend(Linear::of(exprs, exprs.sub(exprs.int(lo), var)));
        }
    }
    for &input in inputs {
        let var = exprs.var(input);
        let (with, mut without): (Vec<Linear>, Vec<Linear>) =
            sums.into_iter().partition(|sum| sum.parts.contains_key(&var));
        'all: for upper in with.iter().filter(|sum| sum.parts[&var] > 0) {
            for lower in with.iter().filter(|sum| sum.parts[&var] < 0) {
                if without.len() >= MAX_SUMS {
                    break 'all;
                }
                let (a, b) = (upper.parts[&var], lower.parts[&var]);
                let sum = b.checked_neg().and_then(|b| upper.combine(b, lower, a));
                without.extend(sum.filter(|sum| !sum.parts.is_empty() && !without.contains(sum)));
            }
        }
        sums = without;
    }
    let reads = |sum: &Linear| sum.parts.keys().any(|&part| variables(exprs, part).iter().any(|v| inputs.contains(v)));
    sums.retain(|sum| !reads(sum));
    sums
}

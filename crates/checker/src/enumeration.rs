//! Checks a listed set of states: it holds all initial states, no step leaves it, and no member is a target.

use std::ops::Range;
use std::slice;

use lapidary_base::{Control, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::{CommandId, Model, PropertyKind};
use lapidary_verdict::{Checked, Enumeration};

use crate::Rejection;
use crate::budget::{self, Budget, Sample};
use crate::certify::Claim;
use crate::compile::Truth;
use crate::finding::{self, Finding};
use crate::index::{Index, Lookup};
use crate::layout::{Codec, Malformed};
use crate::members::Members;
use crate::program::{self, Program, Rule, Target, Then};
use crate::start;
use crate::successors::{Member, Successors};
use crate::threads;
use crate::words;

const STATES_PER_LOOK: usize = 1 << 10;
/// That takes about so many times ten microseconds.
const WORK_PER_LOOK: u64 = 32;
/// Enough that waits for memory overlap, few enough that the batch stays in the nearest cache.
const BATCH: usize = 256;

/// A single state may have millions of successors.
const LOOKUPS_PER_LOOK: usize = 1 << 12;

/// How many states are tried to learn what a state costs.
const N_PROBES: usize = 1 << 8;

/// Everything that the threads share.
struct Inspection<'a> {
    model: &'a Model,
    codec: &'a Codec,
    members: &'a Members<'a>,
    index: &'a Index<'a>,
    program: &'a Program,
    sample: Sample,
    control: &'a Control,
}

pub fn check(
    model: &Model,
    claims: &[Claim],
    listed: &Enumeration,
    budget: Budget,
    jobs: usize,
    control: &Control,
) -> Result<Checked, Rejection> {
    let codec = Codec::new(model, &listed.layout)?;
    let members = Members::new(listed, codec.n_words())?;
    let program = program::program(model, &codec, claims);
    let index = Index::new(&members, codec.covered(), jobs, control)?;
    let mut inspection = Inspection {
        model,
        codec: &codec,
        members: &members,
        index: &index,
        program: &program,
        sample: Sample::All,
        control,
    };
    inspection.check_initial()?;
    inspection.sample = inspection.choose_sample(budget)?;
    inspection.check_members(jobs)?;
    Ok(inspection.sample.checked())
}

impl Inspection<'_> {
    fn check_initial(&self) -> Result<(), Rejection> {
        let mut packed = vec![0; self.codec.n_words()];
        start::for_each_initial(self.model, &|| self.control.check(), &mut |state| {
            self.codec.encode(state, &mut packed);
            if self.index.contains(&packed) {
                return Ok(());
            }
            Err(Rejection::Wrong(format!("the initial state ({}) is not listed", words::state(self.model, state))))
        })
    }

    /// All states where they are certain to be affordable; else as many as are by the cost of some of them.
    fn choose_sample(&self, budget: Budget) -> Result<Sample, Rejection> {
        let n_states = self.members.len();
        if Sample::within(budget, n_states, budget::most_units_per_state(self.model)) == Sample::All {
            return Ok(Sample::All);
        }
        let mut worker = Worker::new(self);
        let stride = n_states.div_ceil(N_PROBES).max(1);
        let probes = (0..n_states).step_by(stride);
        let n_probes = probes.len() as u64;
        for number in probes {
            self.control.check()?;
            worker.check_member(number)?;
            worker.flush()?;
        }
        let n_steps = worker.successors.n_steps().div_ceil(n_probes.max(1));
        Ok(Sample::within(budget, n_states, self.model.commands.len() as u64 + n_steps))
    }

    /// Each thread takes a stretch of states and stops at its first objection, so the first thread that objects has
    /// the objection of the lowest number, whatever the number of threads.
    fn check_members(&self, jobs: usize) -> Result<(), Rejection> {
        let per_job = self.members.len().div_ceil(jobs).max(1);
        let ranges =
            (0..self.members.len()).step_by(per_job).map(|from| from..(from + per_job).min(self.members.len()));
        let results = threads::side_by_side(ranges, |range| Worker::new(self).check(range));
        // An objection is certain; that another thread was stopped before it could object is not.
        let objection = results.iter().find(|result| result.as_ref().is_err_and(is_objection));
        objection.or_else(|| results.iter().find(|result| result.is_err())).cloned().unwrap_or(Ok(()))
    }
}

/// Does it say something about a state, rather than that a limit was met?
fn is_objection(rejection: &Rejection) -> bool {
    match rejection {
        Rejection::Wrong(_) => true,
        Rejection::Stopped(Stop::Overflow(_) | Stop::Incomplete(_) | Stop::Budget(_)) => true,
        Rejection::Stopped(Stop::NoAnswer(_) | Stop::Solver(_)) => true,
        Rejection::Stopped(Stop::Timeout | Stop::Memory(_) | Stop::Interrupted) => false,
    }
}

struct Worker<'w, 'a> {
    inspection: &'w Inspection<'a>,
    values: Vec<Raw>,
    successors: Successors<'w>,
    lookups: Vec<Lookup>,
}

impl<'w, 'a> Worker<'w, 'a> {
    fn new(inspection: &'w Inspection<'a>) -> Self {
        Self {
            inspection,
            values: vec![0; inspection.model.vars.len()],
            successors: Successors::new(inspection.model, inspection.codec, inspection.program, inspection.control),
            lookups: Vec::new(),
        }
    }

    fn check(&mut self, range: Range<usize>) -> Result<(), Rejection> {
        for number in range {
            if number % STATES_PER_LOOK == STATES_PER_LOOK - 1 {
                self.inspection.control.spend(WORK_PER_LOOK)?;
            }
            if let Err(objection) = self.check_member(number) {
                // Successors of earlier states, still unchecked, may deserve the objection more.
                self.flush()?;
                return Err(objection);
            }
            if self.successors.len() >= BATCH {
                self.inspection.control.check()?;
                self.flush()?;
            }
        }
        self.flush()
    }

    fn check_member(&mut self, number: usize) -> Result<(), Rejection> {
        let Inspection { model, codec, members, program, sample, .. } = *self.inspection;
        let packed = members.get(number);
        codec.decode(packed, &mut self.values).map_err(|why| malformed(model, number, why))?;
        if !sample.includes(number) {
            return Ok(());
        }
        for target in &program.targets {
            if !is_plainly_fine(target, &self.values) {
                self.judge(number, target.claim)?;
            }
        }
        let before = self.successors.n_moves();
        let member = Member { number, packed, values: &self.values };
        let successors = &mut self.successors;
        program.dispatch.visit(member.values, &mut |rule| apply(model, rule, member, successors))?;
        match program.deadlock_free {
            Some(property) if self.successors.n_moves() == before => Err(Rejection::Wrong(format!(
                "state {number} ({}) has no step, against {}",
                words::state(model, &self.values),
                model.properties[property].name
            ))),
            Some(_) | None => Ok(()),
        }
    }

    /// The interpreter's opinion of a member that is not plainly fine.
    #[cold]
    fn judge(&self, number: usize, claim: Claim) -> Result<(), Rejection> {
        let (model, property) = (self.inspection.model, claim.property());
        let finding = finding::find(model, property, &self.values, Some(&|| self.inspection.control.check()));
        let finding = finding.map_err(|why| in_state(model, number, &self.values, why))?;
        let name = &model.properties[property].name;
        let is_reach = matches!(model.properties[property].kind, PropertyKind::Reach(_));
        let why = match finding {
            Finding::Formula(_) if matches!(claim, Claim::NeverErrs(_)) => return Ok(()),
            Finding::Formula(value) if value != is_reach => return Ok(()),
            Finding::Formula(true) => format!("satisfies {name}"),
            Finding::Formula(false) => format!("violates {name}"),
            Finding::Errs(fault) => format!("errs in {name}: {}", fault.what),
            Finding::StepErrs(..) | Finding::NoStepErrs | Finding::Step(_) | Finding::Deadlock => return Ok(()),
        };
        Err(Rejection::Wrong(format!("state {number} ({}) {why}", words::state(model, &self.values))))
    }

    /// Are the successors collected so far members?
    fn flush(&mut self) -> Result<(), Rejection> {
        let Inspection { index, codec, control, .. } = *self.inspection;
        let n_words = codec.n_words();
        for (number, some) in self.successors.packed().chunks(n_words * LOOKUPS_PER_LOOK).enumerate() {
            if number > 0 {
                control.check()?;
            }
            if let Some(position) = index.first_missing(some, n_words, &mut self.lookups) {
                return Err(self.missing(number * LOOKUPS_PER_LOOK + position));
            }
        }
        self.successors.clear();
        Ok(())
    }

    #[cold]
    fn missing(&mut self, position: usize) -> Rejection {
        let Inspection { model, codec, members, .. } = *self.inspection;
        let (number, command) = self.successors.origin(position);
        let mut shown = |packed: &[u64]| match codec.decode(packed, &mut self.values) {
            Ok(()) => words::state(model, &self.values),
            Err(_) => "malformed".to_owned(),
        };
        let (from, to) = (shown(members.get(number)), shown(self.successors.state(position)));
        let label = &model.commands[command].label;
        Rejection::Wrong(format!("state {number} ({from}) leads by {label} to ({to}), which is not listed"))
    }
}

/// Takes the steps of a rule, or objects to its fault, where its condition is true.
#[inline]
fn apply(model: &Model, rule: &Rule, member: Member<'_>, successors: &mut Successors<'_>) -> Result<(), Rejection> {
    if !rule.needs.matches(member.packed) || !rule.atoms.iter().all(|atom| atom.holds(member.values)) {
        return Ok(());
    }
    let condition = rule.tests.iter().map(|test| test(member.values)).find(|&truth| truth != Truth::True);
    let outcome = match (condition.unwrap_or(Truth::True), &rule.then) {
        (Truth::False, _) => return Ok(()),
        (Truth::True, Then::Step(command, effect)) => successors.add(member, *command, effect),
        (Truth::Odd, Then::Step(command, _)) => successors.ask(member, *command),
        (Truth::True | Truth::Odd, Then::Fault(command, fault)) => check_fault(model, *command, *fault, member.values),
    };
    outcome.map_err(|why| in_state(model, member.number, member.values, why))
}

/// The interpreter's opinion of a fault that seems to be there.
#[cold]
fn check_fault(model: &Model, command: CommandId, fault: usize, values: &[Raw]) -> Result<(), Rejection> {
    let command = &model.commands[command];
    match finding::first_fault(model, slice::from_ref(&command.faults[fault]), &command.label, values)? {
        Some(fault) => Err(Rejection::Wrong(format!("{} would err: {}", command.label, fault.what))),
        None => Ok(()),
    }
}

#[inline]
fn is_plainly_fine(target: &Target, values: &[Raw]) -> bool {
    (target.formula)(values) == target.fine && target.faults.iter().all(|fault| fault(values) == Truth::False)
}

#[cold]
fn in_state(model: &Model, number: usize, values: &[Raw], why: Rejection) -> Rejection {
    match why {
        Rejection::Wrong(why) => Rejection::Wrong(format!("state {number} ({}): {why}", words::state(model, values))),
        Rejection::Stopped(stop) => Rejection::Stopped(stop),
    }
}

fn malformed(model: &Model, number: usize, why: Malformed) -> Rejection {
    let why = match why {
        Malformed::StrayBits => "has bits outside of all fields".to_owned(),
        Malformed::Outside(var, value) => format!("is malformed: {}", words::outside(model, var, value)),
    };
    Rejection::Wrong(format!("state {number} {why}"))
}

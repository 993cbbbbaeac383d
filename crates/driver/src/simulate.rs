//! Steps through a model, by hand or at random, or on from where another run ended.

use std::sync::Arc;

use lapidary_base::{Control, Stop};
use lapidary_checker::Rejection;
use lapidary_ir::passes::NoModel;
use lapidary_ir::{CommandId, Model, print};
use lapidary_system::{Explicit, Halt, Steps, Successors};
use lapidary_text::Sources;
use lapidary_verdict::{State, Trace};
use serde_json::Value;

use crate::files::Files;
use crate::load::{LoadError, LoadRequest, Loaded, open_within};
use crate::nets;
use crate::runs::{self, NoTrace};

/// A step that can be taken now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub command: CommandId,
    pub next: State,
}

/// A command that cannot be taken now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disabled {
    pub command: CommandId,
    /// The error that the step would make, or the first conjunct of its guard that is false.
    pub because: String,
}

/// Why there is nothing to walk through.
pub enum NoSimulation {
    Unloaded(LoadError),
    NoInitialState,
    Stopped(Stop),
}

impl From<Stop> for NoSimulation {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// A walk through the state space with undo. It has all that it needs, and can be kept between requests.
pub struct Simulation {
    pub loaded: Loaded,
    trace: Trace,
    system: Explicit,
    /// Looked at where a state has very many steps, or a step takes long.
    control: Control,
}

impl Simulation {
    /// Loads a model, wherever its files are, and begins at its first initial state.
    pub fn begin(request: &LoadRequest, files: &Arc<dyn Files>, control: &Control) -> Result<Self, NoSimulation> {
        Self::of(open_within(request, files, control).map_err(NoSimulation::Unloaded)?, control)
    }

    /// Begins at the first initial state.
    pub fn of(loaded: Loaded, control: &Control) -> Result<Self, NoSimulation> {
        let model = loaded.subject.model(control).map_err(NoModel::into_stop)?;
        let pinned = nets::pinned(&loaded.subject);
        let system = if pinned.is_empty() {
            compile(model, &loaded.sources, control)?
        } else {
            // Only the walk begins there: a run that is taken over need not.
            let mut model = model.clone();
            let conditions = nets::beginning(&model.exprs, &pinned);
            model.init.extend(conditions);
            compile(&model, &loaded.sources, control)?
        };
        let first = initial_states(&system, 1, control)?.pop().ok_or(NoSimulation::NoInitialState)?;
        Ok(Self { loaded, system, trace: beginning(first), control: control.clone() })
    }

    /// From now on these limits are looked at: a walk may be kept for longer than any of its steps may take.
    pub fn obey(&mut self, control: &Control) {
        self.control = control.clone();
    }

    /// The commands that are stepped through.
    pub fn model(&self) -> &Model {
        self.loaded.subject.made_model().expect("it was made for the walk")
    }

    /// The walk so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Where the walk is now.
    pub fn state(&self) -> &State {
        self.trace.last()
    }

    /// Goes on from where a run ends, that of an answer for one; a loop has been gone round once. It is replayed before.
    pub fn take_over(&mut self, run: &Trace) -> Result<(), NoTrace> {
        if let Some(why) = self.outside(run) {
            return Err(NoTrace::Wrong(why));
        }
        let replayed = lapidary_checker::replay_run(&self.loaded.subject, run, &self.control);
        replayed.map_err(|rejection| match rejection {
            Rejection::Wrong(why) => NoTrace::Wrong(why),
            Rejection::Stopped(stop) => NoTrace::Stopped(stop),
        })?;
        let mut trace = Trace { loop_start: None, ..run.clone() };
        trace.states.extend(run.loop_start.map(|start| run.states[start].clone()));
        self.trace = trace;
        Ok(())
    }

    /// The same with a run from an ITF document.
    pub fn take_over_document(&mut self, document: &Value) -> Result<(), NoTrace> {
        let run = runs::read(&self.loaded, document, &self.control)?;
        self.take_over(&run)
    }

    /// What of a run cannot be a state of this model at all.
    fn outside(&self, run: &Trace) -> Option<String> {
        let declared = self.loaded.declared();
        let is_inside = |state: &State| {
            let mut values = declared.vars.iter().zip(state.iter());
            let fits =
                |bounds: Option<(i64, i64)>, value| bounds.is_none_or(|(low, high)| (low..=high).contains(value));
            state.len() == declared.vars.len() && values.all(|(var, value)| fits(declared.bounds(var.domain), value))
        };
        let wrong = run.states.iter().position(|state| !is_inside(state))?;
        Some(format!("state {wrong} has a value that is not in its domain"))
    }

    /// The initial states, up to `limit` of them.
    pub fn initial_states(&self, limit: usize, control: &Control) -> Result<Vec<State>, Stop> {
        initial_states(&self.system, limit, control)
    }

    /// Begins anew at another initial state.
    pub fn restart(&mut self, initial: State) {
        self.trace = beginning(initial);
    }

    pub fn choices(&self) -> Result<Vec<Choice>, Stop> {
        let mut steps = Steps::within(&self.control);
        self.system.successors(lapidary_system::State::plain(&self.system.pack(self.trace.last())), &mut steps)?;
        let states = steps.states.chunks_exact(self.system.words());
        let choice = |(&command, state)| Choice { command, next: self.system.unpack(state) };
        let choices = steps.actions.iter().zip(states).map(choice);
        Ok(choices.filter(|choice| !self.only_waits(choice)).collect())
    }

    /// Waiting is a step to take only where it leads somewhere, because flows may choose.
    fn only_waits(&self, choice: &Choice) -> bool {
        self.model().commands[choice.command].is_idle && choice.next == *self.trace.last()
    }

    /// The commands without a step from here, in order, and what keeps each of them.
    pub fn disabled(&self) -> Result<Vec<Disabled>, Stop> {
        let mut enabled: Vec<CommandId> = self.choices()?.into_iter().map(|choice| choice.command).collect();
        enabled.sort_unstable();
        let is_disabled = |id: &CommandId| !self.model().commands[*id].is_idle && enabled.binary_search(id).is_err();
        let disabled = self.model().commands.ids().filter(is_disabled);
        Ok(disabled.map(|command| Disabled { command, because: self.because(command) }).collect())
    }

    fn because(&self, command: CommandId) -> String {
        let state = self.trace.last();
        if let Some(fault) = lapidary_checker::responsible_fault(self.model(), command, state) {
            return format!("it would err: {}", fault.what);
        }
        match lapidary_checker::failing_conjunct(self.model(), command, state) {
            Some(conjunct) => format!("{} is false", print::show(self.model(), conjunct)),
            None => "no execution of its body gets through".to_owned(),
        }
    }

    pub fn step(&mut self, choice: Choice) {
        self.trace.actions.push(self.loaded.subject.action(choice.command));
        self.trace.states.push(choice.next);
    }

    /// Takes the last step back; false at the initial state.
    pub fn undo(&mut self) -> bool {
        self.trace.actions.pop().is_some() && self.trace.states.pop().is_some()
    }

    /// Begins anew at a random one of the first initial states.
    pub fn start_anywhere(&mut self, seed: u64, control: &Control) -> Result<(), Stop> {
        let mut initial = self.initial_states(MAX_INITIAL, control)?;
        let at = Dice(seed).below(initial.len());
        self.restart(initial.swap_remove(at));
        Ok(())
    }

    /// Takes up to `steps` random steps, always the same ones for the same seed; stops early in a deadlock.
    pub fn walk(&mut self, seed: u64, steps: usize, control: &Control) -> Result<(), Stop> {
        let mut dice = Dice(seed.wrapping_add(1));
        for _ in 0..steps {
            control.check()?;
            let mut choices = self.choices()?;
            if choices.is_empty() {
                break;
            }
            let at = dice.below(choices.len());
            self.step(choices.swap_remove(at));
        }
        Ok(())
    }
}

/// So many initial states are listed before a random one is picked.
const MAX_INITIAL: usize = 1 << 12;

fn beginning(initial: State) -> Trace {
    Trace { states: vec![initial], actions: Vec::new(), loop_start: None }
}

fn compile(model: &Model, sources: &Sources, control: &Control) -> Result<Explicit, Stop> {
    Explicit::within(model, &[], sources, control).map_err(Halt::into_stop)
}

fn initial_states(system: &Explicit, limit: usize, control: &Control) -> Result<Vec<State>, Stop> {
    let mut states = Vec::new();
    let mut is_full = false;
    let ended = system.initial(control, &mut |state| {
        states.push(system.unpack(state.discrete));
        is_full = states.len() >= limit;
        // Any stop will do: the enumeration only has to end here.
        if is_full { Err(Stop::Interrupted) } else { Ok(()) }
    });
    match ended {
        Err(_) if is_full => Ok(states),
        ended => ended.map(|()| states),
    }
}

/// SplitMix64: small, seeded, the same on every machine.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not zero.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

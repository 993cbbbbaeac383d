//! Steps through a model, by hand or at random.

use lapidary_base::{Control, Stop};
use lapidary_ir::passes::NoModel;
use lapidary_ir::{CommandId, Model, Subject, print};
use lapidary_system::{Explicit, Halt, Steps, Successors};
use lapidary_text::Sources;
use lapidary_verdict::{State, Trace};

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

/// A walk through the state space with undo.
pub struct Simulation<'a> {
    pub subject: &'a Subject,
    /// The subject's.
    pub model: &'a Model,
    pub trace: Trace,
    system: Explicit,
    /// Looked at where a state has very many steps, or a step takes long.
    control: Control,
}

impl<'a> Simulation<'a> {
    /// Begins at the first initial state; `None` if there is none.
    pub fn new(subject: &'a Subject, sources: &Sources, control: &Control) -> Result<Option<Self>, Stop> {
        let model = subject.model(control).map_err(NoModel::into_stop)?;
        let system = compile(model, sources, control)?;
        let first = initial_states(&system, 1, control)?.pop();
        Ok(first.map(|initial| Self { subject, model, system, trace: beginning(initial), control: control.clone() }))
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
        self.model.commands[choice.command].is_idle && choice.next == *self.trace.last()
    }

    /// The commands without a step from here, in order, and what keeps each of them.
    pub fn disabled(&self) -> Result<Vec<Disabled>, Stop> {
        let mut enabled: Vec<CommandId> = self.choices()?.into_iter().map(|choice| choice.command).collect();
        enabled.sort_unstable();
        let is_disabled = |id: &CommandId| !self.model.commands[*id].is_idle && enabled.binary_search(id).is_err();
        let disabled = self.model.commands.ids().filter(is_disabled);
        Ok(disabled.map(|command| Disabled { command, because: self.because(command) }).collect())
    }

    fn because(&self, command: CommandId) -> String {
        let state = self.trace.last();
        if let Some(fault) = lapidary_checker::responsible_fault(self.model, command, state) {
            return format!("it would err: {}", fault.what);
        }
        match lapidary_checker::failing_conjunct(self.model, command, state) {
            Some(conjunct) => format!("{} is false", print::show(self.model, conjunct)),
            None => "no execution of its body gets through".to_owned(),
        }
    }

    pub fn step(&mut self, choice: Choice) {
        self.trace.actions.push(self.subject.action(choice.command));
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

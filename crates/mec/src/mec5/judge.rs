//! The evidence for what `:ar-cegar-verify` found: made, and given to whoever judges it.

use std::sync::Arc;

use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_bdd::Set;
use lapidary_engines::symbolic::whole;
use lapidary_ir::{ComponentId, EventId, VarId};
use lapidary_text::Span;
use lapidary_verdict::State;

use super::cegar::Abstraction;
use super::evaluate::Stored;
use super::evidence::{Evidence, Judgement, Question};
use super::host::Host;
use super::session::{Session, Trouble};
use super::show;

impl Session {
    /// The set that the loop ended with is judged.
    pub(super) fn shown_safe(
        &mut self,
        host: &mut dyn Host,
        abstraction: &mut Abstraction,
        span: Span,
        control: &Control,
    ) -> Result<(), Trouble> {
        let stopped = |stop| Trouble::Stopped(stop, span);
        let set = abstraction.loops.certificate(control).map_err(stopped)?;
        let diagram = whole(&abstraction.system, &set).map_err(stopped)?;
        let evidence = Evidence::Inductive(Arc::new(diagram));
        judged(host, abstraction, &evidence, span, control)
    }

    /// The run that the loop found, judged, and in words: one configuration a line, each with the event that led to it.
    pub(super) fn shown_reached(
        &mut self,
        host: &mut dyn Host,
        node: &str,
        abstraction: &mut Abstraction,
        span: Span,
        control: &Control,
    ) -> Result<String, Trouble> {
        let stopped = |stop| Trouble::Stopped(stop, span);
        let sets = abstraction.loops.run(control).map_err(stopped)?;
        let (tree, families) = (&abstraction.tree, IdVec::new());
        let pick = |set: &Set| {
            let picked = abstraction.system.pick(&tree.exprs, &families, set).map_err(stopped)?;
            Ok(picked.expect("states of a run are there"))
        };
        let states = sets.iter().map(pick).collect::<Result<Vec<State>, Trouble>>()?;
        let transitions = self.stored(host, &format!("{node}!t"), span, control)?;
        let codes: Vec<Vec<u64>> = states.iter().map(|state| self.codes(abstraction, state)).collect();
        let mut events = Vec::new();
        for pair in codes.windows(2) {
            let found = self.event(&transitions, &pair[0], &pair[1]).map_err(stopped)?;
            let missing = || Trouble::Rejected("a step of the run is no transition".to_owned(), span);
            events.push(found.ok_or_else(missing)?);
        }
        let flat = |event: &Vec<u64>| -> IdVec<ComponentId, EventId> {
            event.iter().map(|&code| EventId(u32::try_from(code).expect("events have 32-bit numbers"))).collect()
        };
        let evidence = Evidence::Run { events: events.iter().map(flat).collect(), states };
        judged(host, abstraction, &evidence, span, control)?;
        let [configuration, event] = [0, 1].map(|place| self.types.get(transitions.signature[place]));
        let mut text = format!("  {}\n", show::value(&self.types, configuration, &codes[0]));
        for (label, after) in events.iter().zip(&codes[1..]) {
            let (label, after) =
                (show::value(&self.types, event, label), show::value(&self.types, configuration, after));
            text.push_str(&format!("  {label} {after}\n"));
        }
        Ok(text)
    }

    /// Where the values of a configuration stand in their columns.
    fn codes(&self, abstraction: &Abstraction, state: &State) -> Vec<u64> {
        let code = |(place, &value): (usize, &i64)| value.abs_diff(abstraction.tree.bounds(VarId::new(place)).0);
        state.iter().enumerate().map(code).collect()
    }

    /// An event that leads from one configuration to another, by its component's events.
    fn event(&mut self, transitions: &Stored, from: &[u64], to: &[u64]) -> Result<Option<Vec<u64>>, Stop> {
        let slots = self.slots.as_mut().expect("transitions need slots");
        let signature = &transitions.signature;
        let mut step = transitions.set.clone();
        for (copy, values) in [from, to].into_iter().enumerate() {
            let columns = slots.columns(&self.types, signature[0], copy)?;
            for (column, &value) in columns.into_iter().zip(values) {
                step = slots.space.and(&step, &slots.space.value(column, value)?)?;
            }
        }
        let events = slots.columns(&self.types, signature[1], 0)?;
        slots.space.pick(&step, &events)
    }
}

/// The host has to accept it.
fn judged(
    host: &mut dyn Host,
    abstraction: &Abstraction,
    evidence: &Evidence,
    span: Span,
    control: &Control,
) -> Result<(), Trouble> {
    let Abstraction { tree, initial, error, .. } = abstraction;
    match host.judge(&Question { tree, initial, error }, evidence, control) {
        Judgement::Accepted => Ok(()),
        Judgement::Rejected(why) => Err(Trouble::Rejected(why, span)),
        Judgement::Stopped(stop) => Err(Trouble::Stopped(stop, span)),
    }
}

//! One random node type over those that were written before.

use super::expr::Maker;
use super::{Named, NodeType, Shape, Sort, sync};
use crate::dice::Dice;

/// Deeper hierarchies are not made.
const MAX_HEIGHT: usize = 3;

struct Draft<'a> {
    dice: &'a mut Dice,
    shape: &'a Shape,
    types: &'a [NodeType],
    node: NodeType,
    /// Each subnode with its type.
    subs: Vec<(String, usize)>,
    own_states: Vec<Named>,
    own_flows: Vec<Named>,
    /// Assertions, guards and updates may mention what the subnodes show.
    reads_below: bool,
}

pub(crate) fn node(dice: &mut Dice, shape: &Shape, types: &[NodeType], number: usize, reads_below: bool) -> NodeType {
    let name = format!("N{number}");
    let node = NodeType {
        text: format!("node {name}\n"),
        name,
        readable: Vec::new(),
        states: Vec::new(),
        inputs: Vec::new(),
        events: Vec::new(),
        public: Vec::new(),
        lifted: Vec::new(),
        n_valuations: 1,
        height: 1,
    };
    let (subs, own_states, own_flows) = (Vec::new(), Vec::new(), Vec::new());
    let mut draft = Draft { dice, shape, types, node, subs, own_states, own_flows, reads_below };
    draft.subs();
    draft.variables();
    draft.assertions();
    draft.events();
    draft.transitions();
    draft.init();
    let Draft { dice, types, mut node, subs, .. } = draft;
    sync::vectors(dice, types, &subs, &mut node);
    node.text.push_str("edon\n");
    node
}

impl Draft<'_> {
    fn line(&mut self, line: &str) {
        for part in ["  ", line, "\n"] {
            self.node.text.push_str(part);
        }
    }

    fn room_for(&self, n_values: u64) -> bool {
        self.node.n_valuations.saturating_mul(n_values) <= self.shape.max_valuations
    }

    fn subs(&mut self) {
        let is_last = self.types.len() + 1 == self.shape.n_nodes;
        let wanted = if is_last { 1 + self.dice.below(2) } else { self.dice.below(3) };
        for place in 0..wanted {
            let fitting: Vec<usize> = (0..self.types.len()).filter(|&of| self.types[of].height < MAX_HEIGHT).collect();
            if fitting.is_empty() {
                return;
            }
            // The latest types are the most interesting ones.
            let of = fitting[fitting.len() - 1 - self.dice.below(fitting.len().min(2))];
            let n_values = self.types[of].n_valuations;
            let is_array = self.dice.percent(25) && self.room_for(n_values.saturating_mul(n_values));
            if !self.room_for(n_values) {
                continue;
            }
            let name = format!("s{place}");
            let (dimension, names) = match is_array {
                true => ("[2]", vec![format!("{name}[0]"), format!("{name}[1]")]),
                false => ("", vec![name.clone()]),
            };
            self.line(&format!("sub {name} : {}{dimension};", self.types[of].name));
            names.into_iter().for_each(|name| self.add_sub(name, of));
        }
    }

    fn add_sub(&mut self, name: String, of: usize) {
        let sub = &self.types[of];
        let below = |list: &[Named]| -> Vec<Named> {
            list.iter().map(|var| Named { path: format!("{name}.{}", var.path), sort: var.sort }).collect()
        };
        self.node.readable.extend(below(&sub.readable));
        self.node.states.extend(below(&sub.states));
        self.node.inputs.extend(below(&sub.inputs));
        self.node.n_valuations *= sub.n_valuations;
        self.node.height = self.node.height.max(sub.height + 1);
        self.subs.push((name, of));
    }

    fn sort(&mut self) -> Sort {
        match self.dice.below(5) {
            0 | 1 => Sort::Bool,
            2 => Sort::Colour,
            3 => Sort::Int(1),
            _ => Sort::Int(2),
        }
    }

    fn variables(&mut self) {
        let (n_states, n_flows) = ([0, 1, 1, 2, 2][self.dice.below(5)], self.dice.below(3));
        for place in 0..n_states {
            let sort = self.sort();
            if !self.room_for(sort.n_values()) {
                continue;
            }
            self.node.n_valuations *= sort.n_values();
            let (name, is_public) = (format!("x{place}"), self.dice.percent(30));
            let attribute = if is_public { " : public" } else { "" };
            self.line(&format!("state {name} : {}{attribute};", sort.domain()));
            self.own_states.push(Named { path: name, sort });
        }
        for place in 0..n_flows {
            let (name, sort) = (format!("f{place}"), self.sort());
            self.line(&format!("flow {name} : {};", sort.domain()));
            self.own_flows.push(Named { path: name, sort });
        }
    }

    fn maker<'m>(&'m mut self, vars: &'m [Named]) -> Maker<'m> {
        Maker { dice: self.dice, vars, arithmetic: self.shape.arithmetic }
    }

    /// Own variables and what the subnodes show.
    fn all(&self) -> Vec<Named> {
        let below = self.below().iter();
        self.own_states.iter().chain(&self.own_flows).chain(below).cloned().collect()
    }

    fn below(&self) -> &[Named] {
        if self.reads_below { &self.node.readable } else { &[] }
    }

    fn assertions(&mut self) {
        let mut known: Vec<Named> = self.own_states.iter().chain(self.below()).cloned().collect();
        let inputs = std::mem::take(&mut self.node.inputs);
        for flow in self.own_flows.clone() {
            let is_wide = !self.room_for(flow.sort.n_values());
            if is_wide || self.dice.percent(55) {
                let value = self.maker(&known).assigned(flow.sort, 2);
                let equation = match self.dice.percent(30) {
                    true => format!("assert {value} = {};", flow.path),
                    false => format!("assert {} = {value};", flow.path),
                };
                self.line(&equation);
                known.push(flow);
                continue;
            }
            self.node.n_valuations *= flow.sort.n_values();
            known.push(flow.clone());
            let n_constraints = [0, 0, 1, 1, 2][self.dice.below(5)];
            (0..n_constraints).for_each(|_| self.constrain(&flow, &known));
            self.node.inputs.push(flow);
        }
        for input in inputs {
            if !self.reads_below {
                self.node.inputs.push(input);
                continue;
            }
            match self.dice.below(4) {
                0 | 1 => {
                    let value = self.maker(&known).assigned(input.sort, 2);
                    self.line(&format!("assert {} = {value};", input.path));
                }
                2 => self.constrain(&input, &known),
                _ => self.node.inputs.push(input),
            }
        }
        if self.dice.percent(20) {
            let vars = self.all();
            let condition = self.maker(&vars).truth(2);
            self.line(&format!(
                "assert ({condition} or {});",
                self.own_states.first().map_or_else(
                    || "true".to_owned(),
                    |state| match state.sort {
                        Sort::Bool => format!("(not {})", state.path),
                        Sort::Int(_) => format!("({} != 1)", state.path),
                        Sort::Colour => format!("({} != red)", state.path),
                    },
                )
            ));
        }
    }

    /// Rules out some values of a flow, depending on the others.
    fn constrain(&mut self, flow: &Named, known: &[Named]) {
        let other = self.maker(known).of(flow.sort, 2);
        let assertion = match flow.sort {
            Sort::Bool => format!("({} => {other})", flow.path),
            Sort::Int(_) => format!("({} <= {other})", flow.path),
            Sort::Colour => format!("({} != {other})", flow.path),
        };
        self.line(&format!("assert {assertion};"));
    }

    fn events(&mut self) {
        let n_events = [0, 1, 2, 2, 3, 3][self.dice.below(6)];
        for place in 0..n_events {
            let (name, is_public, is_array) = (format!("e{place}"), self.dice.percent(35), self.dice.percent(12));
            let attribute = if is_public { " : public" } else { "" };
            let names = match is_array {
                true => vec![format!("{name}[0]"), format!("{name}[1]")],
                false => vec![name.clone()],
            };
            let dimension = if is_array { "[2]" } else { "" };
            self.line(&format!("event {name}{dimension}{attribute};"));
            if is_public {
                self.node.public.extend(names.iter().cloned());
            }
            self.node.events.extend(names);
        }
        let plain: Vec<String> = self.node.events.iter().filter(|name| !name.contains('[')).cloned().collect();
        let mut order = plain;
        self.dice.shuffle(&mut order);
        for pair in order.windows(2) {
            if self.dice.percent(55) {
                let line = match self.dice.percent(50) {
                    true => format!("event {} < {};", pair[0], pair[1]),
                    false => format!("event {} > {};", pair[1], pair[0]),
                };
                self.line(&line);
            }
        }
    }

    fn transitions(&mut self) {
        let vars = self.all();
        for event in self.node.events.clone() {
            let n_transitions = [0, 1, 1, 1, 2, 2][self.dice.below(6)];
            for _ in 0..n_transitions {
                let guard = if self.dice.percent(25) { "true".to_owned() } else { self.maker(&vars).truth(2) };
                let mut updates = Vec::new();
                for state in self.own_states.clone() {
                    if self.dice.percent(65) {
                        let value = self.maker(&vars).assigned(state.sort, 2);
                        updates.push(format!("{} := {value}", state.path));
                    }
                }
                self.line(&format!("trans {guard} |- {event} -> {};", updates.join(", ")));
            }
        }
    }

    /// Some variables start anywhere; some initial values of subnodes are overridden.
    fn init(&mut self) {
        let (below, own) = (self.node.states.clone(), self.own_states.clone());
        let chosen = own.iter().map(|state| (state, 75)).chain(below.iter().map(|state| (state, 15)));
        for (state, chance) in chosen {
            if self.dice.percent(chance) {
                let value = self.maker(&[]).initial(state.sort);
                self.line(&format!("init {} := {value};", state.path));
            }
        }
        self.node.states.extend(self.own_states.iter().cloned());
        // Only public states and flows are for parents to read.
        let is_public = |state: &&Named| {
            self.node.text.contains(&format!("state {} : {} : public", state.path, state.sort.domain()))
        };
        let own: Vec<Named> = self.own_states.iter().filter(is_public).cloned().collect();
        self.node.readable = own.into_iter().chain(self.own_flows.iter().cloned()).collect();
    }
}

//! Random specifications for a tree: every construct over its own variables, events and subnodes.

use lapidary_ir::tree::{Component, EPSILON};
use lapidary_ir::{ComponentId, Domain, EventRef, Tree};
use lapidary_reference::dice::Dice;

pub struct Writer<'t> {
    dice: Dice,
    tree: &'t Tree,
    states: Vec<String>,
    trans: Vec<String>,
    text: String,
}

/// A specification of the tree's root that defines sets and prints everything that can be printed of them.
pub fn script(tree: &Tree, seed: u64) -> String {
    let (states, trans, text) = (Vec::new(), Vec::new(), format!("with {} do\n", tree.name));
    let mut writer = Writer { dice: Dice::new(seed), tree, states, trans, text };
    for number in 0..8 {
        writer.definition(number);
    }
    writer.commands();
    writer.text + "done\n"
}

impl Writer<'_> {
    fn definition(&mut self, number: usize) {
        let is_states = self.dice.below(2) == 0;
        let name = format!("{}{number}", if is_states { "S" } else { "T" });
        let (sign, body) = match (self.dice.below(3), is_states) {
            (0, true) => ("+=", self.growing(&name, 3)),
            (0, false) => ("+=", self.growing_trans(&name, 3)),
            (1, true) => ("-=", self.growing(&name, 3)),
            (1, false) => ("-=", self.growing_trans(&name, 3)),
            (_, true) => (":=", self.state_set(3)),
            (_, false) => (":=", self.trans_set(3)),
        };
        self.text += &format!("  {name} {sign} {body};\n");
        if is_states { self.states.push(name) } else { self.trans.push(name) }
    }

    fn state_set(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.below(5) == 0 {
            return self.plain_states();
        }
        let d = depth - 1;
        match self.dice.below(12) {
            0 => format!("({} & {})", self.state_set(d), self.state_set(d)),
            1 => format!("({} | {})", self.state_set(d), self.state_set(d)),
            2 => format!("({} - {})", self.state_set(d), self.state_set(d)),
            3 => format!("(not {})", self.state_set(d)),
            4 => format!("src({})", self.trans_set(d)),
            5 => format!("tgt({})", self.trans_set(d)),
            6 => format!("reach({}, {})", self.state_set(d), self.trans_set(d)),
            7 => format!("coreach({}, {})", self.state_set(d), self.trans_set(d)),
            8 => format!("unav({}, {})", self.trans_set(d), self.state_set(d)),
            9 => format!("pick({})", self.state_set(d)),
            10 => format!("proj_s({})", self.state_set(d)),
            _ => format!("proj_f({})", self.state_set(d)),
        }
    }

    fn plain_states(&mut self) -> String {
        match self.dice.below(8) {
            0 => "any_s".to_owned(),
            1 => "initial".to_owned(),
            2 if self.dice.below(3) == 0 => "empty_s".to_owned(),
            3 | 4 if !self.states.is_empty() => self.states[self.dice.below(self.states.len())].clone(),
            _ => format!("[{}]", self.formula(2)),
        }
    }

    fn trans_set(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.below(5) == 0 {
            return self.plain_trans();
        }
        let d = depth - 1;
        match self.dice.below(9) {
            0 => format!("({} & {})", self.trans_set(d), self.trans_set(d)),
            1 => format!("({} | {})", self.trans_set(d), self.trans_set(d)),
            2 => format!("({} - {})", self.trans_set(d), self.trans_set(d)),
            3 => format!("(not {})", self.trans_set(d)),
            4 | 5 => format!("rsrc({})", self.state_set(d)),
            6 => format!("rtgt({})", self.state_set(d)),
            7 => format!("trace({}, {}, {})", self.state_set(d), self.trans_set(d), self.state_set(d)),
            _ => format!("loop({}, {})", self.trans_set(d), self.trans_set(d)),
        }
    }

    fn plain_trans(&mut self) -> String {
        match self.dice.below(12) {
            0 => "self".to_owned(),
            1 => "self_epsilon".to_owned(),
            2 => "epsilon".to_owned(),
            3 => "not_deterministic".to_owned(),
            4 if self.dice.below(3) == 0 => "empty_t".to_owned(),
            5 if self.dice.below(3) == 0 => "attribute public".to_owned(),
            6 | 7 if !self.trans.is_empty() => self.trans[self.dice.below(self.trans.len())].clone(),
            8..=10 => self.label(),
            _ => "any_t".to_owned(),
        }
    }

    fn label(&mut self) -> String {
        let tree = self.tree;
        let own = |(component, declared): (ComponentId, &Component)| {
            let events = declared.events.ids().filter(|&event| event != EPSILON);
            events.map(|event| tree.event_name(EventRef { component, event })).collect::<Vec<_>>()
        };
        let events: Vec<String> = tree.components.enumerated().flat_map(own).collect();
        if events.is_empty() {
            return "any_t".to_owned();
        }
        format!("label {}", events[self.dice.below(events.len())])
    }

    /// A set of states that grows with the named one.
    fn growing(&mut self, name: &str, depth: usize) -> String {
        if depth == 0 {
            return name.to_owned();
        }
        let d = depth - 1;
        match self.dice.below(7) {
            0 => format!("({} | {})", self.state_set(1), self.growing(name, d)),
            1 => format!("({} & ({} | {}))", self.state_set(1), self.growing(name, d), self.state_set(1)),
            2 => format!("({} | src({} & rtgt({})))", self.state_set(1), self.trans_set(1), self.growing(name, d)),
            3 => format!("({} | tgt(rsrc({}) - {}))", self.state_set(1), self.growing(name, d), self.trans_set(1)),
            4 => format!("reach({} | {}, {})", self.growing(name, d), self.state_set(0), self.trans_set(1)),
            5 => format!("(any_s - ({} - {}))", self.state_set(1), self.growing(name, d)),
            _ => format!("({} | proj_s({}))", self.growing(name, d), self.growing(name, d)),
        }
    }

    /// A set of transitions that grows with the named one.
    fn growing_trans(&mut self, name: &str, depth: usize) -> String {
        if depth == 0 {
            return name.to_owned();
        }
        let d = depth - 1;
        match self.dice.below(5) {
            0 => format!("({} | {})", self.trans_set(1), self.growing_trans(name, d)),
            1 => format!("({} & rtgt(src({})))", self.trans_set(1), self.growing_trans(name, d)),
            2 => format!("({} | rsrc(tgt({})))", self.trans_set(1), self.growing_trans(name, d)),
            3 => format!("(any_t - ({} - {}))", self.trans_set(1), self.growing_trans(name, d)),
            _ => format!("({} & ({} | {}))", self.trans_set(1), self.growing_trans(name, d), self.trans_set(1)),
        }
    }

    /// Among them some without a value where a divisor is zero.
    fn formula(&mut self, depth: usize) -> String {
        if depth > 0 && self.dice.below(2) == 0 {
            let d = depth - 1;
            return match self.dice.below(4) {
                0 => format!("(not {})", self.formula(d)),
                1 => format!("({} and {})", self.formula(d), self.formula(d)),
                2 => format!("({} => {})", self.formula(d), self.formula(d)),
                _ => format!("({} or {})", self.formula(d), self.formula(d)),
            };
        }
        if self.tree.vars.is_empty() {
            return "true".to_owned();
        }
        let var = &self.tree.vars.as_slice()[self.dice.below(self.tree.vars.len())];
        match var.domain {
            Domain::Bits(_) | Domain::Array(_) => unreachable!("AltaRica has neither"),
            Domain::Bool => var.name.clone(),
            Domain::Enum(id) => {
                let literals = &self.tree.enums[id].literals;
                format!("({} {} {})", var.name, self.dice.pick(&["=", "!="]), literals[self.dice.below(literals.len())])
            }
            Domain::Range { .. } | Domain::Int => {
                let operator = self.dice.pick(&["=", "<", ">=", "+ 1 >", "* 2 !=", "mod 2 ="]);
                match self.dice.below(4) {
                    0 => format!("(2 / {} = 1)", var.name),
                    _ => format!("({} {operator} {})", var.name, self.dice.below(3)),
                }
            }
        }
    }

    fn commands(&mut self) {
        let number = self.dice.below(30);
        let (states, trans) = (self.state_set(2), self.trans_set(2));
        self.text += &format!("  show(all);\n  show({states}, {trans}) > 'show.$NODENAME';\n");
        self.text += &format!("  test({states});\n  test({trans}, {number});\n");
        let (states, trans) = (self.state_set(2), self.trans_set(1));
        self.text += &format!("  dot({states}, {trans}) > 'part.dot';\n");
        let (from, through, to) = (self.state_set(1), self.trans_set(1), self.state_set(2));
        self.text += &format!("  dot-trace({from}, {through}, {to}) >> 'part.dot';\n");
        self.text += "  dot(any_s, any_t) > 'whole.dot';\n  modes() > 'modes.dot';\n";
        self.text += "  quot() > 'quotient.dot';\n  events();\n";
        for component in 0..self.tree.components.len().min(3) {
            let path = &self.tree.components.as_slice()[component].path;
            let place = if path.is_empty() { String::new() } else { format!(", {path}") };
            let guards = self.dice.pick(&["true", "false"]);
            let (states, some, all) = (self.state_set(1), self.trans_set(1), self.trans_set(1));
            self.text += &format!("  project({states}, ({some}, {all}), 'P{component}', {guards}{place}) > 'P.alt';\n");
        }
    }
}

//! Random vectors and broadcasts between a node's events and those of its subnodes.

use super::NodeType;
use crate::dice::Dice;

/// Writes vectors, and finds out which public events of subnodes none of them mentions.
pub(crate) fn vectors(dice: &mut Dice, types: &[NodeType], subs: &[(String, usize)], node: &mut NodeType) {
    let mut used: Vec<String> = Vec::new();
    let n_vectors = [0, 1, 2, 2, 3][dice.below(5)];
    for _ in 0..n_vectors {
        let mut parts = Vec::new();
        if !node.events.is_empty() && dice.percent(70) {
            parts.push(node.events[dice.below(node.events.len())].clone());
        }
        for (name, of) in subs {
            let events: Vec<String> = types[*of].events.iter().chain(&types[*of].lifted).cloned().collect();
            if !events.is_empty() && dice.percent(70) {
                parts.push(format!("{name}.{}", events[dice.below(events.len())]));
            }
        }
        if parts.is_empty() {
            continue;
        }
        let line = vector(dice, &parts);
        node.text.push_str(&format!("  sync {line};\n"));
        used.extend(parts);
    }
    for (name, of) in subs {
        let visible = types[*of].public.iter().chain(&types[*of].lifted).map(|event| format!("{name}.{event}"));
        node.lifted.extend(visible.filter(|event| !used.contains(event)));
    }
}

fn vector(dice: &mut Dice, parts: &[String]) -> String {
    let is_broadcast = parts.len() > 1 && dice.percent(60);
    let mut n_optional = 0;
    let mut written = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        // Mostly the first part is the one that has to be there.
        let is_optional = is_broadcast && dice.percent(if place == 0 { 40 } else { 75 });
        n_optional += usize::from(is_optional);
        written.push(if is_optional { format!("{part}?") } else { part.clone() });
    }
    let count = match n_optional > 0 && dice.percent(40) {
        true => format!(" {} {}", dice.pick(&[">=", "<=", "=", ">", "<"]), dice.below(n_optional + 1)),
        false => String::new(),
    };
    format!("<{}>{count}", written.join(", "))
}

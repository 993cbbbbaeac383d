//! The AltaRica models that are measured, and the property of each.

/// One model of the corpus: its file's name, its root, and how many of its parts the property speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hierarchy {
    pub model: &'static str,
    pub node: &'static str,
    pub safety: Safety,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Safety {
    /// No two of so many processes are in their critical sections.
    Exclusion(usize),
    /// None of so many doors is open while the lift is elsewhere.
    Doors(usize),
}

const fn row(model: &'static str, node: &'static str, safety: Safety) -> Hierarchy {
    Hierarchy { model, node, safety }
}

pub const HIERARCHIES: [Hierarchy; 19] = [
    row("burns2", "Burns2", Safety::Exclusion(2)),
    row("burns3", "Burns3", Safety::Exclusion(3)),
    row("burns4", "Burns4", Safety::Exclusion(4)),
    row("burns5", "Burns5", Safety::Exclusion(5)),
    row("peterson2", "Peterson2", Safety::Exclusion(2)),
    row("peterson3", "Peterson3", Safety::Exclusion(3)),
    row("peterson4", "Peterson4", Safety::Exclusion(4)),
    row("fast2", "Lamport2", Safety::Exclusion(2)),
    row("fast3", "Lamport3", Safety::Exclusion(3)),
    row("fast4", "Lamport4", Safety::Exclusion(4)),
    row("bakery2", "Bakery2", Safety::Exclusion(2)),
    row("bakery3", "Bakery3", Safety::Exclusion(3)),
    row("lift2", "Building2", Safety::Doors(2)),
    row("lift3", "Building3", Safety::Doors(3)),
    row("lift4", "Building4", Safety::Doors(4)),
    row("lift5", "Building5", Safety::Doors(5)),
    row("lift6", "Building6", Safety::Doors(6)),
    row("lift7", "Building7", Safety::Doors(7)),
    row("lift8", "Building8", Safety::Doors(8)),
];

impl Hierarchy {
    /// The configurations that must not be reached, in AltaRica's syntax.
    pub fn bad(&self) -> String {
        let parts: Vec<String> = match self.safety {
            Safety::Exclusion(n) => {
                (0..n).flat_map(|i| (i + 1..n).map(move |j| format!("(p{i}.pc = crit & p{j}.pc = crit)"))).collect()
            }
            Safety::Doors(n) => (0..n).map(|i| format!("(floors[{i}].door.opened & lift.floor != {i})")).collect(),
        };
        parts.join(" | ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_name_every_pair_and_every_door() {
        let three = row("m", "M", Safety::Exclusion(3)).bad();
        assert_eq!(three.matches('|').count(), 2);
        assert_eq!(row("m", "M", Safety::Doors(1)).bad(), "(floors[0].door.opened & lift.floor != 0)");
    }
}

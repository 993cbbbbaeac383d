//! The events that transitions name, one by one: `close` of an array is `close[0]`, `close[1]`, and an index is a number.

use super::ast::{Arm, Binary, EventName, Expr, ExprKind, Name, Node, Path, Section, Step, Unary};
use super::globals::{ConstValue, Globals};
use super::value::Constant;

/// The most elements of one array that are written out.
const MAX_ELEMENTS: i64 = 100_000;

/// The node with every event of a transition named for itself. None where an index or a size is not known without the
/// place at which the node is used.
pub fn expanded(node: &Node, globals: &Globals) -> Option<Node> {
    let known = Known { node, globals };
    let mut node = node.clone();
    for section in &mut node.sections {
        if let Section::Trans(transitions) = section {
            for arm in transitions.iter_mut().flat_map(|transition| &mut transition.arms) {
                known.arm(arm)?;
            }
        }
    }
    Some(node)
}

/// The name of an event as a transition writes it, without its quotes.
pub fn unquoted(written: &str) -> String {
    let quote = written.chars().next().filter(|first| matches!(first, '\'' | '"'));
    let inner = quote.and_then(|quote| Some((&written[1..], written.rfind(quote)?.checked_sub(1)?)));
    inner.map_or_else(|| written.to_owned(), |(rest, end)| format!("{}{}", &rest[..end], &rest[end + 1..]))
}

struct Known<'a> {
    node: &'a Node,
    globals: &'a Globals,
}

impl Known<'_> {
    fn arm(&self, arm: &mut Arm) -> Option<()> {
        let mut events = Vec::new();
        for event in &arm.events {
            events.extend(self.event(event)?);
        }
        arm.events = events;
        Some(())
    }

    fn event(&self, path: &Path) -> Option<Vec<Path>> {
        let declared = self.declaration(&path.first)?;
        let mut elements = vec![Vec::new()];
        if !path.steps.is_empty() {
            elements = vec![path.steps.iter().map(|step| self.index(step)).collect::<Option<_>>()?];
        } else {
            for size in &declared.indexes {
                let size = self.integer(size)?;
                if size.checked_mul(i64::try_from(elements.len()).ok()?)? > MAX_ELEMENTS {
                    return None;
                }
                let longer =
                    |before: &Vec<i64>| (0..size).map(|index| [&before[..], &[index]].concat()).collect::<Vec<_>>();
                elements = elements.iter().flat_map(longer).collect();
            }
        }
        let step = |&index: &i64| Step::Index(Box::new(Expr { kind: ExprKind::Int(index), span: path.span }));
        let element = |indexes: &Vec<i64>| Path { steps: indexes.iter().map(step).collect(), ..path.clone() };
        Some(elements.iter().map(element).collect())
    }

    /// The first mention of an event, which has the sizes of its array.
    fn declaration(&self, name: &Name) -> Option<&EventName> {
        let sections = self.node.sections.iter().filter_map(|section| match section {
            Section::Event(list) => Some(list),
            _ => None,
        });
        let groups = sections
            .flatten()
            .flat_map(|events| std::iter::once(&events.first).chain(events.rest.iter().map(|(_, group)| group)));
        groups.flat_map(|group| &group.events).find(|event| event.name.text == name.text)
    }

    fn index(&self, step: &Step) -> Option<i64> {
        match step {
            Step::Index(index) => self.integer(index),
            Step::Field(_) => None,
        }
    }

    fn integer(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Path(path) if path.steps.is_empty() => self.constant(&path.first),
            ExprKind::Unary(Unary::Minus, inner) => self.integer(inner)?.checked_neg(),
            ExprKind::Binary(operator, a, b) => {
                let (a, b) = (self.integer(a)?, self.integer(b)?);
                match operator {
                    Binary::Add => a.checked_add(b),
                    Binary::Sub => a.checked_sub(b),
                    Binary::Mul => a.checked_mul(b),
                    Binary::Div => a.checked_div(b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The value of a constant of the file that no parameter of the node hides.
    fn constant(&self, name: &Name) -> Option<i64> {
        let hides = |section: &Section| match section {
            Section::Param(list) => list.iter().any(|own| own.names.iter().any(|own| own.text == name.text)),
            _ => false,
        };
        if self.node.sections.iter().any(hides) {
            return None;
        }
        match self.globals.consts.get(&name.text)?.content {
            ConstValue::Value(Constant::Int(value)) => Some(value),
            ConstValue::Value(Constant::Bool(_) | Constant::Symbol(_)) | ConstValue::Missing | ConstValue::Error => {
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn quotes_are_no_part_of_a_name() {
        assert_eq!(unquoted("a'"), "a'");
        assert_eq!(unquoted("close[1]"), "close[1]");
        assert_eq!(unquoted("'go on'[1]"), "go on[1]");
        assert_eq!(unquoted("\"it's\""), "it's");
    }
}

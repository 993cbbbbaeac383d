//! Sets of valuations as expressions: AltaRica text for guards, `ir` expressions for properties.

use lapidary_base::hash::Map;
use lapidary_ir::{Domain, Expr, Raw, Tree, VarId};

use super::algebra::Row;
use super::decision::{Arm, DecisionId, Decisions, Node};
use super::limits::MAX_GUARD;
use super::words::Words;

/// A text and whether it is a disjunction, which needs parentheses within a conjunction.
#[derive(Clone)]
struct Written {
    text: String,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    True,
    Conjunction,
    Disjunction,
}

/// Nested by variables, the last one innermost and first in the text; `None` if the text would be too long.
pub fn nested(words: &Words<'_>, vars: &[VarId], rows: &[Row]) -> Option<String> {
    let decisions = Decisions::new(rows, vars.iter().map(|&var| words.bounds(var)).collect());
    let Some(root) = decisions.root else { return Some("false".to_owned()) };
    let mut made = Map::default();
    let written = write(&decisions, root, words, vars, &mut made)?;
    Some(if written.form == Form::True { "true".to_owned() } else { written.text })
}

fn write(
    decisions: &Decisions,
    id: DecisionId,
    words: &Words<'_>,
    vars: &[VarId],
    made: &mut Map<DecisionId, Written>,
) -> Option<Written> {
    if let Some(written) = made.get(&id) {
        return Some(written.clone());
    }
    let written = match decisions.node(id) {
        Node::True => Written { text: String::new(), form: Form::True },
        Node::Choice(column, arms) => {
            let mut parts = Vec::new();
            let mut length = 0;
            for arm in arms {
                let then = write(decisions, arm.then, words, vars, made)?;
                let test = test(words, vars[*column], arm);
                let part = match then.form {
                    Form::True => test,
                    Form::Conjunction => format!("{} and {test}", then.text),
                    Form::Disjunction => format!("({}) and {test}", then.text),
                };
                length += part.len();
                if length > MAX_GUARD {
                    return None;
                }
                parts.push(part);
            }
            let form = if parts.len() == 1 { Form::Conjunction } else { Form::Disjunction };
            Written { text: parts.join(" or "), form }
        }
    };
    made.insert(id, written.clone());
    Some(written)
}

/// `x=1`, `1<=x and x<=3`, `(m=idle or m=busy)`, `not ready`
fn test(words: &Words<'_>, var: VarId, arm: &Arm) -> String {
    let name = spelled(words.var(var));
    match words.domain(var) {
        Domain::Bool => {
            if arm.lo == 0 {
                format!("not {name}")
            } else {
                name
            }
        }
        Domain::Bits(_) | Domain::Array(_) => unreachable!("AltaRica has neither bit-vectors nor arrays"),
        Domain::Int | Domain::Range { .. } if arm.lo == arm.hi => format!("{name}={}", arm.lo),
        Domain::Int | Domain::Range { .. } => format!("{}<={name} and {name}<={}", arm.lo, arm.hi),
        Domain::Enum(_) => {
            let tests: Vec<String> =
                (arm.lo..=arm.hi).map(|value| format!("{name}={}", spelled(&words.value(var, value)))).collect();
            if tests.len() == 1 { tests.concat() } else { format!("({})", tests.join(" or ")) }
        }
    }
}

/// AltaRica's words, which are no names without quotes.
const KEYWORDS: [&str; 34] = [
    "and",
    "assert",
    "bool",
    "case",
    "const",
    "domain",
    "edon",
    "else",
    "event",
    "extern",
    "false",
    "flow",
    "if",
    "imply",
    "init",
    "integer",
    "max",
    "min",
    "mod",
    "node",
    "not",
    "or",
    "param",
    "param_set",
    "sig",
    "sort",
    "state",
    "struct",
    "sub",
    "sync",
    "tcurts",
    "then",
    "trans",
    "true",
];

/// A path or a literal as AltaRica reads it: `V[0].rate`, `'a b'.x`.
fn spelled(path: &str) -> String {
    let is_plain = |name: &str| {
        let mut letters = name.bytes();
        let first = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic() || letter == b'_');
        let rest = letters.all(|letter| letter.is_ascii_alphanumeric() || b"_'^".contains(&letter));
        first && rest && !KEYWORDS.iter().any(|word| word.eq_ignore_ascii_case(name))
    };
    let step = |step: &str| {
        let (name, indexes) = step.split_at(step.find('[').unwrap_or(step.len()));
        // A name that holds one kind of quotes was written in the other.
        let quote = if name.contains('\'') { '"' } else { '\'' };
        if is_plain(name) { step.to_owned() } else { format!("{quote}{name}{quote}{indexes}") }
    };
    path.split('.').map(step).collect::<Vec<_>>().join(".")
}

/// One conjunction for every row; `None` if the text would be too long.
pub fn listed(words: &Words<'_>, vars: &[VarId], rows: &[Row]) -> Option<String> {
    if rows.is_empty() {
        return Some("false".to_owned());
    }
    let mut text = String::new();
    for row in rows {
        let point =
            |(&var, &value): (&VarId, &Raw)| test(words, var, &Arm { lo: value, hi: value, then: DecisionId(0) });
        let tests: Vec<String> = vars.iter().zip(row).map(point).collect();
        if !text.is_empty() {
            text += " or ";
        }
        text += &match &tests[..] {
            [] => "true".to_owned(),
            _ => format!("({})", tests.join(" and ")),
        };
        if text.len() > MAX_GUARD {
            return None;
        }
    }
    Some(text)
}

/// An expression over the tree's variables that is true in these rows and no others.
pub fn expression(tree: &Tree, words: &Words<'_>, vars: &[VarId], rows: &[Row]) -> Expr {
    let exprs = &tree.exprs;
    let decisions = Decisions::new(rows, vars.iter().map(|&var| words.bounds(var)).collect());
    let Some(root) = decisions.root else { return exprs.bool(false) };
    decisions.fold(root, &mut Map::default(), &mut |node, parts: &[Expr]| match node {
        Node::True => exprs.bool(true),
        Node::Choice(column, arms) => {
            let arms = arms.iter().zip(parts);
            exprs.or(arms.map(|(arm, &then)| exprs.and([within(tree, vars[*column], arm), then])))
        }
    })
}

fn within(tree: &Tree, var: VarId, arm: &Arm) -> Expr {
    tree.vars[var].domain.between(&tree.exprs, tree.exprs.var(var), arm.lo, arm.hi)
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn names_that_altarica_would_not_read_are_quoted() {
        assert_eq!(spelled("V[0].rate"), "V[0].rate");
        assert_eq!(spelled("a b.x'[1]"), "'a b'.x'[1]");
        assert_eq!(spelled("Sub.it's so"), "'Sub'.\"it's so\"");
    }
}

//! Trees as text, compact enough to be read in a test.

use std::fmt::Write;

use lapidary_ir::tree::Vector;
use lapidary_ir::{Domain, Expr, Node, Tree, VarId};

/// An expression in one line, fully bracketed.
pub fn expr(tree: &Tree, of: Expr) -> String {
    let p = |part: &Expr| expr(tree, *part);
    let join = |parts: &[Expr], operator: &str| format!("({})", parts.iter().map(p).collect::<Vec<_>>().join(operator));
    match tree.exprs.node(of) {
        Node::Bool(value) => value.to_string(),
        Node::Int(value) => value.to_string(),
        Node::Literal(of, number) => tree.enums[*of].literals[*number as usize].clone(),
        Node::Var(var) => tree.vars[*var].name.clone(),
        Node::Cell(..) | Node::Bits(..) | Node::Value(..) | Node::Apply(..) => "?".to_owned(),
        Node::Not(a) => format!("!{}", p(a)),
        Node::And(parts) => join(parts, " & "),
        Node::Or(parts) => join(parts, " | "),
        Node::Ite(a, b, c) => format!("({} ? {} : {})", p(a), p(b), p(c)),
        Node::Eq(a, b) => format!("({} = {})", p(a), p(b)),
        Node::Lt(a, b) => format!("({} < {})", p(a), p(b)),
        Node::Le(a, b) => format!("({} <= {})", p(a), p(b)),
        Node::Add(parts) => join(parts, " + "),
        Node::Neg(a) => format!("-{}", p(a)),
        Node::Mul(a, b) => format!("({} * {})", p(a), p(b)),
        Node::Div(a, b) => format!("({} div {})", p(a), p(b)),
        Node::Mod(a, b) => format!("({} mod {})", p(a), p(b)),
    }
}

pub fn var(tree: &Tree, id: VarId) -> String {
    let domain = match tree.vars[id].domain {
        Domain::Bool => "bool".to_owned(),
        Domain::Int => "integer".to_owned(),
        Domain::Range { lo, hi } => format!("[{lo}, {hi}]"),
        Domain::Bits(_) | Domain::Array(_) => "?".to_owned(),
        Domain::Enum(of) => format!("{}{{{}}}", tree.enums[of].name, tree.enums[of].literals.join(", ")),
    };
    let kind = if tree.is_state(id) { "state" } else { "flow" };
    let init = tree.init.iter().find(|(var, _)| *var == id);
    let init = init.map_or(String::new(), |(_, value)| format!(" := {}", expr(tree, *value)));
    format!("{kind} {} : {domain}{init}", tree.vars[id].name)
}

pub fn vector(tree: &Tree, of: &Vector) -> String {
    let part = |part: &lapidary_ir::tree::Part| tree.event_name(part.event) + if part.is_optional { "?" } else { "" };
    let parts: Vec<String> = of.parts.iter().map(part).collect();
    let count = of.count.map_or(String::new(), |(comparison, bound)| format!(" {comparison:?} {bound}"));
    let lifted = if of.is_lifted { " lifted" } else { "" };
    format!("<{}>{count}{lifted}", parts.join(", "))
}

/// The whole tree, one line for everything.
pub fn tree(tree: &Tree) -> String {
    let mut text = String::new();
    for component in &tree.components {
        writeln!(text, "{} : {}", component.path, component.node).unwrap();
        component.own_vars().for_each(|id| writeln!(text, "  {}", var(tree, id)).unwrap());
        for event in component.events.iter().skip(1) {
            writeln!(text, "  event {}{}", event.name, if event.is_public { " : public" } else { "" }).unwrap();
        }
        for &(low, high) in &component.priorities {
            writeln!(text, "  {} < {}", component.events[low].name, component.events[high].name).unwrap();
        }
        for assertion in &component.assertions {
            writeln!(text, "  assert {}", expr(tree, assertion.expr)).unwrap();
        }
        for transition in &component.transitions {
            let updates = transition.updates.iter();
            let updates: Vec<String> =
                updates.map(|&(var, value)| format!("{} := {}", tree.vars[var].name, expr(tree, value))).collect();
            let (guard, event) = (expr(tree, transition.guard), &component.events[transition.event].name);
            writeln!(text, "  {guard} |- {event} -> {}", updates.join(", ")).unwrap();
        }
        component.vectors.iter().for_each(|of| writeln!(text, "  {}", vector(tree, of)).unwrap());
        component.externs.iter().for_each(|line| writeln!(text, "  extern {line}").unwrap());
    }
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

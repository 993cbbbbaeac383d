//! Which functions and subnodes a node uses: found in its text alone.

use super::ast::{Expr, ExprKind, Node, Path, Section, Step, Update};

/// The names of all functions that a node applies, in order and perhaps several times.
pub fn functions(node: &Node) -> Vec<&str> {
    let mut names = Vec::new();
    for section in &node.sections {
        match section {
            Section::Init(updates) | Section::ParamSet(updates) => in_updates(updates, &mut names),
            Section::Assert(exprs) => exprs.iter().for_each(|expr| in_expr(expr, &mut names)),
            Section::Trans(list) => {
                for trans in list {
                    in_expr(&trans.guard, &mut names);
                    trans.arms.iter().for_each(|arm| in_updates(&arm.updates, &mut names));
                }
            }
            // What stands here is constant, and a function's values are not.
            Section::State(_) | Section::Flow(_) | Section::Event(_) | Section::Sub(_) => {}
            Section::Sync(_) | Section::Param(_) | Section::Extern { .. } => {}
        }
    }
    names
}

/// The names of the nodes that a node instantiates.
pub fn subnodes(node: &Node) -> impl Iterator<Item = &str> {
    let sections = node.sections.iter().filter_map(|section| match section {
        Section::Sub(list) => Some(list),
        Section::State(_) | Section::Flow(_) | Section::Event(_) | Section::Init(_) | Section::Assert(_) => None,
        Section::Trans(_) | Section::Sync(_) | Section::Param(_) | Section::ParamSet(_) => None,
        Section::Extern { .. } => None,
    });
    sections.flatten().map(|subs| subs.node.text.as_str())
}

fn in_updates<'a>(updates: &'a [Update], names: &mut Vec<&'a str>) {
    for update in updates {
        in_path(&update.path, names);
        in_expr(&update.value, names);
    }
}

fn in_path<'a>(path: &'a Path, names: &mut Vec<&'a str>) {
    for step in &path.steps {
        match step {
            Step::Index(index) => in_expr(index, names),
            Step::Field(_) => {}
        }
    }
}

fn in_expr<'a>(expr: &'a Expr, names: &mut Vec<&'a str>) {
    match &expr.kind {
        ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Error => {}
        ExprKind::Path(path) => in_path(path, names),
        ExprKind::Unary(_, a) => in_expr(a, names),
        ExprKind::Binary(_, a, b) => {
            in_expr(a, names);
            in_expr(b, names);
        }
        ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each(|part| in_expr(part, names)),
        ExprKind::Case(branches, otherwise) => {
            for (condition, value) in branches {
                in_expr(condition, names);
                in_expr(value, names);
            }
            in_expr(otherwise, names);
        }
        ExprKind::Extremum(_, parts) => parts.iter().for_each(|part| in_expr(part, names)),
        ExprKind::Apply(name, arguments) => {
            names.push(&name.text);
            arguments.iter().for_each(|argument| in_expr(argument, names));
        }
    }
}

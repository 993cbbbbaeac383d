//! What explicit search and diagrams have no place for: arrays, and bit-vectors that are wider than a word.

use lapidary_base::Control;
use lapidary_base::hash::Set;
use lapidary_ir::passes::{roots, statement_roots};
use lapidary_ir::value::WORD_BITS;
use lapidary_ir::{Domain, EnumId, Expr, Model, Node, Sort, Var};
use lapidary_text::Span;

use crate::explicit::{Halt, TooMuch};

/// Who takes what is refused here.
const TAKEN_BY: &str = "engines bmc, kinduction and matching take it";

/// Refuses a model by the first variable, or the first command, that has one of these. The conditions are asked beside it.
pub fn words(model: &Model, conditions: &[Expr], control: &Control) -> Result<(), Halt> {
    for var in &model.vars {
        control.check()?;
        if let Some(what) = wide(model, var) {
            return Err(TooMuch { what, span: Some(var.span) }.into());
        }
    }
    let mut seen = Set::default();
    for command in &model.commands {
        control.check()?;
        let mut parts: Vec<Expr> = command.faults.iter().map(|fault| fault.when).collect();
        statement_roots(&command.body, &mut parts);
        if let Some(sort) = parts.into_iter().find_map(|part| wide_part(model, part, &mut seen)) {
            return Err(refused(&format!("command {}", command.label), sort, Some(command.span)).into());
        }
    }
    let others = roots(model).into_iter().chain(conditions.iter().copied());
    for part in others {
        if let Some(sort) = wide_part(model, part, &mut seen) {
            return Err(refused("a condition of the model", sort, None).into());
        }
    }
    Ok(())
}

fn wide(model: &Model, var: &Var) -> Option<String> {
    match var.domain {
        Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) => None,
        Domain::Bits(width) if width <= WORD_BITS => None,
        Domain::Bits(width) => Some(format!("variable {} has {width} bits; {TAKEN_BY}", var.name)),
        Domain::Array(id) => {
            let values = model.exprs.values();
            let n_literals = |id: EnumId| model.enums[id].literals.len();
            let n_indexes = values.n_values(values.array_type(id).index, &n_literals);
            let how = if n_indexes.is_some() { "too many cells" } else { "indexes without bound" };
            Some(format!("the array {} has {how}; {TAKEN_BY}", var.name))
        }
    }
}

fn refused(whose: &str, sort: Sort, span: Option<Span>) -> TooMuch {
    let what = match sort {
        Sort::Bits(width) => format!("{whose} has a bit-vector of {width} bits"),
        Sort::Array(_) | Sort::Bool | Sort::Int | Sort::Enum(_) => format!("{whose} has an array"),
    };
    TooMuch { what: format!("{what}; {TAKEN_BY}"), span }
}

/// The sort of the first part that has no place; parts that were `seen` have one.
fn wide_part(model: &Model, root: Expr, seen: &mut Set<Expr>) -> Option<Sort> {
    let mut open = vec![root];
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        let sort = match model.exprs.node(expr) {
            Node::Bits(width, _) => Some(Sort::Bits(*width)),
            Node::Value(id, _) => Some(Sort::Array(*id)),
            // What has the sort of its first part is as wide as that.
            Node::Apply(function, _) => function.gives(|id| model.exprs.array_type(id)),
            _ => None,
        };
        match sort {
            Some(Sort::Bits(width)) if width > WORD_BITS => return sort,
            Some(Sort::Array(_)) => return sort,
            Some(Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Bits(_)) | None => {}
        }
        model.exprs.for_each_part(expr, |part| open.push(part));
    }
    None
}

//! The textual form of the IR, `.lir`, and formulas in it.

use lapidary_base::Control;
use lapidary_frontends::asked::{Asked, Wording};
use lapidary_ir::passes::{cells_with, defined_with};
use lapidary_ir::{Declarations, Expr, Fault, Property, PropertyKind, Sort, Subject};
use lapidary_text::{Diagnostic, Sources, Span, spelling};

use super::{Encoding, Language, Looks, Starter, Text, Writes};
use crate::asking;
use crate::examples::Notation;
use crate::guess::declares;
use crate::load::{Read, Refusal, Resolved, finish, formula_name, formulas, resolved};

pub(crate) static LIR: Language = Language {
    what: "the textual form of a model",
    suffixes: &["lir"],
    page: "ir.md",
    comment: "//",
    starter: Starter::None("`convert` writes it"),
    reads: &[],
    writes: Writes::Model,
    encoding: Encoding::Utf8,
    notation: Notation::None,
    looks: Looks::Lines(&[
        |line| line.word == "model" && line.behind == ";",
        |line| line.word == "command" && line.behind.starts_with([':', '.', '[']) || declares(line),
    ]),
    read,
    stay: |_, _| Some("add a command that changes nothing here".to_owned()),
};

/// The textual form of the IR has no constants to set. Its formulas are in the same exact form.
fn read(text: &mut Text<'_>) -> Result<Resolved, Refusal> {
    let Text { sources, source, request, control, .. } = text;
    let path = &request.path;
    let (model, diagnostics) = lapidary_ir::parse::parse_within(sources, *source, control)?;
    let (model, warnings) = finish(model, diagnostics)?;
    if let Some((name, _)) = request.defines.first() {
        return Err(Refusal::File(format!("{path}: a .lir file has no constants, so -D {name} sets nothing")));
    }
    let mut read = Read::from(Subject::Model(model));
    complete_faults(read.subject.declared_mut());
    let mut typed = Vec::new();
    for text in formulas(&read, &request.properties) {
        let (wording, formula) = asking::read(text);
        let source = sources.add_option("-p", formula);
        let asked = Asked { name: formula_name(text), wording, source };
        let property = lir_property(read.subject.declared(), sources, &asked, control)?;
        read.subject.declared_mut().properties.push(property);
        typed.push((text, source));
    }
    let mut predicates = Vec::new();
    for text in &request.predicates {
        let source = sources.add_option("--predicate", text.as_str());
        let asked = Asked { name: formula_name(text), wording: Wording::Plain, source };
        predicates.push(lir_formula(read.subject.declared(), sources, &asked, control)?);
    }
    let (read, predicates) = with_cells(read, predicates, control)?;
    Ok(resolved(read, request, &typed, predicates, warnings))
}

/// Formulas speak of arrays, engines of their cells.
fn with_cells(read: Read, predicates: Vec<Expr>, control: &Control) -> Result<(Read, Vec<Expr>), Refusal> {
    match read.subject {
        Subject::Model(model) => {
            let (model, predicates) = cells_with(model, &predicates, control)?;
            Ok((Read { subject: Subject::Model(model), ..read }, predicates))
        }
        Subject::Tree(_) | Subject::Net(_) => Ok((read, predicates)),
    }
}

fn lir_property(
    model: &Declarations,
    sources: &Sources,
    asked: &Asked,
    control: &Control,
) -> Result<Property, Refusal> {
    let make = match asked.wording {
        Wording::DeadlockFree => return Ok(asked.deadlock_free(sources, "some step is always possible")),
        Wording::Ltl => return Ok(asked.unread(sources, model.exprs.bool(true))),
        Wording::Plain | Wording::Invariant => PropertyKind::Invariant,
        Wording::Reach => PropertyKind::Reach,
    };
    let (expr, span) = (lir_formula(model, sources, asked, control)?, asked.span(sources));
    let faults = fault(model, expr, span).into_iter().collect();
    Ok(Property { name: asked.name.clone(), kind: make(expr), faults, text: formula_name(sources.text(span)), span })
}

/// A property of the file that lists no fault errs where its formula has no value. Who lists some lists all.
fn complete_faults(model: &mut Declarations) {
    for id in model.properties.ids().collect::<Vec<_>>() {
        let property = &model.properties[id];
        let found = match property.kind {
            PropertyKind::Invariant(formula) | PropertyKind::Reach(formula) if property.faults.is_empty() => {
                fault(model, formula, property.span)
            }
            PropertyKind::Invariant(_) | PropertyKind::Reach(_) => None,
            PropertyKind::DeadlockFree | PropertyKind::NoErrors | PropertyKind::Ltl(_) => None,
        };
        model.properties[id].faults.extend(found);
    }
}

/// That a formula has no value, where it may have none.
fn fault(model: &Declarations, formula: Expr, span: Span) -> Option<Fault> {
    let is_defined = defined_with(&model.exprs, formula, &|family| model.families[family].len);
    let when = (model.exprs.as_bool(is_defined) != Some(true)).then(|| model.exprs.not(is_defined))?;
    Some(Fault { when, what: "a division by zero, or an index out of bounds".to_owned(), span })
}

fn lir_formula(model: &Declarations, sources: &Sources, asked: &Asked, control: &Control) -> Result<Expr, Refusal> {
    let span = asked.span(sources);
    let problem = match lapidary_ir::parse::expr_within(model, sources.text(span), control)? {
        Ok((expr, Sort::Bool)) => return Ok(expr),
        Ok(_) => "it is not a condition".to_owned(),
        Err(why) => why,
    };
    let names = model.vars.iter().map(|var| var.name.as_str()).chain(model.properties.iter().map(|it| &it.name[..]));
    let error = Diagnostic::error("ir009", format!("this formula is not understood: {problem}"), span, "of this model");
    let error = match spelling::similar(sources.text(span), names) {
        Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
        None => error.with_help("formulas are written as in the file itself: `x <= 3 & pc = State::idle`"),
    };
    Err(Refusal::Text(vec![error]))
}

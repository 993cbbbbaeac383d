//! Models from text, and certificates that are formulas.

use std::sync::Arc;

use lapidary_base::{Control, Stop};
use lapidary_checker::{Backend, Claim, Means, Rejection, certify_model, certify_model_claims};
use lapidary_ir::model::Raw;
use lapidary_ir::{Expr, Model, PropertyId, VarId, parse};
use lapidary_text::Sources;
use lapidary_verdict::{Block, Blocks, Certificate, Checked, Formula, Induction};

/// The model of a text without its first line.
pub fn model(text: &str) -> Model {
    let mut sources = Sources::default();
    let id = sources.add("test.lir", format!("model test;\n{text}"));
    let (model, diagnostics) = parse::parse(&sources, id);
    model.unwrap_or_else(|| panic!("{:?}\n{text}", diagnostics.list))
}

pub fn expr(model: &Model, text: &str) -> Expr {
    parse::expr(model, text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

pub fn property(model: &Model, name: &str) -> PropertyId {
    model.property(name).unwrap_or_else(|| panic!("no property {name}"))
}

/// The answer about the property of this name.
pub fn judged(model: &Model, name: &str, certificate: &Certificate) -> Result<Checked, Rejection> {
    certify_model(model, &[property(model, name)], certificate, &Means::new(&Backend::default(), &Control::new()))
}

pub fn judged_claim(model: &Model, claim: Claim, certificate: &Certificate) -> Result<Checked, Rejection> {
    certify_model_claims(model, &[claim], certificate, &Means::new(&Backend::default(), &Control::new()))
}

pub fn accepted() -> Result<Checked, Rejection> {
    Ok(Checked::Fully)
}

/// Why the check could not go on.
pub fn incomplete(answer: Result<Checked, Rejection>) -> String {
    match answer {
        Err(Rejection::Stopped(Stop::Incomplete(why) | Stop::NoAnswer(why))) => why,
        other => panic!("{other:?}"),
    }
}

/// A formula as a certificate has it.
pub fn formula(model: &Model, text: &str) -> Formula {
    Formula::new(&model.exprs, expr(model, text))
}

pub fn invariant(model: &Model, text: &str) -> Certificate {
    Certificate::Invariant(formula(model, text))
}

pub fn induction(model: &Model, k: u32, text: &str, is_simple: bool) -> Certificate {
    Certificate::Induction(Induction { k, formula: formula(model, text), is_simple })
}

pub type Written<'a> = (&'a [Raw], &'a [(u32, bool)]);

pub fn blocks(model: &Model, control: &[&str], predicates: &[&str], blocks: &[Written<'_>]) -> Blocks {
    let var = |name: &&str| model.vars.ids().find(|&var| model.vars[var].name == *name).expect("a variable");
    let control: Vec<VarId> = control.iter().map(var).collect();
    let predicates = predicates.iter().map(|text| formula(model, text)).collect();
    let block = |&(control, literals): &Written<'_>| Block { control: control.to_vec(), literals: literals.to_vec() };
    Blocks { control, predicates, blocks: blocks.iter().map(block).collect() }
}

pub fn certificate(blocks: Blocks) -> Certificate {
    Certificate::Blocks(Arc::new(blocks))
}

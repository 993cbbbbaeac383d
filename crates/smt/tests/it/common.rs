//! Random models for the tests of the encoding, and a reading of terms on concrete states.

use lapidary_checker::eval::{self, Error};
use lapidary_frontends::gcl;
use lapidary_ir::{Domain, Expr, Family, Life, Model, Statement, Var, VarId};
use lapidary_reference::bodies::{self, Locals, Loops, Shape};
use lapidary_reference::{ast, random};
use lapidary_smt::Terms;
use lapidary_text::{Sources, Span};

/// Two Booleans, two small ranges and a row of three cells, for bodies that are written down.
pub fn variables() -> Model {
    let span = Span::new(Sources::default().add("tree", ""), 0, 0);
    let mut model = Model::default();
    let range = Domain::Range { lo: -1, hi: 2 };
    let domains = [Domain::Bool, Domain::Bool, range, Domain::Range { lo: 0, hi: 3 }, range, range, range];
    for (i, domain) in domains.into_iter().enumerate() {
        model.vars.push(Var { name: format!("v{i}"), domain, control: i == 3, life: Life::State, span });
    }
    model.families.push(Family { name: "row[_]".to_owned(), first: VarId(4), len: 3 });
    model
}

/// A model with random bodies without loops, and without a start.
pub fn statement_tree(seed: u64) -> Model {
    let mut model = bodies::model(seed, Shape { loops: Loops::None, locals: Locals::None, depth: 3 });
    model.start = Statement::Skip;
    model
}

/// One of the random `.gcl` models.
pub fn random_model(seed: u64) -> Model {
    let text = ast::Model::random(seed, &random::Shape::default()).to_gcl(seed);
    let mut sources = Sources::default();
    let source = sources.add(format!("random{seed}.gcl"), text.as_str());
    let (model, diagnostics) = gcl::load(&sources, source, &gcl::Options::default());
    model.unwrap_or_else(|| panic!("seed {seed}: {diagnostics:?}\n{text}"))
}

/// Terms must have a value wherever they are asked for it.
pub fn value(model: &Model, term: Expr, values: &[i64]) -> i128 {
    match eval::eval(model, term, values) {
        Ok(value) => value,
        Err(Error::Undefined) => panic!("a term without a value: {}", lapidary_ir::print::expr(model, term)),
        Err(Error::Overflow) => panic!("small numbers"),
    }
}

/// In order, as far as needed.
pub fn all_hold(model: &Model, conjuncts: &[Expr], values: &[i64]) -> bool {
    conjuncts.iter().all(|&part| value(model, part, values) != 0)
}

/// Calls `visit` with `state` and every combination of values of the inputs behind it, in the places of their symbols.
pub fn for_each_input(terms: &Terms<'_>, inputs: &[VarId], state: &[i64], visit: &mut dyn FnMut(&[i64])) {
    let mut values = state.to_vec();
    values.resize(terms.len(), 0);
    go(terms, inputs, &mut values, visit);
    fn go(terms: &Terms<'_>, inputs: &[VarId], values: &mut [i64], visit: &mut dyn FnMut(&[i64])) {
        let Some((&input, rest)) = inputs.split_first() else { return visit(values) };
        let (lo, hi) = terms.model().bounds(terms.domain(input)).expect("finite inputs");
        for value in lo..=hi {
            values[input.0 as usize] = value;
            go(terms, rest, values, visit);
        }
    }
}

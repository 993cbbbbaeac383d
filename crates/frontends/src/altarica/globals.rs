//! What a file declares outside of its nodes: constants, domains, sorts, signatures, and the names of the nodes.

use std::sync::Arc;

use lapidary_base::hash::Map;
use lapidary_ir::Exprs;
use lapidary_text::{Diagnostic, Log, Sources, Span};

use super::ast::{self, DomainKind, Item, Name, Section};
use super::check::{Elaborator, Reader};
use super::codes;
use super::names::Names;
use super::scope::{Layout, Shape};
use super::sizes::{Budget, MAX_SYMBOLS, MAX_TABLE};
use super::value::{Constant, Symbol};

/// Something with its place among the items of the file: it can be used from the next item on.
#[derive(Clone, Debug)]
pub struct Declared<T> {
    pub item: usize,
    pub span: Span,
    pub content: T,
}

#[derive(Clone, Debug)]
pub enum ConstValue {
    Value(Constant),
    /// Declared without one.
    Missing,
    /// Already reported.
    Error,
}

#[derive(Clone, Debug)]
pub struct Signature {
    pub arguments: Vec<Shape>,
    pub result: Shape,
}

#[derive(Default)]
pub struct Globals {
    pub consts: Names<Declared<ConstValue>>,
    /// Named domains, and sorts with their constants as symbols.
    pub domains: Names<Declared<Shape>>,
    pub signatures: Names<Declared<Option<Signature>>>,
    pub nodes: Names<Declared<()>>,
    /// The symbols of all enumerations, with the first of them.
    pub symbols: Names<Declared<()>>,
    /// The names of enumerations that are declared as domains or sorts.
    pub enum_names: Map<Arc<[Symbol]>, String>,
}

/// Declares everything, then gives constants and domains their meaning, in the order of the file.
pub fn declare(sources: &Sources, file: &ast::File, log: &mut Log, budget: &mut Budget) -> Globals {
    let mut globals = Globals::default();
    for (item, declaration) in file.items.iter().enumerate() {
        register(&mut globals, item, declaration, log);
    }
    fill_sorts(&mut globals, file, log);
    for (item, declaration) in file.items.iter().enumerate() {
        evaluate(&mut globals, item, declaration, (sources, log, budget));
    }
    globals
}

fn register(globals: &mut Globals, item: usize, declaration: &Item, log: &mut Log) {
    match declaration {
        Item::Const(ast::Const { name, domain, .. }) => {
            add(&mut globals.consts, "constant", item, name, ConstValue::Error, log);
            domain.iter().for_each(|domain| symbols(globals, item, domain));
        }
        Item::Domain { name, domain } => {
            add(&mut globals.domains, "domain", item, name, Shape::Error, log);
            symbols(globals, item, domain);
        }
        Item::Sort(names) => {
            for name in names {
                add(&mut globals.domains, "domain", item, name, Shape::Enum(Arc::new([])), log);
            }
        }
        Item::Sig { name, arguments, result } => {
            add(&mut globals.signatures, "function", item, name, None, log);
            arguments.iter().chain([result]).for_each(|domain| symbols(globals, item, domain));
        }
        Item::Node(node) => {
            add(&mut globals.nodes, "node", item, &node.name, (), log);
            for section in &node.sections {
                match section {
                    Section::State(list) | Section::Flow(list) => {
                        list.iter().for_each(|variables| symbols(globals, item, &variables.domain));
                    }
                    Section::Param(list) => list.iter().for_each(|param| symbols(globals, item, &param.domain)),
                    Section::Event(_) | Section::Sub(_) | Section::Init(_) | Section::Assert(_) => {}
                    Section::Trans(_) | Section::Sync(_) | Section::ParamSet(_) | Section::Extern { .. } => {}
                }
            }
        }
        Item::Extern { .. } => {}
    }
}

fn add<T>(names: &mut Names<Declared<T>>, what: &str, item: usize, name: &Name, content: T, log: &mut Log) {
    if let Err(first) = names.insert(&name.text, Declared { item, span: name.span, content }) {
        let message = format!("the {what} `{}` is declared twice", name.text);
        let error = Diagnostic::error(codes::DUPLICATE, message, name.span, "declared again here");
        let help = match first.span == name.span {
            true => "its file is read twice; one that begins with `#pragma once` is not",
            false => "rename one of them",
        };
        log.push(error.with_label(first.span, "first declared here").with_help(help));
    }
}

fn symbols(globals: &mut Globals, item: usize, domain: &ast::Domain) {
    match &domain.kind {
        DomainKind::Enumeration(names) => {
            for name in names {
                // The first enumeration is the one that declares a symbol; others use it too.
                let _ = globals.symbols.insert(&name.text, Declared { item, span: name.span, content: () });
            }
        }
        DomainKind::Struct(fields) => fields.iter().for_each(|(_, domain)| symbols(globals, item, domain)),
        DomainKind::Array(element, _) => symbols(globals, item, element),
        DomainKind::Bool | DomainKind::Integer | DomainKind::Range(..) | DomainKind::Named(_) | DomainKind::Error => {}
    }
}

/// The sort that a constant without a value belongs to.
fn sort_of<'a>(globals: &Globals, constant: &'a ast::Const) -> Option<&'a Name> {
    match (&constant.domain, &constant.value) {
        (Some(ast::Domain { kind: DomainKind::Named(name), .. }), None) => {
            let declared = globals.domains.get(&name.text)?;
            matches!(declared.content, Shape::Enum(_)).then_some(name)
        }
        _ => None,
    }
}

/// The values of a sort are the constants that are declared to be of it, wherever they are. Domains that are
/// enumerations have no meaning yet at this point, so that only sorts are looked at.
fn fill_sorts(globals: &mut Globals, file: &ast::File, log: &mut Log) {
    let mut carriers: Names<Vec<Symbol>> = Names::default();
    for (item, declaration) in file.items.iter().enumerate() {
        let Item::Const(constant) = declaration else { continue };
        let is_first = globals.consts.get(&constant.name.text).is_some_and(|first| first.item == item);
        let Some(sort) = sort_of(globals, constant).filter(|_| is_first) else { continue };
        let _ = carriers.insert(&sort.text, Vec::new());
        let carrier = carriers.get_mut(&sort.text).expect("it was just put in");
        if carrier.len() == MAX_SYMBOLS {
            let message = format!("the sort `{}` has more than {MAX_SYMBOLS} constants", sort.text);
            let error = Diagnostic::error(codes::TOO_LARGE, message, constant.name.span, "one too many");
            log.push(error.with_help("use a range of integers instead"));
            continue;
        }
        carrier.push(Symbol::from(constant.name.text.as_str()));
    }
    for (sort, carrier) in carriers.iter() {
        let symbols: Arc<[Symbol]> = carrier.clone().into();
        globals.enum_names.insert(symbols.clone(), sort.to_owned());
        if let Some(declared) = globals.domains.get_mut(sort) {
            declared.content = Shape::Enum(symbols);
        }
    }
}

fn evaluate(globals: &mut Globals, item: usize, declaration: &Item, (sources, log, budget): Tools) {
    let (layout, exprs) = (Layout::default(), Exprs::new());
    let mut elaborator = Elaborator {
        sources,
        globals: &*globals,
        layout: &layout,
        exprs: &exprs,
        log,
        budget,
        here: None,
        item,
        reader: Reader::Node,
    };
    match declaration {
        Item::Const(constant) => {
            let value = const_value(&mut elaborator, constant);
            store(&mut globals.consts, &constant.name.text, item, value);
        }
        Item::Domain { name, domain } => {
            let shape = elaborator.shape(domain);
            if let Shape::Enum(symbols) = &shape {
                let known = globals.enum_names.get(symbols).is_some();
                if !known {
                    globals.enum_names.insert(symbols.clone(), name.text.clone());
                }
            }
            store(&mut globals.domains, &name.text, item, shape);
        }
        Item::Sig { name, arguments, result } => {
            let signature = signature(&mut elaborator, arguments, result);
            store(&mut globals.signatures, &name.text, item, signature);
        }
        Item::Sort(_) | Item::Node(_) | Item::Extern { .. } => {}
    }
}

type Tools<'a> = (&'a Sources, &'a mut Log, &'a mut Budget);

fn store<T>(names: &mut Names<Declared<T>>, name: &str, item: usize, content: T) {
    // Of several declarations of one name the first counts.
    if let Some(declared) = names.get_mut(name).filter(|declared| declared.item == item) {
        declared.content = content;
    }
}

fn const_value(elaborator: &mut Elaborator, constant: &ast::Const) -> ConstValue {
    let shape = constant.domain.as_ref().map(|domain| elaborator.shape(domain));
    let Some(value) = &constant.value else {
        return match (&shape, sort_of(elaborator.globals, constant)) {
            (Some(Shape::Enum(symbols)), Some(_)) if symbols.iter().any(|symbol| **symbol == *constant.name.text) => {
                ConstValue::Value(Constant::Symbol(Symbol::from(constant.name.text.as_str())))
            }
            (Some(Shape::Error), _) => ConstValue::Error,
            _ => ConstValue::Missing,
        };
    };
    let Some(found) = elaborator.constant(value, "the value of a constant") else { return ConstValue::Error };
    match &shape {
        Some(shape) => match elaborator.fits(&found, shape, value.span, codes::CONSTANT_VALUE) {
            Some(()) => ConstValue::Value(found),
            None => ConstValue::Error,
        },
        None => ConstValue::Value(found),
    }
}

fn signature(elaborator: &mut Elaborator, arguments: &[ast::Domain], result: &ast::Domain) -> Option<Signature> {
    let shapes: Vec<Shape> = arguments.iter().map(|domain| elaborator.shape(domain)).collect();
    let result_shape = elaborator.shape(result);
    let mut is_fine = true;
    for (shape, domain) in shapes.iter().chain([&result_shape]).zip(arguments.iter().chain([result])) {
        match shape {
            Shape::Bool | Shape::Range { .. } | Shape::Enum(_) => {}
            Shape::Error => is_fine = false,
            Shape::Integer | Shape::Array(..) | Shape::Struct { .. } => {
                let message = format!("a function cannot take or give {}", shape.show());
                let help = "use bool, ranges and enumerations: there is a value for every choice of arguments";
                elaborator.error(codes::SIGNATURE, message, (domain.span, "not a small domain"), help);
                is_fine = false;
            }
        }
    }
    let n_entries = shapes.iter().fold(1usize, |n, shape| n.saturating_mul(shape.n_values()));
    if is_fine && n_entries > MAX_TABLE {
        let message = format!("this function has more than {MAX_TABLE} choices of arguments");
        let help = "use smaller domains: every choice of arguments becomes a variable";
        elaborator.error(codes::SIGNATURE, message, (result.span, "too many values"), help);
        return None;
    }
    is_fine.then_some(Signature { arguments: shapes, result: result_shape })
}

//! Resolves names and checks types. Everything that is wrong is reported, once.

mod declare;
mod expr;
mod names;
mod statement;

use lapidary_base::IdVec;
use lapidary_base::hash::{Map, Set};
use lapidary_ir::{EnumId, EnumType};
use lapidary_text::spelling::Suggestions;
use lapidary_text::{Diagnostic, Log, Span};

use super::ast::{self, File, Name};
use super::codes;
use super::typed::{Array, ArrayTy, Asks, Program, Property, Section, Symbol, SymbolId, Ty};

/// A property that stands elsewhere than in the model.
pub struct Further<'a> {
    pub name: String,
    pub asks: FurtherAsks<'a>,
    pub span: Span,
}

pub enum FurtherAsks<'a> {
    Invariant(&'a ast::Expr<'a>),
    Reach(&'a ast::Expr<'a>),
    DeadlockFree,
    Temporal,
}

pub struct Checker<'a, 'l> {
    log: &'l mut Log,
    enums: IdVec<EnumId, EnumType>,
    types: Map<&'a str, (EnumId, Span)>,
    /// `Colour.red`
    full_literals: Map<String, (EnumId, u32)>,
    /// The types that have a literal of this name, in the order of the text.
    literals: Map<&'a str, Vec<(EnumId, u32)>>,
    arrays: IdVec<ArrayTy, Array>,
    array_numbers: Map<Array, ArrayTy>,
    symbols: IdVec<SymbolId, Symbol<'a>>,
    /// What a name means here, the innermost last.
    scope: Map<&'a str, Vec<SymbolId>>,
    /// Names that were reported once.
    unknown: Set<&'a str>,
    suggestions: Suggestions,
}

/// Checks a model together with properties that stand elsewhere.
pub fn check<'a>(file: &'a File<'a>, further: Vec<Further<'a>>, log: &mut Log) -> Program<'a> {
    let mut checker = Checker::new(log);
    for item in &file.types {
        checker.enumeration(item);
    }
    let declared: Vec<(SymbolId, &ast::VarItem<'_>)> =
        file.vars.iter().map(|item| (checker.global(item), item)).collect();
    let globals = declared.into_iter().map(|(id, item)| (id, checker.initial(id, item))).collect();
    let [init, env, trans] = [&file.init, &file.env, &file.trans].map(|section| checker.section(section.as_ref()));
    let mut properties = Vec::new();
    for prop in &file.props {
        let asks = Asks::Invariant(checker.condition(prop));
        properties.push(Property { name: "prop".to_owned(), is: asks, span: prop.span });
    }
    properties.extend(further.into_iter().map(|further| checker.further(further)));
    name_apart(&mut properties);
    let Checker { enums, arrays, symbols, .. } = checker;
    Program { enums, arrays, symbols, globals, init, env, trans, properties }
}

/// The second property of a name gets a number.
fn name_apart(properties: &mut [Property]) {
    let mut n_of: Map<String, usize> = Map::default();
    for property in properties {
        let n = n_of.entry(property.name.clone()).or_default();
        *n += 1;
        if *n > 1 {
            property.name = format!("{}[{n}]", property.name);
        }
    }
}

impl<'a, 'l> Checker<'a, 'l> {
    fn new(log: &'l mut Log) -> Self {
        Self {
            log,
            enums: IdVec::new(),
            types: Map::default(),
            full_literals: Map::default(),
            literals: Map::default(),
            arrays: IdVec::new(),
            array_numbers: Map::default(),
            symbols: IdVec::new(),
            scope: Map::default(),
            unknown: Set::default(),
            suggestions: Suggestions::default(),
        }
    }

    fn section(&mut self, section: Option<&'a ast::Section<'a>>) -> Section {
        let branches = section.map_or(&[][..], |section| &section.branches);
        Section { branches: branches.iter().map(|branch| self.statement(branch)).collect() }
    }

    fn further(&mut self, further: Further<'a>) -> Property {
        let Further { name, asks, span } = further;
        let is = match asks {
            FurtherAsks::Invariant(formula) => Asks::Invariant(self.condition(formula)),
            FurtherAsks::Reach(formula) => Asks::Reach(self.condition(formula)),
            FurtherAsks::DeadlockFree => Asks::DeadlockFree,
            FurtherAsks::Temporal => Asks::Temporal,
        };
        Property { name, is, span }
    }

    fn array_ty(&mut self, array: Array) -> Ty {
        if array.index == Ty::Error || array.element == Ty::Error {
            return Ty::Error;
        }
        let arrays = &mut self.arrays;
        Ty::Array(*self.array_numbers.entry(array).or_insert_with(|| arrays.push(array)))
    }

    fn duplicate(&mut self, name: Name<'a>, first: Span) {
        let message = format!("`{}` is declared twice", name.text);
        let diagnostic = Diagnostic::error(codes::DUPLICATE, message, name.span, "the second one");
        self.log.push(diagnostic.with_label(first, "the first one").with_help("rename one of them"));
    }
}

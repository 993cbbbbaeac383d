//! Values of Z3's models as the numbers that states have.

use std::fmt::Write;

use lapidary_base::hash::Set;
use lapidary_base::{Control, Stop};
use lapidary_ir::value::WORD_BITS;
use lapidary_ir::{ArrayId, ArrayValue, Raw};
use z3::ast::{Ast as _, BV, Dynamic};
use z3::{DeclKind, FuncDecl, Model};

use crate::smtlib::{self, Functions, Sexp};
use crate::terms::{TermSort, Terms};

pub struct Reader<'r> {
    pub model: &'r Model,
    pub terms: &'r Terms<'r>,
    pub control: &'r Control,
}

/// Why a value is not read.
pub enum Unread {
    /// An integer beyond 64 bits.
    Beyond,
    /// In another form than those that are known.
    Strange(String),
    Stopped(Stop),
}

impl From<Stop> for Unread {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// Entries of an array, and what it has elsewhere.
struct Listed {
    /// The first one of an index is meant.
    entries: Vec<(Raw, Raw)>,
    default: Raw,
}

impl Reader<'_> {
    /// Arrays nest only as far as their types do.
    pub fn read(&self, value: &Dynamic, sort: TermSort) -> Result<Raw, Unread> {
        let strange = || Unread::Strange(value.to_string());
        match sort {
            TermSort::Bool => value.as_bool().and_then(|value| value.as_bool()).map(Raw::from).ok_or_else(strange),
            TermSort::Int => {
                let value = value.as_int().filter(is_numeral).ok_or_else(strange)?;
                value.as_i64().ok_or(Unread::Beyond)
            }
            TermSort::Bits(width) => {
                let value = value.as_bv().filter(is_numeral).ok_or_else(strange)?;
                self.bits(&value, width).ok_or_else(strange)
            }
            TermSort::Array(id) => self.array(value, id),
        }
    }

    fn bits(&self, value: &BV, width: u32) -> Option<Raw> {
        let word = |low: u32| {
            let high = width.min(low + WORD_BITS) - 1;
            value.extract(high, low).simplify().as_u64()
        };
        let words: Option<Vec<u64>> = (0..width).step_by(WORD_BITS as usize).map(word).collect();
        Some(self.terms.exprs().values().bits(width, &words?))
    }

    fn array(&self, value: &Dynamic, id: ArrayId) -> Result<Raw, Unread> {
        let (index, element) = self.terms.array(id)?;
        let (mut entries, mut rest) = (Vec::new(), value.clone());
        // What is stored last is outermost.
        let default = loop {
            self.control.check()?;
            let parts = if rest.is_app() { rest.children() } else { Vec::new() };
            match (rest.safe_decl().map(|decl| decl.kind()), &parts[..]) {
                (Ok(DeclKind::Store), [below, at, it]) => {
                    entries.push((self.read(at, index)?, self.read(it, element)?));
                    rest = below.clone();
                }
                (Ok(DeclKind::ConstArray), [everywhere]) => break self.read(everywhere, element)?,
                (Ok(_) | Err(_), _) => {
                    let below = self.written(&rest, id)?;
                    entries.extend(below.entries);
                    break below.default;
                }
            }
        };
        entries.reverse();
        let n_indexes = self.terms.n_values(self.terms.exprs().array_type(id).index);
        Ok(self.terms.exprs().values().listed(n_indexes, default, entries))
    }

    /// An array that is said by a function, of the model or of its own: of some the library shows nothing but the text.
    fn written(&self, array: &Dynamic, id: ArrayId) -> Result<Listed, Unread> {
        let text = array.to_string();
        let Ok([sexp]) = <[_; 1]>::try_from(smtlib::read(&text).unwrap_or_default()) else {
            return Err(Unread::Strange(text));
        };
        let definitions = self.definitions(&sexp).ok_or_else(|| Unread::Strange(text.clone()))?;
        let (sort, functions) = (TermSort::Array(id), Functions::of(&definitions));
        let raw = smtlib::value(self.terms, &sexp, sort, &functions, self.control).map_err(|unread| match unread {
            smtlib::Unread::Beyond => Unread::Beyond,
            smtlib::Unread::Garbage => Unread::Strange(text),
            smtlib::Unread::Stopped(stop) => Unread::Stopped(stop),
        })?;
        let ArrayValue { default, entries } = self.terms.exprs().values().array_value(raw);
        Ok(Listed { entries: entries.to_vec(), default: *default })
    }

    /// The functions by which arrays in a text are said, and those by which arrays in these are.
    fn definitions(&self, sexp: &Sexp) -> Option<Vec<Sexp>> {
        let mut wanted: Vec<String> = smtlib::named_functions(sexp).into_iter().map(str::to_owned).collect();
        let (mut found, mut seen) = (Vec::new(), Set::default());
        while let Some(name) = wanted.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let is_meant = |function: &FuncDecl| function.arity() == 1 && function.name() == name;
            let function = self.model.iter().find(is_meant)?;
            let table = self.model.get_func_interp(&function)?;
            let mut body = String::new();
            let entries = table.get_entries();
            for entry in &entries {
                let [at] = &entry.get_args()[..] else { return None };
                write!(body, "(ite (= x {at}) {} ", entry.get_value()).expect("strings take everything");
            }
            write!(body, "{}{}", open_body(&table.get_else()?)?, ")".repeat(entries.len()))
                .expect("strings take everything");
            let definition = smtlib::read(&format!("(define-fun {name} ((x Int)) Int {body})")).ok()?;
            wanted.extend(definition.iter().flat_map(smtlib::named_functions).map(str::to_owned));
            found.extend(definition);
        }
        Some(found)
    }
}

/// What a function gives that is not listed, as a text about `x`. Its variable has a number instead of a name, which is another one
/// within a function of its own.
fn open_body(body: &Dynamic) -> Option<String> {
    let text = body.to_string();
    let is_plain = !(text.contains("(lambda") && text.contains("(:var"));
    is_plain.then(|| text.replace("(:var 0)", "x"))
}

fn is_numeral(value: &impl z3::ast::Ast) -> bool {
    value.kind() == z3::ast::AstKind::Numeral
}

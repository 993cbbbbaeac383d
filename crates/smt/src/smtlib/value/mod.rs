//! Values as solvers write them, as the numbers that states have.

mod numerals;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_ir::{ArrayId, Raw};

use super::Sexp;
use crate::terms::{TermSort, Terms};
use numerals::{bits, int};

/// How deep what is read nests at most, what names stand for included.
const MAX_DEPTH: u32 = 1500;

/// Why a value is not read.
#[derive(Debug, PartialEq, Eq)]
pub enum Unread {
    /// An integer beyond 64 bits.
    Beyond,
    Garbage,
    Stopped(Stop),
}

impl From<Stop> for Unread {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// Functions of a model, which arrays may be said by.
#[derive(Default)]
pub struct Functions<'s>(Map<&'s str, Function<'s>>);

#[derive(Clone, Copy)]
struct Function<'s> {
    variable: &'s str,
    body: &'s Sexp,
}

impl<'s> Functions<'s> {
    /// Of definitions `(define-fun f ((x Int)) Bool (= x 3))`, those of functions of one variable.
    pub fn of(definitions: &'s [Sexp]) -> Self {
        let one = |definition: &'s Sexp| match definition.list()? {
            [word, name, Sexp::List(variables), _, body] if word.is("define-fun") => {
                Some((name.atom()?, Function { variable: variable_name(variables)?, body }))
            }
            _ => None,
        };
        Self(definitions.iter().filter_map(one).collect())
    }
}

/// The function that an array is said by: `(_ as-array f)`
fn function_name(sexp: &Sexp) -> Option<&str> {
    match sexp.list()? {
        [word, kind, name] if word.is("_") && kind.is("as-array") => name.atom(),
        _ => None,
    }
}

/// The functions by which arrays in a value are said. Recursion is bounded, because the depth of a text is.
pub fn named_functions(sexp: &Sexp) -> Vec<&str> {
    match function_name(sexp) {
        Some(name) => vec![name],
        None => sexp.list().unwrap_or_default().iter().flat_map(named_functions).collect(),
    }
}

/// A value of a sort: `true`, `(- 5)`, `#b0101`, `(store ((as const (Array Int Int)) 0) 1 2)`, `(lambda ((x Int)) (= x 3))`, and
/// what `let` and `ite` make of these.
pub fn value<'s>(
    terms: &Terms<'_>,
    sexp: &'s Sexp,
    sort: TermSort,
    functions: &Functions<'s>,
    control: &Control,
) -> Result<Raw, Unread> {
    Reading { terms, control, functions, scopes: Vec::new(), depth: 0 }.value(Bound { sexp, within: None }, sort)
}

/// What names mean, and the scope around it.
struct Scope<'s> {
    names: Names<'s>,
    within: Option<usize>,
}

#[derive(Clone, Copy)]
enum Names<'s> {
    Let(&'s [Sexp]),
    Variable(&'s str, Variable),
}

/// What the variable of a function stands for while the function is read.
#[derive(Clone, Copy)]
struct Variable {
    sort: TermSort,
    /// None is any value that the variable is compared with nowhere.
    value: Option<Raw>,
}

struct Reading<'r, 's> {
    terms: &'r Terms<'r>,
    control: &'r Control,
    functions: &'r Functions<'s>,
    scopes: Vec<Scope<'s>>,
    depth: u32,
}

/// A text, and the scope in which it stands.
#[derive(Clone, Copy)]
struct Bound<'s> {
    sexp: &'s Sexp,
    within: Option<usize>,
}

/// What a name means.
enum Named<'s> {
    Text(Bound<'s>),
    Variable(Variable),
}

impl<'s> Bound<'s> {
    fn part(self, sexp: &'s Sexp) -> Self {
        Self { sexp, ..self }
    }
}

impl<'s> Reading<'_, 's> {
    fn value(&mut self, text: Bound<'s>, sort: TermSort) -> Result<Raw, Unread> {
        self.depth += 1;
        let value = match self.depth <= MAX_DEPTH {
            true => self.shallow_value(text, sort),
            false => Err(Unread::Garbage),
        };
        self.depth -= 1;
        value
    }

    fn shallow_value(&mut self, text: Bound<'s>, sort: TermSort) -> Result<Raw, Unread> {
        let text = self.resolved(text)?;
        if let Some(variable) = self.variable(text) {
            return variable.value.filter(|_| variable.sort == sort).ok_or(Unread::Garbage);
        }
        match sort {
            TermSort::Bool => self.truth(text).map(Raw::from),
            TermSort::Int => int(text.sexp),
            TermSort::Bits(width) => {
                let words = bits(text.sexp, width).ok_or(Unread::Garbage)?;
                Ok(self.terms.exprs().values().bits(width, &words))
            }
            TermSort::Array(id) => self.array(text, id),
        }
    }

    fn is_true(&mut self, text: Bound<'s>) -> Result<bool, Unread> {
        self.value(text, TermSort::Bool).map(|value| value != 0)
    }

    /// Of a text that is neither `let` nor `ite` nor a name.
    fn truth(&mut self, text: Bound<'s>) -> Result<bool, Unread> {
        match text.sexp {
            Sexp::Atom(word) if word == "true" => Ok(true),
            Sexp::Atom(word) if word == "false" => Ok(false),
            Sexp::Atom(_) | Sexp::Text(_) => Err(Unread::Garbage),
            Sexp::List(parts) => match &parts[..] {
                [word, a] if word.is("not") => self.is_true(text.part(a)).map(|value| !value),
                [word, parts @ ..] if word.is("and") => self.junction(text, parts, false),
                [word, parts @ ..] if word.is("or") => self.junction(text, parts, true),
                [word, a, b] if word.is("=") => self.is_equal(text.part(a), text.part(b)),
                _ => Err(Unread::Garbage),
            },
        }
    }

    fn junction(&mut self, text: Bound<'s>, parts: &'s [Sexp], absorbing: bool) -> Result<bool, Unread> {
        for part in parts {
            if self.is_true(text.part(part))? == absorbing {
                return Ok(absorbing);
            }
        }
        Ok(!absorbing)
    }

    /// Equations are about a variable.
    fn is_equal(&mut self, a: Bound<'s>, b: Bound<'s>) -> Result<bool, Unread> {
        let (a, b) = (self.resolved(a)?, self.resolved(b)?);
        let (variable, other) = match (self.variable(a), self.variable(b)) {
            (Some(variable), None) => (variable, b),
            (None, Some(variable)) => (variable, a),
            (Some(_), Some(_)) | (None, None) => return Err(Unread::Garbage),
        };
        let other = self.value(other, variable.sort)?;
        Ok(variable.value == Some(other))
    }

    fn array(&mut self, text: Bound<'s>, id: ArrayId) -> Result<Raw, Unread> {
        let (index, element) = self.terms.array(id)?;
        let (mut entries, mut rest) = (Vec::new(), text);
        // What is stored last is outermost.
        let default = loop {
            match rest.sexp.list().ok_or(Unread::Garbage)? {
                [store, below, at, it] if store.is("store") => {
                    entries.push((self.value(rest.part(at), index)?, self.value(rest.part(it), element)?));
                    rest = self.resolved(rest.part(below))?;
                }
                [everywhere, it] if is_constant_array(everywhere) => break self.value(rest.part(it), element)?,
                [word, Sexp::List(variables), body] if word.is("lambda") => {
                    let name = variable_name(variables).ok_or(Unread::Garbage)?;
                    break self.function(name, rest.part(body), (index, element), &mut entries)?;
                }
                _ => {
                    let named = function_name(rest.sexp).and_then(|name| self.functions.0.get(name));
                    let Function { variable, body } = *named.ok_or(Unread::Garbage)?;
                    let body = Bound { sexp: body, within: None };
                    break self.function(variable, body, (index, element), &mut entries)?;
                }
            }
        };
        entries.reverse();
        let n_indexes = self.terms.n_values(self.terms.exprs().array_type(id).index);
        Ok(self.terms.exprs().values().listed(n_indexes, default, entries))
    }

    /// Adds what a function gives where its variable has one of the values that it is compared with, and tells what it gives
    /// elsewhere.
    fn function(
        &mut self,
        name: &'s str,
        body: Bound<'s>,
        (index, element): (TermSort, TermSort),
        entries: &mut Vec<(Raw, Raw)>,
    ) -> Result<Raw, Unread> {
        let variable = |value| Names::Variable(name, Variable { sort: index, value });
        let open = self.enter(variable(None), body.within);
        let mut compared = match index {
            TermSort::Bool => vec![0, 1],
            TermSort::Int | TermSort::Bits(_) | TermSort::Array(_) => Vec::new(),
        };
        self.compared(Bound { within: Some(open), ..body }, open, &mut compared)?;
        compared.sort_unstable();
        compared.dedup();
        for &value in &compared {
            let here = self.enter(variable(Some(value)), body.within);
            entries.push((value, self.value(Bound { within: Some(here), ..body }, element)?));
        }
        match (index, entries.last()) {
            (TermSort::Bool, Some(&(_, last))) => Ok(last),
            _ => self.value(Bound { within: Some(open), ..body }, element),
        }
    }

    /// All that the variable of a scope is compared with. Recursion is bounded, because the depth of a text is.
    fn compared(&mut self, text: Bound<'s>, scope: usize, found: &mut Vec<Raw>) -> Result<(), Unread> {
        self.control.check()?;
        let Some(parts) = text.sexp.list() else { return Ok(()) };
        match parts {
            [word, Sexp::List(bindings), body] if word.is("let") => {
                let values = bindings.iter().filter_map(|binding| binding.list()?.get(1));
                values.clone().try_for_each(|value| self.compared(text.part(value), scope, found))?;
                let within = Some(self.enter(Names::Let(bindings), text.within));
                self.compared(Bound { sexp: body, within }, scope, found)
            }
            [word, Sexp::List(variables), body] if word.is("lambda") => {
                let name = variable_name(variables).ok_or(Unread::Garbage)?;
                // Whatever its sort is: it is only compared with what is no variable.
                let inner = Names::Variable(name, Variable { sort: TermSort::Bool, value: None });
                let within = Some(self.enter(inner, text.within));
                self.compared(Bound { sexp: body, within }, scope, found)
            }
            [word, a, b] if word.is("=") => {
                for (a, b) in [(a, b), (b, a)] {
                    if let Some(variable) = self.variable_of(text.part(a), scope)? {
                        found.push(self.value(text.part(b), variable.sort)?);
                    }
                    self.compared(text.part(a), scope, found)?;
                }
                Ok(())
            }
            parts => parts.iter().try_for_each(|part| self.compared(text.part(part), scope, found)),
        }
    }

    fn enter(&mut self, names: Names<'s>, within: Option<usize>) -> usize {
        self.scopes.push(Scope { names, within });
        self.scopes.len() - 1
    }

    /// What a text says that is no `let`, no `ite`, and no name but that of a variable.
    fn resolved(&mut self, text: Bound<'s>) -> Result<Bound<'s>, Unread> {
        let mut text = text;
        loop {
            self.control.check()?;
            match text.sexp {
                Sexp::Atom(name) => match self.named(name, text.within) {
                    Some((_, Named::Text(meant))) => text = meant,
                    Some((_, Named::Variable(_))) | None => return Ok(text),
                },
                Sexp::List(parts) => match &parts[..] {
                    [word, Sexp::List(bindings), body] if word.is("let") => {
                        text = Bound { sexp: body, within: Some(self.enter(Names::Let(bindings), text.within)) };
                    }
                    [word, condition, then, otherwise] if word.is("ite") => {
                        let chosen = if self.is_true(text.part(condition))? { then } else { otherwise };
                        text = text.part(chosen);
                    }
                    _ => return Ok(text),
                },
                Sexp::Text(_) => return Ok(text),
            }
        }
    }

    /// The variable that a resolved text names.
    fn variable(&self, text: Bound<'s>) -> Option<Variable> {
        match self.named(text.sexp.atom()?, text.within)? {
            (_, Named::Variable(variable)) => Some(variable),
            (_, Named::Text(_)) => None,
        }
    }

    /// The same if it is that of a scope.
    fn variable_of(&mut self, text: Bound<'s>, scope: usize) -> Result<Option<Variable>, Unread> {
        if text.sexp.atom().is_none() {
            return Ok(None);
        }
        let text = self.resolved(text)?;
        Ok(match text.sexp.atom().and_then(|name| self.named(name, text.within)) {
            Some((at, Named::Variable(variable))) if at == scope => Some(variable),
            Some(_) | None => None,
        })
    }

    /// What a name means, and in which scope. A `let` is not around what it binds names to.
    fn named(&self, name: &str, within: Option<usize>) -> Option<(usize, Named<'s>)> {
        let mut within = within;
        while let Some(number) = within {
            let Scope { names, within: around } = self.scopes[number];
            match names {
                Names::Variable(of, variable) if of == name => return Some((number, Named::Variable(variable))),
                Names::Variable(..) => {}
                Names::Let(bindings) => {
                    let bound = bindings.iter().find_map(|binding| match binding.list() {
                        Some([of, sexp]) if of.is(name) => Some(sexp),
                        _ => None,
                    });
                    if let Some(sexp) = bound {
                        return Some((number, Named::Text(Bound { sexp, within: around })));
                    }
                }
            }
            within = around;
        }
        None
    }
}

/// `((x Int))`
fn variable_name(variables: &[Sexp]) -> Option<&str> {
    match variables {
        [only] => only.list()?.first()?.atom(),
        _ => None,
    }
}

/// `(as const (Array Int Int))`
fn is_constant_array(sexp: &Sexp) -> bool {
    matches!(sexp.list(), Some([word, of, _]) if word.is("as") && of.is("const"))
}

#[cfg(test)]
mod tests;

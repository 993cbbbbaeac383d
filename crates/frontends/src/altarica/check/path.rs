//! Paths: what `a[0].b.c[i]` leads to.
//!
//! An index that is not constant chooses between the elements that it can reach; outside of the bounds there is no
//! value, so that a guard or assertion that reads there is not satisfied.

use lapidary_ir::{ComponentId, Expr};
use lapidary_text::Span;

use super::super::ast::{self, Name, Step};
use super::super::codes;
use super::super::globals::ConstValue;
use super::super::scope::{Declaration, Entry, Role, Visibility};
use super::super::value::{Bounds, Constant, Symbol, Symbolic, Value};
use super::{Elaborator, Reader, elements};

/// Something that a path with constant indexes leads to.
pub struct Place<'a> {
    pub declaration: &'a Declaration,
    pub entry: &'a Entry,
    /// The component that declares it.
    pub component: ComponentId,
}

/// How far a path was followed.
#[derive(Clone, Copy)]
struct Way<'a, 'p> {
    declaration: &'a Declaration,
    /// Components that were entered.
    n_levels: usize,
    path: &'p ast::Path,
}

impl<'a> Elaborator<'a> {
    pub(super) fn path(&mut self, path: &ast::Path) -> Value {
        let declared = self.here.and_then(|here| self.scopes()[here].names.get(&path.first.text));
        if let Some(declaration) = declared {
            self.warn_of_shadow(&path.first, declaration.role.describe());
            let way = Way { declaration, n_levels: 0, path };
            return self.walk(&declaration.entry, &path.steps, way);
        }
        match self.global(&path.first, path.span) {
            Some(_) if !path.steps.is_empty() => {
                let message = format!("`{}` is a constant and has no elements", path.first.text);
                self.error(codes::WRONG_KIND, message, (path.span, "not an array, struct or subnode"), "use it alone");
                Value::Error
            }
            Some(constant) => self.literal_value(&constant),
            None => Value::Error,
        }
    }

    pub fn literal_value(&self, constant: &Constant) -> Value {
        match constant {
            Constant::Bool(value) => Value::Bool(self.exprs.bool(*value)),
            Constant::Int(value) => Value::Int(self.exprs.int(*value), Bounds::exactly(*value)),
            Constant::Symbol(symbol) => Value::Symbol(Symbolic::Constant(symbol.clone())),
        }
    }

    fn warn_of_shadow(&mut self, name: &Name, what: &str) {
        if self.reader == Reader::Formula || self.globals.symbols.get(&name.text).is_none() {
            return;
        }
        let message = format!("`{}` is {what} here, not the symbol of the same name", name.text);
        let help = "rename one of them if the symbol is meant";
        self.warning(codes::SHADOWED_SYMBOL, message, (name.span, "hides the symbol"), help);
    }

    /// A constant of the file or a symbol.
    fn global(&mut self, name: &Name, path: Span) -> Option<Constant> {
        let globals = self.globals;
        if let Some(declared) = globals.consts.get(&name.text) {
            if declared.item >= self.item {
                self.used_before("the constant", &name.text, name.span, declared.span);
                return None;
            }
            return match &declared.content {
                ConstValue::Value(Constant::Symbol(symbol)) if **symbol == *name.text => {
                    Some(Constant::Symbol(symbol.clone()))
                }
                ConstValue::Value(constant) => {
                    self.warn_of_shadow(name, "a constant");
                    Some(constant.clone())
                }
                ConstValue::Missing => {
                    let message = format!("the constant `{}` has no value", name.text);
                    let help = "write `= value` behind its declaration; only constants of a sort need none";
                    self.error(codes::NO_VALUE, message, (name.span, "no value"), help);
                    None
                }
                ConstValue::Error => None,
            };
        }
        match globals.symbols.get(&name.text) {
            Some(declared) if declared.item <= self.item => Some(Constant::Symbol(Symbol::from(name.text.as_str()))),
            Some(declared) => {
                self.used_before("the symbol", &name.text, name.span, declared.span);
                None
            }
            None => {
                self.unknown(name, path);
                None
            }
        }
    }

    /// Reports a name that is not declared, once in each node; `path` is what the name begins.
    pub(super) fn unknown(&mut self, name: &Name, path: Span) {
        if !self.log.is_news(codes::UNKNOWN_NAME, self.item, &name.text) {
            return;
        }
        let globals = self.globals;
        let own = self.here.map(|here| &self.layout.scopes[here].names);
        let known = own.into_iter().flat_map(|names| names.keys()).chain(globals.consts.keys());
        let known: Vec<&str> = known.chain(globals.symbols.keys()).collect();
        let otherwise = "declare it as a variable, a constant or a symbol of an enumeration";
        let below = if self.budget.suggestions.take() { self.below(&name.text) } else { None };
        let help = match below {
            Some(sub) => format!("did you mean `{sub}.{}`?", self.quote(path)),
            None => self.meant(name, path, known, otherwise),
        };
        let message = format!("`{}` is not declared", name.text);
        self.error(codes::UNKNOWN_NAME, message, (name.span, "not a variable, constant or symbol"), help);
    }

    /// A subnode that declares something of this name.
    fn below(&self, name: &str) -> Option<&'a str> {
        let layout = self.layout;
        let names = &layout.scopes[self.here?].names;
        let declares = |declaration: &Declaration| match declaration.entry {
            Entry::Component(inner) => layout.scopes[inner].names.get(name).is_some(),
            _ => false,
        };
        names.iter().find(|(_, declaration)| declares(declaration)).map(|(sub, _)| sub)
    }

    fn walk(&mut self, entry: &'a Entry, steps: &[Step], way: Way<'a, '_>) -> Value {
        let Some((step, rest)) = steps.split_first() else { return self.read(entry, way) };
        match (entry, step) {
            (Entry::Error, _) => Value::Error,
            (Entry::Struct(fields), Step::Field(name)) => match fields.iter().find(|(field, _)| *field == name.text) {
                Some((_, field)) => self.walk(field, rest, way),
                None => {
                    let known = fields.iter().map(|(field, _)| field.as_str());
                    self.no_member(name, way.path.span, "the struct", known);
                    Value::Error
                }
            },
            (Entry::Component(component), Step::Field(name)) => match self.member(*component, name, way.path.span) {
                Some(declaration) => {
                    let way = Way { declaration, n_levels: way.n_levels + 1, path: way.path };
                    self.check_visibility(way);
                    self.walk(&declaration.entry, rest, way)
                }
                None => Value::Error,
            },
            (Entry::Array(elements), Step::Index(index)) => self.element(elements, index, rest, way),
            (entry, step) => {
                self.wrong_step(entry, step, way.path.span);
                Value::Error
            }
        }
    }

    /// What a component declares under a name.
    fn member(&mut self, component: ComponentId, name: &Name, path: Span) -> Option<&'a Declaration> {
        let names = &self.layout.scopes[component].names;
        let found = names.get(&name.text);
        if found.is_none() {
            let node = format!("the node `{}`", self.layout.components[component].node);
            self.no_member(name, path, &node, names.keys());
        }
        found
    }

    fn no_member<'n>(&mut self, name: &Name, path: Span, of: &str, known: impl IntoIterator<Item = &'n str>) {
        let help = self.meant(name, path, known, "look at its declaration for what it has");
        let message = format!("{of} has nothing of the name `{}`", name.text);
        self.error(codes::UNKNOWN_MEMBER, message, (name.span, "not declared there"), help);
    }

    fn wrong_step(&mut self, entry: &Entry, step: &Step, path: Span) {
        let is = match entry {
            Entry::Array(_) => "an array, which needs an index",
            Entry::Struct(_) => "a struct, which needs the name of a field",
            Entry::Component(_) => "a subnode, which needs the name of a variable",
            Entry::Var(_) | Entry::Constant(_) | Entry::Unset | Entry::Error => "a single value, which has no elements",
        };
        let (code, span) = match step {
            Step::Field(name) => (codes::WRONG_KIND, name.span),
            Step::Index(index) => (codes::WRONG_INDEX, index.span),
        };
        let message = format!("in `{}` something does not fit behind {is}", self.quote(path));
        self.error(code, message, (span, "does not fit"), "write `a[i]` for arrays, `s.f` for structs and subnodes");
    }

    /// The element at an index, or a choice between all elements that the index can reach.
    fn element(&mut self, elements: &'a [Entry], index: &ast::Expr, rest: &[Step], way: Way<'a, '_>) -> Value {
        let Some((at, bounds)) = self.number(index) else { return Value::Error };
        if self.exprs.as_int(at).is_some() {
            return match self.constant_index(index, elements.len()) {
                Some(place) => self.walk(&elements[place], rest, way),
                None => Value::Error,
            };
        }
        let last = elements.len() as i128 - 1;
        let (lo, hi) = bounds.0.unwrap_or((0, last));
        let (from, to) = (lo.max(0), hi.min(last));
        if from > to {
            self.out_of_bounds(index, elements.len());
            return Value::Error;
        }
        let (from, to) = (from as usize, to as usize);
        if self.spend(4 * (to - from), index.span).is_none() {
            return Value::Error;
        }
        let values: Vec<Value> = (from..=to).map(|place| self.walk(&elements[place], rest, way)).collect();
        let chosen = self.pick(at, from, &values, way.path.span);
        if bounds.0.is_some() && (from as i128, to as i128) == (lo, hi) {
            return chosen;
        }
        let ends = (self.exprs.int(from as i64), self.exprs.int(to as i64));
        let inside = self.exprs.and([self.exprs.le(ends.0, at), self.exprs.le(at, ends.1)]);
        let outside = self.choose(self.nothing(), values[0].clone(), values[0].clone(), way.path.span);
        self.choose(inside, chosen, outside, way.path.span)
    }

    /// Halves the values until the index has found its own: as few levels as possible.
    pub(super) fn pick(&mut self, at: Expr, from: usize, values: &[Value], span: Span) -> Value {
        if let [only] = values {
            return only.clone();
        }
        let half = values.len() / 2;
        let below = self.exprs.lt(at, self.exprs.int((from + half) as i64));
        let (a, b) = (self.pick(at, from, &values[..half], span), self.pick(at, from + half, &values[half..], span));
        self.choose(below, a, b, span)
    }

    pub fn constant_index(&mut self, index: &ast::Expr, len: usize) -> Option<usize> {
        let value = self.integer(index, "an index that is written here")?;
        let place = usize::try_from(value).ok().filter(|&place| place < len);
        if place.is_none() {
            self.out_of_bounds(index, len);
        }
        place
    }

    fn out_of_bounds(&mut self, index: &ast::Expr, len: usize) {
        let message = format!("the index `{}` is out of bounds", self.quote(index.span));
        let help = format!("indexes go from 0 to {}", len.saturating_sub(1));
        self.error(codes::WRONG_INDEX, message, (index.span, "never an element"), help);
    }

    fn read(&mut self, entry: &'a Entry, way: Way<'a, '_>) -> Value {
        match entry {
            Entry::Var(var) => self.var(*var),
            Entry::Constant(constant) => self.literal_value(constant),
            Entry::Unset => {
                self.unset(&way.path.first.text, way.path.span, "what is written here");
                Value::Error
            }
            Entry::Component(_) => {
                let message = format!("`{}` is a subnode, not a value", self.quote(way.path.span));
                let help = "write `sub.x` for a variable of it";
                self.error(codes::WRONG_KIND, message, (way.path.span, "a subnode"), help);
                Value::Error
            }
            Entry::Array(_) | Entry::Struct(_) => {
                let parts = elements(entry).unwrap_or_default();
                if self.spend(parts.len(), way.path.span).is_none() {
                    return Value::Error;
                }
                let read = parts.into_iter().map(|(key, part)| (key, self.read(part, way)));
                let read: Vec<_> = read.collect();
                match read.iter().any(|(_, value)| matches!(value, Value::Error)) {
                    true => Value::Error,
                    false => Value::Aggregate(read),
                }
            }
            Entry::Error => Value::Error,
        }
    }

    /// Warns where a node looks into another further than that one allows.
    fn check_visibility(&mut self, way: Way<'a, '_>) {
        let Declaration { role, visibility, span, .. } = *way.declaration;
        if self.reader == Reader::Formula || role == Role::Subnode || visibility == Visibility::Public {
            return;
        }
        let (reason, help) = match (visibility, role) {
            (Visibility::Private, Role::State) => ("is a state variable of a subnode", "declare it `: public`"),
            (Visibility::Private, _) => ("is private to its node", "declare it `: parent` or `: public`"),
            _ if way.n_levels > 1 => ("is visible one level up only", "declare it `: public`"),
            _ => return,
        };
        let message = format!("`{}` {reason}", self.quote(way.path.span));
        let warning = lapidary_text::Diagnostic::warning(codes::VISIBILITY, message, way.path.span, "read here")
            .with_label(span, "declared here")
            .with_help(help);
        self.log.push(warning);
    }

    /// Follows a path whose indexes are all constant, for something that is to get a value.
    pub fn place(&mut self, path: &ast::Path) -> Option<Place<'a>> {
        let mut component = self.here?;
        let layout = self.layout;
        let Some(mut declaration) = layout.scopes[component].names.get(&path.first.text) else {
            self.unknown(&path.first, path.span);
            return None;
        };
        let mut entry = &declaration.entry;
        for step in &path.steps {
            match (entry, step) {
                (Entry::Error, _) => return None,
                (Entry::Struct(fields), Step::Field(name)) => {
                    match fields.iter().find(|(field, _)| *field == name.text) {
                        Some((_, field)) => entry = field,
                        None => {
                            let known = fields.iter().map(|(field, _)| field.as_str());
                            self.no_member(name, path.span, "the struct", known);
                            return None;
                        }
                    }
                }
                (Entry::Component(inner), Step::Field(name)) => {
                    component = *inner;
                    declaration = self.member(component, name, path.span)?;
                    entry = &declaration.entry;
                }
                (Entry::Array(elements), Step::Index(index)) => {
                    entry = &elements[self.constant_index(index, elements.len())?];
                }
                (entry, step) => {
                    self.wrong_step(entry, step, path.span);
                    return None;
                }
            }
        }
        Some(Place { declaration, entry, component })
    }
}

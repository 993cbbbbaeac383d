//! Terms: parts of variables, numbers, literals and events, and what can be compared or passed to a relation.

use lapidary_text::{Diagnostic, Span};

use super::ast::{EventPath, Expr, ExprKind, Operator};
use super::check::Checker;
use super::codes;
use super::formula::{Arithmetic, Comparison, Formula, Part, Term, Variable};
use super::place::place;
use super::types::{EPSILON_NAME, Leaf, Origin, Scalar, Symbol, TypeId, below, join};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Int,
    /// One of these symbols.
    Enum(Vec<Symbol>),
}

/// What an expression stands for.
pub enum Value {
    Formula(Formula),
    Scalar(Term, Kind),
    Record(Record),
    /// Its components are known by what it is compared with.
    Vector(Vec<EventPath>, Span),
}

/// Several leaves of a variable, or an event.
pub struct Record {
    variable: Variable,
    /// What is below the place that was named, and the number of the leaf.
    leaves: Vec<(String, usize)>,
    is_event: bool,
}

impl Record {
    /// The event of the component itself.
    fn own_event(&self) -> Option<Part> {
        let own = self.leaves.iter().find(|(below, _)| self.is_event && below.is_empty())?;
        Some(Part { variable: self.variable, leaf: own.1 })
    }
}

fn truth(part: Part, span: Span) -> Formula {
    Formula::Compare(Comparison::Equal, Term::Part(part), Term::Value(1), span)
}

impl Checker<'_, '_> {
    fn scalar(&self, part: Part) -> &Scalar {
        &self.environment.types.get(self.variables[part.variable].ty).leaves[part.leaf].scalar
    }

    /// A part of a variable that is a truth value is passed on as it is; `n = 1` of a number is not.
    fn truth_term(&self, formula: Formula) -> Term {
        match formula {
            Formula::Compare(Comparison::Equal, Term::Part(part), Term::Value(1), _)
                if *self.scalar(part) == Scalar::Bool =>
            {
                Term::Part(part)
            }
            Formula::Constant(value) => Term::Value(i64::from(value)),
            other => Term::Truth(Box::new(other)),
        }
    }

    pub fn describe(&self, value: &Value) -> String {
        match value {
            Value::Formula(_) => "a formula".to_owned(),
            Value::Scalar(_, Kind::Int) => "a number".to_owned(),
            Value::Scalar(_, Kind::Enum(_)) => "a literal".to_owned(),
            Value::Record(record) => {
                let data = &self.variables[record.variable];
                format!("a part of {} : {}", data.name, self.environment.types.name(data.ty))
            }
            Value::Vector(..) => "an event".to_owned(),
        }
    }

    pub fn place_value(&mut self, expr: &Expr) -> Option<Value> {
        let found = match place(expr, &|name| self.lookup(name)) {
            Ok(Some(found)) => found,
            Ok(None) => {
                if let Some(symbol) = self.element(expr) {
                    return Some(Value::Scalar(Term::Value(i64::from(symbol.0)), Kind::Enum(vec![symbol])));
                }
                let message = "only variables have parts".to_owned();
                self.mismatch(message, expr.span, "does not begin with a variable");
                return None;
            }
            Err(diagnostic) => {
                self.diagnostics.push(*diagnostic);
                return None;
            }
        };
        let data = self.environment.types.get(self.variables[found.variable].ty);
        let inside = |(number, leaf): (usize, &Leaf)| Some((below(&leaf.path, &found.prefix)?.to_owned(), number));
        let leaves: Vec<(String, usize)> = data.leaves.iter().enumerate().filter_map(inside).collect();
        let is_event = matches!(data.origin, Origin::Event(_));
        let variable = found.variable;
        match &leaves[..] {
            // Configurations of a node without variables have no parts, but are values.
            [] if !found.prefix.is_empty() => self.unknown_field(variable, &found.prefix, found.span),
            [(below, leaf)] if below.is_empty() && !is_event => {
                let (part, scalar) = (Part { variable, leaf: *leaf }, &data.leaves[*leaf].scalar);
                Some(match scalar {
                    Scalar::Bool => Value::Formula(truth(part, expr.span)),
                    Scalar::Range { .. } => Value::Scalar(Term::Part(part), Kind::Int),
                    Scalar::Enum(symbols) => Value::Scalar(Term::Part(part), Kind::Enum(symbols.clone())),
                })
            }
            _ => Some(Value::Record(Record { variable, leaves, is_event })),
        }
    }

    /// An element of an array of events, `close[1]`: its name has the index in it.
    fn element(&self, expr: &Expr) -> Option<Symbol> {
        let mut indexes = String::new();
        let mut base = expr;
        while let ExprKind::Index(array, index) = &base.kind {
            let ExprKind::Int(number) = index.kind else { return None };
            indexes = format!("[{number}]{indexes}");
            base = array;
        }
        let ExprKind::Name(name) = &base.kind else { return None };
        self.environment.types.find_symbol(&format!("{name}{indexes}"))
    }

    fn unknown_field(&mut self, variable: Variable, prefix: &str, span: Span) -> Option<Value> {
        let data = &self.variables[variable];
        let leaves = &self.environment.types.get(data.ty).leaves;
        let mut known: Vec<&str> =
            leaves.iter().map(|leaf| leaf.path.as_str()).filter(|path| !path.is_empty()).collect();
        let n_more = known.len().saturating_sub(12);
        known.truncate(12);
        let name = self.environment.types.name(data.ty);
        let message = format!("{} : {name} has no part {prefix}", data.name);
        let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
        let help = match known.is_empty() {
            true => "it has no parts".to_owned(),
            false => format!("its parts are {}{more}", known.join(", ")),
        };
        self.diagnostics.push(Diagnostic::error(codes::UNKNOWN_FIELD, message, span, "not there").with_help(help));
        None
    }

    pub fn integer(&mut self, expr: &Expr) -> Option<Term> {
        match self.value(expr)? {
            Value::Scalar(term, Kind::Int) => Some(term),
            other => {
                let what = self.describe(&other);
                self.mismatch(format!("expected a number, found {what}"), expr.span, "not a number");
                None
            }
        }
    }

    pub fn arithmetic(&mut self, operator: Operator, left: &Expr, right: &Expr, span: Span) -> Option<Value> {
        let (left, right) = (self.integer(left), self.integer(right));
        let operator = match operator {
            Operator::Add => Arithmetic::Add,
            Operator::Subtract => Arithmetic::Subtract,
            _ => Arithmetic::Multiply,
        };
        Some(Value::Scalar(Term::Binary(operator, Box::new(left?), Box::new(right?), span), Kind::Int))
    }

    /// The kind of one of two terms.
    pub fn joined(&mut self, one: Kind, other: Kind, span: Span) -> Option<Kind> {
        match (one, other) {
            (Kind::Int, Kind::Int) => Some(Kind::Int),
            (Kind::Enum(mut one), Kind::Enum(other)) => {
                one.extend(other.into_iter().filter(|symbol| !one.contains(symbol)).collect::<Vec<_>>());
                Some(Kind::Enum(one))
            }
            (Kind::Int, Kind::Enum(_)) | (Kind::Enum(_), Kind::Int) => {
                self.mismatch("a number and a literal cannot be mixed".to_owned(), span, "one of each");
                None
            }
        }
    }

    pub fn comparison(&mut self, operator: Operator, left: &Expr, right: &Expr, span: Span) -> Option<Formula> {
        let comparison = match operator {
            Operator::Equal => Comparison::Equal,
            Operator::Different => Comparison::Different,
            Operator::Less => Comparison::Less,
            Operator::AtMost => Comparison::AtMost,
            Operator::Greater => Comparison::Greater,
            _ => Comparison::AtLeast,
        };
        if !matches!(comparison, Comparison::Equal | Comparison::Different) {
            let (left, right) = (self.integer(left), self.integer(right));
            return Some(Formula::Compare(comparison, left?, right?, span));
        }
        let (left, right) = (self.value(left), self.value(right));
        let equal = self.equality(left?, right?, span)?;
        Some(if comparison == Comparison::Equal { equal } else { Formula::Not(Box::new(equal)) })
    }

    fn equality(&mut self, left: Value, right: Value, span: Span) -> Option<Formula> {
        let equal = |a: Term, b: Term| Formula::Compare(Comparison::Equal, a, b, span);
        match (left, right) {
            (Value::Formula(a), Value::Formula(b)) => Some(Formula::Iff(Box::new(a), Box::new(b))),
            (Value::Scalar(a, one), Value::Scalar(b, other)) => {
                self.warn_never_equal(&one, &other, span);
                self.joined(one, other, span)?;
                Some(equal(a, b))
            }
            (Value::Record(record), Value::Scalar(term, kind)) | (Value::Scalar(term, kind), Value::Record(record))
                if record.own_event().is_some() && kind != Kind::Int =>
            {
                let part = record.own_event().expect("just asked for");
                if let Scalar::Enum(symbols) = self.scalar(part).clone() {
                    self.warn_never_equal(&Kind::Enum(symbols), &kind, span);
                }
                Some(equal(Term::Part(part), term))
            }
            (Value::Record(a), Value::Record(b)) => self.same(&a, &b, span),
            (Value::Record(record), Value::Vector(events, at)) | (Value::Vector(events, at), Value::Record(record))
                if record.is_event =>
            {
                let codes = self.vector(self.variables[record.variable].ty, &record.leaves, &events, at)?;
                let part = |leaf: usize| Term::Part(Part { variable: record.variable, leaf });
                let pairs = record.leaves.iter().zip(codes);
                Some(Formula::And(pairs.map(|((_, leaf), value)| equal(part(*leaf), Term::Value(value))).collect()))
            }
            (left, right) => {
                let (left, right) = (self.describe(&left), self.describe(&right));
                self.mismatch(format!("{left} cannot be compared with {right}"), span, "different kinds");
                None
            }
        }
    }

    /// Literals of different enumerations may be compared, but an answer that is always the same is a slip.
    fn warn_never_equal(&mut self, one: &Kind, other: &Kind, span: Span) {
        let (Kind::Enum(one), Kind::Enum(other)) = (one, other) else { return };
        if !one.iter().any(|symbol| other.contains(symbol)) {
            let names = |symbols: &[Symbol]| {
                let texts: Vec<&str> =
                    symbols.iter().map(|one| self.environment.types.symbol_text(one.0.into())).collect();
                texts.join(", ")
            };
            let message = "the two sides are never equal";
            let help = format!("one is of {{{}}}, the other of {{{}}}", names(one), names(other));
            self.diagnostics
                .push(Diagnostic::warning(codes::NEVER_EQUAL, message, span, "no value in common").with_help(help));
        }
    }

    fn same(&mut self, a: &Record, b: &Record, span: Span) -> Option<Formula> {
        let mut parts = Vec::new();
        for (below, leaf) in &a.leaves {
            let Some((_, other)) = b.leaves.iter().find(|(other, _)| other == below) else { continue };
            let one = Part { variable: a.variable, leaf: *leaf };
            let other = Part { variable: b.variable, leaf: *other };
            if self.scalar(one).is_alike(self.scalar(other)) {
                parts.push((Term::Part(one), Term::Part(other)));
            }
        }
        if parts.len() != a.leaves.len() || parts.len() != b.leaves.len() || a.is_event != b.is_event {
            self.mismatch("the two sides have different parts".to_owned(), span, "cannot be compared");
            return None;
        }
        let equal = |(a, b)| Formula::Compare(Comparison::Equal, a, b, span);
        Some(Formula::And(parts.into_iter().map(equal).collect()))
    }

    /// The event of every leaf, epsilon where the vector names none.
    fn vector(&mut self, ty: TypeId, leaves: &[(String, usize)], events: &[EventPath], span: Span) -> Option<Vec<i64>> {
        let epsilon = self.environment.types.symbol(EPSILON_NAME);
        let mut values: Vec<Option<i64>> = vec![None; leaves.len()];
        for path in events {
            let (event, steps) = path.split_last()?;
            let component = steps.iter().fold(String::new(), |prefix, step| join(&prefix, &step.text));
            let found = leaves.iter().position(|(below, _)| *below == component);
            let symbol = self.environment.types.find_symbol(&event.text);
            let data = self.environment.types.get(ty);
            let known = found
                .zip(symbol)
                .filter(|(place, symbol)| data.leaves[leaves[*place].1].scalar.code(i64::from(symbol.0)).is_some());
            let Some((place, symbol)) = known else {
                self.unknown_event(ty, leaves, found, path);
                return None;
            };
            if values[place].replace(i64::from(symbol.0)).is_some() {
                let message = format!("two events of {}", if component.is_empty() { "the node" } else { &component });
                let diagnostic = Diagnostic::error(codes::TWICE, message, event.span.to(span), "again here");
                self.diagnostics.push(diagnostic.with_help("each component takes part with one event"));
                return None;
            }
        }
        Some(values.into_iter().map(|value| value.unwrap_or(i64::from(epsilon.0))).collect())
    }

    fn unknown_event(&mut self, ty: TypeId, leaves: &[(String, usize)], found: Option<usize>, path: &EventPath) {
        let text = path.iter().map(|step| step.text.as_str()).collect::<Vec<_>>().join(".");
        let span = path[0].span.to(path[path.len() - 1].span);
        let data = self.environment.types.get(ty);
        let help = match found.map(|place| &data.leaves[leaves[place].1].scalar) {
            Some(Scalar::Enum(symbols)) => {
                let names: Vec<&str> =
                    symbols.iter().map(|symbol| self.environment.types.symbol_text(symbol.0.into())).collect();
                format!("its events are {}", names.join(", "))
            }
            Some(Scalar::Bool | Scalar::Range { .. }) | None => {
                let paths = leaves.iter().map(|(below, _)| below.as_str()).filter(|path| !path.is_empty());
                format!("the components are {}", paths.take(12).collect::<Vec<_>>().join(", "))
            }
        };
        let message = format!("{} has no event {text}", data.name);
        self.diagnostics.push(Diagnostic::error(codes::UNKNOWN_EVENT, message, span, "not there").with_help(help));
    }

    /// What is passed for a parameter, leaf by leaf.
    pub fn argument(&mut self, expr: &Expr, ty: TypeId) -> Option<Vec<Term>> {
        let value = self.value(expr)?;
        let data = self.environment.types.get(ty).clone();
        let scalar = match &data.leaves[..] {
            [only] if only.path.is_empty() && data.origin == Origin::Plain => Some(&only.scalar),
            _ => None,
        };
        match (value, scalar) {
            (Value::Formula(formula), Some(Scalar::Bool)) => return Some(vec![self.truth_term(formula)]),
            (Value::Scalar(term, Kind::Int), Some(Scalar::Range { .. })) => return Some(vec![term]),
            (Value::Scalar(term, Kind::Enum(_)), Some(Scalar::Enum(_))) => return Some(vec![term]),
            (Value::Record(record), Some(Scalar::Enum(_))) if record.own_event().is_some() => {
                return Some(vec![Term::Part(record.own_event().expect("just asked for"))]);
            }
            (Value::Record(record), None) => {
                if let Some(terms) = self.leafwise(&record, &data.leaves) {
                    return Some(terms);
                }
            }
            (Value::Vector(events, at), None) if matches!(data.origin, Origin::Event(_)) => {
                let leaves: Vec<(String, usize)> =
                    data.leaves.iter().enumerate().map(|(number, leaf)| (leaf.path.clone(), number)).collect();
                let values = self.vector(ty, &leaves, &events, at)?;
                return Some(values.into_iter().map(Term::Value).collect());
            }
            (_, _) => {}
        }
        self.mismatch(format!("expected a value of type {}", data.name), expr.span, "of another type");
        None
    }

    /// The parts of a record in the order of the leaves of a type with the same paths and alike values.
    fn leafwise(&self, record: &Record, leaves: &[Leaf]) -> Option<Vec<Term>> {
        if record.leaves.len() != leaves.len() {
            return None;
        }
        let part = |leaf: &Leaf| {
            let found = record.leaves.iter().find(|(below, _)| *below == leaf.path)?;
            let part = Part { variable: record.variable, leaf: found.1 };
            self.scalar(part).is_alike(&leaf.scalar).then_some(Term::Part(part))
        };
        leaves.iter().map(part).collect()
    }
}

//! Relations by brute force: formulas over small types, their text, and their value by trying everything.

use std::collections::BTreeSet;

pub type Tuple = Vec<i64>;
pub type Set = BTreeSet<Tuple>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    Bool,
    Range(i64, i64),
    /// Literals by their places in [`LITERALS`].
    Enum(&'static [i64]),
}

pub const LITERALS: [&str; 4] = ["red", "green", "blue", "grey"];

/// The scalars of a type; those of structures have names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    pub leaves: Vec<(&'static str, Scalar)>,
}

impl Scalar {
    pub fn values(&self) -> Vec<i64> {
        match self {
            Self::Bool => vec![0, 1],
            Self::Range(lo, hi) => (*lo..=*hi).collect(),
            Self::Enum(places) => places.to_vec(),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Bool => "bool".to_owned(),
            Self::Range(lo, hi) => format!("[{lo},{hi}]"),
            Self::Enum(places) => {
                let names: Vec<&str> = places.iter().map(|&place| LITERALS[place as usize]).collect();
                format!("{{{}}}", names.join(", "))
            }
        }
    }

    fn show(&self, value: i64) -> String {
        match self {
            Self::Bool => (value != 0).to_string(),
            Self::Range(..) => value.to_string(),
            Self::Enum(_) => LITERALS[value as usize].to_owned(),
        }
    }
}

impl Type {
    pub fn is_scalar(&self) -> bool {
        self.leaves[0].0.is_empty()
    }

    pub fn text(&self) -> String {
        if self.is_scalar() {
            return self.leaves[0].1.text();
        }
        let fields: Vec<String> =
            self.leaves.iter().map(|(name, scalar)| format!("{name} : {};", scalar.text())).collect();
        format!("struct {} tcurts", fields.join(" "))
    }

    /// All values in the order of their leaves.
    pub fn values(&self) -> Vec<Tuple> {
        let mut all = vec![Vec::new()];
        for (_, scalar) in &self.leaves {
            let more = |tuple: &Tuple| {
                scalar.values().into_iter().map(|value| [&tuple[..], &[value]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(more).collect();
        }
        all
    }

    pub fn show(&self, values: &[i64]) -> String {
        if self.is_scalar() {
            return self.leaves[0].1.show(values[0]);
        }
        let parts =
            self.leaves.iter().zip(values).map(|((name, scalar), value)| format!("{name} = {}", scalar.show(*value)));
        format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
    }
}

/// A variable by its name and one of its leaves.
#[derive(Clone, Debug)]
pub struct Part {
    pub name: String,
    pub field: &'static str,
    pub leaf: usize,
}

#[derive(Clone, Debug)]
pub enum Term {
    Value(i64),
    Literal(i64),
    Part(Part),
    Negative(Box<Term>),
    Binary(char, Box<Term>, Box<Term>),
    If(Box<Formula>, Box<Term>, Box<Term>),
}

#[derive(Clone, Debug)]
pub enum Argument {
    Term(Term),
    Formula(Formula),
    Whole(String),
}

#[derive(Clone, Debug)]
pub enum Formula {
    Constant(bool),
    Part(Part),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    If(Box<Formula>, Box<Formula>, Box<Formula>),
    Compare(&'static str, Term, Term),
    Same(String, String),
    Exists(String, Type, Box<Formula>),
    Forall(String, Type, Box<Formula>),
    Apply(String, Vec<Argument>),
}

fn wrapped(text: String, level: u32, needed: u32) -> String {
    if level < needed { format!("({text})") } else { text }
}

impl Part {
    fn text(&self) -> String {
        if self.field.is_empty() { self.name.clone() } else { format!("{}.{}", self.name, self.field) }
    }
}

impl Term {
    /// With no more parentheses than an operator around it of this strength needs.
    fn text(&self, needed: u32) -> String {
        match self {
            Self::Value(value) if *value < 0 => wrapped(value.to_string(), 7, needed),
            Self::Value(value) => value.to_string(),
            Self::Literal(place) => LITERALS[*place as usize].to_owned(),
            Self::Part(part) => part.text(),
            Self::Negative(inner) => wrapped(format!("- {}", inner.text(7)), 7, needed),
            Self::Binary(sign, a, b) => {
                let level = if *sign == '*' { 6 } else { 5 };
                wrapped(format!("{} {sign} {}", a.text(level), b.text(level + 1)), level, needed)
            }
            Self::If(condition, a, b) => {
                format!("(if {} then {} else {})", condition.text(0), a.text(0), b.text(0))
            }
        }
    }
}

impl Formula {
    pub fn text(&self, needed: u32) -> String {
        let join = |parts: &[Self], sign: &str, level: u32| {
            let texts: Vec<String> = parts.iter().map(|part| part.text(level + 1)).collect();
            wrapped(texts.join(sign), level, needed)
        };
        match self {
            Self::Constant(value) => value.to_string(),
            Self::Part(part) => part.text(),
            Self::Not(inner) => wrapped(format!("~{}", inner.text(7)), 7, needed),
            Self::And(parts) => join(parts, " & ", 3),
            Self::Or(parts) => join(parts, " | ", 2),
            Self::Implies(a, b) => wrapped(format!("{} => {}", a.text(2), b.text(1)), 1, needed),
            Self::Iff(a, b) => wrapped(format!("{} <=> {}", a.text(0), b.text(1)), 0, needed),
            Self::If(condition, a, b) => {
                format!("case {{ {} : {}, else {} }}", condition.text(0), a.text(0), b.text(0))
            }
            Self::Compare(sign, a, b) => wrapped(format!("{} {sign} {}", a.text(5), b.text(5)), 4, needed),
            Self::Same(a, b) => wrapped(format!("{a} = {b}"), 4, needed),
            Self::Exists(name, ty, body) => format!("<{name} : {}>({})", ty.text(), body.text(0)),
            Self::Forall(name, ty, body) => format!("[{name} : {}]({})", ty.text(), body.text(0)),
            Self::Apply(name, arguments) if arguments.is_empty() => name.clone(),
            Self::Apply(name, arguments) => {
                let texts = arguments.iter().map(|argument| match argument {
                    Argument::Term(term) => term.text(0),
                    Argument::Formula(formula) => formula.text(0),
                    Argument::Whole(name) => name.clone(),
                });
                format!("{name}({})", texts.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// The relations by name, and the values of the variables in scope, the innermost last.
pub struct Scope<'a> {
    pub relations: &'a dyn Fn(&str) -> &'a Set,
    pub variables: Vec<(String, Tuple)>,
}

impl Scope<'_> {
    fn variable(&self, name: &str) -> &Tuple {
        &self.variables.iter().rev().find(|(known, _)| known == name).expect("in scope").1
    }

    fn part(&self, part: &Part) -> i64 {
        self.variable(&part.name)[part.leaf]
    }

    fn term(&mut self, term: &Term) -> i64 {
        match term {
            Term::Value(value) | Term::Literal(value) => *value,
            Term::Part(part) => self.part(part),
            Term::Negative(inner) => -self.term(inner),
            Term::Binary(sign, a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                match sign {
                    '+' => a + b,
                    '-' => a - b,
                    _ => a * b,
                }
            }
            Term::If(condition, a, b) => {
                if self.holds(condition) {
                    self.term(a)
                } else {
                    self.term(b)
                }
            }
        }
    }

    pub fn holds(&mut self, formula: &Formula) -> bool {
        match formula {
            Formula::Constant(value) => *value,
            Formula::Part(part) => self.part(part) != 0,
            Formula::Not(inner) => !self.holds(inner),
            Formula::And(parts) => parts.iter().all(|part| self.holds(part)),
            Formula::Or(parts) => parts.iter().any(|part| self.holds(part)),
            Formula::Implies(a, b) => !self.holds(a) || self.holds(b),
            Formula::Iff(a, b) => self.holds(a) == self.holds(b),
            Formula::If(condition, a, b) => {
                if self.holds(condition) {
                    self.holds(a)
                } else {
                    self.holds(b)
                }
            }
            Formula::Compare(sign, a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                match *sign {
                    "=" => a == b,
                    "!=" => a != b,
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    _ => a >= b,
                }
            }
            Formula::Same(a, b) => self.variable(a) == self.variable(b),
            Formula::Exists(name, ty, body) => ty.values().into_iter().any(|value| self.with(name, value, body)),
            Formula::Forall(name, ty, body) => ty.values().into_iter().all(|value| self.with(name, value, body)),
            Formula::Apply(name, arguments) => {
                let mut tuple = Vec::new();
                for argument in arguments {
                    match argument {
                        Argument::Term(term) => tuple.push(self.term(term)),
                        Argument::Formula(formula) => tuple.push(i64::from(self.holds(formula))),
                        Argument::Whole(name) => tuple.extend(self.variable(name).clone()),
                    }
                }
                (self.relations)(name).contains(&tuple)
            }
        }
    }

    fn with(&mut self, name: &str, value: Tuple, body: &Formula) -> bool {
        self.variables.push((name.to_owned(), value));
        let holds = self.holds(body);
        self.variables.pop();
        holds
    }
}

//! Path operators: formulas of branching time as questions of reachability.
//!
//! In negation normal form a formula is made of conjunctions and disjunctions of `EF` and `AG`. What is one question is
//! asked as one: `EF a OR EF b` is `EF (a OR b)`, `AG a AND AG b` is `AG (a AND b)`, `EF EF a` is `EF a`. Paths within
//! paths that do not vanish so are not understood.

use std::ops::Range;

use lapidary_ir::{Expr, Exprs, Property, PropertyKind};
use lapidary_text::Span;

use super::properties::{Posed, Scope};

/// Where the words of a condition are.
pub type Words = Range<usize>;

pub enum Formula {
    /// A condition on one marking.
    State(Expr, Words),
    Path(Path, Box<Formula>, Span),
    Not(Box<Formula>),
    Join(Joint, Vec<Formula>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// `EF`: some reachable marking.
    Reach,
    /// `AG`: all reachable markings.
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    All,
    Any,
}

impl Path {
    fn dual(self) -> Self {
        match self {
            Self::Reach => Self::Always,
            Self::Always => Self::Reach,
        }
    }

    /// What it may be taken out of: `EF` out of a disjunction, `AG` out of a conjunction.
    fn joint(self) -> Joint {
        match self {
            Self::Reach => Joint::Any,
            Self::Always => Joint::All,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Reach => "EF",
            Self::Always => "AG",
        }
    }
}

impl Joint {
    fn dual(self) -> Self {
        match self {
            Self::All => Self::Any,
            Self::Any => Self::All,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::All => " AND ",
            Self::Any => " OR ",
        }
    }

    pub fn of(self, exprs: &Exprs, parts: impl IntoIterator<Item = Expr>) -> Expr {
        match self {
            Self::All => exprs.and(parts),
            Self::Any => exprs.or(parts),
        }
    }
}

/// Formulas put together; conditions on one marking stay one.
pub fn join(exprs: &Exprs, joint: Joint, parts: Vec<Formula>, words: Words) -> Formula {
    let state = |part: &Formula| if let Formula::State(expr, _) = part { Some(*expr) } else { None };
    match parts.iter().map(state).collect::<Option<Vec<Expr>>>() {
        Some(states) => Formula::State(joint.of(exprs, states), words),
        None => Formula::Join(joint, parts),
    }
}

/// The opposite of a formula.
pub fn negation(exprs: &Exprs, formula: Formula, words: Words) -> Formula {
    match formula {
        Formula::State(expr, _) => Formula::State(exprs.not(expr), words),
        Formula::Path(..) | Formula::Not(_) | Formula::Join(..) => Formula::Not(Box::new(formula)),
    }
}

/// What a condition means that stands below no path operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bare {
    /// That it holds in the initial marking, as in the Model Checking Contest.
    IsInitial,
    /// Nobody knows.
    IsRefused,
}

/// Why a formula is no question of reachability.
pub enum Misfit {
    /// A path operator within another one.
    Nested(Span),
    /// A condition below no path operator.
    Bare(Words),
    /// A condition on the initial marking, of which there are several.
    Initial(Words),
}

/// Questions put together.
pub enum Parts {
    Part(Part),
    Join(Joint, Vec<Parts>),
}

impl Parts {
    /// How many questions these are.
    pub fn len(&self) -> usize {
        match self {
            Self::Part(_) => 1,
            Self::Join(_, members) => members.iter().map(Self::len).sum(),
        }
    }
}

pub struct Part {
    pub kind: PropertyKind,
    pub text: String,
}

/// A formula with its name and place.
pub struct Named<'a> {
    pub name: String,
    pub text: String,
    pub span: Span,
    pub formula: &'a Formula,
}

/// How formulas of a dialect are understood.
pub struct Rules<'a> {
    pub scope: &'a Scope<'a>,
    pub words: &'a dyn Fn(&Words) -> String,
    pub bare: Bare,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plain,
    Negated,
}

impl Sign {
    fn opposite(self) -> Self {
        match self {
            Self::Plain => Self::Negated,
            Self::Negated => Self::Plain,
        }
    }

    fn path(self, path: Path) -> Path {
        if self == Self::Plain { path } else { path.dual() }
    }

    fn joint(self, joint: Joint) -> Joint {
        if self == Self::Plain { joint } else { joint.dual() }
    }
}

/// A condition and its words.
type Condition = (Expr, String);

/// A formula in normal form.
enum Normal {
    /// The conditions are joined as their path operator allows it.
    Path(Path, Vec<Condition>),
    /// About the initial marking alone, so that the truth is known.
    Initial {
        part: Part,
        truth: Truth,
    },
    Join(Joint, Vec<Normal>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    Yes,
    No,
}

impl Rules<'_> {
    /// A property, or several with how they belong together.
    pub fn asked(&self, named: Named<'_>) -> Result<Posed, Misfit> {
        let Named { name, text, span, formula } = named;
        let is_plain = matches!(formula, Formula::Path(_, inner, _) if matches!(**inner, Formula::State(..)));
        // What the initial marking says is answered here, and a text of the rest alone would hide it.
        let is_plain = is_plain || has_initial_part(formula);
        Ok(match self.parts(self.normal(formula, Sign::Plain)?) {
            Parts::Part(part) => {
                let text = if is_plain { text } else { part.text };
                Posed::One(Property { name, kind: part.kind, faults: Vec::new(), text, span })
            }
            Parts::Join(joint, members) => Posed::Several { name, text, span, joint, members },
        })
    }

    fn normal(&self, formula: &Formula, sign: Sign) -> Result<Normal, Misfit> {
        match formula {
            Formula::State(expr, words) => self.initial(*expr, words, sign),
            Formula::Not(inner) => self.normal(inner, sign.opposite()),
            Formula::Path(path, inner, _) => {
                let path = sign.path(*path);
                let mut conditions = Vec::new();
                self.conditions(inner, sign, path, &mut conditions)?;
                Ok(Normal::Path(path, conditions))
            }
            Formula::Join(joint, members) => {
                let members = members.iter().map(|member| self.normal(member, sign));
                Ok(joined(sign.joint(*joint), members.collect::<Result<_, _>>()?))
            }
        }
    }

    /// What stands below a path operator, taken apart as far as the operator can be put before each of the parts.
    fn conditions(
        &self,
        formula: &Formula,
        sign: Sign,
        path: Path,
        conditions: &mut Vec<Condition>,
    ) -> Result<(), Misfit> {
        match formula {
            Formula::State(expr, words) => {
                conditions.push(self.condition(*expr, words, sign));
                Ok(())
            }
            Formula::Not(inner) => self.conditions(inner, sign.opposite(), path, conditions),
            Formula::Path(inner_path, inner, _) if sign.path(*inner_path) == path => {
                self.conditions(inner, sign, path, conditions)
            }
            Formula::Join(joint, members) if sign.joint(*joint) == path.joint() => {
                members.iter().try_for_each(|member| self.conditions(member, sign, path, conditions))
            }
            Formula::Path(_, _, span) => Err(Misfit::Nested(*span)),
            Formula::Join(_, members) => Err(Misfit::Nested(first_path(members))),
        }
    }

    fn condition(&self, expr: Expr, words: &Words, sign: Sign) -> Condition {
        let words = (self.words)(words);
        match sign {
            Sign::Plain => (expr, words),
            Sign::Negated => (self.scope.exprs.not(expr), format!("NOT ({words})")),
        }
    }

    /// Either way a run without steps shows what is so.
    fn initial(&self, expr: Expr, words: &Words, sign: Sign) -> Result<Normal, Misfit> {
        if self.bare == Bare::IsRefused {
            return Err(Misfit::Bare(words.clone()));
        }
        let exprs = self.scope.exprs;
        let (expr, text) = self.condition(expr, words, sign);
        let first = self.scope.initial().ok_or_else(|| Misfit::Initial(words.clone()))?;
        let (kind, truth) = match first.value(exprs, expr) {
            Some(true) => (PropertyKind::Reach(exprs.and([first.marking, expr])), Truth::Yes),
            Some(false) => (PropertyKind::Invariant(exprs.or([exprs.not(first.marking), expr])), Truth::No),
            None => return Err(Misfit::Initial(words.clone())),
        };
        Ok(Normal::Initial { part: Part { kind, text: format!("initially {text}") }, truth })
    }

    fn parts(&self, normal: Normal) -> Parts {
        match normal {
            Normal::Initial { part, .. } => Parts::Part(part),
            Normal::Join(joint, members) => {
                Parts::Join(joint, members.into_iter().map(|member| self.parts(member)).collect())
            }
            Normal::Path(path, conditions) => {
                let expr = path.joint().of(self.scope.exprs, conditions.iter().map(|(expr, _)| *expr));
                let kind = match path {
                    Path::Reach => PropertyKind::Reach(expr),
                    Path::Always => self.scope.always(expr),
                };
                Parts::Part(Part { kind, text: text(path, &conditions) })
            }
        }
    }
}

/// `EF ((p >= 2) OR DEADLOCK)`
fn text(path: Path, conditions: &[Condition]) -> String {
    // Operators may be written without blanks.
    let is_closed = |words: &str| {
        let inner = words.strip_prefix("FIREABLE(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(words);
        inner.chars().all(|character| character.is_alphanumeric() || character == '_')
    };
    let within_brackets = |(_, words): &Condition| match is_closed(words) {
        true => words.clone(),
        false => format!("({words})"),
    };
    match conditions {
        [(_, words)] => format!("{} {words}", path.word()),
        _ => {
            let all: Vec<String> = conditions.iter().map(within_brackets).collect();
            format!("{} ({})", path.word(), all.join(path.joint().word()))
        }
    }
}

/// Members of the same kind are taken in, questions that are one are merged, and what is known already is left out.
fn joined(joint: Joint, members: Vec<Normal>) -> Normal {
    let decisive = if joint == Joint::Any { Truth::Yes } else { Truth::No };
    let mut kept: Vec<Normal> = Vec::new();
    let mut merged: Option<usize> = None;
    let mut known = None;
    let flat = members.into_iter().flat_map(|member| match member {
        Normal::Join(inner, members) if inner == joint => members,
        Normal::Path(..) | Normal::Initial { .. } | Normal::Join(..) => vec![member],
    });
    for member in flat {
        match member {
            Normal::Initial { truth, .. } if truth == decisive => return member,
            Normal::Initial { .. } => known = Some(member),
            Normal::Path(path, conditions) if path.joint() == joint => match merged.map(|at| &mut kept[at]) {
                Some(Normal::Path(_, all)) => all.extend(conditions),
                Some(Normal::Initial { .. } | Normal::Join(..)) | None => {
                    merged = Some(kept.len());
                    kept.push(Normal::Path(path, conditions));
                }
            },
            Normal::Path(..) | Normal::Join(..) => kept.push(member),
        }
    }
    match (kept.len(), known) {
        (0, Some(known)) => known,
        (1, _) => kept.remove(0),
        _ => Normal::Join(joint, kept),
    }
}

/// Whether a formula speaks of the initial marking beside paths.
fn has_initial_part(formula: &Formula) -> bool {
    let mut waiting = match formula {
        Formula::State(..) => return false,
        Formula::Path(..) | Formula::Not(_) | Formula::Join(..) => vec![formula],
    };
    while let Some(formula) = waiting.pop() {
        match formula {
            Formula::State(..) => return true,
            Formula::Path(..) => {}
            Formula::Not(inner) => waiting.push(inner),
            Formula::Join(_, members) => waiting.extend(members),
        }
    }
    false
}

/// The first path operator; there is one, since conditions on one marking are not joined here.
fn first_path(members: &[Formula]) -> Span {
    let mut waiting: Vec<&Formula> = members.iter().rev().collect();
    while let Some(formula) = waiting.pop() {
        match formula {
            Formula::Path(_, _, span) => return *span,
            Formula::Not(inner) => waiting.push(inner),
            Formula::Join(_, members) => waiting.extend(members.iter().rev()),
            Formula::State(..) => {}
        }
    }
    unreachable!("formulas that are joined have a path operator")
}

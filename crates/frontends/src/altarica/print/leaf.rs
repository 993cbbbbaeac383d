//! A component without subcomponents as the text of a node, from the data alone.

use std::collections::BTreeMap;

use lapidary_ir::tree::{Component, EPSILON, EventId, VarKind};
use lapidary_ir::{self as ir, ComponentId, Domain, Exprs, Tree, VarId};
use lapidary_text::{SourceId, Span};

use super::super::ast::{
    self, Arm, Binary, EventGroup, EventName, Events, Expr, ExprKind, Name, Node, Path, Relation, Section, Step, Trans,
    Unary, Update, Variables,
};

/// More operands than this are written in two halves: a long list would be nested too deeply when it is read.
const MAX_OPERANDS: usize = 32;

/// The text of a component without subcomponents. Its variables and literals are names of their own; events `e[0]`,
/// `e[1]` are declared as the array they come from.
///
/// It is for nodes that the program makes. Panics on quotients, which have another meaning in the language.
pub fn leaf(tree: &Tree, id: ComponentId) -> String {
    super::node(&node(tree, id))
}

fn node(tree: &Tree, id: ComponentId) -> Node {
    let component = &tree.components[id];
    let translating = Translating { tree };
    let of_kind = |kind: VarKind| -> Vec<Variables> {
        component.own_vars().filter(|&var| tree.kinds[var] == kind).map(|var| translating.variable(var)).collect()
    };
    let own = |var: VarId| component.own_vars().any(|mine| mine == var);
    let init = tree.init.iter().filter(|(var, _)| own(*var)).map(|&(var, value)| translating.update(var, value));
    let assertions = component.assertions.iter().map(|assertion| translating.assertion(assertion.expr));
    let arrays = Arrays::of(component);
    let transitions = component.transitions.iter().map(|transition| Trans {
        guard: translating.expr(transition.guard),
        arms: vec![Arm {
            events: vec![arrays.path(component, transition.event)],
            updates: transition.updates.iter().map(|&(var, value)| translating.update(var, value)).collect(),
            span: nowhere(),
        }],
        span: nowhere(),
    });
    let sections = [
        Section::State(of_kind(VarKind::State)),
        Section::Flow(of_kind(VarKind::Flow)),
        Section::Event(arrays.declarations(component)),
        Section::Init(init.collect()),
        Section::Assert(assertions.collect()),
        Section::Trans(transitions.collect()),
    ];
    let sections = sections.into_iter().filter(|section| !is_empty(section)).collect();
    Node { name: named(&component.node), attributes: Vec::new(), sections, span: nowhere() }
}

fn is_empty(section: &Section) -> bool {
    match section {
        Section::State(list) | Section::Flow(list) => list.is_empty(),
        Section::Event(list) => list.is_empty(),
        Section::Init(list) | Section::ParamSet(list) => list.is_empty(),
        Section::Assert(list) => list.is_empty(),
        Section::Trans(list) => list.is_empty(),
        Section::Sub(_) | Section::Sync(_) | Section::Param(_) | Section::Extern { .. } => false,
    }
}

fn nowhere() -> Span {
    Span::new(SourceId(0), 0, 0)
}

fn named(text: &str) -> Name {
    Name { text: text.to_owned(), span: nowhere() }
}

fn plain(text: &str) -> Path {
    Path { first: named(text), steps: Vec::new(), span: nowhere() }
}

fn made(kind: ExprKind) -> Expr {
    Expr { kind, span: nowhere() }
}

fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    made(ExprKind::Binary(operator, Box::new(left), Box::new(right)))
}

fn negated(inner: Expr) -> Expr {
    made(ExprKind::Unary(Unary::Not, Box::new(inner)))
}

/// A list of operands; of a long one, two halves.
fn joined(operator: Binary, mut parts: Vec<Expr>) -> Expr {
    if parts.len() > MAX_OPERANDS {
        let rest = parts.split_off(parts.len() / 2);
        return binary(operator, joined(operator, parts), joined(operator, rest));
    }
    parts.into_iter().reduce(|left, right| binary(operator, left, right)).expect("junctions have parts")
}

struct Translating<'a> {
    tree: &'a Tree,
}

impl Translating<'_> {
    fn exprs(&self) -> &Exprs {
        &self.tree.exprs
    }

    fn variable(&self, var: VarId) -> Variables {
        let kind = match self.tree.vars[var].domain {
            Domain::Bool => ast::DomainKind::Bool,
            Domain::Int => ast::DomainKind::Integer,
            Domain::Range { lo, hi } => {
                let bound = |value: i64| Box::new(made(ExprKind::Int(value)));
                ast::DomainKind::Range(bound(lo), bound(hi))
            }
            Domain::Enum(of) => ast::DomainKind::Enumeration(
                self.tree.enums[of].literals.iter().map(|literal| named(literal)).collect(),
            ),
            Domain::Bits(_) | Domain::Array(_) => {
                unreachable!("the language has neither bit-vectors nor arrays of this kind")
            }
        };
        Variables {
            names: vec![named(&self.tree.vars[var].name)],
            domain: ast::Domain { kind, span: nowhere() },
            attributes: Vec::new(),
        }
    }

    fn update(&self, var: VarId, value: ir::Expr) -> Update {
        Update { path: plain(&self.tree.vars[var].name), value: self.expr(value), span: nowhere() }
    }

    /// A disjunction that begins with a negation reads better as an implication.
    fn assertion(&self, expr: ir::Expr) -> Expr {
        match self.exprs().node(expr) {
            ir::Node::And(parts) => joined(Binary::And, parts.iter().map(|&part| self.assertion(part)).collect()),
            ir::Node::Or(parts) => match self.exprs().node(parts[0]) {
                ir::Node::Not(condition) => {
                    let rest = parts[1..].iter().map(|&part| self.assertion(part)).collect();
                    binary(Binary::Imply, self.expr(*condition), joined(Binary::Or, rest))
                }
                _ => self.expr(expr),
            },
            _ => self.expr(expr),
        }
    }

    fn expr(&self, expr: ir::Expr) -> Expr {
        let two = |operator: Binary, a: &ir::Expr, b: &ir::Expr| binary(operator, self.expr(*a), self.expr(*b));
        let all = |operator: Binary, parts: &[ir::Expr]| {
            joined(operator, parts.iter().map(|&part| self.expr(part)).collect())
        };
        match self.exprs().node(expr) {
            ir::Node::Bool(value) => made(ExprKind::Bool(*value)),
            ir::Node::Int(value) => made(ExprKind::Int(*value)),
            ir::Node::Literal(of, number) => {
                made(ExprKind::Path(plain(&self.tree.enums[*of].literals[*number as usize])))
            }
            ir::Node::Var(var) => made(ExprKind::Path(plain(&self.tree.vars[*var].name))),
            ir::Node::Cell(..) => unreachable!("trees have no families"),
            ir::Node::Not(inner) => match self.exprs().node(*inner) {
                ir::Node::Eq(a, b) => two(Binary::Ne, a, b),
                ir::Node::Lt(a, b) => two(Binary::Ge, a, b),
                ir::Node::Le(a, b) => two(Binary::Gt, a, b),
                _ => negated(self.expr(*inner)),
            },
            ir::Node::And(parts) => all(Binary::And, parts),
            ir::Node::Or(parts) => all(Binary::Or, parts),
            ir::Node::Ite(a, b, c) => {
                let part = |part: &ir::Expr| Box::new(self.expr(*part));
                made(ExprKind::If(part(a), part(b), part(c)))
            }
            ir::Node::Eq(a, b) => two(Binary::Eq, a, b),
            ir::Node::Lt(a, b) => two(Binary::Lt, a, b),
            ir::Node::Le(a, b) => two(Binary::Le, a, b),
            ir::Node::Add(parts) => all(Binary::Add, parts),
            ir::Node::Neg(a) => made(ExprKind::Unary(Unary::Minus, Box::new(self.expr(*a)))),
            ir::Node::Mul(a, b) => two(Binary::Mul, a, b),
            ir::Node::Bits(..) | ir::Node::Value(..) | ir::Node::Apply(..) => unreachable!("trees have no bit-vectors"),
            ir::Node::Div(..) | ir::Node::Mod(..) => unreachable!("nodes that the program makes have no quotients"),
        }
    }
}

/// Which events are elements of arrays, by number: the name of the array and the indexes.
struct Arrays(BTreeMap<EventId, (String, Vec<i64>)>);

impl Arrays {
    /// Events are elements if all elements of their array follow each other, the last index fastest.
    fn of(component: &Component) -> Self {
        let ids: Vec<EventId> = component.events.ids().filter(|&event| event != EPSILON).collect();
        let split: Vec<(String, Vec<i64>)> = ids.iter().map(|&event| split(&component.events[event].name)).collect();
        let mut found = BTreeMap::new();
        let mut at = 0;
        while at < ids.len() {
            let run = split[at..].iter().take_while(|(name, _)| *name == split[at].0).count();
            let indexes: Vec<&[i64]> = split[at..at + run].iter().map(|(_, indexes)| &indexes[..]).collect();
            let is_alone = split.iter().filter(|(name, _)| *name == split[at].0).count() == run;
            if is_alone && is_whole(&indexes) {
                found.extend(ids[at..at + run].iter().copied().zip(split[at..at + run].iter().cloned()));
            }
            at += run;
        }
        Self(found)
    }

    fn path(&self, component: &Component, event: EventId) -> Path {
        let Some((name, indexes)) = self.0.get(&event) else { return plain(&component.events[event].name) };
        let step = |&index: &i64| Step::Index(Box::new(made(ExprKind::Int(index))));
        Path { first: named(name), steps: indexes.iter().map(step).collect(), span: nowhere() }
    }

    fn mention(&self, component: &Component, event: EventId) -> EventGroup {
        let (name, indexes) =
            self.0.get(&event).cloned().unwrap_or_else(|| (component.events[event].name.clone(), Vec::new()));
        group(&name, indexes)
    }

    /// One declaration for every event or array, then the elements that are public alone, then the priorities that
    /// do not follow from others.
    fn declarations(&self, component: &Component) -> Vec<Events> {
        let mut declared = Vec::new();
        let ids: Vec<EventId> = component.events.ids().filter(|&event| event != EPSILON).collect();
        for &event in &ids {
            let is_public = component.events[event].is_public;
            match self.0.get(&event) {
                None => declared.push(declaration(self.mention(component, event), is_public)),
                Some((name, indexes)) if indexes.iter().all(|&index| index == 0) => {
                    let mut elements = ids.iter().filter_map(|id| self.0.get(id)).filter(|(other, _)| other == name);
                    let last = elements.next_back().expect("an array has elements");
                    let sizes = last.1.iter().map(|index| index + 1).collect();
                    declared.push(declaration(group(name, sizes), false));
                }
                Some(_) => {}
            }
        }
        let public = ids.iter().filter(|&&event| component.events[event].is_public && self.0.contains_key(&event));
        declared.extend(public.map(|&event| declaration(self.mention(component, event), true)));
        for &(low, high) in &component.priorities {
            let follows = ids.iter().any(|&between| {
                component.priorities.contains(&(low, between)) && component.priorities.contains(&(between, high))
            });
            if !follows {
                let rest = vec![(Relation::Below, self.mention(component, high))];
                declared.push(Events { first: self.mention(component, low), rest, attributes: Vec::new() });
            }
        }
        declared
    }
}

fn declaration(group: EventGroup, is_public: bool) -> Events {
    let attributes = if is_public { vec![named("public")] } else { Vec::new() };
    Events { first: group, rest: Vec::new(), attributes }
}

fn group(name: &str, indexes: Vec<i64>) -> EventGroup {
    let indexes = indexes.into_iter().map(|index| made(ExprKind::Int(index))).collect();
    EventGroup { events: vec![EventName { name: named(name), indexes }], span: nowhere() }
}

/// `close[1][0]` as `close` and its indexes.
fn split(name: &str) -> (String, Vec<i64>) {
    let Some((base, rest)) = name.split_once('[') else { return (name.to_owned(), Vec::new()) };
    let inner = rest.strip_suffix(']').filter(|_| !base.is_empty());
    let indexes: Option<Vec<i64>> = inner.and_then(|inner| inner.split("][").map(|index| index.parse().ok()).collect());
    match indexes {
        Some(indexes) if indexes.iter().all(|&index| index >= 0) => (base.to_owned(), indexes),
        _ => (name.to_owned(), Vec::new()),
    }
}

/// Whether these are all indexes of an array, in order.
fn is_whole(indexes: &[&[i64]]) -> bool {
    let Some(last) = indexes.last().filter(|last| !last.is_empty()) else { return false };
    let mut expected: Vec<Vec<i64>> = vec![Vec::new()];
    for &most in *last {
        if usize::try_from(most).map_or(true, |most| most >= indexes.len()) {
            return false;
        }
        let longer = |before: &Vec<i64>| (0..=most).map(|index| [&before[..], &[index]].concat()).collect::<Vec<_>>();
        expected = expected.iter().flat_map(longer).collect();
        if expected.len() > indexes.len() {
            return false;
        }
    }
    expected.iter().map(|index| &index[..]).eq(indexes.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_those_of_whole_arrays() {
        assert_eq!(split("close[1][0]"), ("close".to_owned(), vec![1, 0]));
        assert_eq!(split("close[x]"), ("close[x]".to_owned(), Vec::new()));
        assert!(is_whole(&[&[0], &[1], &[2]]));
        assert!(is_whole(&[&[0, 0], &[0, 1], &[1, 0], &[1, 1]]));
        assert!(!is_whole(&[&[1], &[0]]));
        assert!(!is_whole(&[&[0], &[2]]));
        assert!(!is_whole(&[&[]]));
        assert!(!is_whole(&[&[1 << 40]]));
    }
}

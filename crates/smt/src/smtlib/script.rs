//! Writes SMT-LIB 2 commands: what a conversation says, with each symbol declared before its first use.
//!
//! A part that occurs twice is bound by `let`, and so is one that would nest too deeply: the text is as large as the graph
//! of the term. (Z3 4.8.12 is slow with `define-fun`.) Names: `v12` is a symbol, `e12` a bound part, `p12`
//! an assumption.

use std::borrow::Cow;
use std::fmt::Write;
use std::mem;

use lapidary_base::Stop;
use lapidary_base::hash::{Map, Set};
use lapidary_ir::value::WORD_BITS;
use lapidary_ir::{Expr, Node, Raw, VarId};

use super::words::{constant, function_text, is_for_solvers, sort_text};
use crate::terms::{TermSort, Terms};

/// How deep a text may nest; deeper parts are bound.
const MAX_DEPTH: u32 = 60;

/// What the solver has been told, and would be told again after a [`pop`](Script::pop) that undoes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Told {
    Declared(VarId),
    /// The name of an assumption is declared.
    Named(Expr),
    /// And implies the assumption.
    Implied(Expr),
}

/// Do declarations outlive the level in which they were made (`:global-declarations`)?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declarations {
    Global,
    Scoped,
}

pub struct Script {
    declarations: Declarations,
    told: Set<Told>,
    /// What the next pops undo, and how long the trail was at each push.
    trail: Vec<Told>,
    marks: Vec<usize>,
    text: String,
    n_commands: usize,
}

impl Script {
    pub fn new(declarations: Declarations) -> Self {
        Self {
            declarations,
            told: Set::default(),
            trail: Vec::new(),
            marks: Vec::new(),
            text: String::new(),
            n_commands: 0,
        }
    }

    /// The commands since the last call, and how many they are.
    pub fn take(&mut self) -> (String, usize) {
        (mem::take(&mut self.text), mem::take(&mut self.n_commands))
    }

    pub fn push(&mut self) {
        self.marks.push(self.trail.len());
        self.command(format_args!("(push 1)"));
    }

    pub fn pop(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        for told in self.trail.drain(mark..) {
            self.told.remove(&told);
        }
        self.command(format_args!("(pop 1)"));
    }

    /// A term with a cell is refused; then nothing is asserted.
    pub fn assert(&mut self, terms: &Terms<'_>, formula: Expr) -> Result<(), Stop> {
        let text = self.term(terms, formula)?;
        self.command(format_args!("(assert {text})"));
        Ok(())
    }

    /// A literal that stands for an assumption: itself if it is one, otherwise a name that implies it.
    pub fn assumption(&mut self, terms: &Terms<'_>, formula: Expr) -> Result<String, Stop> {
        let exprs = terms.exprs();
        let literal = match exprs.node(formula) {
            Node::Not(inner) => *inner,
            _ => formula,
        };
        if let Node::Var(_) = exprs.node(literal) {
            return self.term(terms, formula);
        }
        let text = self.term(terms, formula)?;
        let name = format!("p{}", formula.0);
        if self.tell(Told::Named(formula)) {
            self.command(format_args!("(declare-fun {name} () Bool)"));
        }
        if self.tell(Told::Implied(formula)) {
            self.command(format_args!("(assert (=> {name} {text}))"));
        }
        Ok(name)
    }

    /// Does the solver know this symbol?
    pub fn knows(&self, var: VarId) -> bool {
        self.told.contains(&Told::Declared(var))
    }

    fn command(&mut self, command: std::fmt::Arguments<'_>) {
        self.text.write_fmt(command).expect("strings take everything");
        self.text.push('\n');
        self.n_commands += 1;
    }

    /// Is this news?
    fn tell(&mut self, told: Told) -> bool {
        let news = self.told.insert(told);
        let undone = match told {
            Told::Implied(_) => true,
            Told::Declared(_) | Told::Named(_) => self.declarations == Declarations::Scoped,
        };
        if news && undone {
            self.trail.push(told);
        }
        news
    }

    /// The text of a term, after the declarations that it needs.
    fn term(&mut self, terms: &Terms<'_>, root: Expr) -> Result<String, Stop> {
        let (order, uses) = parts(terms, &[root])?;
        for &expr in &order {
            if let Node::Var(var) = terms.exprs().node(expr) {
                self.declare(*var, &sort_text(terms, terms.sort(*var)));
            }
        }
        let text = Text::made(terms, &order, &uses, &|var| format!("v{}", var.0));
        Ok(text.bound(&text.part(terms, root)))
    }

    fn declare(&mut self, var: VarId, sort: &str) {
        if self.tell(Told::Declared(var)) {
            self.command(format_args!("(declare-fun v{} () {sort})", var.0));
        }
    }
}

/// All parts of some terms, parts before wholes, and how often each occurs. All that is not for solvers is refused.
fn parts(terms: &Terms<'_>, roots: &[Expr]) -> Result<(Vec<Expr>, Map<Expr, u32>), Stop> {
    enum Visit {
        Enter(Expr),
        Leave(Expr),
    }
    let mut order = Vec::new();
    let mut uses: Map<Expr, u32> = Map::default();
    let mut stack: Vec<Visit> = roots.iter().rev().map(|&root| Visit::Enter(root)).collect();
    while let Some(visit) = stack.pop() {
        let expr = match visit {
            Visit::Leave(expr) => {
                order.push(expr);
                continue;
            }
            Visit::Enter(expr) => expr,
        };
        let used = uses.entry(expr).or_insert(0);
        *used = used.saturating_add(1);
        if *used > 1 {
            continue;
        }
        is_for_solvers(terms, expr)?;
        stack.push(Visit::Leave(expr));
        terms.exprs().for_each_part(expr, |part| stack.push(Visit::Enter(part)));
    }
    Ok((order, uses))
}

/// What is known about the text of a part.
#[derive(Clone, Copy, Default)]
struct Shape {
    /// How deep it nests, apart from what is bound.
    depth: u32,
    /// Uses only what is bound at lower ranks.
    rank: usize,
    bound: bool,
}

/// The text of some terms, with what they share.
pub struct Text<'n> {
    shapes: Map<Expr, Shape>,
    /// What `let` binds, by rank: those of one rank stand side by side.
    bindings: Vec<String>,
    name: &'n dyn Fn(VarId) -> String,
}

impl<'n> Text<'n> {
    /// What is not for solvers is refused.
    pub fn of(terms: &Terms<'_>, roots: &[Expr], name: &'n dyn Fn(VarId) -> String) -> Result<Self, Stop> {
        let (order, uses) = parts(terms, roots)?;
        Ok(Self::made(terms, &order, &uses, name))
    }

    fn made(terms: &Terms<'_>, order: &[Expr], uses: &Map<Expr, u32>, name: &'n dyn Fn(VarId) -> String) -> Self {
        let mut text = Self { shapes: Map::default(), bindings: Vec::new(), name };
        for &expr in order {
            let shared = uses.get(&expr).is_some_and(|&uses| uses > 1) && !is_small(terms, expr);
            text.add(terms, expr, shared);
        }
        text
    }

    /// A part all of whose own parts were added before.
    fn add(&mut self, terms: &Terms<'_>, expr: Expr, shared: bool) {
        let mut shape = Shape::default();
        terms.exprs().for_each_part(expr, |part| {
            let part = self.shapes[&part];
            shape.depth = shape.depth.max(if part.bound { 1 } else { 1 + part.depth });
            shape.rank = shape.rank.max(part.rank + usize::from(part.bound));
        });
        if shared || shape.depth >= MAX_DEPTH {
            let mut text = String::new();
            self.write(terms, expr, &mut text);
            if self.bindings.len() == shape.rank {
                self.bindings.push(String::new());
            }
            write!(self.bindings[shape.rank], "(e{} {text})", expr.0).expect("strings take everything");
            shape.bound = true;
        }
        self.shapes.insert(expr, shape);
    }

    /// What is written where the shared parts are bound.
    pub fn bound(&self, body: &str) -> String {
        let mut text = String::new();
        for bindings in &self.bindings {
            write!(text, "(let ({bindings}) ").expect("strings take everything");
        }
        text.push_str(body);
        text.extend(self.bindings.iter().map(|_| ')'));
        text
    }

    /// One of the terms, or a part of them, with names for what is bound.
    pub fn part(&self, terms: &Terms<'_>, expr: Expr) -> String {
        let mut text = String::new();
        self.write(terms, expr, &mut text);
        text
    }

    /// Recursion is bounded, because deeper parts are bound.
    fn write(&self, terms: &Terms<'_>, expr: Expr, to: &mut String) {
        if self.shapes.get(&expr).is_some_and(|shape| shape.bound) {
            write!(to, "e{}", expr.0).expect("strings take everything");
            return;
        }
        let called = match terms.exprs().node(expr) {
            Node::Bool(value) => return constant(terms, TermSort::Bool, Raw::from(*value), to),
            Node::Int(value) => return constant(terms, TermSort::Int, *value, to),
            Node::Literal(_, number) => return constant(terms, TermSort::Int, Raw::from(*number), to),
            Node::Bits(width, raw) => return constant(terms, TermSort::Bits(*width), *raw, to),
            Node::Value(id, raw) => return constant(terms, TermSort::Array(*id), *raw, to),
            Node::Var(var) => return to.push_str(&(self.name)(*var)),
            Node::Cell(..) => unreachable!("terms with cells are refused"),
            Node::Apply(function, parts) => function_text(terms, *function, parts[0]),
            node => Cow::Borrowed(node.operator().expect("other nodes have no parts").row().word),
        };
        to.push('(');
        to.push_str(&called);
        terms.exprs().for_each_part(expr, |part| {
            to.push(' ');
            self.write(terms, part, to);
        });
        to.push(')');
    }
}

/// Is a term hardly longer than a name?
fn is_small(terms: &Terms<'_>, expr: Expr) -> bool {
    let (mut n_parts, mut only_leaves) = (0, !is_long(terms, expr));
    terms.exprs().for_each_part(expr, |part| {
        n_parts += 1;
        terms.exprs().for_each_part(part, |_| only_leaves = false);
        only_leaves &= !is_long(terms, part);
    });
    n_parts <= 2 && only_leaves
}

fn is_long(terms: &Terms<'_>, expr: Expr) -> bool {
    match terms.exprs().node(expr) {
        Node::Bits(width, _) => *width > WORD_BITS,
        Node::Value(..) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;

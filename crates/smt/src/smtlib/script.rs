//! Writes SMT-LIB 2 commands: what a conversation says, with each symbol declared before its first use.
//!
//! A part that occurs twice is bound by `let`, and so is one that would nest too deeply: the text is as large as the graph
//! of the term. (Z3 4.8.12 is slow with `define-fun`.) Names: `v12` is a symbol, `e12` a bound part, `p12`
//! an assumption.

use std::fmt::Write;
use std::mem;

use lapidary_base::Stop;
use lapidary_base::hash::{Map, Set};
use lapidary_ir::{Expr, Node, VarId};

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
        let (order, uses) = parts(terms, root)?;
        let mut text = Text::default();
        for expr in order {
            if let Node::Var(var) = terms.exprs().node(expr) {
                self.declare(terms, *var);
            }
            let shared = uses.get(&expr).is_some_and(|&uses| uses > 1) && !is_small(terms, expr);
            text.add(terms, expr, shared);
        }
        Ok(text.finish(terms, root))
    }

    fn declare(&mut self, terms: &Terms<'_>, var: VarId) {
        if self.tell(Told::Declared(var)) {
            let sort = match terms.sort(var) {
                TermSort::Bool => "Bool",
                TermSort::Int => "Int",
            };
            self.command(format_args!("(declare-fun v{} () {sort})", var.0));
        }
    }
}

/// All parts of a term, parts before wholes, and how often each occurs.
fn parts(terms: &Terms<'_>, root: Expr) -> Result<(Vec<Expr>, Map<Expr, u32>), Stop> {
    enum Visit {
        Enter(Expr),
        Leave(Expr),
    }
    let mut order = Vec::new();
    let mut uses: Map<Expr, u32> = Map::default();
    let mut stack = vec![Visit::Enter(root)];
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
        if let Node::Cell(..) = terms.exprs().node(expr) {
            return Err(Stop::Incomplete("a term has a cell of an array".to_owned()));
        }
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

/// The text of a term in the making.
#[derive(Default)]
struct Text {
    shapes: Map<Expr, Shape>,
    /// What `let` binds, by rank: those of one rank stand side by side.
    bindings: Vec<String>,
}

impl Text {
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

    fn finish(self, terms: &Terms<'_>, root: Expr) -> String {
        let mut text = String::new();
        for bindings in &self.bindings {
            write!(text, "(let ({bindings}) ").expect("strings take everything");
        }
        self.write(terms, root, &mut text);
        text.extend(self.bindings.iter().map(|_| ')'));
        text
    }

    /// Recursion is bounded, because deeper parts are bound.
    fn write(&self, terms: &Terms<'_>, expr: Expr, to: &mut String) {
        if self.shapes.get(&expr).is_some_and(|shape| shape.bound) {
            write!(to, "e{}", expr.0).expect("strings take everything");
            return;
        }
        let operator = match terms.exprs().node(expr) {
            Node::Bool(value) => return write!(to, "{value}").expect("strings take everything"),
            Node::Int(value) if *value < 0 => {
                return write!(to, "(- {})", value.unsigned_abs()).expect("strings take everything");
            }
            Node::Int(value) => return write!(to, "{value}").expect("strings take everything"),
            Node::Literal(_, number) => return write!(to, "{number}").expect("strings take everything"),
            Node::Var(var) => return write!(to, "v{}", var.0).expect("strings take everything"),
            Node::Cell(..) => unreachable!("terms with cells are refused"),
            node => node.operator().expect("other nodes have no parts").row().word,
        };
        to.push('(');
        to.push_str(operator);
        terms.exprs().for_each_part(expr, |part| {
            to.push(' ');
            self.write(terms, part, to);
        });
        to.push(')');
    }
}

/// Is a term hardly longer than a name?
fn is_small(terms: &Terms<'_>, expr: Expr) -> bool {
    let (mut n_parts, mut only_leaves) = (0, true);
    terms.exprs().for_each_part(expr, |part| {
        n_parts += 1;
        terms.exprs().for_each_part(part, |_| only_leaves = false);
    });
    n_parts <= 2 && only_leaves
}

#[cfg(test)]
mod tests {
    use lapidary_ir::{Domain, EnumId, FamilyId, Model};

    use super::*;

    #[test]
    fn every_operator_has_its_text() {
        let model = Model::default();
        let mut terms = Terms::within(&model);
        let (x, b) = (terms.fresh("x", Domain::Int), terms.fresh("b", Domain::Bool));
        let e = terms.exprs();
        let (x, b) = (e.var(x), e.var(b));
        let cases = [
            (e.eq(x, e.int(-5)), "(= v0 (- 5))"),
            (e.lt(x, e.int(i64::MIN)), "(< v0 (- 9223372036854775808))"),
            (e.le(e.int(i64::MAX), x), "(<= 9223372036854775807 v0)"),
            (e.eq(x, e.literal(EnumId(0), 3)), "(= v0 3)"),
            (e.and([b, e.not(b)]), "(and v1 (not v1))"),
            (e.or([e.bool(false), b]), "v1"),
            (e.intern(Node::Or([b, e.bool(true)].into())), "(or v1 true)"),
            (e.eq(e.add([x, e.neg(x), e.int(2)]), e.int(0)), "(= (+ v0 (- v0) 2) 0)"),
            (e.eq(e.mul(x, x), e.ite(b, x, e.int(1))), "(= (* v0 v0) (ite v1 v0 1))"),
            (e.eq(e.div(x, e.int(-2)), e.modulo(x, e.int(-2))), "(= (div v0 (- 2)) (mod v0 (- 2)))"),
        ];
        for (term, expected) in cases {
            let mut script = Script::new(Declarations::Global);
            script.assert(&terms, term).expect("no cells");
            let text = script.take().0;
            let last = text.lines().last().expect("commands");
            assert_eq!(last, format!("(assert {expected})"));
        }
    }

    #[test]
    fn shared_parts_are_bound() {
        let model = Model::default();
        let mut terms = Terms::within(&model);
        let x = terms.fresh("x", Domain::Int);
        let e = terms.exprs();
        let x = e.var(x);
        let (two, low) = (e.add([x, x, e.int(1)]), e.mul(x, e.int(3)));
        let four = e.mul(two, two);
        let formula = e.and([e.lt(four, low), e.lt(low, e.neg(four))]);
        let mut script = Script::new(Declarations::Global);
        script.assert(&terms, formula).expect("no cells");
        let (a, b) = (two.0, four.0);
        let body = format!("(and (< e{b} (* v0 3)) (< (* v0 3) (- e{b})))");
        let bound = format!("(let ((e{a} (+ v0 v0 1))) (let ((e{b} (* e{a} e{a}))) {body}))");
        assert_eq!(script.take(), (format!("(declare-fun v0 () Int)\n(assert {bound})\n"), 2));
    }

    #[test]
    fn the_text_is_as_large_as_the_graph() {
        let model = Model::default();
        let mut terms = Terms::within(&model);
        let x = terms.fresh("x", Domain::Int);
        let e = terms.exprs();
        let mut doubled = e.var(x);
        for _ in 0..1000 {
            doubled = e.intern(Node::Add([doubled, doubled].into()));
        }
        let mut deep = e.var(x);
        for _ in 0..100_000 {
            deep = e.intern(Node::Neg(deep));
        }
        let mut script = Script::new(Declarations::Global);
        script.assert(&terms, e.lt(doubled, deep)).expect("no cells");
        let (text, _) = script.take();
        assert!(text.len() < 1_000_000);
        assert_eq!(text.matches('(').count(), text.matches(')').count());
        assert_eq!(text.matches("(- ").count(), 100_000);
        assert!(!text.contains(&"(- ".repeat(1 + MAX_DEPTH as usize)));
    }

    #[test]
    fn what_a_pop_undoes_is_said_again() {
        let model = Model::default();
        let mut terms = Terms::within(&model);
        let x = terms.fresh("x", Domain::Int);
        let e = terms.exprs();
        let term = e.lt(e.var(x), e.int(3));
        let say = |declarations| {
            let mut script = Script::new(declarations);
            script.push();
            assert_eq!(script.assumption(&terms, term).expect("no cells"), format!("p{}", term.0));
            script.pop();
            script.take();
            script.assumption(&terms, term).expect("no cells");
            script.take().0
        };
        let implied = format!("(assert (=> p{} (< v0 3)))\n", term.0);
        assert_eq!(say(Declarations::Global), implied);
        let declared = format!("(declare-fun v0 () Int)\n(declare-fun p{} () Bool)\n", term.0);
        assert_eq!(say(Declarations::Scoped), declared + &implied);
    }

    #[test]
    fn literals_are_their_own_names_and_cells_are_refused() {
        let model = Model::default();
        let mut terms = Terms::within(&model);
        let b = terms.fresh("b", Domain::Bool);
        let e = terms.exprs();
        let mut script = Script::new(Declarations::Global);
        assert_eq!(script.assumption(&terms, e.not(e.var(b))), Ok("(not v0)".to_owned()));
        assert_eq!(script.assumption(&terms, e.var(b)), Ok("v0".to_owned()));
        let cell = e.not(e.eq(e.cell(FamilyId(0), e.int(0)), e.int(1)));
        script.take();
        assert!(matches!(script.assert(&terms, cell), Err(Stop::Incomplete(_))));
        assert_eq!(script.take(), (String::new(), 0));
    }
}

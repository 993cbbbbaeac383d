//! Types of expressions, from the operands up; only literals shared by enumerations look at what is wanted.

use lapidary_ir::Domain;
use lapidary_text::{Diagnostic, Span, quotation};

use super::super::ast::{self, Compare, ExprKind, Quantifier};
use super::super::codes;
use super::super::consts;
use super::super::limits::MAX_DEPTH;
use super::super::typed::{Constant, Expr, Kind, Ty};
use super::names::Symbol;
use super::{Checker, Local};

impl<'a> Checker<'a, '_> {
    /// An expression about one state, of the wanted type if there is one.
    pub(super) fn state(&mut self, expr: &'a ast::Expr<'a>, wanted: Option<Ty>) -> Expr {
        let checked = self.fitting(expr, wanted);
        self.single_state(checked)
    }

    fn single_state(&mut self, checked: Expr) -> Expr {
        if !checked.temporal {
            return checked;
        }
        let message = "a temporal formula has no value in a single state";
        let diagnostic = Diagnostic::error(codes::TEMPORAL, message, checked.span, "this speaks of a whole run");
        self.log.push(diagnostic.with_help("combine it with `!`, `&`, `|`, `=>`, `<=>`, `forall` and `exists` only"));
        Expr::error(checked.span)
    }

    /// An expression of the wanted type, which may be about a whole run.
    pub(super) fn fitting(&mut self, expr: &'a ast::Expr<'a>, wanted: Option<Ty>) -> Expr {
        let checked = self.expr(expr, wanted);
        match wanted {
            Some(wanted) if differ(wanted, checked.ty) => {
                self.mismatch(wanted, &checked);
                Expr::error(expr.span)
            }
            Some(_) | None => checked,
        }
    }

    fn mismatch(&mut self, wanted: Ty, found: &Expr) {
        let (wanted_name, found_name) = (self.type_name(wanted), self.type_name(found.ty));
        let message = format!("expected {wanted_name}, found {found_name}");
        let mut diagnostic =
            Diagnostic::error(codes::TYPE_MISMATCH, message, found.span, format!("this is {found_name}"));
        let help = match (wanted, found.ty) {
            (Ty::Bool, Ty::Int) => Some(match self.sources.text(found.span) {
                "0" => "write `false`".to_owned(),
                "1" => "write `true`".to_owned(),
                _ => "compare it with something: `x != 0`".to_owned(),
            }),
            (Ty::Int, Ty::Bool) => Some("`if c then 1 else 0` makes a number of a condition".to_owned()),
            (Ty::Int, Ty::Enum(_)) => {
                Some("enumerations have no order and no arithmetic, only `=` and `!=`".to_owned())
            }
            (Ty::Bool, Ty::Enum(_)) => Some("compare it with a literal: `pc = idle`".to_owned()),
            (Ty::Enum(id), _) => {
                let names: Vec<&str> = self.file.enums[id].literals.iter().map(|literal| literal.text).collect();
                Some(format!("its values are {}", super::declare::list(&names)))
            }
            (Ty::Bool, Ty::Bool | Ty::Error) | (Ty::Int, Ty::Int | Ty::Error) | (Ty::Error, _) => None,
        };
        if let Some(help) = help {
            diagnostic = diagnostic.with_help(help);
        }
        self.log.push(diagnostic);
    }

    pub(super) fn is_too_deep(&mut self, span: Span) -> bool {
        if self.depth >= MAX_DEPTH {
            self.log.push(consts::too_deep(span));
            return true;
        }
        false
    }

    /// An expression of any type; `wanted` decides between enumerations, and nothing else.
    pub(super) fn expr(&mut self, expr: &'a ast::Expr<'a>, wanted: Option<Ty>) -> Expr {
        if self.is_too_deep(expr.span) {
            return Expr::error(expr.span);
        }
        self.depth += 1;
        let checked = self.node(expr, wanted);
        self.depth -= 1;
        checked
    }

    fn node(&mut self, expr: &'a ast::Expr<'a>, wanted: Option<Ty>) -> Expr {
        let span = expr.span;
        let make = |kind, ty| Expr::new(kind, ty, span);
        match &expr.kind {
            ExprKind::Error => Expr::error(span),
            ExprKind::Bool(value) => make(Kind::Constant(Constant::Bool(*value)), Ty::Bool),
            ExprKind::Int(value) => make(Kind::Constant(Constant::Int(*value)), Ty::Int),
            ExprKind::Place(place) => {
                let mut read = self.read(place, wanted);
                // Parentheses belong to the text of the expression.
                read.span = span;
                read
            }
            ExprKind::Call(name, arguments) => self.call(*name, arguments, span),
            ExprKind::Not(a) => make(Kind::Not(Box::new(self.fitting(a, Some(Ty::Bool)))), Ty::Bool),
            ExprKind::Neg(a) => make(Kind::Neg(Box::new(self.state(a, Some(Ty::Int)))), Ty::Int),
            ExprKind::And(parts) => make(Kind::And(self.conditions(parts)), Ty::Bool),
            ExprKind::Or(parts) => make(Kind::Or(self.conditions(parts)), Ty::Bool),
            ExprKind::Implies(parts) => make(Kind::Implies(self.conditions(parts)), Ty::Bool),
            ExprKind::Iff(parts) => make(Kind::Iff(self.conditions(parts)), Ty::Bool),
            ExprKind::Compare(operator, a, b) => self.comparison(*operator, a, b, span),
            ExprKind::Sum(parts) => {
                let parts = parts.iter().map(|(sign, part)| (*sign, self.state(part, Some(Ty::Int)))).collect();
                make(Kind::Sum(parts), Ty::Int)
            }
            ExprKind::Product(first, rest) => {
                let first = Box::new(self.state(first, Some(Ty::Int)));
                let rest = rest.iter().map(|(factor, part)| (*factor, self.state(part, Some(Ty::Int)))).collect();
                make(Kind::Product(first, rest), Ty::Int)
            }
            ExprKind::If(parts) => self.conditional(parts, wanted, span),
            ExprKind::Quantified(quantifier, binder, body) => self.quantified(*quantifier, binder, body, span),
            ExprKind::Temporal(operator, a) => {
                make(Kind::Temporal(*operator, Box::new(self.fitting(a, Some(Ty::Bool)))), Ty::Bool)
            }
            ExprKind::Temporal2(operator, a, b) => {
                let sides = [self.fitting(a, Some(Ty::Bool)), self.fitting(b, Some(Ty::Bool))];
                make(Kind::Temporal2(*operator, Box::new(sides)), Ty::Bool)
            }
        }
    }

    fn conditions(&mut self, parts: &'a [ast::Expr<'a>]) -> Vec<Expr> {
        parts.iter().map(|part| self.fitting(part, Some(Ty::Bool))).collect()
    }

    fn comparison(&mut self, operator: Compare, a: &'a ast::Expr<'a>, b: &'a ast::Expr<'a>, span: Span) -> Expr {
        let sides = match operator {
            Compare::Eq | Compare::Ne => {
                let hint = self.hint(a).or_else(|| self.hint(b));
                let sides = [self.expr(a, hint), self.expr(b, hint)].map(|side| self.single_state(side));
                if differ(sides[0].ty, sides[1].ty) {
                    let [left, right] = [self.type_name(sides[0].ty), self.type_name(sides[1].ty)];
                    let message = format!("{left} cannot be compared with {right}");
                    let diagnostic =
                        Diagnostic::error(codes::TYPE_MISMATCH, message, b.span, format!("this is {right}"));
                    let help = self.help_comparing([sides[0].ty, sides[1].ty], [a.span, b.span]);
                    self.log.push(diagnostic.with_label(a.span, format!("this is {left}")).with_help(help));
                }
                sides
            }
            Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge => {
                [self.state(a, Some(Ty::Int)), self.state(b, Some(Ty::Int))]
            }
        };
        Expr::new(Kind::Compare(operator, Box::new(sides)), Ty::Bool, span)
    }

    /// How two things of different types may be compared.
    fn help_comparing(&self, types: [Ty; 2], sides: [Span; 2]) -> String {
        let shown = sides.map(|side| quotation::quote(self.sources, side));
        match types {
            [Ty::Bool, Ty::Int] | [Ty::Int, Ty::Bool] => {
                let at = usize::from(types[0] == Ty::Int);
                match shown[1 - at].as_str() {
                    "0" => format!("write `!{}`", shown[at]),
                    "1" => format!("write `{}`", shown[at]),
                    _ => "a condition is true or false: use it as it is, or `!` before it".to_owned(),
                }
            }
            [Ty::Enum(id), _] | [_, Ty::Enum(id)] => {
                let names: Vec<&str> = self.file.enums[id].literals.iter().map(|literal| literal.text).collect();
                format!("its values are {}", super::declare::list(&names))
            }
            [Ty::Bool, _] | [Ty::Int, _] | [Ty::Error, _] => "both sides have one type".to_owned(),
        }
    }

    fn conditional(&mut self, parts: &'a [ast::Expr<'a>; 3], wanted: Option<Ty>, span: Span) -> Expr {
        let [condition, then, otherwise] = parts;
        let condition = self.state(condition, Some(Ty::Bool));
        let hint = wanted.or_else(|| self.hint(then)).or_else(|| self.hint(otherwise));
        let then = self.expr(then, hint);
        let otherwise = self.expr(otherwise, hint);
        let [then, otherwise] = [then, otherwise].map(|branch| self.single_state(branch));
        if differ(then.ty, otherwise.ty) {
            let [left, right] = [self.type_name(then.ty), self.type_name(otherwise.ty)];
            let message = format!("the branches are {left} and {right}");
            let diagnostic =
                Diagnostic::error(codes::TYPE_MISMATCH, message, otherwise.span, format!("this is {right}"));
            let diagnostic = diagnostic.with_label(then.span, format!("this is {left}"));
            self.log.push(diagnostic.with_help("both values of an `if` have one type"));
            return Expr::error(span);
        }
        let ty = if then.ty == Ty::Error { otherwise.ty } else { then.ty };
        Expr::new(Kind::If(Box::new([condition, then, otherwise])), ty, span)
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        binder: &'a ast::Binder<'a>,
        body: &'a ast::Expr<'a>,
        span: Span,
    ) -> Expr {
        let range = self.range(&binder.range);
        let (body, ty) = self.binding(binder.name.text, |checker| match quantifier {
            Quantifier::Forall | Quantifier::Exists => (checker.fitting(body, Some(Ty::Bool)), Ty::Bool),
            Quantifier::Count => (checker.state(body, Some(Ty::Bool)), Ty::Int),
            Quantifier::Sum => (checker.state(body, Some(Ty::Int)), Ty::Int),
        });
        Expr::new(Kind::Quantified(quantifier, Box::new(range), Box::new(body)), ty, span)
    }

    fn call(&mut self, name: ast::Name<'a>, arguments: &'a [ast::Expr<'a>], span: Span) -> Expr {
        let mut checked: Vec<Expr> = arguments.iter().map(|argument| self.state(argument, Some(Ty::Int))).collect();
        let wrong = match (name.text, checked.len()) {
            ("abs", 1) => return Expr::new(Kind::Abs(Box::new(checked.remove(0))), Ty::Int, span),
            ("min" | "max", 2) => {
                let sides = Box::new([checked.remove(0), checked.remove(0)]);
                let kind = if name.text == "min" { Kind::Min(sides) } else { Kind::Max(sides) };
                return Expr::new(kind, Ty::Int, span);
            }
            ("abs", n) => format!("`abs` takes 1 argument, not {n}"),
            ("min" | "max", n) => format!("`{}` takes 2 arguments, not {n}", name.text),
            _ => format!("there is no function `{}`", name.text),
        };
        let diagnostic = Diagnostic::error(codes::CALL, wrong, name.span, "cannot be called like this");
        self.log.push(diagnostic.with_help("the functions are `min(a, b)`, `max(a, b)` and `abs(a)`"));
        Expr::error(span)
    }

    /// The enumeration that an operand certainly belongs to, found without reporting anything.
    fn hint(&mut self, expr: &'a ast::Expr<'a>) -> Option<Ty> {
        if let ExprKind::If(parts) = &expr.kind {
            return self.hint(&parts[1]).or_else(|| self.hint(&parts[2]));
        }
        let ExprKind::Place(place) = &expr.kind else { return None };
        let ty = match (self.lookup(place.name.text)?, &place.member) {
            (Symbol::Const(id), None) => match self.constant(id)? {
                Constant::Literal(id, _) => Ty::Enum(id),
                Constant::Bool(_) | Constant::Int(_) => return None,
            },
            (Symbol::Define(id), None) => self.definition(id).ty,
            (Symbol::Variable(id), None) => enumeration(self.variable_shape(id)?.domain)?,
            (Symbol::Process(process), Some(member)) => {
                let (Local::Variable(id), _) = *self.processes[process].names.get(member.name.text)? else {
                    return None;
                };
                enumeration(self.variable_shape(id)?.domain)?
            }
            (Symbol::Literal, None) => match self.literals.get(place.name.text)?[..] {
                [(only, _)] => Ty::Enum(only),
                _ => return None,
            },
            _ => return None,
        };
        matches!(ty, Ty::Enum(_)).then_some(ty)
    }
}

fn enumeration(domain: Domain) -> Option<Ty> {
    match domain {
        Domain::Enum(id) => Some(Ty::Enum(id)),
        Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Bits(_) | Domain::Array(_) => None,
    }
}

/// Whether two types do not fit; an error fits everywhere.
fn differ(a: Ty, b: Ty) -> bool {
    a != b && a != Ty::Error && b != Ty::Error
}

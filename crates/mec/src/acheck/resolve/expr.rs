//! Expressions: which sort they have, and what the names in them stand for.

use lapidary_ir::tree::VarKind;
use lapidary_text::spelling::nearest;
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Expr, ExprKind, Name};
use super::super::codes;
use super::super::typed::{Combined, Set, Sort, States, Trans};
use super::{CONSTANTS, Failed, Resolved, Resolver};

/// The functions and the sorts of their arguments.
pub(super) const FUNCTIONS: [(&str, &[Sort]); 12] = {
    const S: Sort = Sort::States;
    const T: Sort = Sort::Trans;
    [
        ("src", &[T]),
        ("tgt", &[T]),
        ("rsrc", &[S]),
        ("rtgt", &[S]),
        ("reach", &[S, T]),
        ("coreach", &[S, T]),
        ("trace", &[S, T, S]),
        ("loop", &[T, T]),
        ("unav", &[T, S]),
        ("pick", &[S]),
        ("proj_s", &[S]),
        ("proj_f", &[S]),
    ]
};

pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|(known, _)| *known == name)
}

impl Resolver<'_> {
    pub(super) fn set(&mut self, expr: &Expr) -> Resolved<Set> {
        match &expr.kind {
            ExprKind::Name(name) => self.named(name, expr.span),
            ExprKind::Formula(span) => match self.models.formula(self.tree, *span) {
                Ok(formula) => Ok(Set::States(States::Formula(formula))),
                Err(diagnostics) => {
                    self.log.extend(diagnostics);
                    Err(Failed)
                }
            },
            ExprKind::Label(path) => self.label(path).map(|events| Set::Trans(Trans::Label(events))),
            ExprKind::Attribute(name) => self.attribute(name).map(|events| Set::Trans(Trans::Label(events))),
            ExprKind::Call(name, arguments) => self.call(name, arguments),
            ExprKind::Not(inner) => Ok(match self.set(inner)? {
                Set::States(inner) => Set::States(States::Combined(Combined::Not(Box::new(inner)))),
                Set::Trans(inner) => Set::Trans(Trans::Combined(Combined::Not(Box::new(inner)))),
            }),
            ExprKind::And(parts) => self.and(parts),
            ExprKind::Chain(first, rest) => self.chain(first, rest),
        }
    }

    fn and(&mut self, parts: &[Expr]) -> Resolved<Set> {
        Ok(match self.set(&parts[0])? {
            Set::States(first) => {
                let rest = self.all(&parts[1..], Self::states)?;
                let parts = std::iter::once(first).chain(rest).collect();
                Set::States(States::Combined(Combined::And(parts)))
            }
            Set::Trans(first) => {
                let rest = self.all(&parts[1..], Self::trans)?;
                let parts = std::iter::once(first).chain(rest).collect();
                Set::Trans(Trans::Combined(Combined::And(parts)))
            }
        })
    }

    fn chain(&mut self, first: &Expr, rest: &[(super::super::ast::Link, Expr)]) -> Resolved<Set> {
        let links = rest.iter().map(|&(link, _)| link);
        let rest: Vec<&Expr> = rest.iter().map(|(_, expr)| expr).collect();
        Ok(match self.set(first)? {
            Set::States(first) => {
                let rest = links.zip(self.all(rest, Self::states)?).collect();
                Set::States(States::Combined(Combined::Chain(Box::new(first), rest)))
            }
            Set::Trans(first) => {
                let rest = links.zip(self.all(rest, Self::trans)?).collect();
                Set::Trans(Trans::Combined(Combined::Chain(Box::new(first), rest)))
            }
        })
    }

    /// Resolves every one, even after a wrong one.
    fn all<'e, T>(
        &mut self,
        parts: impl IntoIterator<Item = &'e Expr>,
        resolve: impl Fn(&mut Self, &Expr) -> Resolved<T>,
    ) -> Resolved<Vec<T>> {
        let found: Vec<Resolved<T>> = parts.into_iter().map(|part| resolve(self, part)).collect();
        found.into_iter().collect()
    }

    pub(super) fn states(&mut self, expr: &Expr) -> Resolved<States> {
        match self.set(expr)? {
            Set::States(states) => Ok(states),
            Set::Trans(_) => Err(self.wrong_sort(expr.span, Sort::States, Sort::Trans)),
        }
    }

    pub(super) fn trans(&mut self, expr: &Expr) -> Resolved<Trans> {
        match self.set(expr)? {
            Set::Trans(trans) => Ok(trans),
            Set::States(_) => Err(self.wrong_sort(expr.span, Sort::Trans, Sort::States)),
        }
    }

    fn wrong_sort(&mut self, span: Span, needed: Sort, found: Sort) -> Failed {
        let message = format!("this is {}, but {} is needed", found.words(), needed.words());
        let help = match needed {
            Sort::States => "`src(T)` and `tgt(T)` are the states at the ends of transitions",
            Sort::Trans => "`rsrc(S)` and `rtgt(S)` are the transitions from and into states",
        };
        self.log.push(Diagnostic::error(codes::SORT, message, span, found.words()).with_help(help));
        Failed
    }

    fn named(&mut self, name: &str, span: Span) -> Resolved<Set> {
        if let Some(constant) = constant(name) {
            return Ok(constant);
        }
        let assumed = self.assumed.filter(|(assumed, _)| *assumed == name).map(|(_, sort)| sort);
        match assumed.or_else(|| self.scope.sort(name)) {
            Some(Sort::States) => Ok(Set::States(States::Named(name.to_owned()))),
            Some(Sort::Trans) => Ok(Set::Trans(Trans::Named(name.to_owned()))),
            None => Err(self.unknown_name(name, span)),
        }
    }

    pub(super) fn unknown_name(&mut self, name: &str, span: Span) -> Failed {
        let message = format!("`{name}` is not defined");
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message, span, "no set of this name");
        let known = self.scope.names.iter().map(String::as_str).chain(CONSTANTS.iter().map(|(known, _)| *known));
        let alike = known.clone().filter(|known| known.eq_ignore_ascii_case(name)).collect::<Vec<_>>();
        if let [similar, ..] = alike[..] {
            diagnostic = diagnostic.with_help(format!("there is `{similar}`"));
        } else if is_function(name) {
            diagnostic = diagnostic.with_help(format!("`{name}` is a function: give it its arguments"));
        } else if self.tree.vars.iter().any(|var| var.name == name) {
            diagnostic = diagnostic.with_help(format!("a formula over variables stands between brackets: `[{name}]`"));
        } else if self.defined == Some(name) {
            diagnostic =
                diagnostic.with_help("a set that is defined by itself has `+=` or `-=`: the least or the greatest");
        } else if let Some(near) = nearest(name, known) {
            diagnostic = diagnostic.with_help(format!("did you mean `{near}`?"));
        }
        self.log.push(diagnostic);
        Failed
    }

    fn call(&mut self, name: &Name, arguments: &[Expr]) -> Resolved<Set> {
        let Some((_, sorts)) = FUNCTIONS.iter().find(|(known, _)| *known == name.text) else {
            let message = format!("there is no function `{}`", name.text);
            let names: Vec<&str> = FUNCTIONS.iter().map(|(known, _)| *known).collect();
            let help = format!("the functions are {}", names.join(", "));
            self.log.push(Diagnostic::error(codes::UNKNOWN_NAME, message, name.span, "unknown").with_help(help));
            return Err(Failed);
        };
        if sorts.len() != arguments.len() {
            let message = format!("`{}` takes {} arguments, not {}", name.text, sorts.len(), arguments.len());
            let words: Vec<&str> = sorts.iter().map(|sort| sort.words()).collect();
            let diagnostic = Diagnostic::error(codes::ARGUMENTS, message, name.span, "here");
            self.log.push(diagnostic.with_help(format!("it takes {}", words.join(", "))));
            return Err(Failed);
        }
        let mut found = Vec::new();
        let mut is_wrong = false;
        for (sort, argument) in sorts.iter().zip(arguments) {
            let resolved = match sort {
                Sort::States => self.states(argument).map(Set::States),
                Sort::Trans => self.trans(argument).map(Set::Trans),
            };
            match resolved {
                Ok(argument) => found.push(argument),
                Err(Failed) => is_wrong = true,
            }
        }
        if is_wrong { Err(Failed) } else { Ok(applied(&name.text, Arguments(found.into_iter()))) }
    }

    pub(super) fn unsupported(&mut self, span: Span, what: &str) -> Failed {
        let message = format!("the meaning of `{what}` is not known");
        let diagnostic = Diagnostic::error(codes::UNSUPPORTED, message, span, "not supported");
        self.log.push(diagnostic.with_help("no answer is better than a wrong one: rewrite it with other operators"));
        Failed
    }
}

fn constant(name: &str) -> Option<Set> {
    Some(match name {
        "any_s" => Set::States(States::Any),
        "empty_s" => Set::States(States::Empty),
        "initial" => Set::States(States::Initial),
        "any_t" => Set::Trans(Trans::Any),
        "empty_t" => Set::Trans(Trans::Empty),
        "self" => Set::Trans(Trans::Loops),
        "self_epsilon" => Set::Trans(Trans::EpsilonLoops),
        "epsilon" => Set::Trans(Trans::Epsilon),
        "not_deterministic" => Set::Trans(Trans::Ambiguous),
        _ => return None,
    })
}

/// The arguments of a call, already of the sorts that the table says.
struct Arguments(std::vec::IntoIter<Set>);

impl Arguments {
    fn states(&mut self) -> Box<States> {
        match self.0.next() {
            Some(Set::States(states)) => Box::new(states),
            Some(Set::Trans(_)) | None => unreachable!("arguments have the sorts of the table"),
        }
    }

    fn trans(&mut self) -> Box<Trans> {
        match self.0.next() {
            Some(Set::Trans(trans)) => Box::new(trans),
            Some(Set::States(_)) | None => unreachable!("arguments have the sorts of the table"),
        }
    }
}

fn applied(name: &str, mut arguments: Arguments) -> Set {
    let a = &mut arguments;
    match name {
        "src" => Set::States(States::Sources(a.trans())),
        "tgt" => Set::States(States::Targets(a.trans())),
        "reach" => Set::States(States::Reach(a.states(), a.trans())),
        "coreach" => Set::States(States::Coreach(a.states(), a.trans())),
        "unav" => Set::States(States::Unavoidable(a.trans(), a.states())),
        "pick" => Set::States(States::Pick(a.states())),
        "proj_s" => Set::States(States::Alike(VarKind::State, a.states())),
        "proj_f" => Set::States(States::Alike(VarKind::Flow, a.states())),
        "rsrc" => Set::Trans(Trans::From(a.states())),
        "rtgt" => Set::Trans(Trans::Into(a.states())),
        "trace" => Set::Trans(Trans::Trace(a.states(), a.trans(), a.states())),
        "loop" => Set::Trans(Trans::Cycles(a.trans(), a.trans())),
        _ => unreachable!("all functions of the table are above"),
    }
}

//! Commands: which one it is, and whether its arguments are what it needs.

use lapidary_ir::ComponentId;
use lapidary_ir::tree::ROOT;
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{self, Argument, ArgumentKind, Expr, ExprKind};
use super::super::codes;
use super::super::typed::{Command, CommandKind, Guards, Projection, Set, Sort, States, Trans};
use super::{Failed, Resolved, Resolver};

pub(super) const COMMANDS: [&str; 9] =
    ["show", "test", "dot", "dot-trace", "modes", "quot", "project", "remove", "events"];

/// Commands of ARC that exist but whose results are not known well enough.
const UNKNOWN: [&str; 9] = ["gml", "wts", "validate", "display", "ctl2mu", "ctlspec", "nrtest", "ltl", "mec"];

impl Resolver<'_> {
    pub(super) fn command(&mut self, command: &ast::Command) -> Resolved<Command> {
        let name = &command.name;
        let arguments = &command.arguments[..];
        let kind = match (name.text.as_str(), arguments) {
            ("show", [_, ..]) => self.show(arguments)?,
            ("test", [_] | [_, _]) => self.test(arguments)?,
            ("dot", [states, trans]) => {
                let (states, trans) = (self.states_argument(states), self.trans_argument(trans));
                CommandKind::Dot(states?, trans?)
            }
            ("dot-trace", [from, trans, to]) => {
                let (from, trans) = (self.states_argument(from), self.trans_argument(trans));
                let to = self.states_argument(to);
                CommandKind::DotTrace(from?, trans?, to?)
            }
            ("modes", []) => CommandKind::Modes,
            ("quot", []) => CommandKind::Quotient,
            ("events", []) => CommandKind::Events,
            ("remove", [_, ..]) => self.remove(arguments)?,
            ("project", [states, pair, name, guards, rest @ ..]) if rest.len() <= 1 => {
                CommandKind::Project(self.project(states, pair, name, guards, rest.first())?)
            }
            (known, _) if COMMANDS.contains(&known) => return Err(self.wrong_arguments(name.span, known)),
            (known, _) if UNKNOWN.contains(&known) => return Err(self.unsupported(name.span, known)),
            (unknown, _) => {
                let message = format!("there is no command `{unknown}`");
                let help = format!("the commands are {}", COMMANDS.join(", "));
                let diagnostic = Diagnostic::error(codes::UNKNOWN_COMMAND, message, name.span, "unknown");
                self.log.push(diagnostic.with_help(help));
                return Err(Failed);
            }
        };
        Ok(Command { kind, redirection: command.redirection.clone(), span: command.span })
    }

    fn wrong_arguments(&mut self, span: Span, command: &str) -> Failed {
        let usage = match command {
            "show" => "`show(P1, P2)` or `show(all)`",
            "test" => "`test(P)` or `test(P, 3)`",
            "dot" => "`dot(S, T)`",
            "dot-trace" => "`dot-trace(S1, T, S2)`",
            "project" => "`project(S, (T1, T2), 'Name', true)` or `project(S, (T1, T2), 'Name', true, subnode)`",
            "remove" => "`remove(P)`",
            _ => "no arguments at all",
        };
        let message = format!("these are not the arguments of `{command}`");
        self.log.push(Diagnostic::error(codes::ARGUMENTS, message, span, "here").with_help(format!("write {usage}")));
        Failed
    }

    fn show(&mut self, arguments: &[Argument]) -> Resolved<CommandKind> {
        let all = |argument: &Argument| matches!(&argument.kind, ArgumentKind::Expr(Expr { kind: ExprKind::Name(name), .. }) if name == "all");
        let mut shown = Vec::new();
        let mut is_wrong = false;
        for argument in arguments {
            if all(argument) && self.scope.sort("all").is_none() {
                shown.extend(self.everything());
                continue;
            }
            match self.set_argument(argument) {
                Ok(set) => shown.push((self.words(argument.span), set)),
                Err(Failed) => is_wrong = true,
            }
        }
        if is_wrong { Err(Failed) } else { Ok(CommandKind::Show(shown)) }
    }

    /// `any_s`, `any_t` and all that was defined.
    fn everything(&self) -> Vec<(String, Set)> {
        let mut all =
            vec![("any_s".to_owned(), Set::States(States::Any)), ("any_t".to_owned(), Set::Trans(Trans::Any))];
        for name in &self.scope.names {
            all.push((
                name.clone(),
                match self.scope.sort(name) {
                    Some(Sort::Trans) => Set::Trans(Trans::Named(name.clone())),
                    Some(Sort::States) | None => Set::States(States::Named(name.clone())),
                },
            ));
        }
        all
    }

    /// An expression as it was written, on one line.
    fn words(&self, span: Span) -> String {
        self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn test(&mut self, arguments: &[Argument]) -> Resolved<CommandKind> {
        let expected = match arguments.get(1) {
            None => 0,
            Some(Argument { kind: ArgumentKind::Number(expected), .. }) => *expected,
            Some(other) => return Err(self.wrong_arguments(other.span, "test")),
        };
        let set = self.set_argument(&arguments[0])?;
        Ok(CommandKind::Test { words: self.words(arguments[0].span), set, expected })
    }

    fn remove(&mut self, arguments: &[Argument]) -> Resolved<CommandKind> {
        let mut names = Vec::new();
        for argument in arguments {
            match &argument.kind {
                ArgumentKind::Expr(Expr { kind: ExprKind::Name(name), span }) => match self.scope.sort(name) {
                    Some(_) => names.push(name.clone()),
                    None => return Err(self.unknown_name(name, *span)),
                },
                _ => return Err(self.wrong_arguments(argument.span, "remove")),
            }
        }
        Ok(CommandKind::Remove(names))
    }

    fn project(
        &mut self,
        states: &Argument,
        pair: &Argument,
        name: &Argument,
        guards: &Argument,
        subnode: Option<&Argument>,
    ) -> Resolved<Projection> {
        let ArgumentKind::Tuple(parts) = &pair.kind else { return Err(self.wrong_arguments(pair.span, "project")) };
        let [existential, universal] = &parts[..] else { return Err(self.wrong_arguments(pair.span, "project")) };
        let name = match &name.kind {
            ArgumentKind::Text(text) => text.clone(),
            ArgumentKind::Expr(Expr { kind: ExprKind::Name(text), .. }) => text.clone(),
            _ => return Err(self.wrong_arguments(name.span, "project")),
        };
        let guards = match &guards.kind {
            ArgumentKind::Expr(Expr { kind: ExprKind::Name(word), .. }) if word == "true" => Guards::Simplified,
            ArgumentKind::Expr(Expr { kind: ExprKind::Name(word), .. }) if word == "false" => Guards::Listed,
            _ => return Err(self.wrong_arguments(guards.span, "project")),
        };
        let states = self.states_argument(states);
        let (existential, universal) = (self.trans(existential), self.trans(universal));
        let component = subnode.map_or(Ok(ROOT), |subnode| self.subnode(subnode));
        Ok(Projection {
            states: states?,
            existential: existential?,
            universal: universal?,
            name,
            guards,
            component: component?,
        })
    }

    fn subnode(&mut self, argument: &Argument) -> Resolved<ComponentId> {
        let path = match &argument.kind {
            ArgumentKind::Path(path) | ArgumentKind::Text(path) => path,
            ArgumentKind::Expr(Expr { kind: ExprKind::Name(name), .. }) => name,
            _ => return Err(self.wrong_arguments(argument.span, "project")),
        };
        if let Some(component) = self.tree.component(path) {
            return Ok(component);
        }
        let message = format!("`{}` has no subnode `{path}`", self.tree.name);
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_SUBNODE, message, argument.span, "unknown subnode");
        let paths: Vec<&str> = self.tree.components.iter().skip(1).take(6).map(|sub| sub.path.as_str()).collect();
        if !paths.is_empty() {
            diagnostic = diagnostic.with_help(format!("there is `{}`", paths.join("`, `")));
        }
        self.log.push(diagnostic);
        Err(Failed)
    }

    fn set_argument(&mut self, argument: &Argument) -> Resolved<Set> {
        match &argument.kind {
            ArgumentKind::Expr(expr) => self.set(expr),
            ArgumentKind::Tuple(_) | ArgumentKind::Text(_) | ArgumentKind::Number(_) | ArgumentKind::Path(_) => {
                self.log.push(Diagnostic::error(codes::ARGUMENTS, "a set is needed here", argument.span, "no set"));
                Err(Failed)
            }
        }
    }

    fn states_argument(&mut self, argument: &Argument) -> Resolved<States> {
        match &argument.kind {
            ArgumentKind::Expr(expr) => self.states(expr),
            _ => self.set_argument(argument).and(Err(Failed)),
        }
    }

    fn trans_argument(&mut self, argument: &Argument) -> Resolved<Trans> {
        match &argument.kind {
            ArgumentKind::Expr(expr) => self.trans(expr),
            _ => self.set_argument(argument).and(Err(Failed)),
        }
    }
}

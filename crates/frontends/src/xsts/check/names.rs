//! What a name means where it stands, and what was perhaps meant by a name that means nothing.

use lapidary_text::{Diagnostic, Span};

use super::super::ast::Name;
use super::super::codes;
use super::super::typed::{Expr, Kind, Role, SymbolId, Ty};
use super::Checker;

impl<'a> Checker<'a, '_> {
    pub(super) fn symbol(&self, name: &str) -> Option<SymbolId> {
        self.scope.get(name).and_then(|meanings| meanings.last()).copied()
    }

    /// A variable, or a literal. `wanted` is the type of the other side, which tells literals of one name apart.
    pub(super) fn named(&mut self, name: Name<'a>, wanted: Option<Ty>) -> Expr {
        let Name { text, span } = name;
        if let Some(id) = self.symbol(text) {
            return Expr { kind: Kind::Read(id), ty: self.symbols[id].ty, span };
        }
        if let Some(&(of, number)) = self.full_literals.get(text) {
            return Expr { kind: Kind::Literal(of, number), ty: Ty::Enum(of), span };
        }
        let candidates = self.literals.get(text).map_or(&[][..], |candidates| candidates);
        let decided = match wanted {
            Some(Ty::Enum(wanted)) => candidates.iter().find(|(of, _)| *of == wanted),
            Some(Ty::Error | Ty::Bool | Ty::Int | Ty::Array(_)) | None => None,
        };
        match decided.or(if candidates.len() == 1 { candidates.first() } else { None }) {
            Some(&(of, number)) => Expr { kind: Kind::Literal(of, number), ty: Ty::Enum(of), span },
            None if candidates.is_empty() => self.unknown(name),
            // What is wrong with the other side was told.
            None if wanted == Some(Ty::Error) => error(span),
            None => self.ambiguous(name),
        }
    }

    /// Whether this is a literal that only its surroundings tell apart from others.
    pub(super) fn is_open(&self, text: &str) -> bool {
        self.symbol(text).is_none() && self.literals.get(text).is_some_and(|candidates| candidates.len() > 1)
    }

    fn ambiguous(&mut self, name: Name<'a>) -> Expr {
        let candidates = self.literals.get(name.text).map_or(&[][..], |candidates| candidates);
        let types: Vec<&str> = candidates.iter().take(4).map(|(of, _)| self.enums[*of].name.as_str()).collect();
        let message = format!("`{}` is a literal of several types", name.text);
        let label = format!("nothing here decides between {}", types.join(" and "));
        let help = format!("write its full name: `{}.{}`", types.first().unwrap_or(&""), name.text);
        let diagnostic = Diagnostic::error(codes::AMBIGUOUS_LITERAL, message, name.span, label);
        self.log.push(diagnostic.with_help(help));
        error(name.span)
    }

    /// Reports a name that is not declared, once per name.
    pub(super) fn unknown(&mut self, name: Name<'a>) -> Expr {
        if self.unknown.insert(name.text) {
            let message = format!("`{}` is not declared", name.text);
            let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message, name.span, "unknown name");
            if let Some(help) = self.help_with(name.text) {
                diagnostic = diagnostic.with_help(help);
            }
            self.log.push(diagnostic);
        }
        error(name.span)
    }

    fn help_with(&mut self, name: &str) -> Option<String> {
        match name {
            "and" => return Some("write `&&`".to_owned()),
            "or" => return Some("write `||`".to_owned()),
            "not" => return Some("write `!`".to_owned()),
            "mod" => return Some("write `%`".to_owned()),
            _ => {}
        }
        if let Some((of, literal)) = name.rsplit_once('.')
            && let Some((id, _)) = self.types.get(of).copied()
        {
            let literals: Vec<&str> = self.enums[id].literals.iter().map(String::as_str).collect();
            let near = self.suggestions.similar(literal, literals.iter().copied());
            return Some(match near {
                Some(near) => format!("did you mean `{of}.{near}`?"),
                None => format!("the literals of {of} are {}", literals[..literals.len().min(8)].join(", ")),
            });
        }
        let similar = {
            let in_scope = self.scope.iter().filter(|(_, meanings)| !meanings.is_empty()).map(|(name, _)| *name);
            let mut names: Vec<&str> = in_scope.chain(self.literals.keys().copied()).collect();
            names.sort_unstable();
            self.suggestions.similar(name, names).map(str::to_owned)
        };
        let near = similar.or_else(|| self.begins_alike(name).map(str::to_owned));
        near.map(|near| format!("did you mean `{near}`?"))
    }

    /// The name with the longest beginning in common, if that is half of what was written: tools give names long endings.
    fn begins_alike(&self, name: &str) -> Option<&'a str> {
        let common = |other: &str| name.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let in_scope = self.scope.iter().filter(|(_, meanings)| !meanings.is_empty()).map(|(name, _)| *name);
        let mut names: Vec<&str> = in_scope.filter(|other| common(other) >= (name.len() / 2).max(4)).collect();
        names.sort_unstable();
        names.into_iter().rev().max_by_key(|other| common(other))
    }

    /// What is written; loops and literals are not.
    pub(super) fn destination(&mut self, name: Name<'a>) -> Option<SymbolId> {
        let Some(id) = self.symbol(name.text) else {
            match self.literals.contains_key(name.text) || self.full_literals.contains_key(name.text) {
                true => self.not_assignable(name, "it is a literal", "only variables can be written"),
                false => drop(self.unknown(name)),
            }
            return None;
        };
        match self.symbols[id].is {
            Role::Global | Role::Control | Role::Local => Some(id),
            Role::Counter => {
                self.not_assignable(name, "a loop counts with it", "copy it to a variable of its own");
                None
            }
        }
    }

    fn not_assignable(&mut self, name: Name<'a>, why: &str, help: &str) {
        let message = format!("`{}` cannot be written", name.text);
        self.log.push(Diagnostic::error(codes::NOT_ASSIGNABLE, message, name.span, why).with_help(help));
    }

    pub(super) fn type_name(&self, ty: Ty) -> String {
        match ty {
            Ty::Error => "an error".to_owned(),
            Ty::Bool => "boolean".to_owned(),
            Ty::Int => "integer".to_owned(),
            Ty::Enum(id) => self.enums[id].name.clone(),
            Ty::Array(id) => {
                let array = self.arrays[id];
                format!("[{}] -> {}", self.type_name(array.index), self.type_name(array.element))
            }
        }
    }
}

/// What stands for something that was reported.
pub(super) fn error(span: Span) -> Expr {
    Expr { kind: Kind::Error, ty: Ty::Error, span }
}

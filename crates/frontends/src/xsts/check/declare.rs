//! Types and variables.

use lapidary_base::hash::Map;
use lapidary_ir::EnumType;
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{self, Name, Type, TypeItem, TypeKind, VarItem};
use super::super::codes;
use super::super::typed::{Array, Expr, Role, Symbol, SymbolId, Ty};
use super::Checker;

impl<'a> Checker<'a, '_> {
    pub(super) fn enumeration(&mut self, item: &'a TypeItem<'a>) {
        if let Some((_, first)) = self.types.get(item.name.text) {
            return self.duplicate(item.name, *first);
        }
        let mut literals: Vec<String> = Vec::new();
        let mut seen: Map<&str, Span> = Map::default();
        let id = self.enums.next_id();
        for literal in &item.literals {
            if let Some(&first) = seen.get(literal.text) {
                self.duplicate_literal(*literal, first);
                continue;
            }
            seen.insert(literal.text, literal.span);
            let number = literals.len() as u32;
            literals.push(literal.text.to_owned());
            self.literals.entry(literal.text).or_default().push((id, number));
            self.full_literals.insert(format!("{}.{}", item.name.text, literal.text), (id, number));
        }
        self.types.insert(item.name.text, (id, item.name.span));
        self.enums.push(EnumType { name: item.name.text.to_owned(), literals });
    }

    fn duplicate_literal(&mut self, literal: Name<'a>, first: Span) {
        let message = format!("the literal `{}` stands twice in this type", literal.text);
        let diagnostic = Diagnostic::error(codes::DUPLICATE_LITERAL, message, literal.span, "the second one");
        self.log.push(diagnostic.with_label(first, "the first one").with_help("leave one of them out"));
    }

    pub(super) fn global(&mut self, item: &'a VarItem<'a>) -> SymbolId {
        let role = if item.control { Role::Control } else { Role::Global };
        let ty = self.ty(&item.ty);
        let id = self.declare(item.name, ty, role);
        let meanings = self.scope.entry(item.name.text).or_default();
        let first = meanings.first().copied();
        match first {
            Some(first) => self.duplicate(item.name, self.symbols[first].span),
            None => meanings.push(id),
        }
        id
    }

    /// A variable under its name, which is not yet in scope.
    pub(super) fn declare(&mut self, name: Name<'a>, ty: Ty, is: Role) -> SymbolId {
        let is_reserved = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if name.text.strip_prefix("temp").is_some_and(is_reserved) {
            let message = format!("the name `{}` is reserved", name.text);
            let diagnostic = Diagnostic::error(codes::RESERVED_NAME, message, name.span, "no name for a variable");
            self.log
                .push(diagnostic.with_help("`temp` with a number is for variables of the tools; choose another name"));
        }
        if let Some(of) = self.literals.get(name.text).and_then(|types| types.first()).map(|(id, _)| *id) {
            let message = format!("the variable `{}` has the name of a literal", name.text);
            let label = format!("a literal of {}", self.enums[of].name);
            let diagnostic = Diagnostic::error(codes::NAME_OF_LITERAL, message, name.span, label);
            self.log.push(diagnostic.with_help("rename one of them"));
        }
        self.symbols.push(Symbol { name: name.text, ty, is, span: name.span })
    }

    pub(super) fn initial(&mut self, id: SymbolId, item: &'a VarItem<'a>) -> Option<Expr> {
        let ty = self.symbols[id].ty;
        item.initial.as_ref().map(|value| self.value(value, ty, "the variable"))
    }

    pub(super) fn ty(&mut self, ty: &'a Type<'a>) -> Ty {
        match &ty.kind {
            TypeKind::Bool => Ty::Bool,
            TypeKind::Int => Ty::Int,
            TypeKind::Array(parts) => {
                let [index, element] = &**parts;
                let array = Array { index: self.ty(index), element: self.ty(element) };
                self.array_ty(array)
            }
            TypeKind::Named(name) => match self.types.get(name) {
                Some((id, _)) => Ty::Enum(*id),
                None => self.unknown_type(ast::Name { text: name, span: ty.span }),
            },
        }
    }

    fn unknown_type(&mut self, name: Name<'a>) -> Ty {
        let message = format!("the type `{}` is not declared", name.text);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_TYPE, message, name.span, "unknown type");
        let known: Vec<&str> = self.enums.iter().map(|of| of.name.as_str()).chain(["boolean", "integer"]).collect();
        let help = match name.text {
            "bool" | "Boolean" => Some("write `boolean`".to_owned()),
            "int" | "Integer" => Some("write `integer`".to_owned()),
            other => self.suggestions.similar(other, known).map(|similar| format!("did you mean `{similar}`?")),
        };
        let help =
            help.unwrap_or_else(|| "types are `boolean`, `integer`, arrays and those declared with `type`".to_owned());
        self.log.push(diagnostic.with_help(help));
        Ty::Error
    }
}

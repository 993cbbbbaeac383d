//! Types: ranges and array sizes with their values, named types looked up.

use lapidary_ir::Domain;
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{self, BaseType};
use super::super::codes;
use super::super::limits::{MAX_CELLS, MAX_DIMENSIONS, MAX_INSTANCES};
use super::super::typed::{Constant, Param, Progress, Range, Ty, VariableId};
use super::names::Symbol;
use super::{Checker, Scope, Shape, TypeId};

impl<'a> Checker<'a, '_> {
    /// The shape of a declared type; `None` where it was reported.
    pub(super) fn named_shape(&mut self, id: TypeId) -> Option<Shape> {
        let item = self.types[id].item;
        match &self.types[id].shape {
            Progress::Done(shape) => return shape.clone(),
            Progress::Running => {
                self.cycle(item.name);
                return None;
            }
            Progress::Untouched => self.types[id].shape = Progress::Running,
        }
        let shape = self.running_shape(item.name, &item.ty);
        self.types[id].shape = Progress::Done(shape.clone());
        shape
    }

    pub(super) fn variable_shape(&mut self, id: VariableId) -> Option<Shape> {
        let (name, item) = (self.variables[id].name, self.variables[id].item);
        match &self.variables[id].shape {
            Progress::Done(shape) => return shape.clone(),
            Progress::Running => {
                self.cycle(name);
                return None;
            }
            Progress::Untouched => self.variables[id].shape = Progress::Running,
        }
        let shape = self.running_shape(name, &item.ty);
        self.variables[id].shape = Progress::Done(shape.clone());
        shape
    }

    fn running_shape(&mut self, name: ast::Name<'a>, ty: &'a ast::Type<'a>) -> Option<Shape> {
        self.running.push(name);
        let scope = Scope { constant_for: Some("a type"), ..Scope::default() };
        let shape = self.within(scope, |checker| checker.nested_shape(ty));
        self.running.pop();
        shape
    }

    /// Types refer to types in chains of any length, so these count as nesting too.
    fn nested_shape(&mut self, ty: &'a ast::Type<'a>) -> Option<Shape> {
        if self.is_too_deep(ty.span) {
            return None;
        }
        self.depth += 1;
        let shape = self.shape(ty);
        self.depth -= 1;
        shape
    }

    fn shape(&mut self, ty: &'a ast::Type<'a>) -> Option<Shape> {
        let base = self.base_shape(&ty.base);
        let mut sizes = Vec::new();
        for size in &ty.sizes {
            sizes.push(self.size(size));
        }
        let mut sizes = sizes.into_iter().collect::<Option<Vec<u32>>>()?;
        let base = base?;
        // The type of the cells may be an array itself: its sizes are the inner ones.
        sizes.extend(base.sizes);
        if sizes.len() > MAX_DIMENSIONS {
            let message = format!("an array with more than {MAX_DIMENSIONS} dimensions");
            self.error(codes::TOO_LARGE, message, (ty.span, "too many dimensions"), "use fewer dimensions");
            return None;
        }
        Some(Shape { domain: base.domain, sizes })
    }

    fn base_shape(&mut self, base: &'a BaseType<'a>) -> Option<Shape> {
        let scalar = |domain| Some(Shape { domain, sizes: Vec::new() });
        match base {
            BaseType::Error => None,
            BaseType::Bool => scalar(Domain::Bool),
            BaseType::Int => scalar(Domain::Int),
            BaseType::Enum(id) => scalar(Domain::Enum(*id)),
            BaseType::Range(range) => {
                let (lo, hi) = self.bounds(range)?;
                scalar(Domain::Range { lo, hi })
            }
            BaseType::Named(name) => match self.lookup(name.text) {
                Some(Symbol::Type(id)) => self.named_shape(id),
                Some(_) => {
                    self.wrong_kind(*name, "not a type", "a range has two bounds: `0..3`");
                    None
                }
                None => {
                    self.unknown_type(*name);
                    None
                }
            },
        }
    }

    fn unknown_type(&mut self, name: ast::Name<'a>) {
        if self.is_broken || !self.unknown.insert(name.text) {
            return;
        }
        let message = format!("the type `{}` is not declared", name.text);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message, name.span, "unknown type");
        let names = self.types.iter().map(|entry| entry.item.name.text).chain(["bool", "int"]);
        let help = match self.suggestions.similar(name.text, names) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "types are `bool`, `int`, `0..3`, `{ red, green }`, and those declared with `type`".to_owned(),
        };
        self.log.push(diagnostic.with_help(help));
    }

    /// The bounds of a type, which has at least one value.
    fn bounds(&mut self, range: &'a ast::Range<'a>) -> Option<(i64, i64)> {
        let (lo, hi) = (self.constant_int(&range.lo), self.constant_int(&range.hi));
        let (lo, hi) = (lo?, hi?);
        if lo > hi {
            let message = format!("the range {lo}..{hi} has no values");
            let span = range.lo.span.to(range.hi.span);
            self.error(
                codes::EMPTY_RANGE,
                message,
                (span, "the lower bound is larger than the upper one"),
                "the smaller bound comes first",
            );
            return None;
        }
        Some((lo, hi))
    }

    fn constant_int(&mut self, expr: &'a ast::Expr<'a>) -> Option<i64> {
        let expr = self.state(expr, Some(Ty::Int));
        match self.evaluate(&expr)? {
            Constant::Int(value) => Some(value),
            Constant::Bool(_) | Constant::Literal(..) => None,
        }
    }

    fn size(&mut self, expr: &'a ast::Expr<'a>) -> Option<u32> {
        let size = self.constant_int(expr)?;
        if size < 1 {
            let message = format!("an array of {size} cells");
            self.error(codes::ARRAY_SIZE, message, (expr.span, "at least one is needed"), "use a larger number");
            return None;
        }
        if u64::try_from(size).is_ok_and(|size| size > MAX_CELLS) {
            let message = format!("an array of {size} cells; a model may have {MAX_CELLS}");
            self.error(codes::TOO_LARGE, message, (expr.span, "too many cells"), "make the array smaller");
            return None;
        }
        u32::try_from(size).ok()
    }

    /// The values of a parameter.
    pub(super) fn parameter(&mut self, param: &'a ast::Param<'a>) -> Option<Param> {
        let shape = self.running_shape(param.name, &param.ty)?;
        let Domain::Range { lo, hi } = shape.domain else {
            self.parameter_type(param.ty.span);
            return None;
        };
        if !shape.sizes.is_empty() {
            self.parameter_type(param.ty.span);
            return None;
        }
        let len = hi.abs_diff(lo).saturating_add(1);
        match u32::try_from(len) {
            Ok(small) if len <= MAX_INSTANCES => Some(Param { lo, len: small }),
            _ => {
                let message = format!("{len} instances of a process; a model may have {MAX_INSTANCES}");
                self.error(codes::TOO_LARGE, message, (param.ty.span, "too many values"), "make the range smaller");
                None
            }
        }
    }

    fn parameter_type(&mut self, span: Span) {
        let message = "a parameter ranges over integers";
        let diagnostic = Diagnostic::error(codes::PARAMETER_TYPE, message, span, "not a range of integers");
        self.log.push(diagnostic.with_help("write `i : 0..N-1`; there is one instance per value"));
    }

    /// The bounds of a quantifier or a command, which may use parameters and names bound further out.
    pub(super) fn range(&mut self, range: &'a ast::Range<'a>) -> Range {
        let outer = self.scope.constant_for.replace("a bound");
        let lo = self.state(&range.lo, Some(Ty::Int));
        let hi = self.state(&range.hi, Some(Ty::Int));
        self.scope.constant_for = outer;
        Range { lo, hi }
    }
}

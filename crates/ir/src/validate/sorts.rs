//! The sorts of expressions that nothing is known about yet: every id and every part is looked at before it is used.

use lapidary_base::hash::Map;
use lapidary_base::{Control, Id, Meter, Stop};

use crate::expr::{Expr, Node};
use crate::function::{Function, MAX_WIDTH};
use crate::model::{Declarations, FamilyId, Raw, VarId};
use crate::operator::{Arity, Gives, Operands, Row};
use crate::print;
use crate::types::{ArrayId, ArrayType, EnumId, Sort};

pub(super) struct Sorts<'m> {
    model: &'m Declarations,
    n_exprs: usize,
    /// What is known so far; `None` for an expression whose sort cannot be told, which was reported.
    known: Map<Expr, Option<Sort>>,
    meter: Meter<'m>,
    /// The limit that was reached: then no sort is told any more, and no problem either.
    pub stop: Option<Stop>,
}

/// What it takes to look at an expression, in pieces of a [`Meter`].
const PIECES_PER_NODE: u64 = 8;

impl<'m> Sorts<'m> {
    pub fn new(model: &'m Declarations, control: &'m Control) -> Self {
        let meter = Meter::new(control);
        Self { model, n_exprs: model.exprs.len(), known: Map::default(), meter, stop: None }
    }

    /// The sort of an expression; what is wrong with the parts that were not visited before goes to `problems`.
    pub fn of(&mut self, root: Expr, problems: &mut Vec<String>) -> Option<Sort> {
        if root.index() >= self.n_exprs {
            problems.push(format!("there is no expression number {}", root.0));
            return None;
        }
        let mut stack = vec![root];
        while let Some(&expr) = stack.last().filter(|_| self.stop.is_none()) {
            self.stop = self.meter.add(PIECES_PER_NODE).err();
            let waiting = stack.len();
            let sound = self.known.contains_key(&expr) || self.push_unknown_parts(expr, &mut stack);
            if stack.len() > waiting {
                continue;
            }
            stack.pop();
            if !self.known.contains_key(&expr) {
                let sort = if sound { self.of_node(expr, problems) } else { None };
                if !sound {
                    problems.push(format!("expression number {} has a part that is not older than itself", expr.0));
                }
                self.known.insert(expr, sort);
            }
        }
        self.known.get(&root).copied().flatten()
    }

    /// False, with nothing pushed, if a part is not older than the whole: then it is out of range or part of itself.
    fn push_unknown_parts(&self, expr: Expr, stack: &mut Vec<Expr>) -> bool {
        let waiting = stack.len();
        let mut sound = true;
        self.model.exprs.for_each_part(expr, |part| {
            sound &= part < expr;
            if !self.known.contains_key(&part) {
                stack.push(part);
            }
        });
        if !sound {
            stack.truncate(waiting);
        }
        sound
    }

    fn of_node(&self, expr: Expr, problems: &mut Vec<String>) -> Option<Sort> {
        match self.model.exprs.node(expr) {
            Node::Bool(_) => Some(Sort::Bool),
            Node::Int(_) => Some(Sort::Int),
            Node::Literal(of, number) => self.of_literal(*of, *number).map_err(|text| problems.push(text)).ok(),
            Node::Var(id) => self.of_var(*id).map_err(|text| problems.push(text)).ok(),
            Node::Cell(id, index) => {
                self.expect(&[*index], Sort::Int, expr, problems);
                self.of_family(*id).map_err(|text| problems.push(text)).ok()
            }
            Node::Bits(width, value) => self.of_bits(*width, *value).map_err(|text| problems.push(text)).ok(),
            Node::Value(id, value) => self.of_array(*id, *value).map_err(|text| problems.push(text)).ok(),
            Node::Apply(function, parts) => self.of_function(*function, parts, expr, problems),
            node => node.operator().and_then(|operator| self.of_operator(operator.row(), expr, problems)),
        }
    }

    fn of_bits(&self, width: u32, value: Raw) -> Result<Sort, String> {
        let sort = Sort::Bits(width);
        self.exists(sort)?;
        match self.model.exprs.values().is_of(sort, value, &|id| self.n_literals(id)) {
            true => Ok(sort),
            false => Err(format!("there is no bit-vector of {width} bits with the number {value}")),
        }
    }

    fn of_array(&self, id: ArrayId, value: Raw) -> Result<Sort, String> {
        let sort = Sort::Array(id);
        self.exists(sort)?;
        match self.model.exprs.values().is_of(sort, value, &|id| self.n_literals(id)) {
            true => Ok(sort),
            false => Err(format!("{} has no value with the number {value}", self.describe(sort))),
        }
    }

    fn of_function(&self, function: Function, parts: &[Expr], expr: Expr, problems: &mut Vec<String>) -> Option<Sort> {
        if let Function::Select(id) | Function::Store(id) | Function::Fill(id) = function
            && let Err(text) = self.exists(Sort::Array(id))
        {
            problems.push(text);
            return None;
        }
        // Parts whose sort is unknown were reported already.
        let sorts: Option<Vec<Sort>> = parts.iter().map(|part| self.known.get(part).copied().flatten()).collect();
        let sorts = sorts?;
        if !function.takes(&sorts, |id| self.array_type(id)) {
            let sorts: Vec<String> = sorts.iter().map(|&sort| self.describe(sort)).collect();
            problems.push(format!("`{}` in {} does not take {}", function.word(), self.show(expr), sorts.join(", ")));
            return None;
        }
        let sort = function.gives(|id| self.model.exprs.array_type(id)).or_else(|| sorts.first().copied());
        sort.filter(|&sort| self.exists(sort).map_err(|text| problems.push(text)).is_ok())
    }

    fn array_type(&self, id: ArrayId) -> Option<ArrayType> {
        let values = self.model.exprs.values();
        (id.index() < values.n_array_types()).then(|| values.array_type(id))
    }

    fn n_literals(&self, id: EnumId) -> usize {
        self.model.enums.get(id).map_or(0, |of| of.literals.len())
    }

    /// Whether there is such a sort, or why not. Types of arrays are made of types that are older, so this ends.
    pub fn exists(&self, sort: Sort) -> Result<(), String> {
        match sort {
            Sort::Bool | Sort::Int => Ok(()),
            Sort::Enum(id) if self.model.enums.get(id).is_none() => {
                Err(format!("there is no enumeration number {}", id.0))
            }
            Sort::Enum(_) => Ok(()),
            Sort::Bits(width) if (1..=MAX_WIDTH).contains(&width) => Ok(()),
            Sort::Bits(width) => Err(format!("bit-vectors have 1 to {MAX_WIDTH} bits, not {width}")),
            Sort::Array(id) => match self.array_type(id) {
                // Equal arrays are written in one way because indexes are numbers in order.
                Some(ArrayType { index: Sort::Array(_), .. }) => Err("arrays are no indexes of arrays".to_owned()),
                Some(ArrayType { index, element }) => self.exists(index).and_then(|()| self.exists(element)),
                None => Err(format!("there is no type of arrays number {}", id.0)),
            },
        }
    }

    fn of_operator(&self, row: Row, expr: Expr, problems: &mut Vec<String>) -> Option<Sort> {
        let mut parts = Vec::new();
        self.model.exprs.for_each_part(expr, |part| parts.push(part));
        if row.arity == Arity::AtLeastTwo {
            self.at_least_two(&parts, expr, problems);
        }
        let last = match row.operands {
            Operands::All(sort) => self.expect(&parts, sort, expr, problems),
            Operands::Alike => self.alike(parts[0], parts[1], expr, problems),
            Operands::Chosen => {
                self.expect(&parts[..1], Sort::Bool, expr, problems);
                self.alike(parts[1], parts[2], expr, problems)
            }
        };
        match row.gives {
            Gives::Always(sort) => Some(sort),
            Gives::Last => last,
        }
    }

    /// Parts whose sort is unknown are passed over: they were reported already.
    fn expect(&self, parts: &[Expr], wanted: Sort, whole: Expr, problems: &mut Vec<String>) -> Option<Sort> {
        for &part in parts {
            if let Some(sort) = self.known.get(&part).copied().flatten().filter(|&sort| sort != wanted) {
                let (sort, wanted) = (self.describe(sort), self.describe(wanted));
                problems.push(format!("{} in {} is {sort}, not {wanted}", self.show(part), self.show(whole)));
            }
        }
        Some(wanted)
    }

    fn alike(&self, a: Expr, b: Expr, whole: Expr, problems: &mut Vec<String>) -> Option<Sort> {
        let of = |part| self.known.get(&part).copied().flatten();
        if let (Some(first), Some(second)) = (of(a), of(b))
            && first != second
        {
            let (a, b, whole) = (self.show(a), self.show(b), self.show(whole));
            let (first, second) = (self.describe(first), self.describe(second));
            problems.push(format!("{a} is {first}, but {b} is {second}, in {whole}"));
        }
        of(a).or_else(|| of(b))
    }

    fn at_least_two(&self, parts: &[Expr], whole: Expr, problems: &mut Vec<String>) {
        if parts.len() < 2 {
            problems.push(format!("{} has {} parts, at least two are needed", self.show(whole), parts.len()));
        }
    }

    fn of_literal(&self, of: EnumId, number: u32) -> Result<Sort, String> {
        match self.model.enums.get(of) {
            None => Err(format!("there is no enumeration number {}", of.0)),
            Some(list) if number as usize >= list.literals.len() => {
                Err(format!("{} has no literal number {number}", self.describe_enum(of)))
            }
            Some(_) => Ok(Sort::Enum(of)),
        }
    }

    pub fn of_var(&self, id: VarId) -> Result<Sort, String> {
        let var = self.model.vars.get(id).ok_or_else(|| format!("there is no variable number {}", id.0))?;
        Ok(var.domain.sort())
    }

    pub fn of_family(&self, id: FamilyId) -> Result<Sort, String> {
        let family = self.model.families.get(id).ok_or_else(|| format!("there is no family number {}", id.0))?;
        self.of_var(family.first)
    }

    pub fn describe(&self, sort: Sort) -> String {
        match sort {
            Sort::Bool => "a boolean".to_owned(),
            Sort::Int => "an integer".to_owned(),
            Sort::Enum(id) => format!("of {}", self.describe_enum(id)),
            Sort::Bits(width) => format!("a bit-vector of {width} bits"),
            Sort::Array(id) => match self.array_type(id) {
                Some(ArrayType { index, element }) => {
                    format!("an array from {} to {}", self.describe(index), self.describe(element))
                }
                None => format!("an array of type number {}", id.0),
            },
        }
    }

    fn describe_enum(&self, id: EnumId) -> String {
        match self.model.enums.get(id) {
            Some(of) if !of.name.is_empty() => format!("enumeration `{}`", of.name),
            Some(_) | None => format!("enumeration number {}", id.0),
        }
    }

    pub fn show(&self, expr: Expr) -> String {
        format!("`{}`", print::show(self.model, expr))
    }
}

//! Small random models that are valid but as odd as they may be, from a seed.

use std::collections::BTreeSet;

use lapidary_base::Id;
use lapidary_ir::{
    ArrayId, ArrayType, Assignment, Command, Destination, Domain, EnumId, EnumType, Expr, Family, FamilyId, Fault,
    Function, Life, Ltl, Model, Node, Property, PropertyKind, Raw, Rhs, Sort, Statement, Var, VarId,
};
use lapidary_reference::dice::Dice;
use lapidary_text::{SourceId, Span};

const SPAN: Span = Span::new(SourceId(0), 0, 0);

/// Names that the textual form may stumble over.
const NAMES: [&str; 28] = [
    "x",
    "P[0].pc",
    "flag[1]",
    "f[_]",
    "if",
    "true",
    "any",
    "let",
    "command",
    "G",
    "U",
    "",
    " ",
    "a b",
    "a\"b",
    "a\\",
    "line\nbreak",
    "\u{0}",
    "é",
    "#1",
    "$2",
    "1",
    "x[",
    "bool",
    "while",
    "scope",
    "do",
    "start",
];
const INTS: [i64; 10] = [0, 1, -1, 2, -3, 7, 1 << 53, i64::MAX, i64::MIN, -(1 << 40)];

/// Of which sorts variables may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    Plain,
    /// Bit-vectors of 1 to 70 bits and arrays, too.
    Words,
}

pub fn model(seed: u64) -> Model {
    model_with(seed, Kinds::Plain)
}

pub fn model_with(seed: u64, kinds: Kinds) -> Model {
    let mut maker = Maker { dice: Dice::new(seed), model: Model::default(), open: BTreeSet::new(), kinds };
    maker.declarations();
    for _ in 0..maker.dice.below(3) {
        let (init, invariant) = (maker.expr(Sort::Bool, 4), maker.expr(Sort::Bool, 3));
        maker.model.init.push(init);
        maker.model.invariant.push(invariant);
    }
    if maker.dice.below(3) == 0 {
        maker.model.start = maker.statement(3);
    }
    for _ in 0..maker.dice.below(5) {
        let (body, faults) = (maker.statement(3), maker.faults());
        let label = format!("{}!", maker.name());
        let is_idle = maker.dice.below(4) == 0;
        maker.model.commands.push(Command { label, body, faults, is_idle, span: SPAN });
    }
    for _ in 0..maker.dice.below(6) {
        let property = maker.property();
        maker.model.properties.push(property);
    }
    maker.model
}

struct Maker {
    dice: Dice,
    model: Model,
    /// The local variables of the scopes around the place.
    open: BTreeSet<VarId>,
    kinds: Kinds,
}

impl Maker {
    fn name(&mut self) -> String {
        self.dice.pick(&NAMES).to_owned()
    }

    fn declarations(&mut self) {
        self.model.name = self.name();
        self.model.n_processes = self.dice.below(3);
        for _ in 0..self.dice.below(4) {
            let n_literals = 1 + self.dice.below(3);
            let literals = (0..n_literals).map(|i| format!("{}{}", self.name(), ["", "'", "2"][i]));
            let mut literals: Vec<String> = literals.collect();
            literals.sort();
            literals.dedup();
            let name = self.name();
            self.model.enums.push(EnumType { name, literals });
        }
        for _ in 0..1 + self.dice.below(6) {
            self.row();
        }
    }

    /// A few variables of one domain, sometimes with a family over them.
    fn row(&mut self) {
        let domain = self.domain();
        let first = self.model.vars.next_id();
        let life = if first.index() > 0 && self.dice.below(3) == 0 { Life::Local } else { Life::State };
        for _ in 0..1 + self.dice.below(3) {
            let mut name = self.name();
            while self.model.vars.iter().any(|var| var.name == name) {
                name.push('_');
            }
            let control = life == Life::State && self.dice.below(4) == 0;
            self.model.vars.push(Var { name, domain, control, life, span: SPAN });
        }
        if self.dice.below(2) == 0 {
            let len = self.model.vars.next_id().0 - first.0;
            let name = self.name();
            self.model.families.push(Family { name, first, len });
        }
    }

    fn domain(&mut self) -> Domain {
        if self.kinds == Kinds::Words && self.dice.below(2) == 0 {
            return self.word(2).domain();
        }
        match self.dice.below(5) {
            0 => Domain::Bool,
            1 => Domain::Int,
            2 if !self.model.enums.is_empty() => Domain::Enum(EnumId::new(self.dice.below(self.model.enums.len()))),
            _ => {
                let (a, b) = (self.dice.pick(&INTS), self.dice.pick(&INTS));
                Domain::Range { lo: a.min(b), hi: a.max(b) }
            }
        }
    }

    fn expr(&mut self, sort: Sort, depth: usize) -> Expr {
        if depth == 0 || self.dice.below(6) == 0 {
            return self.leaf(sort, depth);
        }
        // Often a recent expression is used again, so that there is something to share.
        let n_exprs = self.model.exprs.len();
        if n_exprs > 0 && self.dice.below(3) == 0 {
            let old = Expr::new(n_exprs - 1 - self.dice.below(n_exprs.min(12)));
            if self.model.sort(old) == sort && self.is_known_here(old) {
                return old;
            }
        }
        let d = depth - 1;
        let node = match (sort, self.dice.below(8)) {
            (_, 0) => Node::Ite(self.expr(Sort::Bool, d), self.expr(sort, d), self.expr(sort, d)),
            (Sort::Bool, 1) => Node::And(self.several(Sort::Bool, d)),
            (Sort::Bool, 2) => Node::Or(self.several(Sort::Bool, d)),
            (Sort::Bool, 3) => Node::Lt(self.expr(Sort::Int, d), self.expr(Sort::Int, d)),
            (Sort::Bool, 4) => Node::Le(self.expr(Sort::Int, d), self.expr(Sort::Int, d)),
            (Sort::Bool, 5) => {
                let sort = self.sort();
                Node::Eq(self.expr(sort, d), self.expr(sort, d))
            }
            (Sort::Bool, 6) if self.kinds == Kinds::Words => self.comparison(d),
            (Sort::Bool, _) => Node::Not(self.expr(Sort::Bool, d)),
            (Sort::Int, 1 | 2) => Node::Add(self.several(Sort::Int, d)),
            (Sort::Int, 3) => Node::Mul(self.expr(Sort::Int, d), self.expr(Sort::Int, d)),
            (Sort::Int, 4) => Node::Div(self.expr(Sort::Int, d), self.expr(Sort::Int, d)),
            (Sort::Int, 5) => Node::Mod(self.expr(Sort::Int, d), self.expr(Sort::Int, d)),
            (Sort::Int, _) => Node::Neg(self.expr(Sort::Int, d)),
            (Sort::Bits(width), _) => self.bits(width, d),
            (Sort::Array(id), _) => self.array(id, d),
            (Sort::Enum(_), _) => return self.leaf(sort, depth),
        };
        self.model.exprs.intern(node)
    }

    fn sort(&mut self) -> Sort {
        self.domain().sort()
    }

    /// A bit-vector, or an array that has at most so many others in each other.
    fn word(&mut self, depth: usize) -> Sort {
        if depth == 0 || self.dice.below(2) == 0 {
            return Sort::Bits(1 + self.dice.below(70_u32));
        }
        // Arrays are no indexes.
        let [index, element] = [0, depth - 1].map(|depth| match self.dice.below(5) {
            0 => Sort::Bool,
            1 => Sort::Int,
            2 if !self.model.enums.is_empty() => Sort::Enum(EnumId::new(self.dice.below(self.model.enums.len()))),
            _ => self.word(depth),
        });
        Sort::Array(self.model.exprs.array(index, element))
    }

    fn index(&mut self) -> Sort {
        match self.sort() {
            Sort::Array(_) => Sort::Int,
            sort @ (Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Bits(_)) => sort,
        }
    }

    /// What a constant of a sort has for a number.
    fn number_of(&mut self, sort: Sort) -> Raw {
        match sort {
            Sort::Bool => Raw::from(self.dice.below(2) == 0),
            Sort::Int => self.dice.pick(&INTS),
            Sort::Enum(id) => self.dice.below(self.model.enums[id].literals.len()) as Raw,
            Sort::Bits(width) => {
                let words = [self.dice.pick(&INTS) as u64, self.dice.pick(&INTS) as u64];
                self.model.exprs.values().bits(width, &words)
            }
            Sort::Array(id) => {
                let ArrayType { index, element } = self.model.exprs.array_type(id);
                let default = self.number_of(element);
                let entries: Vec<(Raw, Raw)> =
                    (0..self.dice.below(4)).map(|_| (self.number_of(index), self.number_of(element))).collect();
                let values = self.model.exprs.values();
                let n_indexes = values.n_values(index, &|id| self.model.enums[id].literals.len());
                values.listed(n_indexes, default, entries)
            }
        }
    }

    fn applied<const N: usize>(&mut self, function: Function, sorts: [Sort; N], depth: usize) -> Node {
        Node::Apply(function, sorts.map(|sort| self.expr(sort, depth)).into())
    }

    /// Two vectors, or an element of an array of truths.
    fn comparison(&mut self, d: usize) -> Node {
        let sort = Sort::Bits(1 + self.dice.below(70_u32));
        match self.dice.below(5) {
            0 => {
                let id = self.model.exprs.array(sort, Sort::Bool);
                self.applied(Function::Select(id), [Sort::Array(id), sort], d)
            }
            n => {
                let function = [Function::Ult, Function::Ule, Function::Slt, Function::Sle][n - 1];
                self.applied(function, [sort; 2], d)
            }
        }
    }

    fn bits(&mut self, width: u32, d: usize) -> Node {
        let sort = Sort::Bits(width);
        let narrow = 1 + self.dice.below(width);
        match self.dice.below(7) {
            0 => self.applied(Function::BitNot, [sort], d),
            1 if narrow < width => {
                self.applied(Function::Concat(width), [Sort::Bits(narrow), Sort::Bits(width - narrow)], d)
            }
            2 => {
                let low = self.dice.below(4_u32);
                let whole = Sort::Bits(low + width + self.dice.below(3_u32));
                self.applied(Function::Extract { high: low + width - 1, low }, [whole], d)
            }
            3 => self.applied(Function::ZeroExtend(width), [Sort::Bits(narrow)], d),
            4 => self.applied(Function::SignExtend(width), [Sort::Bits(narrow)], d),
            5 => {
                let index = self.index();
                let id = self.model.exprs.array(index, sort);
                self.applied(Function::Select(id), [Sort::Array(id), index], d)
            }
            _ => {
                let function = Function::PLAIN[2 + self.dice.below(10_usize)];
                self.applied(function, [sort; 2], d)
            }
        }
    }

    fn array(&mut self, id: ArrayId, d: usize) -> Node {
        let ArrayType { index, element } = self.model.exprs.array_type(id);
        match self.dice.below(3) {
            0 => self.applied(Function::Fill(id), [element], d),
            _ => self.applied(Function::Store(id), [Sort::Array(id), index, element], d),
        }
    }

    fn several(&mut self, sort: Sort, depth: usize) -> Box<[Expr]> {
        (0..2 + self.dice.below(3)).map(|_| self.expr(sort, depth)).collect()
    }

    fn leaf(&mut self, sort: Sort, depth: usize) -> Expr {
        let family = FamilyId::new(self.dice.below(self.model.families.len().max(1)));
        let fits = |family| self.model.family_domain(family).sort() == sort && self.is_row_here(family);
        if depth > 0 && self.model.families.get(family).is_some_and(|_| fits(family)) {
            let index = self.expr(Sort::Int, depth - 1);
            return self.model.exprs.cell(family, index);
        }
        let var = VarId::new(self.dice.below(self.model.vars.len()));
        if self.model.vars[var].domain.sort() == sort && self.is_here(var) {
            return self.model.exprs.var(var);
        }
        match sort {
            Sort::Bool => self.model.exprs.bool(self.dice.below(2) == 0),
            Sort::Int => self.model.exprs.int(self.dice.pick(&INTS)),
            Sort::Enum(id) => {
                let number = self.dice.below(self.model.enums[id].literals.len());
                self.model.exprs.literal(id, number as u32)
            }
            Sort::Bits(width) => {
                let value = self.number_of(Sort::Bits(width));
                self.model.exprs.intern(Node::Bits(width, value))
            }
            Sort::Array(id) => {
                let value = self.number_of(Sort::Array(id));
                self.model.exprs.intern(Node::Value(id, value))
            }
        }
    }

    fn faults(&mut self) -> Vec<Fault> {
        let n_faults = self.dice.below(3_usize).saturating_sub(1);
        (0..n_faults).map(|_| Fault { when: self.expr(Sort::Bool, 2), what: self.name(), span: SPAN }).collect()
    }

    fn statement(&mut self, depth: usize) -> Statement {
        if depth == 0 {
            return Statement::Skip;
        }
        let n_parts = self.dice.below(4);
        match self.dice.below(9) {
            0 => Statement::Skip,
            1 => Statement::Assume(self.expr(Sort::Bool, 3)),
            2 => Statement::Assign((0..n_parts).map(|_| self.assignment()).collect()),
            3 => Statement::Choice((0..n_parts).map(|_| self.statement(depth - 1)).collect()),
            4 => {
                let condition = self.expr(Sort::Bool, 2);
                let (then, otherwise) = (self.statement(depth - 1), self.statement(depth - 1));
                Statement::If(condition, Box::new(then), Box::new(otherwise))
            }
            5 => {
                let condition = self.expr(Sort::Bool, 2);
                Statement::While(condition, Box::new(self.statement(depth - 1)))
            }
            6 | 7 => self.scope(depth),
            _ => Statement::Sequence((0..n_parts).map(|_| self.statement(depth - 1)).collect()),
        }
    }

    /// Mostly all locals that have no scope around, so that something uses them.
    fn scope(&mut self, depth: usize) -> Statement {
        let is_new = |var: &VarId| self.model.is_local(*var) && !self.open.contains(var);
        let mut locals: Vec<VarId> = self.model.vars.ids().filter(is_new).collect();
        if self.dice.below(3) == 0 {
            locals.pop();
        }
        self.open.extend(&locals);
        let body = self.statement(depth - 1);
        locals.iter().for_each(|local| {
            self.open.remove(local);
        });
        Statement::Scope(locals, Box::new(body))
    }

    fn is_here(&self, var: VarId) -> bool {
        !self.model.is_local(var) || self.open.contains(&var)
    }

    fn is_row_here(&self, family: FamilyId) -> bool {
        self.model.cells(family).all(|cell| self.is_here(cell))
    }

    /// Whether all that an expression reads is a variable at this place.
    fn is_known_here(&self, expr: Expr) -> bool {
        let node = self.model.exprs.node(expr);
        let is_here = match node {
            Node::Var(var) => self.is_here(*var),
            Node::Cell(family, _) => self.is_row_here(*family),
            _ => true,
        };
        let mut all = is_here;
        self.model.exprs.for_each_part(expr, |part| all = all && self.is_known_here(part));
        all
    }

    fn assignment(&mut self) -> Assignment {
        let family = FamilyId::new(self.dice.below(self.model.families.len().max(1)));
        let indexed = self.dice.below(2) == 0 && !self.model.families.is_empty() && self.is_row_here(family);
        let (to, sort) = if indexed {
            (Destination::Cell(family, self.expr(Sort::Int, 2)), self.model.family_domain(family).sort())
        } else {
            let var = VarId::new(self.dice.below(self.model.vars.len()));
            if !self.is_here(var) {
                return self.assignment();
            }
            (Destination::Var(var), self.model.vars[var].domain.sort())
        };
        let value = if self.dice.below(4) == 0 { Rhs::Any } else { Rhs::Expr(self.expr(sort, 4)) };
        Assignment { to, value }
    }

    fn property(&mut self) -> Property {
        let kind = match self.dice.below(6) {
            0 => PropertyKind::Invariant(self.expr(Sort::Bool, 7)),
            1 => PropertyKind::Reach(self.expr(Sort::Bool, 7)),
            2 => PropertyKind::DeadlockFree,
            3 => PropertyKind::NoErrors,
            _ => PropertyKind::Ltl(self.ltl(4)),
        };
        Property { name: self.name(), kind, faults: self.faults(), text: self.name(), span: SPAN }
    }

    fn ltl(&mut self, depth: usize) -> Ltl {
        if depth == 0 {
            return Ltl::State(self.expr(Sort::Bool, 2));
        }
        let part = |maker: &mut Self| Box::new(maker.ltl(depth - 1));
        match self.dice.below(13) {
            0 => Ltl::Not(part(self)),
            1 => Ltl::And(part(self), part(self)),
            2 => Ltl::Or(part(self), part(self)),
            3 => Ltl::Implies(part(self), part(self)),
            4 => Ltl::Iff(part(self), part(self)),
            5 => Ltl::Next(part(self)),
            6 => Ltl::Finally(part(self)),
            7 => Ltl::Globally(part(self)),
            8 => Ltl::Until(part(self), part(self)),
            9 => Ltl::Release(part(self), part(self)),
            10 => Ltl::WeakUntil(part(self), part(self)),
            11 => Ltl::StrongRelease(part(self), part(self)),
            _ => Ltl::State(self.expr(Sort::Bool, 3)),
        }
    }
}

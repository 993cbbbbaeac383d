//! A small syntax tree of `.gcl` models, resolved: references are ids, not names.
//!
//! Only names bound by a process parameter, a quantifier or a ranged command stay strings
//! ([`Expr::Bound`]); the innermost binder of a name counts.

/// A position in [`Model::constants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConstId(pub usize);

/// A position in [`Model::enums`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EnumId(pub usize);

/// A position in [`Model::defines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DefineId(pub usize);

/// A position in [`Model::processes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcessId(pub usize);

/// A position in [`Model::variables`] or in [`Process::variables`], as the [`Owner`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VarId(pub usize);

/// A whole model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Named constants; each may use any other as long as there is no cycle.
    pub constants: Vec<Named>,
    /// Enumerations; they may share literals.
    pub enums: Vec<Enumeration>,
    /// Named expressions over the global scope.
    pub defines: Vec<Named>,
    /// The global variables.
    pub variables: Vec<Variable>,
    /// The processes.
    pub processes: Vec<Process>,
    /// The commands outside of any process.
    pub commands: Vec<Command>,
    /// Further conditions on initial states, conjoined.
    pub inits: Vec<Expr>,
    /// The properties.
    pub properties: Vec<Property>,
}

/// A constant or a define: a name for an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub value: Expr,
}

/// An enumeration type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// The type's name; without one it is written out at its only use.
    pub name: Option<String>,
    /// Its literals, pairwise different.
    pub literals: Vec<String>,
}

/// The type of a variable, or of an array's cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `lo..hi`, both constant expressions
    Range(Expr, Expr),
    /// An enumeration.
    Enum(EnumId),
}

/// Whether abstractions keep a variable exact; it has no influence on the semantics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `var`
    Plain,
    /// `control var`
    Control,
}

/// What a variable starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// Any value of its type.
    Any,
    /// This value, in every cell of an array.
    Each(Expr),
    /// One value per cell, row by row.
    List(Vec<Expr>),
}

/// A variable declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The type of each cell.
    pub ty: Type,
    /// No, one or two array sizes.
    pub dims: Vec<Expr>,
    /// Whether it is a control variable.
    pub role: Role,
    /// What it starts with; in a process this may use the parameter.
    pub initial: Initial,
}

/// `name in lo..hi` of a quantifier or a ranged command, or `name : lo..hi` of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binder {
    /// The bound name.
    pub name: String,
    /// The least value, a constant expression.
    pub lo: Expr,
    /// The greatest value, a constant expression.
    pub hi: Expr,
}

/// A process, with one instance per value of its parameter, or just one without a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The name.
    pub name: String,
    /// The parameter.
    pub param: Option<Binder>,
    /// The variables of each instance.
    pub variables: Vec<Variable>,
    /// The commands of each instance.
    pub commands: Vec<Command>,
}

/// A guarded command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The label.
    pub label: String,
    /// The index of a ranged command.
    pub index: Option<Binder>,
    /// The guard.
    pub guard: Expr,
    /// The updates; none is `skip`.
    pub updates: Vec<Update>,
}

/// `target := source`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The cell written.
    pub target: Place,
    /// The value written.
    pub source: Source,
}

/// The right-hand side of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// An expression over the old values.
    Expr(Expr),
    /// Any value of the target's type.
    Input,
}

/// A cell of the state: a variable, or one element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where the variable is declared.
    pub owner: Owner,
    /// The variable, in the declarations of its owner.
    pub variable: VarId,
    /// As many indexes as the variable has dimensions.
    pub indexes: Vec<Expr>,
}

/// Where a variable of a [`Place`] is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Outside of processes.
    Global,
    /// In the process instance whose command this is: `x`.
    Own,
    /// In an instance of a process: `P[e].x`, or `Q.x` where there is no parameter.
    Instance(ProcessId, Option<Box<Expr>>),
}

/// A property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The name.
    pub name: String,
    /// What it claims.
    pub claim: Claim,
}

/// What a property claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Every reachable state satisfies this.
    Invariant(Expr),
    /// Some reachable state satisfies this.
    Reach(Expr),
    /// Every reachable state has a step that can be taken.
    DeadlockFree,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// `true` or `false`
    Bool(bool),
    /// A number; negative ones print as a negation.
    Int(i128),
    /// A literal of an enumeration, by its position.
    Literal(EnumId, usize),
    /// A named constant.
    Const(ConstId),
    /// A named expression.
    Define(DefineId),
    /// A parameter, a quantified name or the index of a ranged command.
    Bound(String),
    /// The value of a cell.
    Read(Place),
    /// A unary operator.
    Unary(Unary, Box<Expr>),
    /// A binary operator.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `if c then a else b`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A quantifier over a range, which may be empty.
    Quantified(Quantifier, Box<Binder>, Box<Expr>),
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `!`
    Not,
    /// `-`
    Neg,
    /// `abs(a)`
    Abs,
}

/// A binary operator; `Min` and `Max` are written as calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `<=>`
    Iff,
    /// `=>`, evaluating its right operand only if needed
    Implies,
    /// `|`, evaluating its right operand only if needed
    Or,
    /// `&`, evaluating its right operand only if needed
    And,
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `div`
    Div,
    /// `mod`, never negative
    Mod,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
}

/// A quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `forall`, up to the first false one
    Forall,
    /// `exists`, up to the first true one
    Exists,
    /// `sum`
    Sum,
    /// `count`
    Count,
}

impl Expr {
    /// A unary operator applied to its operand.
    pub fn unary(op: Unary, operand: Expr) -> Expr {
        Expr::Unary(op, Box::new(operand))
    }

    /// A binary operator applied to its operands.
    pub fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    /// `if condition then yes else no`
    pub fn branch(condition: Expr, yes: Expr, no: Expr) -> Expr {
        Expr::If(Box::new(condition), Box::new(yes), Box::new(no))
    }

    /// A quantified expression.
    pub fn quantified(quantifier: Quantifier, binder: Binder, body: Expr) -> Expr {
        Expr::Quantified(quantifier, Box::new(binder), Box::new(body))
    }
}

//! The syntax of AltaRica as it was written. Names are without their quotes; nothing is resolved yet.

use lapidary_text::Span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct File {
    pub items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub enum Item {
    Const(Const),
    Domain {
        name: Name,
        domain: Domain,
    },
    /// `sort S, T;`
    Sort(Vec<Name>),
    /// `sig f : D, E -> F;`
    Sig {
        name: Name,
        arguments: Vec<Domain>,
        result: Domain,
    },
    Node(Node),
    /// A directive outside of any node, kept as it was written.
    Extern {
        text: String,
        span: Span,
    },
}

/// `const N : integer = 2;`, `const N = 4;`, `const red : Colour;`
#[derive(Clone, Debug)]
pub struct Const {
    pub name: Name,
    pub domain: Option<Domain>,
    pub value: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Domain {
    pub kind: DomainKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum DomainKind {
    Bool,
    Integer,
    /// `[lo, hi]`
    Range(Box<Expr>, Box<Expr>),
    /// `{a, b}`
    Enumeration(Vec<Name>),
    Struct(Vec<(Name, Domain)>),
    Named(Name),
    /// `D[n]`; `bool[2][3]` is an array of 3 arrays of 2.
    Array(Box<Domain>, Box<Expr>),
    /// Could not be read; already reported.
    Error,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub name: Name,
    /// Labels after a colon behind the name.
    pub attributes: Vec<Name>,
    pub sections: Vec<Section>,
    pub span: Span,
}

/// The sections of a node, in the order and as often as they were written.
#[derive(Clone, Debug)]
pub enum Section {
    State(Vec<Variables>),
    Flow(Vec<Variables>),
    Event(Vec<Events>),
    Sub(Vec<Subs>),
    Init(Vec<Update>),
    Assert(Vec<Expr>),
    Trans(Vec<Trans>),
    Sync(Vec<Sync>),
    Param(Vec<Param>),
    /// `param_set sub.p := e;`
    ParamSet(Vec<Update>),
    Extern {
        text: String,
        span: Span,
    },
}

/// `x, y : D : public, out;`
#[derive(Clone, Debug)]
pub struct Variables {
    pub names: Vec<Name>,
    pub domain: Domain,
    pub attributes: Vec<Name>,
}

/// `p, q : D = e;`
#[derive(Clone, Debug)]
pub struct Param {
    pub names: Vec<Name>,
    pub domain: Domain,
    pub value: Option<Expr>,
    pub attributes: Vec<Name>,
}

/// One declaration: groups of events, separated by `,`, `<` or `>`, and labels for all of them:
/// `a, b`, `open[n] > {up, down}`, `push : public`.
#[derive(Clone, Debug)]
pub struct Events {
    pub first: EventGroup,
    pub rest: Vec<(Relation, EventGroup)>,
    pub attributes: Vec<Name>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// A comma: no relation between what stands left and right of it.
    None,
    Below,
    Above,
}

/// `e` alone or `{a, b}`.
#[derive(Clone, Debug)]
pub struct EventGroup {
    pub events: Vec<EventName>,
    pub span: Span,
}

/// `close[n]`: in a declaration the sizes of an array of events, or which element of one, if it is declared already.
#[derive(Clone, Debug)]
pub struct EventName {
    pub name: Name,
    pub indexes: Vec<Expr>,
}

/// `V : Valve[3] : attrs;`
#[derive(Clone, Debug)]
pub struct Subs {
    pub names: Vec<Name>,
    pub node: Name,
    pub sizes: Vec<Expr>,
    pub attributes: Vec<Name>,
}

/// `a[0].x := e`
#[derive(Clone, Debug)]
pub struct Update {
    pub path: Path,
    pub value: Expr,
    pub span: Span,
}

/// One guard and one or more `|- events -> updates`.
#[derive(Clone, Debug)]
pub struct Trans {
    pub guard: Expr,
    pub arms: Vec<Arm>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Arm {
    pub events: Vec<Path>,
    pub updates: Vec<Update>,
    pub span: Span,
}

/// `<e, s.f, t[1].g?> >= 2` or `<...>[>= 2]`
#[derive(Clone, Debug)]
pub struct Sync {
    pub parts: Vec<SyncPart>,
    pub count: Option<(lapidary_ir::tree::Comparison, Expr)>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct SyncPart {
    pub event: Path,
    pub is_optional: bool,
}

/// `a[0].b.c[i][j]`
#[derive(Clone, Debug)]
pub struct Path {
    pub first: Name,
    pub steps: Vec<Step>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Step {
    Field(Name),
    Index(Box<Expr>),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Not,
    Minus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Imply,
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extremum {
    Min,
    Max,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Bool(bool),
    Int(i64),
    /// A variable, a constant or an enumeration's symbol.
    Path(Path),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `if c then a else b`, `(c ? a : b)`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `case { c1 : v1, c2 : v2, else d }`
    Case(Vec<(Expr, Expr)>, Box<Expr>),
    /// `min(a, b, c)`
    Extremum(Extremum, Vec<Expr>),
    /// `f(a, b)`, an application of a declared `sig`.
    Apply(Name, Vec<Expr>),
    /// Could not be read; already reported.
    Error,
}

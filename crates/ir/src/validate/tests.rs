//! One broken model per rule.

use expect_test::{Expect, expect};
use lapidary_text::{SourceId, Span};

use super::*;
use crate::expr::Node;
use crate::function::{Function, MAX_WIDTH};
use crate::model::{Command, Family, Life, Var};
use crate::property::{Ltl, PropertyKind};
use crate::types::{ArrayId, EnumType};

const SPAN: Span = Span::new(SourceId(0), 0, 0);

fn var(name: &str, domain: Domain) -> Var {
    Var { name: name.to_owned(), domain, control: false, life: Life::State, span: SPAN }
}

/// Three cells `a[0]` to `a[2]`, a boolean `b` and a `c` of an enumeration.
fn sound() -> Model {
    let mut model = Model::default();
    let colour = model.enums.push(EnumType { name: "Colour".to_owned(), literals: vec!["red".to_owned()] });
    for i in 0..3 {
        model.vars.push(var(&format!("a[{i}]"), Domain::Range { lo: 0, hi: 3 }));
    }
    model.vars.push(var("b", Domain::Bool));
    model.vars.push(var("c", Domain::Enum(colour)));
    model.families.push(Family { name: "a[_]".to_owned(), first: VarId(0), len: 3 });
    model
}

fn check(change: impl FnOnce(&mut Model), expect: Expect) {
    let mut model = sound();
    assert_eq!(validate(&model), Ok(()));
    change(&mut model);
    expect.assert_eq(&validate(&model).err().unwrap_or_default().join("\n"));
}

/// The problems of one expression, as an initial condition.
fn check_expr(node: impl FnOnce(&Samples) -> Node, expect: Expect) {
    check(
        |model| {
            let e = &model.exprs;
            let some = Samples { i: e.var(VarId(0)), b: e.var(VarId(3)), c: e.var(VarId(4)), one: e.int(1) };
            let wrong = e.intern(node(&some));
            model.init.push(wrong);
        },
        expect,
    );
}

/// An integer, a boolean, a literal-valued variable and the constant 1.
struct Samples {
    i: Expr,
    b: Expr,
    c: Expr,
    one: Expr,
}

fn command(label: &str, body: Statement) -> Command {
    Command { label: label.to_owned(), body, faults: Vec::new(), is_idle: false, span: SPAN }
}

fn assign(to: Destination, value: Expr) -> Statement {
    Statement::Assign(vec![Assignment { to, value: Rhs::Expr(value) }])
}

#[test]
fn declarations_are_checked() {
    check(
        |model| {
            model.enums.push(EnumType { name: String::new(), literals: Vec::new() });
            model.enums[EnumId(0)].literals.push("red".to_owned());
            model.vars.push(var("b", Domain::Range { lo: 2, hi: 1 }));
            model.vars.push(var("d", Domain::Enum(EnumId(7))));
        },
        expect![[r#"
            enumeration `Colour`: the literal `red` is listed twice
            enumeration number 1: it has no literals
            variable `b`: another variable has the same name
            variable `b`: the range 2..1 is empty
            variable `d`: there is no enumeration number 7"#]],
    );
}

#[test]
fn families_lie_within_the_variables_and_have_one_domain() {
    check(
        |model| {
            for (first, len) in [(0, 0), (1, 3), (4, 2), (u32::MAX, u32::MAX)] {
                model.families.push(Family { name: format!("f{first}[_]"), first: VarId(first), len });
            }
        },
        expect![[r#"
            family `f0[_]`: it has no cells
            family `f1[_]`: its cells `a[1]` and `b` have different domains
            family `f1[_]`: it shares variables with the family `a[_]`
            family `f4[_]`: its 2 cells from variable number 4 on are more than there are variables
            family `f4294967295[_]`: its 4294967295 cells from variable number 4294967295 on are more than there are variables"#]],
    );
}

#[test]
fn sorts_of_parts_fit() {
    check_expr(
        |e| Node::And([e.b, e.i].into()),
        expect!["initial condition 0: `a[0]` in `b & a[0]` is an integer, not a boolean"],
    );
    check_expr(
        |e| Node::Or([e.b].into()),
        expect!["initial condition 0: `or(b)` has 1 parts, at least two are needed"],
    );
    check_expr(
        |e| Node::Eq(e.i, e.c),
        expect!["initial condition 0: `a[0]` is an integer, but `c` is of enumeration `Colour`, in `a[0] = c`"],
    );
    check_expr(
        |e| Node::Lt(e.one, e.c),
        expect!["initial condition 0: `c` in `1 < c` is of enumeration `Colour`, not an integer"],
    );
    check_expr(|e| Node::Not(e.one), expect!["initial condition 0: `1` in `!1` is an integer, not a boolean"]);
    check_expr(
        |e| Node::Ite(e.b, e.b, e.i),
        expect!["initial condition 0: `b` is a boolean, but `a[0]` is an integer, in `if b then b else a[0]`"],
    );
    check_expr(
        |e| Node::Ite(e.i, e.b, e.b),
        expect!["initial condition 0: `a[0]` in `if a[0] then b else b` is an integer, not a boolean"],
    );
    check_expr(
        |e| Node::Add([e.i, e.one].into()),
        expect!["initial condition 0: an initial condition must be boolean, but `a[0] + 1` is an integer"],
    );
}

#[test]
fn bit_vectors_and_arrays_are_checked() {
    check(
        |model| {
            let of_arrays = model.exprs.array(Sort::Array(model.exprs.array(Sort::Int, Sort::Bool)), Sort::Bool);
            let wide = model.exprs.array(Sort::Int, Sort::Bits(MAX_WIDTH + 1));
            for (name, domain) in [("e", Domain::Bits(0)), ("f", Domain::Array(of_arrays)), ("g", Domain::Array(wide))]
            {
                model.vars.push(var(name, domain));
            }
            model.vars.push(var("h", Domain::Array(ArrayId(7))));
        },
        expect![[r#"
            variable `e`: bit-vectors have 1 to 65536 bits, not 0
            variable `f`: arrays are no indexes of arrays
            variable `g`: bit-vectors have 1 to 65536 bits, not 65537
            variable `h`: there is no type of arrays number 7"#]],
    );
    check_expr(
        |_| Node::Bits(8, 256),
        expect!["initial condition 0: there is no bit-vector of 8 bits with the number 256"],
    );
    check_expr(
        |_| Node::Bits(65, 5),
        expect!["initial condition 0: there is no bit-vector of 65 bits with the number 5"],
    );
    check_expr(|_| Node::Value(ArrayId(5), 0), expect!["initial condition 0: there is no type of arrays number 5"]);
    check_expr(
        |e| Node::Apply(Function::BitNot, [e.i].into()),
        expect!["initial condition 0: `bvnot` in `bvnot(a[0])` does not take an integer"],
    );
    check_expr(
        |e| Node::Apply(Function::BitAdd, [e.i].into()),
        expect!["initial condition 0: `bvadd` in `bvadd(a[0])` does not take an integer"],
    );
    check_expr(
        |e| Node::Apply(Function::Select(ArrayId(0)), [e.i, e.i].into()),
        expect!["initial condition 0: there is no type of arrays number 0"],
    );
}

#[test]
fn ids_are_in_range() {
    check_expr(|_| Node::Var(VarId(5)), expect!["initial condition 0: there is no variable number 5"]);
    check_expr(|e| Node::Cell(FamilyId(1), e.i), expect!["initial condition 0: there is no family number 1"]);
    check_expr(
        |_| Node::Literal(EnumId(0), 1),
        expect!["initial condition 0: enumeration `Colour` has no literal number 1"],
    );
    check_expr(|_| Node::Literal(EnumId(1), 0), expect!["initial condition 0: there is no enumeration number 1"]);
    check_expr(
        |_| Node::Not(Expr(77)),
        expect!["initial condition 0: expression number 4 has a part that is not older than itself"],
    );
    // The expression that is made here gets the number 4, so it would be a part of itself.
    check_expr(
        |_| Node::Not(Expr(4)),
        expect!["initial condition 0: expression number 4 has a part that is not older than itself"],
    );
    check(|model| model.invariant.push(Expr(3)), expect!["invariant 0: there is no expression number 3"]);
}

#[test]
fn commands_are_checked_down_to_their_leaves() {
    check(
        |model| {
            let (yes, one, red) = (model.exprs.bool(true), model.exprs.int(1), model.exprs.literal(EnumId(0), 0));
            let cell = |index| Destination::Cell(FamilyId(0), index);
            let leaves = vec![
                Statement::Assume(one),
                assign(Destination::Var(VarId(3)), one),
                assign(Destination::Var(VarId(9)), one),
                assign(cell(yes), red),
            ];
            let tree = Statement::If(red, Box::new(Statement::Choice(leaves)), Box::new(Statement::Skip));
            let fault = Fault { when: one, what: String::new(), span: SPAN };
            model.commands.push(Command { faults: vec![fault], ..command("go", tree) });
            model.commands.push(command("", Statement::Skip));
        },
        expect![[r#"
            command `go`: the condition of a fault must be boolean, but `1` is an integer
            command `go`: the condition of an if must be boolean, but `red` is of enumeration `Colour`
            command `go`: an assumption must be boolean, but `1` is an integer
            command `go`: `1` is an integer, but what it is assigned to is a boolean
            command `go`: there is no variable number 9
            command `go`: the index `true` is a boolean
            command `go`: `red` is of enumeration `Colour`, but what it is assigned to is an integer
            command number 1: its label is empty"#]],
    );
}

/// The sound model with a local `t` and a row of two local cells `l[_]`.
fn with_locals(change: impl FnOnce(&mut Model)) -> String {
    let mut model = sound();
    for name in ["t", "l[0]", "l[1]"] {
        model.vars.push(Var { life: Life::Local, ..var(name, Domain::Range { lo: 0, hi: 3 }) });
    }
    model.families.push(Family { name: "l[_]".to_owned(), first: VarId(6), len: 2 });
    assert_eq!(validate(&model), Ok(()));
    change(&mut model);
    validate(&model).err().unwrap_or_default().join("\n")
}

#[test]
fn locals_are_used_within_their_scopes() {
    let (t, cell) = (VarId(5), |e| Destination::Cell(FamilyId(1), e));
    let body = |model: &Model| {
        let e = &model.exprs;
        let (one, read) = (e.int(1), e.cell(FamilyId(1), e.var(t)));
        Statement::Sequence(vec![
            assign(Destination::Var(t), one),
            Statement::While(e.lt(e.var(t), one), Box::new(assign(cell(one), read))),
        ])
    };
    let found = with_locals(|model| {
        let within = Statement::Scope(vec![t, VarId(6), VarId(7)], Box::new(body(model)));
        model.start = Statement::Sequence(vec![within.clone(), within.clone()]);
        model.commands.push(command("go", within));
    });
    expect![""].assert_eq(&found);
    let found = with_locals(|model| {
        let some = Statement::Scope(vec![t, VarId(6)], Box::new(body(model)));
        model.start = body(model);
        model.commands.push(command("some", some.clone()));
        model.commands.push(command("twice", Statement::Scope(vec![t, t], Box::new(Statement::Skip))));
        let again = Statement::Scope(vec![t], Box::new(Statement::Scope(vec![t, VarId(0)], Box::new(Statement::Skip))));
        model.commands.push(command("again", again));
    });
    expect![[r#"
        start: the local variable `t` is written outside its scope
        start: the local variable `t` is read outside its scope
        start: the local variable `l[0]` is written outside its scope
        start: the local variable `l[1]` is written outside its scope
        start: the local variable `t` is read outside its scope
        start: the local variable `l[0]` is read outside its scope
        start: the local variable `l[1]` is read outside its scope
        command `some`: the local variable `l[1]` is written outside its scope
        command `some`: the local variable `l[1]` is read outside its scope
        command `twice`: the local variable `t` has a scope within its scope
        command `again`: the local variable `t` has a scope within its scope
        command `again`: a scope lists the variable `a[0]`, which is not local"#]]
    .assert_eq(&found);
}

#[test]
fn states_do_not_speak_of_locals() {
    let found = with_locals(|model| {
        let e = &model.exprs;
        let low = e.lt(e.var(VarId(5)), e.int(1));
        let fault = || Fault { when: low, what: String::new(), span: SPAN };
        model.init.push(low);
        model.invariant.push(low);
        model.commands.push(Command { faults: vec![fault()], ..command("go", Statement::Skip) });
        let property = |kind, faults| Property { name: "p".to_owned(), kind, faults, text: String::new(), span: SPAN };
        model.properties.push(property(PropertyKind::Reach(low), Vec::new()));
        model.properties.push(property(PropertyKind::DeadlockFree, vec![fault()]));
        model.properties.push(property(PropertyKind::Ltl(Ltl::Globally(Box::new(Ltl::State(low)))), Vec::new()));
        assert_eq!(expression(model, low), Err("the variable `t` is local to a statement".to_owned()));
        assert_eq!(expression(model, model.exprs.int(1)), Ok(Sort::Int));
    });
    expect![[r#"
        initial condition 0: the local variable `t` is read outside its scope
        invariant 0: the local variable `t` is read outside its scope
        command `go`: the local variable `t` is read outside its scope
        property `p`: the local variable `t` is read outside its scope
        property `p`: the local variable `t` is read outside its scope
        property `p`: the local variable `t` is read outside its scope"#]]
    .assert_eq(&found);
}

#[test]
fn declarations_of_locals_are_checked() {
    let found = with_locals(|model| {
        model.vars[VarId(5)].control = true;
        model.vars[VarId(7)].life = Life::State;
        let one = model.exprs.int(1);
        let scope = Statement::Scope(vec![VarId(9)], Box::new(Statement::While(one, Box::new(Statement::Skip))));
        model.start = scope;
    });
    expect![[r#"
        variable `t`: a local variable is no control variable
        family `l[_]`: only one of its cells `l[0]` and `l[1]` is local
        start: there is no variable number 9
        start: the condition of a loop must be boolean, but `1` is an integer"#]]
    .assert_eq(&found);
}

#[test]
fn properties_are_boolean() {
    check(
        |model| {
            let one = model.exprs.int(1);
            let state = || Box::new(Ltl::State(one));
            for kind in [PropertyKind::Reach(one), PropertyKind::Ltl(Ltl::Until(state(), Box::new(Ltl::Not(state()))))]
            {
                let property =
                    Property { name: "p".to_owned(), kind, faults: Vec::new(), text: String::new(), span: SPAN };
                model.properties.push(property);
            }
        },
        expect![[r#"
            property `p`: the property must be boolean, but `1` is an integer
            property `p`: a state formula must be boolean, but `1` is an integer
            property `p`: a state formula must be boolean, but `1` is an integer"#]],
    );
}

#[test]
fn deep_and_shared_expressions_are_no_burden() {
    check(
        |model| {
            let e = model.exprs.clone();
            let mut deep = e.var(VarId(0));
            for _ in 0..200_000 {
                deep = e.intern(Node::Mul(deep, deep));
            }
            model.init.push(e.le(deep, e.int(1)));
        },
        expect![""],
    );
}

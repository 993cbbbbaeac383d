//! Random relations against brute force, and random fixpoints over random nodes against an explicit search.

use std::collections::BTreeSet;

use lapidary_base::Control;
use lapidary_reference::dice::Dice;
use lapidary_reference::seeds;
use lapidary_system::composition;

use super::oracle::{Argument, Formula, Part, Scalar, Scope, Set, Term, Tuple, Type};
use super::support::Shell;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Least,
    Greatest,
}

struct Equation {
    name: String,
    parameters: Vec<(String, Type)>,
    kind: Kind,
    body: Formula,
}

fn types() -> Vec<Type> {
    let scalar = |scalar| Type { leaves: vec![("", scalar)] };
    vec![
        scalar(Scalar::Bool),
        scalar(Scalar::Range(0, 2)),
        scalar(Scalar::Range(-1, 3)),
        scalar(Scalar::Enum(&[0, 1, 2])),
        scalar(Scalar::Enum(&[3, 1])),
        Type { leaves: vec![("f", Scalar::Bool), ("g", Scalar::Range(0, 2))] },
    ]
}

/// Whether the relations that are being defined may be used where a formula is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recursion {
    Allowed,
    Negated,
    Never,
}

impl Recursion {
    fn negated(self) -> Self {
        match self {
            Self::Allowed => Self::Negated,
            Self::Negated => Self::Allowed,
            Self::Never => Self::Never,
        }
    }
}

/// What a random formula is made of.
struct Maker<'a> {
    dice: &'a mut Dice,
    /// Names and parameters: those that have values, and those that are being defined.
    known: Vec<(String, Vec<Type>)>,
    unknown: Vec<(String, Vec<Type>)>,
    variables: Vec<(String, Type)>,
}

impl Maker<'_> {
    fn parts(&self, wanted: impl Fn(&Scalar) -> bool) -> Vec<(Part, Scalar)> {
        let mut found = Vec::new();
        for (place, (name, ty)) in self.variables.iter().enumerate() {
            let hidden = self.variables[place + 1..].iter().any(|(other, _)| other == name);
            for (leaf, (field, scalar)) in ty.leaves.iter().enumerate() {
                if !hidden && wanted(scalar) {
                    found.push((Part { name: name.clone(), field, leaf }, scalar.clone()));
                }
            }
        }
        found
    }

    fn number(&mut self, depth: usize) -> Term {
        let parts = self.parts(|scalar| matches!(scalar, Scalar::Range(..)));
        match self.dice.below(if depth == 0 { 4 } else { 8 }) {
            0 => Term::Value(self.dice.below(6) as i64 - 2),
            1..=3 if parts.is_empty() => Term::Value(self.dice.below(3) as i64),
            1..=3 => Term::Part(self.dice.pick(&parts).0),
            4 => Term::Negative(Box::new(self.number(depth - 1))),
            5 | 6 => {
                let sign = self.dice.pick(&['+', '-', '*']);
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                Term::Binary(sign, Box::new(a), Box::new(b))
            }
            _ => {
                let condition = self.plain_atom();
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                Term::If(Box::new(condition), Box::new(a), Box::new(b))
            }
        }
    }

    fn literal(&mut self) -> Term {
        let parts = self.parts(|scalar| matches!(scalar, Scalar::Enum(_)));
        match self.dice.below(3) {
            0 => Term::Literal(self.dice.below(4) as i64),
            _ if parts.is_empty() => Term::Literal(self.dice.below(4) as i64),
            _ => Term::Part(self.dice.pick(&parts).0),
        }
    }

    /// The variables of a type that are not hidden.
    fn alike(&self, ty: &Type) -> Vec<String> {
        let hidden = |place: usize, name: &str| self.variables[place + 1..].iter().any(|(other, _)| other == name);
        let mine = self.variables.iter().enumerate().filter(|(place, (name, own))| own == ty && !hidden(*place, name));
        mine.map(|(_, (name, _))| name.clone()).collect()
    }

    fn argument(&mut self, ty: &Type, depth: usize) -> Option<Argument> {
        if !ty.is_scalar() {
            let names = self.alike(ty);
            return (!names.is_empty()).then(|| Argument::Whole(self.dice.pick(&names)));
        }
        Some(match ty.leaves[0].1 {
            Scalar::Bool if depth == 0 => Argument::Formula(self.plain_atom()),
            Scalar::Bool => Argument::Formula(self.formula(depth - 1, Recursion::Never)),
            Scalar::Range(..) => Argument::Term(self.number(depth.min(1))),
            Scalar::Enum(_) => Argument::Term(self.literal()),
        })
    }

    fn application(&mut self, depth: usize, recursion: Recursion) -> Formula {
        let mut all = self.known.clone();
        if recursion == Recursion::Allowed {
            // More often than not: fixpoints are about them.
            (0..3).for_each(|_| all.extend(self.unknown.clone()));
        }
        if all.is_empty() {
            return Formula::Constant(self.dice.below(2) == 0);
        }
        let (name, signature) = self.dice.pick(&all);
        let arguments: Option<Vec<Argument>> = signature.iter().map(|ty| self.argument(ty, depth)).collect();
        arguments.map_or(Formula::Constant(false), |arguments| Formula::Apply(name, arguments))
    }

    /// A formula about a variable, without relations.
    fn plain_atom(&mut self) -> Formula {
        let parts = self.parts(|_| true);
        if parts.is_empty() {
            return Formula::Constant(self.dice.below(2) == 0);
        }
        let (part, scalar) = self.dice.pick(&parts);
        match scalar {
            Scalar::Bool => Formula::Part(part),
            Scalar::Range(..) => {
                let sign = self.dice.pick(&["=", "!=", "<", "<=", ">", ">="]);
                Formula::Compare(sign, Term::Part(part), self.number(0))
            }
            Scalar::Enum(_) => {
                let sign = self.dice.pick(&["=", "!="]);
                Formula::Compare(sign, self.literal(), Term::Part(part))
            }
        }
    }

    fn same(&mut self) -> Formula {
        let names = self.alike(&types()[5]);
        match &names[..] {
            [_, _, ..] => Formula::Same(self.dice.pick(&names), self.dice.pick(&names)),
            _ => self.plain_atom(),
        }
    }

    fn atom(&mut self, recursion: Recursion) -> Formula {
        match self.dice.below(6) {
            0 => {
                let sign = self.dice.pick(&["=", "!=", "<", "<=", ">", ">="]);
                Formula::Compare(sign, self.number(1), self.number(1))
            }
            1 => self.same(),
            2 | 3 => self.plain_atom(),
            _ => self.application(0, recursion),
        }
    }

    fn formula(&mut self, depth: usize, recursion: Recursion) -> Formula {
        if depth == 0 {
            return self.atom(recursion);
        }
        let boxed = Box::new;
        match self.dice.below(11) {
            0 => Formula::Not(boxed(self.formula(depth - 1, recursion.negated()))),
            1 | 2 => Formula::And((0..2 + self.dice.below(2)).map(|_| self.formula(depth - 1, recursion)).collect()),
            3 | 4 => Formula::Or((0..2 + self.dice.below(2)).map(|_| self.formula(depth - 1, recursion)).collect()),
            5 => {
                let left = self.formula(depth - 1, recursion.negated());
                Formula::Implies(boxed(left), boxed(self.formula(depth - 1, recursion)))
            }
            6 => {
                let left = self.formula(depth - 1, Recursion::Never);
                Formula::Iff(boxed(left), boxed(self.formula(depth - 1, Recursion::Never)))
            }
            7 => {
                let condition = self.formula(depth - 1, Recursion::Never);
                let yes = self.formula(depth - 1, recursion);
                Formula::If(boxed(condition), boxed(yes), boxed(self.formula(depth - 1, recursion)))
            }
            8 | 9 => {
                let ty = self.dice.pick(&types());
                let name = self.dice.pick(&["u", "v", "w", "x"]).to_owned();
                self.variables.push((name.clone(), ty.clone()));
                let body = boxed(self.formula(depth - 1, recursion));
                self.variables.pop();
                if self.dice.below(2) == 0 { Formula::Exists(name, ty, body) } else { Formula::Forall(name, ty, body) }
            }
            _ => self.application(depth - 1, recursion),
        }
    }
}

fn parameters(dice: &mut Dice) -> Vec<(String, Type)> {
    let n = [0, 1, 1, 2, 2, 2, 3, 3][dice.below(8)];
    ["x", "y", "z"].iter().take(n).map(|name| ((*name).to_owned(), dice.pick(&types()))).collect()
}

/// Some equations that are defined together, over relations that have values.
fn block(dice: &mut Dice, known: &[(String, Vec<Type>)], first: usize) -> Vec<Equation> {
    let n = [1, 1, 2, 3][dice.below(4)];
    let mut equations = Vec::new();
    for number in 0..n {
        let kind = if n == 1 {
            dice.pick(&[Kind::Plain, Kind::Least, Kind::Greatest])
        } else {
            dice.pick(&[Kind::Least, Kind::Greatest])
        };
        let name = format!("R{}", first + number);
        equations.push(Equation { name, parameters: parameters(dice), kind, body: Formula::Constant(true) });
    }
    let signature =
        |equation: &Equation| (equation.name.clone(), equation.parameters.iter().map(|(_, ty)| ty.clone()).collect());
    let unknown: Vec<(String, Vec<Type>)> = equations.iter().map(signature).collect();
    for equation in &mut equations {
        let recursion = if equation.kind == Kind::Plain { Recursion::Never } else { Recursion::Allowed };
        let variables = equation.parameters.clone();
        let mut maker = Maker { dice, known: known.to_vec(), unknown: unknown.clone(), variables };
        equation.body = maker.formula(3, recursion);
    }
    equations
}

fn text(equations: &[Equation]) -> String {
    let one = |equation: &Equation| {
        let parameters: Vec<String> =
            equation.parameters.iter().map(|(name, ty)| format!("{name} : {}", ty.text())).collect();
        let head = if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
        let sign = match equation.kind {
            Kind::Plain => ":=",
            Kind::Least => "+=",
            Kind::Greatest => "-=",
        };
        format!("{}{head} {sign} {};\n", equation.name, equation.body.text(0))
    };
    let all: String = equations.iter().map(one).collect();
    if equations.len() == 1 { all } else { format!("begin\n{all}end\n") }
}

fn tuples(equation: &Equation) -> Vec<Tuple> {
    let mut all = vec![Vec::new()];
    for (_, ty) in &equation.parameters {
        all = all
            .iter()
            .flat_map(|tuple: &Tuple| {
                ty.values().into_iter().map(|value| [&tuple[..], &value[..]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

fn right_side(equation: &Equation, values: &[(String, Set)]) -> Set {
    let relations = |name: &str| &values.iter().rev().find(|(known, _)| known == name).expect("defined").1;
    let holds = |tuple: &Tuple| {
        let mut rest = &tuple[..];
        let mut variables = Vec::new();
        for (name, ty) in &equation.parameters {
            let (own, others) = rest.split_at(ty.leaves.len());
            variables.push((name.clone(), own.to_vec()));
            rest = others;
        }
        Scope { relations: &relations, variables }.holds(&equation.body)
    };
    tuples(equation).into_iter().filter(holds).collect()
}

/// Nested fixpoints as they are defined: each is iterated with those after it solved anew in every round.
fn solve(equations: &[Equation], place: usize, values: &mut Vec<(String, Set)>, first: usize) {
    let Some(equation) = equations.get(place) else { return };
    values[first + place].1 = match equation.kind {
        Kind::Plain | Kind::Least => Set::new(),
        Kind::Greatest => tuples(equation).into_iter().collect(),
    };
    loop {
        solve(equations, place + 1, values, first);
        let next = right_side(equation, values);
        if next == values[first + place].1 {
            return;
        }
        values[first + place].1 = next;
    }
}

#[test]
fn random_relations_have_the_tuples_that_brute_force_finds() {
    let (mut n_proper, mut n_relations) = (0, 0);
    for seed in seeds::of(0..800) {
        let mut dice = Dice::new(seed);
        let mut shell = Shell::new(&[]);
        shell.define("domain Colour = {red, green, blue, grey};");
        let mut known: Vec<(String, Vec<Type>)> = Vec::new();
        let mut values: Vec<(String, Set)> = Vec::new();
        let mut said = String::new();
        for _ in 0..3 {
            let equations = block(&mut dice, &known, values.len());
            let first = values.len();
            values.extend(equations.iter().map(|equation| (equation.name.clone(), Set::new())));
            solve(&equations, 0, &mut values, first);
            let definition = text(&equations);
            said += &definition;
            let before = shell.session.outcome;
            let printed = shell.say(&definition);
            assert_eq!(shell.session.outcome, before, "seed {seed}\n{said}\n{printed}");
            for equation in &equations {
                let expected = &values.iter().find(|(name, _)| *name == equation.name).expect("solved").1;
                let shown: Vec<String> = shown(equation, expected);
                assert_eq!(shell.tuples(&equation.name), shown, "{} of seed {seed}\n{said}", equation.name);
                assert_eq!(shell.cardinal(&equation.name), expected.len() as u128, "seed {seed}");
                n_relations += 1;
                n_proper += usize::from(!expected.is_empty() && expected.len() < tuples(equation).len());
                known.push((equation.name.clone(), equation.parameters.iter().map(|(_, ty)| ty.clone()).collect()));
            }
        }
    }
    assert!(n_proper * 6 > n_relations, "only {n_proper} of {n_relations} are neither empty nor full");
}

/// Tuples as they are printed. Values are listed in the order of their types, which for literals is not that of numbers.
fn shown(equation: &Equation, set: &Set) -> Vec<String> {
    let inside = tuples(equation).into_iter().filter(|tuple| set.contains(tuple));
    let show = |tuple: Tuple| {
        let mut rest = &tuple[..];
        let mut parts = Vec::new();
        for (_, ty) in &equation.parameters {
            let (own, others) = rest.split_at(ty.leaves.len());
            parts.push(ty.show(own));
            rest = others;
        }
        format!("({})", parts.join(", "))
    };
    inside.map(show).collect()
}

/// A node with two state variables, a flow that depends on them, and a few guarded events.
fn node(dice: &mut Dice) -> String {
    let mut text = String::from("node N\n  state x : [0,3]; b : bool;\n  flow f : [0,2];\n  event ");
    let n_events = 2 + dice.below(3);
    let names: Vec<String> = (0..n_events).map(|number| format!("e{number}")).collect();
    text += &names.join(", ");
    text += if dice.below(3) == 0 { ";\n  event e0 < e1;\n" } else { ";\n" };
    let guards = ["true", "x < 3", "b", "not b", "x > 0", "f = 1", "x = f", "f != 0 and b"];
    let updates = ["x := x + 1", "x := x - 1", "b := not b", "x := f", "x := 0, b := true", "b := x = 2"];
    let assertions = ["true", "f <= x", "b => f = 0", "f = (if b then 1 else 2)", "x + f < 5", "f != x"];
    text += "  trans\n";
    for _ in 0..n_events + dice.below(3) {
        text += &format!("    {} |- {} -> {};\n", dice.pick(&guards), dice.pick(&names), dice.pick(&updates));
    }
    text += &format!("  assert {};\n", dice.pick(&assertions));
    text += ["", "  init x := 0;\n", "  init b := false, x := 1;\n"][dice.below(3)];
    text + "edon\n"
}

/// The states from which a set is met on some path, or left on none, computed on listed transitions.
fn closure(start: &BTreeSet<usize>, edges: &[(usize, usize)]) -> BTreeSet<usize> {
    let mut found = start.clone();
    loop {
        let more: Vec<usize> =
            edges.iter().filter(|(from, to)| found.contains(from) && !found.contains(to)).map(|(_, to)| *to).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

#[test]
fn random_fixpoints_over_nodes_agree_with_an_explicit_search() {
    for seed in seeds::of(0..120) {
        let mut dice = Dice::new(seed + 1_000_000);
        let model = node(&mut dice);
        let mut shell = Shell::new(&[("n.alt", &model)]);
        shell.define(":ar-load n.alt");
        let (tree, control) = (shell.tree("N"), Control::new());
        let all = composition::explore_all(&tree, &control).expect("small");
        let reached = composition::explore(&tree, &control).expect("small");
        let edges: Vec<(usize, usize)> =
            all.transitions.iter().map(|&(from, _, to)| (from as usize, to as usize)).collect();
        let goal: BTreeSet<usize> = (0..all.n_states()).filter(|&state| all.state(state)[0] == 3).collect();
        let back: Vec<(usize, usize)> = edges.iter().map(|&(from, to)| (to, from)).collect();
        shell.define(
            "Reach(s) += N!init(s) | <t, e>(Reach(t) & N!t(t, e, s));
             Can(s) += N!c(s) & s.x = 3 | <t, e>(N!t(s, e, t) & Can(t));
             Never(s) -= N!c(s) & s.x != 3 & [e, t](N!t(s, e, t) => Never(t));
             Step(s, t) := <e>(N!t(s, e, t) & e != eps);
             Stays(s) -= N!c(s) & ~s.b & <t>(Step(s, t) & Stays(t));",
        );
        let can = closure(&goal, &back);
        let proper: Vec<(usize, usize)> = all
            .transitions
            .iter()
            .filter(|(_, event, _)| all.events[*event].iter().any(|event| event.0 != 0))
            .map(|&(from, _, to)| (from as usize, to as usize))
            .collect();
        let mut stays: BTreeSet<usize> = (0..all.n_states()).filter(|&state| all.state(state)[1] == 0).collect();
        loop {
            let kept: BTreeSet<usize> = stays
                .iter()
                .copied()
                .filter(|&state| proper.iter().any(|&(from, to)| from == state && stays.contains(&to)))
                .collect();
            if kept == stays {
                break;
            }
            stays = kept;
        }
        let expected = [
            ("N!c", all.n_states()),
            ("N!t", all.transitions.len()),
            ("N!reach", reached.n_states()),
            ("Reach", reached.n_states()),
            ("Can", can.len()),
            ("Never", all.n_states() - can.len()),
            ("Stays", stays.len()),
        ];
        for (relation, count) in expected {
            assert_eq!(shell.cardinal(relation), count as u128, "{relation} of seed {seed}\n{model}");
        }
        let names: Vec<String> = tree.vars.iter().map(|var| var.name.clone()).collect();
        let show = |state: &[i64]| {
            let value = |(name, value): (&String, &i64)| match name.as_str() {
                "b" => format!("b = {}", *value != 0),
                _ => format!("{name} = {value}"),
            };
            format!("({{{}}})", names.iter().zip(state).map(value).collect::<Vec<_>>().join(", "))
        };
        let mut states: Vec<&[i64]> = reached.states().collect();
        states.sort_unstable();
        let listed: Vec<String> = states.into_iter().map(show).collect();
        assert_eq!(shell.tuples("Reach"), listed, "seed {seed}\n{model}");
    }
}

//! A model and its properties, made ready for checking states in bulk.

use std::mem;

use lapidary_ir::model::Raw;
use lapidary_ir::{CommandId, Expr, Model, PropertyId, PropertyKind, Rhs, Statement};

use crate::atoms::{self, Atom};
use crate::certify::Claim;
use crate::compile::{Compiler, Test, Truth};
use crate::dispatch::Dispatch;
use crate::execute::{self, Code, Place, Right, Write, Writes};
use crate::initial;
use crate::layout::{Bits, Codec};

pub struct Program {
    pub dispatch: Dispatch,
    pub invariant: Box<[Test]>,
    pub targets: Vec<Target>,
    /// The first property that asks for a step in every state.
    pub deadlock_free: Option<PropertyId>,
}

/// Something that happens where a condition is true. The conjuncts of the condition may be tested in any order: it is
/// true where all of them are, and whatever else it may be makes no difference.
pub struct Rule {
    /// The conjuncts that ask for one value of a variable, together.
    pub needs: Bits,
    /// Those that compare a variable with a constant otherwise.
    pub atoms: Vec<Atom>,
    pub tests: Box<[Test]>,
    pub then: Then,
}

pub enum Then {
    Step(CommandId, Effect),
    /// The command would err, by its fault of this number.
    Fault(CommandId, usize),
}

pub enum Effect {
    /// One assignment without choice, in a model without invariant: a change of a few bits.
    Patch {
        constant: Bits,
        writes: Box<[Write]>,
        distinct: Distinct,
    },
    Code(Code),
}

/// Are the variables of an assignment known to be different ones?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distinct {
    Always,
    /// It depends on the indexes.
    Perhaps,
}

/// A property that single states decide. A state is fine where all `faults` are false and the formula is `fine`.
pub struct Target {
    pub claim: Claim,
    pub faults: Box<[Test]>,
    pub formula: Test,
    pub fine: Truth,
}

pub fn program(model: &Model, codec: &Codec, claims: &[Claim]) -> Program {
    let mut compiler = Compiler::new(model);
    let mut rules: Vec<Rule> =
        model.commands.ids().filter_map(|id| command_rule(model, codec, id, &mut compiler)).collect();
    let first = |kind| claims.iter().map(|claim| claim.property()).find(|&id| model.properties[id].kind == kind);
    if first(PropertyKind::NoErrors).is_some() {
        rules.extend(fault_rules(model, &mut compiler));
    }
    Program {
        dispatch: Dispatch::new(rules, codec, model.vars.len()),
        invariant: model.invariant.iter().map(|&part| compiler.test(part)).collect(),
        targets: claims.iter().filter_map(|&claim| target(model, claim, &mut compiler)).collect(),
        deadlock_free: first(PropertyKind::DeadlockFree),
    }
}

fn target(model: &Model, claim: Claim, compiler: &mut Compiler<'_>) -> Option<Target> {
    let asked = &model.properties[claim.property()];
    let (formula, fine) = match asked.kind {
        PropertyKind::Invariant(formula) => (formula, Truth::True),
        PropertyKind::Reach(formula) => (formula, Truth::False),
        PropertyKind::DeadlockFree | PropertyKind::NoErrors | PropertyKind::Ltl(_) => return None,
    };
    let faults = asked.faults.iter().map(|fault| compiler.test(fault.when)).collect();
    Some(Target { claim, faults, formula: compiler.test(formula), fine })
}

fn fault_rules(model: &Model, compiler: &mut Compiler<'_>) -> Vec<Rule> {
    let commands = model.commands.enumerated();
    let faults = commands.flat_map(|(id, command)| command.faults.iter().enumerate().map(move |(i, f)| (id, i, f)));
    faults.filter_map(|(id, i, fault)| rule(model, [fault.when], Then::Fault(id, i), compiler)).collect()
}

/// `None` for a command that has no step in any state.
fn command_rule(model: &Model, codec: &Codec, id: CommandId, compiler: &mut Compiler<'_>) -> Option<Rule> {
    let mut parts = Vec::new();
    flatten(&model.commands[id].body, &mut parts);
    let mut guards: Vec<Expr> = parts.iter().map_while(|part| assumption(part)).collect();
    let rest = &parts[guards.len()..];
    guards.extend(rest.first().map(|part| entry_conditions(model, part)).unwrap_or_default());
    let effect = match rest {
        _ if !model.invariant.is_empty() => sequence(model, rest, compiler),
        [] => Effect::Patch { constant: Bits::default(), writes: Box::default(), distinct: Distinct::Always },
        [Statement::Assign(list)] => {
            if list.iter().any(|one| one.value == Rhs::Any) {
                Effect::Code(Code::Assign(Writes::new(model, list, compiler)))
            } else {
                patch_effect(codec, list.iter().map(|one| execute::write(model, one, compiler)).collect())?
            }
        }
        _ => sequence(model, rest, compiler),
    };
    rule(model, guards, Then::Step(id, effect), compiler)
}

fn assumption(statement: &Statement) -> Option<Expr> {
    match statement {
        Statement::Assume(condition) => Some(*condition),
        Statement::Skip | Statement::Assign(_) | Statement::Sequence(_) | Statement::Choice(_) => None,
        Statement::If(..) | Statement::While(..) | Statement::Scope(..) => None,
    }
}

/// What a scope assumes first: where that is false it has no execution. It is asked for again within.
fn entry_conditions(model: &Model, statement: &Statement) -> Vec<Expr> {
    let Statement::Scope(_, body) = statement else { return Vec::new() };
    let mut parts = Vec::new();
    flatten(body, &mut parts);
    let speaks_of_states = |part: &Expr| initial::variables(model, *part).iter().all(|&var| !model.is_local(var));
    parts.iter().map_while(|part| assumption(part)).take_while(speaks_of_states).collect()
}

fn sequence(model: &Model, parts: &[&Statement], compiler: &mut Compiler<'_>) -> Effect {
    Effect::Code(Code::Sequence(parts.iter().map(|part| execute::code(model, part, compiler)).collect()))
}

fn flatten<'s>(statement: &'s Statement, out: &mut Vec<&'s Statement>) {
    match statement {
        Statement::Skip => {}
        Statement::Sequence(parts) => parts.iter().for_each(|part| flatten(part, out)),
        Statement::Assume(_) | Statement::Assign(_) | Statement::Choice(_) | Statement::If(..) => out.push(statement),
        Statement::While(..) | Statement::Scope(..) => out.push(statement),
    }
}

impl Rule {
    /// Gathers the conjuncts that ask for single values; `None` where two of them, or one and a domain, exclude each
    /// other.
    pub fn gathered(mut self, codec: &Codec) -> Option<Self> {
        let mut asked: Vec<(usize, Raw)> = Vec::new();
        for atom in mem::take(&mut self.atoms) {
            let Some(value) = atom.only_value() else {
                self.atoms.push(atom);
                continue;
            };
            match asked.iter().find(|(var, _)| *var == atom.var) {
                Some(&(_, other)) if other != value => return None,
                Some(_) => {}
                None if !codec.admits(atom.var, value) => return None,
                None => {
                    asked.push((atom.var, value));
                    codec.require(&mut self.needs, atom.var, value);
                }
            }
        }
        Some(self)
    }
}

/// `None` where the condition is plainly false.
fn rule(
    model: &Model,
    conditions: impl IntoIterator<Item = Expr>,
    then: Then,
    compiler: &mut Compiler<'_>,
) -> Option<Rule> {
    let (mut atoms, mut tests) = (Vec::new(), Vec::new());
    for part in conditions.into_iter().flat_map(|condition| model.exprs.conjuncts(condition)) {
        match (model.exprs.as_bool(part), atoms::atom(model, part)) {
            (Some(false), _) => return None,
            (Some(true), _) => {}
            (None, Some(atom)) => atoms.push(atom),
            (None, None) => tests.push(compiler.test(part)),
        }
    }
    Some(Rule { needs: Bits::default(), atoms, tests: tests.into(), then })
}

/// The constant parts of an assignment are merged into one patch per word.
fn patch_effect(codec: &Codec, writes: Vec<Write>) -> Option<Effect> {
    if writes.iter().any(|write| matches!(write.to, Place::Nowhere)) {
        return None;
    }
    let fixed: Option<Vec<usize>> = writes.iter().map(|write| fixed_place(&write.to)).collect();
    let Some(mut fixed) = fixed else {
        return Some(Effect::Patch { constant: Bits::default(), writes: writes.into(), distinct: Distinct::Perhaps });
    };
    fixed.sort_unstable();
    if fixed.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let (mut constant, mut others) = (Bits::default(), Vec::new());
    for write in writes {
        let (Some(var), Right::Constant(value)) = (fixed_place(&write.to), &write.value) else {
            others.push(write);
            continue;
        };
        if !codec.admits(var, *value) {
            return None;
        }
        codec.require(&mut constant, var, *value);
    }
    Some(Effect::Patch { constant, writes: others.into(), distinct: Distinct::Always })
}

fn fixed_place(place: &Place) -> Option<usize> {
    match place {
        Place::Var(var) => Some(*var),
        Place::Cell { .. } | Place::Nowhere => None,
    }
}

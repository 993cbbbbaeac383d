//! Solves equations on diagrams: formulas become sets, fixpoints are iterated.
//!
//! A set is only meaningful within the values of the types of its variables: quantifiers and finished relations are
//! restricted to them, what lies between is not.

use lapidary_base::hash::Map;
use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::{Column, Set};
use lapidary_text::Span;

use super::ast::{Fixpoint, Quantifier};
use super::formula::{Equation, Formula, Relation, System, Term, Variable};
use super::slots::Slots;
use super::types::{TypeId, Types};

/// Why there is no value.
#[derive(Debug)]
pub enum Failure {
    Stopped(Stop),
    /// An expression has too many values, or too large ones.
    TooLarge(Span),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// A relation that has a value.
#[derive(Clone)]
pub struct Stored {
    pub signature: Vec<TypeId>,
    /// Over the columns of [`Slots::parameters`], within [`Slots::tuples`].
    pub set: Set,
}

pub struct Evaluator<'a> {
    pub slots: &'a mut Slots,
    pub types: &'a Types,
    pub control: &'a Control,
    stored: &'a dyn Fn(&str) -> Stored,
    system: &'a System,
    /// The copies in which the variables in scope stand.
    copies: IdVec<Variable, usize>,
    /// How many copies of a type are in use.
    used: Map<TypeId, usize>,
    values: Vec<Set>,
    /// What does not depend on the equations is computed once; by the address of the formula.
    known: Map<usize, Set>,
}

/// The relations that the equations define, in their order.
pub fn solve<'a>(
    slots: &'a mut Slots,
    types: &'a Types,
    control: &'a Control,
    stored: &'a dyn Fn(&str) -> Stored,
    system: &'a System,
) -> Result<Vec<Stored>, Failure> {
    let copies = system.variables.iter().map(|_| 0).collect();
    let none = slots.space.none();
    let values = vec![none; system.equations.len()];
    let (used, known) = (Map::default(), Map::default());
    let mut evaluator = Evaluator { slots, types, control, stored, system, copies, used, values, known };
    let groups = evaluator.groups();
    evaluator.solve(&groups)?;
    let mut finished = Vec::new();
    for (number, equation) in system.equations.iter().enumerate() {
        let set = match equation.fixpoint {
            Fixpoint::None => evaluator.right_side(equation)?,
            Fixpoint::Least | Fixpoint::Greatest => evaluator.values[number].clone(),
        };
        finished.push(Stored { signature: evaluator.signature(equation), set });
    }
    Ok(finished)
}

impl Evaluator<'_> {
    /// Neighbouring fixpoints of the same kind are one; the first group is the outermost.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<(Fixpoint, Vec<usize>)> = Vec::new();
        for (number, equation) in self.system.equations.iter().enumerate() {
            match (equation.fixpoint, groups.last_mut()) {
                (Fixpoint::None, _) => {}
                (fixpoint, Some((same, group))) if *same == fixpoint => group.push(number),
                (fixpoint, _) => groups.push((fixpoint, vec![number])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    fn signature(&self, equation: &Equation) -> Vec<TypeId> {
        equation.parameters.iter().map(|&parameter| self.system.variables[parameter].ty).collect()
    }

    /// Inner fixpoints start anew whenever an outer one has changed.
    fn solve(&mut self, groups: &[Vec<usize>]) -> Result<(), Failure> {
        let Some((group, inner)) = groups.split_first() else { return Ok(()) };
        for &number in group {
            let equation = &self.system.equations[number];
            self.values[number] = match equation.fixpoint {
                Fixpoint::None | Fixpoint::Least => self.slots.space.none(),
                Fixpoint::Greatest => self.slots.tuples(self.types, &self.signature(equation))?,
            };
        }
        loop {
            self.control.check()?;
            self.solve(inner)?;
            let mut changed = false;
            for &number in group {
                let value = self.right_side(&self.system.equations[number])?;
                changed |= value != self.values[number];
                self.values[number] = value;
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// The value of the right side under the current values of the equations.
    fn right_side(&mut self, equation: &Equation) -> Result<Set, Failure> {
        let signature = self.signature(equation);
        let used = std::mem::take(&mut self.used);
        for (&parameter, &ty) in equation.parameters.iter().zip(&signature) {
            self.enter(parameter, ty);
        }
        let set = self.formula(&equation.body);
        self.used = used;
        let tuples = self.slots.tuples(self.types, &signature)?;
        Ok(self.slots.space.and(&tuples, &set?)?)
    }

    fn enter(&mut self, variable: Variable, ty: TypeId) {
        let used = self.used.entry(ty).or_insert(0);
        self.copies[variable] = *used;
        *used += 1;
    }

    pub fn columns_of(&mut self, variable: Variable) -> Result<Vec<Column>, Stop> {
        let ty = self.system.variables[variable].ty;
        self.slots.columns(self.types, ty, self.copies[variable])
    }

    pub fn type_of(&self, variable: Variable) -> TypeId {
        self.system.variables[variable].ty
    }

    pub fn formula(&mut self, formula: &Formula) -> Result<Set, Failure> {
        let is_small = matches!(formula, Formula::Constant(_) | Formula::Not(_));
        if is_small || formula.is_recursive() {
            return self.compute(formula);
        }
        let address = std::ptr::from_ref(formula).addr();
        if let Some(set) = self.known.get(&address) {
            return Ok(set.clone());
        }
        let set = self.compute(formula)?;
        self.known.insert(address, set.clone());
        Ok(set)
    }

    fn compute(&mut self, formula: &Formula) -> Result<Set, Failure> {
        match formula {
            Formula::Constant(true) => Ok(self.slots.space.all()),
            Formula::Constant(false) => Ok(self.slots.space.none()),
            Formula::Not(inner) => {
                let inner = self.formula(inner)?;
                Ok(self.slots.space.not(&inner)?)
            }
            Formula::And(parts) => {
                let parts = self.formulas(parts)?;
                Ok(self.slots.space.and_all(&parts)?)
            }
            Formula::Or(parts) => {
                let parts = self.formulas(parts)?;
                Ok(self.slots.space.or_all(&parts)?)
            }
            Formula::Iff(a, b) => {
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                Ok(self.slots.space.iff(&a, &b)?)
            }
            Formula::If(condition, yes, no) => {
                let (condition, yes, no) = (self.formula(condition)?, self.formula(yes)?, self.formula(no)?);
                Ok(self.slots.space.ite(&condition, &yes, &no)?)
            }
            Formula::Quantified(quantifier, variables, body) => self.quantified(*quantifier, variables, body),
            Formula::Apply(relation, arguments, span) => self.apply(relation, arguments, *span),
            Formula::Compare(comparison, left, right, span) => self.compare(*comparison, left, right, *span),
        }
    }

    fn formulas(&mut self, parts: &[Formula]) -> Result<Vec<Set>, Failure> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn quantified(&mut self, quantifier: Quantifier, variables: &[Variable], body: &Formula) -> Result<Set, Failure> {
        self.control.check()?;
        let before = self.used.clone();
        let mut columns = Vec::new();
        for &variable in variables {
            self.enter(variable, self.type_of(variable));
            columns.extend(self.columns_of(variable)?);
        }
        let set = match quantifier {
            Quantifier::Exists => self.project(variables, &columns, body),
            Quantifier::Forall => self.everywhere(variables, &columns, body),
        };
        self.used = before;
        set
    }

    /// For some values of the variables.
    fn project(&mut self, variables: &[Variable], columns: &[Column], body: &Formula) -> Result<Set, Failure> {
        if let Formula::Or(parts) = body {
            let parts: Vec<Set> =
                parts.iter().map(|part| self.project(variables, columns, part)).collect::<Result<_, _>>()?;
            return Ok(self.slots.space.or_all(&parts)?);
        }
        let parts = match body {
            Formula::And(parts) => &parts[..],
            _ => std::slice::from_ref(body),
        };
        let mut set = self.slots.space.all();
        for &variable in variables {
            if parts.iter().any(|part| self.bounds(part, variable)) {
                continue;
            }
            let universe = self.slots.universe(self.types, self.type_of(variable), self.copies[variable])?;
            set = self.slots.space.and(&set, &universe)?;
        }
        let cube = self.slots.space.cube(columns)?;
        let Some((last, others)) = parts.split_last() else {
            return Ok(self.slots.space.exists(&set, &cube)?);
        };
        for part in others {
            let part = self.formula(part)?;
            set = self.slots.space.and(&set, &part)?;
        }
        let last = self.formula(last)?;
        Ok(self.slots.space.and_exists(&set, &last, &cube)?)
    }

    /// For all values of the variables.
    fn everywhere(&mut self, variables: &[Variable], columns: &[Column], body: &Formula) -> Result<Set, Failure> {
        let body = self.formula(body)?;
        let mut counterexamples = self.slots.space.not(&body)?;
        for &variable in variables {
            let universe = self.slots.universe(self.types, self.type_of(variable), self.copies[variable])?;
            counterexamples = self.slots.space.and(&counterexamples, &universe)?;
        }
        let cube = self.slots.space.cube(columns)?;
        let somewhere = self.slots.space.exists(&counterexamples, &cube)?;
        Ok(self.slots.space.not(&somewhere)?)
    }

    /// Whether a formula only holds for values of the variable's type: it is all of an argument of that type.
    fn bounds(&self, formula: &Formula, variable: Variable) -> bool {
        match formula {
            Formula::Apply(relation, arguments, _) => {
                let signature = match relation {
                    Relation::Stored(name) => (self.stored)(name).signature,
                    Relation::Equation(number) => self.signature(&self.system.equations[*number]),
                };
                let ty = self.type_of(variable);
                let is_whole = |terms: &[Term]| {
                    terms.iter().enumerate().all(|(number, term)| match term {
                        Term::Part(part) => part.variable == variable && part.leaf == number,
                        Term::Value(_) | Term::Negative(..) | Term::Binary(..) | Term::If(..) | Term::Truth(_) => false,
                    })
                };
                arguments.iter().zip(signature).any(|(terms, parameter)| parameter == ty && is_whole(terms))
            }
            Formula::And(parts) => parts.iter().any(|part| self.bounds(part, variable)),
            Formula::Or(parts) => !parts.is_empty() && parts.iter().all(|part| self.bounds(part, variable)),
            Formula::Quantified(Quantifier::Exists, _, body) => self.bounds(body, variable),
            Formula::Constant(_)
            | Formula::Not(_)
            | Formula::Iff(..)
            | Formula::If(..)
            | Formula::Quantified(Quantifier::Forall, ..)
            | Formula::Compare(..) => false,
        }
    }

    fn relation(&mut self, relation: &Relation) -> Result<Stored, Failure> {
        match relation {
            Relation::Stored(name) => Ok((self.stored)(name)),
            Relation::Equation(number) => {
                let equation = &self.system.equations[*number];
                let signature = self.signature(equation);
                let set = match equation.fixpoint {
                    Fixpoint::Least | Fixpoint::Greatest => self.values[*number].clone(),
                    Fixpoint::None => {
                        let copies = self.copies.clone();
                        let set = self.right_side(equation)?;
                        self.copies = copies;
                        set
                    }
                };
                Ok(Stored { signature, set })
            }
        }
    }

    /// Renames the columns of the parameters to those of the arguments. What cannot be renamed to - a constant, a
    /// number of another range, a variable that is there already - stands in a column of its own for a moment.
    fn apply(&mut self, relation: &Relation, arguments: &[Vec<Term>], span: Span) -> Result<Set, Failure> {
        self.control.check()?;
        let Stored { signature, set } = self.relation(relation)?;
        let mut scratch = self.used.clone();
        let mut pairs: Vec<(Column, Column)> = Vec::new();
        let mut aside: Vec<(Column, &Term, TypeId, usize)> = Vec::new();
        for ((&ty, copy), terms) in signature.iter().zip(Slots::canonical(&signature)).zip(arguments) {
            let from = self.slots.columns(self.types, ty, copy)?;
            let free = scratch.entry(ty).or_insert(0);
            let spare = self.slots.columns(self.types, ty, *free)?;
            *free += 1;
            for (leaf, (term, &column)) in terms.iter().zip(&from).enumerate() {
                let target = self.target(term, ty, leaf)?.filter(|to| pairs.iter().all(|(_, taken)| taken != to));
                match target {
                    Some(to) => pairs.push((column, to)),
                    None => {
                        pairs.push((column, spare[leaf]));
                        aside.push((spare[leaf], term, ty, leaf));
                    }
                }
            }
        }
        let mut set = self.slots.space.rename(&set, &self.slots.space.renaming(&pairs))?;
        for (column, term, ty, leaf) in aside {
            let equal = self.equals(term, column, ty, leaf, span)?;
            let cube = self.slots.space.cube(&[column])?;
            set = self.slots.space.and_exists(&set, &equal, &cube)?;
        }
        Ok(set)
    }

    /// The column of a term that is a part of a variable with the same values.
    pub fn target(&mut self, term: &Term, ty: TypeId, leaf: usize) -> Result<Option<Column>, Stop> {
        let Term::Part(part) = term else { return Ok(None) };
        let other = &self.types.get(self.type_of(part.variable)).leaves[part.leaf].scalar;
        if *other != self.types.get(ty).leaves[leaf].scalar {
            return Ok(None);
        }
        Ok(Some(self.columns_of(part.variable)?[part.leaf]))
    }
}

//! Builds small models directly, without a front end, and packs their states.

use lapidary_base::IdVec;
use lapidary_ir::model::Raw;
use lapidary_ir::{
    Assignment, Command, CommandId, Destination, Domain, EnumId, EnumType, Expr, Family, FamilyId, Fault, Life, Model,
    Property, PropertyId, PropertyKind, Rhs, Statement, Var, VarId,
};
use lapidary_text::{SourceId, Span};
use lapidary_verdict::{Enumeration, Field, Layout};

pub const NOWHERE: Span = Span::new(SourceId(0), 0, 0);

pub fn add_enum(model: &mut Model, name: &str, literals: &[&str]) -> EnumId {
    let literals = literals.iter().map(|&literal| literal.to_owned()).collect();
    model.enums.push(EnumType { name: name.to_owned(), literals })
}

pub fn add_var(model: &mut Model, name: &str, domain: Domain) -> VarId {
    model.vars.push(Var { name: name.to_owned(), domain, control: false, life: Life::State, span: NOWHERE })
}

pub fn add_family(model: &mut Model, name: &str, len: u32, domain: Domain) -> FamilyId {
    let first = model.vars.next_id();
    for i in 0..len {
        add_var(model, &format!("{name}[{i}]"), domain);
    }
    model.families.push(Family { name: format!("{name}[_]"), first, len })
}

pub fn add_command(model: &mut Model, label: &str, body: Statement) -> CommandId {
    model.commands.push(Command { label: label.to_owned(), body, faults: Vec::new(), is_idle: false, span: NOWHERE })
}

/// `label: guard -> to := value, ...`
pub fn add_guarded(model: &mut Model, label: &str, guard: Expr, updates: Vec<Assignment>) -> CommandId {
    add_command(model, label, Statement::Sequence(vec![Statement::Assume(guard), Statement::Assign(updates)]))
}

pub fn add_property(model: &mut Model, name: &str, kind: PropertyKind) -> PropertyId {
    let (name, text) = (name.to_owned(), String::new());
    model.properties.push(Property { name, kind, faults: Vec::new(), text, span: NOWHERE })
}

pub fn fault(when: Expr, what: &str) -> Fault {
    Fault { when, what: what.to_owned(), span: NOWHERE }
}

pub fn set(var: VarId, value: Expr) -> Assignment {
    Assignment { to: Destination::Var(var), value: Rhs::Expr(value) }
}

pub fn set_cell(family: FamilyId, index: Expr, value: Expr) -> Assignment {
    Assignment { to: Destination::Cell(family, index), value: Rhs::Expr(value) }
}

pub fn set_any(var: VarId) -> Assignment {
    Assignment { to: Destination::Var(var), value: Rhs::Any }
}

/// Fields in the order of the variables, each as narrow as its domain allows.
pub fn layout(model: &Model) -> Layout {
    let (mut word, mut used) = (0, 0);
    let mut fields = IdVec::new();
    for var in &model.vars {
        let (bits, lo) = match model.bounds(var.domain) {
            _ if var.life == Life::Local => (0, model.first(var.domain)),
            Some((lo, hi)) if hi.abs_diff(lo) < 1 << 63 => (64 - hi.abs_diff(lo).leading_zeros(), lo),
            _ => (64, 0),
        };
        if used + bits > 64 {
            (word, used) = (word + 1, 0);
        }
        fields.push(Field { word, shift: used, bits, lo });
        used += bits;
    }
    Layout { fields, words: word as usize + 1 }
}

pub fn pack(layout: &Layout, state: &[Raw]) -> Vec<u64> {
    let mut words = vec![0; layout.words];
    for (field, &value) in layout.fields.iter().zip(state) {
        if field.bits > 0 {
            words[field.word as usize] |= (value.wrapping_sub(field.lo) as u64) << field.shift;
        }
    }
    words
}

/// The states as a certificate, in short chunks.
pub fn enumeration<S: AsRef<[Raw]>>(model: &Model, states: &[S]) -> Enumeration {
    enumeration_in(layout(model), states)
}

pub fn enumeration_in<S: AsRef<[Raw]>>(layout: Layout, states: &[S]) -> Enumeration {
    let chunks = states.chunks(5).map(|chunk| chunk.iter().flat_map(|state| pack(&layout, state.as_ref())).collect());
    Enumeration { chunks: chunks.collect(), n_states: states.len(), layout }
}

/// The least layout, the same in the high bits of a longer word, and a word for each variable.
pub fn layouts(model: &Model) -> [Layout; 3] {
    let least = layout(model);
    let (mut high, mut wide) = (least.clone(), least.clone());
    high.fields.iter_mut().for_each(|field| field.shift += 30);
    wide.fields.iter_mut().zip(0..).for_each(|(field, word)| (field.word, field.shift) = (word, 5));
    wide.words = model.vars.len();
    [least, high, wide]
}

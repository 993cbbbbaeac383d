//! Which variables matter at a location: those whose value there may decide what happens later.
//!
//! A variable is needed before a statement if an assumption reads it, or an assignment to a variable that is needed behind it
//! does; a variable that is written before it is read, on every path, is not needed. What is read by formulas is needed everywhere.
//! The least solution over the automaton is found by going round until nothing is added (as in any text on data-flow analysis).

use lapidary_base::{Id, IdVec};
use lapidary_text::Log;

use super::typed::{Edge, Expr, Kind, LocationId, Program, Statement};

/// What is known of so many variables at so many locations is kept; of more, every variable counts as needed, which is always right.
const MOST_KNOWN: usize = 1 << 26;

/// By variable.
type Needed = Vec<bool>;

/// The variables that are needed at the initial location. Where a limit of the run ends this, the log knows.
pub fn at_start(program: &Program<'_>, log: &mut Log) -> Needed {
    if program.locations.len().saturating_mul(program.variables.len()) > MOST_KNOWN {
        return vec![true; program.variables.len()];
    }
    let mut asked = vec![false; program.variables.len()];
    program
        .formulas
        .iter()
        .filter_map(|formula| formula.formula.as_ref())
        .for_each(|formula| read(formula, &mut asked));
    let mut needed: IdVec<LocationId, Needed> = program.locations.iter().map(|_| asked.clone()).collect();
    let mut arriving: IdVec<LocationId, Vec<&Edge>> = program.locations.iter().map(|_| Vec::new()).collect();
    program.edges.iter().for_each(|edge| arriving[edge.to].push(edge));
    // A location is waiting if more is needed there than its edges know.
    let mut waiting: Vec<LocationId> = program.locations.ids().collect();
    let mut is_waiting: IdVec<LocationId, bool> = program.locations.iter().map(|_| true).collect();
    while let Some(location) = waiting.pop() {
        is_waiting[location] = false;
        for edge in arriving[location].iter().take_while(|_| log.goes_on()) {
            let before = before(edge, needed[location].clone(), &asked);
            if join(&mut needed[edge.from], &before) && !std::mem::replace(&mut is_waiting[edge.from], true) {
                waiting.push(edge.from);
            }
        }
    }
    needed[program.initial].clone()
}

/// What is needed before an edge, given what is needed behind it.
fn before(edge: &Edge, mut needed: Needed, asked: &Needed) -> Needed {
    for statement in edge.body.iter().rev() {
        match statement {
            Statement::Assume(condition) => read(condition, &mut needed),
            // Formulas look at states between edges only: what is written within one is no longer needed before.
            Statement::Havoc(to) => needed[to.index()] = false,
            Statement::Assign(to, value) => {
                if std::mem::replace(&mut needed[to.index()], false) {
                    read(value, &mut needed);
                }
            }
        }
    }
    join(&mut needed, asked);
    needed
}

/// Adds the variables that an expression reads.
fn read(expr: &Expr, needed: &mut Needed) {
    if let Kind::Variable(variable) = expr.kind {
        needed[variable.index()] = true;
    }
    expr.for_each_part(|part| read(part, needed));
}

/// Adds what is needed elsewhere; whether that was more.
fn join(needed: &mut Needed, more: &Needed) -> bool {
    let mut grew = false;
    for (needed, &more) in needed.iter_mut().zip(more) {
        grew |= more && !*needed;
        *needed |= more;
    }
    grew
}

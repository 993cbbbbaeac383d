//! Horn clauses reach what the model reaches: their least solution, found by trying all values, is the set of reachable states.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::{Control, Id};
use lapidary_ir::passes::variables;
use lapidary_ir::{
    Assignment, Command, Destination, Domain, Life, Model, PropertyKind, Rhs, Sort, Statement, Var, VarId,
};
use lapidary_reference::bodies::{self, E, Loops, Shape, State};
use lapidary_reference::seeds;
use lapidary_smt::Terms;
use lapidary_smt::horn::{self, Clause, Horn, PredicateId, Query};

use crate::common::{all_hold, for_each_input, value};

/// The values that predicates are true of, parameter by parameter, and whether the query is met.
#[derive(Default)]
struct Least {
    facts: BTreeSet<(PredicateId, Vec<i64>)>,
    is_met: bool,
}

/// The least solution; what is not a parameter is tried with all values.
fn least(horn: &Horn<'_>) -> Least {
    let mut from: BTreeMap<Option<PredicateId>, Vec<&Clause>> = BTreeMap::new();
    horn.clauses.iter().for_each(|clause| from.entry(clause.from).or_default().push(clause));
    let mut least = Least::default();
    let mut open = vec![(None, Vec::new())];
    while let Some((at, values)) = open.pop() {
        let parameters = at.map_or(&[][..], |at: PredicateId| &horn.predicates[at].parameters);
        let mut state = vec![0; horn.terms.len()];
        parameters.iter().zip(&values).for_each(|(var, value)| state[var.index()] = *value);
        for clause in from.get(&at).into_iter().flatten() {
            let free: Vec<VarId> = read(horn, clause).into_iter().filter(|var| !parameters.contains(var)).collect();
            for_each_input(&horn.terms, &free, &state, &mut |values| {
                if !all_hold(horn.terms.model(), &clause.guard, values) {
                    return;
                }
                let Some(head) = &clause.to else {
                    least.is_met = true;
                    return;
                };
                let of = |&argument| i64::try_from(value(horn.terms.model(), argument, values)).expect("small numbers");
                let fact = (head.predicate, head.arguments.iter().map(of).collect::<Vec<_>>());
                if least.facts.insert(fact.clone()) {
                    open.push((Some(fact.0), fact.1));
                }
            });
        }
    }
    least
}

fn read(horn: &Horn<'_>, clause: &Clause) -> BTreeSet<VarId> {
    let arguments = clause.to.iter().flat_map(|to| &to.arguments);
    clause.guard.iter().chain(arguments).flat_map(|&part| variables(horn.terms.exprs(), part)).collect()
}

/// The states that the clauses reach, local variables left out. `e`, the control variable, is told by the name of the predicate.
fn states(horn: &Horn<'_>, least: &Least) -> BTreeSet<State> {
    let model = horn.terms.model();
    let at_places = least.facts.iter().filter_map(|(id, values)| {
        let literal = horn.predicates[*id].name.strip_prefix("Inv ")?;
        let literal = ["u", "v", "w"].iter().position(|name| *name == literal).expect("a literal of e");
        let lasting = model.vars.ids().filter(|&var| !model.is_local(var));
        let mut rest = values.iter().copied();
        Some(lasting.map(|var| if var == E { literal as i64 } else { rest.next().expect("a value") }).collect())
    });
    at_places.collect()
}

fn reachable(model: &Model) -> BTreeSet<State> {
    let mut found = bodies::initial(model);
    let mut open: Vec<State> = found.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for next in bodies::successors(model, &state) {
            if found.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

/// How many inputs a clause may have that is tried with all of their values.
const MOST_FREE: usize = 8;

#[test]
fn the_clauses_reach_the_states_that_the_model_reaches() {
    let (mut n_states, mut n_met, mut n_loops) = (0, 0, 0);
    for seed in seeds::of(0..240) {
        let model = bodies::model(seed, Shape { loops: Loops::Any, ..Shape::default() });
        let PropertyKind::Invariant(safe) = model.properties.as_slice()[0].kind else {
            panic!("`safe` is an invariant")
        };
        let query = Query::States(model.exprs.not(safe));
        let horn = horn::clauses(Terms::within(&model), query, &Control::new()).expect("no limits");
        let n_free = |clause: &Clause| read(&horn, clause).iter().filter(|var| var.index() >= model.vars.len()).count();
        if horn.clauses.iter().any(|clause| n_free(clause) > MOST_FREE) {
            continue;
        }
        let least = least(&horn);
        let expected = reachable(&model);
        let is_unsafe = |state: &State| lapidary_checker::eval::truth(&model, safe, state) == Ok(false);
        assert_eq!(least.is_met, expected.iter().any(is_unsafe), "seed {seed}\n{}", lapidary_ir::print::model(&model));
        let lasting = |state: State| {
            model.vars.ids().filter(|&var| !model.is_local(var)).map(|var| state[var.index()]).collect::<State>()
        };
        let expected: BTreeSet<State> = expected.into_iter().map(lasting).collect();
        assert_eq!(states(&horn, &least), expected, "seed {seed}\n{}", lapidary_ir::print::model(&model));
        n_states += expected.len();
        n_met += usize::from(least.is_met);
        n_loops += horn.predicates.iter().filter(|predicate| predicate.name.starts_with("loop")).count();
    }
    assert!(n_states > seeds::least(10_000), "{n_states} states");
    assert!(n_met > seeds::least(60) && n_loops > seeds::least(500), "{n_met} met, {n_loops} loops");
}

#[test]
fn bit_vectors_and_arrays_are_what_they_are() {
    let mut model = Model::named("memory");
    let e = model.exprs.clone();
    let memory = e.array(Sort::Bits(8), Sort::Int);
    let span = bodies::variables(bodies::Locals::None).vars[VarId(0)].span;
    for (name, domain) in [("at", Domain::Bits(8)), ("memory", Domain::Array(memory)), ("select", Domain::Bool)] {
        model.vars.push(Var { name: name.to_owned(), domain, control: false, life: Life::State, span });
    }
    let [at, cells, chosen] = [0, 1, 2].map(|number| e.var(VarId(number)));
    model.init = vec![e.eq(at, e.bits(8, 255)), e.eq(cells, e.fill(memory, e.int(0)))];
    let assign = |var, value| Assignment { to: Destination::Var(VarId(var)), value };
    let next = assign(0, Rhs::Expr(e.bit_add(at, e.bits(8, 1))));
    let stored = e.store_in(memory, cells, at, e.int(7));
    let body = Statement::Assign(vec![next, assign(1, Rhs::Expr(stored)), assign(2, Rhs::Any)]);
    model.commands.push(Command { label: "write".to_owned(), body, faults: Vec::new(), is_idle: false, span });
    let query = Query::States(e.and([chosen, e.eq(at, e.bits(8, 3))]));
    let horn = horn::clauses(Terms::within(&model), query, &Control::new()).expect("no limits");
    let text = horn.text(&["A memory.".to_owned()], &Control::new()).expect("no limits");
    let expected = "\
; A memory.
(set-logic HORN)
(declare-fun Inv ((_ BitVec 8) (Array (_ BitVec 8) Int) Bool) Bool)
; the initial states
(assert (forall ((select.2 Bool)) (Inv #xff ((as const (Array (_ BitVec 8) Int)) 0) select.2)))
; command write
(assert (forall ((at (_ BitVec 8)) (memory (Array (_ BitVec 8) Int)) (select.2 Bool) (select? Bool)) (=> (Inv at memory select.2) \
(Inv (bvadd at #x01) (store memory at 7) select?))))
; the query
(assert (forall ((at (_ BitVec 8)) (memory (Array (_ BitVec 8) Int)) (select.2 Bool)) (=> (and (Inv at memory select.2) \
select.2 (= at #x03)) false)))
(check-sat)
";
    assert_eq!(text, expected);
}

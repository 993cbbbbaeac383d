//! Has the answers of a Mec 5 session judged by the checker: on the hierarchy itself, with sets as formulas.

use lapidary_base::{Control, IdVec};
use lapidary_checker::{Claim, Rejection};
use lapidary_ir::model::Raw;
use lapidary_ir::{Action, ComponentId, EventId, Expr, Property, PropertyKind, Tree};
use lapidary_mec::mec5::{Evidence, Judgement, Question};
use lapidary_text::{SourceId, Span};
use lapidary_verdict::{Child, Diagram, State, Trace};

pub fn judge(question: &Question<'_>, evidence: &Evidence, control: &Control) -> Judgement {
    let result = match evidence {
        Evidence::Run { events, states } => replayed(question, events, states, control),
        Evidence::Inductive(set) => inductive(question, set, control),
    };
    match result {
        Ok(()) => Judgement::Accepted,
        Err(Rejection::Wrong(why)) => Judgement::Rejected(why),
        Err(Rejection::Stopped(stop)) => Judgement::Stopped(stop),
    }
}

/// The run begins in the initial configurations, ends in the error configurations, and is one of the hierarchy.
fn replayed(
    question: &Question<'_>,
    events: &[IdVec<ComponentId, EventId>],
    states: &[State],
    control: &Control,
) -> Result<(), Rejection> {
    let wrong = |why: &str| Err(Rejection::Wrong(why.to_owned()));
    let (Some(first), Some(last)) = (states.first(), states.last()) else { return wrong("the run has no state") };
    if states.iter().any(|state| state.len() != question.tree.vars.len()) {
        return wrong("a state of the run has not one value for every variable");
    }
    if !question.initial.contains(first) {
        return wrong("the run does not begin in the initial states");
    }
    if !question.error.contains(last) {
        return wrong("the run does not end in the error states");
    }
    let mut tree = without_start(question.tree);
    let init = tree.vars.ids().zip(first.iter()).filter(|&(var, _)| tree.is_state(var));
    tree.init = init.map(|(var, &value)| (var, tree.vars[var].domain.constant(&tree.exprs, value))).collect();
    let actions = events.iter().cloned().map(Action::Vector).collect();
    let trace = Trace { states: states.to_vec(), actions, loop_start: None };
    lapidary_checker::replay_tree(&tree, &trace, control)
}

/// The set has the question's initial states, no step leaves it, and it misses the error states.
fn inductive(question: &Question<'_>, set: &Diagram, control: &Control) -> Result<(), Rejection> {
    let tree = without_start(question.tree);
    let (start, error) = (formula(&tree, question.initial), formula(&tree, question.error));
    let kind = PropertyKind::Invariant(tree.exprs.not(error));
    let span = Span::new(SourceId(0), 0, 0);
    let name = "error states".to_owned();
    let property = Property { text: name.clone(), name, kind, faults: Vec::new(), span };
    let mut properties = IdVec::new();
    let claims = [Claim::Decides(properties.push(property))];
    lapidary_checker::certify_diagram_on_tree_from(&tree, start, &properties, &claims, set, control)
}

/// The hierarchy with any initial values; formulas are added above its expressions.
fn without_start(tree: &Tree) -> Tree {
    Tree {
        name: tree.name.clone(),
        exprs: tree.exprs.above(),
        enums: tree.enums.clone(),
        vars: tree.vars.clone(),
        kinds: tree.kinds.clone(),
        components: tree.components.clone(),
        init: Vec::new(),
        properties: IdVec::new(),
    }
}

/// A set as a formula: of every node of the diagram one, which its parents share.
fn formula(tree: &Tree, diagram: &Diagram) -> Expr {
    let exprs = &tree.exprs;
    let mut made: Vec<Expr> = Vec::new();
    let below = |made: &[Expr], child: Child| match child {
        Child::None => exprs.bool(false),
        Child::All => exprs.bool(true),
        Child::Node(number) => made[number as usize],
    };
    for node in &diagram.nodes {
        let domain = tree.vars[node.var].domain;
        let edge = |&(lo, hi, child): &(Raw, Raw, Child)| {
            exprs.and([domain.between(exprs, exprs.var(node.var), lo, hi), below(&made, child)])
        };
        let parts: Vec<Expr> = node.edges.iter().map(edge).collect();
        made.push(exprs.or(parts));
    }
    below(&made, diagram.root)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lapidary_ir::VarId;
    use lapidary_mec::Models;
    use lapidary_verdict::DiagramNode;

    use super::*;
    use crate::altarica::AltaricaModels;

    const COUNTER: &str = "node A state x : [0, 3]; event e; trans x < 2 |- e -> x := x + 1; init x := 0; edon";

    /// The configurations with `x` between the bounds.
    fn set(lo: Raw, hi: Raw) -> Diagram {
        let node = DiagramNode { var: VarId(0), edges: vec![(lo, hi, Child::All)] };
        Diagram { order: vec![VarId(0)], nodes: vec![node], root: Child::Node(0) }
    }

    fn judged(initial: &Diagram, error: &Diagram, evidence: &Evidence) -> Result<(), String> {
        let mut models = AltaricaModels::new(&crate::files::disk());
        assert!(models.load_text("a.alt", COUNTER).is_ok());
        let tree = models.tree("A").expect("a tree");
        match judge(&Question { tree: &tree, initial, error }, evidence, &Control::new()) {
            Judgement::Accepted => Ok(()),
            Judgement::Rejected(why) => Err(why),
            Judgement::Stopped(_) => panic!("there is no limit"),
        }
    }

    #[test]
    fn a_set_has_to_hold_the_questions_initial_states_stay_closed_and_miss_the_error_states() {
        let inductive = |lo, hi| Evidence::Inductive(Arc::new(set(lo, hi)));
        assert_eq!(judged(&set(0, 0), &set(3, 3), &inductive(0, 2)), Ok(()));
        assert_eq!(judged(&set(1, 1), &set(0, 0), &inductive(1, 2)), Ok(()));
        let wrong =
            |initial: Diagram, error: Diagram, evidence: Evidence| judged(&initial, &error, &evidence).unwrap_err();
        assert!(wrong(set(0, 0), set(3, 3), inductive(1, 2)).contains("initial"));
        assert!(wrong(set(0, 3), set(3, 3), inductive(0, 2)).contains("initial"));
        assert!(wrong(set(0, 0), set(2, 3), inductive(0, 2)).contains("error states"));
        assert!(wrong(set(0, 0), set(3, 3), inductive(0, 1)).contains("leads"));
    }

    #[test]
    fn a_limit_ends_the_judgement() {
        let mut models = AltaricaModels::new(&crate::files::disk());
        assert!(models.load_text("a.alt", COUNTER).is_ok());
        let tree = models.tree("A").expect("a tree");
        let (initial, error) = (set(0, 0), set(3, 3));
        let late = Control::new().with_timeout(Some(std::time::Duration::ZERO));
        let evidence = Evidence::Inductive(Arc::new(set(0, 2)));
        assert!(matches!(
            judge(&Question { tree: &tree, initial: &initial, error: &error }, &evidence, &late),
            Judgement::Stopped(lapidary_base::Stop::Timeout)
        ));
    }

    #[test]
    fn a_run_has_to_begin_and_to_end_where_it_should_and_to_be_one_of_the_hierarchy() {
        let run = |states: &[Raw]| Evidence::Run {
            events: states.windows(2).map(|_| [EventId(1)].into_iter().collect()).collect(),
            states: states.iter().map(|&x| vec![x].into()).collect(),
        };
        assert_eq!(judged(&set(0, 0), &set(2, 2), &run(&[0, 1, 2])), Ok(()));
        assert_eq!(judged(&set(1, 3), &set(2, 2), &run(&[1, 2])), Ok(()));
        assert_eq!(judged(&set(3, 3), &set(3, 3), &run(&[3])), Ok(()));
        for (initial, states) in
            [(set(1, 1), &[0, 1, 2][..]), (set(0, 0), &[0, 1]), (set(0, 0), &[0, 2]), (set(0, 0), &[])]
        {
            assert!(judged(&initial, &set(2, 2), &run(states)).is_err(), "{states:?}");
        }
        assert!(judged(&set(2, 2), &set(3, 3), &run(&[2, 3])).is_err(), "no event leads from 2 to 3");
    }
}

//! Hierarchies from texts, asked directly of engines, and evidence confirmed by brute force.

use std::sync::Arc;

use lapidary_base::{Control, IdVec};
use lapidary_checker::tree::Composition;
use lapidary_checker::{Claim, certify_components};
use lapidary_engines::cover::{self, Certification, CoverEngine, Heuristics, Start};
use lapidary_engines::hierarchy::{Analysis, Config, HierarchicalEngine, Refinement};
use lapidary_engines::symbolic::{self, BddEngine, Direction};
use lapidary_engines::{Answer, Engine, Outcome, Target, Task, goals, reach};
use lapidary_frontends::altarica::{self, Document};
use lapidary_ir::passes::defined;
use lapidary_ir::{Domain, Expr, Hierarchy, Property, PropertyId, PropertyKind, Subject, Tree, VarId};
use lapidary_system::evaluate::Scope;
use lapidary_text::{Sources, Span};
use lapidary_verdict::{Certificate, Components, State, Trace};

pub struct Case {
    pub text: String,
    pub tree: Arc<Tree>,
    document: Document,
    sources: std::cell::RefCell<Sources>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Holds,
    Fails,
}

pub fn engine(analysis: Analysis, refinement: Refinement) -> HierarchicalEngine {
    HierarchicalEngine { config: Config { analysis, refinement, most_iterations: None, threads: 1 } }
}

/// The engines that know nothing of components; those that refine take turns in their heuristics.
pub fn others(analysis: Analysis, refinement: Refinement) -> Vec<Box<dyn Engine>> {
    let bdd = BddEngine { config: symbolic::Config { direction: Direction::Forward, threads: 1, most_nodes: None } };
    let explicit = reach::ExplicitEngine { config: reach::Config::default() };
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(bdd), Box::new(explicit)];
    for (name, certification) in [("cegar", Certification::NONE), ("pcegar", Certification::USUAL)] {
        let heuristics = Heuristics { certification, analysis, refinement, ..Heuristics::default() };
        let config = cover::Config {
            heuristics,
            start: Start::default(),
            super_transition: false,
            most_iterations: None,
            shows_abstractions: false,
            threads: 1,
        };
        engines.push(Box::new(CoverEngine { name, config }));
    }
    engines
}

/// Whether the target is reached.
pub fn verdict(answer: &Answer) -> Option<bool> {
    match answer.outcome {
        Outcome::Found(_) => Some(true),
        Outcome::Excluded(_) => Some(false),
        Outcome::Unknown(_) => None,
    }
}

impl Case {
    /// The nodes of a text.
    pub fn roots(text: &str) -> Vec<String> {
        let mut sources = Sources::default();
        let source = sources.add("case.alt", text);
        let (document, diagnostics) = altarica::load(&sources, source);
        let document = document.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"));
        document.nodes().iter().map(|&node| node.to_owned()).collect()
    }

    /// That a variable has a value.
    pub fn has_value(&self, var: VarId, domain: Domain, value: i64) -> Expr {
        let exprs = &self.tree.exprs;
        let value = match domain {
            Domain::Bits(_) | Domain::Array(_) => unreachable!("AltaRica has neither"),
            Domain::Bool => exprs.bool(value == 1),
            Domain::Enum(of) => exprs.literal(of, u32::try_from(value).expect("literals have numbers")),
            Domain::Int | Domain::Range { .. } => exprs.int(value),
        };
        exprs.eq(exprs.var(var), value)
    }

    pub fn new(text: &str, root: &str) -> Self {
        let mut sources = Sources::default();
        let source = sources.add("case.alt", text);
        let (document, diagnostics) = altarica::load(&sources, source);
        let document = document.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"));
        let (tree, diagnostics) = document.instantiate(&sources, root);
        let tree = tree.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"));
        Self { text: text.to_owned(), tree: Arc::new(tree), document, sources: sources.into() }
    }

    /// The configurations in which a formula holds; both hierarchy and flattening know it.
    pub fn target(&self, formula: &str) -> Target {
        let mut sources = self.sources.borrow_mut();
        let source = sources.add("formula", formula);
        let span = Span::new(source, 0, u32::try_from(formula.len()).unwrap());
        let expr = |tree: &Tree| {
            let expr = self.document.formula(tree, &sources, span).unwrap_or_else(|log| panic!("{log:?}: {formula}"));
            tree.exprs.and([defined(&tree.exprs, expr), expr])
        };
        Target::States(expr(&self.tree))
    }

    pub fn with_task<T>(&self, targets: &[Target], ask: impl FnOnce(&Task<'_>) -> T) -> T {
        let sources = self.sources.borrow();
        let subject = Subject::Tree(Hierarchy::new(Arc::clone(&self.tree), IdVec::new()));
        ask(&Task { subject: &subject, goals: &goals(targets), sources: &sources })
    }

    /// All engines find that the formula holds everywhere, or that it does not; the answer of ours.
    pub fn decides(&self, formula: &str, expected: Expected) -> Answer {
        let targets = [self.target(&format!("not ({formula})"))];
        let mut engines = others(Analysis::Forward, Refinement::Direct);
        for analysis in [Analysis::Forward, Analysis::Backward] {
            for refinement in [Refinement::Direct, Refinement::Sigma] {
                engines.push(Box::new(engine(analysis, refinement)));
            }
        }
        for engine in &engines {
            let answers = self.with_task(&targets, |task| engine.run(task, &Control::new()));
            let what = format!("{} on {formula}: {:?}", engine.name(), answers[0].outcome);
            assert_eq!(verdict(&answers[0]), Some(expected == Expected::Fails), "{what}");
        }
        self.ours(formula, expected)
    }

    /// The answer of engine `hierarchical` alone, with a confirmed run.
    pub fn ours(&self, formula: &str, expected: Expected) -> Answer {
        let targets = [self.target(&format!("not ({formula})"))];
        let hierarchical = engine(Analysis::Forward, Refinement::Direct);
        let mut answers = self.with_task(&targets, |task| hierarchical.run(task, &Control::new()));
        let answer = answers.remove(0);
        assert_eq!(verdict(&answer), Some(expected == Expected::Fails), "{formula}: {:?}", answer.outcome);
        match &answer.outcome {
            Outcome::Found(trace) => self.replay(trace, targets[0], formula),
            Outcome::Excluded(Certificate::Components(evidence)) => self.certify(evidence, targets[0], formula),
            other => panic!("{formula}: {other:?}"),
        }
        answer
    }

    /// The checker accepts the covers as evidence that the target is not reached.
    pub fn certify(&self, evidence: &Components, target: Target, what: &str) {
        let kind = match target {
            Target::States(expr) => PropertyKind::Invariant(self.tree.exprs.not(expr)),
            Target::Deadlocks => PropertyKind::DeadlockFree,
        };
        let span = self.tree.components[lapidary_ir::tree::ROOT].span;
        let property = Property { name: "p".to_owned(), kind, faults: Vec::new(), text: String::new(), span };
        let mut properties: IdVec<PropertyId, Property> = IdVec::new();
        let claims = [Claim::Decides(properties.push(property))];
        let checked = certify_components(&self.tree, &properties, &claims, evidence, &Control::new());
        assert_eq!(checked, Ok(()), "{what}\n{}", self.text);
    }

    /// The run is one of the hierarchy as the checker composes it, and ends in the target.
    pub fn replay(&self, trace: &Trace, target: Target, what: &str) {
        let replayed = lapidary_checker::tree::replay_tree(&self.tree, trace, &Control::new());
        assert!(replayed.is_ok(), "{what}: {replayed:?}");
        let last = trace.last();
        match target {
            Target::States(expr) => {
                let (family, read) = (|_| panic!("trees have no families"), |var: VarId| last[var.0 as usize]);
                let sort = |var: VarId| self.tree.vars[var].domain.sort();
                let (exprs, enums) = (&self.tree.exprs, &self.tree.enums);
                let scope = Scope { exprs, family: &family, read: &read, sort: &sort, enums };
                assert_eq!(scope.value(expr), Some(1), "{what}: the run ends elsewhere");
            }
            Target::Deadlocks => {
                let steps = Composition::new(&self.tree).successors(last, &Control::new()).expect("no limits");
                let is_idle = |events: &lapidary_base::IdVec<lapidary_ir::ComponentId, lapidary_ir::EventId>| {
                    events.iter().all(|&event| event == lapidary_ir::tree::EPSILON)
                };
                assert!(steps.iter().all(|(events, _)| is_idle(events)), "{what}: the end is no deadlock");
            }
        }
    }

    /// Every reachable configuration lies in one block of every component, and their combination is among those that
    /// are said to be reached.
    pub fn confirm(&self, evidence: &Components, reachable: &[State], what: &str) {
        for state in reachable {
            let mut numbers = Vec::new();
            for cover in &evidence.covers {
                let blocks = cover.blocks.iter().enumerate().filter(|(_, block)| block.contains(state));
                let blocks: Vec<usize> = blocks.map(|(number, _)| number).collect();
                assert_eq!(blocks.len(), 1, "{what}: {state:?} is in the blocks {blocks:?}");
                numbers.push(i64::try_from(blocks[0]).unwrap());
            }
            assert!(evidence.reachable.contains(&numbers), "{what}: {state:?} is reached");
        }
    }
}

/// The number of blocks of each component.
pub fn n_blocks(answer: &Answer) -> Vec<usize> {
    match &answer.outcome {
        Outcome::Excluded(Certificate::Components(evidence)) => {
            evidence.covers.iter().map(|cover| cover.blocks.len()).collect()
        }
        other => panic!("{other:?}"),
    }
}

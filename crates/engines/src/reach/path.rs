//! Runs to stored nodes.
//!
//! Every node remembers the one that it was first met from, and where states may not tell by which step, that step's action.
//! Once elements were joined, this explains one contribution only: such a path is executed again with exact elements, and if it
//! misses what it led to, it is a candidate and no run.

use lapidary_base::{Control, Stop};
use lapidary_ir::CommandId;
use lapidary_system::{Lattice, State, Steps, Successors};

use super::store::{Node, Store};

/// The nodes from an initial one on, and the actions between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub nodes: Vec<Node>,
    pub actions: Vec<CommandId>,
}

/// How a node was met. `look` is asked before each step.
pub fn path<S: Successors, T: Store>(
    system: &S,
    store: &T,
    node: Node,
    control: &Control,
    look: &mut dyn FnMut() -> Result<(), Stop>,
) -> Result<Path, Stop> {
    let mut nodes: Vec<Node> = std::iter::successors(Some(node), |&node| store.parent(node)).collect();
    nodes.reverse();
    let words = (system.words(), system.lattice().words());
    let mut steps = Steps::within(control);
    let mut actions = Vec::with_capacity(nodes.len() - 1);
    for pair in nodes.windows(2) {
        look()?;
        if let Some(action) = store.action(pair[1]) {
            actions.push(action);
            continue;
        }
        steps.clear();
        system.successors(store.state(pair[0]), &mut steps)?;
        let wanted = store.state(pair[1]);
        let found = (0..steps.len()).find(|&step| steps.state(step, words) == wanted);
        actions.push(steps.actions[found.expect("a parent has a step to its child")]);
    }
    Ok(Path { nodes, actions })
}

/// What came of executing a path again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Executed {
    /// The exact elements along it; the last one meets the target.
    Run(Vec<Vec<u64>>),
    /// So many of its steps can be taken, and if that is all of them, what they lead to misses the target.
    Candidate(usize),
}

/// The exact elements at one node of a path, none below another, and by number the one before that each follows from.
struct Exact {
    elements: Vec<Vec<u64>>,
    from: Vec<usize>,
}

impl Exact {
    fn empty() -> Self {
        Self { elements: Vec::new(), from: Vec::new() }
    }

    /// Steps are monotone and so are targets: what lies below another is not needed.
    fn add(&mut self, lattice: &impl Lattice, state: State<'_>, from: usize) {
        let State { discrete, element } = state;
        if self.elements.iter().any(|kept| lattice.leq(discrete, element, kept)) {
            return;
        }
        for i in (0..self.elements.len()).rev() {
            if lattice.leq(discrete, &self.elements[i], element) {
                self.elements.remove(i);
                self.from.remove(i);
            }
        }
        self.elements.push(element.to_vec());
        self.from.push(from);
    }
}

/// Takes the steps of a path from exact initial elements on; what counts is that one meets the target at its end, which is one
/// that states are tested for.
pub fn execute<S: Successors, T: Store>(
    system: &S,
    store: &T,
    path: &Path,
    target: usize,
    control: &Control,
) -> Result<Executed, Stop> {
    let discrete = |position: usize| store.state(path.nodes[position]).discrete;
    let words = (system.words(), system.lattice().words());
    let mut first = Exact::empty();
    system.initial(control, &mut |state| {
        if state.discrete == discrete(0) {
            first.add(system.lattice(), state, 0);
        }
        Ok(())
    })?;
    let mut exact = vec![first];
    let mut steps = Steps::within(control);
    for (position, &action) in path.actions.iter().enumerate() {
        let mut next = Exact::empty();
        for (from, element) in exact[position].elements.iter().enumerate() {
            control.check()?;
            steps.clear();
            system.successors(State { discrete: discrete(position), element }, &mut steps)?;
            for step in (0..steps.len()).filter(|&step| steps.actions[step] == action) {
                let state = steps.state(step, words);
                if state.discrete == discrete(position + 1) {
                    next.add(system.lattice(), state, from);
                }
            }
        }
        if next.elements.is_empty() {
            return Ok(Executed::Candidate(position));
        }
        exact.push(next);
    }
    let n_steps = path.actions.len();
    for last in 0..exact[n_steps].elements.len() {
        let state = State { discrete: discrete(n_steps), element: &exact[n_steps].elements[last] };
        let (mut open, mut hit) = (vec![target], Vec::new());
        system.hits(state, &mut open, &mut hit, &mut steps)?;
        if !hit.is_empty() {
            return Ok(Executed::Run(elements_to(last, &exact)));
        }
    }
    Ok(Executed::Candidate(n_steps))
}

/// The elements that lead to one of the last ones.
fn elements_to(last: usize, exact: &[Exact]) -> Vec<Vec<u64>> {
    let mut at = last;
    let mut elements: Vec<Vec<u64>> = exact
        .iter()
        .rev()
        .map(|exact| {
            let element = exact.elements[at].clone();
            at = exact.from[at];
            element
        })
        .collect();
    elements.reverse();
    elements
}

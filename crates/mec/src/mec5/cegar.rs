//! Abstraction refinement in a session (Chucri 2012, section 6.2): `:ar-cegar-init` and `:ar-cegar-verify`.

use std::rc::Rc;
use std::sync::Arc;

use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::{Column, Set};
use lapidary_engines::cover::approximation::BlockId;
use lapidary_engines::cover::{
    Analysis, Certification, Heuristics, Labels, PCegar, Pick, Refinement, SearchAlgorithm, enumerated, guard_atoms,
    has_priorities, initial, labelled,
};
use lapidary_engines::scheme::{Ended, Explored, Refined, Scheme};
use lapidary_engines::symbolic::certificate;
use lapidary_ir::{Tree, VarId};
use lapidary_system::SetSystem;
use lapidary_system::symbolic::{Symbolic, Transitions, compose};
use lapidary_text::{Diagnostic, Span};
use lapidary_verdict::Diagram;

use super::ast::Name;
use super::carry::Passage;
use super::environment::describe;
use super::host::Host;
use super::options::Options;
use super::session::{Session, Trouble};
use super::types::TypeId;
use super::{codes, resolve_type};
use crate::acheck::Mode;

/// What `:ar-cegar-init` made of a node, and how far `:ar-cegar-verify` came.
pub(super) struct Abstraction {
    pub tree: Arc<Tree>,
    pub system: Rc<Symbolic>,
    pub loops: PCegar<'static, Transitions<'static>>,
    /// How blocks lie to the sets of the command, by their names.
    pub labels: Labels,
    /// The sets that were asked about, as whoever judges the answer reads them.
    pub initial: Diagram,
    pub error: Diagram,
}

/// A word of a command and its place.
type Word<'a> = (&'a str, Span);

impl Session {
    /// `:ar-cegar-init NODE INIT ERR [P ...]`
    pub(super) fn cegar_init(
        &mut self,
        host: &mut dyn Host,
        words: &[Word<'_>],
        control: &Control,
    ) -> Result<(), Trouble> {
        let (node, span) = words[0];
        let (_, models, _) = host.parts();
        resolve_type::known_node(models, &Name { text: node.to_owned(), span })?;
        let tree = models.tree(node)?;
        let (configuration, _) = resolve_type::node_types(&mut self.types, models, node)?;
        let is_super = self.options.is_on("cegar-use-super-transition");
        if let Some(at) = has_priorities(&tree).filter(|_| is_super) {
            return Err(prioritised(node, span, at));
        }
        let mut sets = Vec::new();
        for &word in &words[1..] {
            sets.push(self.configurations(host, node, configuration, word, control)?);
        }
        let sets: Vec<(Set, &str)> = sets.into_iter().zip(words[1..].iter().map(|(name, _)| *name)).collect();
        let made = self.abstraction(tree, configuration, &sets, is_super, control);
        let abstraction = made.map_err(|stop| Trouble::Stopped(stop, span))?;
        let approximation = &abstraction.loops.approximation;
        let (n_states, n_transitions) = (approximation.kernel().count(), approximation.n_transitions());
        host.parts().2.text(&format!("abstraction of {node} : {n_states} states, {n_transitions} transitions\n"));
        self.abstractions.insert(node.to_owned(), abstraction);
        Ok(())
    }

    /// A set of configurations of the node, by the name of its relation.
    fn configurations(
        &mut self,
        host: &mut dyn Host,
        node: &str,
        configuration: TypeId,
        (name, span): Word<'_>,
        control: &Control,
    ) -> Result<Set, Trouble> {
        let signature = self.signature(host, name, span)?;
        if signature != [configuration] {
            let message = format!("expected a set of configurations: ({node}!c) -> bool");
            let label = describe(&self.types, name, &signature);
            let code = if signature.len() == 1 { codes::MISMATCH } else { codes::ARITY };
            let help = format!("sets are defined with `R(s : {node}!c) := ..;`");
            return Err(Diagnostic::error(code, message, span, label).with_help(help).into());
        }
        Ok(self.stored(host, name, span, control)?.set)
    }

    /// The sets, with their names, are the initial states, the error states, and the predicates.
    fn abstraction(
        &mut self,
        tree: Arc<Tree>,
        configuration: TypeId,
        named: &[(Set, &str)],
        is_super: bool,
        control: &Control,
    ) -> Result<Abstraction, Stop> {
        let mut system = compose(&tree, self.capacity, control)?;
        let slots = self.slots.as_mut().expect("sets need slots");
        let columns = slots.columns(&self.types, configuration, 0)?;
        let universe = slots.universe(&self.types, configuration, 0)?;
        let within = |set| slots.space.and(set, &universe);
        let sets = named.iter().map(|(set, _)| within(set)).collect::<Result<Vec<Set>, Stop>>()?;
        let passage = Passage { space: &slots.space, columns: &columns, system: &system };
        let mut carried = sets.iter().map(|set| passage.inwards(set)).collect::<Result<Vec<Set>, Stop>>()?;
        let labels = Labels::of_sets(carried.iter().cloned().zip(named.iter().map(|&(_, name)| name.to_owned())));
        let predicates = carried.split_off(2);
        let order: Vec<(Column, VarId)> = columns.iter().copied().zip(tree.vars.ids()).collect();
        let diagram = |set| certificate::written(&slots.space, set, order.clone(), |var| tree.bounds(var).0);
        let (initial, error) = (diagram(&sets[0])?, diagram(&sets[1])?);
        let target = carried.remove(1);
        system.initial = carried.remove(0);
        let system = Rc::new(system);
        let transitions = Transitions::new(Rc::clone(&system), is_super)?;
        let cover = cover(&self.options, &tree, &transitions, predicates, &target, control)?;
        // Without certification: what is shown is the abstraction itself, whatever the loop will begin with.
        let heuristics = Heuristics { certification: Certification::NONE, ..heuristics(&self.options) };
        let mut loops = PCegar::new(Rc::new(transitions), cover, target, heuristics)?;
        loops.connect(control)?;
        Ok(Abstraction { tree, system, loops, labels, initial, error })
    }

    /// `:ar-cegar-verify NODE [COUNT]`
    pub(super) fn cegar_verify(
        &mut self,
        host: &mut dyn Host,
        words: &[Word<'_>],
        control: &Control,
    ) -> Result<(), Trouble> {
        let (node, span) = words[0];
        resolve_type::known_node(host.parts().1, &Name { text: node.to_owned(), span })?;
        let most = words.get(1).copied().map(count).transpose()?;
        // An iteration that is given up half way leaves half a refinement behind: the abstraction goes with it.
        let Some(mut abstraction) = self.abstractions.remove(node) else { return Err(no_abstraction(node, span)) };
        abstraction.loops.heuristics = heuristics(&self.options);
        let ended = match self.iterate(host, &mut abstraction, span, most, control) {
            Ok(ended) => ended,
            Err(trouble) => {
                if !matches!(trouble, Trouble::Stopped(..)) {
                    self.abstractions.insert(node.to_owned(), abstraction);
                }
                return Err(trouble);
            }
        };
        let said = match ended {
            Ended::Undecided => {
                let n = most.unwrap_or(0);
                format!("undecided after {n} {}\n", if n == 1 { "iteration" } else { "iterations" })
            }
            Ended::Safe => {
                self.shown_safe(host, &mut abstraction, span, control)?;
                "the error states are not reachable\n".to_owned()
            }
            Ended::Genuine => {
                let run = self.shown_reached(host, node, &mut abstraction, span, control)?;
                format!("the error states are reachable\n{run}")
            }
        };
        host.parts().2.text(&(said + &counts(&abstraction)));
        self.abstractions.insert(node.to_owned(), abstraction);
        Ok(())
    }

    /// As many iterations as are allowed; each may be told of.
    fn iterate(
        &self,
        host: &mut dyn Host,
        abstraction: &mut Abstraction,
        span: Span,
        most: Option<u64>,
        control: &Control,
    ) -> Result<Ended, Trouble> {
        let stopped = |stop| Trouble::Stopped(stop, span);
        let Abstraction { loops, labels, .. } = abstraction;
        let mut n = 0;
        loop {
            control.check().map_err(stopped)?;
            let path = match loops.explore(control).map_err(stopped)? {
                Explored::Safe => return Ok(Ended::Safe),
                Explored::Genuine => return Ok(Ended::Genuine),
                Explored::Candidate(_) if most.is_some_and(|most| n >= most) => return Ok(Ended::Undecided),
                Explored::Candidate(path) => path,
            };
            n += 1;
            let i = loops.counts.cex_length.len() + 1;
            if let Some(file) = self.options.file("cegar-abstraction-print") {
                let file = format!("{}-{i}.dot", file.strip_suffix(".dot").unwrap_or(file));
                // A label that there is no room for is left out.
                let system = loops.approximation.system();
                let lines = |set: &Set| labels.of(&system, set).unwrap_or_default();
                let graph = labelled(&loops.approximation, &lines);
                let written = host.parts().2.file(&file, Mode::Replace, &graph);
                written.map_err(|error| {
                    let message = format!("`{file}` cannot be written");
                    let diagnostic = Diagnostic::error(codes::FILE, message, span, error.to_string());
                    diagnostic.with_help("`:set cegar-abstraction-print off` writes none")
                })?;
            }
            let (first, n_tested) = (loops.approximation.blocks.len(), loops.approximation.n_tested);
            let refined = loops.refine(path.clone(), control).map_err(stopped)?;
            if self.options.is_on("cegar-print-iteration-stats") {
                let split = path.iter().find(|id| loops.approximation.blocks[id.0 as usize].is_none());
                host.parts().2.text(&iteration(loops, split, first, n_tested));
            }
            if let Refined::Genuine = refined {
                return Ok(Ended::Genuine);
            }
        }
    }
}

/// One line about the iteration that has just ended.
fn iteration(loops: &PCegar<'_, Transitions<'_>>, split: Option<&BlockId>, first: usize, n_tested: u64) -> String {
    let (counts, approximation) = (&loops.counts, &loops.approximation);
    let (i, last) = (counts.cex_length.len(), |list: &[u64]| list.last().copied().unwrap_or(0));
    let (n_states, length) = (last(&counts.abstract_states), last(&counts.cex_length));
    let refined = match split {
        Some(id) => {
            let parts: Vec<String> = (first..approximation.blocks.len()).map(|number| number.to_string()).collect();
            format!("{} split into {}", id.0, parts.join(" and "))
        }
        None => "nothing to split".to_owned(),
    };
    let (n_pruned, n_tested) = (approximation.n_pruned, approximation.n_tested - n_tested);
    format!(
        "iteration {i} : {n_states} states, {n_pruned} pruned, counterexample of {length}, {refined}, {n_tested} \
         transitions tested\n"
    )
}

/// What the loop did so far.
fn counts(abstraction: &Abstraction) -> String {
    let (counts, approximation) = (&abstraction.loops.counts, &abstraction.loops.approximation);
    let n_iterations = counts.cex_length.len();
    // In the end there may be none left.
    let n_states = counts.abstract_states.iter().copied().max().unwrap_or(0);
    let n_states = n_states.max(approximation.kernel().count() as u64);
    format!(
        "iterations : {n_iterations}, at most {n_states} states, {} pruned, {} images of counterexamples, {} \
         transitions tested\n",
        approximation.n_pruned, counts.cex_analysis, approximation.n_tested
    )
}

/// The initial cover. Without any predicate the enumerated state variables are kept exact; where there are none, the
/// error states are told from the others.
fn cover(
    options: &Options,
    tree: &Tree,
    system: &Transitions<'_>,
    mut predicates: Vec<Set>,
    error: &Set,
    control: &Control,
) -> Result<Vec<Set>, Stop> {
    let (symbolic, families) = (&system.system, IdVec::new());
    let mut encoder = symbolic.places.encoder(&symbolic.space, &tree.exprs, &families);
    if options.is_on("cegar-use-guards-as-predicates") {
        for atom in guard_atoms(tree) {
            control.check()?;
            predicates.push(encoder.holds(atom)?);
        }
    }
    if predicates.is_empty() {
        for var in enumerated(tree) {
            let (lo, hi) = tree.bounds(var);
            // The last value is what remains.
            for value in lo..hi {
                control.check()?;
                predicates.push(encoder.within(tree.exprs.var(var), value, value)?);
            }
        }
    }
    if predicates.is_empty() {
        predicates.push(error.clone());
    }
    match options.is_on("cegar-use-cover-abstraction") {
        true => initial::cover(system, system.all(), &predicates),
        false => initial::partition(system, vec![system.all()], &predicates, initial::MOST_BLOCKS, control),
    }
}

fn heuristics(options: &Options) -> Heuristics {
    let is_on = |name| options.is_on(name);
    Heuristics {
        certification: Certification {
            initial: is_on("initial-certification"),
            split: is_on("split-certification"),
            feasibility: is_on("feasibility-certification"),
            closure: is_on("cegar-use-must-and-clo"),
        },
        search: match options.named("cegar-search-algorithm") {
            "DFS" => SearchAlgorithm::Dfs,
            _ => SearchAlgorithm::Bfs,
        },
        analysis: match options.named("cegar-ce-analysis") {
            "BACKWARD" => Analysis::Backward,
            _ => Analysis::Forward,
        },
        refinement: match options.named("cegar-abstraction-refinement-algorithm") {
            "SIGMA" => Refinement::Sigma,
            _ => Refinement::Direct,
        },
        pick: Pick::Kernel,
    }
}

fn count((word, span): Word<'_>) -> Result<u64, Trouble> {
    word.parse().map_err(|_| {
        let message = format!("{word} is not a number of iterations");
        let diagnostic = Diagnostic::error(codes::COMMAND_ARGUMENT, message, span, "expected a number");
        diagnostic.with_help("without a number the loop goes on until it knows").into()
    })
}

fn no_abstraction(node: &str, span: Span) -> Trouble {
    let message = format!("{node} has no abstraction");
    let diagnostic = Diagnostic::error(codes::NO_ABSTRACTION, message, span, "nothing to refine");
    let help = format!("`:ar-cegar-init {node} {node}!init ERR` makes one; what a limit ended has to be made anew");
    diagnostic.with_help(help).into()
}

fn prioritised(node: &str, span: Span, at: Span) -> Trouble {
    let message = format!("super transitions are wrong for {node}: its events have priorities");
    let diagnostic = Diagnostic::error(codes::PRIORITIES, message, span, "cannot be abstracted in this way");
    let diagnostic = diagnostic.with_label(at, "priorities are declared here");
    diagnostic.with_help("`:set cegar-use-super-transition off`").into()
}

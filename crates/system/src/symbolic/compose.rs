//! Semantic composition on diagrams (Chucri 2012, section 2.2.2): bottom-up, priorities per component, and
//! synchronisation vectors never multiplied out.
//!
//! What has priority over what is decided by vectors, visible events and numbers of optional parts alone, so choices that
//! agree on these are one relation where there are many (`choices`).
//!
//! For every component and every event under which its parent knows it there is one piece of relation. Epsilon's piece
//! holds only the transitions in which something below happens; doing nothing at all is kept apart.

use std::collections::BTreeMap;

use lapidary_base::{Control, Stop};
use lapidary_bdd::{Capacity, Column, Set};
use lapidary_ir::tree::{EPSILON, ROOT};
use lapidary_ir::{ComponentId, EventId, EventRef, Tree};

use super::Symbolic;
use super::choices::{self, Around, Item};
use super::frame::{Copies, Frame};
use super::own::{Guarded, Own};
use super::piece::{Piece, union};

/// The tree's transitions without their labels, for searches.
pub fn compose(tree: &Tree, capacity: Capacity, control: &Control) -> Result<Symbolic, Stop> {
    let frame = Frame::new(tree, Copies { variables: 2, events: 0 }, capacity, control)?;
    let pieces = frame.pieces(&mut Guarded::new(&frame), control)?;
    let idle = Piece::idle(&frame.space);
    frame.finish(pieces, idle)
}

impl Frame<'_> {
    /// The groups of the root: one per choice of a vector, or per number of optional parts where there are many choices;
    /// none of them idle.
    pub fn pieces(&self, own: &mut dyn Own, control: &Control) -> Result<Vec<Piece>, Stop> {
        let items = Composer::new(self, ROOT, own)?.items_of(ROOT, control)?;
        Ok(items.into_iter().map(|item| item.piece).collect())
    }

    /// The same for one who asks about these configurations only: elsewhere the groups mean nothing, and `own` need not be
    /// right.
    pub fn pieces_within(&self, own: &mut dyn Own, within: &Set, control: &Control) -> Result<Vec<Piece>, Stop> {
        let mut composer = Composer { within: Some(within), ..Composer::new(self, ROOT, own)? };
        let items = composer.items_of(ROOT, control)?;
        Ok(items.into_iter().map(|item| item.piece).collect())
    }

    /// What a whole subtree does, by the event that its parent knows. Epsilon's piece is what it hides.
    pub fn tops(&self, id: ComponentId, control: &Control) -> Result<BTreeMap<EventRef, Piece>, Stop> {
        let mut own = Guarded::new(self);
        let mut composer = Composer::new(self, id, &mut own)?;
        let items = composer.items_of(id, control)?;
        composer.merged(items)
    }

    /// Doing nothing anywhere.
    pub fn idle(&self, own: &mut dyn Own) -> Result<Piece, Stop> {
        Composer::new(self, ROOT, own)?.idle(ROOT)
    }
}

struct Composer<'a> {
    frame: &'a Frame<'a>,
    own: &'a mut dyn Own,
    /// What each component does when it does nothing, with its label.
    still: BTreeMap<ComponentId, Piece>,
    /// The pieces of the components whose parents are not composed yet, by the event their parent knows.
    done: BTreeMap<ComponentId, BTreeMap<EventRef, Piece>>,
    /// The configurations that matter, if not all do.
    within: Option<&'a Set>,
}

impl<'a> Composer<'a> {
    /// For a subtree.
    fn new(frame: &'a Frame<'a>, id: ComponentId, own: &'a mut dyn Own) -> Result<Self, Stop> {
        let mut composer = Self { frame, own, still: BTreeMap::new(), done: BTreeMap::new(), within: None };
        for id in frame.tree.subtree(id) {
            let still = composer.own(id, EPSILON)?.expect("every component can do nothing");
            composer.still.insert(id, still);
        }
        Ok(composer)
    }

    /// The choices of all vectors of the root of the subtree.
    fn items_of(&mut self, root: ComponentId, control: &Control) -> Result<Vec<Item>, Stop> {
        for id in self.frame.tree.subtree(root).rev().filter(|&id| id != root) {
            control.check()?;
            let items = self.items(id)?;
            let merged = self.merged(items)?;
            self.done.insert(id, merged);
        }
        control.check()?;
        self.items(root)
    }

    /// The choices of all vectors of a component, with its priorities applied.
    fn items(&mut self, id: ComponentId) -> Result<Vec<Item>, Stop> {
        let tree = self.frame.tree;
        let component = &tree.components[id];
        let subs: Vec<(ComponentId, BTreeMap<EventRef, Piece>)> = component
            .subs
            .iter()
            .map(|&sub| (sub, self.done.remove(&sub).expect("subcomponents are composed before their parent")))
            .collect();
        let mut quiet = Vec::new();
        for (sub, pieces) in &subs {
            quiet.push(self.quiet(*sub, pieces)?);
        }
        let mut own: BTreeMap<EventId, Option<Piece>> = BTreeMap::new();
        for event in component.events.ids().filter(|&event| event != EPSILON) {
            own.insert(event, self.own(id, event)?);
        }
        let around = Around { id, still: &self.still[&id], own: &own, subs: &subs, quiet: &quiet };
        let mut items = Vec::new();
        for (vector, declared) in component.vectors.iter().enumerate() {
            match !declared.has_optional() || declared.n_choices() <= self.frame.most_listed {
                true => items.extend(choices::listed(self.frame, &around, vector, declared)?),
                false => items.extend(choices::by_rank(self.frame, &around, vector, declared)?),
            }
        }
        let items = self.prioritised(id, items)?;
        self.with_hidden(id, items, &subs, &quiet)
    }

    /// The transitions of one event of the component itself.
    fn own(&mut self, id: ComponentId, event: EventId) -> Result<Option<Piece>, Stop> {
        let Some(mut piece) = self.own.own(id, event)? else { return Ok(None) };
        piece.relation = self.labelled(piece.relation, id, event)?;
        Ok(Some(piece))
    }

    fn labelled(&self, relation: Set, id: ComponentId, event: EventId) -> Result<Set, Stop> {
        match self.frame.events[id].first() {
            Some(&column) => {
                let value = self.frame.space.value(column, u64::from(event.0))?;
                self.frame.space.and(&relation, &value)
            }
            None => Ok(relation),
        }
    }

    /// Doing nothing in a whole subtree.
    fn idle(&self, id: ComponentId) -> Result<Piece, Stop> {
        let mut piece = Piece::idle(&self.frame.space);
        for id in self.frame.tree.subtree(id) {
            piece = piece.and(&self.still[&id], &self.frame.space)?;
        }
        Ok(piece)
    }

    /// What a subcomponent does when its parent asks nothing of it: nothing, or what it hides.
    fn quiet(&self, sub: ComponentId, pieces: &BTreeMap<EventRef, Piece>) -> Result<Piece, Stop> {
        let idle = self.idle(sub)?;
        match pieces.get(&EventRef { component: sub, event: EPSILON }) {
            Some(hidden) => idle.or(hidden, &self.frame.space, &self.frame.places),
            None => Ok(idle),
        }
    }

    /// The vector without parts: some subcomponent does something that it hides.
    fn with_hidden(
        &self,
        id: ComponentId,
        mut items: Vec<Item>,
        subs: &[(ComponentId, BTreeMap<EventRef, Piece>)],
        quiet: &[Piece],
    ) -> Result<Vec<Item>, Stop> {
        let space = &self.frame.space;
        let top = EventRef { component: id, event: EPSILON };
        let vector = self.frame.tree.components[id].vectors.len();
        let mut before = self.still[&id].clone();
        for (place, (sub, pieces)) in subs.iter().enumerate() {
            // The first subcomponent that does something is this one.
            if let Some(hidden) = pieces.get(&EventRef { component: *sub, event: EPSILON }) {
                let mut piece = before.and(hidden, space)?;
                for later in &quiet[place + 1..] {
                    piece = piece.and(later, space)?;
                }
                items.push(Item { top, vector, rank: 0, piece });
            }
            before = before.and(&self.idle(*sub)?, space)?;
        }
        Ok(items)
    }

    /// Takes from every choice the configurations in which one with priority over it can be fired.
    fn prioritised(&mut self, id: ComponentId, mut items: Vec<Item>) -> Result<Vec<Item>, Stop> {
        let component = &self.frame.tree.components[id];
        let is_above = |low: &Item, high: &Item| {
            let own = low.top.component == id && high.top.component == id;
            let declared = own && component.priorities.contains(&(low.top.event, high.top.event));
            declared || (low.vector == high.vector && low.rank < high.rank)
        };
        let above: Vec<Vec<usize>> =
            items.iter().map(|low| (0..items.len()).filter(|&high| is_above(low, &items[high])).collect()).collect();
        if above.iter().all(Vec::is_empty) {
            return Ok(items);
        }
        let solvable = self.frame.solvable(id)?;
        let space = &self.frame.space;
        let mut enabled: Vec<Option<Set>> = vec![None; items.len()];
        // By vector and rank, where a choice of the vector with at least so many optional parts can be fired.
        let mut at_least: BTreeMap<(usize, usize), Set> = BTreeMap::new();
        for item in downwards(&above) {
            let (vector, rank) = (items[item].vector, items[item].rank);
            let larger = at_least.range((vector, rank + 1)..=(vector, usize::MAX)).next().map(|(_, able)| able.clone());
            let declared = above[item].iter().filter(|&&high| items[high].vector != vector || items[high].rank <= rank);
            let declared = declared.map(|&high| enabled[high].as_ref().expect("higher choices come first"));
            let mut relation = items[item].piece.relation.clone();
            for able in declared.chain(&larger) {
                relation = space.minus(&relation, able)?;
            }
            items[item].piece.relation = relation;
            let able = self.enabled(id, &items[item].piece, &solvable)?;
            let before = at_least.get(&(vector, rank)).or(larger.as_ref());
            let so_far = before.map_or_else(|| Ok(able.clone()), |before| space.or(before, &able))?;
            at_least.insert((vector, rank), so_far);
            enabled[item] = Some(able);
        }
        Ok(items)
    }

    /// The configurations in which a piece can be fired within the semantics of this component alone.
    fn enabled(&self, id: ComponentId, piece: &Piece, solvable: &Set) -> Result<Set, Stop> {
        let Frame { space, places, events, tree, .. } = self.frame;
        let columns = |copy: usize| piece.written.iter().filter_map(move |&var| places.column(var, copy));
        let pairs: Vec<(Column, Column)> = columns(0).zip(columns(1)).collect();
        let mut after = space.rename(solvable, &space.renaming(&pairs))?;
        if let Some(within) = self.within {
            after = space.and(&after, within)?;
        }
        let mut forgotten: Vec<Column> = columns(1).collect();
        forgotten.extend(tree.subtree(id).filter_map(|id| events[id].first().copied()));
        space.and_exists(&piece.relation, &after, &space.cube(&forgotten)?)
    }

    /// One piece per event that the parent knows.
    fn merged(&self, items: Vec<Item>) -> Result<BTreeMap<EventRef, Piece>, Stop> {
        let mut by_top: BTreeMap<EventRef, Vec<Piece>> = BTreeMap::new();
        for item in items {
            by_top.entry(item.top).or_default().push(item.piece);
        }
        let mut merged = BTreeMap::new();
        for (top, pieces) in by_top {
            if let Some(piece) = union(pieces, &self.frame.space, &self.frame.places)? {
                merged.insert(top, piece);
            }
        }
        Ok(merged)
    }
}

/// The items in an order in which those above come first. There are no cycles: along a chain, declared priorities
/// only climb, and within one vector the rank does.
fn downwards(above: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut placed = vec![false; above.len()];
    while order.len() < above.len() {
        let before = order.len();
        for item in 0..above.len() {
            if !placed[item] && above[item].iter().all(|&high| placed[high]) {
                placed[item] = true;
                order.push(item);
            }
        }
        assert!(order.len() > before, "priorities are a partial order");
    }
    order
}

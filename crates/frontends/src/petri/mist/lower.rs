//! A rule as a transition: rows of a matrix become what is taken, what flows and what is put.

use lapidary_ir::{Destinations, Flow, Guard, PlaceId, Sparse, Tokens, Transition};
use lapidary_text::{Diagnostic, Log};

use super::super::codes;
use super::parse::{Row, Rule};

/// `m' = M m + d` where the guards hold. A column of `M` says where the tokens of one place go; only what goes elsewhere,
/// or not exactly once, is a flow.
pub fn transition(rule: &Rule, log: &mut Log) -> Transition {
    let columns = Columns::of(&rule.rows);
    let mut take = Sparse::new();
    let mut put = Vec::new();
    for row in &rule.rows {
        let is_taken = row.constant < 0 && columns.take(rule, row, &mut take);
        if row.constant != 0 && !is_taken {
            put.push((row.place, row.constant));
        }
    }
    take.sort_unstable();
    put.sort_unstable();
    let guards = guards(rule, &take, log);
    Transition { name: rule.name.clone(), guards, take, flows: columns.flows(), put, span: rule.span }
}

/// Where the tokens of each place go: ascending, only places that occur in the rule.
struct Columns {
    columns: Vec<(PlaceId, Sparse)>,
}

impl Columns {
    fn of(rows: &[Row]) -> Self {
        let mut entries: Vec<(PlaceId, PlaceId, Tokens)> = Vec::new();
        let mut written: Vec<PlaceId> = rows.iter().map(|row| row.place).collect();
        written.sort_unstable();
        for row in rows {
            for &(source, times) in &row.sources {
                entries.push((source, row.place, times));
                // What is only read stays where it is too.
                if written.binary_search(&source).is_err() {
                    entries.push((source, source, 1));
                }
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let mut columns: Vec<(PlaceId, Sparse)> = written.into_iter().map(|place| (place, Sparse::new())).collect();
        for (source, to, times) in entries {
            match columns.binary_search_by_key(&source, |column| column.0) {
                Ok(at) => columns[at].1.push((to, times)),
                Err(at) => columns.insert(at, (source, vec![(to, times)])),
            }
        }
        Self { columns }
    }

    fn column(&self, place: PlaceId) -> &[(PlaceId, Tokens)] {
        let at = self.columns.binary_search_by_key(&place, |column| column.0);
        at.map_or(&[], |at| &self.columns[at].1)
    }

    /// A place whose tokens stay as they are has no flow.
    fn flows(self) -> Vec<Flow> {
        let moves = self.columns.into_iter().filter(|(place, to)| to[..] != [(*place, 1)]);
        moves.map(|(from, to)| Flow { from, to: Destinations::All(to) }).collect()
    }

    /// Takes what a row subtracts from sources that are sure to have it and flow nowhere else, the place itself first.
    /// What is subtracted from a place alone is demanded of it. Whether that was possible.
    fn take(&self, rule: &Rule, row: &Row, take: &mut Sparse) -> bool {
        let mut missing = row.constant.unsigned_abs();
        let goes_only_here = |place: PlaceId| *self.column(place) == [(row.place, 1)];
        if row.sources[..] == [(row.place, 1)] && goes_only_here(row.place) {
            take.push((row.place, missing));
            return true;
        }
        let own = row.sources.iter().filter(|source| source.0 == row.place);
        let others = row.sources.iter().filter(|source| source.0 != row.place);
        let mut parts = Sparse::new();
        for &(place, _) in own.chain(others).filter(|source| goes_only_here(source.0)) {
            let part = sure(rule, place).min(missing);
            missing -= part;
            if part > 0 {
                parts.push((place, part));
            }
        }
        if missing == 0 {
            take.append(&mut parts);
        }
        missing == 0
    }
}

/// So many tokens the guards promise.
fn sure(rule: &Rule, place: PlaceId) -> Tokens {
    rule.guards.iter().find(|guard| guard.place == place).map_or(0, |guard| guard.range.lo)
}

/// The guards that say more than what is taken.
fn guards(rule: &Rule, take: &Sparse, log: &mut Log) -> Vec<Guard> {
    let mut guards = Vec::new();
    for constraint in &rule.guards {
        let (place, range) = (constraint.place, constraint.range);
        let taken = take.iter().find(|entry| entry.0 == place).map_or(0, |entry| entry.1);
        if range.hi.is_some_and(|hi| hi < taken) {
            let message = format!("this rule takes {taken} tokens where its guard allows fewer");
            log.push(
                Diagnostic::warning(codes::MIST_NEVER, message, rule.span, "never fires")
                    .with_label(constraint.span, "the guard")
                    .with_help("leave the rule out, or change its guard"),
            );
        }
        // An empty range was complained about; it must not reach the net.
        let is_empty = range.hi.is_some_and(|hi| hi < range.lo);
        if !is_empty && (range.hi.is_some() || range.lo > taken) {
            guards.push(Guard { place, range, span: constraint.span });
        }
    }
    guards.sort_by_key(|guard| guard.place);
    guards
}

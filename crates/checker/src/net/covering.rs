//! Many markings as a trie, to ask whether a marking is above one of them (Savnik 2013, "Index data structure for fast
//! subset and superset queries"): a branch for each place with its tokens, the places that few of them have first.

use lapidary_base::Id;
use lapidary_ir::{PlaceId, Sparse, Tokens};

/// Places and tokens by rising rank, no zeros, each place once.
pub type Ranked = Vec<(Rank, Tokens)>;

/// Where a place stands in the order of the trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank(u32);

impl Rank {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy)]
struct Node {
    rank: Rank,
    tokens: Tokens,
    /// The tokens that at least one marking below this node has behind it, if not fewer.
    least_rest: Tokens,
    /// The branches, by rank and tokens; none where a marking ends, since whatever follows is above it.
    first: u32,
    end: u32,
}

pub struct Covering {
    /// By place.
    ranks: Vec<Rank>,
    /// The root is the first; of an empty set there is none.
    nodes: Vec<Node>,
    /// For queries: nodes with the positions behind them, and the tokens from each position on.
    open: Vec<(u32, u32)>,
    rests: Vec<Tokens>,
}

impl Covering {
    pub fn new(n_places: usize, markings: &[Sparse]) -> Self {
        let ranks = ranks(n_places, markings);
        let rank = |&(place, tokens): &(PlaceId, Tokens)| (ranks[place.index()], tokens);
        let ranked = |marking: &Sparse| {
            let mut ranked: Ranked = marking.iter().filter(|entry| entry.1 > 0).map(rank).collect();
            ranked.sort_unstable();
            ranked
        };
        let mut sorted: Vec<Ranked> = markings.iter().map(ranked).collect();
        sorted.sort_unstable();
        let nodes = nodes(&sorted);
        Self { ranks, nodes, open: Vec::new(), rests: Vec::new() }
    }

    pub fn rank(&self, place: PlaceId) -> Rank {
        self.ranks[place.index()]
    }

    /// Is the marking above one of those that are here?
    pub fn is_above(&mut self, marking: &[(Rank, Tokens)]) -> bool {
        if self.nodes.is_empty() {
            return false;
        }
        self.rests.clear();
        self.rests.resize(marking.len() + 1, 0);
        for at in (0..marking.len()).rev() {
            self.rests[at] = self.rests[at + 1].saturating_add(marking[at].1);
        }
        self.open.clear();
        self.open.push((0, 0));
        while let Some((node, from)) = self.open.pop() {
            let Node { first, end, .. } = self.nodes[node as usize];
            if first == end {
                return true;
            }
            self.follow(first as usize, end as usize, marking, from as usize);
        }
        false
    }

    /// Opens all branches that the rest of the marking is above.
    fn follow(&mut self, first: usize, end: usize, marking: &[(Rank, Tokens)], from: usize) {
        let mut at = first;
        for (position, &(rank, tokens)) in marking.iter().enumerate().skip(from) {
            let branches = &self.nodes[at..end];
            at += branches.partition_point(|node| node.rank < rank);
            while at < end && self.nodes[at].rank == rank && self.nodes[at].tokens <= tokens {
                if self.nodes[at].least_rest <= self.rests[position + 1] {
                    self.open.push((at as u32, position as u32 + 1));
                }
                at += 1;
            }
            if at == end {
                return;
            }
        }
    }
}

/// Places that few markings have come first: they tell most.
fn ranks(n_places: usize, markings: &[Sparse]) -> Vec<Rank> {
    let mut counts = vec![0usize; n_places];
    for &(place, _) in markings.iter().flatten() {
        counts[place.index()] += 1;
    }
    let mut places: Vec<usize> = (0..n_places).collect();
    places.sort_by_key(|&place| counts[place]);
    let mut ranks = vec![Rank(0); n_places];
    for (rank, place) in places.into_iter().enumerate() {
        ranks[place] = Rank(rank as u32);
    }
    ranks
}

/// Level by level, so that the branches of a node are neighbours.
fn nodes(sorted: &[Ranked]) -> Vec<Node> {
    if sorted.is_empty() {
        return Vec::new();
    }
    let rests: Vec<Vec<Tokens>> = sorted.iter().map(|marking| rests(marking)).collect();
    let mut nodes = vec![Node { rank: Rank(0), tokens: 0, least_rest: 0, first: 0, end: 0 }];
    // For each node the markings below it.
    let mut below = vec![(0, sorted.len())];
    let (mut at, mut depth, mut level_end) = (0, 0, 1);
    while at < nodes.len() {
        if at == level_end {
            (depth, level_end) = (depth + 1, nodes.len());
        }
        let (mut start, end) = below[at];
        nodes[at].first = nodes.len() as u32;
        // A marking that ends here is the first of the range.
        if sorted[start].len() > depth {
            while start < end {
                let (rank, tokens) = sorted[start][depth];
                let same = start + sorted[start..end].partition_point(|marking| marking[depth] == (rank, tokens));
                let least_rest = rests[start..same].iter().map(|rests| rests[depth + 1]).min().unwrap_or(0);
                nodes.push(Node { rank, tokens, least_rest, first: 0, end: 0 });
                below.push((start, same));
                start = same;
            }
        }
        nodes[at].end = nodes.len() as u32;
        at += 1;
    }
    nodes
}

/// The tokens from each position on.
fn rests(marking: &[(Rank, Tokens)]) -> Vec<Tokens> {
    let mut rests = vec![0; marking.len() + 1];
    for at in (0..marking.len()).rev() {
        rests[at] = marking[at].1.saturating_add(rests[at + 1]);
    }
    rests
}

#[cfg(test)]
mod tests {
    use lapidary_reference::dice::Dice;

    use super::*;

    /// A marking with up to three tokens in each of four places.
    fn marking(number: u64) -> Sparse {
        let mut dice = Dice::new(number);
        (0..4).map(|place| (PlaceId(place), dice.below(4))).filter(|&(_, tokens)| tokens > 0).collect()
    }

    fn tokens(marking: &Sparse, place: PlaceId) -> Tokens {
        marking.iter().find(|entry| entry.0 == place).map_or(0, |entry| entry.1)
    }

    fn ranked(covering: &Covering, marking: &Sparse) -> Ranked {
        let mut ranked: Ranked = marking.iter().map(|&(place, tokens)| (covering.rank(place), tokens)).collect();
        ranked.sort_unstable();
        ranked
    }

    #[test]
    fn a_marking_is_above_one_exactly_if_it_is_above_it_in_every_place() {
        let (mut n_above, mut n_not) = (0, 0);
        for set in 0..300 {
            let markings: Vec<Sparse> = (0..set % 9).map(|i| marking(set * 17 + i)).collect();
            let mut covering = Covering::new(4, &markings);
            for number in 0..100 {
                let asked = marking(number * 31 + 5);
                let is_below = |other: &Sparse| other.iter().all(|&(place, least)| least <= tokens(&asked, place));
                let expected = markings.iter().any(is_below);
                let query = ranked(&covering, &asked);
                assert_eq!(covering.is_above(&query), expected, "{asked:?} above one of {markings:?}");
                (n_above, n_not) = (n_above + usize::from(expected), n_not + usize::from(!expected));
            }
        }
        assert!(n_above > 1000 && n_not > 1000, "{n_above} above, {n_not} not");
    }

    #[test]
    fn everything_is_above_the_empty_marking_and_nothing_above_none() {
        let (p, q) = (PlaceId(0), PlaceId(1));
        let mut covering = Covering::new(2, &[vec![(p, 1)], vec![(q, 0)]]);
        assert!(covering.is_above(&[]));
        assert!(!Covering::new(2, &[]).is_above(&[(Rank(0), 7)]));
    }

    #[test]
    fn the_greatest_numbers_are_compared_too() {
        let (p, q) = (PlaceId(0), PlaceId(1));
        let most = Tokens::MAX;
        let mut covering = Covering::new(2, &[vec![(p, most), (q, most)]]);
        assert!(covering.is_above(&[(Rank(0), most), (Rank(1), most)]));
        assert!(!covering.is_above(&[(Rank(0), most), (Rank(1), most - 1)]));
    }
}

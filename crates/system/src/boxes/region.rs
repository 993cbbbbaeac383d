//! Finite unions of boxes.

use lapidary_base::{Control, Stop};

use super::{Cuboid, Thresholds};

/// Regions with more boxes are not searched for boxes that can be joined.
const MAX_JOINED: usize = 4096;
/// So many bytes are asked for before they are allocated.
const LARGE: u64 = 8 << 20;

/// A union of boxes, none of which is within another, in ascending order. The same set may have several descriptions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Region {
    cuboids: Vec<Cuboid>,
}

impl Region {
    pub fn of(cuboids: Vec<Cuboid>) -> Self {
        Self::within(cuboids, &Control::new()).expect("there are no limits")
    }

    /// The same within limits: there may be very many boxes.
    pub fn within(mut cuboids: Vec<Cuboid>, control: &Control) -> Result<Self, Stop> {
        // Joining first is cheaper: it sorts, while looking for boxes within others compares all with all.
        if cuboids.len() <= MAX_JOINED {
            join(&mut cuboids, control)?;
        }
        let mut cuboids = without_contained(cuboids, control)?;
        cuboids.sort_unstable();
        Ok(Self { cuboids })
    }

    pub fn cuboids(&self) -> &[Cuboid] {
        &self.cuboids
    }

    pub fn is_empty(&self) -> bool {
        self.cuboids.is_empty()
    }

    pub fn or(&self, other: &Self) -> Self {
        Self::of(self.cuboids.iter().chain(&other.cuboids).cloned().collect())
    }

    pub fn and(&self, other: &Self) -> Self {
        let pairs = self.cuboids.iter().flat_map(|a| other.cuboids.iter().map(move |b| (a, b)));
        Self::of(pairs.filter_map(|(a, b)| a.meet(b)).collect())
    }

    pub fn minus(&self, other: &Self, control: &Control) -> Result<Self, Stop> {
        let mut rest = self.cuboids.clone();
        for cut in &other.cuboids {
            control.check()?;
            let mut pieces = Vec::with_capacity(rest.len());
            for cuboid in &rest {
                control.check()?;
                cuboid.minus(cut, &mut pieces);
            }
            rest = pieces;
        }
        Self::within(rest, control)
    }

    pub fn meets(&self, other: &Self) -> bool {
        self.cuboids.iter().any(|a| other.cuboids.iter().any(|b| a.meets(b)))
    }

    pub fn contains_point(&self, marking: &[u64]) -> bool {
        self.cuboids.iter().any(|cuboid| cuboid.contains_point(marking))
    }

    pub fn is_subset(&self, other: &Self, control: &Control) -> Result<bool, Stop> {
        let others: Vec<&Cuboid> = other.cuboids.iter().collect();
        for cuboid in &self.cuboids {
            if !is_covered(cuboid, &others, control)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Without boxes that the others have together.
    pub fn without_redundant(&self, control: &Control) -> Result<Self, Stop> {
        let mut kept = self.cuboids.clone();
        let mut at = kept.len();
        while at > 0 {
            at -= 1;
            control.check()?;
            let cuboid = kept.remove(at);
            let others: Vec<&Cuboid> = kept.iter().collect();
            if !is_covered(&cuboid, &others, control)? {
                kept.insert(at, cuboid);
            }
        }
        Ok(Self { cuboids: kept })
    }

    /// The atoms of a description of the region.
    pub fn thresholds(&self, n_places: usize) -> Thresholds {
        let mut thresholds = Thresholds::none(n_places);
        thresholds.add_region(self);
        thresholds
    }
}

/// Is every marking of the box in one of the others? Cuts away the box that leaves the fewest pieces, as long as
/// none alone is enough.
pub fn is_covered(cuboid: &Cuboid, others: &[&Cuboid], control: &Control) -> Result<bool, Stop> {
    let near: Vec<&Cuboid> = others.iter().copied().filter(|other| other.meets(cuboid)).collect();
    let mut open = vec![(cuboid.clone(), near)];
    while let Some((piece, near)) = open.pop() {
        control.check()?;
        if near.iter().any(|other| other.contains(&piece)) {
            continue;
        }
        let least = piece.least();
        if !near.iter().any(|other| other.contains_point(&least)) {
            return Ok(false);
        }
        let best = near.iter().enumerate().min_by_key(|(_, other)| n_pieces(&piece, other));
        let Some((at, cut)) = best else { return Ok(false) };
        reserve(n_pieces(&piece, cut), &piece, near.len(), control)?;
        let mut pieces = Vec::new();
        piece.minus(cut, &mut pieces);
        for piece in pieces {
            let others = near.iter().enumerate().filter(|&(other, _)| other != at).map(|(_, other)| *other);
            let near = others.filter(|other| other.meets(&piece)).collect();
            open.push((piece, near));
        }
    }
    Ok(true)
}

/// One cut may make thousands of pieces, each with a list of the boxes near it: more than can be taken back once it is there.
fn reserve(n_pieces: usize, piece: &Cuboid, n_near: usize, control: &Control) -> Result<(), Stop> {
    let bytes = size_of_val(&*piece.intervals).saturating_add(n_near.saturating_mul(size_of::<&Cuboid>()));
    let bytes = bytes.saturating_mul(n_pieces) as u64;
    if bytes >= LARGE { control.reserve(bytes) } else { Ok(()) }
}

/// How many pieces remain if the second box is cut out of the first.
fn n_pieces(piece: &Cuboid, cut: &Cuboid) -> usize {
    let pairs = piece.intervals.iter().zip(&cut.intervals);
    pairs.map(|(whole, cut)| usize::from(whole.lo < cut.lo) + usize::from(whole.hi > cut.hi)).sum()
}

fn without_contained(mut cuboids: Vec<Cuboid>, control: &Control) -> Result<Vec<Cuboid>, Stop> {
    cuboids.sort_unstable();
    cuboids.dedup();
    let mut kept: Vec<Cuboid> = Vec::with_capacity(cuboids.len());
    for cuboid in cuboids {
        control.check()?;
        if kept.iter().any(|other| other.contains(&cuboid)) {
            continue;
        }
        kept.retain(|other| !cuboid.contains(other));
        kept.push(cuboid);
    }
    Ok(kept)
}

/// Joins boxes that differ in one place only and touch there, place by place, until there are none.
fn join(cuboids: &mut Vec<Cuboid>, control: &Control) -> Result<(), Stop> {
    let mut n_before = usize::MAX;
    while cuboids.len() > 1 && cuboids.len() < n_before {
        n_before = cuboids.len();
        for at in differing(cuboids) {
            control.check()?;
            // Boxes that agree in all other places become neighbours, in ascending order.
            cuboids.sort_by(|a, b| {
                let (a, b) = (&a.intervals, &b.intervals);
                a[..at].cmp(&b[..at]).then_with(|| a[at + 1..].cmp(&b[at + 1..])).then_with(|| a[at].cmp(&b[at]))
            });
            cuboids.dedup_by(|next, last| match last.joined(next) {
                Some(joined) => {
                    *last = joined;
                    true
                }
                None => false,
            });
        }
    }
    Ok(())
}

/// The places in which not all boxes agree; the first if there is none, where equal boxes become one.
fn differing(cuboids: &[Cuboid]) -> Vec<usize> {
    let Some((first, others)) = cuboids.split_first() else { return Vec::new() };
    let agree = |at: usize| others.iter().all(|other| other.intervals[at] == first.intervals[at]);
    let found: Vec<usize> = (0..first.intervals.len()).filter(|&at| !agree(at)).collect();
    match found.is_empty() {
        true => (0..first.intervals.len().min(1)).collect(),
        false => found,
    }
}

#[cfg(test)]
mod tests {
    use lapidary_ir::Tokens;
    use lapidary_reference::dice::Dice;

    use super::super::{INFINITE, Interval};
    use super::*;

    const MOST: Tokens = 6;

    /// Random boxes over two places.
    fn some_region(seed: u64) -> Region {
        let mut dice = Dice::new(seed);
        let mut interval = || {
            let lo = dice.below(4);
            let hi = if dice.one_in(3) { INFINITE } else { lo + dice.below(3) };
            Interval { lo, hi }
        };
        let cuboids = (0..seed % 5).map(|_| Cuboid { intervals: [interval(), interval()].into() });
        Region::of(cuboids.collect())
    }

    fn points() -> impl Iterator<Item = [Tokens; 2]> {
        (0..=MOST).flat_map(|x| (0..=MOST).map(move |y| [x, y]))
    }

    #[test]
    fn operations_agree_with_the_points() {
        let control = Control::new();
        for seed in 0..4000 {
            let (a, b) = (some_region(seed), some_region(seed / 3 + 7));
            let minus = a.minus(&b, &control).expect("no limit");
            let (and, or) = (a.and(&b), a.or(&b));
            let lean = or.without_redundant(&control).expect("no limit");
            let mut is_subset = true;
            for point in points() {
                let (in_a, in_b) = (a.contains_point(&point), b.contains_point(&point));
                assert_eq!(and.contains_point(&point), in_a && in_b);
                assert_eq!(or.contains_point(&point), in_a || in_b);
                assert_eq!(lean.contains_point(&point), in_a || in_b);
                assert_eq!(minus.contains_point(&point), in_a && !in_b);
                is_subset &= in_b || !in_a;
            }
            assert_eq!(a.is_subset(&b, &control), Ok(is_subset), "{a:?} {b:?}");
            assert_eq!(minus.is_empty(), is_subset);
            assert_eq!(a.meets(&b), !and.is_empty());
        }
    }

    #[test]
    fn alpha_adds_what_no_atom_tells_apart() {
        for seed in 0..1000 {
            let (region, other) = (some_region(seed), some_region(seed + 1));
            let thresholds = other.thresholds(2);
            let alpha = thresholds.alpha(&region);
            let alike = |a: &[Tokens; 2], b: &[Tokens; 2]| {
                thresholds.atoms().all(|(place, k)| (a[place.0 as usize] >= k) == (b[place.0 as usize] >= k))
            };
            for point in points() {
                let touched = points().any(|b| alike(&point, &b) && region.contains_point(&b));
                assert_eq!(alpha.contains_point(&point), touched, "{point:?} {region:?} {thresholds:?}");
            }
        }
    }
}

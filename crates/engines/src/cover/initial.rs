//! Initial covers (Chucri 2012, section 6.2.1): partitions by values or predicates, and covers by predicates.

use lapidary_base::{Control, Stop};
use lapidary_system::SetAlgebra;

/// More blocks than this are refused: an abstraction should be small to begin with.
pub const MOST_BLOCKS: usize = 1 << 16;

/// Where nothing was chosen, a partition with more blocks than this is given up for a coarser one.
pub const MOST_BY_DEFAULT: usize = 1 << 12;

/// Splits every block by every predicate, into so many at most.
pub fn partition<Y: SetAlgebra>(
    system: &Y,
    mut blocks: Vec<Y::Set>,
    predicates: &[Y::Set],
    most: usize,
    control: &Control,
) -> Result<Vec<Y::Set>, Stop> {
    for predicate in predicates {
        let mut finer = Vec::new();
        for block in &blocks {
            control.check()?;
            for part in [system.and(block, predicate)?, system.minus(block, predicate)?] {
                if !system.is_none(&part) {
                    finer.push(part);
                }
            }
        }
        if finer.len() > most {
            return Err(too_many(most));
        }
        blocks = finer;
    }
    Ok(blocks)
}

/// Splits every block by the values that something has, from `lo` to `hi`, by halves: only what is there is looked at.
/// `within` are the states where it lies between two values.
pub fn by_value<Y: SetAlgebra>(
    system: &Y,
    blocks: Vec<Y::Set>,
    (lo, hi): (i64, i64),
    mut within: impl FnMut(i64, i64) -> Result<Y::Set, Stop>,
    most: usize,
    control: &Control,
) -> Result<Vec<Y::Set>, Stop> {
    let mut finer = Vec::new();
    // Low values come first.
    let mut open: Vec<(Y::Set, i64, i64)> = blocks.into_iter().rev().map(|block| (block, lo, hi)).collect();
    while let Some((block, lo, hi)) = open.pop() {
        control.check()?;
        if system.is_none(&block) {
            continue;
        }
        if lo == hi {
            finer.push(block);
            if finer.len() > most {
                return Err(too_many(most));
            }
            continue;
        }
        let middle = (lo & hi) + ((lo ^ hi) >> 1);
        let low = system.and(&block, &within(lo, middle)?)?;
        open.push((system.minus(&block, &low)?, middle + 1, hi));
        open.push((low, lo, middle));
    }
    Ok(finer)
}

/// One block per predicate, and one for the rest.
pub fn cover<Y: SetAlgebra>(system: &Y, all: Y::Set, predicates: &[Y::Set]) -> Result<Vec<Y::Set>, Stop> {
    let (mut blocks, mut rest) = (Vec::new(), all.clone());
    for predicate in predicates {
        let block = system.and(&all, predicate)?;
        rest = system.minus(&rest, &block)?;
        if !system.is_none(&block) && !blocks.contains(&block) {
            blocks.push(block);
        }
    }
    if !system.is_none(&rest) {
        blocks.push(rest);
    }
    Ok(blocks)
}

/// Refuses more blocks than there may be.
pub fn few(n_blocks: u64, most: usize) -> Result<(), Stop> {
    if n_blocks <= most as u64 { Ok(()) } else { Err(too_many(most)) }
}

fn too_many(most: usize) -> Stop {
    let why = format!("the initial abstraction has more than {most} blocks; choose fewer variables or predicates");
    Stop::Incomplete(why)
}

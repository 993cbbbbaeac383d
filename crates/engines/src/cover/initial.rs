//! Initial covers (Chucri 2012, section 6.2.1): partitions by values or predicates, and covers by predicates.

use lapidary_base::{Control, Stop};
use lapidary_system::SetAlgebra;

/// More blocks than this are refused: an abstraction should be small to begin with.
pub const MOST_BLOCKS: usize = 1 << 16;

/// Splits every block by every predicate.
pub fn partition<Y: SetAlgebra>(
    system: &Y,
    all: Y::Set,
    predicates: &[Y::Set],
    control: &Control,
) -> Result<Vec<Y::Set>, Stop> {
    let mut blocks = vec![all];
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
        if finer.len() > MOST_BLOCKS {
            return Err(too_many());
        }
        blocks = finer;
    }
    Ok(blocks)
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

fn too_many() -> Stop {
    let why =
        format!("the initial abstraction has more than {MOST_BLOCKS} blocks; choose fewer variables or predicates");
    Stop::Incomplete(why)
}

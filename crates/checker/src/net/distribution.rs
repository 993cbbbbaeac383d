//! Can tokens that choose among places be distributed in exactly this way? A transportation problem, solved as a flow.

use lapidary_base::{Id, Meter, Stop};
use lapidary_ir::PlaceId;

/// Can the tokens of each choice go to its places such that every place gets exactly what it misses?
pub fn exists(choices: &[(i128, Vec<PlaceId>)], missing: &[i128], meter: &mut Meter<'_>) -> Result<bool, Stop> {
    if missing.iter().any(|&tokens| tokens < 0) {
        return Ok(false);
    }
    let offered = choices.iter().map(|choice| choice.0).try_fold(0, i128::checked_add);
    if offered.is_none() || offered != missing.iter().copied().try_fold(0, i128::checked_add) {
        return Ok(false);
    }
    let mut sent: Vec<Vec<i128>> = choices.iter().map(|(_, to)| vec![0; to.len()]).collect();
    let mut missing = missing.to_vec();
    for (source, (tokens, _)) in choices.iter().enumerate() {
        let mut idle = *tokens;
        while idle > 0 {
            let Some(amount) = augment(choices, &mut missing, &mut sent, source, idle, meter)? else {
                return Ok(false);
            };
            idle -= amount;
        }
    }
    Ok(true)
}

/// A shortest way for idle tokens of a choice to a place that misses some, over places that give up what other choices
/// sent them; by shortest ways the number of rounds does not depend on that of the tokens (Edmonds and Karp 1972).
/// How many tokens went that way.
fn augment(
    choices: &[(i128, Vec<PlaceId>)],
    missing: &mut [i128],
    sent: &mut [Vec<i128>],
    first: usize,
    idle: i128,
    meter: &mut Meter<'_>,
) -> Result<Option<i128>, Stop> {
    meter.add((missing.len() + choices.len()) as u64)?;
    // Per place the choice that would send there, and per choice the place that would give up its tokens.
    let mut sender: Vec<Option<(usize, usize)>> = vec![None; missing.len()];
    let mut giver: Vec<Option<(usize, usize)>> = vec![None; choices.len()];
    let mut queue = vec![first];
    let mut next = 0;
    while let Some(&source) = queue.get(next) {
        next += 1;
        for (slot, place) in choices[source].1.iter().map(|place| place.index()).enumerate() {
            if sender[place].is_some() {
                continue;
            }
            sender[place] = Some((source, slot));
            if missing[place] > 0 {
                return Ok(Some(push(missing, sent, &sender, &giver, first, place, idle)));
            }
            meter.add(choices.iter().map(|(_, to)| to.len() as u64).sum())?;
            for (other, (_, to)) in choices.iter().enumerate() {
                let Some(slot) = to.iter().position(|to| to.index() == place) else { continue };
                if other != first && giver[other].is_none() && sent[other][slot] > 0 {
                    giver[other] = Some((place, slot));
                    queue.push(other);
                }
            }
        }
    }
    Ok(None)
}

/// Sends along the way that was found, from its last place back to the first choice.
fn push(
    missing: &mut [i128],
    sent: &mut [Vec<i128>],
    sender: &[Option<(usize, usize)>],
    giver: &[Option<(usize, usize)>],
    first: usize,
    last: usize,
    idle: i128,
) -> i128 {
    let mut way = Vec::new();
    let mut amount = idle.min(missing[last]);
    let mut place = last;
    loop {
        let (source, slot) = sender[place].expect("places on the way have a sender");
        way.push((source, slot));
        if source == first {
            break;
        }
        let (from, from_slot) = giver[source].expect("choices on the way, but for the first, give something up");
        amount = amount.min(sent[source][from_slot]);
        place = from;
    }
    for &(source, slot) in &way {
        sent[source][slot] += amount;
        if source != first {
            let (_, from_slot) = giver[source].expect("choices on the way, but for the first, give something up");
            sent[source][from_slot] -= amount;
        }
    }
    missing[last] -= amount;
    amount
}

#[cfg(test)]
mod tests {
    use lapidary_base::Control;

    use super::*;

    fn exists(choices: &[(i128, Vec<PlaceId>)], missing: &[i128]) -> bool {
        super::exists(choices, missing, &mut Meter::new(&Control::new())).expect("no limits")
    }

    /// Token by token.
    fn by_trying(choices: &[(i128, Vec<PlaceId>)], missing: &mut Vec<i128>) -> bool {
        let Some(at) = choices.iter().position(|choice| choice.0 > 0) else {
            return missing.iter().all(|&tokens| tokens == 0);
        };
        let mut fewer = choices.to_vec();
        fewer[at].0 -= 1;
        choices[at].1.iter().any(|place| {
            missing[place.index()] -= 1;
            let found = by_trying(&fewer, missing);
            missing[place.index()] += 1;
            found
        })
    }

    #[test]
    fn a_distribution_exists_exactly_where_trying_finds_one() {
        let ways = [vec![0, 1], vec![1, 2], vec![0, 2], vec![0, 1, 2], vec![0, 3]];
        let ways = ways.map(|way| way.into_iter().map(PlaceId).collect::<Vec<_>>());
        let (mut n_found, mut n_not) = (0, 0);
        for number in 0..5usize.pow(3) * 27 {
            let choice = |i: u32| ((number / 3usize.pow(i) % 3) as i128, ways[number / 27 / 5usize.pow(i) % 5].clone());
            let choices = [choice(0), choice(1), choice(2)];
            let total: i128 = choices.iter().map(|choice| choice.0).sum();
            for split in 0..=total {
                for rest in 0..=total - split {
                    let mut missing = vec![split, rest, total - split - rest, 0];
                    let found = exists(&choices, &missing);
                    assert_eq!(found, by_trying(&choices, &mut missing), "{choices:?} to {missing:?}");
                    (n_found, n_not) = (n_found + usize::from(found), n_not + usize::from(!found));
                }
            }
        }
        assert!(n_found > 1000 && n_not > 1000, "{n_found} found, {n_not} not");
    }

    #[test]
    fn large_numbers_take_few_rounds_and_sums_that_differ_none() {
        let (p, q) = (PlaceId(0), PlaceId(1));
        let most = i128::from(i64::MAX);
        let choices = [(most, vec![p, q]), (most, vec![p, q])];
        assert!(exists(&choices, &[1, 2 * most - 1]));
        assert!(!exists(&choices, &[1, 2 * most]));
        assert!(!exists(&choices, &[-1, 2 * most + 1]));
        assert!(!exists(&[(i128::MAX, vec![p, q]), (i128::MAX, vec![p, q])], &[0, 0]));
    }

    #[test]
    fn a_search_for_a_distribution_obeys_the_limits() {
        let places: Vec<PlaceId> = (0..200).map(PlaceId).collect();
        let choices: Vec<(i128, Vec<PlaceId>)> = places.iter().map(|_| (1, places.clone())).collect();
        let control = Control::new();
        control.cancel();
        let found = super::exists(&choices, &[1; 200], &mut Meter::new(&control));
        assert_eq!(found, Err(Stop::Interrupted));
        assert!(exists(&choices, &[1; 200]));
    }
}

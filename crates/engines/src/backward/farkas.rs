//! Generators of the weights that satisfy linear conditions: Farkas' elimination with the test of Martinez and Silva
//! (1982) that a row is no combination of others, up to a number of rows.

use lapidary_base::{Control, Stop};

use super::conditions::{Conditions, Inequality};

/// More rows than this are not kept; what is found is then not all there is.
const MAX_ROWS: usize = 300;
/// Every row has a number for every place and condition; larger tables are not made.
const MAX_ENTRIES: usize = 1 << 24;

struct Row {
    weights: Vec<i64>,
    /// Of every condition: how far the sum falls short of zero; negative where the condition is violated.
    slack: Vec<i64>,
}

/// Inequalities with few places, computed once.
pub fn inequalities(conditions: &Conditions, control: &Control) -> Result<Vec<Inequality>, Stop> {
    let n_places = conditions.most.len();
    if n_places.saturating_mul(n_places + conditions.rows.len()) > MAX_ENTRIES {
        return Ok(Vec::new());
    }
    let mut rows = units(conditions, control)?;
    let mut left: Vec<usize> = (0..conditions.rows.len()).collect();
    // The condition that makes the fewest combinations comes first.
    while let Some(at) = (0..left.len()).min_by_key(|&at| n_combinations(&rows, left[at])) {
        let condition = left.swap_remove(at);
        rows = eliminate(rows, condition, &left, control)?;
    }
    let weights = |row: &Row| -> Vec<(usize, u64)> {
        let positive = row.weights.iter().enumerate().filter(|&(_, &weight)| weight > 0);
        positive.map(|(place, &weight)| (place, weight.unsigned_abs())).collect()
    };
    let mut found = Vec::new();
    for row in &rows {
        control.check()?;
        found.extend(conditions.inequality(&weights(row)));
    }
    Ok(found)
}

/// A row per place that has a bound initially.
fn units(conditions: &Conditions, control: &Control) -> Result<Vec<Row>, Stop> {
    let n_places = conditions.most.len();
    let bounded = (0..n_places).filter(|&place| conditions.most[place].is_some());
    let unit = |place: usize| {
        let mut weights = vec![0; n_places];
        weights[place] = 1;
        let slack = conditions.rows.iter().map(|row| {
            let number = row.iter().find(|entry| entry.0 == place).map_or(0, |entry| entry.1);
            number.checked_neg().unwrap_or(i64::MAX)
        });
        control.check().map(|()| Row { weights, slack: slack.collect() })
    };
    bounded.map(unit).collect()
}

fn n_combinations(rows: &[Row], condition: usize) -> usize {
    let violating = rows.iter().filter(|row| row.slack[condition] < 0).count();
    let generous = rows.iter().filter(|row| row.slack[condition] > 0).count();
    violating * generous
}

/// Replaces the rows that violate a condition by combinations that meet it exactly. `left` are the conditions that may
/// still be violated.
fn eliminate(rows: Vec<Row>, condition: usize, left: &[usize], control: &Control) -> Result<Vec<Row>, Stop> {
    let (violating, mut kept): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.slack[condition] < 0);
    let generous: Vec<usize> = (0..kept.len()).filter(|&at| kept[at].slack[condition] > 0).collect();
    let mut made: Vec<Row> = Vec::new();
    'all: for bad in &violating {
        for &good in &generous {
            control.check()?;
            made.extend(combine(bad, &kept[good], condition));
            if made.len() > MAX_ROWS * 4 {
                break 'all;
            }
        }
    }
    kept.append(&mut made);
    without_combinations(kept, left, control)
}

fn combine(bad: &Row, good: &Row, condition: usize) -> Option<Row> {
    let (a, b) = (good.slack[condition], bad.slack[condition].checked_neg()?);
    let mix = |x: &[i64], y: &[i64]| -> Option<Vec<i64>> {
        x.iter().zip(y).map(|(x, y)| x.checked_mul(a)?.checked_add(y.checked_mul(b)?)).collect()
    };
    let mut row = Row { weights: mix(&bad.weights, &good.weights)?, slack: mix(&bad.slack, &good.slack)? };
    let divisor = row.weights.iter().chain(&row.slack).fold(0, |divisor, &number| gcd(divisor, number.unsigned_abs()));
    if let Ok(divisor) = i64::try_from(divisor.max(1)) {
        row.weights.iter_mut().chain(&mut row.slack).for_each(|number| *number /= divisor);
    }
    Some(row)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Drops rows whose support contains that of another: they are sums of others.
fn without_combinations(rows: Vec<Row>, left: &[usize], control: &Control) -> Result<Vec<Row>, Stop> {
    let Some(n_conditions) = rows.first().map(|row| row.slack.len()) else { return Ok(rows) };
    let mut is_left = vec![false; n_conditions];
    left.iter().for_each(|&at| is_left[at] = true);
    let support = |row: &Row| -> Vec<u64> {
        let weights = row.weights.iter().map(|&weight| weight != 0);
        let met = (0..row.slack.len()).map(|at| row.slack[at] != 0 && !is_left[at]);
        let mut bits = vec![0u64; (row.weights.len() + row.slack.len()).div_ceil(64)];
        weights.chain(met).enumerate().filter(|&(_, is_set)| is_set).for_each(|(i, _)| bits[i / 64] |= 1 << (i % 64));
        bits
    };
    let mut rows: Vec<(Vec<u64>, Row)> = rows.into_iter().map(|row| (support(&row), row)).collect();
    rows.sort_by_key(|(bits, _)| bits.iter().map(|word| word.count_ones()).sum::<u32>());
    let mut kept: Vec<(Vec<u64>, Row)> = Vec::new();
    for (bits, row) in rows {
        control.check()?;
        let contains = |other: &Vec<u64>| other.iter().zip(&bits).all(|(other, bits)| other & !bits == 0);
        if kept.len() < MAX_ROWS && !kept.iter().any(|(other, _)| contains(other)) {
            kept.push((bits, row));
        }
    }
    Ok(kept.into_iter().map(|(_, row)| row).collect())
}

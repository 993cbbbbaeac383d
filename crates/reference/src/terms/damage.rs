//! Damages texts of `.cfa` and `.xsts`: as [`mutate`] does, and with words of their own.

use crate::dice::Dice;
use crate::mutate::{mutate, split};

/// What a language writes, and some words that it does not have.
pub(crate) struct Words {
    pub(crate) tokens: &'static str,
    /// Those that can stand for each other in many places.
    pub(crate) operators: &'static str,
}

/// A damaged version of a text; equal arguments give equal results.
pub(crate) fn damage(words: &Words, text: &str, other: &str, seed: u64) -> String {
    let mut dice = Dice::new(seed ^ 0x646d_6765);
    match dice.below(20) {
        0 => soup(words, &mut dice),
        1..8 => mutate(text, other, seed),
        8..17 => reworded(words, text, &mut dice),
        _ => mutate(&reworded(words, text, &mut dice), other, seed),
    }
}

fn pick(dice: &mut Dice, list: &'static str) -> &'static str {
    let words: Vec<&str> = list.split_whitespace().collect();
    dice.pick(&words)
}

/// Words in no order.
fn soup(words: &Words, dice: &mut Dice) -> String {
    let n_words = dice.below(100);
    (0..n_words).map(|_| format!("{}{}", pick(dice, words.tokens), dice.pick(&[" ", " ", "", "\n"]))).collect()
}

/// With some words put in, replaced, or moved.
fn reworded(words: &Words, text: &str, dice: &mut Dice) -> String {
    let mut pieces = split(text);
    for _ in 0..dice.pick(&[1, 1, 1, 2, 4]) {
        let full: Vec<usize> = (0..pieces.len()).filter(|&at| !pieces[at].trim().is_empty()).collect();
        if full.is_empty() {
            break;
        }
        let (at, from) = (dice.pick(&full), dice.pick(&full));
        let is_operator = |at: &usize| words.operators.split_whitespace().any(|word| word == pieces[*at]);
        let operators: Vec<usize> = full.iter().copied().filter(is_operator).collect();
        match dice.below(6) {
            0 => pieces[at] = format!(" {} ", pick(dice, words.tokens)),
            1 => pieces.insert(at, format!(" {} ", pick(dice, words.tokens))),
            2 => pieces[at] = pieces[from].clone(),
            3 => pieces[at] = String::new(),
            _ if operators.is_empty() => pieces.swap(at, from),
            _ => pieces[dice.pick(&operators)] = format!(" {} ", pick(dice, words.operators)),
        }
    }
    pieces.concat()
}

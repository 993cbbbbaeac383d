//! Words in letters that no language here knows. They are told apart by hand: an automaton for the letters of all alphabets
//! has hundreds of states, and compiling it took longer than compiling the parser that uses it.

/// The bytes at the beginning of a text that go on with a word: letters of any alphabet, digits, and `more`.
pub fn rest_of_word(text: &str, more: &str) -> usize {
    text.find(|letter: char| !(letter.is_alphabetic() || letter.is_ascii_digit() || more.contains(letter)))
        .unwrap_or(text.len())
}

/// The same after a word of plain letters, provided that a foreign letter follows it.
pub fn foreign_rest(text: &str, more: &str) -> Option<usize> {
    let is_foreign = text.starts_with(|letter: char| !letter.is_ascii() && letter.is_alphabetic());
    is_foreign.then(|| rest_of_word(text, more))
}

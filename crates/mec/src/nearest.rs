//! Words that were probably meant.

/// The known word that is nearest to what was written, if it is near at all.
pub fn nearest<'a>(written: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Long words are not compared letter by letter: nobody misspells them by one.
    if written.len() > 64 {
        return None;
    }
    let near = known.filter(|word| word.len() <= 64).map(|word| (distance(written, word), word));
    near.filter(|(distance, _)| *distance <= (written.len() / 3).max(1)).min().map(|(_, word)| word)
}

/// How many letters have to be changed, added or left out.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &right) in b.iter().enumerate() {
            let change = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_letter_is_near_and_another_word_is_not() {
        let known = ["reach", "print", ":rel-cardinal"];
        assert_eq!(nearest("raech", known.into_iter()), None);
        assert_eq!(nearest("reech", known.into_iter()), Some("reach"));
        assert_eq!(nearest(":rel-cardinl", known.into_iter()), Some(":rel-cardinal"));
        assert_eq!(nearest("xyz", known.into_iter()), None);
    }
}

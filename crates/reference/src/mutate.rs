//! Damages texts, deterministically, to see how a parser takes it.

use crate::dice::Dice;

/// Words and signs of the language, and some that it does not have.
const TOKENS: &str = r#"const type var control define init process invariant reach deadlock_free ltl
    true false if then else min max abs div mod forall exists sum count in input skip bool int
    G F X U R W M no_errors <=> => | & ! = != < <= > >= + - * -> := : ; , . .. ( ) [ ] { } // /* */ /
    _ x y P N i pc 0 1 2 3 7 00 1_000 0x10 1.5 "text" 'c'"#;

const OPERATORS: &str = "<=> => | & ! = != < <= > >= + - * div mod -> := ..";

const NUMBERS: &str = "0 1 -1 2147483648 4294967296 9223372036854775807 9223372036854775808
    18446744073709551616 170141183460469231731687303715884105728 -9223372036854775809
    99999999999999999999999999999999999999999999999999999999999999999999999999999999";

const STRANGE: &str = "\0\u{1}\u{7f}\r\u{b}@#$\\`~éß→∀\u{feff}\u{202e}\u{a0}🙂\u{10ffff}";

/// Changes the pieces of a text; the last argument is another text.
type Mutation = fn(&mut Dice, &mut Vec<String>, &str);

const MUTATIONS: [Mutation; 24] = [
    delete_token,
    delete_token,
    duplicate_token,
    swap_tokens,
    swap_tokens,
    replace_token,
    replace_token,
    insert_token,
    delete_line,
    duplicate_line,
    swap_lines,
    insert_strange,
    insert_bytes,
    truncate,
    splice,
    nest,
    repeat_prefix,
    chain,
    huge_number,
    huge_number,
    huge_size,
    unterminated_comment,
    rename,
    change_operator,
];

/// A damaged version of a text; `other` is material to splice in. Equal arguments give equal
/// results.
pub fn mutate(text: &str, other: &str, seed: u64) -> String {
    let mut dice = Dice::new(seed ^ 0x006d_7574);
    if dice.below(400) == 0 {
        return [String::new(), " ".to_owned(), "\n".to_owned(), "//".to_owned()][dice.below(4)].clone();
    }
    let mut pieces = split(text);
    // Most mutants are damaged in one place, so that the parser gets past the others.
    for _ in 0..[1, 1, 1, 2, 3, 6][dice.below(6)] {
        let mutation = MUTATIONS[dice.below(MUTATIONS.len())];
        mutation(&mut dice, &mut pieces, other);
        pieces = split(&pieces.concat());
    }
    pieces.concat()
}

/// Random tokens of the language, in no order.
pub fn garbage(seed: u64) -> String {
    let mut dice = Dice::new(seed ^ 0x736f_7570);
    let most = [4, 20, 60, 200][dice.below(4)];
    let mut text = String::new();
    for _ in 0..dice.below(most) {
        match dice.below(40) {
            0 => text.push(strange(&mut dice)),
            1 => text.push_str(word(&mut dice, NUMBERS)),
            _ => text.push_str(word(&mut dice, TOKENS)),
        }
        text.push_str([" ", " ", " ", "", "\n"][dice.below(5)]);
    }
    text
}

/// A random word of a list.
fn word(dice: &mut Dice, list: &'static str) -> &'static str {
    let words: Vec<&str> = list.split_whitespace().collect();
    words[dice.below(words.len())]
}

/// A character that has no business in a model.
fn strange(dice: &mut Dice) -> char {
    let letters: Vec<char> = STRANGE.chars().collect();
    letters[dice.below(letters.len())]
}

/// Splits a text into words, runs of white space, and single other characters.
pub(crate) fn split(text: &str) -> Vec<String> {
    let class = |letter: char| match letter {
        letter if letter.is_ascii_alphanumeric() || letter == '_' => 1,
        letter if letter.is_whitespace() => 2,
        _ => 0,
    };
    let mut pieces = Vec::new();
    let (mut start, mut before) = (0, 0);
    for (at, letter) in text.char_indices() {
        let own = class(letter);
        if at > start && (own == 0 || own != before) {
            pieces.push(text[start..at].to_owned());
            start = at;
        }
        before = own;
    }
    if start < text.len() {
        pieces.push(text[start..].to_owned());
    }
    pieces
}

fn is_blank(piece: &str) -> bool {
    piece.chars().all(char::is_whitespace)
}

fn is_word(piece: &str) -> bool {
    piece.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
}

fn is_number(piece: &str) -> bool {
    piece.starts_with(|letter: char| letter.is_ascii_digit())
}

/// The position of a random piece that satisfies a condition; zero if there is none.
fn find(dice: &mut Dice, pieces: &[String], wanted: fn(&str) -> bool) -> usize {
    let fitting: Vec<usize> = (0..pieces.len()).filter(|&at| wanted(&pieces[at])).collect();
    if fitting.is_empty() { 0 } else { fitting[dice.below(fitting.len())] }
}

fn some_token(dice: &mut Dice, pieces: &[String]) -> usize {
    find(dice, pieces, |piece| !is_blank(piece))
}

/// Replaces a piece, or adds one to an empty text.
fn put(pieces: &mut Vec<String>, at: usize, new: String) {
    match pieces.get_mut(at) {
        Some(piece) => *piece = new,
        None => pieces.push(new),
    }
}

fn delete_token(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let at = some_token(dice, pieces);
    put(pieces, at, String::new());
}

fn duplicate_token(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let at = some_token(dice, pieces);
    let twice = pieces.get(at).map(|piece| format!("{piece} {piece}"));
    put(pieces, at, twice.unwrap_or_default());
}

#[expect(clippy::ptr_arg, reason = "all mutations have one type")]
fn swap_tokens(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let (left, right) = (some_token(dice, pieces), some_token(dice, pieces));
    if !pieces.is_empty() {
        pieces.swap(left, right);
    }
}

fn replace_token(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let at = some_token(dice, pieces);
    let token = word(dice, TOKENS).to_owned();
    put(pieces, at, token);
}

fn insert_token(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let at = dice.below(pieces.len() + 1);
    pieces.insert(at, format!(" {} ", word(dice, TOKENS)));
}

fn with_lines(pieces: &mut Vec<String>, change: impl FnOnce(&mut Vec<String>)) {
    let mut lines: Vec<String> = pieces.concat().split_inclusive('\n').map(str::to_owned).collect();
    if !lines.is_empty() {
        change(&mut lines);
    }
    *pieces = lines;
}

fn delete_line(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    with_lines(pieces, |lines| {
        lines.remove(dice.below(lines.len()));
    });
}

fn duplicate_line(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    with_lines(pieces, |lines| {
        let line = lines[dice.below(lines.len())].clone();
        lines.insert(dice.below(lines.len() + 1), line);
    });
}

fn swap_lines(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    with_lines(pieces, |lines| {
        let (left, right) = (dice.below(lines.len()), dice.below(lines.len()));
        lines.swap(left, right);
    });
}

fn insert_strange(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let at = dice.below(pieces.len() + 1);
    let letters = (0..1 + dice.below(3)).map(|_| strange(dice)).collect();
    pieces.insert(at, letters);
}

/// Random bytes, read as UTF-8 with replacement characters.
fn insert_bytes(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let at = dice.below(pieces.len() + 1);
    let bytes: Vec<u8> = (0..1 + dice.below(2)).flat_map(|_| dice.roll().to_le_bytes()).collect();
    pieces.insert(at, String::from_utf8_lossy(&bytes).into_owned());
}

fn truncate(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let mut letters: Vec<char> = pieces.concat().chars().collect();
    letters.truncate(dice.below(letters.len() + 1));
    *pieces = vec![letters.into_iter().collect()];
}

/// The beginning of one text and the end of the other, or a stretch of the other in the middle.
fn splice(dice: &mut Dice, pieces: &mut Vec<String>, other: &str) {
    let theirs = split(other);
    let from = dice.below(theirs.len() + 1);
    let cut = dice.below(pieces.len() + 1);
    if dice.percent(50) {
        pieces.truncate(cut);
        pieces.extend_from_slice(&theirs[from..]);
    } else {
        let to = (from + dice.below(30)).min(theirs.len());
        pieces.splice(cut..cut, theirs[from..to].iter().cloned());
    }
}

/// Wraps a word or a number into thousands of brackets, or into almost as many.
fn nest(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    const WRAPS: [(&str, &str); 9] = [
        ("(", ")"),
        ("(", ")"),
        ("-(", ")"),
        ("!(", ")"),
        ("x[", "]"),
        ("abs(", ")"),
        ("if true then ", " else 0"),
        ("min(1,", ")"),
        ("{", "}"),
    ];
    let at = find(dice, pieces, |piece| is_word(piece) || is_number(piece));
    let (open, close) = WRAPS[dice.below(WRAPS.len())];
    let n = repetitions(dice, open.len() + close.len());
    let n_close = if dice.percent(80) { n } else { dice.below(n) };
    let inner = pieces.get(at).cloned().unwrap_or_default();
    put(pieces, at, format!("{}{inner}{}", open.repeat(n), close.repeat(n_close)));
}

/// How often to repeat something of the given length; the result stays below half a megabyte.
fn repetitions(dice: &mut Dice, length: usize) -> usize {
    [20, 127, 257, 1000, 5000, 20_000][dice.below(6)].min(500_000 / length.max(1))
}

/// Puts thousands of prefix operators before a word or a number.
fn repeat_prefix(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    const PREFIXES: [&str; 6] = ["!", "-", "- ", "forall q in 0..1: ", "sum q in 0..0: ", "if true then 1 else "];
    let at = find(dice, pieces, |piece| is_word(piece) || is_number(piece));
    let prefix = dice.pick(&PREFIXES);
    let inner = pieces.get(at).cloned().unwrap_or_default();
    put(pieces, at, format!("{}{inner}", prefix.repeat(repetitions(dice, prefix.len()))));
}

/// Repeats a word or a number with thousands of operators between.
fn chain(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let at = find(dice, pieces, |piece| is_word(piece) || is_number(piece));
    let operator = word(dice, OPERATORS);
    let inner = pieces.get(at).cloned().unwrap_or_default();
    let link = format!("{inner} {operator} ");
    let links = link.repeat(repetitions(dice, link.len()));
    put(pieces, at, format!("{links}{inner}"));
}

fn huge_number(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let at = find(dice, pieces, is_number);
    let number = if dice.percent(10) { "9".repeat(repetitions(dice, 1)) } else { word(dice, NUMBERS).to_owned() };
    put(pieces, at, number);
}

/// A declaration of something enormous, before, after or instead of everything else.
fn huge_size(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let (n, m) = (word(dice, NUMBERS), word(dice, NUMBERS));
    let declaration = match dice.below(8) {
        0 => format!("var huge : 0..{n};\n"),
        1 => format!("var huge : bool[{n}];\n"),
        2 => format!("var huge : 0..1[{n}][{m}] = 0;\n"),
        3 => format!("process Huge(h : 0..{n}) {{ control var at : bool = false; go: !at -> at := true; }}\n"),
        4 => format!("invariant huge: forall h in {n}..{m}: h >= 0;\n"),
        5 => format!("var hugest : 0..1 = 0; huge[h in 0..{n}]: hugest = 0 -> hugest := 1;\n"),
        6 => format!("const HUGE = {n} * {n} * {m};\nvar huge : -HUGE..HUGE = HUGE div {m};\n"),
        _ => format!("var huge : {n}..{m};\nhuger: true -> huge := input;\n"),
    };
    let at = [0, pieces.len()][dice.below(2)];
    pieces.insert(at, declaration);
}

fn unterminated_comment(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let at = dice.below(pieces.len() + 1);
    pieces.insert(at, ["/*", "/**", "*/", "/*/", "//"][dice.below(5)].to_owned());
}

/// Gives one word the name of another, or a new one, everywhere or just here.
#[expect(clippy::ptr_arg, reason = "all mutations have one type")]
fn rename(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let (at, from) = (find(dice, pieces, is_word), find(dice, pieces, is_word));
    let Some(old) = pieces.get(at).cloned() else { return };
    let new = match dice.below(4) {
        0 => "undeclared".to_owned(),
        1 => format!("{old}_{}", "long".repeat(dice.below(200))),
        _ => pieces[from].clone(),
    };
    if dice.percent(50) {
        pieces[at] = new;
        return;
    }
    for piece in pieces.iter_mut().filter(|piece| **piece == old) {
        piece.clone_from(&new);
    }
}

fn change_operator(dice: &mut Dice, pieces: &mut Vec<String>, _: &str) {
    let is_operator = |piece: &str| "<=>|&!+-*:.,;".contains(piece) || piece == "div" || piece == "mod";
    let at = find(dice, pieces, is_operator);
    let operator = word(dice, OPERATORS).to_owned();
    put(pieces, at, operator);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "var x : 0..3 = 0;\n// é\nstep: x < 3 -> x := x + 1;\ninvariant small: x <= 3;\n";

    #[test]
    fn splitting_loses_nothing() {
        assert_eq!(split(TEXT).concat(), TEXT);
        assert_eq!(split("ab  <=é\n"), ["ab", "  ", "<", "=", "é", "\n"]);
    }

    #[test]
    fn every_mutation_copes_with_every_text() {
        for mutation in MUTATIONS {
            for text in ["", " ", "x", TEXT] {
                for other in ["", TEXT] {
                    for seed in 0..20 {
                        mutation(&mut Dice::new(seed), &mut split(text), other);
                    }
                }
            }
        }
    }

    #[test]
    fn most_mutants_differ_and_equal_seeds_give_equal_mutants() {
        let mutants: Vec<String> = (0..200).map(|seed| mutate(TEXT, "define d = 1;", seed)).collect();
        let n_changed = mutants.iter().filter(|mutant| *mutant != TEXT).count();
        assert!(n_changed > 180, "{n_changed}");
        for (seed, mutant) in (0..).zip(&mutants) {
            assert_eq!(mutate(TEXT, "define d = 1;", seed), *mutant);
        }
    }

    #[test]
    fn mutants_are_long_and_empty_and_strange_sometimes() {
        let some = |is: &dyn Fn(&str) -> bool| (0..2000).any(|seed| is(&mutate(TEXT, "", seed)));
        let many = "(".repeat(20_000);
        assert!(some(&str::is_empty));
        assert!(some(&|mutant| mutant.contains(&many)));
        assert!(some(&|mutant| mutant.contains("170141183460469231731687303715884105728")));
        assert!(some(&|mutant| mutant.contains('\0')));
        assert!(some(&|mutant| mutant.contains("/*") && !mutant.contains("*/")));
    }

    #[test]
    fn garbage_is_varied() {
        let soups: std::collections::BTreeSet<String> = (0..200).map(garbage).collect();
        assert!(soups.len() > 150, "{}", soups.len());
        assert_eq!(garbage(5), garbage(5));
    }
}

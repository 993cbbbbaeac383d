//! Words about solvers in messages, and the numbers in their answers.

use crate::smtlib::Sexp;

const MAX_QUOTED: usize = 120;

/// One printable line that is not too long.
pub fn brief(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut short: String = text.chars().map(clean).take(MAX_QUOTED).collect();
    if short.len() < text.len() && text.chars().nth(MAX_QUOTED).is_some() {
        short.push_str("...");
    }
    short
}

pub fn duration(millis: u64) -> String {
    match millis % 1000 {
        0 => format!("{} s", millis / 1000),
        _ => format!("{millis} ms"),
    }
}

/// Does a solver say with this that its memory was not enough?
pub fn is_about_memory(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["out of memory", "memory exhausted", "memory limit", "bad_alloc", "bad alloc", "memout"]
        .iter()
        .any(|words| text.contains(words))
}

#[derive(Debug, PartialEq, Eq)]
pub enum Value {
    Is(i64),
    /// An integer beyond 64 bits.
    Beyond,
    Garbage,
}

/// `true`, `12`, `(- 5)`; some solvers write `-5`.
pub fn value(sexp: &Sexp, sort: crate::TermSort) -> Value {
    match sort {
        crate::TermSort::Bool if sexp.is("true") => Value::Is(1),
        crate::TermSort::Bool if sexp.is("false") => Value::Is(0),
        crate::TermSort::Bool => Value::Garbage,
        crate::TermSort::Int => match sexp {
            Sexp::Atom(atom) => match atom.strip_prefix('-') {
                Some(digits) => integer("-", digits),
                None => integer("", atom),
            },
            Sexp::List(parts) => match &parts[..] {
                [minus, Sexp::Atom(digits)] if minus.is("-") => integer("-", digits),
                _ => Value::Garbage,
            },
            Sexp::Text(_) => Value::Garbage,
        },
    }
}

fn integer(sign: &str, digits: &str) -> Value {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Value::Garbage;
    }
    match format!("{sign}{digits}").parse() {
        Ok(value) => Value::Is(value),
        Err(_) => Value::Beyond,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TermSort;
    use crate::smtlib::read;

    #[test]
    fn integers_of_all_sizes() {
        let int = |text: &str| value(&read(text).expect("well formed")[0], TermSort::Int);
        assert_eq!(int("0"), Value::Is(0));
        assert_eq!(int("(- 5)"), Value::Is(-5));
        assert_eq!(int("-5"), Value::Is(-5));
        assert_eq!(int("(- 9223372036854775808)"), Value::Is(i64::MIN));
        assert_eq!(int("9223372036854775807"), Value::Is(i64::MAX));
        assert_eq!(int("9223372036854775808"), Value::Beyond);
        assert_eq!(int("(- 9223372036854775809)"), Value::Beyond);
        for text in ["x", "(- x)", "(+ 5)", "(-)", "-", "--5", "+5", "1.0", "()", "\"5\"", "(- (- 5))", "true", "1e3"] {
            assert_eq!(int(text), Value::Garbage, "{text}");
        }
    }

    #[test]
    fn booleans_are_words() {
        let bool = |text: &str| value(&read(text).expect("well formed")[0], TermSort::Bool);
        assert_eq!((bool("true"), bool("false"), bool("1")), (Value::Is(1), Value::Is(0), Value::Garbage));
    }

    #[test]
    fn quotations_are_short() {
        assert_eq!(brief("a\nb"), "a b");
        assert_eq!(brief(&"x".repeat(500)).len(), MAX_QUOTED + 3);
        assert_eq!((duration(20_000), duration(1500)), ("20 s".to_owned(), "1500 ms".to_owned()));
    }
}

//! Words about solvers in messages.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_short() {
        assert_eq!(brief("a\nb"), "a b");
        assert_eq!(brief(&"x".repeat(500)).len(), MAX_QUOTED + 3);
        assert_eq!((duration(20_000), duration(1500)), ("20 s".to_owned(), "1500 ms".to_owned()));
    }
}

//! Numbers in what engines say.

/// `1 block`, `2 blocks`.
pub fn counted(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

//! Tables on the page of benchmarks: each stands between two markers and is renewed as a whole.

use std::fs;

const PAGE: &str = "docs/benchmarks.md";

/// Puts the table of the benchmark `name` where the page has room for it.
pub fn write(name: &str, text: &str) -> Result<(), String> {
    let page = fs::read_to_string(PAGE).map_err(|error| format!("cannot read {PAGE}: {error}"))?;
    let page = replaced(&page, name, text)
        .ok_or_else(|| format!("{PAGE} has no place for the table: {} ... {}", begin(name), end(name)))?;
    fs::write(PAGE, page).map_err(|error| format!("cannot write {PAGE}: {error}"))
}

fn begin(name: &str) -> String {
    format!("<!-- bench {name}: begin -->")
}

fn end(name: &str) -> String {
    format!("<!-- bench {name}: end -->")
}

fn replaced(page: &str, name: &str, text: &str) -> Option<String> {
    let (begin, end) = (begin(name), end(name));
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n{text}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_keeps_what_stands_around_the_table() {
        let page = |text: &str| {
            format!("a\n<!-- bench one: begin -->\n{text}<!-- bench one: end -->\nb\n<!-- bench two: begin -->\n")
        };
        assert_eq!(replaced(&page("old\n"), "one", "new\n"), Some(page("new\n")));
        assert_eq!(replaced(&page("old\n"), "two", "new\n"), None);
    }
}

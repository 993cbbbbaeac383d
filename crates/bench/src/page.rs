//! Tables on the page of benchmarks: each stands between two markers and is renewed as a whole.

use std::fs;

use serde_json::Value;

use crate::options::Options;

const PAGE: &str = "docs/benchmarks.md";

/// Writes the numbers where they are asked for and, if all rows were measured and nothing is wrong with them, the page.
pub fn conclude(
    name: &str,
    options: &Options,
    mut numbers: Value,
    problems: &[String],
    text: &str,
) -> Result<(), String> {
    if let Some(path) = &options.json {
        numbers["benchmark"] = name.into();
        let document = serde_json::to_string_pretty(&numbers).expect("plain values become JSON");
        fs::write(path, document + "\n").map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    match (problems.is_empty(), options.only.is_empty()) {
        (false, _) => Err(problems.join("; ")),
        (true, true) => write(name, text),
        (true, false) => Ok(()),
    }
}

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

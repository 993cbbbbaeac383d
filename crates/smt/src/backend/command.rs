//! The command line of a solver: its words, and whether there is such a program.

use std::env;
use std::path::{Path, PathBuf};

/// What solvers need in order to read SMT-LIB 2 from their input, question by question.
const USUAL: [(&str, &[&str]); 6] = [
    ("z3", &["-in"]),
    ("cvc5", &["--lang", "smt2", "--incremental"]),
    ("cvc4", &["--lang", "smt2", "--incremental"]),
    ("mathsat", &["-input=smt2"]),
    ("yices-smt2", &["--incremental"]),
    ("opensmt", &[]),
];

/// The words of a command line whose program can be found. A well-known program alone gets its usual arguments.
pub fn parse(line: &str) -> Result<Vec<String>, String> {
    let mut words = split(line)?;
    let program = match words.first() {
        Some(program) if !program.is_empty() => program.clone(),
        Some(_) | None => return Err("the command of a solver is empty".to_owned()),
    };
    find(&program)?;
    if let [only] = &words[..] {
        let name = Path::new(only).file_name().map(|name| name.to_string_lossy().into_owned());
        let usual = USUAL.iter().find(|(known, _)| name.as_deref() == Some(known));
        words.extend(usual.into_iter().flat_map(|(_, arguments)| arguments.iter().map(|&word| word.to_owned())));
    }
    Ok(words)
}

/// The name of the program without its folder; what would not be one word of plain text is `_`.
pub fn word(command: &[String]) -> String {
    let program = command.first().map_or("", String::as_str);
    let name = Path::new(program).file_name().map_or(program.into(), |name| name.to_string_lossy());
    name.chars().map(|c| if c.is_whitespace() || c.is_control() || c == '=' { '_' } else { c }).collect()
}

/// Where a program is: a path as it is, a name on `PATH`.
pub fn find(program: &str) -> Result<PathBuf, String> {
    if program.contains('/') {
        return match is_program(Path::new(program)) {
            true => Ok(PathBuf::from(program)),
            false => Err(format!("there is no solver {program}, or it is no program")),
        };
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join(program)).find(|place| is_program(place));
    found.ok_or_else(|| format!("there is no solver {program} on PATH"))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// As a shell would, with quotes and backslashes, but without expanding anything.
fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            '\'' => single_quoted(&mut chars, word.get_or_insert_default())?,
            '"' => double_quoted(&mut chars, word.get_or_insert_default())?,
            '\\' => {
                let escaped = chars.next().ok_or("the command of a solver ends with a backslash")?;
                word.get_or_insert_default().push(escaped);
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

fn single_quoted(chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), String> {
    for c in chars {
        match c {
            '\'' => return Ok(()),
            c => word.push(c),
        }
    }
    Err("the command of a solver has a ' without its partner".to_owned())
}

fn double_quoted(chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), String> {
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(()),
            '\\' => match chars.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                Some(c) => word.extend(['\\', c]),
                None => break,
            },
            c => word.push(c),
        }
    }
    Err("the command of a solver has a \" without its partner".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        split(line).expect("balanced")
    }

    #[test]
    fn words_are_split_like_a_shell_does() {
        assert_eq!(words("  a  b\tc "), ["a", "b", "c"]);
        assert_eq!(words(r#"'a b' "c 'd" e\ f"#), ["a b", "c 'd", "e f"]);
        assert_eq!(words(r#"a'b'"c"d '' """#), ["abcd", "", ""]);
        assert_eq!(words(r#""a\"b\\c\n" 'a\b' $HOME *"#), [r#"a"b\c\n"#, r"a\b", "$HOME", "*"]);
        assert_eq!(words("   "), Vec::<String>::new());
        for line in ["'a", "a\"b", "a \\", "\"a\\"] {
            assert!(split(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_program_is_named_in_one_word() {
        let named = |command: &[&str]| word(&command.iter().map(|&part| part.to_owned()).collect::<Vec<_>>());
        assert_eq!(named(&["cvc5", "--incremental"]), "cvc5");
        assert_eq!(named(&["/opt/my solvers/a b=c\n"]), "a_b_c_");
        assert_eq!(named(&[]), "");
    }

    #[test]
    fn programs_must_be_there() {
        assert!(parse("sh -c 'exit 1'").is_ok_and(|words| words == ["sh", "-c", "exit 1"]));
        for line in ["  ", "''", "no-such-solver-anywhere", "/no/such/solver", "/", "/etc/passwd", "sh '"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn well_known_programs_get_their_arguments() {
        let find_usual = |name: &str| USUAL.iter().find(|(known, _)| *known == name).map(|(_, usual)| usual.to_vec());
        assert_eq!(find_usual("z3"), Some(vec!["-in"]));
        if find("z3").is_ok() {
            assert_eq!(parse("z3"), Ok(vec!["z3".to_owned(), "-in".to_owned()]));
            assert_eq!(parse("z3 -smt2 -in").map(|words| words.len()), Ok(3));
        }
    }
}

//! Which solvers are installed: only those are proposed.

use std::ffi::OsStr;
use std::sync::OnceLock;

/// Programs that `--solver` takes by their names. The one that is built in comes last: another version may know more.
const PROGRAMS: [&str; 6] = ["cvc5", "mathsat", "yices-smt2", "opensmt", "cvc4", "z3"];

/// The first of them that is in the `PATH`, which is looked through once.
pub fn installed() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&'static str>> = OnceLock::new();
    *FOUND.get_or_init(|| first_in(&std::env::var_os("PATH")?))
}

fn first_in(path: &OsStr) -> Option<&'static str> {
    let folders: Vec<_> = std::env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty()).collect();
    let is_there = |program: &&str| {
        let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
        folders.iter().any(|folder| folder.join(&file).is_file())
    };
    PROGRAMS.into_iter().find(is_there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_program_that_is_there_is_found() {
        let place = std::env::temp_dir().join(format!("lapidary-solvers-{}", std::process::id()));
        std::fs::create_dir_all(&place).expect("a folder can be made");
        let path = std::env::join_paths(["/nonexistent".as_ref(), place.as_path()]).expect("a path");
        assert_eq!(first_in(&path), None);
        for (program, expected) in [("z3", "z3"), ("yices-smt2", "yices-smt2"), ("z4", "yices-smt2")] {
            std::fs::write(place.join(program), "").expect("a file can be written");
            assert_eq!(first_in(&path), Some(expected));
        }
        std::fs::remove_dir_all(place).expect("what was made can be removed");
    }
}

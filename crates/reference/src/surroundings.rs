//! What tests use that is not part of the project: the models in `../shared/corpus`, the solvers `z3` and `cvc5`, the shells
//! `bash`, `zsh` and `fish`, and `groff`, which renders manual pages.
//!
//! A test that needs one of them is a plain function, and is named in [`with_corpus!`](crate::with_corpus),
//! [`with_z3!`](crate::with_z3) or another macro of this kind. Where the build found nothing the test is ignored, with
//! the reason; where ignored tests are run nevertheless, as by `./x test --all`, it fails.

use std::path::{Path, PathBuf};

/// A part of the corpus beside the project.
///
/// # Panics
///
/// If it is not there.
pub fn corpus(part: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(part);
    assert!(path.exists(), "there is no ../shared/corpus/{part} beside the project, and this test is about it");
    path
}

/// A text of the corpus; some are older than UTF-8.
pub fn corpus_text(part: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(corpus(part)).expect("files of the corpus can be read")).into_owned()
}

/// Tests of functions without parameters, in a module.
#[doc(hidden)]
#[macro_export]
macro_rules! tests_in {
    ($module:ident, $($test:ident),+) => {
        mod $module {
            $(
                #[test]
                fn $test() {
                    super::$test();
                }
            )+
        }
    };
}

/// The same, ignored for a reason.
#[doc(hidden)]
#[macro_export]
macro_rules! ignored_tests_in {
    ($module:ident, $reason:literal, $($test:ident),+) => {
        mod $module {
            $(
                #[test]
                #[ignore = $reason]
                fn $test() {
                    super::$test();
                }
            )+
        }
    };
}

/// Tests that need the models in `../shared/corpus`.
#[cfg(has_corpus)]
#[macro_export]
macro_rules! with_corpus {
    ($($test:ident),+ $(,)?) => {
        $crate::tests_in!(with_corpus, $($test),+);
    };
}

/// Tests that need the models in `../shared/corpus`.
#[cfg(not(has_corpus))]
#[macro_export]
macro_rules! with_corpus {
    ($($test:ident),+ $(,)?) => {
        $crate::ignored_tests_in!(with_corpus, "the models of ../shared/corpus are not beside the project", $($test),+);
    };
}

/// Tests that need the program `z3`.
#[cfg(has_z3)]
#[macro_export]
macro_rules! with_z3 {
    ($($test:ident),+ $(,)?) => {
        $crate::tests_in!(with_z3, $($test),+);
    };
}

/// Tests that need the program `z3`.
#[cfg(not(has_z3))]
#[macro_export]
macro_rules! with_z3 {
    ($($test:ident),+ $(,)?) => {
        $crate::ignored_tests_in!(with_z3, "the program z3 is not installed", $($test),+);
    };
}

/// Tests that need the corpus and the program `z3`.
#[cfg(all(has_corpus, has_z3))]
#[macro_export]
macro_rules! with_corpus_and_z3 {
    ($($test:ident),+ $(,)?) => {
        $crate::tests_in!(with_corpus_and_z3, $($test),+);
    };
}

/// Tests that need the corpus and the program `z3`.
#[cfg(not(all(has_corpus, has_z3)))]
#[macro_export]
macro_rules! with_corpus_and_z3 {
    ($($test:ident),+ $(,)?) => {
        $crate::ignored_tests_in!(with_corpus_and_z3, "the models of ../shared/corpus, or the program z3, are not there", $($test),+);
    };
}

/// Tests that need the program `cvc5`.
#[cfg(has_cvc5)]
#[macro_export]
macro_rules! with_cvc5 {
    ($($test:ident),+ $(,)?) => {
        $crate::tests_in!(with_cvc5, $($test),+);
    };
}

/// Tests that need the program `cvc5`.
#[cfg(not(has_cvc5))]
#[macro_export]
macro_rules! with_cvc5 {
    ($($test:ident),+ $(,)?) => {
        $crate::ignored_tests_in!(with_cvc5, "the program cvc5 is not installed", $($test),+);
    };
}

/// Tests that need the program `bash`.
#[cfg(has_bash)]
#[macro_export]
macro_rules! with_bash {
    ($($test:ident),+ $(,)?) => {
        $crate::tests_in!(with_bash, $($test),+);
    };
}

/// Tests that need the program `bash`.
#[cfg(not(has_bash))]
#[macro_export]
macro_rules! with_bash {
    ($($test:ident),+ $(,)?) => {
        $crate::ignored_tests_in!(with_bash, "the program bash is not installed", $($test),+);
    };
}

/// Tests that need the program `zsh`.
#[cfg(has_zsh)]
#[macro_export]
macro_rules! with_zsh {
    ($($test:ident),+ $(,)?) => {
        $crate::tests_in!(with_zsh, $($test),+);
    };
}

/// Tests that need the program `zsh`.
#[cfg(not(has_zsh))]
#[macro_export]
macro_rules! with_zsh {
    ($($test:ident),+ $(,)?) => {
        $crate::ignored_tests_in!(with_zsh, "the program zsh is not installed", $($test),+);
    };
}

/// Tests that need the program `fish`.
#[cfg(has_fish)]
#[macro_export]
macro_rules! with_fish {
    ($($test:ident),+ $(,)?) => {
        $crate::tests_in!(with_fish, $($test),+);
    };
}

/// Tests that need the program `fish`.
#[cfg(not(has_fish))]
#[macro_export]
macro_rules! with_fish {
    ($($test:ident),+ $(,)?) => {
        $crate::ignored_tests_in!(with_fish, "the program fish is not installed", $($test),+);
    };
}

/// Tests that need the program `groff`.
#[cfg(has_groff)]
#[macro_export]
macro_rules! with_groff {
    ($($test:ident),+ $(,)?) => {
        $crate::tests_in!(with_groff, $($test),+);
    };
}

/// Tests that need the program `groff`.
#[cfg(not(has_groff))]
#[macro_export]
macro_rules! with_groff {
    ($($test:ident),+ $(,)?) => {
        $crate::ignored_tests_in!(with_groff, "the program groff is not installed", $($test),+);
    };
}

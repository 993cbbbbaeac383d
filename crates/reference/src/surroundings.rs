//! What tests use that is not part of the project: the models in `../shared/corpus`, and the solvers `z3` and `cvc5`.
//!
//! A test that needs one of them is a plain function, and is named in [`with_corpus!`](crate::with_corpus),
//! [`with_z3!`](crate::with_z3) or [`with_cvc5!`](crate::with_cvc5). Where the build found nothing the test is ignored, with
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

/// The definition of a macro that makes tests of functions, in a module of the macro's name.
macro_rules! tests_that_need {
    ($dollar:tt $name:ident, $has:ident, $reason:literal) => {
        /// Makes tests of functions without parameters.
        #[cfg($has)]
        #[macro_export]
        macro_rules! $name {
                                                            ($dollar($test:ident),+ $dollar(,)?) => {
                                                                mod $name {
                                                                    $dollar(
                                                                        #[test]
                                                                        fn $test() {
                                                                            super::$test();
                                                                        }
                                                                    )+
                                                                }
                                                            };
                                                        }

        /// Makes tests of functions without parameters.
        #[cfg(not($has))]
        #[macro_export]
        macro_rules! $name {
                                                            ($dollar($test:ident),+ $dollar(,)?) => {
                                                                mod $name {
                                                                    $dollar(
                                                                        #[test]
                                                                        #[ignore = $reason]
                                                                        fn $test() {
                                                                            super::$test();
                                                                        }
                                                                    )+
                                                                }
                                                            };
                                                        }
    };
}

tests_that_need!($ with_corpus, has_corpus, "the models of ../shared/corpus are not beside the project");
tests_that_need!($ with_z3, has_z3, "the program z3 is not installed");
tests_that_need!($ with_cvc5, has_cvc5, "the program cvc5 is not installed");

//! Transcripts: what users type and what they see. One file per subject under `cmd`; those under `cmd/models` load
//! models, each from the directory `NAME.in` beside it. Those under
//! `cmd/mec`, `cmd/convert` and `cmd/plot` leave files behind: `NAME.out` is how the directory looks afterwards.
//!
//! After a deliberate change, `TRYCMD=overwrite cargo test -p lapidary --test it cli` writes them anew. Times and memory
//! are the only parts that differ between two runs: `[..]` stands for them.

#[test]
fn words() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

#[test]
fn models() {
    trycmd::TestCases::new().case("tests/cmd/models/*.trycmd");
}

#[test]
fn mec() {
    trycmd::TestCases::new().case("tests/cmd/mec/*.trycmd").case("tests/cmd/mec/*.toml");
}

#[test]
fn plot() {
    trycmd::TestCases::new().case("tests/cmd/plot/*.trycmd");
}

#[test]
fn convert() {
    trycmd::TestCases::new().case("tests/cmd/convert/*.trycmd");
}

/// Ten mistakes of beginners in each of four languages; `mistakes.rs` looks at what they show.
#[test]
fn mistakes() {
    trycmd::TestCases::new().case("tests/cmd/mistakes/*.trycmd");
}

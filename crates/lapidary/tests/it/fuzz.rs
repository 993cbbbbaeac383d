//! The program itself on damaged texts: its exit code tells what it wrote, and it ends by itself. Most texts are tried
//! within the tests of the library, which need no process for each.

use std::fs;
use std::time::Duration;

use lapidary_reference::damaged::FAMILIES;
use lapidary_reference::seeds;

use crate::support::{finish, start};

#[test]
fn damaged_texts_end_the_program_with_an_answer_or_a_complaint() {
    let folder = std::env::temp_dir().join(format!("lapidary-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the inputs");
    for family in FAMILIES {
        let path = folder.join("input").with_extension(family.suffix);
        // Other seeds than those that the library is tried with.
        for seed in seeds::of(5_000_000..5_000_120) {
            let text = (family.text)(seed);
            fs::write(&path, &text).expect("inputs can be written");
            let args = ["check", path.to_str().expect("plain paths"), "--timeout", "60ms", "--memory", "2G", "-q"];
            let found = finish(start(&args), Duration::from_secs(20));
            let is_told = match found.code {
                Some(30) if found.stderr.contains("limit was reached before the model") => true,
                Some(4) if found.stderr.contains("not supported") => true,
                Some(0 | 4 | 10 | 30) => found.stdout.contains("summary:"),
                Some(2 | 3) => found.stderr.contains("error"),
                _ => false,
            };
            assert!(is_told, "{}, seed {seed}\n{found:?}\n--- text\n{text}", family.name);
        }
    }
    fs::remove_dir_all(&folder).expect("the folder can be removed");
}

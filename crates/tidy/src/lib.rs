//! The rules of the repository, as tests: `cargo test -p lapidary-tidy`.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder whose name ends in one of `suffixes`, in order of their paths.
pub fn files(folder: &str, suffixes: &[&str]) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![root().join(folder)]);
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("folders can be read").path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                open.push(path);
            } else if suffixes.iter().any(|suffix| name.ends_with(suffix)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

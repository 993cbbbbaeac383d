//! The arguments of `lapidary plot`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::curves::Curve;

#[derive(Debug, Args)]
pub struct Plot {
    /// Events of a run, as `lapidary check --events` writes them
    #[arg(value_name = "RUN.jsonl")]
    pub file: PathBuf,

    /// Events of another run, drawn over the first
    #[arg(value_name = "OTHER.jsonl")]
    pub other: Option<PathBuf>,

    /// Where to write the figure: an .svg file
    #[arg(short, long, value_name = "FIGURE.svg")]
    pub output: PathBuf,

    /// Which property [default: the first that has iterations]
    #[arg(short, long, value_name = "NAME", allow_hyphen_values = true)]
    pub property: Option<String>,

    /// Draw one curve only
    #[arg(long, value_name = "CURVE")]
    pub curve: Option<Curve>,
}

impl Plot {
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [Some(&self.file), self.other.as_ref()].into_iter().flatten().map(PathBuf::as_path)
    }
}

//! The files that a check leaves behind: traces and certificates.

use std::io::{self, Write};
use std::iter;
use std::path::{Path, PathBuf};

use lapidary_base::Control;
use lapidary_driver::{Loaded, json};
use lapidary_verdict::{Certificate, Evidence, PropertyReport, Report, Trace, certificate_file, itf};

use crate::console::{PIPED_WIDTH, Palette};
use crate::finished::{self, Failure};
use crate::render::next::file_stem;
use crate::render::run::ModelRun;
use crate::render::{dot, trace};
use crate::words::TraceFormat;

/// How many models one command checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Models {
    One,
    Several,
}

/// An option that names a file to write.
pub type Output<'a> = (&'static str, &'a Path);

/// Why these options must not be followed: a file would be written over a model, or over another output.
pub fn clash(models: &[String], outputs: &[Output<'_>]) -> Option<String> {
    for (i, (option, path)) in outputs.iter().enumerate() {
        let file = identity(path);
        // What is written to a device overwrites nothing.
        if file.exists() && !file.is_file() {
            continue;
        }
        if let Some(model) = models.iter().find(|model| identity(Path::new(model)) == file) {
            return Some(format!("{option} would overwrite the model {model}"));
        }
        if let Some((other, _)) = outputs[..i].iter().find(|(_, other)| identity(other) == file) {
            return Some(format!("{other} and {option} name the same file, {}", path.display()));
        }
    }
    None
}

/// One path for all the ways to write it. A file that does not exist yet is known by its directory.
pub fn identity(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (parent.canonicalize(), path.file_name()) {
        (Ok(parent), Some(file)) => parent.join(file),
        (Ok(_) | Err(_), _) => path.to_owned(),
    }
}

/// Hands out file names, each only once: the first request gets the path as it is, later ones get a name before the
/// suffix, with a number where that name is taken.
pub struct FileNames {
    path: PathBuf,
    suffix: &'static str,
    n_given: usize,
    /// The identities of the files that must not be written (again).
    taken: Vec<PathBuf>,
}

impl FileNames {
    /// Later files are never among `others`: the models and the other outputs.
    pub fn new<'a>(path: PathBuf, others: impl Iterator<Item = &'a Path>) -> Self {
        // Only the suffixes of traces have two dots; any other is what follows the last one.
        let suffix = TraceFormat::of(&path).map(TraceFormat::suffix).unwrap_or_default();
        let taken = others.map(identity).chain([identity(&path)]).collect();
        Self { path, suffix, n_given: 0, taken }
    }

    /// Has any file been named yet?
    pub fn is_unused(&self) -> bool {
        self.n_given == 0
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn next(&mut self, name: &str) -> PathBuf {
        self.n_given += 1;
        if self.n_given == 1 {
            return self.path.clone();
        }
        let stem = file_stem(name);
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let paths = iter::once(stem.clone()).chain(numbered).map(|stem| self.with_name(&stem));
        let mut free = paths.filter(|path| !self.taken.contains(&identity(path)));
        let path = free.next().expect("numbers do not run out");
        self.taken.push(identity(&path));
        path
    }

    fn with_name(&self, name: &str) -> PathBuf {
        let file = self.path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
        let (stem, suffix) = match file.strip_suffix(self.suffix) {
            Some(stem) if !self.suffix.is_empty() => (stem.to_owned(), self.suffix.to_owned()),
            _ => match file.rsplit_once('.') {
                Some((stem, extension)) => (stem.to_owned(), format!(".{extension}")),
                None => (file, String::new()),
            },
        };
        self.path.with_file_name(format!("{stem}.{name}{suffix}"))
    }
}

/// What stands in a file name for a property: its name, and the model's where there are several.
fn name_of(loaded: &Loaded, report: &PropertyReport, models: Models) -> String {
    let property = &loaded.declared().properties[report.property].name;
    let model = Path::new(&loaded.path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    match model {
        Some(model) if models == Models::Several => format!("{model}-{property}"),
        Some(_) | None => property.clone(),
    }
}

/// Writes every trace of the report; per property the file it went to.
pub fn write_traces(
    names: &mut FileNames,
    loaded: &Loaded,
    report: &Report,
    models: Models,
    control: &Control,
) -> Result<Vec<Option<PathBuf>>, Failure> {
    let write = |property: &PropertyReport| match &property.evidence {
        Evidence::Trace(trace) => {
            let path = names.next(&name_of(loaded, property, models));
            let format = TraceFormat::of(&path);
            finished::write(&path, control, |out| write_trace(loaded, property, trace, format, control, out))?;
            Ok(Some(path))
        }
        Evidence::Certificate(..) | Evidence::Nothing(_) => Ok(None),
    };
    report.properties.iter().map(write).collect()
}

fn write_trace(
    loaded: &Loaded,
    report: &PropertyReport,
    trace: &Trace,
    format: Option<TraceFormat>,
    control: &Control,
    out: &mut dyn Write,
) -> io::Result<()> {
    let run = ModelRun { loaded, trace };
    match format {
        Some(TraceFormat::Dot) => {
            let property = &loaded.declared().properties[report.property].name;
            dot::write(&run, &format!("{}: {property} {}", loaded.path, report.verdict.name()), out)
        }
        Some(TraceFormat::Text) => {
            let (form, palette) = (trace::Form::Diff, Palette::Plain);
            let options = trace::Options { form, width: PIPED_WIDTH, palette, only: None, most_steps: usize::MAX };
            trace::write(&run, &options, out)
        }
        Some(TraceFormat::Itf) | None => json::write_trace(loaded, report, trace, itf::Layout::Lines, control, out),
    }
}

/// Writes every certificate of the report once, with all the properties that it shows, as `-p` takes them.
pub fn write_certificates(
    names: &mut FileNames,
    loaded: &Loaded,
    report: &Report,
    models: Models,
    control: &Control,
) -> Result<(), Failure> {
    let mut groups: Vec<(&Certificate, Vec<String>, String)> = Vec::new();
    for property in &report.properties {
        let certificate = match &property.evidence {
            Evidence::Certificate(certificate, _) => certificate,
            Evidence::Trace(_) | Evidence::Nothing(_) => continue,
        };
        let argument = loaded.argument(property.property);
        match groups.iter_mut().find(|(known, ..)| known.is_same(certificate)) {
            Some((_, arguments, _)) => arguments.push(argument),
            None => groups.push((certificate, vec![argument], name_of(loaded, property, models))),
        }
    }
    for (certificate, arguments, name) in groups {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        finished::write(&names.next(&name), control, |out| {
            certificate_file::write(
                loaded.declared(),
                loaded.subject.tree(),
                &loaded.sha256,
                &arguments,
                certificate,
                out,
            )
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str, others: &[&str]) -> FileNames {
        FileNames::new(PathBuf::from(path), others.iter().map(Path::new))
    }

    #[test]
    fn later_files_get_their_name_before_the_suffix() {
        let mut names = named("out/run.itf.json", &[]);
        assert_eq!(names.next("live"), PathBuf::from("out/run.itf.json"));
        assert_eq!(names.next("x < 3"), PathBuf::from("out/run.x_3.itf.json"));
        let mut names = named("proof.cert", &[]);
        names.next("a");
        assert_eq!(names.next("b"), PathBuf::from("proof.b.cert"));
    }

    #[test]
    fn no_file_name_is_given_out_twice() {
        let mut names = named("run.dot", &["run.x_4.dot"]);
        let given = ["a", "x < 3", "x > 3", "x = 3", "x < 4"].map(|name| names.next(name));
        let expected = ["run.dot", "run.x_3.dot", "run.x_3-2.dot", "run.x_3-3.dot", "run.x_4-2.dot"];
        assert_eq!(given, expected.map(PathBuf::from));
    }

    #[test]
    fn outputs_that_overwrite_a_model_or_each_other_are_refused() {
        let models = ["Cargo.toml".to_owned()];
        let said = |outputs: &[Output<'_>]| clash(&models, outputs);
        let (events, proof) = (Path::new("src/new.txt"), Path::new("./src/../src/new.txt"));
        assert_eq!(said(&[("--events", events), ("--certificate", Path::new("new.txt"))]), None);
        let model = said(&[("--events", Path::new("src/../Cargo.toml"))]);
        assert_eq!(model.as_deref(), Some("--events would overwrite the model Cargo.toml"));
        let both = said(&[("--events", events), ("--certificate", proof)]).unwrap();
        assert!(both.starts_with("--events and --certificate name the same file"), "{both}");
    }
}

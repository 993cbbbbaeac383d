//! Loads models for the commands, and tells what is wrong where that fails.

use std::io;

use lapidary_base::Control;
use lapidary_driver::load::{self, LoadError, LoadRequest, Loaded};
use lapidary_text::diagnostic::render;

use crate::args::Reading;
use crate::console::Console;
use crate::exit::Exit;
use crate::words::quoted;

/// A model that could not be loaded, of which the user was told.
pub struct Unloaded {
    pub exit: Exit,
    pub error: LoadError,
}

/// Loads what is to be checked. Warnings are told; so are errors.
pub fn open(console: &mut Console, request: &LoadRequest, control: &Control) -> io::Result<Result<Loaded, Unloaded>> {
    told(console, load::load_within(request, control))
}

/// Loads a model of which the properties do not matter: one without any is welcome too.
pub fn open_model(
    console: &mut Console,
    path: &str,
    reading: &Reading,
    control: &Control,
) -> io::Result<Result<Loaded, Exit>> {
    Ok(told(console, load::open_within(&reading.request(path), control))?.map_err(|unloaded| unloaded.exit))
}

fn told(console: &mut Console, result: Result<Loaded, LoadError>) -> io::Result<Result<Loaded, Unloaded>> {
    match result {
        Ok(loaded) => {
            for warning in &loaded.warnings {
                let text = render(warning, &loaded.sources, console.err.palette.style());
                console.err.line(&text)?;
            }
            Ok(Ok(loaded))
        }
        Err(error) => Ok(Err(Unloaded { exit: tell(console, &error)?, error })),
    }
}

/// Tells why a model cannot be loaded.
pub fn tell(console: &mut Console, error: &LoadError) -> io::Result<Exit> {
    match error {
        LoadError::File(message) => {
            console.error(message)?;
            Ok(Exit::Input)
        }
        LoadError::Text { sources, diagnostics } => {
            for diagnostic in diagnostics {
                console.err.line(&render(diagnostic, sources, console.err.palette.style()))?;
            }
            Ok(Exit::Input)
        }
        LoadError::NoProperty { path } => {
            let model = quoted(path);
            console.error(&format!("{path} has no property, and no -p gives one; try"))?;
            console.err.line(&format!("  lapidary check {model} -p 'x < 3'    an invariant over your variables"))?;
            let (second, why) = match path.rsplit('.').next() {
                Some("alt") => ("-p deadlock_free", "is some event always possible?"),
                Some("spec" | "tts" | "pnml" | "lola") => ("-p 'EF (p >= 1 AND q >= 1)'", "can both have a token?"),
                Some(_) | None => ("-p no_errors", "does any step err?"),
            };
            console.err.line(&format!("  lapidary check {model} {second}  {why}"))?;
            console.err.line(&format!("  lapidary simulate {model} -i         walk through the model"))?;
            Ok(Exit::Usage)
        }
        LoadError::Stopped { path, stop } => {
            console.error(&format!("{path}: {stop} before the model and what is asked about it were read"))?;
            Ok(Exit::of_stop(stop))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::tests::captured;

    #[test]
    fn a_model_without_property_gets_three_example_commands() {
        let (mut console, out, err) = captured();
        let exit = tell(&mut console, &LoadError::NoProperty { path: "my model.gcl".to_owned() }).unwrap();
        assert_eq!(exit, Exit::Usage);
        assert_eq!(out.text(), "");
        assert_eq!(err.text().lines().filter(|line| line.starts_with("  lapidary ")).count(), 3);
        assert!(err.text().contains("lapidary check 'my model.gcl' -p"));
    }

    #[test]
    fn a_missing_file_is_an_input_error() {
        let (mut console, _, err) = captured();
        let exit = tell(&mut console, &LoadError::File("m.gcl: no such file".to_owned())).unwrap();
        assert_eq!((exit, err.text().as_str()), (Exit::Input, "error: m.gcl: no such file\n"));
    }
}

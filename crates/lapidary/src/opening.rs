//! Loads models for the commands, and tells what is wrong where that fails.

use std::io;
use std::sync::Arc;

use lapidary_base::Control;
use lapidary_driver::Exit;
use lapidary_driver::examples::Asks;
use lapidary_driver::files::{Files, disk};
use lapidary_driver::load::{self, LoadError, LoadRequest, Loaded};

use crate::args::{Ort, Reading};
use crate::console::Console;
use crate::render::next::reading_words;
use crate::words::{model_words, quoted};

/// A model that could not be loaded, of which the user was told.
pub struct Unloaded {
    pub exit: Exit,
    pub error: LoadError,
}

/// Loads what is to be checked. Warnings are told; so are errors.
pub fn open(console: &mut Console, request: &LoadRequest, control: &Control) -> io::Result<Result<Loaded, Unloaded>> {
    told(console, load::load_within(request, &disk(), control))
}

/// Loads a model of which the properties do not matter: one without any is welcome too.
pub fn open_model(
    console: &mut Console,
    models: &[String],
    reading: &Reading,
    control: &Control,
) -> io::Result<Result<Loaded, Exit>> {
    open_model_of(&disk(), console, models, reading, control)
}

/// The same where somebody else reads the files, too.
pub fn open_model_of(
    files: &Arc<dyn Files>,
    console: &mut Console,
    models: &[String],
    reading: &Reading,
    control: &Control,
) -> io::Result<Result<Loaded, Exit>> {
    if let Some(misuse) = reading.misuse(models) {
        console.error(&misuse)?;
        return Ok(Err(Exit::Usage));
    }
    let told = told(console, load::open_within(&reading.request(models), files, control))?;
    Ok(told.map_err(|unloaded| unloaded.exit))
}

/// Tells what there is to tell of a model that was loaded, or could not be.
pub fn told(console: &mut Console, result: Result<Loaded, LoadError>) -> io::Result<Result<Loaded, Unloaded>> {
    match result {
        Ok(loaded) => {
            for warning in &loaded.warnings {
                console.diagnostic(warning, &loaded.sources)?;
            }
            Ok(Ok(loaded))
        }
        Err(error) => Ok(Err(Unloaded { exit: tell(console, &error)?, error })),
    }
}

/// Tells why a model cannot be loaded.
pub fn tell(console: &mut Console, error: &LoadError) -> io::Result<Exit> {
    match error {
        LoadError::File(message) => console.error(message)?,
        LoadError::Text { sources, diagnostics } => {
            for diagnostic in diagnostics {
                console.diagnostic(diagnostic, sources)?;
            }
        }
        LoadError::LeftOut { path, names, sources, warnings } => {
            for warning in warnings {
                console.diagnostic(warning, sources)?;
            }
            let what = match &**names {
                [name] => format!("`{name}` is"),
                names => format!("{} properties are", names.len()),
            };
            console.error(&format!("{path}: {what} left out, so that nothing is checked"))?;
        }
        LoadError::NoProperty { request, examples } => {
            console.error(&format!("{} has no property, and no -p gives one; try", request.path))?;
            let commands: Vec<String> = examples.iter().map(|example| command(request, &example.asks)).collect();
            let width = commands.iter().map(|command| command.chars().count()).max().unwrap_or(0);
            for (command, example) in commands.iter().zip(examples) {
                console.err.line(&format!("  {command:width$}  {}", example.meaning))?;
            }
        }
        LoadError::Stopped { path, stop } => {
            console.error(&format!("{path}: {stop} before the model and what is asked about it were read"))?;
        }
    }
    Ok(Exit::of_load_error(error))
}

/// The command that asks this about the model, read as it was read.
fn command(request: &LoadRequest, asks: &Asks) -> String {
    let LoadRequest { path, further, defines, node, formulas, initial, ort, error_location, .. } = request.clone();
    let ort = ort.map(Ort::of);
    let options = reading_words(&Reading { defines, node, as_one: false, formulas, initial, ort, error_location });
    let model = model_words(&path, &further);
    match asks {
        Asks::Property(formula) => format!("lapidary check {model} -p {}{options}", quoted(formula)),
        Asks::Walk => format!("lapidary simulate {model} -i{options}"),
        Asks::Overview => format!("lapidary info {model}{options}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lapidary_driver::examples::Example;

    use crate::console::tests::captured;

    #[test]
    fn a_model_without_property_gets_three_example_commands() {
        let (mut console, out, err) = captured();
        let request =
            Reading { node: Some("Main".to_owned()), ..Reading::default() }.request(&["my model.alt".to_owned()]);
        let example = |asks, meaning: &str| Example { asks, meaning: meaning.to_owned() };
        let examples = vec![
            example(Asks::Property("x < 3".to_owned()), "is x small?"),
            example(Asks::Walk, "walk"),
            example(Asks::Overview, "see"),
        ];
        let error = LoadError::NoProperty { request: Box::new(request), examples };
        let exit = tell(&mut console, &error).unwrap();
        assert_eq!((exit, out.text().as_str()), (Exit::Usage, ""));
        let lines: Vec<String> = err.text().lines().skip(1).map(str::to_owned).collect();
        let expected = [
            "  lapidary check 'my model.alt' -p 'x < 3' --node Main  is x small?",
            "  lapidary simulate 'my model.alt' -i --node Main       walk",
            "  lapidary info 'my model.alt' --node Main              see",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_missing_file_is_an_input_error() {
        let (mut console, _, err) = captured();
        let exit = tell(&mut console, &LoadError::File("m.gcl: no such file".to_owned())).unwrap();
        assert_eq!((exit, err.text().as_str()), (Exit::Input, "error: m.gcl: no such file\n"));
    }
}

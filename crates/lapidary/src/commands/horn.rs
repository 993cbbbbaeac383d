//! `lapidary convert -o x.smt2`: one property of a model as Horn clauses.

use std::io;

use lapidary_driver::files::disk;
use lapidary_driver::horn::{self, Unwritten};
use lapidary_driver::{Exit, load};

use crate::args::{Convert, Specified};
use crate::commands::convert::write_within;
use crate::commands::simulate::stopped;
use crate::console::Console;
use crate::opening::told;
use crate::outputs;

pub fn write(args: &Convert, console: &mut Console) -> io::Result<Exit> {
    if let Some(misuse) = args.reading.misuse(&args.models) {
        console.error(&misuse)?;
        return Ok(Exit::Usage);
    }
    let control = args.limits.control();
    let properties = args.property.iter().cloned().collect();
    let request = args.reading.request_for(&args.models, properties, &Specified::default());
    let loaded = match told(console, load::open_within(&request, &disk(), &control))? {
        Ok(loaded) => loaded,
        Err(unloaded) => return Ok(unloaded.exit),
    };
    if let Some(clash) = outputs::clash(&loaded.files, &[("--output", &args.output)]) {
        console.error(&clash)?;
        return Ok(Exit::Usage);
    }
    match horn::written(&loaded, &control) {
        Ok(text) => write_within(&args.output, &text, &control, console),
        Err(Unwritten::Unasked(why)) => {
            console.error(&why)?;
            Ok(Exit::Usage)
        }
        Err(Unwritten::Unsupported(why)) => {
            console.error(&why)?;
            Ok(Exit::Unsupported)
        }
        Err(Unwritten::Stopped(stop)) => stopped(&stop, console),
    }
}

//! `lapidary convert`: a model in another format.

use std::fs;
use std::io;

use lapidary_ir::print;

use crate::args::Convert;
use crate::console::Console;
use crate::exit::Exit;
use crate::opening::open_model;

pub fn run(args: &Convert, console: &mut Console) -> io::Result<Exit> {
    if args.output.extension().is_none_or(|suffix| suffix != "lir") {
        console.error("the suffix of the output decides its format; there is: .lir")?;
        return Ok(Exit::Usage);
    }
    let loaded = match open_model(console, &args.model, &args.reading)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    match fs::write(&args.output, print::model(&loaded.model)) {
        Ok(()) => Ok(Exit::Success),
        Err(error) => {
            console.error(&format!("cannot write {}: {error}", args.output.display()))?;
            Ok(Exit::Input)
        }
    }
}

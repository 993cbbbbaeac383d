//! `lapidary init`: a commented model to start from.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};

use crate::args::Init;
use crate::console::Console;
use crate::exit::Exit;
use crate::words::quoted;

pub const STARTER: &str = include_str!("starter.gcl");

pub fn run(args: &Init, console: &mut Console) -> io::Result<Exit> {
    let shown = args.file.display().to_string();
    // Creating a new file, never opening an old one, leaves no moment in which one could be overwritten.
    let created = OpenOptions::new().write(true).create_new(true).open(&args.file);
    match created.and_then(|mut file| file.write_all(STARTER.as_bytes())) {
        Ok(()) => {
            let model = quoted(&shown);
            console.out.line(&format!("wrote {shown}; next:"))?;
            console.out.line(&format!("  lapidary {model}                check its properties"))?;
            console.out.line(&format!("  lapidary simulate {model} -i    walk through it"))?;
            Ok(Exit::Success)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            console.error(&format!("{shown} is already there; name another file: lapidary init other.gcl"))?;
            Ok(Exit::Usage)
        }
        Err(error) => {
            console.error(&format!("cannot write {shown}: {error}"))?;
            Ok(Exit::Input)
        }
    }
}

//! `lapidary man`: manual pages, made of the same texts as the help.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man as Page;
use clap_mangen::roff::{Roff, roman};
use lapidary_base::Control;
use lapidary_driver::Exit;

use crate::args::{Cli, Man};
use crate::console::Console;
use crate::finished::{self, Failure};
use crate::units::counted;

pub fn run(args: &Man, console: &mut Console) -> io::Result<Exit> {
    let pages = pages();
    let Some(directory) = &args.output else {
        console.out.text(&String::from_utf8_lossy(&pages[0].text))?;
        return Ok(Exit::Success);
    };
    match write(directory, &pages) {
        Ok(()) => {
            let pages = counted(pages.len(), "manual page", "manual pages");
            console.out.line(&format!("wrote {pages} to {}", directory.display()))?;
            Ok(Exit::Success)
        }
        Err(failure) => {
            console.error(&failure.why)?;
            Ok(failure.exit)
        }
    }
}

struct Written {
    /// `lapidary-check.1`
    file: String,
    text: Vec<u8>,
}

fn write(directory: &Path, pages: &[Written]) -> Result<(), Failure> {
    fs::create_dir_all(directory).map_err(|error| {
        let why = format!("cannot make the directory {}: {error}", directory.display());
        Failure { why, exit: Exit::Input }
    })?;
    pages.iter().try_for_each(|page| {
        finished::write(&directory.join(&page.file), &Control::new(), |out| out.write_all(&page.text))
    })
}

/// The page of the program first, then those of its commands.
fn pages() -> Vec<Written> {
    let mut program = Cli::command();
    program.build();
    let mut pages = Vec::new();
    add(&program, &mut pages);
    pages
}

fn add(command: &Command, pages: &mut Vec<Written>) {
    pages.push(page(command.clone()));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        add(below, pages);
    }
}

fn page(command: Command) -> Written {
    let after_help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let has_commands = command.has_subcommands();
    let version = format!("lapidary {}", env!("CARGO_PKG_VERSION"));
    // Without a date the arguments that follow would take its place: an empty one is written without quotes.
    let page = Page::new(command).date(" ").source(version).manual("Lapidary Manual");
    let mut text = Vec::new();
    let mut render = || {
        page.render_title(&mut text)?;
        page.render_name_section(&mut text)?;
        page.render_synopsis_section(&mut text)?;
        page.render_description_section(&mut text)?;
        page.render_options_section(&mut text)?;
        if has_commands {
            page.render_subcommands_section(&mut text)?;
        }
        sections(&after_help).to_writer(&mut text)
    };
    render().expect("memory can be written");
    Written { file: page.get_filename(), text }
}

/// What stands below the options of the help. A title, as in `Examples:`, begins a section; what is indented keeps its
/// columns.
fn sections(after_help: &str) -> Roff {
    let mut roff = Roff::new();
    let mut is_indented = false;
    for line in after_help.lines() {
        let indented = line.starts_with(' ');
        if indented != is_indented {
            roff.control(if indented { "nf" } else { "fi" }, []);
            is_indented = indented;
        }
        match line.strip_suffix(':').filter(|_| !indented) {
            Some(title) => roff.control("SH", [title.to_uppercase().as_str()]),
            None if line.is_empty() => roff.control("PP", []),
            None => roff.text([roman(line)]),
        };
    }
    if is_indented {
        roff.control("fi", []);
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a page writes it.
    fn escaped(text: &str) -> String {
        text.replace('-', r"\-")
    }

    fn assert_named(command: &Command, pages: &[Written]) {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let page = pages.iter().find(|page| page.file == format!("{name}.1")).expect("every command has a page");
        let text = String::from_utf8(page.text.clone()).expect("plain text");
        for option in command.get_arguments().filter_map(|argument| argument.get_long()) {
            assert!(text.contains(&escaped(&format!("--{option}"))), "--{option} is not in {}", page.file);
        }
        for below in command.get_subcommands() {
            let page = format!("{name}-{}(1)", below.get_name());
            assert!(text.contains(&escaped(&page)), "{page} is not in the page of {name}");
            assert_named(below, pages);
        }
    }

    #[test]
    fn every_command_and_every_option_is_named() {
        let mut program = Cli::command();
        program.build();
        let pages = pages();
        assert_named(&program, &pages);
        assert_eq!(pages[0].file, "lapidary.1");
    }

    #[test]
    fn titles_begin_sections_and_columns_are_kept() {
        let text = sections("Examples:\n  lapidary m.gcl    check\n\nExit codes: 0 or 10").to_roff();
        assert_eq!(text, ".SH EXAMPLES\n.nf\n  lapidary m.gcl    check\n.fi\n.PP\nExit codes: 0 or 10\n");
    }
}

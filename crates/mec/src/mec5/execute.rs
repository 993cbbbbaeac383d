//! Runs the commands of the shell.

use lapidary_base::Control;
use lapidary_ir::Tree;
use lapidary_ir::tree::VarKind;
use lapidary_text::spelling::nearest;
use lapidary_text::{Diagnostic, Span};

use super::ast::Name;
use super::commands::{self, COMMANDS, FORMULAS, What};
use super::environment::{Environment, describe};
use super::host::{Host, LoadFailure};
use super::options::{OPTIONS, Options, Values};
use super::session::{Flow, Session, Trouble};
use super::types::TypeId;
use super::{codes, resolve_type, show};

/// How deep scripts may read scripts.
const MAX_SCRIPTS: usize = 16;

/// A command line, cut into words with their places.
struct Line<'a> {
    words: Vec<(&'a str, Span)>,
    span: Span,
}

impl<'a> Line<'a> {
    fn new(text: &'a str, span: Span) -> Self {
        let place = |word: &str| {
            let start = span.start + (word.as_ptr().addr() - text.as_ptr().addr()) as u32;
            Span::new(span.source, start, start + word.len() as u32)
        };
        // A file name with blanks may be quoted.
        let mut words = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let quoted = matches!(first, '"' | '\'').then(|| rest[1..].find(first)).flatten();
            let (word, after) = match quoted {
                Some(end) => (&rest[1..end + 1], &rest[end + 2..]),
                None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
            };
            words.push((word, place(word)));
            rest = after.trim_start();
        }
        Self { words, span }
    }

    /// Commas may stand between words, with blanks or without.
    fn without_commas(&self) -> Self {
        let mut words = Vec::new();
        for &(word, span) in &self.words {
            for part in word.split(',').filter(|part| !part.is_empty()) {
                let start = span.start + (part.as_ptr().addr() - word.as_ptr().addr()) as u32;
                words.push((part, Span::new(span.source, start, start + part.len() as u32)));
            }
        }
        Self { words, span: self.span }
    }

    /// The words after the command, if their number is right.
    fn arguments(&self, least: usize, most: usize, usage: &str) -> Result<&[(&'a str, Span)], Trouble> {
        let arguments = &self.words[1..];
        if (least..=most).contains(&arguments.len()) {
            return Ok(arguments);
        }
        let (label, span) = match arguments.get(most) {
            Some((_, span)) => ("not expected", *span),
            None => ("something is missing", self.span),
        };
        let name = self.words[0].0;
        let message = format!("{name} takes {}", if usage.is_empty() { "no words" } else { usage });
        let diagnostic = Diagnostic::error(codes::COMMAND_ARGUMENT, message, span, label);
        Err(diagnostic.with_help(format!("`:help {}` tells more", name.trim_start_matches(':'))).into())
    }
}

impl Session {
    pub(super) fn command(
        &mut self,
        host: &mut dyn Host,
        text: &str,
        span: Span,
        control: &Control,
    ) -> Result<Flow, Trouble> {
        let line = Line::new(text, span);
        let (word, place) = line.words[0];
        let name = word.trim_start_matches(':');
        let Some(command) = commands::find(name) else { return Err(unknown_command(name, place)) };
        let usage = command.words;
        match command.what {
            What::Load => self.load(host, line.arguments(1, 1, usage)?[0])?,
            What::ListNodes => {
                line.arguments(0, 0, usage)?;
                let (_, models, output) = host.parts();
                models.nodes().iter().for_each(|node| output.text(&format!("{node}\n")));
            }
            What::NodeInfo => {
                let (node, span) = line.arguments(1, 1, usage)?[0];
                self.info(host, &Name { text: node.to_owned(), span }, control)?;
            }
            What::Cardinal => self.cardinal(host, line.arguments(1, 1, usage)?[0], control)?,
            What::Print => self.print(host, line.arguments(1, 2, usage)?, control)?,
            What::ListRelations => {
                line.arguments(0, 0, usage)?;
                for (name, signature) in &self.signatures {
                    host.parts().2.text(&format!("{}\n", describe(&self.types, name, signature)));
                }
            }
            What::RelationType => {
                let (name, span) = line.arguments(1, 1, usage)?[0];
                let signature = self.signature(host, name, span)?;
                host.parts().2.text(&format!("{}\n", describe(&self.types, name, &signature)));
            }
            What::Set => self.set(host, line.arguments(0, 2, usage)?)?,
            What::Help => help(host, line.arguments(0, 1, usage)?)?,
            What::Quit => {
                line.arguments(0, 0, usage)?;
                return Ok(Flow::Quit);
            }
            What::Source => return self.source(host, line.arguments(1, 1, usage)?[0], control),
            What::CegarInit => {
                self.cegar_init(host, line.without_commas().arguments(3, usize::MAX, usage)?, control)?;
            }
            What::CegarVerify => self.cegar_verify(host, line.arguments(1, 2, usage)?, control)?,
        }
        Ok(Flow::Continue)
    }

    fn load(&mut self, host: &mut dyn Host, (path, span): (&str, Span)) -> Result<(), Trouble> {
        match host.load(path) {
            Ok((_, warnings)) => {
                if !warnings.is_empty() {
                    host.report(&warnings);
                }
                Ok(())
            }
            Err(LoadFailure::Wrong(diagnostics)) => Err(diagnostics.into()),
            Err(LoadFailure::Stopped(stop)) => Err(Trouble::Stopped(stop, span)),
            Err(LoadFailure::Unreadable(message)) => {
                Err(Diagnostic::error(codes::FILE, message, span, "cannot be loaded").into())
            }
        }
    }

    fn source(&mut self, host: &mut dyn Host, (path, span): (&str, Span), control: &Control) -> Result<Flow, Trouble> {
        if self.n_nested >= MAX_SCRIPTS {
            let message = format!("scripts are nested more than {MAX_SCRIPTS} deep");
            let diagnostic = Diagnostic::error(codes::NESTING, message, span, "not read");
            return Err(diagnostic.with_help("does a script read itself?").into());
        }
        let script =
            host.read(path).map_err(|message| Diagnostic::error(codes::FILE, message, span, "cannot be read"))?;
        self.n_nested += 1;
        let flow = self.run(host, script, control);
        self.n_nested -= 1;
        Ok(flow)
    }

    pub(super) fn signature(&mut self, host: &mut dyn Host, name: &str, span: Span) -> Result<Vec<TypeId>, Trouble> {
        let (_, models, _) = host.parts();
        let mut environment = Environment { types: &mut self.types, models, signatures: &self.signatures };
        Ok(environment.signature(&Name { text: name.to_owned(), span })?)
    }

    fn cardinal(&mut self, host: &mut dyn Host, (name, span): (&str, Span), control: &Control) -> Result<(), Trouble> {
        let count = self.count(host, name, span, control)?;
        host.parts().2.text(&format!("cardinal of {name} : {count}\n"));
        Ok(())
    }

    fn count(&mut self, host: &mut dyn Host, name: &str, span: Span, control: &Control) -> Result<String, Trouble> {
        self.signature(host, name, span)?;
        let stored = self.stored(host, name, span, control)?;
        let (types, slots) = self.parts(span)?;
        let columns = slots.parameters(types, &stored.signature).map_err(|stop| Trouble::Stopped(stop, span))?;
        let count = slots.space.count(&stored.set, &columns).map_err(|stop| Trouble::Stopped(stop, span))?;
        Ok(count.map_or_else(|| "more than 2^128".to_owned(), |count| count.to_string()))
    }

    fn print(&mut self, host: &mut dyn Host, words: &[(&str, Span)], control: &Control) -> Result<(), Trouble> {
        let (name, span) = words[0];
        let limit = match words.get(1) {
            None => self.options.print_limit(),
            Some((limit, at)) => limit.parse().map_err(|_| {
                let message = format!("{limit} is not a number of tuples");
                Diagnostic::error(codes::COMMAND_ARGUMENT, message, *at, "expected a number")
            })?,
        };
        let count = self.count(host, name, span, control)?;
        let stored = self.stored(host, name, span, control)?;
        let (types, slots) = self.parts(span)?;
        let texts = show::tuples(slots, types, &stored, limit).map_err(|stop| Trouble::Stopped(stop, span))?;
        let output = host.parts().2;
        texts.iter().for_each(|text| output.text(&format!("{text}\n")));
        if texts.len().to_string() != count {
            output.text(&format!("... {} of {count} tuples\n", texts.len()));
        }
        Ok(())
    }

    fn set(&mut self, host: &mut dyn Host, words: &[(&str, Span)]) -> Result<(), Trouble> {
        let output = host.parts().2;
        let Some((name, span)) = words.first() else {
            for (option, data) in OPTIONS.iter().enumerate() {
                let setting = format!("{} = {}", data.name, self.options.value(option));
                output.text(&format!("{setting:<48}{} ({})\n", data.help, data.values.describe()));
            }
            return Ok(());
        };
        let Some(option) = Options::find(name) else {
            let diagnostic =
                Diagnostic::error(codes::UNKNOWN_OPTION, format!("there is no option {name}"), *span, "not known");
            let help = match nearest(name, OPTIONS.iter().map(|option| option.name)) {
                Some(near) => format!("did you mean {near}?"),
                None => "`:set` lists the options".to_owned(),
            };
            return Err(diagnostic.with_help(help).into());
        };
        let data = &OPTIONS[option];
        match words.get(1) {
            None if data.values == Values::Switch => self.options.set(option, "on".to_owned()),
            None => output.text(&format!("{name} = {}\n", self.options.value(option))),
            Some((value, at)) => {
                let Some(accepted) = data.values.accept(value) else {
                    let message = format!("{value} is no value of {name}");
                    let diagnostic = Diagnostic::error(codes::OPTION_VALUE, message, *at, "not accepted");
                    return Err(diagnostic.with_help(format!("{name} takes {}", data.values.describe())).into());
                };
                self.options.set(option, accepted);
            }
        }
        Ok(())
    }

    fn info(&mut self, host: &mut dyn Host, node: &Name, control: &Control) -> Result<(), Trouble> {
        let (_, models, output) = host.parts();
        resolve_type::known_node(models, node)?;
        let tree = models.tree(&node.text)?;
        let (configuration, _) = resolve_type::node_types(&mut self.types, models, &node.text)?;
        output.text(&format!("node {}\n", node.text));
        let leaves = self.types.get(configuration).leaves.clone();
        for (var, leaf) in tree.vars.ids().zip(leaves) {
            let kind = if tree.kinds[var] == VarKind::State { "state" } else { "flow" };
            let ty = self.types.scalar(leaf.scalar);
            output.text(&format!("  {kind} {} : {}\n", leaf.path, self.types.name(ty)));
        }
        output.text(&events(&tree));
        for (relation, what) in [("ev", "events"), ("c", "configurations"), ("t", "transitions")] {
            let count = self.count(host, &format!("{}!{relation}", node.text), node.span, control)?;
            host.parts().2.text(&format!("  {count} {what}\n"));
        }
        Ok(())
    }
}

/// The events of every component, one line each.
fn events(tree: &Tree) -> String {
    let mut text = String::new();
    for component in tree.components.iter() {
        let names: Vec<&str> =
            component.events.iter().map(|event| event.name.as_str()).filter(|name| !name.is_empty()).collect();
        if !names.is_empty() {
            let of = if component.path.is_empty() { String::new() } else { format!(" {}", component.path) };
            text.push_str(&format!("  event{of} : {}\n", names.join(", ")));
        }
    }
    text
}

fn help(host: &mut dyn Host, words: &[(&str, Span)]) -> Result<(), Trouble> {
    let output = host.parts().2;
    match words.first() {
        None => output.text(&commands::overview()),
        Some(("formulas", _)) => output.text(FORMULAS),
        Some((name, span)) => {
            let name = name.trim_start_matches(':');
            match commands::find(name) {
                Some(command) => output.text(&commands::details(command)),
                None => return Err(unknown_command(name, *span)),
            }
        }
    }
    Ok(())
}

fn unknown_command(name: &str, span: Span) -> Trouble {
    let message = format!("there is no command :{name}");
    let diagnostic = Diagnostic::error(codes::UNKNOWN_COMMAND, message, span, "not known");
    let known = COMMANDS.iter().map(|command| command.name);
    let help = match nearest(name, known) {
        Some(near) => format!("did you mean :{near}?"),
        None => "`:help` lists the commands".to_owned(),
    };
    diagnostic.with_help(help).into()
}

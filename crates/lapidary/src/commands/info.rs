//! `lapidary info`: what was understood of a model.

use std::io;
use std::time::Duration;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_driver::{EngineChoice, Exit, Loaded, Takes, lints, merged, nets};
use lapidary_ir::passes::NoModel;
use lapidary_ir::tree::Component;
use lapidary_ir::{
    Command, ComponentId, Declarations, Domain, Life, Net, PlaceId, PropertyId, PropertyKind, Range, Transition, Tree,
    Var,
};
use lapidary_text::Span;
use lapidary_text::diagnostic::render;

use crate::args::Info;
use crate::commands::simulate::stopped;
use crate::console::Console;
use crate::limits;
use crate::opening::open_model;
use crate::render::compact;
use crate::render::report::formula_words;
use crate::render::run::action;
use crate::units::counted;

pub fn run(args: &Info, console: &mut Console) -> io::Result<Exit> {
    let interrupted = limits::on_interrupt();
    let control = args.limits.control_with(&interrupted);
    let mut loaded = match open_model(console, &args.models, &args.reading, &control)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    match lints(&loaded, &control.within(Some(LONGEST_LINT))) {
        Ok(mut found) => {
            for lint in &found {
                console.err.line(&render(lint, &loaded.sources, console.err.palette.style()))?;
            }
            loaded.warnings.append(&mut found);
        }
        Err(stop) => console.warning(&format!("the flows were not looked at to the end: {stop}"))?,
    }
    let (text, ended) = describe(&loaded, &control);
    console.out.text(&text)?;
    match ended {
        Ok(()) => Ok(Exit::Success),
        Err(stop) => stopped(&stop, console),
    }
}

/// Looking for free and contradictory flows ends after this long.
const LONGEST_LINT: Duration = Duration::from_secs(10);

/// So much work may it be to flatten a hierarchy whose commands are listed: some seconds.
const MOST_TO_LIST: u64 = 1 << 19;

/// The tree of components, one row each. Engine `hierarchical` takes some of them together with all that is below.
fn components(loaded: &Loaded, tree: &Tree) -> Vec<Vec<String>> {
    let merged = merged(tree);
    let together = |id: ComponentId| {
        let merged = merged.iter().find(|merged| merged.component == id)?;
        let place = loaded.sources.describe(merged.span);
        let reads = match merged.reader == id {
            true => "reads it".to_owned(),
            false => format!("of {} reads variables of this one", tree.components[merged.reader].path),
        };
        Some(format!("one with what is below ({} {reads}, {place})", merged.coupling.name()))
    };
    let row = |(id, component): (ComponentId, &Component)| {
        let n_states = component.own_vars().filter(|&var| tree.is_state(var)).count();
        let n_flows = component.own_vars().count() - n_states;
        let n_vectors = component.vectors.len() - 1;
        vec![
            if component.path.is_empty() { "(root)".to_owned() } else { component.path.clone() },
            component.node.clone(),
            counted(n_states, "state", "states"),
            counted(n_flows, "flow", "flows"),
            counted(component.events.len() - 1, "event", "events"),
            counted(n_vectors, "vector", "vectors"),
            if component.priorities.is_empty() { String::new() } else { "priorities".to_owned() },
            together(id).unwrap_or_default(),
        ]
    };
    tree.components.enumerated().map(row).collect()
}

/// What is known, as far as the limits allow, and the limit that was reached.
fn describe(loaded: &Loaded, control: &Control) -> (String, Result<(), Stop>) {
    // The commands of a hierarchy are those of its flattening; where that is too large or takes long they are not listed.
    let flat = match loaded.subject.model(&control.with_allowance(MOST_TO_LIST)) {
        Ok(_) | Err(NoModel::TooLarge(_) | NoModel::Stopped(Stop::Budget(_))) => Ok(()),
        Err(NoModel::Stopped(stop)) => Err(stop),
    };
    let mut text = head(loaded);
    let ended = flat.and_then(|()| rest(loaded, control, &mut text));
    (text, ended)
}

fn rest(loaded: &Loaded, control: &Control, text: &mut String) -> Result<(), Stop> {
    let model = loaded.declared();
    if let Some(tree) = loaded.subject.tree() {
        text.push_str(&section("components", &components(loaded, tree)));
    }
    control.check()?;
    match loaded.subject.net() {
        Some(net) => {
            text.push_str(&section("places", &places(net)));
            text.push_str(&section("transitions", &transitions(loaded, net)));
        }
        None => {
            text.push_str(&section(&variables_title(model), &variables(model)));
            text.push_str(&section("commands", &commands(loaded)));
        }
    }
    control.check()?;
    text.push_str(&section("properties", &properties(loaded)));
    control.check()?;
    text.push_str(&section("engines", &engines(loaded, control)));
    text.push_str(&section("warnings", &warnings(loaded)));
    Ok(())
}

/// The line that counts.
fn head(loaded: &Loaded) -> String {
    let model = loaded.declared();
    let (whole, variables_words, commands_words) = match (loaded.subject.tree(), loaded.subject.net()) {
        (_, Some(net)) => (Some(nets::describe(net)), ("place", "places"), ("transition", "transitions")),
        (Some(tree), None) => {
            let n = tree.components.len();
            (Some(counted(n, "component", "components")), ("variable", "variables"), ("command", "commands"))
        }
        (None, None) => {
            let n = model.n_processes;
            (Some(counted(n, "process", "processes")), ("variable", "variables"), ("command", "commands"))
        }
    };
    let n_vars = loaded.subject.net().map_or_else(|| loaded.n_variables(), |net| net.places.len());
    let n_commands = loaded.subject.made_model().map(|model| model.commands.len());
    let counts: Vec<String> = whole
        .into_iter()
        .chain([counted(n_vars, variables_words.0, variables_words.1)])
        .chain(n_commands.map(|n| counted(n, commands_words.0, commands_words.1)))
        .chain([counted(model.properties.len(), "property", "properties")])
        .collect();
    format!("{}: {}\n", loaded.title(), counts.join(", "))
}

/// Rows of cells under a title; columns are aligned.
fn section(title: &str, rows: &[Vec<String>]) -> String {
    let mut text = format!("{title}:\n");
    if rows.is_empty() {
        text.push_str("  none\n");
    }
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..n_columns).map(|column| width(column).unwrap_or(0).min(48)).collect();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let line = format!("  {}", cells.collect::<Vec<_>>().join("  "));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// What is there initially; places that are empty then share a row.
fn places(net: &Net) -> Vec<Vec<String>> {
    let words = |range: &Range| match (range.lo, range.hi) {
        (lo, Some(hi)) if lo == hi => lo.to_string(),
        (lo, Some(hi)) => format!("{lo}..{hi}"),
        (lo, None) => format!("{lo} or more"),
    };
    let is_empty = |place: &PlaceId| net.initial[*place] == Range::exactly(0);
    let marked = net.places.ids().filter(|place| !is_empty(place));
    let mut rows: Vec<Vec<String>> =
        marked.map(|place| vec![net.places[place].name.clone(), words(&net.initial[place])]).collect();
    let n_empty = net.places.ids().filter(is_empty).count();
    if n_empty > 0 {
        rows.push(vec![counted(n_empty, "other", "others"), "0".to_owned()]);
    }
    rows
}

/// In the words of what moves.
fn transitions(loaded: &Loaded, net: &Net) -> Vec<Vec<String>> {
    let row = |transition: &Transition| {
        let line = format!(":{}", loaded.sources.place(transition.span).line);
        let bounded = transition.upper_bound().map(|guard| {
            format!("not monotone: {} <= {}", net.places[guard.place].name, guard.range.hi.unwrap_or(u64::MAX))
        });
        let moves = (!transition.flows.is_empty()).then(|| counted(transition.flows.len(), "flow", "flows"));
        let remarks: Vec<String> = moves.into_iter().chain(bounded).collect();
        vec![transition.name.clone(), line, remarks.join(", ")]
    };
    net.transitions.iter().map(row).collect()
}

fn variables_title(model: &Declarations) -> String {
    let kept = model.vars.iter().filter(|var| var.life == Life::State);
    let bits: Option<u64> = kept.map(|var| bits(model, var.domain)).sum();
    match bits {
        Some(bits) => format!("variables ({} a state)", counted(bits as usize, "bit", "bits")),
        None => "variables (some without bounds)".to_owned(),
    }
}

/// How many bits a value takes; none for unbounded integers and arrays.
fn bits(model: &Declarations, domain: Domain) -> Option<u64> {
    if let Domain::Bits(width) = domain {
        return Some(u64::from(width));
    }
    let (low, high) = model.bounds(domain)?;
    Some(u64::from(u64::BITS - high.abs_diff(low).leading_zeros()))
}

/// Cells of arrays and processes with the same domain share a row.
fn variables(model: &Declarations) -> Vec<Vec<String>> {
    let described: Vec<(String, String)> =
        model.vars.iter().map(|var| (var.name.clone(), describe_variable(model, var))).collect();
    let row = |item: String| {
        let (name, rest) = item.split_once('=').unwrap_or((&item, ""));
        std::iter::once(name).chain(rest.split('\t')).map(str::to_owned).collect()
    };
    compact::items(&described).into_iter().map(row).collect()
}

/// Domain, bits and remarks, between tabs.
fn describe_variable(model: &Declarations, var: &Var) -> String {
    let bits = match bits(model, var.domain) {
        Some(1) => "1 bit".to_owned(),
        Some(bits) => format!("{bits} bits"),
        None => "no bounds".to_owned(),
    };
    let remark = match var.life {
        Life::State if var.control => "control",
        Life::State => "",
        Life::Local => "local",
    };
    format!("{}\t{bits}\t{remark}", model.words(var.domain))
}

/// Instances of one source command share a row.
fn commands(loaded: &Loaded) -> Vec<Vec<String>> {
    let mut groups: Vec<(&Command, usize)> = Vec::new();
    let mut places: Map<Span, usize> = Map::default();
    let Some(model) = loaded.subject.made_model() else {
        return vec![vec!["too many to be listed: the hierarchy is not flattened".to_owned()]];
    };
    for command in &model.commands {
        let place = *places.entry(command.span).or_insert_with(|| {
            groups.push((command, 0));
            groups.len() - 1
        });
        groups[place].1 += 1;
    }
    let row = |(command, count): &(&Command, usize)| {
        let place = action(&command.label, &loaded.sources, command.span).place();
        let instances = if *count > 1 { format!("and {} more like it", count - 1) } else { String::new() };
        vec![command.label.clone(), place, instances]
    };
    groups.iter().map(row).collect()
}

fn properties(loaded: &Loaded) -> Vec<Vec<String>> {
    let row = |property: &lapidary_ir::Property| {
        let kind = if property.kind == PropertyKind::NoErrors { "implicit" } else { property.kind.word() };
        let formula = formula_words(property);
        let formula = formula.strip_prefix("reach ").unwrap_or(&formula).to_owned();
        vec![property.name.clone(), kind.to_owned(), formula]
    };
    let several =
        loaded.combinations.all.iter().map(|several| {
            vec![several.name.clone(), "combination".to_owned(), several.junction.words(loaded.declared())]
        });
    loaded.declared().properties.iter().map(row).chain(several).collect()
}

/// What `auto` does, which engines take the model, and which properties each of them does not take, with the reason.
fn engines(loaded: &Loaded, control: &Control) -> Vec<Vec<String>> {
    let row = |(engine, refused): Takes| {
        let why = |(id, why): &(PropertyId, String)| format!("{} ({why})", loaded.declared().properties[*id].name);
        let answer = match refused {
            Ok(refused) if refused.is_empty() => "yes".to_owned(),
            Ok(refused) => format!("not for: {}", refused.iter().map(why).collect::<Vec<_>>().join(", ")),
            Err(Stop::Budget(_)) => "not known: it takes long to prepare".to_owned(),
            Err(stop) => format!("not known: {stop}"),
        };
        vec![engine.to_owned(), answer]
    };
    let auto = vec![EngineChoice::Auto.name().to_owned(), lapidary_driver::describe_auto(loaded, control)];
    [auto].into_iter().chain(lapidary_driver::engines(loaded, control).into_iter().map(row)).collect()
}

/// In a line each; the full text went to the error stream.
fn warnings(loaded: &Loaded) -> Vec<Vec<String>> {
    let row = |warning: &lapidary_text::Diagnostic| {
        let place = warning.labels.first().map(|(span, _)| loaded.sources.describe(*span)).unwrap_or_default();
        vec![warning.code.to_owned(), place, warning.message.clone()]
    };
    loaded.warnings.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::render::fixture;

    #[test]
    fn a_description_names_everything_once() {
        expect![[r#"
            small.gcl: 2 processes, 3 variables, 2 commands, 3 properties
            variables (5 bits a state):
              turn  0..1                1 bit
              p1    {idle, want, crit}  2 bits  control
              p2    {idle, want, crit}  2 bits  control
            commands:
              request  :3
              enter    :4
            properties:
              mutex     invariant      turn = 0
              full      reach          turn = 1
              progress  deadlock_free  some step is always possible
            engines:
              auto        explicit has a head start; then, as all domains are bounded, it takes turns with bdd, pcegar, matching and kinduction
              explicit    yes
              bdd         yes
              cegar       yes
              pcegar      yes
              matching    yes
              bmc         yes
              kinduction  yes
            warnings:
              none
        "#]]
        .assert_eq(&describe(&fixture::loaded(), &Control::new()).0);
    }

    #[test]
    fn bits_count_the_values_of_a_domain() {
        let model = Declarations::default();
        let range = |lo, hi| bits(&model, Domain::Range { lo, hi });
        assert_eq!(range(3, 3), Some(0));
        assert_eq!(range(0, 1), Some(1));
        assert_eq!(range(-4, 4), Some(4));
        assert_eq!(range(i64::MIN, i64::MAX), Some(64));
        assert_eq!(bits(&model, Domain::Int), None);
    }
}

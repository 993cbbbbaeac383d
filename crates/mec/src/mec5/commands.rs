//! The commands of the shell: names, words and documentation.

pub struct Command {
    pub name: &'static str,
    pub words: &'static str,
    pub summary: &'static str,
    pub details: &'static str,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Load,
    ListNodes,
    NodeInfo,
    Cardinal,
    Print,
    ListRelations,
    RelationType,
    Set,
    Help,
    Quit,
    Source,
    CegarInit,
    CegarVerify,
}

const fn command(
    name: &'static str,
    words: &'static str,
    summary: &'static str,
    details: &'static str,
    what: What,
) -> Command {
    Command { name, words, summary, details, what }
}

pub const COMMANDS: [Command; 13] = [
    command(
        "ar-load",
        "FILE",
        "load the nodes of an AltaRica file",
        "Several files may be loaded one after the other; the names of their nodes must differ.",
        What::Load,
    ),
    command("ar-list", "", "list the nodes", "Every node has the types `N!c` and `N!ev`.", What::ListNodes),
    command(
        "ar-info",
        "NODE",
        "show the variables, events and sizes of a node",
        "The parts of `N!c` are the variables, those of `N!ev` the components.",
        What::NodeInfo,
    ),
    command(
        "ar-cegar-init",
        "NODE INIT ERR [P ...]",
        "make a first abstraction",
        "INIT, ERR and the predicates P are sets of configurations: can INIT come to ERR? `:set` has its options.",
        What::CegarInit,
    ),
    command(
        "ar-cegar-verify",
        "NODE [COUNT]",
        "refine an abstraction",
        "Until it is known whether ERR can be reached, or COUNT times; may be taken up again with other options.",
        What::CegarVerify,
    ),
    command(
        "rel-cardinal",
        "RELATION",
        "count the tuples of a relation",
        "The relations of nodes count too: `:rel-cardinal N!t`.",
        What::Cardinal,
    ),
    command(
        "rel-print",
        "RELATION [LIMIT]",
        "print the tuples of a relation",
        "In the order of their values, one a line; `:set print-limit` says how many when LIMIT is not given.",
        What::Print,
    ),
    command("rel-list", "", "list the relations and their types", "Those that were defined.", What::ListRelations),
    command("rel-type", "RELATION", "show the type of a relation", "`R: (N!c) -> bool`", What::RelationType),
    command(
        "set",
        "[OPTION [VALUE]]",
        "show or change options",
        "Alone it lists all options with what they mean.",
        What::Set,
    ),
    command("source", "FILE", "run the commands of a file", "As if they had been typed here.", What::Source),
    command(
        "help",
        "[COMMAND]",
        "show this, or more about one command",
        "`:help formulas` is about formulas.",
        What::Help,
    ),
    command("quit", "", "leave", "The end of the input does too.", What::Quit),
];

pub const FORMULAS: &str = "\
R(x : T, y) := phi;          defines a relation; types that are not written are inferred
R(x) += phi;   R(x) -= phi;  the least, the greatest solution of a recursive definition
begin R(x) += ..; S(y) -= ..; end    equations solved together, the first the outermost
c := phi;                    a constant
domain D = [0,7];            a name for a type
types       bool  [0,7]  {a, b}  T[3]  struct f : T; tcurts  N!c  N!ev
formulas    <x>(phi) some x   [x](phi) all x   ~ & | => <=>   if p then q else r
            case { p : q, else r }   = != < <= > >=   R(x, s.Top.object, 3)
terms       x  s.Top.object  s.V[0].rate  3  literal  + - *
events      e = <push, Top.push>   e.Top = push   e = eps
of a node   N!c  N!ev  N!init  N!reach  N!t(before, event, after)
with N do .. done            Acheck
";

pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// All commands, one a line.
pub fn overview() -> String {
    let mut text = String::new();
    for command in &COMMANDS {
        let usage = format!(":{} {}", command.name, command.words);
        text.push_str(&format!("{usage:<38}{}\n", command.summary));
    }
    text.push_str("`:help formulas` shows how relations are defined.\n");
    text
}

pub fn details(command: &Command) -> String {
    let usage = format!(":{} {}", command.name, command.words);
    format!("{}\n  {}\n  {}\n", usage.trim_end(), command.summary, command.details)
}

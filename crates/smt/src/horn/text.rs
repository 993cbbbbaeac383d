//! Clauses as a file that solvers read: SMT-LIB 2, logic HORN.

use std::collections::BTreeSet;
use std::fmt::Write;

use lapidary_base::{Control, Stop};
use lapidary_ir::passes::variables;
use lapidary_ir::{Expr, VarId};

use super::names::Names;
use super::{Clause, Horn};
use crate::smtlib::script::Text;
use crate::smtlib::words::{is_sort_for_solvers, sort_text};
use crate::terms::Terms;

pub fn file(horn: &Horn<'_>, comments: &[String], control: &Control) -> Result<String, Stop> {
    let names = Names::new(horn);
    let mut file = String::new();
    for line in comments.iter().flat_map(|comment| comment.lines()) {
        writeln!(file, "; {line}").expect(TAKES_EVERYTHING);
    }
    file.push_str("(set-logic HORN)\n");
    for (predicate, name) in horn.predicates.iter().zip(&names.predicates) {
        let sorts = predicate.parameters.iter().map(|&var| sort(&horn.terms, var)).collect::<Result<Vec<_>, Stop>>()?;
        writeln!(file, "(declare-fun {name} ({}) Bool)", sorts.join(" ")).expect(TAKES_EVERYTHING);
    }
    let mut about = "";
    for clause in &horn.clauses {
        control.check()?;
        if about != clause.about {
            about = &clause.about;
            writeln!(file, "; {}", about.replace(['\n', '\r'], " ")).expect(TAKES_EVERYTHING);
        }
        write(horn, &names, clause, &mut file)?;
    }
    file.push_str("(check-sat)\n");
    Ok(file)
}

const TAKES_EVERYTHING: &str = "strings take everything";

fn write(horn: &Horn<'_>, names: &Names, clause: &Clause, to: &mut String) -> Result<(), Stop> {
    let terms = &horn.terms;
    let arguments: &[Expr] = clause.to.as_ref().map_or(&[], |head| &head.arguments);
    let roots: Vec<Expr> = clause.guard.iter().chain(arguments).copied().collect();
    let parameters = clause.from.map_or(&[][..], |from| &horn.predicates[from].parameters);
    let symbols = symbols(horn, parameters, &roots);
    let named = names.within(terms, &symbols);
    let name = |var| named[&var].clone();
    let text = Text::of(terms, &roots, &name)?;
    let mut demands: Vec<String> = Vec::new();
    demands.extend(
        clause.from.map(|from| applied(&names.predicates[from], parameters.iter().map(|var| named[var].clone()))),
    );
    demands.extend(clause.guard.iter().map(|&part| text.part(terms, part)));
    let head = match &clause.to {
        Some(head) => applied(
            &names.predicates[head.predicate],
            head.arguments.iter().map(|&argument| text.part(terms, argument)),
        ),
        None => "false".to_owned(),
    };
    let body = match &demands[..] {
        [] => head,
        [only] => format!("(=> {only} {head})"),
        several => format!("(=> (and {}) {head})", several.join(" ")),
    };
    let body = text.bound(&body);
    match symbols.is_empty() {
        true => writeln!(to, "(assert {body})").expect(TAKES_EVERYTHING),
        false => {
            let sorted = symbols.iter().map(|&var| Ok(format!("({} {})", named[&var], sort(terms, var)?)));
            let sorted = sorted.collect::<Result<Vec<_>, Stop>>()?.join(" ");
            writeln!(to, "(assert (forall ({sorted}) {body}))").expect(TAKES_EVERYTHING);
        }
    }
    Ok(())
}

/// What a clause is about: the parameters in their order, and whatever else is read.
fn symbols(horn: &Horn<'_>, parameters: &[VarId], roots: &[Expr]) -> Vec<VarId> {
    let exprs = horn.terms.exprs();
    let read: BTreeSet<VarId> = roots.iter().flat_map(|&root| variables(exprs, root)).collect();
    let further = read.into_iter().filter(|var| !parameters.contains(var));
    parameters.iter().copied().chain(further).collect()
}

/// Sorts of which solvers are not told are refused.
fn sort(terms: &Terms<'_>, var: VarId) -> Result<String, Stop> {
    is_sort_for_solvers(terms, terms.sort(var))?;
    Ok(sort_text(terms, terms.sort(var)))
}

fn applied(predicate: &str, arguments: impl Iterator<Item = String>) -> String {
    let arguments = arguments.collect::<Vec<_>>().join(" ");
    if arguments.is_empty() { predicate.to_owned() } else { format!("({predicate} {arguments})") }
}

//! Reads printed systems back, to see that `or`, `else` and the branches of `ort` belong where they were meant.

use super::{Statement, Xsts, random};
use crate::dice::Dice;
use crate::terms::reparse::{Parser, full, named};
use crate::terms::{Dialect, Expr};

/// What cannot begin a statement, and so ends an `ort`.
const ENDS: [&str; 6] = ["}", "or", "else", "init", "env", ""];

fn set(parser: &mut Parser) -> String {
    let mut parts = vec![statement(parser)];
    while parser.peek() == "or" {
        parser.take();
        parts.push(statement(parser));
    }
    parts.join(" or ")
}

fn statement(parser: &mut Parser) -> String {
    match parser.take().as_str() {
        "{" => {
            let mut inner = Vec::new();
            while parser.peek() != "}" {
                inner.push(statement(parser));
            }
            parser.take();
            block(inner)
        }
        "local" => {
            parser.expect("var");
            let name = parser.take();
            while !["=", ";"].contains(&parser.peek()) {
                parser.take();
            }
            match parser.take().as_str() {
                ";" => format!("local {name};"),
                _ => format!("local {name} = {}", ended(parser)),
            }
        }
        "havoc" => format!("havoc {}", ended(parser)),
        "assume" => format!("assume {}", ended(parser)),
        "choice" => format!("choice ({})", set(parser)),
        "ort" => {
            let mut branches = Vec::new();
            while !ENDS.contains(&parser.peek()) {
                branches.push(statement(parser));
            }
            format!("ort ({})", branches.join(" and "))
        }
        "if" => {
            parser.expect("(");
            let condition = parser.whole();
            parser.expect(")");
            let yes = statement(parser);
            if parser.peek() != "else" {
                return format!("if ({condition}) ({yes})");
            }
            parser.take();
            format!("if ({condition}) ({yes}) else ({})", statement(parser))
        }
        "for" => {
            let name = parser.take();
            parser.expect("from");
            let from = parser.whole();
            parser.expect("to");
            let to = parser.whole();
            parser.expect("do");
            format!("for {name} {from} {to} ({})", statement(parser))
        }
        name => assignment(parser, name),
    }
}

fn assignment(parser: &mut Parser, name: &str) -> String {
    let mut index = String::new();
    if parser.peek() == "[" {
        parser.take();
        index = format!("[{}]", parser.whole());
        parser.expect("]");
    }
    parser.expect(":=");
    format!("{name}{index} := {}", ended(parser))
}

fn ended(parser: &mut Parser) -> String {
    let expr = parser.whole();
    parser.expect(";");
    format!("{expr};")
}

/// A block of one statement is that statement.
fn block(mut inner: Vec<String>) -> String {
    if inner.len() == 1 { inner.remove(0) } else { format!("{{{}}}", inner.join(" ")) }
}

fn meant(statement: &Statement) -> String {
    let expr = |expr: &Expr| full(Dialect::Xsts, expr);
    let all = |inner: &[Statement]| inner.iter().map(meant).collect::<Vec<String>>();
    match statement {
        Statement::Local { name, initial: None, .. } => format!("local {name};"),
        Statement::Local { name, initial: Some(initial), .. } => format!("local {name} = {};", expr(initial)),
        Statement::Assign(name, value) => format!("{name} := {};", expr(value)),
        Statement::Write(name, index, value) => format!("{name}[{}] := {};", expr(index), expr(value)),
        Statement::Havoc(name) => format!("havoc {};", expr(&Expr::var(name))),
        Statement::Assume(condition) => format!("assume {};", expr(condition)),
        Statement::Choice(branches) => format!("choice ({})", all(branches).join(" or ")),
        Statement::Ort(branches) => format!("ort ({})", all(branches).join(" and ")),
        Statement::If(condition, yes, None) => format!("if ({}) ({})", expr(condition), meant(yes)),
        Statement::If(condition, yes, Some(no)) => {
            format!("if ({}) ({}) else ({})", expr(condition), meant(yes), meant(no))
        }
        Statement::Block(inner) => block(all(inner)),
        Statement::For(name, from, to, body) => format!("for {name} {} {} ({})", expr(from), expr(to), meant(body)),
    }
}

fn check(system: &Xsts, seed: u64) {
    let text = system.body(seed);
    let mut parser = Parser::new(&text);
    while parser.peek() != "trans" {
        parser.take();
    }
    for (word, parts) in [("trans", &system.trans), ("init", &system.init), ("env", &system.env)] {
        parser.expect(word);
        let expected = parts.iter().map(meant).collect::<Vec<String>>().join(" or ");
        assert_eq!(set(&mut parser), named(expected, system), "{text}");
    }
    assert_eq!(parser.peek(), "", "{text}");
}

#[test]
fn systems_are_read_as_they_were_meant() {
    for seed in 0..150 {
        let system = random(&mut Dice::new(seed));
        (0..4).for_each(|way| check(&system, 4 * seed + way));
    }
}

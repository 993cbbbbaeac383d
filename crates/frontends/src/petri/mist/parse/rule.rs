//! Rules: a guard, and updates that happen at once.

use lapidary_base::hash::Map;
use lapidary_ir::{PlaceId, Sparse, Tokens};
use lapidary_text::descent::{Failed, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::super::codes;
use super::super::super::lexer::Kind;
use super::super::super::reader::Name;
use super::{Commas, Parser, Row, Rule};

impl<'a> Parser<'a, '_> {
    pub(super) fn rules(&mut self) -> Vec<Rule> {
        let mut rules = Vec::new();
        let is_over = |parser: &Self| parser.at_keyword() || parser.at_misspelt("init");
        while !is_over(self) && !self.reader.cursor.at_end() && self.reader.log.goes_on() {
            let start = self.reader.cursor.position();
            match self.rule(rules.len() + 1) {
                Ok(rule) => rules.push(rule),
                Err(Failed) => {
                    self.reader.skip_until(|reader| {
                        reader.at(";") || ["init", "target", "invariants"].iter().any(|word| reader.at_word(word))
                    });
                    self.reader.eat(";");
                }
            }
            if self.reader.cursor.position() == start {
                self.reader.cursor.next();
            }
        }
        rules
    }

    fn rule(&mut self, number: usize) -> Parsed<Rule> {
        let start = self.reader.cursor.span();
        let guards = self.conjunction(Commas::Join)?;
        if self.reader.at("=>") {
            self.reader.complain("`->`", "the arrow is written `->`");
            self.reader.cursor.next();
        } else {
            self.reader.expect("->")?;
        }
        let mut rows: Vec<Row> = Vec::new();
        let mut seen: Map<PlaceId, Span> = Map::default();
        while !self.reader.at(";") {
            if let Some(row) = self.row()? {
                match seen.get(&row.place) {
                    Some(&first) => self.updated_twice(&row, first),
                    None => {
                        seen.insert(row.place, row.span);
                        rows.push(row);
                    }
                }
            }
            if self.reader.eat(",").is_none() && !self.lacks_comma() {
                break;
            }
        }
        let end = self.end_of_rule()?;
        Ok(Rule { name: format!("r{number}"), guards, rows, span: start.to(end) })
    }

    /// Whether another update follows without a comma, which is reported.
    fn lacks_comma(&mut self) -> bool {
        let is_update = self.reader.cursor.at(Kind::Word) && self.reader.cursor.peek_at(1) == Some(Kind::Sign("'"));
        if is_update {
            self.reader.lacks(",", "updates have commas between them: `x' = x - 1, y' = y + 1`");
        }
        is_update
    }

    /// The semicolon. Where it is missing before the next rule or section, nothing is skipped.
    fn end_of_rule(&mut self) -> Parsed<Span> {
        if self.at_rule() || self.at_keyword() || self.reader.cursor.at_end() {
            self.reader.lacks(";", "every rule ends with `;`");
            return Ok(self.reader.cursor.previous_span());
        }
        if self.reader.at("*") {
            return self.reader.fail("`;`", "there are no products: write `x + x` for twice `x`");
        }
        self.reader.expect(";")
    }

    fn updated_twice(&mut self, row: &Row, first: Span) {
        let message = format!("this rule updates `{}` twice", self.names[row.place].text);
        self.reader.log.push(
            Diagnostic::warning(codes::MIST_UPDATED_TWICE, message, row.span, "this one is left out")
                .with_label(first, "the first one counts")
                .with_help("all updates of a rule happen at once; write one sum"),
        );
    }

    /// The prime and the `=` behind the variable that is updated.
    fn becomes(&mut self, name: Name<'a>) -> Parsed<()> {
        if self.reader.eat("'").is_none() {
            let help = format!("the new value has a prime: `{0}' = ...`", name.text);
            if !self.reader.at("=") && !self.reader.at(":=") {
                return self.reader.fail("`'`", help);
            }
            self.reader.complain("`'`", help);
            self.reader.cursor.next();
            return Ok(());
        }
        match self.reader.eat("=") {
            Some(_) => Ok(()),
            None => self.reader.fail("`=`", format!("an update is `{0}' = {0} + 1`", name.text)),
        }
    }

    /// None where the variable is unknown.
    fn row(&mut self) -> Parsed<Option<Row>> {
        let name = self.word("a variable that is updated")?;
        self.becomes(name)?;
        let mut sources = Sparse::new();
        let mut constant: i64 = 0;
        if self.reader.cursor.at(Kind::Number) {
            constant = signed(self.number()?);
            if self.reader.at("+") {
                return self.reader.fail("`,` or `;`", "the number comes last: `x' = y + 1`");
            }
        } else {
            loop {
                let source = self.word("a variable or a number")?;
                if let Some(source) = self.place(source) {
                    match sources.binary_search_by_key(&source, |entry| entry.0) {
                        Ok(at) => sources[at].1 += 1,
                        Err(at) => sources.insert(at, (source, 1)),
                    }
                }
                if self.reader.eat("-").is_some() {
                    if self.reader.cursor.at(Kind::Word) {
                        return self.reader.fail("a number", "only a number is subtracted, as in `x' = x - 1`");
                    }
                    constant -= signed(self.number()?);
                    break;
                }
                if self.reader.eat("+").is_none() {
                    break;
                }
                if self.reader.cursor.at(Kind::Number) {
                    constant += signed(self.number()?);
                    break;
                }
            }
        }
        let span = name.span.to(self.reader.cursor.previous_span());
        Ok(self.place(name).map(|place| Row { place, sources, constant, span }))
    }
}

fn signed(tokens: Tokens) -> i64 {
    i64::try_from(tokens).expect("numbers that are read fit in 60 bits")
}

//! The items of a text: everything is declared before it is used.

use lapidary_base::{Control, Stop};
use lapidary_text::Span;
use lapidary_text::descent::Parsed;

use crate::expr::Expr;
use crate::model::{Family, Life, Var, VarId};
use crate::parse::Parser;
use crate::parse::lexer::Kind;
use crate::parse::statements::Pace;
use crate::types::{Domain, EnumType};

const ITEMS: [&str; 13] = [
    "command",
    "control",
    "enum",
    "family",
    "idle",
    "init",
    "invariant",
    "let",
    "local",
    "processes",
    "property",
    "start",
    "var",
];

/// What was written before `var`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Usually,
    /// `control`.
    Exactly,
    /// `local`.
    Never,
}

impl Parser<'_> {
    pub(super) fn items(&mut self, control: &Control) -> Result<(), Stop> {
        if self.header().is_err() {
            self.recover();
        }
        while !self.cursor.at_end() && !self.given_up() {
            control.check()?;
            if self.item().is_err() {
                if let Some(stop) = self.stop.take() {
                    return Err(stop);
                }
                self.recover();
            }
        }
        Ok(())
    }

    /// Skips at least one token, up to the next word that starts an item where one may start.
    fn recover(&mut self) {
        let mut after_item = false;
        while let Some(kind) = self.cursor.peek() {
            if after_item && self.peek_word().is_some_and(|word| ITEMS.contains(&word)) {
                return;
            }
            after_item = matches!(kind, Kind::Sign(";" | "}"));
            self.cursor.next();
        }
    }

    fn header(&mut self) -> Parsed<()> {
        self.word("model")?;
        self.model.name = self.name("the name of the model")?;
        self.sign(";")?;
        Ok(())
    }

    fn item(&mut self) -> Parsed<()> {
        let start = self.cursor.span();
        let Some(word) = self.peek_word() else { return self.expected("an item") };
        if !ITEMS.contains(&word) {
            return self.expected("an item");
        }
        self.cursor.next();
        match word {
            "command" => self.command(start, Pace::Active),
            "idle" => {
                self.word("command")?;
                self.command(start, Pace::Idle)
            }
            "control" => {
                self.word("var")?;
                self.var(start, Kept::Exactly)
            }
            "local" => {
                self.word("var")?;
                self.var(start, Kept::Never)
            }
            "enum" => self.enumeration(start),
            "family" => self.family(start),
            "init" => {
                let condition = self.condition()?;
                self.model.init.push(condition);
                self.spans.init.push(start.to(self.cursor.previous_span()));
                Ok(())
            }
            "invariant" => {
                let condition = self.condition()?;
                self.model.invariant.push(condition);
                self.spans.invariant.push(start.to(self.cursor.previous_span()));
                Ok(())
            }
            "let" => self.definition(),
            "processes" => self.processes(),
            "property" => self.property(start),
            "start" => self.start(start),
            _ => self.var(start, Kept::Usually),
        }
    }

    fn condition(&mut self) -> Parsed<Expr> {
        let condition = self.expr()?;
        self.sign(";")?;
        Ok(condition)
    }

    fn processes(&mut self) -> Parsed<()> {
        self.model.n_processes = self.digits("the number of processes")?;
        self.sign(";")?;
        Ok(())
    }

    fn enumeration(&mut self, start: Span) -> Parsed<()> {
        let name = self.name("the name of the enumeration")?;
        self.sign("{")?;
        let mut literals = Vec::new();
        while !self.at_sign("}") {
            literals.push(self.name("a literal")?);
            if !self.eat_sign(",") {
                break;
            }
        }
        self.sign("}")?;
        self.scope.add_enum(&name, &literals);
        self.model.enums.push(EnumType { name, literals });
        self.spans.enums.push(start.to(self.cursor.previous_span()));
        Ok(())
    }

    /// A variable whose words up to `var` were read.
    fn var(&mut self, start: Span, kept: Kept) -> Parsed<()> {
        let (control, life) = match kept {
            Kept::Usually => (false, Life::State),
            Kept::Exactly => (true, Life::State),
            Kept::Never => (false, Life::Local),
        };
        let name = self.name("the name of the variable")?;
        self.sign(":")?;
        let domain = self.domain()?;
        self.sign(";")?;
        self.scope.vars.add(&name);
        self.model.vars.push(Var { name, domain, control, life, span: start.to(self.cursor.previous_span()) });
        Ok(())
    }

    pub(super) fn domain(&mut self) -> Parsed<Domain> {
        if self.eat_reserved("bool") {
            return Ok(Domain::Bool);
        }
        if self.eat_reserved("int") {
            return Ok(Domain::Int);
        }
        if self.cursor.at(Kind::Int) || self.at_sign("-") {
            let lo = self.bound()?;
            self.sign("..")?;
            let hi = self.bound()?;
            return Ok(Domain::Range { lo, hi });
        }
        if self.cursor.at(Kind::Function) {
            return Ok(self.sort()?.domain());
        }
        let (reference, span) =
            self.reference("`bool`, `int`, a range, `@bits[8]`, `@array(int -> bool)` or an enumeration")?;
        Ok(Domain::Enum(self.known(self.scope.enumeration(&reference), span)?))
    }

    fn bound(&mut self) -> Parsed<i64> {
        if self.eat_sign("-") { self.negative() } else { self.natural() }
    }

    fn family(&mut self, start: Span) -> Parsed<()> {
        let name = self.name("the name of the family")?;
        self.word("from")?;
        let (reference, span) = self.reference("the first variable")?;
        let first: VarId = self.known(self.scope.var(&reference), span)?;
        self.word("len")?;
        let len = self.digits("the number of cells")?;
        self.sign(";")?;
        self.scope.families.add(&name);
        self.model.families.push(Family { name, first, len });
        self.spans.families.push(start.to(self.cursor.previous_span()));
        Ok(())
    }
}

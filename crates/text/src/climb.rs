//! Expressions by the strength of their operators (precedence climbing). A language has a table of operators, reads operands, and
//! makes its own trees.

use crate::descent::Descent;

/// What several operators of one strength make of their operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// `a - b - c` is `(a - b) - c`.
    Left,
    /// `a => b => c` is `a => (b => c)`, which is nested like brackets.
    Right,
    /// Nothing: `a = b` is over before another `=`.
    Alone,
    /// The operands of one operator are one list, however many there are.
    List,
    /// The same with all operators of this strength.
    MixedList,
}

/// A row of the table. Greater strengths bind more tightly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<O> {
    pub is: O,
    pub strength: u8,
    pub grouping: Grouping,
}

/// All operands of a list but the first, each with the operator before it.
pub type Rest<P> = Vec<(<P as Operators>::Operator, <P as Operators>::Operand)>;

pub trait Operators: Descent {
    type Operator: Copy + PartialEq;
    type Operand;

    /// The operator between operands that the next token is. Whoever reads tokens as others does so only where operators of such a
    /// strength are looked for.
    fn operator(&mut self, weakest: u8) -> Option<Row<Self::Operator>>;

    /// What stands between operators that are at least so strong, with the operators before it.
    fn operand(&mut self, weakest: u8) -> Result<Self::Operand, Self::Error>;

    fn join(
        &mut self,
        operator: Self::Operator,
        left: Self::Operand,
        right: Self::Operand,
    ) -> Result<Self::Operand, Self::Error>;

    /// Makes one of a list of at least two; this is the first operator in it.
    fn list(
        &mut self,
        operator: Self::Operator,
        first: Self::Operand,
        rest: Rest<Self>,
    ) -> Result<Self::Operand, Self::Error>;

    /// Operands with operators between them that are at least so strong.
    fn climb(&mut self, weakest: u8) -> Result<Self::Operand, Self::Error> {
        let mut left = self.operand(weakest)?;
        let mut strongest = u8::MAX;
        while let Some(found) = next_operator(self, weakest, strongest) {
            strongest = found.strength;
            left = match found.grouping {
                Grouping::Left => step(self, found, left)?,
                Grouping::Right => {
                    self.cursor().next();
                    let right = self.nested(|parser| parser.climb(found.strength))?;
                    self.join(found.is, left, right)?
                }
                Grouping::Alone => {
                    left = step(self, found, left)?;
                    let Some(weaker) = found.strength.checked_sub(1) else { return Ok(left) };
                    strongest = weaker;
                    left
                }
                Grouping::List | Grouping::MixedList => {
                    let rest = rest(self, found)?;
                    self.list(found.is, left, rest)?
                }
            };
        }
        Ok(left)
    }
}

fn next_operator<P: Operators>(parser: &mut P, weakest: u8, strongest: u8) -> Option<Row<P::Operator>> {
    parser.operator(weakest).filter(|found| (weakest..=strongest).contains(&found.strength))
}

/// One more operand to the right.
fn step<P: Operators>(parser: &mut P, found: Row<P::Operator>, left: P::Operand) -> Result<P::Operand, P::Error> {
    parser.cursor().next();
    let right = parser.climb(found.strength + 1)?;
    parser.join(found.is, left, right)
}

/// All operands but the first of the list that goes on here.
fn rest<P: Operators>(parser: &mut P, first: Row<P::Operator>) -> Result<Rest<P>, P::Error> {
    let mut rest = Vec::new();
    let goes_on = |found: &Row<P::Operator>| first.grouping == Grouping::MixedList || found.is == first.is;
    while let Some(found) = next_operator(parser, first.strength, first.strength).filter(goes_on) {
        parser.cursor().next();
        rest.push((found.is, parser.climb(first.strength + 1)?));
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::{Failed, Nesting};
    use crate::{Cursor, SourceId, Span, Token};

    struct Parser {
        cursor: Cursor<char>,
        nesting: usize,
    }

    impl Nesting for Parser {
        type Error = Failed;

        const MAX_NESTING: usize = 3;

        fn nesting(&mut self) -> &mut usize {
            &mut self.nesting
        }

        fn too_deep(&mut self) -> Failed {
            Failed
        }
    }

    impl Descent for Parser {
        type Kind = char;

        fn cursor(&mut self) -> &mut Cursor<char> {
            &mut self.cursor
        }

        fn unexpected(&mut self, _: &str) -> Failed {
            Failed
        }
    }

    impl Operators for Parser {
        type Operator = char;
        type Operand = String;

        fn operator(&mut self, _: u8) -> Option<Row<char>> {
            let is = self.cursor.peek()?;
            let (strength, grouping) = match is {
                '>' => (0, Grouping::Right),
                '&' => (1, Grouping::List),
                '=' => (3, Grouping::Alone),
                '+' => (4, Grouping::List),
                '-' => (4, Grouping::Left),
                '*' | '/' => (5, Grouping::MixedList),
                _ => return None,
            };
            Some(Row { is, strength, grouping })
        }

        /// `!` reaches further than `=`.
        fn operand(&mut self, weakest: u8) -> Result<String, Failed> {
            let token = self.cursor.next().ok_or(Failed)?;
            match token.kind {
                '!' if weakest <= 2 => Ok(format!("!{}", self.nested(|parser| parser.climb(2))?)),
                letter if letter.is_alphabetic() => Ok(letter.to_string()),
                _ => Err(Failed),
            }
        }

        fn join(&mut self, operator: char, left: String, right: String) -> Result<String, Failed> {
            Ok(format!("({left}{operator}{right})"))
        }

        fn list(&mut self, _: char, first: String, rest: Vec<(char, String)>) -> Result<String, Failed> {
            let rest: String = rest.into_iter().map(|(operator, part)| format!("{operator}{part}")).collect();
            Ok(format!("[{first}{rest}]"))
        }
    }

    /// What is read, and what is left.
    fn read(text: &str) -> String {
        let token = |(i, kind): (usize, char)| {
            let span = Span::new(SourceId(0), i as u32, i as u32 + 1);
            Token { kind, span }
        };
        let tokens = text.char_indices().map(token).collect();
        let mut parser = Parser { cursor: Cursor::new(tokens, SourceId(0), text.len()), nesting: 0 };
        let read = parser.climb(0).unwrap_or_else(|Failed| "failed".to_owned());
        format!("{read} {}", &text[parser.cursor.position()..])
    }

    #[test]
    fn operators_group_as_their_table_says() {
        assert_eq!(read("a>b>c"), "(a>(b>c)) ");
        assert_eq!(read("a&b=c+d&e"), "[a&(b=[c+d])&e] ");
        assert_eq!(read("a+b+c-d-e+f"), "[(([a+b+c]-d)-e)+f] ");
        assert_eq!(read("a*b/c*d"), "[a*b/c*d] ");
        assert_eq!(read("!a=b&c"), "[!(a=b)&c] ");
    }

    #[test]
    fn what_stands_alone_is_over_before_its_like() {
        assert_eq!(read("a=b=c"), "(a=b) =c");
        assert_eq!(read("d&a=b=c"), "[d&(a=b)] =c");
        assert_eq!(read("a=!b"), "failed b");
    }

    #[test]
    fn to_the_right_is_deeper() {
        assert_eq!(read("a>b>c>d"), "(a>(b>(c>d))) ");
        assert_eq!(read("a>b>c>d>e"), "failed e");
        assert_eq!(read(&format!("a{}", "&b".repeat(9))), format!("[a{}] ", "&b".repeat(9)));
    }
}

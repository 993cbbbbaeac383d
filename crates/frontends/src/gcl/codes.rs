//! The diagnostic codes of the language, one line each. Every code has a file in `corpus/broken/gcl`.

/// Declares the codes as constants, and the table of all of them in the same order.
macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*

        /// Every code and what it means.
        pub const TABLE: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

codes! {
    CHARACTER = "gcl001", "a character that the language does not know";
    OPEN_COMMENT = "gcl002", "a comment that is not closed";
    LARGE_NUMBER = "gcl003", "a number that does not fit 64 bits";
    DIGIT_FIRST = "gcl004", "a name that starts with a digit";
    FOREIGN_OPERATOR = "gcl005", "an operator as other languages write it";

    UNEXPECTED = "gcl010", "something else was expected here";
    MISSING_SEMICOLON = "gcl011", "a declaration without its semicolon";
    MISSING_LABEL = "gcl012", "a command without a label";
    MISSING_ARROW = "gcl013", "a command without its arrow";
    COMPARISON_CHAIN = "gcl014", "comparisons do not chain";
    MISPLACED = "gcl015", "a declaration that cannot stand inside a process";
    TOO_DEEP = "gcl016", "nesting or a chain of definitions that is too deep";
    OPEN_PROCESS = "gcl017", "a process that is not closed";

    UNKNOWN_NAME = "gcl020", "a name that is not declared";
    DUPLICATE = "gcl021", "a name that is declared twice";
    DUPLICATE_LITERAL = "gcl022", "a literal that stands twice in one enumeration";
    WRONG_KIND = "gcl023", "a name that stands for something else than what is needed";
    CYCLE = "gcl024", "a definition that uses itself";
    AMBIGUOUS_LITERAL = "gcl025", "a literal of several enumerations, and nothing decides which";
    UNKNOWN_MEMBER = "gcl026", "a process has no variable of this name";
    DUPLICATE_PROPERTY = "gcl027", "two properties of one name";
    RESERVED_PROPERTY = "gcl028", "a property under the name of the implicit one";
    UNKNOWN_CONSTANT = "gcl029", "an option gives a value to a constant that does not exist";

    TYPE_MISMATCH = "gcl030", "a value of another type is needed";
    NOT_CONSTANT = "gcl031", "a constant is needed";
    WRONG_INDEXES = "gcl032", "too few or too many indexes";
    NOT_ASSIGNABLE = "gcl033", "only variables can be written";
    WRITTEN_TWICE = "gcl034", "one command writes the same place twice";
    TEMPORAL = "gcl035", "a temporal operator where only a state can be described";
    PARAMETER_TYPE = "gcl036", "a process parameter that does not range over integers";
    LIST_SHAPE = "gcl037", "a list of initial values that does not fit the array";
    CALL = "gcl038", "an unknown function or a wrong number of arguments";

    OVERFLOW = "gcl040", "constant arithmetic leaves 64 bits";
    ZERO_DIVISION = "gcl041", "division by zero in a constant";
    EMPTY_RANGE = "gcl042", "a range without values";
    ARRAY_SIZE = "gcl043", "an array without cells";
    INITIAL_VALUE = "gcl044", "an initial value outside the type of its variable";

    TOO_LARGE = "gcl050", "the model exceeds a limit";
    TOO_MANY = "gcl051", "further diagnostics that are not shown";

    UNUSED_VARIABLE = "gcl060", "a variable that nothing uses";
    NEVER_ENABLED = "gcl061", "a guard that is never true";
    INITIAL_ERROR = "gcl062", "an initial condition that may go wrong";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_different_and_in_order() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}

//! The diagnostic codes of the language, one line each. Every code has a file in `corpus/broken/xsts`.

/// Declares the codes as constants, and the table of all of them in the same order.
macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*

        /// Every code and what it means.
        pub const TABLE: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

codes! {
    CHARACTER = "xst001", "a character that the language does not know";
    OPEN_COMMENT = "xst002", "a comment that is not closed";
    LARGE_NUMBER = "xst003", "a number that does not fit 64 bits";
    DIGIT_FIRST = "xst004", "a name that starts with a digit";
    FOREIGN_OPERATOR = "xst005", "an operator as other languages write it";

    UNEXPECTED = "xst010", "something else was expected here";
    MISSING_SEMICOLON = "xst011", "a statement without its semicolon";
    COMPARISON_CHAIN = "xst012", "comparisons do not chain";
    TOO_DEEP = "xst013", "nesting or an expression that is too deep";
    OPEN_BLOCK = "xst014", "a block that is not closed";
    MISSING_SECTION = "xst015", "a model without one of its sections";
    SECTION_TWICE = "xst016", "a section that stands twice in a model";
    ORDER = "xst017", "a section or declaration in another order than the language has";
    ONLY_PROPERTIES = "xst018", "something else than a property in a file of properties";

    UNKNOWN_NAME = "xst020", "a name that is not declared";
    DUPLICATE = "xst021", "a name that is declared twice";
    DUPLICATE_LITERAL = "xst022", "a literal that stands twice in one type";
    AMBIGUOUS_LITERAL = "xst023", "a literal of several types, and nothing decides which";
    NAME_OF_LITERAL = "xst024", "a variable named like a literal";
    RESERVED_NAME = "xst025", "a variable with a reserved name";
    UNKNOWN_TYPE = "xst026", "a type that is not declared";

    TYPE_MISMATCH = "xst030", "a value of another type is needed";
    NOT_ASSIGNABLE = "xst031", "only variables can be written";
    NO_ARRAY = "xst032", "an index of something that is no array";

    LEFT_OUT = "xst040", "a temporal property, which is left out";

    TOO_LARGE = "xst050", "the model exceeds a limit";
    TOO_MANY = "xst051", "further diagnostics that are not shown";

    ORT_BRANCH = "xst060", "a statement that is a branch of the `ort` before it";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_different_and_in_order() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}

//! The diagnostic codes of Acheck, one line each.

/// Declares the codes as constants, and the table of all of them in the same order.
macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*

        /// Every code and what it means.
        pub const TABLE: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

codes! {
    CHARACTER = "ach001", "a character that the language does not know";
    OPEN_COMMENT = "ach002", "a comment that is not closed";
    OPEN_QUOTE = "ach003", "a quoted text that is not closed";

    UNEXPECTED = "ach010", "something else was expected here";
    OPEN_BRACKET = "ach011", "a bracketed formula that is not closed";
    OPEN_BLOCK = "ach012", "a block that is not closed by `done`";
    TOO_DEEP = "ach013", "nesting that is too deep";

    UNKNOWN_NODE = "ach020", "a node that is not declared";
    UNKNOWN_NAME = "ach021", "a set that is not defined";
    RESERVED = "ach022", "a definition of a name that has a fixed meaning";
    UNKNOWN_EVENT = "ach023", "a label that no event of the model has";
    UNKNOWN_SUBNODE = "ach024", "a subnode that the node does not have";
    UNKNOWN_COMMAND = "ach025", "a command that does not exist";

    SORT = "ach030", "a set of states where a set of transitions is needed, or the other way round";
    AMBIGUOUS = "ach031", "a recursive definition that may be a set of states as well as one of transitions";
    ARGUMENTS = "ach032", "too few or too many arguments, or one of another kind";
    UNSUPPORTED = "ach033", "a construct whose meaning is not known well enough to answer";

    OSCILLATES = "ach040", "a fixpoint of a body that is not monotone";
    TOO_LARGE = "ach041", "a result too large to be written out";
    NOT_WRITTEN = "ach042", "a file that could not be written";
    NO_TEXT = "ach043", "a node whose text is not known";
    UNNAMED = "ach044", "a set that the specification does not define for the node";

    LONG_TEXT = "ach050", "a text that exceeds a limit";
    TOO_MANY = "ach051", "further diagnostics that are not shown";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_different_and_in_order() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}

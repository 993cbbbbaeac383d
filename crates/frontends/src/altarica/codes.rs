//! The diagnostic codes of the language, one line each. Every code has a file in `corpus/broken/alt`.

/// Declares the codes as constants, and the table of all of them in the same order.
macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*

        /// Every code and what it means.
        pub const TABLE: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

codes! {
    CHARACTER = "alt001", "a character that the language does not know";
    OPEN_COMMENT = "alt002", "a comment that is not closed";
    QUOTE = "alt003", "a quoted name that is not closed or empty";
    LARGE_NUMBER = "alt004", "a number that does not fit 64 bits";
    DIGIT_FIRST = "alt005", "a name that starts with a digit";
    FOREIGN_OPERATOR = "alt006", "an operator as other languages write it";
    UNEXPECTED = "alt007", "something else was expected here";
    MISSING_SEMICOLON = "alt008", "two declarations without a semicolon between them";
    MISSING_EDON = "alt009", "a node that is not closed";
    CASE_WITHOUT_ELSE = "alt010", "a `case` without its `else`";
    TOO_DEEP = "alt011", "nesting that is too deep";
    MISPLACED = "alt012", "a section outside of a node, or a declaration inside of one";
    NESTED_NODE = "alt013", "a node inside a node";
    DIRECTIVE = "alt014", "a line for the preprocessor that is not understood";
    INCLUDE = "alt015", "a file that is to be included";
    CONDITIONAL = "alt016", "`#ifdef`, `#else` and `#endif` that do not fit together";
    MACRO = "alt017", "a macro that is not a name and its text";
    TOO_LONG = "alt018", "a text that is too long, as written or with its macros put in";
    TOO_MANY = "alt019", "further diagnostics that are not shown";

    UNKNOWN_NAME = "alt020", "a name that is not declared";
    DUPLICATE = "alt021", "a name that is declared twice";
    USED_BEFORE = "alt022", "something is used before its declaration";
    WRONG_KIND = "alt023", "a name that stands for something else than what is needed";
    DUPLICATE_SYMBOL = "alt024", "a symbol that stands twice in one enumeration";
    UNKNOWN_MEMBER = "alt025", "a subnode or struct has nothing of this name";
    UNKNOWN_EVENT = "alt026", "an event that is not declared";

    TYPE_MISMATCH = "alt030", "a value of another type is needed";
    NOT_CONSTANT = "alt031", "a constant is needed";
    WRONG_INDEX = "alt032", "an index that is missing, out of bounds or not possible";
    NOT_ASSIGNABLE = "alt033", "something that cannot be assigned here";
    WRITTEN_TWICE = "alt034", "a variable that is assigned twice";
    SHAPE = "alt035", "arrays or structs that do not have the same elements";
    INTEGER_VARIABLE = "alt036", "a variable that ranges over all integers";
    APPLICATION = "alt037", "a function that is applied to a wrong number of arguments";

    OVERFLOW = "alt040", "constant arithmetic leaves 64 bits";
    ZERO_DIVISION = "alt041", "division by zero in a constant";
    EMPTY_RANGE = "alt042", "a range without values";
    SIZE = "alt043", "an array without elements";
    INITIAL_VALUE = "alt044", "an initial value outside the domain of its variable";
    CONSTANT_VALUE = "alt045", "a constant or parameter outside its domain";
    NO_VALUE = "alt046", "a constant that has no value";
    PARAMETER_UNSET = "alt047", "a parameter without a value where a constant is needed";
    EMPTY_SORT = "alt048", "a sort without constants";
    SIGNATURE = "alt049", "a signature whose values cannot be written in a table";

    PRIORITY_CYCLE = "alt050", "events that have priority over themselves";
    SAME_COMPONENT = "alt051", "two events of one subnode in one vector";
    HIDDEN_EVENT = "alt052", "an event that cannot be seen from here";
    OPTIONAL_PARTS = "alt053", "a vector with too many optional events";

    TOO_LARGE = "alt060", "the model exceeds a limit";

    DUPLICATE_VECTOR = "alt070", "a vector that stands twice in one node";
    VISIBILITY = "alt071", "something that is not visible outside of its node";
    OUT_OF_DOMAIN = "alt072", "a value is assigned that is never in the domain";
    NO_COMMON_SYMBOL = "alt073", "two enumerations without a common symbol are compared";
    SHADOWED_SYMBOL = "alt074", "a symbol that a variable or constant of the same name hides";
    NO_TRANSITION = "alt075", "events without a transition";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_different_and_in_order() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}

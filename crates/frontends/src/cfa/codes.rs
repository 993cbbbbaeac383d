//! The diagnostic codes of the language, one line each. Every code has a file in `corpus/broken/cfa`.

/// Declares the codes as constants, and the table of all of them in the same order.
macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*

        /// Every code and what it means.
        pub const TABLE: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

codes! {
    CHARACTER = "cfa001", "a character that the language does not know";
    OPEN_COMMENT = "cfa002", "a comment that is not closed";
    DIGIT_FIRST = "cfa003", "a name that starts with a digit";
    FOREIGN_OPERATOR = "cfa004", "an operator as other languages write it";
    BITS = "cfa005", "a bit-vector that is not written with the digits of its base, or does not fit its width";
    LARGE_NUMBER = "cfa006", "a number that does not fit 64 bits";

    UNEXPECTED = "cfa010", "something else was expected here";
    COMPARISON_CHAIN = "cfa011", "comparisons do not chain";
    OPEN_BRACE = "cfa012", "a process or an edge that is not closed";
    TOO_DEEP = "cfa013", "nesting that is too deep";
    MISPLACED = "cfa014", "a declaration on the wrong side of a process";

    UNKNOWN_NAME = "cfa020", "a name that is not declared";
    DUPLICATE = "cfa021", "a name that is declared twice";
    WRONG_KIND = "cfa022", "a name that stands for something else than what is needed";
    MAIN = "cfa023", "no main process, or more than one";
    ROLE = "cfa024", "no initial location, or two locations where there can be one";

    TYPE_MISMATCH = "cfa030", "a value of another type is needed";
    WIDTH = "cfa031", "a width or a range of bits that cannot be";

    UNSUPPORTED = "cfa040", "a part of the language that is not supported";

    TOO_LARGE = "cfa050", "the model exceeds a limit";
    TOO_MANY = "cfa051", "further diagnostics that are not shown";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_different_and_in_order() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}

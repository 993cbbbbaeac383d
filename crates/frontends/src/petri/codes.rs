//! The diagnostic codes of the languages for nets, one line each. Every code has a file in `corpus/broken`: those of
//! MIST in `spec`, those of thread transition systems in `tts`, and so on; those of formulas in `petri`.

/// Declares the codes as constants, and the table of all of them in the same order.
macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*

        /// Every code and what it means.
        pub const TABLE: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

codes! {
    LOLA_UNEXPECTED = "lola001", "something else was expected in a LoLA net";
    LOLA_UNKNOWN = "lola002", "a place that is not declared in a LoLA net";
    LOLA_DUPLICATE = "lola003", "a place or a transition that is declared twice in a LoLA net";
    LOLA_HIGH_LEVEL = "lola004", "a LoLA net of high level";
    LOLA_TINA = "lola005", "a net in the format of TINA";
    LOLA_LEFT_OUT = "lola006", "an analysis that is no question of reachability";

    MCC_NO_PROPERTIES = "mcc001", "a property file without properties";
    MCC_UNSUPPORTED = "mcc002", "a property with operators that are not supported";
    MCC_UNKNOWN = "mcc003", "a property speaks of a place or a transition that does not exist";
    MCC_FORM = "mcc004", "a property that lacks something";

    MIST_UNEXPECTED = "mist001", "something else was expected in a MIST specification";
    MIST_SECTION = "mist002", "a section of a MIST specification is missing";
    MIST_UNKNOWN = "mist003", "a variable that is not declared";
    MIST_DUPLICATE = "mist004", "a variable that is declared twice";
    MIST_CONSTRAINED_TWICE = "mist005", "a variable that one conjunction constrains twice";
    MIST_UPDATED_TWICE = "mist006", "a variable that one rule updates twice, of which the first counts";
    MIST_EMPTY_RANGE = "mist007", "a range without numbers";
    MIST_NEVER = "mist008", "a rule that never fires";
    MIST_UNLISTED = "mist009", "a variable that the initial condition leaves open";

    CHARACTER = "net001", "a character that the language does not know";
    OPEN = "net002", "a comment or a quoted name that is not closed";
    LARGE_NUMBER = "net003", "a number that is too large";
    TOO_DEEP = "net004", "nesting that is too deep";
    TOO_LONG = "net005", "a text that is too long";
    TOO_MANY = "net006", "further diagnostics that are not shown";
    FORMULA_UNEXPECTED = "net010", "something else was expected in a formula";
    FORMULA_UNKNOWN = "net011", "a formula speaks of a place or a transition that does not exist";
    FORMULA_TYPE = "net012", "a number where a truth value is needed, or the reverse";
    FORMULA_PRODUCT = "net013", "a product of places";
    FORMULA_TEMPORAL = "net014", "a temporal operator that is not supported";
    FORMULA_BARE = "net015", "a formula without EF and AG in a file";
    FORMULA_NUMBER = "net016", "a number in a formula that is the name of a place, too";
    DUPLICATE_PROPERTY = "net020", "two properties of one name";
    NO_INITIAL = "net021", "an initial state for a language that has none";

    PNML_XML = "pnml001", "a text that is not well-formed XML";
    PNML_NO_NET = "pnml002", "a document without a net";
    PNML_COLOURED = "pnml003", "a net that is not a place/transition net";
    PNML_ID = "pnml004", "an element without an id of its own";
    PNML_UNKNOWN = "pnml005", "an arc or a reference to something that does not exist";
    PNML_ARC = "pnml006", "an arc that does not join a place and a transition";
    PNML_NUMBER = "pnml007", "a marking or an inscription that is not a number";
    PNML_ARC_TYPE = "pnml008", "an arc of an unknown type";
    PNML_SEVERAL = "pnml009", "a document with several nets";
    PNML_SPELLING = "pnml010", "an element whose name has a slip in it";

    TTS_UNEXPECTED = "tts001", "something else was expected in a thread transition system";
    TTS_RANGE = "tts002", "a state that does not exist";
    TTS_SEVERAL = "tts003", "more than one target in a property file";
    TTS_INITIAL = "tts004", "an initial state that cannot be understood";
    TTS_BEYOND = "tts005", "a target with a state that does not exist";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_different_and_in_order() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}

//! The letters of AltaRica files and nets. Many of these are older than UTF-8 and have accents in their comments.

/// UTF-8, or else Latin-1: there every byte is a character, and these languages need none beyond ASCII.
pub fn old(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_utf8_is_latin1() {
        assert_eq!(old("// é".into()), "// é");
        assert_eq!(old(b"// d\xe9faut".to_vec()), "// défaut");
    }
}

//! C files as bytes: compilers take those of literals as they stand, and those of comments do not matter, whatever encoding they are in.

/// The text of a file. Bytes that are no UTF-8 become escapes with three octal digits, which mean the same in literals; where a backslash
/// stands before such a byte, that means nothing (as gcc reads it). Linear.
#[must_use]
pub fn decoded(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let escapes = text.bytes().rev().take_while(|byte| *byte == b'\\').count();
            if !escapes.is_multiple_of(2) {
                text.pop();
            }
            text.push_str(&format!("\\{byte:03o}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn bytes_that_are_no_text_are_escapes() {
        assert_eq!(decoded(b"\"na\xEFve\" // \xE9".to_vec()), "\"na\\357ve\" // \\351");
        assert_eq!(decoded("\"naïve\"".into()), "\"naïve\"");
        // What is not a whole character, one that the byte before escapes, and a backslash that is escaped itself.
        assert_eq!(
            decoded(b"\"\xE2\x82\", \"\\\xFF\", \"\\\\\xFF7\"".to_vec()),
            "\"\\342\\202\", \"\\377\", \"\\\\\\3777\""
        );
    }
}

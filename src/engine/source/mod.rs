//! A source text by lines and columns, in constant time however long its lines are.

pub mod counted;

use std::cell::OnceCell;

use counted::{Counted, Unit};

/// A text with an index of its lines.
#[derive(Clone, Debug)]
pub struct Source<'t> {
    /// The name under which places refer to it.
    pub name: &'t str,
    /// The text.
    pub text: &'t str,
    /// The byte at which each line begins, once somebody asks.
    lines: OnceCell<Vec<usize>>,
    /// Its characters.
    characters: Counted<Characters>,
}

impl<'t> Source<'t> {
    /// The text under that name. Linear in its length, once.
    pub fn new(name: &'t str, text: &'t str) -> Self {
        Source { name, text, lines: OnceCell::new(), characters: Counted::new(text) }
    }

    fn lines(&self) -> &[usize] {
        self.lines.get_or_init(|| {
            let breaks = self.text.match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(breaks).collect()
        })
    }

    /// Line and column of a byte, both from 1, the column in characters. A position beyond the end is the end.
    pub fn position(&self, byte: usize) -> (usize, usize) {
        let byte = byte.min(self.text.len());
        let line = self.lines().partition_point(|&start| start <= byte);
        (line, self.characters_before(byte) - self.characters_before(self.lines()[line - 1]) + 1)
    }

    /// The bytes of a line (counted from 1), without its end; empty beyond the last line.
    pub fn line_range(&self, line: usize) -> std::ops::Range<usize> {
        let Some(&start) = line.checked_sub(1).and_then(|index| self.lines().get(index)) else {
            return self.text.len()..self.text.len();
        };
        let end = self.lines().get(line).map_or(self.text.len(), |next| next - 1);
        let text = self.text[start..end].strip_suffix('\r').map_or(end, |text| start + text.len());
        start..text
    }

    /// The text of a line from a column on (both counted from 1).
    pub fn rest_of_line(&self, line: usize, column: usize) -> &'t str {
        let range = self.line_range(line);
        if self.characters.is_plain() {
            return self.text[range].get(column.saturating_sub(1)..).unwrap_or("");
        }
        let wanted = self.characters_before(range.start) + column.saturating_sub(1);
        let at = self.characters.near(self.text, wanted, range.start);
        let missing = wanted.saturating_sub(self.characters_before(at));
        let rest = &self.text[at.min(range.end)..range.end];
        match rest.char_indices().nth(missing) {
            Some((offset, _)) => &rest[offset..],
            None => "",
        }
    }

    /// The number of characters that begin before a byte.
    fn characters_before(&self, byte: usize) -> usize {
        self.characters.before(self.text, byte)
    }
}

#[derive(Clone, Debug)]
struct Characters;

impl Unit for Characters {
    fn begun(byte: u8) -> usize {
        usize::from((byte as i8) >= -0x40)
    }
}

/// At most `limit` characters of a text, fit for a terminal: tabs as blanks, other control characters replaced, `…` at
/// the end of what was cut.
pub fn clip(text: &str, limit: usize) -> String {
    let mut clipped = String::new();
    push_clipped(&mut clipped, text, limit);
    clipped
}

/// The same, at the end of a line.
pub fn push_clipped(line: &mut String, text: &str, limit: usize) {
    // Nearly all texts are short and plain.
    if text.len() <= limit && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return line.push_str(text);
    }
    let begin = line.len();
    for (index, character) in text.chars().enumerate() {
        if index == limit {
            if line.len() > begin {
                line.pop();
            }
            return line.push('…');
        }
        line.push(printable(character));
    }
}

/// The character, or one that stands for it if it would disturb a terminal.
pub fn printable(character: char) -> char {
    match character {
        '\t' => ' ',
        // Marks that change the direction of the text around them can make a line look like another one.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        control if control.is_control() => '\u{fffd}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_columns_agree_on_long_lines_of_wide_characters() {
        let long = "aé漢🦀".repeat(3000);
        let text = format!("first\r\n{long}\n\nlast");
        let source = Source::new("t", &text);
        assert_eq!(source.lines().len(), 4);
        assert_eq!(&text[source.line_range(1)], "first");
        assert_eq!(&text[source.line_range(2)], long);
        assert_eq!(&text[source.line_range(3)], "");
        assert_eq!(source.position(text.len()), (4, 5));
        assert_eq!(source.position(usize::MAX), (4, 5));
        let start = source.line_range(2).start;
        for (column, (offset, _)) in long.char_indices().enumerate().step_by(97) {
            assert_eq!(source.position(start + offset), (2, column + 1));
            assert_eq!(source.rest_of_line(2, column + 1), &long[offset..]);
        }
        assert_eq!(source.rest_of_line(2, 1_000_000), "");
        assert_eq!(source.rest_of_line(9, 1), "");
        assert_eq!(source.rest_of_line(1, 3), "rst");
    }

    #[test]
    fn an_empty_text_has_one_empty_line() {
        let source = Source::new("t", "");
        assert_eq!(source.lines().len(), 1);
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.rest_of_line(1, 1), "");
    }

    #[test]
    fn clipping_cuts_and_cleans() {
        assert_eq!(clip("abc", 3), "abc");
        assert_eq!(clip("abcd", 3), "ab…");
        assert_eq!(clip("a\tb\x1b[31m", 10), "a b\u{fffd}[31m");
    }
}

//! Places in a text as editors count them: lines and columns from 0, columns in units of UTF-16, in constant time however long
//! lines are.

use std::ops::Range;

use crate::source::counted::{Counted, Unit};

/// A text by lines and UTF-16 columns. Lines end with `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug)]
pub struct Utf16<'t> {
    text: &'t str,
    /// The byte at which each line begins.
    lines: Vec<usize>,
    /// Its units.
    units: Counted<Units>,
}

impl<'t> Utf16<'t> {
    /// An index of the text. Linear in its length, once.
    pub fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let ends = |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        let breaks = (0..bytes.len()).filter(|at| ends(*at)).map(|at| at + 1);
        Utf16 { text, lines: std::iter::once(0).chain(breaks).collect(), units: Counted::new(text) }
    }

    /// The line and the column of a byte. A byte beyond the end is the end.
    pub fn position(&self, byte: usize) -> (usize, usize) {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        let line = self.lines.partition_point(|start| *start <= byte) - 1;
        (line, self.units_before(byte) - self.units_before(self.lines[line]))
    }

    /// The byte at a line and a column. A column beyond the end of the line is its end, a line beyond the last is the end of
    /// the text; the middle of a character is its beginning.
    pub fn byte(&self, line: usize, column: usize) -> usize {
        let Some(range) = self.line(line) else { return self.text.len() };
        if self.units.is_plain() {
            return range.end.min(range.start.saturating_add(column));
        }
        let wanted = self.units_before(range.start).saturating_add(column);
        let mut at = self.units.near(self.text, wanted, range.start);
        let mut units = self.units_before(at);
        for character in self.text[at.min(range.end)..range.end].chars() {
            units += character.len_utf16();
            if units > wanted {
                break;
            }
            at += character.len_utf8();
        }
        at.min(range.end)
    }

    /// The bytes of a line without its end.
    pub fn line(&self, line: usize) -> Option<Range<usize>> {
        let start = *self.lines.get(line)?;
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        Some(start..start + self.text[start..end].trim_end_matches(['\n', '\r']).len())
    }

    fn units_before(&self, byte: usize) -> usize {
        self.units.before(self.text, byte)
    }
}

#[derive(Clone, Debug)]
struct Units;

impl Unit for Units {
    fn begun(byte: u8) -> usize {
        usize::from((byte as i8) >= -0x40) + usize::from(byte >= 0xf0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_columns_are_each_others_inverse_on_long_lines_of_wide_characters() {
        let long = "aé漢🦀".repeat(3000);
        let text = format!("first\r\n{long}\rx\n\nlast");
        let index = Utf16::new(&text);
        assert_eq!(index.lines.len(), 5);
        let start = index.line(1).expect("there is one").start;
        let mut column = 0;
        for (offset, character) in long.char_indices() {
            if offset % 89 == 0 {
                assert_eq!(index.position(start + offset), (1, column));
                assert_eq!(index.byte(1, column), start + offset);
            }
            column += character.len_utf16();
        }
        assert_eq!(index.byte(1, column + 7), start + long.len());
        assert_eq!(index.byte(1, usize::MAX), start + long.len());
        // The second half of a pair of surrogates.
        assert_eq!(index.byte(1, 4), index.byte(1, 3));
        assert_eq!((index.position(text.len()), index.position(usize::MAX)), ((4, 4), (4, 4)));
        assert_eq!((index.byte(0, 9), index.byte(3, 1), index.byte(9, 0)), (5, text.len() - 5, text.len()));
    }

    #[test]
    fn an_empty_text_has_one_empty_line() {
        let index = Utf16::new("");
        assert_eq!((index.position(3), index.byte(0, 3), index.byte(2, 0)), ((0, 0), 0, 0));
    }
}

//! Lines and columns.

use spds_format::model::Place;

/// Turns ascending byte offsets into lines and columns, in one pass over the text.
pub(crate) struct Cursor<'t> {
    text: &'t [u8],
    offset: usize,
    line: u32,
    column: u32,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Cursor { text: text.as_bytes(), offset: 0, line: 1, column: 1 }
    }

    /// The place at that offset, which is not before those asked for so far.
    pub(crate) fn place(&mut self, offset: u32) -> Place {
        let offset = (offset as usize).min(self.text.len());
        for &byte in &self.text[self.offset.min(offset)..offset] {
            if byte == b'\n' {
                (self.line, self.column) = (self.line + 1, 1);
            } else if byte & 0xc0 != 0x80 {
                self.column += 1;
            }
        }
        self.offset = self.offset.max(offset);
        Place { file: 0, line: self.line, column: self.column }
    }
}

//! Lines and columns.

use spds_format::model::Place;

/// Turns byte offsets into lines and columns; ascending ones in one pass over the text.
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

    /// The place at that offset. In time proportional to the way from the last one, or from the beginning of its line.
    pub(crate) fn place(&mut self, offset: u32) -> Place {
        let offset = (offset as usize).min(self.text.len());
        if offset < self.offset {
            let lines = self.text[offset..self.offset].iter().filter(|byte| **byte == b'\n').count();
            self.offset = self.text[..offset].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            (self.line, self.column) = (self.line - lines as u32, 1);
        }
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

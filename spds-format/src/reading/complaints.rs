//! The complaints about one text, many at once.

use std::ops::Range;

use super::near::did_you_mean;
use crate::diagnostic::{Diagnostic, Severity};

/// How much is said about one text.
#[derive(Debug)]
pub struct Bounds {
    /// Beyond that many errors, and that many warnings, they are counted instead of listed.
    pub listed: usize,
    /// So many unknown names get a "did you mean" (finding it takes a pass over all names).
    pub guessed: usize,
    /// What is said of those that are not listed.
    pub more: fn(usize, Severity) -> String,
}

/// Those for a program or another file.
pub static OF_FILES: Bounds = Bounds {
    listed: 1000,
    guessed: 50,
    more: |number, severity| format!("{number} more {} in this file are not listed", plural(severity)),
};

/// The errors or the warnings.
pub fn plural(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "errors",
        Severity::Warning => "warnings",
    }
}

/// The complaints about one text so far.
#[derive(Debug)]
pub struct Complaints {
    bounds: &'static Bounds,
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    guesses: usize,
}

impl Default for Complaints {
    fn default() -> Self {
        Complaints::new(&OF_FILES)
    }
}

impl Complaints {
    /// None so far.
    pub fn new(bounds: &'static Bounds) -> Self {
        Complaints { bounds, list: Vec::new(), errors: 0, warnings: 0, guesses: 0 }
    }

    /// One more.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let counted = if diagnostic.is_error() { &mut self.errors } else { &mut self.warnings };
        *counted += 1;
        if *counted <= self.bounds.listed {
            self.list.push(diagnostic);
        }
    }

    /// One more error.
    pub fn error(&mut self, message: impl Into<String>, span: Range<usize>) {
        self.push(Diagnostic::error(message, span));
    }

    /// An error that is counted, but not worked out: [`Complaints::errors_are_full`].
    pub fn count_error(&mut self) {
        debug_assert!(self.errors_are_full());
        self.errors += 1;
    }

    /// Whether further warnings will only be counted.
    pub fn warnings_are_full(&self) -> bool {
        self.warnings >= self.bounds.listed
    }

    /// Whether further errors will only be counted.
    pub fn errors_are_full(&self) -> bool {
        self.errors >= self.bounds.listed
    }

    /// How many errors there are so far.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether the text is refused.
    pub fn refused(&self) -> bool {
        self.errors > 0
    }

    /// "Did you mean …?" for an unknown name; not for the hundredth of a text.
    pub fn guess<'n>(&mut self, unknown: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
        self.guesses += 1;
        if self.guesses() { did_you_mean(unknown, names) } else { None }
    }

    /// Whether the name asked for last was one of the first.
    pub fn guesses(&self) -> bool {
        self.guesses <= self.bounds.guessed
    }

    /// All of them, in the order of the text; then how many are not listed.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.span.as_ref().map_or(usize::MAX, |span| span.start));
        for (number, severity) in [(self.errors, Severity::Error), (self.warnings, Severity::Warning)] {
            if number > self.bounds.listed {
                let more = (self.bounds.more)(number - self.bounds.listed, severity);
                self.list.push(Diagnostic { severity, ..Diagnostic::global(more) });
            }
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_come_in_the_order_of_the_text_and_beyond_the_bound_are_counted() {
        let mut complaints = Complaints::default();
        for at in (0..1010).rev() {
            complaints.error("e", at..at + 1);
        }
        complaints.push(Diagnostic::warning("w", 5..6));
        assert!(complaints.refused() && complaints.errors_are_full() && !complaints.warnings_are_full());
        let sorted = complaints.into_sorted();
        assert_eq!(sorted.len(), 1002);
        assert_eq!(sorted[1001].message, "10 more errors in this file are not listed");
        assert!(sorted[..1001].is_sorted_by_key(|complaint| complaint.span.as_ref().map(|span| span.start)));
    }

    #[test]
    fn only_so_many_names_are_guessed() {
        let mut complaints = Complaints::default();
        let guesses = (0..60).filter_map(|_| complaints.guess("mian", ["main"])).count();
        assert_eq!(guesses, 50);
    }
}

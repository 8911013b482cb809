//! Collecting complaints about one text, and guessing what an unknown name was meant to be.

use std::ops::Range;

use spds_format::diagnostic::{Diagnostic, Severity};

/// Beyond that many errors, and that many warnings, they are counted instead of listed (a last complaint gives the number).
const LISTED: usize = 1000;

/// The complaints about one text so far.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Complaints {
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        let counted = if diagnostic.is_error() { &mut self.errors } else { &mut self.warnings };
        *counted += 1;
        if *counted <= LISTED {
            self.list.push(diagnostic);
        }
    }

    pub(super) fn error(&mut self, message: impl Into<String>, span: Range<usize>) {
        self.push(Diagnostic::error(message, span));
    }

    /// Whether further warnings will only be counted.
    pub(super) fn warnings_are_full(&self) -> bool {
        self.warnings >= LISTED
    }

    /// Whether the text is refused.
    pub(super) fn refused(&self) -> bool {
        self.errors > 0
    }

    /// All of them, in the order of the text.
    pub(super) fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.span.as_ref().map_or(usize::MAX, |span| span.start));
        for (number, what, severity) in
            [(self.errors, "errors", Severity::Error), (self.warnings, "warnings", Severity::Warning)]
        {
            if number > LISTED {
                let message = format!("{} more {what} in this file are not listed", number - LISTED);
                self.list.push(Diagnostic { severity, ..Diagnostic::global(message) });
            }
        }
        self.list
    }
}

/// The names most like an unknown one, at most three, the nearest first; none if nothing is near.
pub(super) fn near<'n>(unknown: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted: Vec<char> = unknown.chars().collect();
    let furthest = match wanted.len() {
        0 | 1 => 0,
        length => (length / 3).clamp(1, 4),
    };
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in names {
        if name.chars().count().abs_diff(wanted.len()) > furthest {
            continue;
        }
        let distance = if name.eq_ignore_ascii_case(unknown) { 0 } else { distance(&wanted, name) };
        if distance <= furthest && !found.contains(&(distance, name)) {
            found.push((distance, name));
            found.sort_unstable();
            found.truncate(3);
        }
    }
    found.into_iter().map(|(_, name)| name).collect()
}

/// The edit distance of Damerau and Levenshtein: two neighbours may also be swapped.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for i in 0..b.len() {
        let mut below = vec![i + 1];
        for j in 0..a.len() {
            let mut least = (row[j] + usize::from(a[j] != b[i])).min(row[j + 1] + 1).min(below[j] + 1);
            if i > 0 && j > 0 && a[j] == b[i - 1] && a[j - 1] == b[i] {
                least = least.min(above[j - 1] + 1);
            }
            below.push(least);
        }
        (above, row) = (row, below);
    }
    row[a.len()]
}

/// Names as the end of a sentence: `` `a`, `b` or `c` ``.
pub(super) fn alternatives(names: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

//! Collecting complaints about one text, and guessing what an unknown name was meant to be.

use std::ops::Range;

use spds_format::Diagnostic;

/// Beyond that many, complaints are counted instead of listed (a last one gives the number).
const LISTED: usize = 1000;

/// The complaints about one text so far.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    list: Vec<Diagnostic>,
    errors: usize,
    unlisted: usize,
}

impl Complaints {
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        if self.list.len() < LISTED {
            self.list.push(diagnostic);
        } else {
            self.unlisted += 1;
        }
    }

    pub(super) fn error(&mut self, message: impl Into<String>, span: Range<usize>) {
        self.push(Diagnostic::error(message, span));
    }

    /// Whether the text is refused.
    pub(super) fn refused(&self) -> bool {
        self.errors > 0
    }

    /// All of them, in the order of the text.
    pub(super) fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.span.as_ref().map_or(usize::MAX, |span| span.start));
        if self.unlisted > 0 {
            let message = format!("{} more complaints about this file are not listed", self.unlisted);
            let mut last = Diagnostic::global(message);
            if !self.refused() || self.list.iter().any(Diagnostic::is_error) {
                last.severity = spds_format::Severity::Warning;
            }
            self.list.push(last);
        }
        self.list
    }
}

/// The names most like an unknown one, at most three, the nearest first; none if nothing is near.
pub(super) fn near<'n>(unknown: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted: Vec<char> = unknown.chars().collect();
    let furthest = (wanted.len() / 3).clamp(1, 4);
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

/// Levenshtein's distance.
fn distance(a: &[char], b: &str) -> usize {
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (i, b) in b.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, a) in a.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(*a != b)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
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

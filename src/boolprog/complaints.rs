//! Collecting complaints about one text, and guessing what an unknown name was meant to be.

use std::ops::Range;

use spds_format::diagnostic::{Diagnostic, Severity};

/// Beyond that many errors, and that many warnings, they are counted instead of listed (a last complaint gives the number).
const LISTED: usize = 1000;

/// The complaints about one text so far.
#[derive(Debug, Default)]
pub(crate) struct Complaints {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Complaints {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let counted = if diagnostic.is_error() { &mut self.errors } else { &mut self.warnings };
        *counted += 1;
        if *counted <= LISTED {
            self.list.push(diagnostic);
        }
    }

    pub(crate) fn error(&mut self, message: impl Into<String>, span: Range<usize>) {
        self.push(Diagnostic::error(message, span));
    }

    /// Whether further warnings will only be counted.
    pub(crate) fn warnings_are_full(&self) -> bool {
        self.warnings >= LISTED
    }

    /// Whether further errors will only be counted.
    pub(crate) fn errors_are_full(&self) -> bool {
        self.errors >= LISTED
    }

    /// Whether the text is refused.
    pub(crate) fn refused(&self) -> bool {
        self.errors > 0
    }

    /// All of them, in the order of the text.
    pub(crate) fn into_sorted(mut self) -> Vec<Diagnostic> {
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

/// Names from this length on get no advice.
const LONGEST: usize = 256;

/// The names most like an unknown one, at most three, the nearest first; none if nothing is near.
pub(crate) fn near<'n>(unknown: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = unknown.chars().count();
    let furthest = match wanted {
        // Comparing takes time in the product of the lengths, and no one mistypes such a name.
        LONGEST.. => return Vec::new(),
        0 | 1 => 0,
        length => (length / 3).clamp(1, 4),
    };
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in names {
        if name.chars().count().abs_diff(wanted) > furthest {
            continue;
        }
        let distance = if name.eq_ignore_ascii_case(unknown) { 0 } else { strsim::osa_distance(unknown, name) };
        if distance <= furthest && !found.contains(&(distance, name)) {
            found.push((distance, name));
            found.sort_unstable();
            found.truncate(3);
        }
    }
    found.into_iter().map(|(_, name)| name).collect()
}

/// Names as the end of a sentence: `` `a`, `b` or `c` ``.
pub(crate) fn alternatives(names: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn advice_for_an_endless_name_takes_no_endless_time() {
        let (declared, used) = ("a".repeat(2_000_000), "b".repeat(2_000_000));
        assert!(near(&used, [declared.as_str()].into_iter()).is_empty());
        assert_eq!(near("lokc", ["lock", "unlock"].into_iter()), ["lock"]);
    }
}

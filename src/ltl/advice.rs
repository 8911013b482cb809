//! What a name that means nothing may have been meant to be.

use spds_format::diagnostic::Diagnostic;

/// How many candidates are listed.
pub(super) const LISTED: usize = 8;

/// Adds candidates as a question; beyond [`LISTED`] they are counted.
pub(super) fn guess(mut complaint: Diagnostic, candidates: Vec<String>) -> Diagnostic {
    let listed = candidates.iter().take(LISTED);
    let mut quoted: Vec<String> = listed.map(|candidate| format!("`{candidate}`")).collect();
    if candidates.len() > LISTED {
        quoted.push(format!("{} more", candidates.len() - LISTED));
    }
    complaint.help = match quoted.split_last() {
        None => complaint.help,
        Some((only, [])) => Some(format!("did you mean {only}?")),
        Some((last, others)) => Some(format!("did you mean {} or {last}?", others.join(", "))),
    };
    complaint
}

/// As [`guess`]; where nothing is near, all there is, unless that is much.
pub(super) fn guess_or_list(complaint: Diagnostic, candidates: Vec<String>, all: Vec<String>) -> Diagnostic {
    if !candidates.is_empty() || all.is_empty() || all.len() > LISTED || complaint.help.is_some() {
        return guess(complaint, candidates);
    }
    let quoted: Vec<String> = all.iter().map(|name| format!("`{name}`")).collect();
    let are = if quoted.len() == 1 { "is" } else { "are" };
    complaint.with_help(format!("there {are} {}", quoted.join(", ")))
}

/// Names from this length on get no advice.
const LONGEST: usize = 256;

/// The names most like an unknown one, at most three, the nearest first; none if nothing is near.
pub(super) fn near(unknown: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let wanted = unknown.to_lowercase();
    let length = wanted.chars().count();
    let furthest = match length {
        // Comparing takes time in the product of the lengths, and no one mistypes such a name.
        LONGEST.. => return Vec::new(),
        0 => return Vec::new(),
        1 => 0,
        length => (length / 3).clamp(1, 4),
    };
    let mut found: Vec<(usize, String)> = Vec::new();
    for name in names {
        let letters = name.to_lowercase();
        if letters.chars().count().abs_diff(length) > furthest {
            continue;
        }
        let distance = strsim::osa_distance(&wanted, &letters);
        if distance <= furthest && !found.iter().any(|(_, known)| *known == name) {
            found.push((distance, name));
            found.sort_unstable();
            found.truncate(3);
        }
    }
    found.into_iter().map(|(_, name)| name).collect()
}

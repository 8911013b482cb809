//! "Did you mean …?": the names that are nearest to one that means nothing.

use crate::diagnostic::Diagnostic;
use crate::lexis::shown;

/// Names from this length on get no advice: comparing takes time in the product of the lengths, and no one mistypes such a
/// name.
const LONGEST: usize = 256;

/// How many candidates are spelt out.
pub const LISTED: usize = 8;

/// The names most like an unknown one, at most three, the nearest first; none if nothing is near, that is, within a third of
/// the name's length and four letters. A letter that is missing, added, replaced or swapped with its neighbour counts one; a
/// capital for a small letter counts nothing.
pub fn near<N: AsRef<str> + Ord>(unknown: &str, names: impl IntoIterator<Item = N>) -> Vec<N> {
    let wanted = letters(unknown);
    let furthest = match wanted.len() {
        0 | LONGEST.. => return Vec::new(),
        1 => 0,
        length => (length / 3).clamp(1, 4),
    };
    let mut found: Vec<(usize, N)> = Vec::new();
    for name in names {
        // No letter has more than four bytes.
        if name.as_ref().len() > 4 * (wanted.len() + furthest) {
            continue;
        }
        let distance = distance(&wanted, &letters(name.as_ref()), furthest);
        if let Some(distance) = distance.filter(|_| found.iter().all(|(_, known)| *known != name)) {
            found.push((distance, name));
            found.sort_unstable();
            found.truncate(3);
        }
    }
    found.into_iter().map(|(_, name)| name).collect()
}

/// The letters of a name, all small.
fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// How many letters of one name are to be changed to make it the other; of long names those at the beginning count.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|name| name.chars().take(64).flat_map(char::to_lowercase).collect::<Vec<char>>());
    distance(&a, &b, usize::MAX).unwrap_or(usize::MAX)
}

/// How many letters are to be changed, if it is no more than the bound (Damerau and Levenshtein's distance, in the variant in
/// which what was swapped stays together).
fn distance(a: &[char], b: &[char], bound: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > bound {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let mut cost = (last[j] + usize::from(a[i] != b[j])).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        if row.iter().all(|cost| *cost > bound) {
            return None;
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|distance| *distance <= bound)
}

/// Names as the end of a sentence: `` `a`, `b` or `c` ``. Beyond [`LISTED`] they are counted.
pub fn alternatives(names: &[impl AsRef<str>]) -> String {
    let mut quoted: Vec<String> = names.iter().take(LISTED).map(|name| shown(name.as_ref())).collect();
    if names.len() > LISTED {
        quoted.push(format!("{} more", names.len() - LISTED));
    }
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}

/// The complaint with the question whether one of these was meant; as it was if there are none.
pub fn guess(complaint: Diagnostic, candidates: &[impl AsRef<str>]) -> Diagnostic {
    match question(candidates) {
        None => complaint,
        Some(question) => complaint.with_help(question),
    }
}

/// The question whether one of those names was meant that are near to an unknown one, if there are any.
pub fn did_you_mean<N: AsRef<str> + Ord>(unknown: &str, names: impl IntoIterator<Item = N>) -> Option<String> {
    question(&near(unknown, names))
}

/// The question whether one of these was meant, if there are any.
pub fn question(candidates: &[impl AsRef<str>]) -> Option<String> {
    (!candidates.is_empty()).then(|| format!("did you mean {}?", alternatives(candidates)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_found_and_nothing_far_away() {
        let names = ["level1", "level2", "main", "x"];
        assert_eq!(near("mian", names), ["main"]);
        assert_eq!(near("leve1", names), ["level1"]);
        assert_eq!(near("Main", names), ["main"]);
        assert_eq!(near("lokc", ["lock", "unlock"]), ["lock"]);
        assert_eq!(near("MIAN", ["main", "main"]), ["main"]);
        assert!(near("counter", names).is_empty() && near("", names).is_empty() && near("y", names).is_empty());
        assert_eq!(near("ÄNDERN", ["andern", "ändern"]), ["ändern", "andern"]);
    }

    #[test]
    fn what_was_swapped_counts_once_and_the_bound_holds() {
        let distance = |a, b, bound| distance(&letters(a), &letters(b), bound);
        assert_eq!(distance("ab", "ba", 1), Some(1));
        assert_eq!(distance("ca", "abc", 3), Some(3));
        assert_eq!(distance("kitten", "sitting", 3), Some(3));
        assert_eq!(distance("kitten", "sitting", 2), None);
    }

    #[test]
    fn advice_for_an_endless_name_takes_no_endless_time() {
        let (declared, used) = ("a".repeat(2_000_000), "b".repeat(2_000_000));
        assert!(near(&used, [declared.as_str()]).is_empty());
        assert!(near("b", [declared.as_str()]).is_empty());
    }

    #[test]
    fn candidates_are_joined_and_beyond_eight_counted() {
        assert_eq!(question(&[] as &[&str]), None);
        assert_eq!(question(&["a"]).as_deref(), Some("did you mean `a`?"));
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert!(alternatives(&["a"; 10]).ends_with("`a` or 2 more"));
    }
}

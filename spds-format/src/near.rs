//! "Did you mean …?": the name that is nearest to a misspelt one.

/// Names longer than this are not compared.
const LONGEST: usize = 64;

/// The candidate at the least edit distance, if that is small for the length of the word; the first of several.
pub(crate) fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let allowed = match word.chars().take(LONGEST + 1).count() {
        0 => return None,
        1 => 0,
        2..=3 => 1,
        4..=LONGEST => 2,
        _ => return None,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let bound = best.map_or(allowed, |(distance, _)| distance.saturating_sub(1));
        if candidate.len() > 4 * LONGEST || candidate.len().abs_diff(word.len()) > 4 * allowed {
            continue;
        }
        if let Some(distance) = distance(word, candidate, bound) {
            if distance == 0 {
                return Some(candidate);
            }
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The edit distance of Damerau and Levenshtein (neighbours may be swapped), capitals apart, if it is within the bound.
fn distance(a: &str, b: &str, bound: usize) -> Option<usize> {
    let a: Vec<char> = a.chars().map(|c| c.to_ascii_lowercase()).collect();
    let b: Vec<char> = b.chars().map(|c| c.to_ascii_lowercase()).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_nothing_far_away() {
        let names = ["level1", "level2", "main", "x"];
        assert_eq!(nearest("mian", names.into_iter()), Some("main"));
        assert_eq!(nearest("leve1", names.into_iter()), Some("level1"));
        assert_eq!(nearest("Main", names.into_iter()), Some("main"));
        assert_eq!(nearest("counter", names.into_iter()), None);
        assert_eq!(nearest("", names.into_iter()), None);
    }
}

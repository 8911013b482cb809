//! What was found of a function, written so that it can be read again as a contract.

use crate::abstraction::outside::read_condition;
use crate::c::program::Program;

/// The lines of a file of contracts for the first function of a program: what its callers have to establish. A condition that cannot be read again
/// is a comment, which says why.
pub fn lines(program: &mut Program, conditions: &[&str]) -> String {
    let name = program.procedure(program.main).name.to_string();
    let mut lines = String::new();
    for condition in conditions {
        let text = guarded(condition);
        let main = program.main;
        lines += &match read_condition(program, Some(main), &text, 0) {
            Ok(_) => format!("{name}: requires {text}\n"),
            Err(why) => format!("// {name}: requires {text}  (it cannot be read: {})\n", why.message),
        };
    }
    lines
}

/// A condition that says nothing where there is no object, as C writes it.
pub fn guarded(condition: &str) -> String {
    let mut guards: Vec<String> = Vec::new();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    for (at, _) in condition.match_indices("->") {
        // The pointer before it: names, and arrows between them.
        let mut start = at;
        loop {
            let before = condition[..start].trim_end_matches(is_part);
            start = before.len();
            match before.strip_suffix("->") {
                Some(rest) => start = rest.len(),
                None => break,
            }
        }
        let guard = format!("{} == NULL || ", &condition[start..at]);
        if start < at && !guards.contains(&guard) {
            guards.push(guard);
        }
    }
    let guards = guards.concat();
    match guards.is_empty() || !condition.contains("||") && !condition.contains("&&") && !condition.contains('?') {
        true => guards + condition,
        false => format!("{guards}({condition})"),
    }
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn what_is_behind_pointers_is_only_demanded_where_there_is_something() {
        assert_eq!(guarded("p != NULL"), "p != NULL");
        assert_eq!(guarded("n->next != NULL"), "n == NULL || n->next != NULL");
        assert_eq!(guarded("a.b->c->d < 3"), "a.b == NULL || a.b->c == NULL || a.b->c->d < 3");
        assert_eq!(guarded("p->n < 4 || p->n == q->n"), "p == NULL || q == NULL || (p->n < 4 || p->n == q->n)");
        assert_eq!(guarded("pp->n < p->n"), "pp == NULL || p == NULL || pp->n < p->n");
        assert_eq!(guarded("a < 1 || b"), "a < 1 || b");
    }
}

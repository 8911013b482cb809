//! Names of procedures that stand for others where these are called from elsewhere.

/// How the name of a copy ends.
const ELSEWHERE: &str = ".elsewhere";

/// What a copy is called.
pub fn copied(name: &str) -> String {
    format!("{name}{ELSEWHERE}")
}

/// What a procedure is called in the source, whether it is a copy or not.
pub fn written(name: &str) -> &str {
    name.strip_suffix(ELSEWHERE).unwrap_or(name)
}

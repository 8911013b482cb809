//! Systems as short text, to compare with.

use puch::remopla::{Options, Program, read};
use spds_format::Spds;

/// Reads a program that must be accepted.
pub fn accept_with(text: &str, options: &Options) -> Program {
    let program = read(text, "test.rem", options);
    let program = program.unwrap_or_else(|complaints| panic!("{text}\nis refused: {complaints:#?}"));
    assert_eq!(spds_format::validate(&program.spds), [], "{}", program.spds);
    program
}

/// The same with default options.
pub fn accept(text: &str) -> Program {
    accept_with(text, &Options::default())
}

/// The statements of the system's text that begin with one of these words, without what all of them have.
pub fn lines(spds: &Spds, words: &[&str]) -> String {
    let text = spds.to_string();
    let wanted = text.lines().filter(|line| words.iter().any(|word| line.starts_with(word)));
    let short = wanted.filter(|line| !line.contains("<q, @end> ->") && !line.contains("<q, @fail> ->"));
    let short = short.map(|line| line.replace("q, ", "").replace(" <q>", " <>"));
    short
        .map(|line| line.strip_prefix("rule ").unwrap_or(&line).trim_end_matches(';').to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The rules.
pub fn rules_with(text: &str, options: &Options) -> String {
    lines(&accept_with(text, options).spds, &["rule", "silent"])
}

/// The rules with default options.
pub fn rules(text: &str) -> String {
    rules_with(text, &Options::default())
}

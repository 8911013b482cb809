//! Formulas in files: `--ltl @FILE`, one to a line, with or without a name.

use std::path::Path;

use anyhow::bail;

use super::args::{Given, Listed, PropertyTyped};
use super::texts::text_of;

/// Puts the formulas of files in the place of their names.
///
/// # Errors
/// If a file cannot be read, or has no formula in it.
pub fn expanded(typed: Vec<PropertyTyped>) -> anyhow::Result<Vec<PropertyTyped>> {
    let mut properties = Vec::new();
    for property in typed {
        let PropertyTyped::Temporal(Given::Formula(text)) = &property else {
            properties.push(property);
            continue;
        };
        let Some(file) = file(text) else {
            properties.push(property);
            continue;
        };
        let read = formulas(file, &text_of(Path::new(file))?);
        if read.is_empty() {
            bail!("`{file}` has no formula in it");
        }
        properties.extend(read.into_iter().map(|listed| PropertyTyped::Temporal(Given::Listed(listed))));
    }
    Ok(properties)
}

/// The file that stands for formulas; `None` if the text is itself one, such as `@end` or `@at(f) -> p`.
pub fn file(text: &str) -> Option<&str> {
    const PROPOSITIONS: &[&str] = &["at", "entry", "call", "return", "fail", "end", "stuck"];
    let file = text.strip_prefix('@')?;
    let end = file.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(file.len());
    let (word, rest) = file.split_at(end);
    let goes_on = rest.starts_with('.') || rest.starts_with('/') && !rest.starts_with("/\\");
    (goes_on || !PROPOSITIONS.contains(&word)).then_some(file)
}

fn formulas(file: &str, text: &str) -> Vec<Listed> {
    let lines = text.trim_start_matches('\u{feff}').lines().zip(1..).map(|(text, line)| (text.trim(), line));
    let said = lines.filter(|(text, _)| !(text.is_empty() || text.starts_with('#') || text.starts_with("//")));
    let listed = said.map(|(text, line)| {
        let (name, formula) = match text.split_once(":=") {
            Some((name, formula)) => (Some(name.trim().to_owned()), formula.trim()),
            None => (None, text),
        };
        Listed { file: file.to_owned(), line, name, formula: formula.to_owned() }
    });
    listed.collect()
}

#[cfg(test)]
mod tests {
    use super::{file, formulas};

    #[test]
    fn propositions_about_control_are_no_files() {
        for formula in ["@end", "@fail | p", "@at(f) -> p", "@end/\\p", "G @end", "p"] {
            assert_eq!(file(formula), None, "{formula}");
        }
        for name in ["safe.ltl", "end.ltl", "./end", "at/most.ltl", "ends"] {
            assert_eq!(file(&format!("@{name}")), Some(name));
        }
    }

    #[test]
    fn lines_are_formulas_with_and_without_names() {
        let text = "# locks\n\nsafe := G !(held & free)\n  F held // no comment here\n// nor here\n";
        let listed = formulas("l.ltl", text);
        let seen: Vec<_> = listed.iter().map(|one| (one.line, one.name.as_deref(), one.formula.as_str())).collect();
        assert_eq!(seen, [(3, Some("safe"), "G !(held & free)"), (4, None, "F held // no comment here")]);
    }
}

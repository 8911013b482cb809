//! Whether what is written is coloured: as was said, else as the terminal and its user want it.

use std::ffi::OsString;
use std::sync::OnceLock;

use puch::report::diagnostic::Style;

use super::choices::ColourName;

static CHOSEN: OnceLock<ColourName> = OnceLock::new();

/// Takes note of `--color`.
pub fn choose(name: ColourName) {
    let _ = CHOSEN.set(name);
}

/// The style of what goes to a terminal, or elsewhere.
pub fn style(terminal: bool) -> Style {
    match CHOSEN.get() {
        Some(ColourName::Always) => Style::Coloured,
        Some(ColourName::Never) => Style::Plain,
        Some(ColourName::Auto) | None => wanted(terminal, |variable| std::env::var_os(variable)),
    }
}

/// `NO_COLOR` says no; `CLICOLOR_FORCE` says yes; else terminals that have colours show them, unless `CLICOLOR` is 0.
fn wanted(terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> Style {
    let is = |name: &str, text: &str| variable(name).is_some_and(|value| value == text);
    let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let forced = set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0");
    let terminal = terminal && !is("TERM", "dumb") && !is("CLICOLOR", "0");
    if !set("NO_COLOR") && (forced || terminal) { Style::Coloured } else { Style::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_and_only_for_who_wants_them() {
        let set = |name: &'static str, value: &'static str| move |asked: &str| (asked == name).then(|| value.into());
        assert_eq!(wanted(true, |_| None), Style::Coloured);
        assert_eq!(wanted(true, set("NO_COLOR", "")), Style::Coloured);
        assert_eq!(wanted(true, set("NO_COLOR", "1")), Style::Plain);
        assert_eq!(wanted(true, set("TERM", "dumb")), Style::Plain);
        assert_eq!(wanted(true, set("CLICOLOR", "0")), Style::Plain);
        assert_eq!(wanted(false, |_| None), Style::Plain);
        assert_eq!(wanted(false, set("CLICOLOR_FORCE", "1")), Style::Coloured);
        assert_eq!(wanted(false, set("CLICOLOR_FORCE", "0")), Style::Plain);
    }
}

//! Files of properties as competitions write them: `CHECK( init(main()), LTL(G ! call(reach_error())) )`, one a line (Beyer, *Software
//! verification and witness validation: SV-COMP 2023*, TACAS 2023).

use std::ops::Range;

use spds_format::Diagnostic;

use super::Failures;

/// A property of a C program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// `G ! call(reach_error())`, `G ! overflow`: no failure of that kind.
    NoFailure(Failures),
    /// `F end`
    Termination,
    /// Another formula, where it stands in the text.
    Formula(String, Range<usize>),
}

/// A property as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specified {
    /// The procedure in which runs begin.
    pub entry: String,
    /// What is wanted.
    pub wanted: Wanted,
    /// The formula as it was written.
    pub text: String,
    /// The procedure whose calls are the errors, if they are not those of `reach_error`.
    pub called: Option<String>,
}

/// What competitions ask about memory and threads, which is not decided here.
const OTHERS: [&str; 5] = ["valid-free", "valid-deref", "valid-memtrack", "valid-memcleanup", "data-race"];

/// Reads a file of properties. Linear.
///
/// # Errors
/// The lines that are no properties, or are about what is not decided here.
pub fn read(text: &str) -> Result<Vec<Specified>, Vec<Diagnostic>> {
    let (mut all, mut wrong, mut begin) = (Vec::new(), Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let at = begin + (line.len() - line.trim_start().len());
        if !trimmed.is_empty() && !trimmed.starts_with("//") {
            match one(trimmed, at) {
                Ok(specified) => all.push(specified),
                Err(complaint) => wrong.push(*complaint),
            }
        }
        begin += line.len();
    }
    if all.is_empty() && wrong.is_empty() {
        let message = "there is no property here: `CHECK( init(main()), LTL(G ! call(reach_error())) )` is one";
        wrong.push(Diagnostic::error(message, 0..text.len().min(1)));
    }
    if wrong.is_empty() { Ok(all) } else { Err(wrong) }
}

/// What stands between a beginning and an end, and where it begins.
fn between<'t>(text: &'t str, at: usize, open: &str, close: &str) -> Option<(&'t str, usize)> {
    let rest = text.trim_start();
    let at = at + (text.len() - rest.len());
    let rest = rest.strip_prefix(open)?.trim_end().strip_suffix(close)?;
    Some((rest, at + open.len()))
}

fn one(line: &str, at: usize) -> Result<Specified, Box<Diagnostic>> {
    let whole = || {
        let message = "expected `CHECK( init(PROCEDURE()), LTL(FORMULA) )`";
        Box::new(Diagnostic::error(message, at..at + line.len()))
    };
    let (inside, begin) = between(line, at, "CHECK(", ")").ok_or_else(whole)?;
    let (init, rest) = inside.split_once(',').ok_or_else(whole)?;
    let (entry, _) = between(init, begin, "init(", "())").ok_or_else(whole)?;
    let (formula, from) = between(rest, begin + init.len() + 1, "LTL(", ")").ok_or_else(whole)?;
    let text = formula.trim();
    let from = from + (formula.len() - formula.trim_start().len());
    let span = from..from + text.len();
    if let Some(other) = OTHERS.iter().find(|other| text.contains(**other)) {
        return Err(Box::new(Diagnostic::error(format!("`{other}` is not decided here"), span)));
    }
    let dense: String = text.split_whitespace().collect();
    let called = dense.strip_prefix("G!call(").and_then(|rest| rest.strip_suffix("())")).filter(|name| is_name(name));
    let mut other = None;
    let wanted = match &*dense {
        "G!call(reach_error())" | "G!call(__VERIFIER_error())" => Wanted::NoFailure(Failures::Errors),
        "G!overflow" => Wanted::NoFailure(Failures::Overflows),
        "Fend" => Wanted::Termination,
        _ if let Some(name) = called => {
            other = Some(name.to_owned());
            Wanted::NoFailure(Failures::Errors)
        }
        _ if dense.contains("call(") && !dense.contains("@call(") => {
            let message = "of calls it is asked as `G ! call(f())`; in other formulas it is `@call(f)`";
            return Err(Box::new(Diagnostic::error(message, span)));
        }
        _ => Wanted::Formula(text.to_owned(), span),
    };
    Ok(Specified { entry: entry.trim().to_owned(), wanted, text: text.to_owned(), called: other })
}

/// Whether a text is a name of C.
fn is_name(text: &str) -> bool {
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    text.bytes().all(in_name) && !text.starts_with(|c: char| c.is_ascii_digit()) && !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_of_competitions_are_read() {
        let of =
            |formula: &str| read(&format!("CHECK( init(main()), LTL({formula}) )\n")).map(|all| all[0].wanted.clone());
        assert_eq!(of("G ! call(reach_error())"), Ok(Wanted::NoFailure(Failures::Errors)));
        assert_eq!(of("G ! overflow"), Ok(Wanted::NoFailure(Failures::Overflows)));
        assert_eq!(of("F end"), Ok(Wanted::Termination));
        assert!(matches!(of("G F {x > 0}"), Ok(Wanted::Formula(text, _)) if text == "G F {x > 0}"));
        assert!(of("G valid-free").is_err() && of("G F call(f())").is_err());
        let other = read("CHECK( init(main()), LTL(G ! call(abort())) )").map(|all| all[0].called.clone());
        assert_eq!(other, Ok(Some("abort".to_owned())));
    }

    #[test]
    fn complaints_stand_where_the_formula_does() {
        let text = "CHECK( init(main()), LTL(G valid-free) )";
        let wrong = read(text).expect_err("it is about memory");
        assert_eq!(&text[wrong[0].span.clone().expect("it has a place")], "G valid-free");
        assert!(read("").is_err() && read("G ! overflow").is_err());
    }
}

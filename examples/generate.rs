//! Writes a program of a family to standard output: `cargo run --release --example generate -- template 5000 > t5000.bp`,
//! or a quicksort: `… -- quicksort-termination 16 faulty > faulty.rem`, `… -- quicksort-sorting 3 4 3 > sorting.rem`.
//!
//! Without arguments it lists the families, their sizes, and what is known of each.

#[path = "../benches/families/mod.rs"]
mod families;

use std::io::Write as _;
use std::process::ExitCode;

use families::quicksort::{Pivot, Version, sorting, termination, termination_in_bits};
use families::{FAMILIES, Family};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let answer = match arguments.split_first() {
        None => Ok(list()),
        Some((name, sizes)) => program(name, sizes),
    };
    match answer {
        Ok(text) => match std::io::stdout().write_all(text.as_bytes()) {
            // A reader that has seen enough closes the pipe.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => complain(&error.to_string()),
            _ => ExitCode::SUCCESS,
        },
        Err(message) => complain(&message),
    }
}

fn complain(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::from(2)
}

/// The text of a program, or why there is none.
fn program(name: &str, sizes: &[String]) -> Result<String, String> {
    if let Some(property) = name.strip_prefix("quicksort-") {
        return quicksort(property, sizes);
    }
    let family = find(name)?;
    let numbers = numbers(sizes)?;
    family.program(&numbers).map_err(|error| format!("{name}: {error}"))
}

fn numbers(sizes: &[String]) -> Result<Vec<u64>, String> {
    sizes.iter().map(|size| size.replace('_', "").parse().map_err(|_| format!("`{size}` is not a number"))).collect()
}

/// Benches B and C: numbers first, then words.
fn quicksort(property: &str, arguments: &[String]) -> Result<String, String> {
    let is_word = |argument: &String| argument.starts_with(|c: char| c.is_ascii_alphabetic());
    let (words, sizes): (Vec<String>, Vec<String>) = arguments.iter().cloned().partition(is_word);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let sizes = numbers(&sizes)?;
    if sizes.iter().any(|size| !(1..=64).contains(size)) {
        return Err("sizes of quicksorts are between 1 and 64".to_owned());
    }
    match (property, &sizes[..], &words[..]) {
        ("termination", &[bits], []) => Ok(termination(bits, Version::Corrected)),
        ("termination", &[bits], ["faulty"]) => Ok(termination(bits, Version::Faulty)),
        ("termination", &[bits], ["bits"]) => Ok(termination_in_bits(bits, Version::Corrected)),
        ("termination", &[bits], ["faulty", "bits"]) => Ok(termination_in_bits(bits, Version::Faulty)),
        ("sorting", &[bits, elements, value_bits], []) => Ok(sorting(bits, elements, value_bits, Pivot::Last)),
        ("sorting", &[bits, elements, value_bits], ["random-pivot"]) => {
            Ok(sorting(bits, elements, value_bits, Pivot::Random))
        }
        _ => Err(format!("wanted is one of\n{QUICKSORTS}")),
    }
}

/// What can be asked for beside the families.
const QUICKSORTS: &str = "\
  quicksort-termination BITS [faulty] [bits]
                                      [B] quicksort without its array, in Remopla, or as a Boolean program
  quicksort-sorting BITS M VALUE_BITS [random-pivot]
                                      [C] quicksort with an array of M elements, in Remopla
";

fn find(name: &str) -> Result<&'static Family, String> {
    let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
    FAMILIES
        .iter()
        .find(|family| family.name == name)
        .ok_or_else(|| format!("no family is called `{name}`; there are {}", names.join(", ")))
}

/// What there is.
fn list() -> String {
    let mut text = "usage: generate FAMILY SIZE...\n\n".to_owned();
    for family in FAMILIES {
        let call = format!("{} {}", family.name, family.sizes.join(" "));
        text.push_str(&format!("  {call:<36}[{}] {}\n", family.class, family.about));
    }
    text + QUICKSORTS
}

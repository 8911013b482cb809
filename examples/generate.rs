//! Writes a program of a family to standard output: `cargo run --release --example generate -- template 5000 > t5000.bp`.
//!
//! Without arguments it lists the families, their sizes, and what is known of each.

#[path = "../benches/families/mod.rs"]
mod families;

use std::io::Write as _;
use std::process::ExitCode;

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
    let family = find(name)?;
    let mut numbers = Vec::new();
    for size in sizes {
        numbers.push(size.replace('_', "").parse().map_err(|_| format!("`{size}` is not a number"))?);
    }
    family.program(&numbers).map_err(|error| format!("{name}: {error}"))
}

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
        text.push_str(&format!("  {call:<32}[{}] {}\n", family.class, family.about));
    }
    text
}

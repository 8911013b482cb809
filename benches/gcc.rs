//! What is said of gcc's own execution tests, as CSV, and how many answers are right, wrong and unknown. `README.md` beside this file
//! explains the columns.
//!
//! Reads the tests where `PUCH_GCC_TESTS` says that they lie (the folder `gcc.c-torture/execute`), and says so where that is not set. Each
//! question gets `PUCH_SECONDS` (10). Other arguments choose tests by parts of their names, `abort` and `end` one of the two questions.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

#[path = "../tests/support/gcc_tests.rs"]
mod gcc_tests;

use gcc_tests::{Asked, abort_property, all};

fn main() -> ExitCode {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("note: gcc's tests are asked about under `cargo bench`");
        return ExitCode::SUCCESS;
    }
    let Some(tests) = all() else { return ExitCode::SUCCESS };
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let only: Vec<&str> = words.iter().map(String::as_str).filter(|word| ["abort", "end"].contains(word)).collect();
    let names: Vec<&str> = words.iter().map(String::as_str).filter(|word| !["abort", "end"].contains(word)).collect();
    let seconds = std::env::var("PUCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    let property = abort_property();
    let mut count: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    println!("test,question,answer,seconds,told");
    for test in tests.iter().filter(|test| names.iter().all(|name| test.name().contains(name))) {
        if !test.ends_well() {
            continue;
        }
        for (name, question) in [("abort", Asked::Abort), ("end", Asked::End)] {
            if !only.is_empty() && !only.contains(&name) {
                continue;
            }
            let answer = test.ask(Path::new(env!("CARGO_BIN_EXE_puch")), question, &property, seconds);
            let said = match answer.code {
                code if question.is_wrong(code) => "wrong",
                Some(2) => "refused",
                Some(3) => "unknown",
                _ => "right",
            };
            *count.entry((name, said)).or_default() += 1;
            let told = answer.told.replace('"', "'");
            println!("{},{name},{said},{:.2},\"{told}\"", test.name(), answer.seconds);
        }
    }
    let _ = std::fs::remove_file(&property);
    for ((name, said), count) in &count {
        println!("# {name}: {count} {said}");
    }
    if count.keys().any(|(_, said)| *said == "wrong") { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

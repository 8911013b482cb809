//! C programs: what is read of the programs of others and how fast, and the time of c2bp by the number of predicates, as CSV. `README.md`
//! beside this file explains the columns.
//!
//! Under `cargo bench` everything; otherwise (`cargo test --bench c2bp`) little, to see that nothing takes long.

mod measured;

#[path = "../tests/support/c_expressions.rs"]
mod c_expressions;
#[path = "../tests/support/c_programs.rs"]
mod c_programs;

#[path = "../tests/support/shared.rs"]
#[allow(dead_code, reason = "others read the table of another corpus")]
mod shared;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use measured::{Clock, peak_kb};
use puch::abstraction::{Method, Tuning, abstracted, predicate};
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::c::{self, Options, Unit};

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    println!("what,programs,read,bytes,seconds,mb_per_second,peak_mb");
    if full && let Some(corpus) = shared::folder("c-corpus") {
        corpus_by_tier(&corpus);
    }
    generated(if full { 400 } else { 4 });
    println!("what,method,predicates,statements,seconds,lines");
    for predicates in if full { vec![2, 4, 6, 8, 10, 15, 20, 40, 80] } else { vec![2] } {
        for (name, method) in [("auto", Method::Auto), ("cartesian", Method::Cartesian)] {
            abstraction("pairs", name, method, predicates, &pairs(predicates));
            if predicates <= 20 {
                abstraction("together", name, method, predicates, &together(predicates));
            }
        }
    }
}

/// What was read of some programs, and what that took.
#[derive(Default)]
struct Read {
    programs: usize,
    read: usize,
    bytes: usize,
    time: Duration,
}

impl Read {
    /// Reads one program. What is wrong with it, if it is refused.
    fn program(&mut self, unit: &Unit<'_>, model: DataModel) -> Result<(), String> {
        self.programs += 1;
        self.bytes += unit.preprocessed.unwrap_or(unit.text).len();
        let clock = Clock::start();
        let read = c::read(std::slice::from_ref(unit), &Options { model, ..Options::default() });
        self.time += clock.elapsed();
        match read {
            Ok(_) => self.read += 1,
            Err(complaints) => return Err(complaints[0].1.to_string()),
        }
        Ok(())
    }

    fn line(&self, what: &str) {
        let (seconds, megabytes) = (self.time.as_secs_f64(), self.bytes as f64 / 1e6);
        let peak = peak_kb().map_or_else(String::new, |peak| format!("{:.1}", peak / 1024.0));
        let (programs, read, bytes) = (self.programs, self.read, self.bytes);
        println!("{what},{programs},{read},{bytes},{seconds:.3},{:.2},{peak}", megabytes / seconds);
    }
}

/// Random programs of the tests as one text.
fn generated(programs: u64) {
    let mut text: String = (0..programs).map(|seed| c_programs::program(seed, &format!("t{seed}_"))).collect();
    text += "int main(void) { return 0; }\n";
    let mut read = Read::default();
    let unit = Unit { name: "generated.c", text: &text, preprocessed: None };
    if let Err(why) = read.program(&unit, DataModel::LP64) {
        eprintln!("generated: {why}");
    }
    read.line("generated");
}

/// The programs of others, tier by tier; those that are refused on standard error, and those that the preprocessor refuses.
fn corpus_by_tier(corpus: &Path) {
    let table = std::fs::read_to_string(corpus.join("INDEX.tsv")).expect("the corpus has a table");
    let rows = table.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    let files: BTreeMap<&str, (&str, &str)> = rows.map(|row| (row[0], (row[5], row[4]))).collect();
    let mut tiers: BTreeMap<&str, Read> = BTreeMap::new();
    for (name, (tier, model)) in files {
        let path = corpus.join(name);
        let text = std::fs::read_to_string(&path).expect("the table names files");
        let preprocessed = match c::needs_preprocessor(&text).then(|| preprocessed(&path)) {
            Some(Err(why)) => {
                eprintln!("tier {tier}: {name}: not preprocessed: {why}");
                continue;
            }
            Some(Ok(text)) => Some(text),
            None => None,
        };
        let unit = Unit { name, text: &text, preprocessed: preprocessed.as_deref() };
        let model = if model == "ILP32" { DataModel::ILP32 } else { DataModel::LP64 };
        if let Err(why) = tiers.entry(tier).or_default().program(&unit, model) {
            eprintln!("tier {tier}: {name}: {why}");
        }
    }
    for (tier, read) in tiers {
        read.line(&format!("tier {tier}"));
    }
}

fn preprocessed(path: &Path) -> Result<String, String> {
    let output = Command::new("cc").arg("-E").arg(path).output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    Err(text(&output.stderr).lines().next().unwrap_or_default().to_owned())
}

/// c2bp over the conditions of a program.
fn abstraction(what: &str, name: &str, method: Method, predicates: usize, text: &str) {
    let unit = Unit { name: "p.c", text, preprocessed: None };
    let program = c::read(&[unit], &Options::default()).expect("what the bench writes can be read").program;
    let over = predicate::guards(&program);
    assert_eq!(over.len(), predicates, "{text}");
    let statements: usize = program.procedures.iter().flat_map(|procedure| &procedure.body).map(Vec::len).sum();
    let tuning = Tuning { method, ..Tuning::default() };
    let clock = Clock::start();
    let made = abstracted(&program, &over, Overflow::Wrap, &tuning).text();
    let seconds = clock.elapsed().as_secs_f64();
    println!("{what},{name},{predicates},{statements},{seconds:.3},{}", made.lines().count());
}

/// Two conditions about each variable: cones are small, however many there are.
fn pairs(predicates: usize) -> String {
    let turn = |at: usize| {
        format!(
            "int x{at};\nvoid f{at}(int y) {{ x{at} = x{at} + 3; if (x{at} > 7) {{ x{at} = x{at} - y; }} if (x{at} == 2) {{ x{at} = 9; }} }}\n"
        )
    };
    let procedures: String = (0..predicates / 2).map(turn).collect();
    let odd = if predicates % 2 == 1 { "int z; void g(void) { z = z + 1; if (z < 4) { z = 0; } }\n" } else { "" };
    let calls: String = (0..predicates / 2).map(|at| format!("  f{at}(1);\n")).collect();
    format!("{procedures}{odd}int main(void) {{\n{calls}  return 0;\n}}\n")
}

/// All conditions are about four variables that are assigned to each other: one cone.
fn together(predicates: usize) -> String {
    let condition =
        |at: usize| format!("  if (x{} < x{} + {at}) {{ x{} = x{} + 1; }}\n", at % 4, (at + 1) % 4, at % 4, at % 4);
    let conditions: String = (0..predicates).map(condition).collect();
    format!("int x0, x1, x2, x3;\nint main(void) {{\n{conditions}  return 0;\n}}\n")
}

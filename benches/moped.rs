//! Every row that Moped 1.0.15 has been measured on, beside its figures, and what bounds the time of each family, as CSV. `README.md` beside this file explains the columns.
//!
//! Under `cargo bench` all rows; otherwise (`cargo test --bench moped`) those that take no time. A wrong verdict fails.

mod families;
mod measured;

use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use families::quicksort::{Pivot, Version, sorting, termination};
use families::{FAMILIES, Notation, scans, shifts};
use measured::{Clock, peak_kb};
use puch::check::{Property, Target, check};
use puch::options::{Options, TraceWish};
use puch::{boolprog, pdaaal, remopla};
use spds_format::Spds;
use spds_format::model::SymbolId;

/// The first argument of a process that measures one row and reports.
const CHILD: &str = "--measure";

const COLUMNS: &str = "row,bound by,verdict,moped_s,seconds,times,moped_mb,mb,levels,heads,rounds,peak_nodes";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.first() {
        Some(first) if first == CHILD => measure(&arguments[1..]),
        _ => all(&arguments),
    };
    measured::ended(done)
}

/// What is asked.
enum Asked {
    /// Whether `R` is reached.
    Reach,
    /// Whether every run ends.
    Termination,
    /// A formula.
    Formula(&'static str),
}

/// One program and its question.
struct Row {
    name: String,
    /// What its time grows with.
    bound: &'static str,
    expected: &'static str,
    /// Seconds and megabytes of Moped 1.0.15 on an idle processor of 2026, as far as they are known.
    moped: (Option<f64>, Option<f64>),
    ending: &'static str,
    asked: Asked,
    text: Box<dyn Fn() -> Result<String, String>>,
}

impl Row {
    /// A row of a family that has a known answer about `R`.
    fn of(family: &str, sizes: &[u64], bound: &'static str) -> Row {
        let family = FAMILIES.iter().find(|own| own.name == family).expect("it is one of them");
        let own = sizes.to_vec();
        Row {
            name: format!("{} {}", family.name, spelled(sizes)),
            bound,
            expected: (family.expected)(sizes).word(),
            moped: (None, None),
            ending: if family.notation == Notation::Pdaaal { "json" } else { "bp" },
            asked: Asked::Reach,
            text: Box::new(move || family.program(&own).map_err(|error| error.to_string())),
        }
    }

    /// A row in Remopla.
    fn remopla(name: String, bound: &'static str, expected: &'static str, asked: Asked, text: String) -> Row {
        Row {
            name,
            bound,
            expected,
            moped: (None, None),
            ending: "rem",
            asked,
            text: Box::new(move || Ok(text.clone())),
        }
    }

    /// What Moped took.
    fn moped(mut self, seconds: f64, megabytes: impl Into<Option<f64>>) -> Row {
        self.moped = (Some(seconds), megabytes.into());
        self
    }
}

fn spelled(sizes: &[u64]) -> String {
    sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

/// All rows, the quick ones first.
fn rows() -> Vec<Row> {
    let (procedures, relations) = ("procedures: as many turns of the work list", "nodes of relations");
    let b = |n: u64, version, moped: Option<f64>| {
        let (word, expected) = match version {
            Version::Corrected => ("corrected", "holds"),
            Version::Faulty => ("faulty", "violated"),
        };
        let name = format!("B {n} {word}");
        let row = Row::remopla(
            name,
            "levels: squarings of relations of full size",
            expected,
            Asked::Termination,
            termination(n, version),
        );
        Row { moped: (moped, None), ..row }
    };
    let c = |[n, m, v]: [u64; 3]| {
        let text = sorting(n, m, v, Pivot::Last);
        Row::remopla(format!("C {}", spelled(&[n, m, v])), relations, "holds", Asked::Formula("F done"), text)
    };
    let scan = |name: &str, count, bits| {
        let (_, write) = scans::SCANS.iter().find(|(own, _)| *own == name).expect("it is one of them");
        let text = write(scans::Cells { count, bits }, scans::Scan::Sound);
        Row::remopla(
            format!("{name} {count} {bits}"),
            "cells times the values of one",
            "unreachable",
            Asked::Reach,
            text,
        )
    };
    let lfsr = |bits: u64| {
        let text = shifts::register(bits);
        let mut row =
            Row::remopla(format!("LFSR {bits}"), "states in a row: they are squared", "reachable", Asked::Reach, text);
        row.ending = "bp";
        row
    };
    vec![
        Row::of("template", &[800], procedures).moped(0.04, 23.0),
        Row::of("template", &[5_000], procedures).moped(0.33, 86.0),
        Row::of("template", &[100_000], procedures),
        Row::of("template", &[1_000_000], procedures),
        Row::of("mixing", &[3_000], procedures),
        Row::of("counting", &[14], "bits of the counter: recursion is squared"),
        Row::of("twice", &[8], "bits of the argument: recursion is guessed"),
        Row::of("explicit", &[300_000, 1_000, 500, 1], "rules: reading"),
        Row::of("explicit", &[10_000_000, 30_000, 5_000, 1], "rules: reading"),
        b(5, Version::Faulty, Some(0.03)),
        b(5, Version::Corrected, Some(0.17)),
        b(6, Version::Faulty, Some(0.22)),
        b(6, Version::Corrected, Some(4.1)),
        b(7, Version::Faulty, Some(2.7)),
        b(7, Version::Corrected, Some(126.0)),
        b(8, Version::Faulty, Some(40.0)),
        b(8, Version::Corrected, None),
        b(16, Version::Corrected, None),
        b(32, Version::Corrected, None),
        b(64, Version::Corrected, None),
        c([3, 4, 3]).moped(0.05, 18.0),
        c([3, 5, 3]).moped(0.28, 48.0),
        c([3, 6, 3]).moped(2.8, 64.0),
        c([3, 7, 3]).moped(11.4, 135.0),
        c([4, 10, 2]).moped(10.9, 142.0),
        c([4, 6, 4]),
        scan("maximum", 32, 3),
        scan("bubble", 32, 3),
        lfsr(8),
        lfsr(12),
        lfsr(16),
        Row::remopla("product 8".into(), relations, "reachable", Asked::Reach, product(8)),
        Row::remopla("product 9".into(), relations, "reachable", Asked::Reach, product(9)).moped(3.7, None),
    ]
}

/// Two arbitrary numbers of so many bits, and their product, which is 6 for 2 and 3.
fn product(bits: u64) -> String {
    format!(
        "define DEFAULT_INT_BITS {bits}\n\nint a; int b; int c;\n\ninit main;\n\nmodule void main() {{\n  c = a * b;\n\
         \x20 if\n  :: c == 6 && a == 2 -> R: skip;\n  :: else -> skip;\n  fi\n}}\n"
    )
}

fn all(arguments: &[String]) -> Result<(), String> {
    let (mut full, mut timeout, mut only) = (false, Duration::from_secs(120), Vec::new());
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => full = true,
            "--timeout" => {
                let seconds = arguments.next().and_then(|seconds| seconds.parse().ok());
                timeout = Duration::from_secs(seconds.ok_or("--timeout wants seconds")?);
            }
            name => only.push(name.to_owned()),
        }
    }
    println!("{COLUMNS}");
    for (number, row) in rows().iter().enumerate() {
        let small = ["B 5", "C 3 4", "LFSR 8", "template 800"].iter().any(|name| row.name.starts_with(name));
        let wanted = only.is_empty() || only.iter().any(|name| row.name.starts_with(name.as_str()));
        if wanted && (full || small) {
            one(number, row, timeout)?;
        }
    }
    Ok(())
}

/// Measures one row in a process of its own and prints its line.
fn one(number: usize, row: &Row, timeout: Duration) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let mut command = Command::new(program);
    command.args([CHILD, &number.to_string()]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| format!("{}: {error}", row.name))?;
    let output = measured::within(child, timeout).map_err(|error| format!("{}: {error}", row.name))?;
    let known = |figure: Option<f64>| figure.map_or(String::new(), |figure| figure.to_string());
    let (seconds, megabytes) = row.moped;
    let Some(output) = output else {
        println!("{},{},,{},> {},,{},,,,,", row.name, row.bound, known(seconds), timeout.as_secs(), known(megabytes));
        return Ok(());
    };
    if !output.status.success() {
        return Err(format!("{}: {}: {}", row.name, output.status, String::from_utf8_lossy(&output.stderr)));
    }
    let line = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let (verdict, rest) = line.split_once(',').unwrap_or((&line, ""));
    let (taken, rest) = rest.split_once(',').unwrap_or((rest, ""));
    let times = seconds.zip(taken.parse::<f64>().ok()).map(|(moped, own)| moped / own.max(0.001));
    let times = times.map_or(String::new(), |times| format!("{times:.1}"));
    println!("{},{},{verdict},{},{taken},{times},{},{rest}", row.name, row.bound, known(seconds), known(megabytes));
    if verdict != row.expected {
        return Err(format!("{} is {verdict}, and should be {}", row.name, row.expected));
    }
    Ok(())
}

/// Measures one row in this process: from its text to its verdict.
fn measure(arguments: &[String]) -> Result<(), String> {
    let number: usize = arguments.first().and_then(|number| number.parse().ok()).ok_or("which row?")?;
    let row = rows().into_iter().nth(number).ok_or("there is no such row")?;
    let text = (row.text)()?;
    let (begin, clock) = (Instant::now(), Clock::start());
    let (system, property) = read(&row, &text)?;
    drop(text);
    let options = Options { trace: TraceWish::None, ..Options::default() };
    let outcome = check(&system, &[property], &options).map_err(|error| error.to_string())?;
    let taken = clock.worked().unwrap_or_else(|| begin.elapsed());
    let figure = |wanted: &str| {
        let all = outcome.stats.figures.iter().filter(|(name, _)| *name == wanted).map(|&(_, figure)| figure);
        all.reduce(f64::max).map_or(String::new(), |figure| figure.to_string())
    };
    println!(
        "{},{:.3},{},{},{},{},{}",
        outcome.answers[0].verdict.name(),
        taken.as_secs_f64(),
        peak_kb().map_or(String::new(), |kb| format!("{:.1}", kb / 1024.0)),
        figure("levels"),
        figure("heads"),
        figure("rounds"),
        figure("peak nodes"),
    );
    Ok(())
}

/// The system, and what is asked of it.
fn read(row: &Row, text: &str) -> Result<(Spds, Property), String> {
    let first = |complaints: Vec<spds_format::Diagnostic>| complaints[0].message.clone();
    let system = match row.ending {
        "json" => pdaaal::read(text, &pdaaal::Options::default()).map_err(first)?.spds,
        "bp" => boolprog::read(text, "program.bp", &boolprog::Options::default()).map_err(first)?.spds,
        _ => {
            let program = remopla::read(text, "program.rem", &remopla::Options::default()).map_err(first)?;
            if let Asked::Formula(formula) = row.asked {
                let violations = measured::formula::violations(&program, formula, &Options::default().limits)?;
                return Ok((program.spds, Property::Ltl(Arc::new(violations))));
            }
            program.spds
        }
    };
    let property = match row.asked {
        Asked::Termination => Property::Termination,
        _ => {
            let is_wanted = |name: &str| name == "R";
            let symbols = (0_u32..).zip(&system.symbols);
            let found = symbols
                .filter(|(_, symbol)| is_wanted(&symbol.name) || symbol.labels.iter().any(|label| is_wanted(label)));
            Property::Reach(found.map(|(at, _)| Target { control: None, symbol: SymbolId(at) }).collect())
        }
    };
    Ok((system, property))
}

//! Verdicts about C programs of other people, as CSV, and how many are right, wrong and unknown by set. `README.md` beside this file
//! explains the columns.
//!
//! Reads `$PUCH_SHARED/c-corpus/INDEX.tsv`, and says so where it is not there. Each program gets `PUCH_SECONDS` (60) and 2 GB. Other
//! arguments are parts of paths: `cargo bench --bench c -- recursive`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

const COLUMNS: &str = "path,set,expected,verdict,result,seconds,rounds,reason";

fn main() -> ExitCode {
    let full = std::env::args().any(|argument| argument == "--bench");
    let Some(shared) = std::env::var_os("PUCH_SHARED").filter(|_| full) else {
        println!("note: the C programs are read from PUCH_SHARED, under `cargo bench`");
        return ExitCode::SUCCESS;
    };
    match run(&Path::new(&shared).join("c-corpus")) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(wrong) => {
            eprintln!("error: {wrong} verdicts are wrong");
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// A line of the index.
struct Task<'t> {
    path: &'t str,
    set: &'t str,
    expected: &'t str,
    model: &'t str,
}

#[derive(Default)]
struct Row {
    right: usize,
    wrong: usize,
    unknown: usize,
    seconds: f64,
}

/// How many verdicts are wrong.
fn run(corpus: &Path) -> Result<usize, String> {
    let index = std::fs::read_to_string(corpus.join("INDEX.tsv")).map_err(|error| error.to_string())?;
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let limit = std::env::var("PUCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60u32);
    println!("{COLUMNS}");
    let (mut sets, mut reasons) = (BTreeMap::<&str, Row>::new(), BTreeMap::<String, usize>::new());
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [path, set, "unreach-call", expected, model, ..] = columns[..] else { continue };
        let expected = if expected == "true" { "holds" } else { "violated" };
        let task = Task { path, set, expected, model };
        if wanted.is_empty() || wanted.iter().any(|part| path.contains(part.as_str())) {
            let (result, reason, seconds) = one(corpus, &task, limit)?;
            let row = sets.entry(set).or_default();
            row.seconds += seconds;
            match result {
                "right" => row.right += 1,
                "wrong" => row.wrong += 1,
                _ => row.unknown += 1,
            }
            if result == "unknown" {
                *reasons.entry(reason).or_default() += 1;
            }
        }
    }
    eprintln!("{:30} {:>6} {:>6} {:>8} {:>9}", "set", "right", "wrong", "unknown", "seconds");
    for (set, row) in &sets {
        eprintln!("{set:30} {:>6} {:>6} {:>8} {:>9.1}", row.right, row.wrong, row.unknown, row.seconds);
    }
    let mut reasons: Vec<(usize, String)> = reasons.into_iter().map(|(reason, count)| (count, reason)).collect();
    reasons.sort_unstable_by(|a, b| b.cmp(a));
    for (count, reason) in reasons {
        eprintln!("{count:>6} unknown: {reason}");
    }
    Ok(sets.values().map(|row| row.wrong).sum())
}

/// Right, wrong or unknown; why it is unknown; and the seconds it took.
fn one(corpus: &Path, task: &Task<'_>, limit: u32) -> Result<(&'static str, String, f64), String> {
    let clock = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_puch"))
        .arg("check")
        .arg(corpus.join(task.path))
        .args(["--timeout", &limit.to_string(), "--memory", "2000", "--overflow", "assume", "--format", "json", "-v"])
        .args(["--data-model", &task.model.to_lowercase()])
        .output()
        .map_err(|error| error.to_string())?;
    let seconds = clock.elapsed().as_secs_f64();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let result = &report["results"][0];
    let verdict = result["verdict"].as_str().unwrap_or("error");
    let reason = match result["reason"].as_str() {
        Some(reason) => reason.to_owned(),
        None if verdict == "error" => told.lines().last().unwrap_or_default().to_owned(),
        None => String::new(),
    };
    let found = match verdict {
        verdict if verdict == task.expected => "right",
        "holds" | "violated" => "wrong",
        _ => "unknown",
    };
    let rounds = told.lines().filter(|line| line.starts_with("round ")).count();
    let quoted = reason.replace('"', "'");
    println!("{},{},{},{verdict},{found},{seconds:.2},{rounds},\"{quoted}\"", task.path, task.set, task.expected);
    Ok((found, reason, seconds))
}

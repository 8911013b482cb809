//! Verdicts about C programs of other people, as CSV, and how many are right, wrong and unknown by property, tier and set. `README.md`
//! beside this file explains the columns.
//!
//! Reads `$PUCH_SHARED/c-corpus/INDEX.tsv`, and says so where it is not there. Each question gets `PUCH_SECONDS` (60) and 2 GB. Other
//! arguments choose questions: `cargo bench --bench c -- tier1 termination` takes those whose line of the index has all of these, as
//! its property (`ltl` is any formula), its tier, or a part of its path.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

const COLUMNS: &str = "path,property,tier,set,expected,verdict,result,seconds,rounds,reason";

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
    property: &'t str,
    expected: &'t str,
    model: &'t str,
    tier: &'t str,
    note: &'t str,
}

/// What the index does not say of these: a counter goes up until it wraps around, and then the formula holds.
const UNBOUNDED: [&str; 1] = ["cpachecker-ltl/trivial-2.c"];

impl<'t> Task<'t> {
    fn read(line: &'t str) -> Option<Task<'t>> {
        let columns: Vec<&str> = line.split('\t').collect();
        let [path, set, property, expected, model, tier, _, _, _, note] = columns[..] else { return None };
        let expected = if expected == "true" { "holds" } else { "violated" };
        Some(Task { path, set, property, expected, model, tier, note })
    }

    /// Some runs never end, or never satisfy a formula, for those alone whose integers are unbounded.
    fn is_about_machines(&self) -> bool {
        let is_said = self.note.contains("mathematical");
        !(self.expected == "violated" && (is_said || UNBOUNDED.contains(&self.path)))
    }

    /// `ltl` for a formula.
    fn kind(&self) -> &'t str {
        self.property.split(':').next().unwrap_or_default()
    }

    fn is_wanted(&self, wanted: &[String]) -> bool {
        let tier = format!("tier{}", self.tier);
        wanted.iter().all(|part| *part == tier || *part == self.kind() || self.path.contains(part.as_str()))
    }

    /// The arguments that ask the question.
    fn question(&self, no_overflow: &str) -> Result<Vec<String>, String> {
        let wraps = self.set.starts_with("2ls") || self.set.starts_with("esbmc");
        let overflow = if wraps { "wrap" } else { "assume" };
        let arguments: Vec<&str> = match self.kind() {
            "termination" => vec!["--overflow", overflow, "--termination"],
            "ltl" => vec!["--overflow", overflow, "--ltl", &self.property["ltl:".len()..]],
            "no-overflow" => vec!["--property", no_overflow],
            "unreach-call" => vec!["--overflow", overflow],
            other => return Err(format!("{}: nobody can ask {other}", self.path)),
        };
        Ok(arguments.into_iter().map(str::to_owned).collect())
    }
}

#[derive(Default)]
struct Row {
    right: usize,
    wrong: usize,
    unknown: usize,
    seconds: f64,
}

/// What is asked of signed arithmetic, as competitions ask it.
fn no_overflow() -> Result<PathBuf, String> {
    let file = std::env::temp_dir().join(format!("puch-no-overflow-{}.prp", std::process::id()));
    let written = std::fs::write(&file, "CHECK( init(main()), LTL(G ! overflow) )\n");
    written.map(|()| file).map_err(|error| error.to_string())
}

/// How many verdicts are wrong.
fn run(corpus: &Path) -> Result<usize, String> {
    let index = std::fs::read_to_string(corpus.join("INDEX.tsv")).map_err(|error| error.to_string())?;
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let limit = std::env::var("PUCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60u32);
    let file = no_overflow()?;
    let no_overflow = file.to_string_lossy();
    println!("{COLUMNS}");
    let (mut sets, mut reasons) = (BTreeMap::<[&str; 3], Row>::new(), BTreeMap::<[String; 2], usize>::new());
    let tasks = index.lines().skip(1).filter_map(Task::read);
    for task in tasks.filter(|task| task.is_about_machines() && task.is_wanted(&wanted)) {
        let (result, reason, seconds) = one(corpus, &task, &no_overflow, limit)?;
        let row = sets.entry([task.kind(), task.tier, task.set]).or_default();
        row.seconds += seconds;
        match result {
            "right" => row.right += 1,
            "wrong" => row.wrong += 1,
            _ => row.unknown += 1,
        }
        if result == "unknown" {
            *reasons.entry([task.kind().to_owned(), reason]).or_default() += 1;
        }
    }
    std::fs::remove_file(&file).map_err(|error| error.to_string())?;
    report(&sets, reasons);
    Ok(sets.values().map(|row| row.wrong).sum())
}

fn report(sets: &BTreeMap<[&str; 3], Row>, reasons: BTreeMap<[String; 2], usize>) {
    eprintln!(
        "{:14} {:4} {:30} {:>6} {:>6} {:>8} {:>9}",
        "property", "tier", "set", "right", "wrong", "unknown", "seconds"
    );
    for ([property, tier, set], Row { right, wrong, unknown, seconds }) in sets {
        eprintln!("{property:14} {tier:4} {set:30} {right:>6} {wrong:>6} {unknown:>8} {seconds:>9.1}");
    }
    let mut reasons: Vec<(usize, [String; 2])> = reasons.into_iter().map(|(reason, count)| (count, reason)).collect();
    reasons.sort_unstable_by(|a, b| b.cmp(a));
    for (count, [property, reason]) in reasons {
        eprintln!("{count:>6} unknown, {property}: {reason}");
    }
}

/// Right, wrong or unknown; why it is unknown; and the seconds it took.
fn one(corpus: &Path, task: &Task<'_>, no_overflow: &str, limit: u32) -> Result<(&'static str, String, f64), String> {
    let clock = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_puch"))
        .arg("check")
        .arg(corpus.join(task.path))
        .args(["--timeout", &limit.to_string(), "--memory", "2000", "--format", "json", "-v"])
        .args(task.question(no_overflow)?)
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
    let Task { path, property, tier, set, expected, .. } = task;
    let property = property.replace('"', "'");
    println!("{path},\"{property}\",{tier},{set},{expected},{verdict},{found},{seconds:.2},{rounds},\"{quoted}\"");
    Ok((found, reason, seconds))
}

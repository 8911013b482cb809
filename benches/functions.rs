//! What is known of the functions of real packages, each by itself, as CSV, a row for each package. `README.md` beside this file explains the
//! columns.
//!
//! Reads the packages where `PUCH_REAL_FILES` says that they lie, each in a folder of its own, and says so where that is not set. Arguments
//! choose packages by the beginnings of their names. Each file that gcc reads is asked about by a process of its own, in which a function may
//! take `PUCH_REAL_SECONDS` (2 if that is not set). Into the folder that `PUCH_REAL_ANSWERS` names, if any, all answers are written, as JSON.

mod packages;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use packages::{Ended, Package, children, ended, is_own, name, options};
use serde_json::Value;

/// Longer than this no file may take.
const SECONDS: u64 = 1_200;

/// What a function may take.
const EACH: u64 = 2;

/// Some functions.
#[derive(Default)]
struct Sum {
    files: usize,
    /// Files that are not asked about: what is wrong with each.
    refused: Vec<(PathBuf, String)>,
    functions: usize,
    /// Those with something to ask about.
    asked: usize,
    /// Those of all of whose uses it is known whether they fail, and of all obligations that they are needed.
    decided: usize,
    /// How many uses are safe, need an obligation, fail, or are unknown, by kind.
    uses: BTreeMap<String, [usize; 4]>,
    /// Why uses are unknown.
    reasons: BTreeMap<String, usize>,
    cpu: Duration,
    peak_kb: u64,
}

fn main() -> ExitCode {
    let Some(wanted) = packages::wanted() else { return ExitCode::SUCCESS };
    let each = std::env::var("PUCH_REAL_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(EACH);
    let answers = std::env::var_os("PUCH_REAL_ANSWERS").map(PathBuf::from);
    println!("package,files,functions,asked,decided,safe,obligation,fails,unknown,pointers,pointers known,cpu s,MiB");
    let mut all = Sum::default();
    for package in wanted {
        let mut sum = Sum::default();
        for file in package.files.iter().filter(|file| is_own(&package, file)) {
            let Some(options) = options(&package, file) else { continue };
            let before = children();
            match looked_at(file, &options, each) {
                Ok(ended) => sum.add(&package, file, &ended, answers.as_deref()),
                Err(reason) => sum.refused.push((file.clone(), reason)),
            }
            sum.files += 1;
            sum.cpu += children() - before;
        }
        sum.row(&name(&package.root));
        for (file, reason) in &sum.refused {
            println!("# {}: {reason}", file.strip_prefix(&package.root).unwrap_or(file).display());
        }
        all.join(sum);
    }
    all.row("all");
    let mut reasons: Vec<(&String, &usize)> = all.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons {
        println!("# unknown, {reason}: {count}");
    }
    for (kind, [safe, obligation, fails, unknown]) in &all.uses {
        println!("# {kind}: {safe} safe, {obligation} obligation, {fails} fails, {unknown} unknown");
    }
    ExitCode::SUCCESS
}

/// Asks about the functions of a file.
fn looked_at(file: &Path, options: &[String], each: u64) -> Result<Ended, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_puch"));
    command.arg("check").arg(file).args(["--functions", "--format", "json", "--quiet", "--function-timeout"]);
    command.arg(each.to_string()).arg("--cpp").arg(format!("gcc -E {}", options.join(" ")));
    ended(&mut command, Duration::from_secs(SECONDS)).ok_or_else(|| format!("{SECONDS} seconds are not enough"))
}

impl Sum {
    fn add(&mut self, package: &Package, file: &Path, ended: &Ended, answers: Option<&Path>) {
        self.peak_kb = self.peak_kb.max(ended.peak_kb);
        let Ok(answer) = serde_json::from_slice::<Value>(&ended.output.stdout) else {
            let told = String::from_utf8_lossy(&ended.output.stderr).into_owned();
            let first = told.lines().find_map(|line| line.strip_prefix("error: "));
            self.refused.push((file.to_owned(), first.unwrap_or("no answer").to_owned()));
            return;
        };
        if let Some(answers) = answers {
            let inner = file.strip_prefix(&package.root).unwrap_or(file).display().to_string().replace('/', "_");
            let path = answers.join(format!("{}_{inner}.json", name(&package.root)));
            std::fs::write(&path, &ended.output.stdout).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        for function in answer["results"].as_array().into_iter().flatten() {
            self.function(function);
        }
    }

    fn function(&mut self, function: &Value) {
        let count = |uses: &Value, class: &str| uses[class].as_u64().unwrap_or(0) as usize;
        let (mut all, mut unknown) = (0, 0);
        for (kind, uses) in function["uses"].as_object().into_iter().flatten() {
            let counts = ["safe", "obligation", "fails", "unknown"].map(|class| count(uses, class));
            all += counts.iter().sum::<usize>();
            unknown += counts[3];
            let known = self.uses.entry(kind.clone()).or_default();
            known.iter_mut().zip(counts).for_each(|(known, count)| *known += count);
        }
        self.functions += 1;
        if all == 0 && function["reason_kind"] != "unsupported" {
            return;
        }
        self.asked += 1;
        let each = function["obligations"].as_array().into_iter().flatten();
        let shown = each.into_iter().all(|one| one["shown"] == true);
        if unknown == 0 && function["reason_kind"] != "unsupported" && shown {
            self.decided += 1;
        }
        let reason = |one: &Value| one["reason_kind"].as_str().unwrap_or("?").to_owned();
        for finding in function["findings"].as_array().into_iter().flatten() {
            if finding["verdict"] == "unknown" {
                *self.reasons.entry(reason(finding)).or_default() += 1;
            }
        }
        if function["reason_kind"] == "unsupported" {
            *self.reasons.entry("unsupported (functions)".to_owned()).or_default() += 1;
        }
    }

    fn join(&mut self, other: Sum) {
        self.files += other.files;
        self.refused.extend(other.refused);
        self.functions += other.functions;
        self.asked += other.asked;
        self.decided += other.decided;
        for (kind, counts) in other.uses {
            let known = self.uses.entry(kind).or_default();
            known.iter_mut().zip(counts).for_each(|(known, count)| *known += count);
        }
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self.cpu += other.cpu;
        self.peak_kb = self.peak_kb.max(other.peak_kb);
    }

    fn row(&self, name: &str) {
        let mut sums = [0; 4];
        for counts in self.uses.values() {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        let pointers = self.uses.get("null").copied().unwrap_or_default();
        let (all, known) = (pointers.iter().sum::<usize>(), pointers[..3].iter().sum::<usize>());
        let share = |part: usize, all: usize| if all == 0 { 100.0 } else { 100.0 * part as f64 / all as f64 };
        println!(
            "{name},{},{},{},{} ({:.0} %),{},{},{},{},{all},{known} ({:.0} %),{:.0},{}",
            self.files,
            self.functions,
            self.asked,
            self.decided,
            share(self.decided, self.asked),
            sums[0],
            sums[1],
            sums[2],
            sums[3],
            share(known, all),
            self.cpu.as_secs_f64(),
            self.peak_kb / 1_024
        );
    }
}

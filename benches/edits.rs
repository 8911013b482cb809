//! How much of a package is looked at again after one function was edited, where `--cache` has kept the rest, as CSV, a row for each package.
//! `README.md` beside this file explains the columns.
//!
//! Reads the packages where `PUCH_REAL_FILES` says that they lie, each in a folder of its own, and says so where that is not set. Arguments
//! choose packages by the beginnings of their names. Each file is asked about in a copy, elsewhere, by a process of its own, in which a function
//! may take two seconds; then once more as it is, and once with a statement more at the beginning of one of its functions, for as many of
//! these as `PUCH_REAL_EDITS` says (3 if that is not set). What the second run over the whole package takes is added up.

mod packages;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use packages::{Package, children, ended, is_own, name, options};

/// Longer than this no file may take.
const SECONDS: u64 = 1_200;

/// What each function begins with that is edited.
const EDIT: &str = "\nint puch_edited = 1; if (puch_edited != 1) puch_edited = 2;\n";

/// What a file takes.
struct Taken {
    first: f64,
    again: f64,
    edited: Vec<f64>,
}

fn main() -> ExitCode {
    let Some(wanted) = packages::wanted() else { return ExitCode::SUCCESS };
    let edits = std::env::var("PUCH_REAL_EDITS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let folder = std::env::temp_dir().join(format!("edits-{}", std::process::id()));
    println!("package,files,cpu s,unchanged,edits,mean,median,most,at most 5 %");
    let mut all = Vec::new();
    for package in wanted {
        let files: Vec<Taken> = package
            .files
            .iter()
            .filter(|file| is_own(&package, file))
            .filter_map(|file| taken(&folder, file, &options(&package, file)?, edits))
            .collect();
        all.extend(row(&package, &files));
    }
    told("all", (0, 0.0, 0.0), all);
    // Nothing is left of what was only for this.
    let _ = fs::remove_dir_all(&folder);
    ExitCode::SUCCESS
}

/// A row; what the second run takes after each edit, of the first.
fn row(package: &Package, files: &[Taken]) -> Vec<f64> {
    let first: f64 = files.iter().map(|file| file.first).sum();
    let again: f64 = files.iter().map(|file| file.again).sum();
    let edits = files.iter().flat_map(|file| file.edited.iter().map(move |edited| again - file.again + edited));
    let edits: Vec<f64> = edits.map(|taken| taken / first).collect();
    told(&name(&package.root), (files.len(), first, again), edits.clone());
    edits
}

fn told(name: &str, (files, first, again): (usize, f64, f64), mut edits: Vec<f64>) {
    edits.sort_by(f64::total_cmp);
    let percent = |part: f64| format!("{:.1} %", 100.0 * part);
    let few = edits.iter().filter(|edit| **edit <= 0.05).count();
    let count = edits.len().max(1);
    let (mean, most) = (edits.iter().sum::<f64>() / count as f64, edits.last().copied().unwrap_or_default());
    let median = edits.get(edits.len() / 2).copied().unwrap_or_default();
    let again = if first > 0.0 { percent(again / first) } else { String::new() };
    println!(
        "{name},{files},{first:.1},{again},{},{},{},{},{few}",
        edits.len(),
        percent(mean),
        percent(median),
        percent(most)
    );
}

/// What a file takes, if puch reads it.
fn taken(folder: &Path, file: &Path, options: &[String], edits: usize) -> Option<Taken> {
    let text = String::from_utf8(fs::read(file).ok()?).ok()?;
    let (copy, kept) = (folder.join(name(file)), folder.join("kept"));
    let asked = |text: &str| looked_at((file, &copy, &kept), text, options);
    fs::create_dir_all(folder).expect("there is a place for what is temporary");
    let _ = fs::remove_dir_all(&kept);
    let first = asked(&text)?;
    let again = asked(&text)?;
    let before = listed(&kept);
    let at = bodies(&text);
    let count = edits.min(at.len());
    let edited = (0..count).filter_map(|number| {
        let (before_it, after) = text.split_at(at[number * at.len() / count]);
        let took = asked(&format!("{before_it}{EDIT}{after}"));
        // The next one finds what the first run has left.
        listed(&kept)
            .into_iter()
            .filter(|entry| !before.contains(entry))
            .for_each(|entry| drop(fs::remove_file(entry)));
        took
    });
    Some(Taken { first, again, edited: edited.collect() })
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).map_or_else(|_| Vec::new(), |all| all.flatten().map(|entry| entry.path()).collect())
}

/// How long processors work for a text that is in the place of a file; none if it is not read.
fn looked_at((file, copy, kept): (&Path, &Path, &Path), text: &str, options: &[String]) -> Option<f64> {
    fs::write(copy, text).expect("there is room for what is temporary");
    let beside = file.parent().unwrap_or(Path::new(".")).display();
    let before = children();
    let mut command = Command::new(env!("CARGO_BIN_EXE_puch"));
    command.arg("check").arg(copy).args(["--functions", "--quiet", "-j", "1", "--function-timeout", "2"]);
    command.arg("--cache").arg(kept).arg("--cache-stopped");
    command.arg("--cpp").arg(format!("gcc -E -iquote {beside} {}", options.join(" ")));
    let ended = ended(&mut command, Duration::from_secs(SECONDS))?;
    let is_read = ended.output.status.code().is_some_and(|code| code != 2);
    is_read.then(|| (children() - before).as_secs_f64())
}

/// Where the bodies of functions begin: after brackets that open at the beginning of a line, or at the end of one that begins with a name.
fn bodies(text: &str) -> Vec<usize> {
    let (mut all, mut at, mut before) = (Vec::new(), 0, "");
    let is_other = |line: &str| {
        let words = ["struct", "union", "enum", "typedef", "extern", "#", "static const"];
        line.trim_end().ends_with('=') || !line.contains(')') && words.iter().any(|word| line.starts_with(word))
    };
    for line in text.split_inclusive('\n') {
        at += line.len();
        let own = line.trim_end();
        let is_first = own == "{" && !is_other(before) && !before.trim().is_empty();
        let is_last = own.ends_with('{') && own.contains(')') && !own.contains(['=', ';', '"']);
        if is_first || is_last && own.starts_with(|one: char| one.is_ascii_alphabetic()) && !is_other(own) {
            all.push(at);
        }
        if !own.is_empty() {
            before = own;
        }
    }
    all
}

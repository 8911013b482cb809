//! Which files of real packages are read, as CSV, a row for each package. `README.md` beside this file explains the columns.
//!
//! Reads the packages where `PUCH_REAL_FILES` says that they lie, each in a folder of its own, and says so where that is not set. Arguments
//! choose packages by the beginnings of their names.
//!
//! A file counts if `gcc -fsyntax-only` reads it; how is found out ([`options`]). It is refused if `puch` finds something to complain about
//! in any of its procedures, whoever calls them: the command is asked for an entry that no file has, so that it reads all procedures, and
//! "no procedure of this name is defined", which it says only where there is nothing else, is what a file that is read comes to. Whatever
//! takes longer than [`SECONDS`] or ends in any other way is refused, too.
//!
//! Some calls (`longjmp`, `pthread_create`) are refused where an entry reaches them, and only there. Files that have such calls are counted
//! by themselves: they are read, and not each of their procedures can be an entry.

mod packages;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use packages::{Package, ended, name, options};

/// Longer than this no file may take.
const SECONDS: u64 = 20;

/// A name that no procedure has.
const NOWHERE: &str = "no entry";

/// What ends a warning about what is refused where an entry reaches it.
const REACHED: &str = ": an entry that reaches this is refused";

/// What is said of a file.
enum Said {
    /// gcc does not read it.
    Foreign,
    /// It is read.
    Read,
    /// It is, and entries that reach some of it are refused, first of all for this reason.
    Partly(String),
    /// It is not, for this reason.
    Refused(String),
}

fn main() -> ExitCode {
    let Some(wanted) = packages::wanted() else { return ExitCode::SUCCESS };
    let (mut all, mut refused) = (0, 0);
    println!("package,files,read by gcc,refused,partly");
    for package in wanted {
        let said = ask(&package);
        let read = said.iter().filter(|said| !matches!(said, Said::Foreign)).count();
        let not_read = said.iter().filter(|said| matches!(said, Said::Refused(_))).count();
        let partly = said.iter().filter(|said| matches!(said, Said::Partly(_))).count();
        println!("{},{},{read},{not_read},{partly}", name(&package.root), package.files.len());
        for (file, said) in package.files.iter().zip(&said) {
            let file = file.strip_prefix(&package.root).unwrap_or(file).display();
            match said {
                Said::Refused(reason) => println!("# {file}: {reason}"),
                Said::Partly(reason) => println!("# {file}, partly: {reason}"),
                Said::Foreign | Said::Read => {}
            }
        }
        (all, refused) = (all + read, refused + not_read);
    }
    println!("# {refused} of {all} files are refused");
    ExitCode::SUCCESS
}

/// What is said of each file; several are asked about at the same time.
fn ask(package: &Package) -> Vec<Said> {
    let next = AtomicUsize::new(0);
    let said = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(file) = package.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = match options(package, file) {
                        Some(options) => read(file, &options),
                        None => Said::Foreign,
                    };
                    said.lock().expect("no thread panics").push((file, one));
                }
            });
        }
    });
    let mut said = said.into_inner().expect("no thread panics");
    said.sort_by_key(|(file, _)| *file);
    said.into_iter().map(|(_, one)| one).collect()
}

/// What puch says of a file.
fn read(file: &Path, options: &[String]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_puch"));
    command.arg("run").arg(file).args(["--entry", NOWHERE, "--cpp"]).arg(format!("gcc -E {}", options.join(" ")));
    let Some(ended) = ended(&mut command, Duration::from_secs(SECONDS)) else {
        return Said::Refused(format!("{SECONDS} seconds are not enough"));
    };
    let told = String::from_utf8_lossy(&ended.output.stderr).into_owned();
    let first = told.lines().find_map(|line| line.strip_prefix("error: "));
    let reached = |line: &str| Some(line.strip_prefix("warning: ")?.strip_suffix(REACHED)?.to_owned());
    match (ended.output.status.code(), first) {
        (Some(2), Some(first)) if first == format!("no procedure `{NOWHERE}` is defined") => {
            told.lines().find_map(reached).map_or(Said::Read, Said::Partly)
        }
        (Some(2), Some(first)) => Said::Refused(first.to_owned()),
        (code, _) => Said::Refused(format!("it ends with {code:?}")),
    }
}

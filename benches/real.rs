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

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

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

/// The files of a package.
struct Package {
    root: PathBuf,
    /// What ends in `.c`, in order.
    files: Vec<PathBuf>,
    /// Where files lie that may be included, by their names.
    headers: BTreeMap<String, Vec<PathBuf>>,
    /// Options from the file `NAME.options` beside the folder, if there is one.
    given: Option<Vec<String>>,
}

fn main() -> ExitCode {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("note: files of packages are read under `cargo bench`");
        return ExitCode::SUCCESS;
    }
    let Some(folder) = std::env::var_os("PUCH_REAL_FILES") else {
        eprintln!("note: PUCH_REAL_FILES is not set: no files of packages are read");
        return ExitCode::SUCCESS;
    };
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let mut roots: Vec<PathBuf> = listed(Path::new(&folder)).into_iter().filter(|path| path.is_dir()).collect();
    roots.retain(|root| chosen.is_empty() || chosen.iter().any(|start| name(root).starts_with(start)));
    let (mut all, mut refused) = (0, 0);
    println!("package,files,read by gcc,refused,partly");
    for root in roots {
        let package = Package::of(root);
        let said = package.ask();
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

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What is in a folder, in order.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("folders can be read").path()).collect();
    paths.sort();
    paths
}

impl Package {
    /// Hidden folders are left out: `.pc` has files as they were before they were patched.
    fn of(root: PathBuf) -> Package {
        let (mut files, mut headers) = (Vec::new(), BTreeMap::<String, Vec<PathBuf>>::new());
        let mut open = vec![root.clone()];
        while let Some(folder) = open.pop() {
            for path in listed(&folder) {
                if path.is_dir() && !path.is_symlink() && !name(&path).starts_with('.') {
                    open.push(path);
                } else if path.is_file() {
                    if path.extension().is_some_and(|ending| ending == "c") {
                        files.push(path.clone());
                    }
                    headers.entry(name(&path)).or_default().push(path);
                }
            }
        }
        files.sort();
        let beside = root.with_file_name(format!("{}.options", name(&root)));
        let in_place = |text: String| {
            text.split_whitespace().map(|word| word.replace("{}", &root.display().to_string())).collect::<Vec<_>>()
        };
        let given = std::fs::read_to_string(beside).ok().map(in_place);
        Package { root, files, headers, given }
    }

    /// What is said of each file; several are asked about at the same time.
    fn ask(&self) -> Vec<Said> {
        let next = AtomicUsize::new(0);
        let said = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    while let Some(file) = self.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let one = match options(self, file) {
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
}

/// The options with which gcc reads a file: those that are given, or folders in which headers may be. They are the file's own and those
/// around it, up to the package's, with their `include`, `src` and `lib`, and those of headers that were asked for in vain. Files that are
/// configured find their `config.h`. Nothing if gcc does not read it.
fn options(package: &Package, file: &Path) -> Option<Vec<String>> {
    if let Some(given) = &package.given {
        return complaints(given, file).is_none().then(|| given.clone());
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in file.ancestors().skip(1).take_while(|folder| folder.starts_with(&package.root)) {
        let near = ["include", "src", "lib"].map(|below| folder.join(below)).into_iter().filter(|path| path.is_dir());
        folders.extend([folder.to_owned()].into_iter().chain(near));
    }
    let mut options: Vec<String> = vec!["-D_GNU_SOURCE".to_owned()];
    if folders.iter().any(|folder| folder.join("config.h").is_file()) {
        options.push("-DHAVE_CONFIG_H".to_owned());
    }
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    folders.retain(|folder| known.insert(folder.clone()));
    options.extend(folders.iter().map(|folder| format!("-I{}", folder.display())));
    loop {
        let said = match complaints(&options, file) {
            None => return Some(options),
            Some(said) => said,
        };
        let (_, missing) = said.split_once("fatal error: ")?;
        let (missing, _) = missing.split_once(": No such file")?;
        let found = package.headers.get(&name(Path::new(missing)))?;
        let roots = found.iter().filter(|path| path.ends_with(missing));
        let roots = roots.filter_map(|path| path.ancestors().nth(Path::new(missing).components().count()));
        let shared = |folder: &Path| folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
        let nearest = roots.filter(|root| !known.contains(*root)).max_by_key(|root| shared(root))?.to_owned();
        options.push(format!("-I{}", nearest.display()));
        known.insert(nearest);
    }
}

/// What gcc complains about, if it does.
fn complaints(options: &[String], file: &Path) -> Option<String> {
    let output = Command::new("gcc").args(["-fsyntax-only", "-w"]).args(options).arg(file).output();
    let output = output.expect("gcc can be started");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What puch says of a file.
fn read(file: &Path, options: &[String]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_puch"));
    command.arg("run").arg(file).args(["--entry", NOWHERE, "--cpp"]).arg(format!("gcc -E {}", options.join(" ")));
    let Some(output) = ended(&mut command) else {
        return Said::Refused(format!("{SECONDS} seconds are not enough"));
    };
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let first = told.lines().find_map(|line| line.strip_prefix("error: "));
    let reached = |line: &str| Some(line.strip_prefix("warning: ")?.strip_suffix(REACHED)?.to_owned());
    match (output.status.code(), first) {
        (Some(2), Some(first)) if first == format!("no procedure `{NOWHERE}` is defined") => {
            told.lines().find_map(reached).map_or(Said::Read, Said::Partly)
        }
        (Some(2), Some(first)) => Said::Refused(first.to_owned()),
        (code, _) => Said::Refused(format!("it ends with {code:?}")),
    }
}

/// What a command writes, if it ends in time.
fn ended(command: &mut Command) -> Option<Output> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().ok()?;
    let mut pipe = child.stderr.take()?;
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let mut stderr = Vec::new();
            // What was written before the end of the child is there.
            let _ = std::io::Read::read_to_end(&mut pipe, &mut stderr);
            stderr
        });
        let until = Instant::now() + Duration::from_secs(SECONDS);
        let status = loop {
            match child.try_wait().ok()? {
                Some(status) => break Some(status),
                None if Instant::now() > until => break None,
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        if status.is_none() {
            // It has ended by itself since, or is ended now.
            let _ = child.kill();
            let _ = child.wait();
        }
        let stderr = reader.join().ok()?;
        status.map(|status| Output { status, stdout: Vec::new(), stderr })
    })
}

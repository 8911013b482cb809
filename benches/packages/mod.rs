//! Packages of real software where they lie: their files, the options with which gcc reads them, and commands about them that end in time.

#![allow(dead_code, reason = "each bench asks for what it prints")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Where packages lie, each in a folder of its own, and the beginnings of the names of those that are wanted; nothing where this is no bench, or
/// nobody says where they lie, which is told.
pub fn wanted() -> Option<Vec<Package>> {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("note: files of packages are read under `cargo bench`");
        return None;
    }
    let Some(folder) = std::env::var_os("PUCH_REAL_FILES") else {
        eprintln!("note: PUCH_REAL_FILES is not set: no files of packages are read");
        return None;
    };
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let mut roots: Vec<PathBuf> = listed(Path::new(&folder)).into_iter().filter(|path| path.is_dir()).collect();
    roots.retain(|root| chosen.is_empty() || chosen.iter().any(|start| name(root).starts_with(start)));
    Some(roots.into_iter().map(Package::of).collect())
}

/// The files of a package.
pub struct Package {
    pub root: PathBuf,
    /// What ends in `.c`, in order.
    pub files: Vec<PathBuf>,
    /// Where files lie that may be included, by their names.
    headers: BTreeMap<String, Vec<PathBuf>>,
    /// Options from the file `NAME.options` beside the folder, if there is one.
    given: Option<Vec<String>>,
}

/// Folders and files that are no part of a library, or belong to another one; such as begin with one of these.
const BESIDE: [&str; 9] = ["test", "fuzz", "unity", "bench", "example", "contrib", "doc", "programs", "regress"];

/// Whether a file is one of the library itself.
pub fn is_own(package: &Package, file: &Path) -> bool {
    let inner = file.strip_prefix(&package.root).unwrap_or(file);
    let mut names = inner.components().map(|part| part.as_os_str().to_string_lossy().to_lowercase());
    names.all(|name| !BESIDE.iter().any(|beside| name.starts_with(beside)))
}

/// The last part of a path.
pub fn name(path: &Path) -> String {
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
}

/// The options with which gcc reads a file: those that are given, or folders in which headers may be. They are the file's own and those
/// around it, up to the package's, with their `include`, `src` and `lib`, and those of headers that were asked for in vain. Files that are
/// configured find their `config.h`. Nothing if gcc does not read it.
pub fn options(package: &Package, file: &Path) -> Option<Vec<String>> {
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

/// What a command that has ended has written, and what it took.
pub struct Ended {
    pub output: Output,
    /// The greatest resident memory that was seen, in KiB; 0 where the system does not tell.
    pub peak_kb: u64,
}

/// A command, if it ends in time.
pub fn ended(command: &mut Command, within: Duration) -> Option<Ended> {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().ok()?;
    let (mut stdout, mut stderr) = (child.stdout.take()?, child.stderr.take()?);
    std::thread::scope(|scope| {
        let out = scope.spawn(move || written(&mut stdout));
        let err = scope.spawn(move || written(&mut stderr));
        let (until, mut peak_kb) = (Instant::now() + within, 0);
        let status = loop {
            peak_kb = peak_kb.max(resident_kb(child.id()));
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
        let (stdout, stderr) = (out.join().ok()?, err.join().ok()?);
        status.map(|status| Ended { output: Output { status, stdout, stderr }, peak_kb })
    })
}

fn written(pipe: &mut impl std::io::Read) -> Vec<u8> {
    let mut all = Vec::new();
    // What was written before the end of the child is there.
    let _ = pipe.read_to_end(&mut all);
    all
}

/// The greatest resident memory of a process so far; 0 where the system does not tell.
fn resident_kb(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
}

/// How much processors have worked for processes that this one has started and that have ended; nothing where the system does not tell.
pub fn children() -> Duration {
    /// As Linux counts, on all machines that it tells it so.
    const TICKS: u64 = 100;
    let told = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = told.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis((number(13) + number(14)) * 1_000 / TICKS)
}

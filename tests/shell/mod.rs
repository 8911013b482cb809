//! Commands as they stand in golden files and in the README, run with the `puch` that was just built.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A directory of a test's own, empty.
pub fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("the directory for tests can be written");
    directory
}

/// `puch` with arguments, in the root of the project.
pub fn puch<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    command().args(arguments).output().expect("puch can be started")
}

/// `puch` in the root of the project, as far as it is the same for all tests.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_puch"));
    command.current_dir(root()).env_remove("COLUMNS").stdin(Stdio::null());
    command
}

/// The exit code.
pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("puch was killed: {output:?}"))
}

/// What was written to standard output.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("answers are text")
}

/// What was written to standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("complaints are text")
}

/// Runs a line such as `puch check - --input-format bp < x.bp` or `puch check x.bp --format json > x.json`.
pub fn line(line: &str, directory: &Path) -> Output {
    let mut words = words(line);
    assert_eq!(words.first().map(String::as_str), Some("puch"), "only puch can be run here: {line}");
    let mut command = command();
    command.current_dir(directory);
    for (sign, input) in [("<", true), (">", false)] {
        if let Some(at) = words.iter().position(|word| word == sign) {
            let file = directory.join(words.remove(at + 1));
            words.remove(at);
            if input {
                command.stdin(File::open(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())));
            } else {
                let output = command.args(&words[1..]).output().expect("puch can be started");
                fs::write(&file, &output.stdout).expect("the directory for tests can be written");
                return Output { stdout: Vec::new(), ..output };
            }
        }
    }
    command.args(&words[1..]).output().expect("puch can be started")
}

/// Words as a shell splits them, with simple quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    assert!(!quoted, "a quote is not closed: {line}");
    words.extend(word);
    words
}

/// Whether expected outputs are to be rewritten: `BLESS=1`.
pub fn blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| !value.is_empty())
}

/// A copy of the examples in a directory.
pub fn copy_examples(directory: &Path) {
    let mut open = vec![PathBuf::from("examples")];
    while let Some(folder) = open.pop() {
        fs::create_dir_all(directory.join(&folder)).expect("the directory for tests can be written");
        for entry in fs::read_dir(root().join(&folder)).expect("the examples are there") {
            let path = folder.join(entry.expect("the examples can be listed").file_name());
            if root().join(&path).is_dir() {
                open.push(path);
            } else {
                fs::copy(root().join(&path), directory.join(&path)).expect("files can be copied");
            }
        }
    }
}

//! How large the rooms are: the table in ARCHITECTURE.md is counted, not written by hand. `BLESS=1` rewrites it. No function has more than sixty
//! lines of code, and no file more than five hundred.

mod shell;

use std::fs;
use std::path::{Path, PathBuf};

/// Between these lines the table stands.
const BEGIN: &str = "| room | lines of code |";
const RULE: &str = "|---|---|";

/// Lines of code of a text: without comments, blank lines and what is compiled for tests only.
fn lines(text: &str) -> usize {
    let (mut count, mut skipped) = (0, None::<i32>);
    let mut is_test = false;
    for line in text.lines() {
        let code = line.trim();
        if let Some(depth) = &mut skipped {
            *depth += braces(code);
            if *depth <= 0 {
                skipped = None;
            }
        } else if code == "#[cfg(test)]" {
            is_test = true;
        } else if is_test {
            is_test = code.starts_with("#[");
            let depth = braces(code);
            if !is_test && depth > 0 {
                skipped = Some(depth);
            }
        } else if !code.is_empty() && !code.starts_with("//") {
            count += 1;
        }
    }
    count
}

fn braces(code: &str) -> i32 {
    code.chars().map(|sign| i32::from(sign == '{') - i32::from(sign == '}')).sum()
}

/// Lines of code of a file, or of all files in a folder.
fn counted(path: &Path) -> usize {
    let Ok(entries) = fs::read_dir(path) else {
        let is_code = path.extension().is_some_and(|ending| ending == "rs")
            && path.file_stem().is_some_and(|name| name != "tests");
        return if is_code { lines(&fs::read_to_string(path).expect("sources can be read")) } else { 0 };
    };
    entries.map(|entry| counted(&entry.expect("sources can be listed").path())).sum()
}

/// The rooms in the order of the libraries, with their sizes.
fn rooms() -> Vec<(String, usize)> {
    let mut rooms = vec![("spds-format".to_owned(), counted(&shell::root().join("spds-format/src")))];
    for folder in ["src/engine", "src/programs", "src"] {
        let source = shell::root().join(folder);
        let library = fs::read_to_string(source.join("lib.rs")).expect("the library is there");
        for line in library.lines() {
            let line = line.trim().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
            let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) else { continue };
            let paths: [PathBuf; 2] = [source.join(name), source.join(format!("{name}.rs"))];
            let size = paths.iter().filter(|path| path.exists()).map(|path| counted(path)).sum();
            // Where everything is one crate, the others are modules.
            if size > 0 && !["engine", "programs"].contains(&name) {
                rooms.push((name.to_owned(), size));
            }
        }
    }
    rooms
}

#[test]
fn the_table_of_sizes_is_what_is_counted() {
    let rooms = rooms();
    assert!(rooms.len() > 30, "{rooms:?}");
    let path = shell::root().join("ARCHITECTURE.md");
    let text = fs::read_to_string(&path).expect("the architecture is told");
    let (before, rest) = text.split_once(&format!("{BEGIN}\n{RULE}\n")).expect("there is a table of sizes");
    let (table, after) = rest.split_once("\n\n").expect("something comes after it");
    if shell::blessing() {
        let all: usize = rooms.iter().map(|(_, size)| size).sum();
        let rows: String = rooms.iter().map(|(name, size)| format!("| `{name}` | {size} |\n")).collect();
        let text = format!("{before}{BEGIN}\n{RULE}\n{rows}| all | {all} |\n\n{after}");
        return fs::write(&path, text).expect("the architecture can be written");
    }
    let told: Vec<(&str, usize)> = (table.lines())
        .filter_map(|row| row.trim_matches('|').split_once('|'))
        .map(|(name, size)| (name.trim().trim_matches('`'), size.trim().parse().expect("sizes are numbers")))
        .collect();
    for (name, size) in &rooms {
        let told = told.iter().find(|(told, _)| told == name).map(|(_, size)| *size);
        // A few lines more or less are no reason to write it again.
        let is_told = told.is_some_and(|told| told.abs_diff(*size) <= 60 + size / 20);
        assert!(is_told, "`{name}` has {size} lines, the table says {told:?}: BLESS=1 rewrites it");
    }
    assert_eq!(told.len(), rooms.len() + 1, "the table has rooms that are not there");
}

#[test]
fn what_is_for_tests_or_for_readers_is_not_counted() {
    let text = "//! About.\nuse a;\n\n/// One.\nfn one() {\n    // Why.\n    two();\n}\n\n#[cfg(test)]\nmod tests {\n    fn three() {\n    }\n}\nfn four() {}\n";
    assert_eq!(lines(text), 5);
    assert_eq!(lines("#[cfg(test)]\nmod tests;\nfn four() {}\n"), 1);
}

/// The functions of a text with their lines of code, as `rustfmt` writes them: each ends where a brace stands below its beginning.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let begun = |line: &str| {
        let words = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        let words = words.trim_start_matches("pub(super) ").trim_start_matches("const ");
        words.starts_with("fn ")
    };
    let mut all = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| begun(line)) {
        let end = line[..line.len() - line.trim_start().len()].to_owned() + "}";
        let is_short = line.ends_with('}') || line.ends_with(';');
        let whole =
            if is_short { 1 } else { lines[at..].iter().position(|line| **line == *end).map_or(1, |last| last + 1) };
        let code = lines[at..at + whole].iter().map(|line| line.trim());
        all.push((line.trim(), code.filter(|line| !line.is_empty() && !line.starts_with("//")).count()));
    }
    all
}

/// All files of code in a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("sources can be listed") {
        let path = entry.expect("sources can be listed").path();
        match path.is_dir() {
            true => files(&path, found),
            false if path.extension().is_some_and(|ending| ending == "rs") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn functions_and_files_are_short() {
    let mut found = Vec::new();
    files(&shell::root().join("src"), &mut found);
    let mut seen = 0;
    for path in found.iter().filter(|path| path.file_stem().is_some_and(|name| name != "tests")) {
        let text = fs::read_to_string(path).expect("sources can be read");
        for (name, size) in functions(&text) {
            assert!(size <= 60, "{}: {size} lines: {name}", path.display());
            seen += 1;
        }
        assert!(lines(&text) <= 500, "{}: {} lines", path.display(), lines(&text));
    }
    assert!(seen > 5_000, "{seen}");
}

#[test]
fn lines_of_functions_are_counted() {
    let text = "impl A {\n    pub fn one() {\n        // Why.\n\n        two();\n    }\n\n    fn two() {}\n}\n";
    assert_eq!(functions(text), [("pub fn one() {", 3), ("fn two() {}", 1)]);
}

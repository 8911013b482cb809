//! Every command that the README and those of the examples show is run, and what it writes is compared.
//!
//! In ```` ```console ```` blocks, a line `$ puch …` is a command and what follows is its output (standard output, then
//! standard error); `$ echo $?` shows the exit code of the command before. Commands of cargo that build this project or
//! run its tests are known by name: that this test runs is their proof. `BLESS=1` rewrites the outputs.

mod shell;

use std::fs;
use std::path::Path;

/// What needs no running, because this test would not run without it.
const PROVEN: &[&str] = &["cargo build --release", "cargo install --path .", "cargo test"];

#[test]
fn the_readme_shows_what_happens() {
    let directory = shell::scratch("readme");
    shell::copy_examples(&directory);
    let commands = shows_what_happens("README.md", &directory);
    assert!(commands >= 6, "the README shows too little: {commands} commands");
}

#[test]
fn the_examples_show_what_happens() {
    let directory = shell::scratch("readmes_of_examples");
    shell::copy_examples(&directory);
    let mut shown = 0;
    let examples = fs::read_dir(shell::root().join("examples")).expect("the examples are there");
    let mut names: Vec<_> = examples.map(|entry| entry.expect("the examples can be listed").file_name()).collect();
    names.sort();
    for name in names {
        let path = Path::new("examples").join(name).join("README.md");
        if shell::root().join(&path).exists() {
            let path = path.to_str().expect("examples have plain names");
            assert!(shows_what_happens(path, &directory) >= 2, "{path} shows too little");
            shown += 1;
        }
    }
    assert!(shown >= 5, "{shown} examples have a README");
}

#[test]
fn the_tour_shows_what_happens() {
    let directory = shell::scratch("tour");
    shell::copy_examples(&directory);
    let readme = fs::read_to_string(shell::root().join("README.md")).expect("there is a README");
    let pages = fs::read_dir(shell::root().join("examples/tour")).expect("there is a tour");
    let mut pages: Vec<_> = pages.map(|page| page.expect("the tour can be listed").file_name()).collect();
    pages.sort();
    assert!(pages.len() >= 5, "{pages:?}");
    for page in pages {
        let path = format!("examples/tour/{}", page.to_str().expect("pages have plain names"));
        assert!(readme.contains(&format!("({path})")), "the README does not name {path}");
        assert!(shows_what_happens(&path, &directory) >= 4, "{path} shows too little");
    }
}

#[test]
fn the_readme_is_short() {
    let readme = fs::read_to_string(shell::root().join("README.md")).expect("there is a README");
    assert!(
        readme.lines().count() <= 300,
        "{} lines: what is longer belongs to a page of the tour",
        readme.lines().count()
    );
}

/// Runs the commands of a file in the directory; how many there are.
fn shows_what_happens(name: &str, directory: &Path) -> usize {
    let path = shell::root().join(name);
    let readme = fs::read_to_string(&path).expect("there is a README");
    let mut actual = String::new();
    let mut inside = false;
    let mut last = None;
    let mut commands = 0;
    for line in readme.lines() {
        let shown = match (inside, line) {
            (false, "```console") => {
                inside = true;
                format!("{line}\n")
            }
            (false, _) => format!("{line}\n"),
            (true, "```") => {
                inside = false;
                "```\n".into()
            }
            (true, "$ echo $?") => format!("$ echo $?\n{}\n", last.expect("a command comes before")),
            (true, line) => match line.strip_prefix("$ ") {
                // An output, which is compared as a whole.
                None => continue,
                Some(command) if PROVEN.contains(&command) => format!("{line}\n"),
                Some(command) => {
                    let output = shell::line(command, directory);
                    last = Some(shell::code(&output));
                    commands += 1;
                    format!("{line}\n{}{}", shell::stdout(&output), shell::stderr(&output))
                }
            },
        };
        actual += &shown;
    }
    if shell::blessing() {
        fs::write(&path, actual).expect("the README can be written");
    } else {
        for (number, (shown, happens)) in readme.lines().zip(actual.lines()).enumerate() {
            assert_eq!(shown, happens, "{name}:{}\nwhat happens is\n{actual}", number + 1);
        }
        assert_eq!(readme, actual, "{name} ends differently");
    }
    commands
}

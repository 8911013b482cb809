//! Golden files: `tests/golden/NAME.console` holds a command, its exit code and what it writes to either stream.
//!
//! The first line is the command, `$ puch …`, run in `tests/golden`. To add a case, write a file with that line; to
//! accept what puch writes now, run `BLESS=1 cargo test --test cli_golden` and look at the difference.

mod shell;

use std::fs;

#[test]
fn golden_files() {
    let directory = shell::root().join("tests/golden");
    let mut cases: Vec<_> = fs::read_dir(&directory)
        .expect("golden files are there")
        .map(|entry| entry.expect("they can be listed").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "console"))
        .collect();
    cases.sort();
    assert!(cases.len() > 10, "golden files are missing");
    let mut wrong = Vec::new();
    for case in cases {
        let expected = fs::read_to_string(&case).expect("golden files can be read");
        let first = expected.lines().next().unwrap_or_default();
        let command = first.strip_prefix("$ ").unwrap_or_else(|| panic!("{}: no command", case.display()));
        let output = shell::line(command, &directory);
        let mut actual = format!("{first}\n? {}\n", shell::code(&output));
        for (name, text) in [("stdout", shell::stdout(&output)), ("stderr", shell::stderr(&output))] {
            if !text.is_empty() {
                actual += &format!("--- {name}\n{text}");
            }
        }
        if shell::blessing() {
            fs::write(&case, actual).expect("golden files can be written");
        } else if actual != expected {
            wrong.push(format!("{}\n=== expected\n{expected}=== actual\n{actual}", case.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\n(BLESS=1 accepts what puch writes now)", wrong.join("\n"));
}
